#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what every tracked text file must be: clean white space, a licence line in sources, a
bounded length, and nothing that only one machine knows.

Usage: text_rules.py ROOT. Prints one line for each problem; exit status 1 where there is one.
"""
import os
import re
import sys

from tracked_files import tracked_files

MAX_SOURCE_LINES = 400
MAX_COLUMNS = 100

# Sources carry the licence line: first, or second after an interpreter line.
_SOURCE = re.compile(r"(\.(h|cc|cu|cuh|proto|py|sh|cmake)|(^|/)(CMakeLists\.txt|run))$")
_CPLUSPLUS = re.compile(r"\.(h|cc|cu|cuh|proto)$")
_LICENCE = re.compile(r"^(//|#) SPDX-License-Identifier: Apache-2\.0$")

# A service and its messages stay in one file: the file's name is part of what clients see by
# reflection, and where a message lives cannot be changed later.
_FREE_LENGTH = re.compile(r"\.proto$")

# Prose, data, and the demo model's recipe, kept as it ran.
_FREE_COLUMNS = re.compile(
    r"(\.(md|json|txt)|(^|/)(LICENSE|\.clang-tidy)|^deploy/demo/(train|export)\.py)$")

# Written in pieces, so that this file does not hold them.
_MACHINE_PATH = re.compile(r"(?<![\w.$}/])/(" + "wo" + "rk|ro" + "ot|ho" + "me)/")
_REGISTRY_HOST = re.compile("|".join([
    r"pypi\." + "org", r"python" + r"hosted\.org", r"deb\.deb" + r"ian\.org",
    r"crates\." + "io", r"registry\.npm" + r"js\.org", r"download\.pyt" + r"orch\.org"]))


def problems_of(path, data):
    """The problems of one file, as (line number, what)."""
    if b"\0" in data:
        return []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [(1, "not UTF-8")]
    found = []
    lines = text.split("\n")
    if text and lines.pop() != "":
        found.append((len(lines) + 1, "no newline at the end of the file"))
    if text.endswith("\n\n"):
        found.append((len(lines), "blank lines at the end of the file"))
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            found.append((number, "white space at the end of the line"))
        if "\t" in line and _SOURCE.search(path):
            found.append((number, "a tab"))
        if len(line) > MAX_COLUMNS and not _FREE_COLUMNS.search(path):
            found.append((number, f"{len(line)} columns, allowed: {MAX_COLUMNS}"))
        if _MACHINE_PATH.search(line):
            found.append((number, "a path of one machine"))
        if _REGISTRY_HOST.search(line):
            found.append((number, "the host name of a package registry"))
    if _SOURCE.search(path):
        head = lines[:2] if lines and lines[0].startswith("#!") else lines[:1]
        if not any(_LICENCE.match(line) for line in head):
            found.append((1, "no SPDX licence line"))
        if len(lines) > MAX_SOURCE_LINES and not _FREE_LENGTH.search(path):
            found.append((len(lines), f"{len(lines)} lines, allowed: {MAX_SOURCE_LINES}"))
    if _CPLUSPLUS.search(path) and path.endswith((".h", ".cuh")):
        if "#pragma once" not in lines:
            found.append((1, "no #pragma once"))
    return found


def check(root):
    """All problems below root, each one line that starts with path:line."""
    problems = []
    for path in tracked_files(root):
        with open(os.path.join(root, path), "rb") as file:
            for number, what in problems_of(path, file.read()):
                problems.append(f"{path}:{number}: {what}")
    return problems


def main():
    problems = check(sys.argv[1])
    print("\n".join(problems + [f"text rules: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
