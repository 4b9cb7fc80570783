# SPDX-License-Identifier: Apache-2.0
"""The script that the READMEs show, exactly as they show it."""
import os
import re
import subprocess
import sys

import numpy as np

import processes
from causeway import safetensors
from test_files import decode_png

SOURCE = os.environ["CAUSEWAY_SOURCE"]


def scripts():
    """The first is client/python/README.md's; the main README.md may show it too."""
    found = []
    for path in ("client/python/README.md", "README.md"):
        with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
            found += re.findall(r"^```python\n(import sys\n.*?)^```$", file.read(),
                                re.MULTILINE | re.DOTALL)
    return found


def test_the_script_is_the_same_everywhere_and_has_twenty_lines():
    assert len(set(scripts())) == 1
    assert scripts()[0].count("\n") <= 20


def test_the_script_decodes_the_demo_and_saves_its_last_frame(tmp_path):
    os.symlink(os.path.join(SOURCE, "deploy"), tmp_path / "deploy")
    with processes.Server() as server:
        result = subprocess.run(
            [sys.executable, "-c", scripts()[0], server.address], cwd=tmp_path,
            capture_output=True, text=True, timeout=processes.LIMIT_S, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "25 latents gave 97 frames" in result.stdout
    picture = decode_png((tmp_path / "frame.png").read_bytes())
    assert picture.shape == (192, 320, 3)

    expected = str(tmp_path / "expected.safetensors")
    processes.bench_run(os.path.join(processes.DEMO, "latents.safetensors"), "rgb24", expected)
    _, shape, data = processes.read_tensor(expected, "frames")
    np.testing.assert_array_equal(picture, np.frombuffer(data, np.uint8).reshape(shape)[-1])
    assert safetensors.load(os.path.join(processes.DEMO, "latents.safetensors")).shape == (
        16, 25, 24, 40)
