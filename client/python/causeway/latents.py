# SPDX-License-Identifier: Apache-2.0
"""Latents as arrays or tensors, checked and turned into the payloads of chunks."""
from __future__ import annotations

import sys
from typing import Any, Iterator

import numpy as np
import numpy.typing as npt

from causeway.errors import BadInput, bad_input
from causeway.options import SessionOptions

# bf16 is not a type of numpy: its bits are taken as 16-bit integers.
_NUMPY_DTYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "bf16": np.dtype("<u2")}
_ELEMENT_NAMES = {
    "f32": "float32", "f16": "float16", "bf16": "bfloat16, or its bits as uint16 or int16"}


def is_array(latents: Any) -> bool:
    """Whether it is one array or tensor, not several."""
    return hasattr(latents, "shape") or hasattr(latents, "__array__")


def to_array(latents: Any, dtype: str) -> npt.NDArray[Any]:
    """The latents as a numpy array of that element type; nothing is converted but byte order.

    Takes numpy arrays, torch tensors (on any device; torch is not imported here), and whatever
    numpy takes as an array. Raises BadInput.
    """
    array: npt.NDArray[Any]
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(latents, torch.Tensor):
        tensor = latents.detach().cpu()
        is_bf16 = tensor.dtype == torch.bfloat16
        array = (tensor.contiguous().view(torch.int16) if is_bf16 else tensor).numpy()
    else:
        try:
            array = np.asarray(latents)
        except (TypeError, ValueError) as error:
            raise BadInput(f"latents: not an array: {error}", field="latents") from error
        is_bf16 = array.dtype.name == "bfloat16"  # of the package ml_dtypes
    wanted = _NUMPY_DTYPES[dtype]
    got = "bfloat16" if is_bf16 else array.dtype.name
    if dtype == "bf16":
        fits = got in ("bfloat16", "uint16", "int16")
    else:
        fits = got == wanted.name
    if not fits:
        raise bad_input("dtype of latents", got, _ELEMENT_NAMES[dtype])
    if dtype == "bf16" and array.dtype.kind != "u":
        # Other names for the same bits.
        array = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.uint16)
    return array.astype(wanted, copy=False)


class LatentChunks:
    """The checks and the layout of one session's latents. Raises BadInput."""

    def __init__(self, options: SessionOptions, channels: int) -> None:
        self._options = options
        self._channels = channels
        self._time_axis = 1 if options.axes == "cthw" else 0
        self.latent_bytes = (channels * (options.height // 8) * (options.width // 8)
                             * _NUMPY_DTYPES[options.dtype].itemsize)

    def check(self, latents: Any) -> npt.NDArray[Any]:
        """The latents as an array that may be sent."""
        array = to_array(latents, self._options.dtype)
        height, width = self._options.height // 8, self._options.width // 8
        names = [str(self._channels), str(height), str(width)]
        names.insert(self._time_axis, "latents")
        shape = list(array.shape)
        if len(shape) == 4:
            without_time = shape[:self._time_axis] + shape[self._time_axis + 1:]
        if (len(shape) != 4 or without_time != [self._channels, height, width]
                or shape[self._time_axis] == 0):
            raise bad_input("shape of latents", shape, f"[{', '.join(names)}] "
                            f"(axes {self._options.axes!r}, at least 1 latent)")
        if self._options.check_finite and not self._is_finite(array):
            raise bad_input("latents", "a NaN or an infinity", "finite numbers")
        return array

    def _is_finite(self, array: npt.NDArray[Any]) -> bool:
        if self._options.dtype == "bf16":
            return not bool(np.any((array & 0x7F80) == 0x7F80))
        return bool(np.isfinite(array).all())

    def split(self, latents: Any, most: int) -> Iterator[tuple[int, bytes]]:
        """(latents, payload) of consecutive chunks of at most `most` latents. `latents` as `check`
        gives them."""
        count = latents.shape[self._time_axis]
        for begin in range(0, count, most):
            end = min(begin + most, count)
            part = latents[:, begin:end] if self._time_axis == 1 else latents[begin:end]
            yield end - begin, part.tobytes()

    def parts(self, latents: Any, most: int) -> Iterator[tuple[int, bytes]]:
        """Likewise, of one array, which is checked now, or of many, each checked when it comes."""
        if is_array(latents):
            return self.split(self.check(latents), most)
        return (part for array in latents for part in self.split(self.check(array), most))
