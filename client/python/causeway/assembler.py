# SPDX-License-Identifier: Apache-2.0
"""Puts the fragments of frames together and proves that none is missing, repeated or misplaced."""
from __future__ import annotations

from typing import Optional

import numpy as np

from causeway.crc32c import crc32c
from causeway.errors import DataLoss, ProtocolError
from causeway.formats import Pixels, empty_frame
from causeway.messages import Frame
from causeway.options import SessionOptions
from causeway.v1 import decode_pb2 as pb


class FrameAssembler:
    """The frames of one session, in order. Of no use after it has raised."""

    def __init__(self, options: SessionOptions, frame_bytes: int) -> None:
        self._options = options
        self._pixels = self._new_frame()
        self._first: Optional[pb.Frame] = None
        self._next_fragment = 0
        self._filled = 0
        self.next_index = 0
        if self._pixels.nbytes != frame_bytes:
            raise ProtocolError(f"the server's frames have {frame_bytes} bytes, "
                                f"{options.pixel_format} of this size {self._pixels.nbytes}")

    def _new_frame(self) -> Pixels:
        return empty_frame(self._options.pixel_format, self._options.height, self._options.width)

    @property
    def is_between_frames(self) -> bool:
        return self._first is None

    def skip(self, index: int) -> None:
        """Books a frame that will not come."""
        if index != self.next_index or self._first is not None:
            raise ProtocolError(f"frame {index} dropped where {self._expected()} comes")
        self.next_index += 1

    def add(self, message: pb.Frame) -> Optional[Frame]:
        """Takes the next message; returns the frame where it was the last part of one."""
        fragment = message.fragment
        payload = np.frombuffer(message.payload, np.uint8)
        self._check(message)
        if self._options.checksum and crc32c(message.payload) != message.crc32c:
            raise DataLoss(f"frame {message.frame_index} fragment {fragment.index}: "
                           "the payload does not have its checksum", reason="CHECKSUM_MISMATCH")
        if self._first is None:
            self._first = message
            self._pixels = self._new_frame()
            self._filled = 0
        self._pixels.reshape(-1).view(np.uint8)[self._filled:self._filled + payload.size] = payload
        self._filled += payload.size
        self._next_fragment += 1
        if self._next_fragment < fragment.count:
            return None
        if self._filled != self._pixels.nbytes:
            raise self._broken(message, f"{self._filled} bytes in all its fragments, "
                                        f"expected {self._pixels.nbytes}")
        self._first = None
        self._next_fragment = 0
        self.next_index += 1
        return Frame(message.frame_index, message.chunk_seq, message.epoch, message.pts,
                     message.late, message.last_of_chunk, self._pixels)

    def _check(self, message: pb.Frame) -> None:
        fragment, first = message.fragment, self._first
        if message.frame_index != self.next_index or fragment.index != self._next_fragment:
            raise self._broken(message, f"expected {self._expected()}")
        if fragment.count <= fragment.index:
            raise self._broken(message, f"only {fragment.count} fragments")
        if first is not None and (
                (fragment.count, message.chunk_seq, message.epoch, message.last_of_chunk)
                != (first.fragment.count, first.chunk_seq, first.epoch, first.last_of_chunk)):
            raise self._broken(message, "it differs from the frame's first fragment")
        filled = self._filled if first is not None else 0
        if not message.payload or filled + len(message.payload) > self._pixels.nbytes:
            raise self._broken(message, f"{len(message.payload)} bytes after {filled} of "
                                        f"{self._pixels.nbytes}")

    def _expected(self) -> str:
        return f"frame {self.next_index} fragment {self._next_fragment}"

    def _broken(self, message: pb.Frame, problem: str) -> ProtocolError:
        return ProtocolError(f"frame {message.frame_index} fragment {message.fragment.index}: "
                             f"{problem}", reason="BAD_FRAGMENT")
