# SPDX-License-Identifier: Apache-2.0
"""What pip installed."""
import os
import subprocess
import sys

INSTALLED = os.environ["CAUSEWAY_PYTHON_PACKAGE"]
PYPROJECT = os.path.join(os.environ["CAUSEWAY_SOURCE"], "client", "python", "pyproject.toml")


def mypy(*paths):
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", PYPROJECT, "--cache-dir", os.devnull,
         *paths], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def test_the_tests_see_the_installed_package_and_it_is_whole():
    import causeway
    folder = os.path.dirname(causeway.__file__)
    assert folder == os.path.join(INSTALLED, "causeway")
    assert os.path.exists(os.path.join(folder, "py.typed"))
    assert {"decode_pb2.py", "decode_pb2.pyi", "decode_pb2_grpc.py"} <= set(
        os.listdir(os.path.join(folder, "v1")))


def test_the_package_is_strictly_typed():
    status, output = mypy(os.path.join(INSTALLED, "causeway"))
    assert status == 0, output


def test_a_type_checker_finds_wrong_use(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""\
import causeway
import causeway.aio

with causeway.connect() as client:
    with client.open(model="m", height=8, width=8, dtype="f16", axes="cthw", domain="raw",
                     pixel_format="rgb24") as session:
        reveal_type(session.end().frames)
    client.open(model="m", height=8, width=8, dtype="f64", axes="cthw", domain="raw",
                pixel_format="rgb24")
    client.open(model="m")
""", encoding="ascii")
    status, output = mypy(str(program))
    assert status == 1
    lines = {line.split(":")[1] for line in output.splitlines() if ": error:" in line}
    assert lines == {"8", "10"}, output
    assert 'Revealed type is "int"' in output
