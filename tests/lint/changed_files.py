#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the C++ files that this branch or the last commit changed, and those not yet committed.

Usage: changed_files.py ROOT. Compared with where the branch left origin/main; on origin/main
itself, or without it, with the commit before. Prints every C++ file where git has nothing to
compare with (one commit only, no git).
"""
import re
import subprocess
import sys

from tracked_files import tracked_files

_CPLUSPLUS = re.compile(r"\.(h|cc)$")


def _git(root, *arguments):
    """Output of git; None where it fails."""
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=False)
    return run.stdout.decode() if run.returncode == 0 else None


def base_commit(root):
    """The commit to compare with; None where there is none."""
    head = _git(root, "rev-parse", "--verify", "HEAD")
    fork = _git(root, "merge-base", "HEAD", "origin/main")
    if fork and fork != head:
        return fork.strip()
    before = _git(root, "rev-parse", "--verify", "HEAD~1")
    return before.strip() if before else None


def changed_files(root):
    """Changed C++ files that exist, relative to root, sorted."""
    every = [path for path in tracked_files(root) if _CPLUSPLUS.search(path)]
    base = base_commit(root)
    listing = _git(root, "diff", "-z", "--name-only", base) if base else None
    fresh = _git(root, "ls-files", "-z", "--others", "--exclude-standard")
    if listing is None or fresh is None:
        return every
    changed = set((listing + fresh).split("\0"))
    return [path for path in every if path in changed]


if __name__ == "__main__":
    print("\n".join(changed_files(sys.argv[1])))
