# SPDX-License-Identifier: Apache-2.0
"""Reads latents from a safetensors file, without torch and without the safetensors package."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from causeway.errors import BadInput, bad_input

_DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_MAX_HEADER_BYTES = 16 << 20


def load(path: Union[str, "os.PathLike[str]"], key: str = "latents") -> npt.NDArray[Any]:
    """The tensor `key` of the file: F32, F16, or BF16 as uint16 bits. Raises BadInput, OSError."""
    with open(path, "rb") as file:
        file_bytes = os.fstat(file.fileno()).st_size
        header_bytes = int.from_bytes(file.read(8), "little")
        if header_bytes > min(file_bytes - 8, _MAX_HEADER_BYTES):
            raise BadInput(f"{path}: not a safetensors file")
        try:
            header = json.loads(file.read(header_bytes))
            keys = [name for name in header if name != "__metadata__"]
            entry = header.get(key)
        except (ValueError, AttributeError) as error:
            raise BadInput(f"{path}: not a safetensors file") from error
        if entry is None or key not in keys:
            raise bad_input(f"{path}: key", repr(key), ", ".join(keys))
        try:
            name, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
            dtype = np.dtype(_DTYPES[name]) if name in _DTYPES else None
            is_whole = all(isinstance(n, int) and n >= 0 for n in [*shape, begin, end])
            tensor_bytes = math.prod(shape) * dtype.itemsize if dtype is not None else 0
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path}: the entry of {key} is damaged") from error
        if dtype is None:
            raise bad_input(f"{path}: dtype of {key}", name, ", ".join(_DTYPES))
        if (not is_whole or end - begin != tensor_bytes
                or 8 + header_bytes + end > file_bytes):
            raise BadInput(f"{path}: the entry of {key} is damaged")
        file.seek(8 + header_bytes + begin)
        tensor: npt.NDArray[Any] = np.frombuffer(file.read(tensor_bytes), dtype).reshape(shape)
        return tensor
