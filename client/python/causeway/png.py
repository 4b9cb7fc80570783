# SPDX-License-Identifier: Apache-2.0
"""Writes a frame as a PNG file."""
from __future__ import annotations

import os
import struct
import zlib
from typing import Union

import numpy as np
import numpy.typing as npt

from causeway.errors import bad_input


def encode(frame: npt.NDArray[np.uint8]) -> bytes:
    """The PNG file of a frame [height, width, 3] of uint8, as pixel_format "rgb24" gives it."""
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or frame.size == 0:
        raise bad_input("frame", f"{frame.dtype} {list(frame.shape)}", "uint8 [height, width, 3]")
    height, width, _ = frame.shape
    # Each row begins with the number of its filter: 0, none.
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = frame.reshape(height, 3 * width)

    def part(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    # 8 bits a sample, RGB, and the only methods of compression, filter and no interlacing.
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header)
            + part(b"IDAT", zlib.compress(rows.tobytes(), 6)) + part(b"IEND", b""))


def save(path: Union[str, "os.PathLike[str]"], frame: npt.NDArray[np.uint8]) -> None:
    """Writes `encode(frame)` to a file."""
    data = encode(frame)
    with open(path, "wb") as file:
        file.write(data)
