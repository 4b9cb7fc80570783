# SPDX-License-Identifier: Apache-2.0
"""Which files the lint looks at: those that git tracks, and new ones that it does not ignore."""
import os
import re
import subprocess
import sys

# What a tree without git (an unpacked archive) may hold beside its sources.
_NOT_SOURCE = {".git", ".deps", "build", "out", "__pycache__"}


def _walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _NOT_SOURCE]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def tracked_files(root):
    """Paths relative to root, sorted; links are left out."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    paths = []
    if os.path.exists(os.path.join(root, ".git")):
        listing = subprocess.run(command, capture_output=True, check=False)
        paths = [path for path in listing.stdout.decode().split("\0") if path]
    if not paths:
        paths = list(_walk(root))
    full = lambda path: os.path.join(root, path)
    return sorted(p for p in set(paths) if os.path.isfile(full(p)) and not os.path.islink(full(p)))


def main():
    """tracked_files.py ROOT REGEX: prints the paths that match."""
    root, regex = sys.argv[1:]
    print("\n".join(path for path in tracked_files(root) if re.search(regex, path)))


if __name__ == "__main__":
    main()
