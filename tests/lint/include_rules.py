#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: rpc -> session -> scheduler -> decoder -> backends -> kernels.

Usage: include_rules.py ROOT. Prints one line for each forbidden include; exit status 1 where there
is one. FOLDERS and EXTERNAL are the rules; a path that neither names is forbidden, so that a new
folder or library has to be entered here.
"""
import os
import re
import sys

from tracked_files import tracked_files

# Which of this repository's headers a folder may include, besides its own. The longest prefix
# wins. "server/decoder/*" is the folder's own headers, without those of the folders below it.
_DECODER = ["server/base/", "server/frame/", "server/decoder/*",
            "server/decoder/models/model_config.h"]
_DECODER_INSIDE = ["server/base/", "server/frame/", "server/decoder/"]
FOLDERS = {
    "server/base/": [],
    "server/frame/": ["server/base/"],
    "server/decoder/": _DECODER_INSIDE,
    "server/decoder/plan/": [
        "server/base/", "server/decoder/*", "server/decoder/models/", "server/decoder/weights/"],
    "server/decoder/backends/cuda/": _DECODER_INSIDE + ["kernels/include/"],
    "server/scheduler/": _DECODER,
    "server/session/": _DECODER + ["server/scheduler/"],
    "server/rpc/": _DECODER + ["server/scheduler/", "server/session/"],
    "server/metrics/": _DECODER + ["server/scheduler/", "server/session/"],
    "server/config/": ["server/base/"],
    # The kernels' host code: what they take, and the model of their cost.
    "server/bench/": ["server/base/", "server/frame/", "server/decoder/", "kernels/include/",
                      "kernels/conv3d/*"],
    "server/main.cc": ["server/"],
    "client/": ["server/base/"],
    "kernels/": [],
    "tests/": ["server/", "client/", "kernels/"],
}

# Libraries: how their headers look, and which folders may include them.
EXTERNAL = {
    "LibTorch": (
        r"(ATen|torch|c10|caffe2)/",
        ["server/decoder/", "tests/server/decoder/", "tests/support/"]),
    "gRPC and protobuf": (
        r"(grpc|grpcpp|google)/|causeway/v1/.*\.pb\.h$",
        ["server/rpc/", "client/", "tests/server/rpc/", "tests/client/", "tests/e2e/",
         "tests/proto/"]),
    "abseil": (
        r"absl/",
        ["server/rpc/", "server/session/", "server/scheduler/", "client/", "tests/server/rpc/",
         "tests/server/session/", "tests/server/scheduler/", "tests/client/"]),
    "prometheus-cpp": (r"prometheus/", ["server/metrics/", "tests/server/metrics/"]),
    "spdlog": (
        r"(spdlog|fmt)/",
        ["server/main.cc", "server/config/", "server/session/", "server/rpc/"]),
    "CLI11": (r"CLI/", ["server/config/", "client/", "tests/client/"]),
    "FFmpeg": (r"lib(avformat|avcodec|avutil|swscale)/", ["client/", "tests/client/"]),
    "CUDA": (
        r"(cuda|cublas|cudnn|cupti|nvrtc|nvtx|cute|cutlass)\w*(/|\.h)",
        ["kernels/", "server/decoder/backends/cuda/", "tests/kernels/", "tests/gpu/"]),
    "sanitizers": (r"sanitizer/", ["kernels/simt/"]),
    "GoogleTest": (r"(gtest|gmock)/", ["tests/"]),
    # The standard library, C's and POSIX's.
    "the system": (r"[a-z0-9_]+(\.h)?$|(sys|netinet|arpa)/\w+\.h$", [""]),
}

SOURCE = re.compile(r"\.(h|cc|cu|cuh)$")
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>|(.+))')
_OURS = re.compile(r"(server|client|kernels|tests)/")
# The kernels' public headers are included as those of an installed library would be.
_PUBLIC_KERNELS = re.compile(r"causeway/kernels/")


def _longest_prefix(path, prefixes):
    return max((p for p in prefixes if path.startswith(p)), key=len, default=None)


def _matches(path, pattern):
    if pattern.endswith("*"):
        return os.path.dirname(path) + "/" == pattern[:-1]
    return path.startswith(pattern)


def problem_with(source, include):
    """Why `source` may not include `include`; None where it may. Both relative to the root."""
    if _PUBLIC_KERNELS.match(include):
        include = "kernels/include/" + include
    if _OURS.match(include):
        folder = _longest_prefix(source, FOLDERS)
        if folder is None:
            return f"{source} is in no folder of the table"
        if any(_matches(include, allowed) for allowed in [folder, *FOLDERS[folder]]):
            return None
        return f"{folder} may not include {include}"
    for library, (pattern, folders) in EXTERNAL.items():
        if re.match(pattern, include):
            if any(source.startswith(folder) for folder in folders):
                return None
            return f"{library} may be included only in {', '.join(folders)}"
    return f"{include} is not in the table of libraries"


def check(root):
    """All problems below root, each one line that starts with path:line."""
    problems = []
    for path in tracked_files(root):
        if not SOURCE.search(path):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                match = _INCLUDE.match(line)
                if not match:
                    continue
                quoted, angled, other = match.groups()
                if other:
                    problem = f"an include is a name in quotes or angles, got {other.strip()}"
                elif angled and _OURS.match(angled):
                    problem = f"write {angled} in quotes"
                elif quoted and "/" not in quoted:
                    problem = f"write {quoted} from the root of the repository"
                else:
                    problem = problem_with(path, quoted or angled)
                if problem:
                    problems.append(f"{path}:{number}: {problem}")
    return problems


def main():
    problems = check(sys.argv[1])
    print("\n".join(problems + [f"include rules: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
