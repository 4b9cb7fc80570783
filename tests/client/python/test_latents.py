# SPDX-License-Identifier: Apache-2.0
"""Arrays and tensors as they become bytes on the wire."""
import sys
import types

import numpy as np
import pytest

from causeway import errors
from causeway.latents import LatentChunks, to_array
from causeway.options import SessionOptions
from fake_server import OPEN

VALUES = [0.0, 1.0, -2.5, 65504.0]


def bf16_bits(values):
    """Exact for these values: their low 16 bits are zero or rounded off."""
    return (np.array(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("dtype, name", [("f32", "<f4"), ("f16", "<f2")])
@pytest.mark.parametrize("order", ["<", ">"])
def test_floats_are_little_endian_on_the_wire(dtype, name, order):
    array = np.array(VALUES, np.dtype(name).newbyteorder(order))
    assert to_array(array, dtype).tobytes() == np.array(VALUES, name).tobytes()


@pytest.mark.parametrize("dtype", ["u2", "i2", ">u2", ">i2"])
def test_bf16_is_taken_as_its_bits(dtype):
    bits = bf16_bits(VALUES)
    array = bits.view("i2").astype(dtype) if "i" in dtype else bits.astype(dtype)
    assert to_array(array, "bf16").tobytes() == bits.astype("<u2").tobytes()


def test_what_is_not_contiguous_is_sent_in_its_order():
    array = np.arange(12, dtype=np.float32).reshape(3, 4).T
    assert to_array(array, "f32").tobytes() == np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("array, dtype", [
    (np.zeros(1, np.float32), "f16"), (np.zeros(1, np.float16), "f32"),
    (np.zeros(1, np.float32), "bf16"), (np.zeros(1, np.float16), "bf16"),
    (np.zeros(1, np.uint16), "f16"), (np.zeros(1, np.int64), "f32"), ([1.0], "f32"),
    (np.array(["x"]), "f32"), ([[1.0], [1.0, 2.0]], "f32"),
])
def test_nothing_is_converted(array, dtype):
    with pytest.raises(errors.BadInput):
        to_array(array, dtype)


class _Tensor:
    """What the client uses of a torch.Tensor; numpy() refuses bfloat16, as torch's does."""

    def __init__(self, bits, dtype):
        self.bits, self.dtype = bits, dtype

    def detach(self):
        return self

    def cpu(self):
        return self

    def contiguous(self):
        return self

    def view(self, dtype):
        assert dtype == "int16"
        return _Tensor(self.bits.view(np.int16), dtype)

    def numpy(self):
        if self.dtype == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.bits


@pytest.fixture
def torch(monkeypatch):
    module = types.SimpleNamespace(Tensor=_Tensor, bfloat16="bfloat16", int16="int16")
    monkeypatch.setitem(sys.modules, "torch", module)


def test_torch_tensors_are_taken(torch):
    halves = np.array(VALUES, np.float16)
    assert to_array(_Tensor(halves, "float16"), "f16").tobytes() == halves.tobytes()
    bits = bf16_bits(VALUES)
    assert to_array(_Tensor(bits, "bfloat16"), "bf16").tobytes() == bits.tobytes()
    with pytest.raises(errors.BadInput, match="got bfloat16, allowed: float16"):
        to_array(_Tensor(bits, "bfloat16"), "f16")


def test_torch_is_not_imported():
    assert "torch" not in sys.modules


@pytest.mark.parametrize("dtype, bad", [
    ("f32", np.array(np.inf, "f4")), ("f16", np.array(np.nan, "f2")),
    ("bf16", np.array(0x7F80, "u2")), ("bf16", np.array(0xFFC0, "u2")),
])
def test_one_element_that_is_not_finite_is_found(dtype, bad):
    chunks = LatentChunks(SessionOptions(**{**OPEN, "dtype": dtype}), 2)
    array = np.zeros((2, 3, 2, 3), bad.dtype)
    chunks.check(array)
    array[1, 2, 1, 2] = bad
    with pytest.raises(errors.BadInput, match="NaN or an infinity"):
        chunks.check(array)
