# SPDX-License-Identifier: Apache-2.0
"""The names of formats, what they are on the wire, and how a frame of each looks in numpy."""
from __future__ import annotations

from typing import Literal, Mapping, TypeVar, Union

import numpy as np
import numpy.typing as npt

from causeway.errors import bad_input
from causeway.v1 import decode_pb2 as pb

DtypeName = Literal["f32", "f16", "bf16"]
AxesName = Literal["cthw", "tchw"]
DomainName = Literal["normalised", "raw"]
PixelFormatName = Literal["rgb24", "i420", "nv12", "f16", "f32"]
DeliveryName = Literal["block", "drop_oldest"]
PriorityName = Literal["interactive", "standard", "batch"]

# [height, width, 3] or [height * 3 / 2, width] of uint8; [3, height, width] of float16 or float32.
Pixels = Union[npt.NDArray[np.uint8], npt.NDArray[np.float16], npt.NDArray[np.float32]]

DTYPES = {"f32": pb.DTYPE_F32, "f16": pb.DTYPE_F16, "bf16": pb.DTYPE_BF16}
AXES = {"cthw": pb.AXES_CTHW, "tchw": pb.AXES_TCHW}
DOMAINS = {"normalised": pb.DOMAIN_NORMALISED, "raw": pb.DOMAIN_RAW}
PIXEL_FORMATS = {
    "rgb24": pb.PIXEL_FORMAT_RGB24,
    "i420": pb.PIXEL_FORMAT_I420,
    "nv12": pb.PIXEL_FORMAT_NV12,
    "f16": pb.PIXEL_FORMAT_RGB_F16,
    "f32": pb.PIXEL_FORMAT_RGB_F32,
}
DELIVERY_MODES = {
    "block": pb.DELIVERY_MODE_BLOCK,
    "drop_oldest": pb.DELIVERY_MODE_DROP_OLDEST,
}
PRIORITIES = {
    "interactive": pb.PRIORITY_INTERACTIVE,
    "standard": pb.PRIORITY_STANDARD,
    "batch": pb.PRIORITY_BATCH,
}

_Wire = TypeVar("_Wire")


def choose(field: str, name: str, table: Mapping[str, _Wire]) -> _Wire:
    """The value on the wire of that name. Raises BadInput."""
    if name not in table:
        raise bad_input(field, repr(name), ", ".join(table))
    return table[name]


def empty_frame(pixel_format: str, height: int, width: int) -> Pixels:
    """A frame to be filled."""
    if pixel_format in ("i420", "nv12"):
        return np.empty((height * 3 // 2, width), np.uint8)
    if pixel_format == "rgb24":
        return np.empty((height, width, 3), np.uint8)
    if pixel_format == "f16":
        return np.empty((3, height, width), np.dtype("<f2"))
    return np.empty((3, height, width), np.dtype("<f4"))
