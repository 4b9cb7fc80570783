#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the service adds to the decoder: causeway decode over gRPC against causeway-bench run.

Both decode the demo's clip on this machine, in turns, each time in fresh processes, so that a slow
minute or a cold cache hits both. Prints a table of medians and one PASS or FAIL line for each
target; exit status 1 where one is missed. Nothing else should run on the machine: on a busy one
the figures say little. Standard library only.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Of the in-process decode's time, and beside one latent step.
MAX_THROUGHPUT_LOSS = 0.03
MAX_FIRST_FRAME_MS = 5.0


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="What the service adds to the decoder, on this machine.")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "cpu-release", "bin"),
                        help="where the programs are")
    parser.add_argument("--repetitions", type=int, default=15, help="of each of the two")
    parser.add_argument("--latents", type=int, default=9, help="of the demo's clip, 1 to 25")
    parser.add_argument("--chunk", type=int, default=1, help="latents in a chunk")
    parser.add_argument("--threads", type=int, default=0,
                        help="CPU threads inside one operation (0: one a core)")
    arguments = parser.parse_args()
    for name in ("repetitions", "chunk"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name}: got {getattr(arguments, name)}, allowed: 1 or more")
    if not 1 <= arguments.latents <= 25:
        parser.error(f"--latents: got {arguments.latents}, allowed: 1 to 25")
    return arguments


def in_process(processes, latents, threads):
    """(all latents in ms, the first frame in ms, frames), and opening the cache in ms."""
    text = subprocess.run(
        [processes.program("causeway-bench"), "run", "--model", processes.MODEL, "--latents",
         latents, "--format", "rgb24", "--threads", str(threads), "--json"],
        check=True, capture_output=True, text=True).stdout
    report = json.loads(text)
    return report["decode_ms"], report["first_frame_ms"], report["frames"], report["open_ms"]


def over_grpc(processes, latents, threads, chunk):
    """The same by the client's clock, from the first chunk sent; and the decoder's part of it."""
    with processes.Server("--threads", str(threads), "--admin-listen", "none") as server:
        done = processes.decode(server.address, latents, "--chunk", str(chunk), "--json")
        if done.returncode != 0:
            sys.exit(f"overhead: {done.stderr.strip()}")
        server.stop()
    report = json.loads(done.stdout)
    return (1e3 * report["total_s"], 1e3 * report["first_frame_s"], report["frames"],
            1e3 * report["decode_s"])


def main():
    arguments = parse_arguments()
    os.environ["CAUSEWAY_BIN"] = arguments.bin
    os.environ["CAUSEWAY_SOURCE"] = ROOT
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
    import processes  # pylint: disable=import-outside-toplevel

    bare, served = [], []
    with tempfile.TemporaryDirectory(prefix="causeway overhead ") as folder:
        latents = os.path.join(folder, "latents.safetensors")
        processes.first_latents(latents, arguments.latents)
        turns = [(bare, lambda: in_process(processes, latents, arguments.threads)),
                 (served, lambda: over_grpc(processes, latents, arguments.threads,
                                            arguments.chunk))]
        for repetition in range(arguments.repetitions):
            # Each goes first as often as the other.
            for results, measure in turns if repetition % 2 == 0 else reversed(turns):
                results.append(measure())
            print(f"repetition {repetition + 1}: in-process {bare[-1][0]:.1f} ms, "
                  f"gRPC {served[-1][0]:.1f} ms", flush=True)
            if bare[-1][2] != served[-1][2]:
                sys.exit(f"overhead: {bare[-1][2]} frames in-process, {served[-1][2]} over gRPC")

    median = statistics.median
    frames = bare[0][2]
    rows = [("in-process", median(b[0] for b in bare), median(b[1] for b in bare)),
            ("gRPC", median(s[0] for s in served), median(s[1] for s in served))]
    print(f"\n{'':12}{'decode, ms':>12}{'fps':>10}{'first frame, ms':>18}")
    for name, total, first in rows:
        print(f"{name:12}{total:12.1f}{1e3 * frames / total:10.2f}{first:18.2f}")
    # Neighbours ran in the same minute: the median of their ratios is steadier than the ratio of
    # the medians.
    loss = median(s[0] / b[0] for b, s in zip(bare, served)) - 1
    outside = median(1 - s[3] / s[0] for s in served)
    added = median(s[1] - b[1] for b, s in zip(bare, served))
    print(f"\nOf the gRPC time, {outside:.2%} passed outside the decoder. Making a session's cache "
          f"takes {median(b[3] for b in bare):.2f} ms\nin-process, before the first latent there "
          "and before Opened here.")

    results = [
        (loss <= MAX_THROUGHPUT_LOSS,
         f"throughput: {loss:+.2%} time over gRPC, target at most {MAX_THROUGHPUT_LOSS:+.0%}"),
        (added <= MAX_FIRST_FRAME_MS,
         f"first frame: one latent step {added:+.2f} ms, "
         f"target at most {MAX_FIRST_FRAME_MS:+.0f} ms")]
    for passed, text in results:
        print(f"{'PASS' if passed else 'FAIL'}  {text}")
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
