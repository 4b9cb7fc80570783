# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels' sources for an architecture and keeps what the tools say of them.

Results are kept under a hash of the sources, the flags and the tools: a run without a change
compiles nothing.
"""
import hashlib
import json
import os
import shutil
import subprocess

from compiler_reports import read_ptxas, read_sass

FLAGS = ["-std=c++17", "-O3", "-Xptxas", "-v", "-cubin"]
_FOLDERS = ["kernels/conv3d", "kernels/include", "kernels/primitives"]
_SUFFIXES = (".h", ".cuh", ".cu", ".inc")


class ToolError(Exception):
    """A tool is missing or failed. The message is what the user needs."""


def run_tool(command, environment=None):
    """Standard output and standard error of a tool that has to succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment,
                              check=False)
    except FileNotFoundError as error:
        raise ToolError(f"{command[0]}: not found") from error
    if done.returncode != 0:
        raise ToolError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


def find_sass_tools(root):
    """The environment in which cuobjdump and its nvdisasm are found."""
    folder = os.path.join(root, ".deps/sass/nvidia/cu13/bin")
    environment = dict(os.environ, PATH=folder + os.pathsep + os.environ.get("PATH", ""))
    for tool in ("cuobjdump", "nvdisasm"):
        if not shutil.which(tool, path=environment["PATH"]):
            raise ToolError(f"{tool}: not found; deploy/setup/install_sass_tools.sh installs it")
    return environment


def sources_key(root, nvcc):
    """A hash of everything that the results depend on."""
    digest = hashlib.sha256()
    digest.update(" ".join(FLAGS).encode())
    digest.update(run_tool([nvcc, "--version"])[0].encode())
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, name) for name in ("compile_kernels.py", "compiler_reports.py")]
    for folder in _FOLDERS:
        for parent, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            paths += [os.path.join(parent, name) for name in sorted(names)
                      if name.endswith(_SUFFIXES)]
    for path in paths:
        with open(path, "rb") as file:
            digest.update(path.encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()[:16]


def compile_kernels(root, nvcc, environment, folder, element, architecture):
    """Mangled name -> (Resources, Counter) of one element type's source for one architecture.

    `architecture` is as in -arch=sm_90a, without its "sm_".
    """
    stem = os.path.join(folder, f"{element}_{architecture}")
    if not os.path.exists(stem + ".json"):
        source = os.path.join(root, f"kernels/conv3d/portable/instantiations/{element}.cu")
        _, ptxas = run_tool([nvcc, *FLAGS, f"-arch=sm_{architecture}", "-I", root,
                             "-I", os.path.join(root, "kernels/include"), source,
                             "-o", stem + ".cubin"])
        sass, _ = run_tool(["cuobjdump", "-sass", stem + ".cubin"], environment)
        with open(stem + ".partial", "w", encoding="utf-8") as file:
            json.dump({"ptxas": ptxas, "instructions": read_sass(sass.splitlines())}, file)
        os.replace(stem + ".partial", stem + ".json")
    with open(stem + ".json", encoding="utf-8") as file:
        kept = json.load(file)
    return {name: (resources, kept["instructions"].get(name, {}))
            for name, resources in read_ptxas(kept["ptxas"]).items()}
