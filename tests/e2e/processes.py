# SPDX-License-Identifier: Apache-2.0
"""The project's programs as processes, for the end-to-end tests. Standard library only."""
import array
import json
import math
import os
import signal
import struct
import subprocess
import tempfile

BIN = os.environ["CAUSEWAY_BIN"]
DEMO = os.path.join(os.environ["CAUSEWAY_SOURCE"], "deploy", "demo")
MODEL = os.path.join(DEMO, "model")

# No wait of these tests is longer; what takes longer hangs.
LIMIT_S = 120


def program(name):
    return os.path.join(BIN, name)


class Server:
    """A causeway-server on a free port with the demo model; killed where it outlives its block."""

    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory(prefix="causeway e2e ")
        self.log_path = os.path.join(self.folder.name, "server.log")
        port_path = os.path.join(self.folder.name, "port")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program("causeway-server"), "--model", f"demo={MODEL}", "--listen", "127.0.0.1:0",
                 "--port-file", port_path, *flags], stdout=log, stderr=log)
        for _ in range(20 * LIMIT_S):
            if os.path.exists(port_path) and os.path.getsize(port_path) > 0:
                break
            try:
                # Returns at once where the server ends.
                self.process.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"the server ended: {self.log()}")
        with open(port_path, encoding="ascii") as file:
            self.address = f"127.0.0.1:{int(file.read())}"

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self, signal_number=signal.SIGTERM):
        """Sends the signal and returns the exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=LIMIT_S)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()


def decode_command(address, latents, *flags, model="demo"):
    return [program("causeway"), "decode", "--server", address, "--model", model,
            "--latents", latents, *flags]


def decode(address, latents, *flags, model="demo"):
    """Runs `causeway decode` to its end."""
    return subprocess.run(decode_command(address, latents, *flags, model=model),
                          capture_output=True, text=True, timeout=LIMIT_S)


def bench_run(latents, pixel_format, out, *flags):
    subprocess.run([program("causeway-bench"), "run", "--model", MODEL, "--latents", latents,
                    "--format", pixel_format, "--out", out, *flags],
                   check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S)


def read_tensor(path, name):
    """(dtype, shape, bytes) of a tensor in a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    header_bytes = struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8:8 + header_bytes])[name]
    begin, end = entry["data_offsets"]
    return entry["dtype"], entry["shape"], data[8 + header_bytes:][begin:end]


def write_tensor(path, name, dtype, shape, data):
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}
    header = json.dumps({name: entry}).encode()
    header += b" " * (-len(header) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


def first_latents(path, count):
    """Writes the first latents of the demo, (16, count, 24, 40) F16."""
    dtype, (channels, latents, height, width), data = read_tensor(
        os.path.join(DEMO, "latents.safetensors"), "latents")
    plane = height * width * 2
    part = b"".join(data[c * latents * plane:][:count * plane] for c in range(channels))
    write_tensor(path, "latents", dtype, [channels, count, height, width], part)


def floats(data):
    values = array.array("f")
    values.frombytes(data)
    return values


def worst_difference(data, expected):
    """The largest absolute difference of two F32 tensors; infinite where one is not a number."""
    worst = 0.0
    for a, b in zip(floats(data), floats(expected), strict=True):
        difference = abs(a - b)
        if math.isnan(difference):
            return math.inf
        worst = max(worst, difference)
    return worst
