#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs in the sources of the portable kernel, one at a time, and runs mutant_probe on each.

A mutant is caught when the probe fails: by a wrong value, by a report of simt, by a crash, or by
running for ever. One that survives has to be in equivalent.json with the proof that it computes the
same; one that is there and is caught has a wrong proof. Both count as failures, as does a mutant
that does not compile. Prints progress, then a table, and exits with 1 on a failure.
"""

import argparse
import concurrent.futures
import json
import random
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mutant_rules import ROOT, RULES, all_mutants, mutants_of

FOLDER = Path(__file__).resolve().parent
PROBE_KERNELS = "tests/kernels/mutants/probe_kernels.cc"
LEAST_TIMEOUT_S = 60
TIMEOUT_FACTOR = 30  # times what the shipped source takes
SIMT_REPORT = re.compile(
    r"\b(Deadlock|PoisonRead|UnfinishedCopy|Race|OutOfRange|Misaligned|OverArrival|"
    r"TransactionCount|DivergentCollective|InvalidOperand): ([^\n]*)")


@dataclass(frozen=True)
class Outcome:
    mutant: object
    is_caught: bool
    detector: str  # "simt Race", "wrong value", ...
    text: str
    is_valid: bool = True


class Build:
    """Compiles one source anew and links it in front of what the build has for the rest."""

    def __init__(self, folder, source_root):
        self.folder = folder
        self.source_root = source_root
        result = subprocess.run(["cmake", "--build", folder, "--target", "mutant_probe"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit(f"the shipped source does not build:\n{result.stdout}")
        listing = subprocess.run(["ninja", "-C", folder, "-t", "commands", "mutant_probe"],
                                 check=True, capture_output=True, text=True).stdout
        self.commands = [line for line in listing.splitlines() if line and "ninja:" not in line]

    def compile_command(self, source, mutated_root, object_file):
        path = str(self.source_root / source)
        command = next(shlex.split(line) for line in self.commands if line.endswith(f"-c {path}"))
        kept = []
        skip = False
        for part in command:
            if skip:
                skip = False
            elif part in ("-o", "-MF", "-MT"):
                skip = True
            elif part not in ("-MD", "-c", path, "-Werror") and not part.startswith("-O"):
                kept.append(part)
        changed = mutated_root / source
        kept += ["-O1", "-w", "-c", str(changed if changed.exists() else path), "-o",
                 str(object_file)]
        # Right after the compiler (and its launcher), so that the changed copy is found first.
        first = next(i for i, part in enumerate(kept) if part.startswith("-"))
        return kept[:first] + [f"-I{mutated_root}"] + kept[first:]

    def link_command(self, object_file, program):
        command = self.commands[-1].split("&&")[1]
        parts = shlex.split(command)
        parts[parts.index("-o") + 1] = str(program)
        first = next(i for i, part in enumerate(parts) if part.endswith(".o"))
        return parts[:first] + [str(object_file)] + parts[first:]

    def make(self, source, mutated_root, program):
        """What the compiler or linker says where it refuses, else nothing."""
        object_file = program.with_suffix(".o")
        for command in (self.compile_command(source, mutated_root, object_file),
                        self.link_command(object_file, program)):
            result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            if result.returncode != 0:
                return next((line for line in result.stderr.splitlines() if "error" in line),
                            result.stderr[:200])
        return None


def explain_failure(output):
    """What caught it and the first line of the first failure."""
    report = SIMT_REPORT.search(output)
    failure = re.search(r": Failure\n([\s\S]*?)(?=\n\[|\n\n|\Z)", output)
    first = failure.group(1) if failure else ""
    if report and report.group(0) in first:
        return "simt " + report.group(1), report.group(2)
    if re.search(r"\bframe \d", first):
        return "wrong value", first.splitlines()[-1]
    if "is_untouched" in first:
        return "foreign page written", first.splitlines()[0]
    return "unit test", " ".join((first or output[-200:]).split())


def run_probe(program, timeout):
    """(passed, detector, text)."""
    try:
        result = subprocess.run([program, "--gtest_fail_fast", "--gtest_brief=1"], timeout=timeout,
                                capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return False, "hang", f"still running after {timeout:.0f} s"
    if result.returncode < 0:
        return False, "crash", f"signal {-result.returncode}"
    if result.returncode == 0:
        return True, "", ""
    return (False, *explain_failure(result.stdout))


def try_mutant(build, mutant, work, timeout):
    folder = work / re.sub(r"[^\w.-]", "_", mutant.name)
    changed = folder / mutant.file
    changed.parent.mkdir(parents=True, exist_ok=True)
    original = (build.source_root / mutant.file).read_text(encoding="utf-8")
    changed.write_text(mutant.apply(original), encoding="utf-8")
    program = folder / "probe"
    source = mutant.file if mutant.file.endswith(".cc") else PROBE_KERNELS
    refusal = build.make(source, folder, program)
    if refusal:
        return Outcome(mutant, False, "does not compile", refusal, is_valid=False)
    passed, detector, text = run_probe(program, timeout)
    program.unlink()
    program.with_suffix(".o").unlink()
    return Outcome(mutant, not passed, detector, text)


def choose(seed, count, pattern):
    """A sample with at least one mutant of each rule, in random order; all of them by default."""
    generator = random.Random(seed)
    one_each = [generator.choice(mutants_of(rule)) for rule in RULES]
    rest = [mutant for mutant in all_mutants() if mutant not in one_each]
    generator.shuffle(one_each)
    generator.shuffle(rest)
    mutants = [mutant for mutant in one_each + rest if re.search(pattern, mutant.name)]
    return mutants[:count] if count else mutants


def one_line(text):
    return " ".join(text.split()) or "(nothing)"


def judge(outcome, equivalent):
    """("caught" | "equivalent" | "SURVIVED" | ..., is a failure)."""
    if not outcome.is_valid:
        return "DOES NOT COMPILE", True
    is_listed = outcome.mutant.name in equivalent
    if outcome.is_caught:
        return ("LISTED AS EQUIVALENT, BUT CAUGHT", True) if is_listed else ("caught", False)
    return ("equivalent", False) if is_listed else ("SURVIVED", True)


def change(mutant):
    return f"{one_line(mutant.before)} -> {one_line(mutant.after)}"


def print_table(outcomes, equivalent):
    rows = []
    for outcome in sorted(outcomes, key=lambda each: (each.mutant.rule.family, each.mutant.name)):
        mutant = outcome.mutant
        verdict, _ = judge(outcome, equivalent)
        rows.append((mutant.rule.family, mutant.name, f"{Path(mutant.file).name}:{mutant.line}",
                     outcome.detector if verdict == "caught" else verdict,
                     change(mutant)[:90]))
    rows.insert(0, ("family", "mutant", "where", "caught by", "change"))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[4])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build/cpu-release", type=Path,
                        help="build folder (Ninja)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice and the order")
    parser.add_argument("--count", type=int, default=0, help="mutants to try (default: all)")
    parser.add_argument("--only", default="", metavar="REGEX", help="mutants by name")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    started = time.monotonic()
    build = Build(arguments.build.resolve(), ROOT)
    work = build.folder / "mutants"
    work.mkdir(exist_ok=True)
    equivalent = json.loads((FOLDER / "equivalent.json").read_text(encoding="utf-8"))
    mutants = choose(arguments.seed, arguments.count, arguments.only)
    print(f"seed {arguments.seed}: {len(mutants)} of {len(all_mutants())} mutants, "
          f"{len(RULES)} rules", flush=True)

    # The same way as the mutants are built: the shipped source passes.
    reference = work / "shipped"
    reference.mkdir(exist_ok=True)
    refusal = build.make(PROBE_KERNELS, reference, reference / "probe")
    if refusal:
        sys.exit(f"the shipped source does not compile: {refusal}")
    before = time.monotonic()
    passed, detector, text = run_probe(reference / "probe", 600)
    if not passed:
        sys.exit(f"the shipped source does not pass: {detector}: {text}")
    timeout = max(LEAST_TIMEOUT_S, TIMEOUT_FACTOR * (time.monotonic() - before))
    print(f"the shipped source passes; a mutant has {timeout:.0f} s", flush=True)

    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(try_mutant, build, mutant, work, timeout) for mutant in mutants]
        for task in concurrent.futures.as_completed(tasks):
            outcome = task.result()
            outcomes.append(outcome)
            verdict, _ = judge(outcome, equivalent)
            print(f"[{len(outcomes)}/{len(mutants)}] {outcome.mutant.name}: {verdict} "
                  f"{outcome.detector}: {outcome.text}"[:200], flush=True)

    print()
    print_table(outcomes, equivalent)
    print()
    detectors = Counter(outcome.detector for outcome in outcomes if outcome.is_caught)
    print("caught by: " + ", ".join(f"{name} {n}" for name, n in detectors.most_common()))
    verdicts = Counter(judge(outcome, equivalent)[0] for outcome in outcomes)
    print(f"{len(outcomes)} mutants in {time.monotonic() - started:.0f} s, seed {arguments.seed}: "
          + ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items())))
    failures = [outcome for outcome in outcomes if judge(outcome, equivalent)[1]]
    for outcome in failures:
        print(f"FAILED {outcome.mutant.name} ({outcome.mutant.file}:{outcome.mutant.line}): "
              f"{judge(outcome, equivalent)[0]} {outcome.text}")
    return 1 if failures or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
