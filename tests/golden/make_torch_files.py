# SPDX-License-Identifier: Apache-2.0
"""Makes the small PyTorch checkpoints in torch_files/ with torch.save, and beside them what is in
them as safetensors; or checks that today's torch still writes the same pickles (--check).

Run it in the environment of deploy/setup/requirements-parity.txt:

  .deps/parity/bin/python tests/golden/make_torch_files.py [--check]
"""

import argparse
import sys
import tempfile
import zipfile
from collections import OrderedDict
from pathlib import Path

import torch
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent / "torch_files"
DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}


def ramp(*shape, dtype=torch.float32, start=0):
    count = torch.Size(shape).numel()
    return (torch.arange(count) + start).to(dtype).reshape(shape)


def module():
    """An OrderedDict with _metadata, as Module.state_dict() makes it."""
    layers = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 1), torch.nn.BatchNorm2d(3))
    state = layers.state_dict()
    assert isinstance(state, OrderedDict) and state._metadata
    for index, tensor in enumerate(state.values()):
        tensor.copy_(ramp(*tensor.shape, start=index))
    return state


def shared():
    """Views of one storage, one of them from its middle."""
    whole = ramp(4, 3)
    return {"whole": whole, "rows": whole[1:3], "one": whole[2, 1], "flat": whole.view(-1)}


def contents():
    """File name -> (what is saved, the tensors in it)."""
    dtypes = {name: ramp(2, 3, dtype=dtype) for name, dtype in DTYPES.items()}
    edges = {"scalar": torch.tensor(2.5), "empty": torch.zeros(0, 4), "one": ramp(1, 1, 3, 1)}
    parameters = {"weight": torch.nn.Parameter(ramp(2, 2)), "bias": ramp(2, start=7)}
    nested = {"epoch": 3, "loss": 0.25, "steps": [1, 2**40, None, True], "state_dict": module()}
    return {
        "dtypes": (dtypes, dtypes),
        "edges": (edges, edges),
        "module": (module(), module()),
        "nested": (nested, module()),
        "nested_model": ({"model": parameters}, parameters),
        "shared": (shared(), shared()),
        # More than 256 objects: the pickle refers to the later ones with longer opcodes.
        "many": ({f"t{i}": row for i, row in enumerate(ramp(60))},) * 2,
    }


def refused():
    """File name -> what is saved and has to be refused."""
    return {
        "transposed": {"good": ramp(2), "turned": ramp(2, 3).t()},
        "float8": {"x": ramp(2).to(torch.float8_e4m3fn)},
        "two_nested": {"model": {"x": ramp(1)}, "state_dict": {"x": ramp(1)}},
        "no_tensor": {"x": ramp(1), "epoch": 3},
        "tensor": ramp(2),
    }


def make(folder):
    folder.mkdir(exist_ok=True)
    for name, (saved, tensors) in contents().items():
        torch.save(saved, folder / f"{name}.pth")
        # Clones, because safetensors refuses tensors that share memory.
        twins = {key: tensor.detach().clone() for key, tensor in tensors.items()}
        save_file(twins, folder / f"{name}.safetensors")
    for name, saved in refused().items():
        torch.save(saved, folder / f"{name}.pth")
    torch.save(module(), folder / "old_format.pth", _use_new_zipfile_serialization=False)


def pickle_of(path):
    if path.suffix != ".pth" or not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as file:
        return file.read(f"{path.stem}/data.pkl")


def check():
    """A zip file of torch.save holds an identifier of the run, so only the pickles are equal."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        made = sorted(path.name for path in Path(folder).iterdir())
        if made != sorted(path.name for path in HERE.iterdir()):
            problems.append(f"{HERE}: got other files than {', '.join(made)}")
        for name in made:
            if name == "old_format.pth":
                continue  # it holds addresses
            if pickle_of(Path(folder) / name) != pickle_of(HERE / name):
                problems.append(f"{name}: not what this torch writes")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    torch.set_grad_enabled(False)
    if parser.parse_args().check:
        return check()
    make(HERE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
