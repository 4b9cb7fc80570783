# SPDX-License-Identifier: Apache-2.0
"""Compares the decoder, through `causeway-bench run`, with diffusers' AutoencoderKLWan.

For each of N random configurations (configs.py) a random model (random_model.py) is written to a
temporary folder with random latents, decoded by both in fp32, and compared. diffusers clamps its
result to [-1, 1], and so does the decoder: the models are drawn so that few values are clamped,
and a configuration in which many are, or whose picture is nearly flat, counts as a failure.
The demo model, also as a PyTorch checkpoint, the golden files and the pixel formats are compared as
well.

Prints a line for each, the worst error at the end, and exits with 1 on a failure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import configs
import random_model

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
# An fp32 decode with random weights has about 127 dB against fp64, so two that sum in different
# orders differ by some 1e-6, and by below 1e-5 at the worst value (seen: 4e-6). This leaves room
# for other ways to compute the same sums; a wrong tap, slot or frame shows at 1e-2 and above.
TOLERANCE = 2e-4
MOST_CLAMPED = 0.10
LEAST_DEVIATION = 0.15


class Failure(Exception):
    pass


class Bench:
    def __init__(self, program, backend, threads):
        self.program = program
        self.common = ["--backend", backend, "--threads", str(threads), "--json"]

    def run(self, model, latents, out, chunks=(), axes="cthw", domain="normalised", format="f32"):
        """The tensor `frames` that the decoder makes of a latents file."""
        command = [self.program, "run", "--model", model, "--latents", latents, "--axes", axes]
        command += ["--domain", domain, "--format", format, "--out", out, *self.common]
        if chunks:
            command += ["--chunks", ",".join(map(str, chunks))]
        command = [str(part) for part in command]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if result.returncode != 0:
            message = result.stderr.strip() or result.stdout.strip()
            raise Failure(f"exit code {result.returncode}: {message}\n  {' '.join(command)}")
        try:
            json.loads(result.stdout)
        except ValueError as error:
            raise Failure(f"--json printed no JSON ({error})\n  {' '.join(command)}") from error
        return load_file(out)["frames"]


def compare(got, expected):
    """The largest difference of two videos [frames, 3, height, width]."""
    if got.dtype != torch.float32 or got.shape != expected.shape:
        raise Failure(
            f"frames: got {got.dtype} {tuple(got.shape)}, expected float32 {tuple(expected.shape)}"
        )
    if not got.isfinite().all():
        raise Failure("a value is not finite")
    error = (got - expected).abs()
    worst = float(error.max())
    if worst > TOLERANCE:
        place = [int(i) for i in torch.unravel_index(error.argmax(), error.shape)]
        share = float((error > TOLERANCE).float().mean())
        raise Failure(
            f"max abs error {worst:.2e} > {TOLERANCE:.0e} at frame, channel, row, column {place}: "
            f"got {float(got[tuple(place)]):.6f}, expected {float(expected[tuple(place)]):.6f}; "
            f"{share:.2%} of the values are off"
        )
    return worst


def check_config(bench, config, folder):
    model = random_model.random_model(config.shape, config.weight_seed, config.stored)
    if config.naming == "original":
        path = folder / f"wan_vae.{config.file_type}"
        random_model.save_original(model, config.stored, path, with_encoder=True)
    else:
        path = folder / "model"
        random_model.save_diffusers(model, config.stored, path)

    generator = torch.Generator().manual_seed(config.latent_seed)
    size = (random_model.LATENT_CHANNELS, config.latents, config.height, config.width)
    latents = torch.randn(size, generator=generator)
    latents = latents.to(random_model.STORED_DTYPES[config.latent_dtype])
    stored_latents = latents.transpose(0, 1) if config.axes == "tchw" else latents
    save_file({"latents": stored_latents.contiguous()}, folder / "latents.safetensors")

    raw = latents.float()
    if config.domain == "normalised":
        raw = random_model.un_normalise(model, raw)
    expected = random_model.decode(model, raw)
    frame_count = 1 + 4 * (config.latents - 1)
    assert expected.shape == (frame_count, 3, 8 * config.height, 8 * config.width)
    clamped = float((expected.abs() == 1).float().mean())
    deviation = float(expected.std())
    if clamped > MOST_CLAMPED or deviation < LEAST_DEVIATION:
        raise Failure(f"the comparison is blind: {clamped:.1%} clamped, deviation {deviation:.2f}")

    got = bench.run(
        path,
        folder / "latents.safetensors",
        folder / "frames.safetensors",
        config.chunks,
        config.axes,
        config.domain,
    )
    return compare(got, expected), f"deviation {deviation:.2f}, {clamped:.1%} clamped"


def check_golden(bench, case, folder):
    tensors = load_file(GOLDEN / case["file"])
    latents, expected = tensors["latents"], tensors["frames"]
    if case["frames_axes"] == "cthw":
        expected = expected.transpose(0, 1).contiguous()
    save_file({"latents": latents}, folder / "latents.safetensors")
    got = bench.run(
        GOLDEN / case["model"],
        folder / "latents.safetensors",
        folder / "frames.safetensors",
        domain=case["domain"],
    )
    return compare(got, expected), f"{len(expected)} frames"


def check_checkpoint(bench, folder):
    """The demo model as an original Wan file of torch.save: the same frames, bit for bit, of raw
    latents. Such a file carries no statistics, and the demo model's are not Wan 2.1's."""
    model, latents = ROOT / "deploy/demo/model", ROOT / "deploy/demo/corner64.safetensors"
    res_blocks = json.loads((model / "config.json").read_text())["num_res_blocks"] + 1
    tensors = load_file(model / "diffusion_pytorch_model.safetensors")
    original = {
        random_model.original_name(name, res_blocks): tensor
        for name, tensor in tensors.items()
        if name.startswith(("decoder.", "post_quant_conv."))
    }
    torch.save(original, folder / "demo.pth")

    def frames(model):
        return bench.run(model, latents, folder / "frames.safetensors", domain="raw")

    if not torch.equal(frames(folder / "demo.pth"), frames(model)):
        raise Failure("the checkpoint decodes to other frames than the diffusers folder")
    return 0.0, "the same frames as from the diffusers folder"


def check_formats(bench, folder):
    """The other formats of --format against their definition, from the fp32 frames."""
    model, latents = ROOT / "deploy/demo/model", ROOT / "deploy/demo/corner64.safetensors"

    def frames(format):
        return bench.run(model, latents, folder / f"{format}.safetensors", format=format)

    f32 = frames("f32")
    bytes_of_f32 = torch.floor(f32.double() * 127.5 + 128).to(torch.uint8).permute(0, 2, 3, 1)
    if not torch.equal(frames("rgb24"), bytes_of_f32):
        raise Failure("rgb24 is not the rounded f32")
    if not torch.equal(frames("f16"), f32.half()):
        raise Failure("f16 is not the rounded f32")
    return 0.0, "rgb24 and f16 equal the rounded f32"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--bench", required=True, type=Path, help="the causeway-bench program")
    parser.add_argument("--configs", type=int, default=24, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the list (default: %(default)s)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one of the list alone")
    parser.add_argument("--backend", default="reference")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.configs < 1 or (arguments.only or 1) not in range(1, arguments.configs + 1):
        parser.error("--configs and --only: got a number outside the list, allowed: 1 and above")

    torch.set_num_threads(arguments.threads)
    torch.set_grad_enabled(False)
    bench = Bench(arguments.bench.resolve(), arguments.backend, arguments.threads)

    checks = []
    for config in configs.draw(arguments.configs, arguments.seed):
        checks.append((str(config), lambda folder, c=config: check_config(bench, c, folder)))
    config_count = len(checks)
    if arguments.only:
        checks = [checks[arguments.only - 1]]
        config_count = 1
    else:
        for case in json.loads((GOLDEN / "manifest.json").read_text())["cases"]:
            name = f"golden {case['name']}"
            checks.append((name, lambda folder, c=case: check_golden(bench, c, folder)))
        checks.append(("demo model as .pth", lambda folder: check_checkpoint(bench, folder)))
        checks.append(("pixel formats", lambda folder: check_formats(bench, folder)))

    start, errors, failures = time.monotonic(), [], []
    for name, check in checks:
        begin = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="causeway-parity-") as folder:
                error, remark = check(Path(folder))
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            failures.append(name)
            print(f"FAILED {name}: {failure}", flush=True)
            continue
        errors.append((error, name))
        seconds = time.monotonic() - begin
        print(f"ok {error:.2e}  {name} ({remark}, {seconds:.1f} s)", flush=True)

    worst = "none succeeded"
    if errors:
        worst = "worst max abs error {:.2e} ({})".format(*max(errors))
    print(
        f"{config_count} random configs of seed {arguments.seed} and {len(checks) - config_count} "
        f"other checks in {time.monotonic() - start:.0f} s: {len(failures)} failed, {worst}, "
        f"allowed {TOLERANCE:.0e}"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
