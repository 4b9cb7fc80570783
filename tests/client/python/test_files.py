# SPDX-License-Identifier: Apache-2.0
"""Pictures out, latents in."""
import json
import struct
import zlib

import numpy as np
import pytest

from causeway import errors, png, safetensors


def decode_png(data):
    """A reader of its own for the kind of PNG that is written."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    parts, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert zlib.crc32(kind + body) == crc
        parts[kind] = body
        at += 12 + length
    assert list(parts) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_a_picture_comes_back(tmp_path):
    frame = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    png.save(tmp_path / "a.png", frame)
    np.testing.assert_array_equal(decode_png((tmp_path / "a.png").read_bytes()), frame)


@pytest.mark.parametrize("frame", [
    np.zeros((2, 2), np.uint8), np.zeros((2, 2, 4), np.uint8), np.zeros((2, 2, 3), np.float32),
    np.zeros((0, 2, 3), np.uint8)])
def test_what_is_no_rgb_picture_is_refused(tmp_path, frame):
    with pytest.raises(errors.BadInput):
        png.save(tmp_path / "a.png", frame)
    assert not (tmp_path / "a.png").exists()


def write(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def entry(dtype="F16", shape=(2,), begin=0, end=4):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


@pytest.mark.parametrize("dtype, kind", [("F16", "<f2"), ("F32", "<f4"), ("BF16", "<u2")])
def test_a_tensor_is_read(tmp_path, dtype, kind):
    array = np.arange(6).astype(kind).reshape(2, 3)
    header = {"__metadata__": {"a": "b"}, "x": entry(shape=(1,), end=2),
              "z": entry(dtype, (2, 3), 2, 2 + array.nbytes)}
    write(tmp_path / "f", header, b"\0\0" + array.tobytes())
    loaded = safetensors.load(tmp_path / "f", "z")
    assert loaded.dtype == np.dtype(kind)
    np.testing.assert_array_equal(loaded, array)


@pytest.mark.parametrize("header, problem", [
    ({}, "got 'latents'"),
    ({"__metadata__": {}, "a": entry(), "b": entry()}, "allowed: a, b"),
    ({"latents": entry("I64", (1,))}, "allowed: F32, F16, BF16"),
    ({"latents": entry(end=5)}, "damaged"),
    ({"latents": entry(shape=(3,), end=6)}, "damaged"),
    ({"latents": entry(shape=(-2,), end=-4)}, "damaged"),
    ({"latents": entry(begin=-4, end=0)}, "damaged"),
    ({"latents": {"dtype": "F16", "shape": [2]}}, "damaged"),
    ({"latents": {"dtype": ["F16"], "shape": [2], "data_offsets": [0, 4]}}, "damaged"),
    ({"latents": 5}, "damaged"),
    ([], "not a safetensors file"),
    (b"{", "not a safetensors file"),
    (b"\xff\xfe", "not a safetensors file"),
])
def test_a_damaged_file_is_refused(tmp_path, header, problem):
    write(tmp_path / "f", header, bytes(4))
    with pytest.raises(errors.BadInput, match=problem):
        safetensors.load(tmp_path / "f")


@pytest.mark.parametrize("data", [b"", b"12345678", struct.pack("<Q", 1 << 62) + b"{}"])
def test_a_file_without_a_header_is_refused(tmp_path, data):
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(errors.BadInput, match="not a safetensors file"):
        safetensors.load(tmp_path / "f")
