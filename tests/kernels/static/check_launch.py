#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the launch code with the kernels as nvcc makes them, links it with the CUDA runtime, and
runs launch_check.cc. Needs no GPU.

Usage: check_launch.py ROOT NVCC CXX WORK_FOLDER
"""
import concurrent.futures
import os
import subprocess
import sys

from compile_kernels import ToolError, run_tool

# PTX only: what the assembler makes of the kernels is checked by check_kernels.py.
CUDA_FLAGS = ["-std=c++17", "-O1", "-gencode", "arch=compute_80,code=compute_80"]
HOST_FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]
KERNELS = [f"kernels/conv3d/portable/instantiations/{name}.cu" for name in ("fp16", "bf16", "tf32")]
HOST_CODE = ["kernels/conv3d/portable/launch.cc", "kernels/conv3d/portable/launch_plan.cc",
             "kernels/conv3d/architecture.cc", "kernels/conv3d/heuristics.cc",
             "kernels/conv3d/problem.cc", "tests/kernels/static/launch_check.cc"]
JOBS = 2


def build(root, nvcc, compiler, folder):
    """The path of the linked program."""
    cuda = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    includes = ["-I", root, "-I", os.path.join(root, "kernels/include")]

    def compile_one(source):
        target = os.path.join(folder, os.path.basename(source) + ".o")
        if source.endswith(".cu"):
            command = [nvcc, *CUDA_FLAGS, *includes]
        else:
            command = [compiler, *HOST_FLAGS, *includes, "-isystem", os.path.join(cuda, "include")]
        run_tool([*command, "-c", os.path.join(root, source), "-o", target])
        return target

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        objects = list(pool.map(compile_one, KERNELS + HOST_CODE))
    program = os.path.join(folder, "launch_check")
    run_tool([nvcc, "-ccbin", compiler, *objects, "-o", program])
    return program


def main():
    root, nvcc, compiler, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    try:
        program = build(root, nvcc, compiler, folder)
    except ToolError as error:
        print(error)
        return 1
    return subprocess.run([program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
