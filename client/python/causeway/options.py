# SPDX-License-Identifier: Apache-2.0
"""What a session is opened with."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, TypedDict

from causeway import formats
from causeway.errors import bad_input
from causeway.v1 import decode_pb2 as pb

MAX_WINDOW = 64


class RequiredArguments(TypedDict):
    model: str
    height: int
    width: int
    dtype: formats.DtypeName
    axes: formats.AxesName
    domain: formats.DomainName
    pixel_format: formats.PixelFormatName


class OpenArguments(RequiredArguments, total=False):
    """The arguments of Client.open, for type checkers; SessionOptions describes them."""

    timebase: Optional[tuple[int, int]]
    target_fps: float
    max_lateness_ms: int
    delivery: formats.DeliveryName
    window: int
    priority: formats.PriorityName
    checksum: bool
    fragment_bytes: int
    client_ref: str
    want_kernel_timing: bool
    check_finite: bool


@dataclass(frozen=True)
class SessionOptions:
    """The arguments of Client.open. Everything about the latents is declared; nothing is guessed.
    Raises BadInput."""

    model: str
    height: int
    """Of the picture, in pixels; latents have an eighth of it."""
    width: int
    dtype: formats.DtypeName
    axes: formats.AxesName
    domain: formats.DomainName
    """"normalised": as a diffusion model emits them; "raw": mean and deviation are applied."""
    pixel_format: formats.PixelFormatName
    timebase: Optional[tuple[int, int]] = None
    """pts count in units of timebase[0] / timebase[1] seconds."""
    target_fps: float = 0.0
    max_lateness_ms: int = 0
    delivery: formats.DeliveryName = "block"
    window: int = 16
    """Frames that may be on their way or waiting to be taken, 1 to 64."""
    priority: formats.PriorityName = "standard"
    checksum: bool = False
    """CRC-32C of every payload, both ways."""
    fragment_bytes: int = 0
    client_ref: str = ""
    """At most 64 bytes, for the server's log."""
    want_kernel_timing: bool = False
    check_finite: bool = True
    """Look for NaN and infinity before sending."""

    def __post_init__(self) -> None:
        formats.choose("dtype", self.dtype, formats.DTYPES)
        formats.choose("axes", self.axes, formats.AXES)
        formats.choose("domain", self.domain, formats.DOMAINS)
        formats.choose("pixel_format", self.pixel_format, formats.PIXEL_FORMATS)
        formats.choose("delivery", self.delivery, formats.DELIVERY_MODES)
        formats.choose("priority", self.priority, formats.PRIORITIES)
        for field, pixels in (("height", self.height), ("width", self.width)):
            if pixels <= 0 or pixels % 8:
                raise bad_input(field, pixels, "a positive multiple of 8")
        if not 1 <= self.window <= MAX_WINDOW:
            raise bad_input("window", self.window, f"1 to {MAX_WINDOW}")
        if self.timebase is not None and min(self.timebase) <= 0:
            raise bad_input("timebase", self.timebase, "two positive numbers")
        if not (math.isfinite(self.target_fps) and self.target_fps >= 0):
            raise bad_input("target_fps", self.target_fps, "0 (unknown) or more")
        if len(self.client_ref.encode()) > 64:
            raise bad_input("client_ref", f"{len(self.client_ref.encode())} bytes", "at most 64")

    def to_open(self) -> pb.Open:
        timing = None
        if self.timebase is not None or self.target_fps or self.max_lateness_ms:
            # Without one: microseconds.
            num, den = self.timebase or (1, 1_000_000)
            timing = pb.Timing(timebase_num=num, timebase_den=den, target_fps=self.target_fps,
                               max_lateness_ms=self.max_lateness_ms)
        return pb.Open(
            model=self.model,
            geometry=pb.Geometry(height=self.height, width=self.width),
            latent_format=pb.LatentFormat(
                dtype=formats.DTYPES[self.dtype], axes=formats.AXES[self.axes],
                domain=formats.DOMAINS[self.domain]),
            output=pb.Output(pixel_format=formats.PIXEL_FORMATS[self.pixel_format],
                             fragment_bytes=self.fragment_bytes),
            timing=timing,
            delivery=pb.Delivery(mode=formats.DELIVERY_MODES[self.delivery],
                                 initial_frame_credits=self.window),
            priority=formats.PRIORITIES[self.priority],
            checksum=pb.CHECKSUM_CRC32C if self.checksum else pb.CHECKSUM_NONE,
            client_ref=self.client_ref,
            want_kernel_timing=self.want_kernel_timing)

    def pts_after(self, pts: int, frames: int) -> int:
        """The pts of the frame that comes `frames` after the one with `pts`."""
        if self.target_fps <= 0:
            return pts
        num, den = self.timebase or (1, 1_000_000)
        return pts + round(frames * den / (num * self.target_fps))
