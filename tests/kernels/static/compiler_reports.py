# SPDX-License-Identifier: Apache-2.0
"""Reads what ptxas (-v) and cuobjdump (-sass) say of compiled kernels."""
import collections
import dataclasses
import re


@dataclasses.dataclass
class Resources:
    """One kernel by ptxas: registers of a thread, bytes of a thread or, shared, of a block."""
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    static_shared: int


_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_STACK = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def read_ptxas(text):
    """Mangled name -> Resources. Raises ValueError for a kernel without its figures."""
    found = {}
    name, stack = None, None
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            if name:
                raise ValueError(f"ptxas gave no registers for {name}")
            name, stack = match.group(1), None
        elif name and (match := _STACK.search(line)):
            stack = [int(group) for group in match.groups()]
        elif name and (match := _USED.search(line)):
            if stack is None:
                raise ValueError(f"ptxas gave no stack frame for {name}")
            shared = _SHARED.search(line)
            found[name] = Resources(int(match.group(1)), *stack,
                                    int(shared.group(1)) if shared else 0)
            name = None
    if name:
        raise ValueError(f"ptxas gave no registers for {name}")
    return found


_FUNCTION = re.compile(r"^\s*Function : (\S+)")
# /*0a10*/  @!P0 LDGSTS.E.BYPASS.128 [R5], ... ;
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def read_sass(lines):
    """Mangled name -> Counter of instructions with their modifiers."""
    found = {}
    counter = None
    for line in lines:
        if match := _FUNCTION.match(line):
            counter = found.setdefault(match.group(1), collections.Counter())
        elif counter is not None and (match := _INSTRUCTION.match(line)):
            counter[match.group(1)] += 1
    return found
