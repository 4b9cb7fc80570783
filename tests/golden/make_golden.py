# SPDX-License-Identifier: Apache-2.0
"""Makes the golden files beside it from diffusers' AutoencoderKLWan, or checks them (--check).

Run it in the environment of deploy/setup/requirements-parity.txt:

  .deps/parity/bin/python tests/golden/make_golden.py [--check]
"""

import argparse
import hashlib
import json
import os
import platform
import sys
from pathlib import Path

import diffusers
import numpy
import safetensors
import torch
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "parity"))
import random_model  # noqa: E402  (found through the line above)

MODELS = {
    "base8": {"naming": "diffusers", "base_dim": 8, "weight_seed": 801, "stored": "bf16"},
    "base4.safetensors": {
        "naming": "original",
        "base_dim": 4,
        "weight_seed": 402,
        "stored": "fp16",
    },
}
CASES = [
    # The fourth latent is the first whose history holds no zeros and no first latent in any layer
    # of the latent grid. No two extents are equal.
    {"name": "base8-four-latents", "model": "base8", "domain": "raw", "size": [4, 3, 2]},
    {"name": "base4-two-latents", "model": "base4.safetensors", "domain": "normalised",
     "size": [2, 3, 2]},
    {"name": "base4-one-cell", "model": "base4.safetensors", "domain": "raw", "size": [1, 1, 1]},
]
# Decoded by whoever trained the demo model; here it is only listed and checked.
DEMO_MODEL = "../../deploy/demo/model"
DEMO_CASE = {
    "name": "demo-corner64",
    "model": DEMO_MODEL,
    "domain": "normalised",
    "file": "../../deploy/demo/corner64.safetensors",
    "frames_axes": "cthw",
    "latents_shape": [16, 3, 8, 8],
    "frames_shape": [3, 9, 64, 64],
}
# Two builds of PyTorch sum in different orders; the decoder's own allowance is ten times this.
CHECK_TOLERANCE = 2e-5


def make_model(name):
    what = MODELS[name]
    shape = random_model.ModelShape(what["base_dim"])
    return random_model.random_model(shape, what["weight_seed"], what["stored"])


def save_model(name, model):
    """As small as it gets: without the encoder, which no decoder needs."""
    stored = MODELS[name]["stored"]
    if MODELS[name]["naming"] == "original":
        random_model.save_original(model, stored, HERE / name, with_encoder=False)
        return
    (HERE / name).mkdir(exist_ok=True)
    model.save_config(HERE / name)
    save_file(
        random_model.decoder_tensors(model, stored),
        HERE / name / "diffusion_pytorch_model.safetensors",
        {"format": "pt"},
    )


def make_case(case, seed, model):
    generator = torch.Generator().manual_seed(seed)
    size = (random_model.LATENT_CHANNELS, *case["size"])
    latents = torch.randn(size, generator=generator)
    normalised = case["domain"] == "normalised"
    raw = random_model.un_normalise(model, latents) if normalised else latents
    frames = random_model.decode(model, raw)
    file = f"{case['name']}.safetensors"
    save_file({"latents": latents, "frames": frames}, HERE / file)
    return {
        "name": case["name"],
        "model": case["model"],
        "domain": case["domain"],
        "file": file,
        "frames_axes": "tchw",
        "latents_shape": list(latents.shape),
        "frames_shape": list(frames.shape),
        "latent_seed": seed,
        "deviation": round(float(frames.std()), 3),
        "clamped_share": round(float((frames.abs() == 1).float().mean()), 4),
    }


def files_of(cases):
    paths = set()
    for case in cases:
        paths.add(case["file"])
        model = HERE / case["model"]
        found = sorted(model.iterdir()) if model.is_dir() else [model]
        paths.update(os.path.relpath(path, HERE) for path in found)
    entries = []
    for path in sorted(paths):
        content = (HERE / path).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        entries.append({"path": path, "bytes": len(content), "sha256": digest})
    return entries


def make():
    models = {name: make_model(name) for name in MODELS}
    for name, model in models.items():
        save_model(name, model)
    cases = [make_case(case, 1000 + i, models[case["model"]]) for i, case in enumerate(CASES)]
    cases.append(DEMO_CASE)
    manifest = {
        "made_by": "tests/golden/make_golden.py",
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "diffusers": diffusers.__version__,
            "numpy": numpy.__version__,
            "safetensors": safetensors.__version__,
        },
        "models": MODELS,
        "cases": cases,
        "files": files_of(cases),
    }
    (HERE / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"{sum(file['bytes'] for file in manifest['files'] if '..' not in file['path'])} bytes")


def check():
    """Whether the files are those of the manifest, and what diffusers decodes today."""
    manifest = json.loads((HERE / "manifest.json").read_text())
    problems = []
    for wanted, found in zip(manifest["files"], files_of(manifest["cases"]), strict=True):
        if wanted != found:
            problems.append(f"{wanted['path']}: not the file of the manifest")
    for case in manifest["cases"]:
        tensors = load_file(HERE / case["file"])
        frames = tensors["frames"]
        if case["frames_axes"] == "cthw":
            frames = frames.transpose(0, 1)
        if case["model"] == DEMO_MODEL:
            model = diffusers.AutoencoderKLWan.from_pretrained(
                HERE / DEMO_MODEL, torch_dtype=torch.float32
            ).eval()
        else:
            model = make_model(case["model"])
        raw = tensors["latents"]
        if case["domain"] == "normalised":
            raw = random_model.un_normalise(model, raw)
        error = float((random_model.decode(model, raw) - frames).abs().max())
        print(f"{case['name']}: max abs difference {error:.1e}")
        if error > CHECK_TOLERANCE:
            problems.append(f"{case['name']}: got {error:.1e}, allowed {CHECK_TOLERANCE:.0e}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    torch.set_grad_enabled(False)
    if parser.parse_args().check:
        return check()
    make()
    return 0


if __name__ == "__main__":
    sys.exit(main())
