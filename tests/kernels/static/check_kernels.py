#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler made of the portable convolution's kernels. Needs no GPU.

Usage: check_kernels.py ROOT NVCC CACHE_FOLDER

Compiles every form for every element type and architecture, prints one line for each, and then
what is wrong: spills, a stack frame, local memory, registers or shared memory beyond the budget,
other matrix instructions than those expected. Exit status 1 where something is.
"""
import collections
import concurrent.futures
import os
import shutil
import sys

import compile_kernels
import kernel_budget

ARCHITECTURES = ("80", "86", "89", "90a", "120")
# Compilers at a time. More would take the cores from the tests that run beside this one.
JOBS = 2


def _read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def _tile_text(tile):
    height, width, warps_m, warps_n, mma_m, mma_n, chunk_units, stages = tile
    return (f"{height}x{width}px {8 * warps_n * mma_n}ch {warps_m}x{warps_n} "
            f"chunk{chunk_units} stages{stages}")


def row_of(budget, element, architecture, resources, instructions, shared_limit):
    """The cells of one line of the table."""
    fits = "yes" if budget.shared_bytes <= shared_limit else "no"
    product = kernel_budget.PRODUCT[element]
    return (_tile_text(budget.tile), element, "sm_" + architecture,
            f"{resources.registers}/{budget.registers(element)}", str(budget.shared_bytes), fits,
            str(resources.spill_stores + resources.spill_loads),
            f"{instructions[product]} {product}", str(instructions["LDSM.16.M88.4"]),
            str(sum(n for name, n in instructions.items() if name.startswith("LDGSTS"))))


HEADER = ("kernel", "type", "arch", "registers", "shared", "fits", "spills", "products", "LDSM",
          "LDGSTS")


def judge(compiled, budgets, shared_limits):
    """(rows, problems) of {(element, architecture): {mangled name: (Resources, counts)}}."""
    rows, problems = [], []
    most_registers = collections.Counter()
    for (element, architecture), kernels in compiled.items():
        seen = set()
        where = f"{element} sm_{architecture}"
        limit = shared_limits[architecture.rstrip("a")]
        for mangled, (resources, counts) in sorted(kernels.items()):
            identity = kernel_budget.identify(mangled)
            if identity is None or identity[0] != element or identity[1] not in budgets:
                problems.append(f"{where}: {mangled} has no budget")
                continue
            tile = identity[1]
            seen.add(tile)
            instructions = collections.Counter(counts)
            budget = budgets[tile]
            rows.append(row_of(budget, element, architecture, resources, instructions, limit))
            problems += [f"{where} {_tile_text(tile)}: {problem}" for problem in
                         kernel_budget.problems_of(budget, element, resources, instructions)]
            most_registers[tile, element] = max(most_registers[tile, element],
                                                resources.registers)
        problems += [f"{where} {_tile_text(tile)}: was not compiled"
                     for tile in budgets if tile not in seen]
    for (tile, element), registers in most_registers.items():
        if problem := kernel_budget.slack_problem(budgets[tile], element, registers):
            problems.append(f"{element} {_tile_text(tile)}: {problem}")
    return rows, problems


def print_table(rows):
    """Columns as wide as their widest cell."""
    widths = [max(len(row[i]) for row in [HEADER, *rows]) for i in range(len(HEADER))]
    for row in [HEADER, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def compile_all(root, nvcc, cache):
    """{(element, architecture): kernels}; what other sources left in the cache is removed."""
    environment = compile_kernels.find_sass_tools(root)
    key = compile_kernels.sources_key(root, nvcc)
    folder = os.path.join(cache, key)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(cache):
        if name != key:
            shutil.rmtree(os.path.join(cache, name))
    pairs = [(element, architecture) for architecture in ARCHITECTURES
             for element in kernel_budget.ELEMENTS]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = pool.map(lambda pair: compile_kernels.compile_kernels(
            root, nvcc, environment, folder, *pair), pairs)
        return dict(zip(pairs, results))


def main():
    root, nvcc, cache = sys.argv[1:]
    try:
        budgets = kernel_budget.read_budgets(_read(root, "kernels/conv3d/resource_budget.h"))
        limits = kernel_budget.read_shared_limits(_read(root, "kernels/conv3d/architecture.cc"))
        compiled = compile_all(root, nvcc, cache)
    except (compile_kernels.ToolError, ValueError) as error:
        print(error)
        return 1
    rows, problems = judge(compiled, budgets, limits)
    print_table(rows)
    print("\n".join(problems + [f"kernels: {len(rows)}, problems: {len(problems)}"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
