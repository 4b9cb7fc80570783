# SPDX-License-Identifier: Apache-2.0
"""What a compiled form of the portable kernel may take, and whether it does.

The budgets are read from kernels/conv3d/resource_budget.h, the limits of the architectures from
kernels/conv3d/architecture.cc.
"""
import dataclasses
import re

ELEMENTS = ("fp16", "bf16", "tf32")
# The products of each element type. Those of another type would be a wrong kernel, not a slow one.
PRODUCT = {"fp16": "HMMA.16816.F32", "bf16": "HMMA.16816.F32.BF16", "tf32": "HMMA.1688.F32.TF32"}
FRAGMENT_LOAD = "LDSM.16.M88.4"
ASYNC_COPY = "LDGSTS"
LOCAL_MEMORY = ("LDL", "STL")


@dataclasses.dataclass(frozen=True)
class Budget:
    """One row of the table: the tile's eight numbers, then what it may take."""
    tile: tuple
    registers_16: int
    registers_tf32: int
    shared_bytes: int

    def registers(self, element):
        return self.registers_tf32 if element == "tf32" else self.registers_16

    @property
    def threads(self):
        return 32 * self.tile[2] * self.tile[3]

    @property
    def products(self):
        """Of one slice, which is what the main loop's body has: warp's blocks x channel steps."""
        mma_m, mma_n, chunk_units = self.tile[4:7]
        return mma_m * mma_n * chunk_units // 2

    @property
    def fragment_loads(self):
        """One for each block of 16 pixels and for each two blocks of 8 channels, a step."""
        mma_m, mma_n, chunk_units = self.tile[4:7]
        return (mma_m + mma_n // 2) * chunk_units // 2


def read_budgets(text):
    """Tile -> Budget, from the text of resource_budget.h."""
    found = {}
    for row in re.findall(r"X\((\d[\d,\s]*)\)", text):
        numbers = [int(number) for number in row.split(",")]
        if len(numbers) != 11:
            raise ValueError(f"resource_budget.h: X({row}) has {len(numbers)} numbers, allowed: 11")
        found[tuple(numbers[:8])] = Budget(tuple(numbers[:8]), *numbers[8:])
    if not found:
        raise ValueError("resource_budget.h: no X(...) row")
    return found


def read_shared_limits(text):
    """"80" -> bytes of shared memory that a block may have, from the text of architecture.cc."""
    limits = {number: int(kib) * 1024
              for number, kib in re.findall(r'\{"sm_(\d+)", \d+, (\d+) \* kKiB', text)}
    if not limits:
        raise ValueError("architecture.cc: no architecture")
    return limits


_MANGLED = re.compile(r"portable_conv3d_kernelINS\w*?_\d+(Fp16|Bf16|Tf32)TraitsE"
                      r"NS\w*?_\d+PortableTileI((?:Li\d+E)+)E")


def identify(mangled):
    """(element, tile) of a mangled kernel name; None where it is no portable convolution."""
    match = _MANGLED.search(mangled)
    if not match:
        return None
    return match.group(1).lower(), tuple(int(n) for n in re.findall(r"Li(\d+)E", match.group(2)))


def problems_of(budget, element, resources, instructions):
    """What is wrong with one compiled kernel, each as `what: got, allowed`."""
    problems = []
    for what, got in (("stack frame", resources.stack),
                      ("spill stores", resources.spill_stores),
                      ("spill loads", resources.spill_loads),
                      ("static shared memory", resources.static_shared)):
        if got:
            problems.append(f"{what}: got {got} bytes, allowed: 0")
    allowed = budget.registers(element)
    if resources.registers > allowed:
        problems.append(f"registers: got {resources.registers}, allowed: {allowed}")
    if resources.registers * budget.threads > 65536:
        problems.append(f"registers of a block: got {resources.registers * budget.threads}, "
                        "allowed: 65536")

    def check_count(name, expected):
        if instructions[name] != expected:
            problems.append(f"{name}: got {instructions[name]}, allowed: {expected}")

    check_count(PRODUCT[element], budget.products)
    check_count(FRAGMENT_LOAD, budget.fragment_loads)
    for name in sorted(instructions):
        opcode = name.split(".")[0]
        if opcode in LOCAL_MEMORY:
            problems.append(f"{name}: got {instructions[name]}, allowed: 0 (local memory)")
        if opcode.endswith("MMA") and name != PRODUCT[element]:
            problems.append(f"{name}: got {instructions[name]}, allowed: 0 (other product)")
    copies = [name for name, count in instructions.items()
              if count and name.split(".")[0] == ASYNC_COPY]
    if not any("ZFILL" in name for name in copies):
        problems.append(f"{ASYNC_COPY} with ZFILL: got 0, allowed: at least 1 (the patch)")
    if not any("ZFILL" not in name for name in copies):
        problems.append(f"{ASYNC_COPY}: got 0, allowed: at least 1 (the weights)")
    return problems


def slack_problem(budget, element, most_registers):
    """A budget that no architecture needs hides what a change costs. None where it is tight."""
    allowed = budget.registers(element)
    if allowed - most_registers < 8:
        return None
    return (f"register budget: got {allowed}, allowed: less than {most_registers + 8} "
            f"(no architecture uses more than {most_registers})")
