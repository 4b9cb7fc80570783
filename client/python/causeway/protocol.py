# SPDX-License-Identifier: Apache-2.0
"""One session's side of the protocol, without a transport: what may be sent, what has come, and
whether the two agree. client.py and aio.py put a gRPC stream around it."""
from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Union

from causeway import messages
from causeway.assembler import FrameAssembler
from causeway.crc32c import crc32c
from causeway.errors import (CausewayError, ChunkError, ProtocolError, SessionClosed,
                             Unavailable, bad_input, from_chunk_error)
from causeway.latents import LatentChunks
from causeway.messages import Accepted, ChunkDone, Event, Frame, FrameDropped, Notice, Summary
from causeway.options import SessionOptions
from causeway.v1 import decode_pb2 as pb

# What a LatentChunk has beside its payload is below 100 bytes.
_HEADER_BYTES = 1024


@dataclass
class _Chunk:
    """A chunk on its way."""

    seq: int
    latents: int
    first_frame: int
    frames: int
    epoch: int
    arrived: int = 0
    """Frames that came or were dropped."""


class Protocol:
    """Not thread-safe, never waits. `receive` and `close` are the transport's; the requests that
    functions return are to be sent in that order."""

    def __init__(self, options: SessionOptions, opened: pb.Opened) -> None:
        self.options = options
        self.opened = messages.to_opened(opened)
        self.events: deque[Event] = deque()
        self.summary: Optional[Summary] = None
        self.go_away: Optional[Notice] = None
        self.failure: Optional[CausewayError] = None
        """Why the stream ended before its Summary."""
        self.is_closed = False
        """The stream has ended; nothing more comes."""
        self.takes_frames_at_once = False
        """Credit frames when they arrive, not when the caller takes them."""
        self._layout = LatentChunks(options, self.opened.latent_channels)
        self._assembler = FrameAssembler(options, self.opened.frame_bytes)
        self._chunk_credits = self.opened.input_chunks
        self._byte_credits = self.opened.input_bytes
        self._frame_credits = self.opened.frame_credits
        self._taken = 0  # frames that were taken and not credited yet
        self._pending: deque[_Chunk] = deque()  # accepted
        self._unanswered: Optional[_Chunk] = None
        self._answer: Union[Accepted, ChunkError, None] = None
        self._next_seq = 0
        self._next_frame = 0
        self._epoch = 0
        self._epoch_is_new = True
        self._reset_is_due = False
        self._pings: dict[bytes, tuple[int, Optional[messages.Pong]]] = {}
        self._is_ending = False
        self._chunks_done = 0
        self._latents_done = 0
        self._dropped = 0
        limits = self.opened.limits
        if min(limits.max_chunk_latents, limits.max_message_bytes - _HEADER_BYTES,
               self.opened.input_chunks, self.opened.input_bytes, self.opened.frame_credits) < 1:
            raise ProtocolError("the server opened the session without limits or credits")

    # ---- to the server ---------------------------------------------------------------------

    def parts(self, latents: Any, chunk: Optional[int] = None) -> Iterator[tuple[int, bytes]]:
        """The chunks of one array or several, as (latents, payload), of `chunk` latents or as many
        as the limits allow. Raises BadInput."""
        if chunk is not None and chunk < 1:
            raise bad_input("chunk", chunk, "1 or more")
        by_credit = self.opened.input_bytes // self._layout.latent_bytes
        most = max(1, min(self.opened.limits.max_chunk_latents, by_credit))
        return self._layout.parts(latents, min(chunk or most, most))

    def can_send(self, part: Optional[tuple[int, bytes]]) -> bool:
        """Whether that chunk would be taken now."""
        return (part is not None and not self.is_closed and self.go_away is None
                and self.has_room(len(part[1])))

    def has_room(self, payload_bytes: int) -> bool:
        """Whether the server's credits allow such a chunk now."""
        # A latent larger than all credit there ever is goes when nothing else is on its way.
        return self._chunk_credits > 0 and (
            payload_bytes <= self._byte_credits or self._byte_credits >= self.opened.input_bytes)

    @property
    def is_idle(self) -> bool:
        """Whether everything that was sent has been answered."""
        return not self._pending and self._unanswered is None

    @property
    def ends_well(self) -> bool:
        """Whether all is done and taken, and nothing has failed: there is only `end` to be said."""
        return (self.is_idle and not self.events and self.failure is None and not self.is_closed
                and not self._is_ending)

    @property
    def waits_for_credit(self) -> bool:
        """Whether the server can do nothing before the caller takes frames."""
        owed = sum(chunk.frames - chunk.arrived for chunk in self._pending)
        return (self.options.delivery == "block" and self._frame_credits == 0 and owed > 0
                and any(isinstance(event, Frame) for event in self.events))

    def check_open(self) -> None:
        """Raises where nothing more can be sent."""
        if self.failure is not None:
            raise self.failure
        if self._is_ending or self.is_closed:
            raise SessionClosed("the session has ended")

    def chunk(self, latents: int, payload: bytes, pts: Optional[int],
              deadline_us: int) -> Iterator[pb.DecodeRequest]:
        """A chunk in as many messages as it takes. Precondition: has_room, all chunks answered.
        Without pts they follow from target_fps."""
        self.check_open()
        if self.go_away is not None:
            raise Unavailable("the server is shutting down and takes no more chunks (DRAINING)",
                              reason="DRAINING")
        epoch = self._epoch + int(self._reset_is_due)
        frames = self.opened.frame_rule.frames(latents, self._epoch_is_new or self._reset_is_due)
        self._unanswered = _Chunk(self._next_seq, latents, self._next_frame, frames, epoch)
        if pts is None:
            pts = self.options.pts_after(0, self._next_frame)
        self._chunk_credits -= 1
        self._byte_credits -= len(payload)
        part_bytes = self.opened.limits.max_message_bytes - _HEADER_BYTES
        count = -(-len(payload) // part_bytes)
        for index in range(count):
            part = payload[index * part_bytes:(index + 1) * part_bytes]
            message = pb.LatentChunk(
                chunk_seq=self._next_seq, latents=latents, pts=pts, deadline_us=deadline_us,
                payload=part)
            if count > 1:
                message.fragment.index = index
                message.fragment.count = count
            if self.options.checksum:
                message.crc32c = crc32c(part)
            yield pb.DecodeRequest(latent_chunk=message)

    @property
    def is_answered(self) -> bool:
        return self._unanswered is None

    def answer(self) -> Accepted:
        """Of the last chunk. Raises ChunkError, or why the stream ended."""
        if self._unanswered is not None or self._answer is None:
            raise self.failure or SessionClosed("the session has ended")
        if isinstance(self._answer, ChunkError):
            raise self._answer
        return self._answer

    def reset(self) -> Iterator[pb.DecodeRequest]:
        self.check_open()
        if not self._reset_is_due:
            self._reset_is_due = True
            yield pb.DecodeRequest(reset=pb.Reset(at_chunk_seq=self._next_seq))

    def ping(self) -> tuple[bytes, pb.DecodeRequest]:
        """(key for `pong`, request)"""
        self.check_open()
        now = time.monotonic_ns()
        key = now.to_bytes(8, "little")
        while key in self._pings:
            key = (int.from_bytes(key, "little") + 1).to_bytes(8, "little")
        self._pings[key] = (now, None)
        return key, pb.DecodeRequest(ping=pb.Ping(payload=key, client_time_ns=now))

    def pong(self, key: bytes) -> Optional[messages.Pong]:
        """The answer, once."""
        pong = self._pings[key][1]
        if pong is not None:
            del self._pings[key]
        return pong

    def end(self) -> Iterator[pb.DecodeRequest]:
        self.check_open()
        self._is_ending = True
        yield pb.DecodeRequest(end=pb.End())

    # ---- to the caller ---------------------------------------------------------------------

    def take(self) -> tuple[Event, list[pb.DecodeRequest]]:
        """The oldest event. Precondition: there is one."""
        event = self.events.popleft()
        requests = []
        if isinstance(event, Frame) and not self.takes_frames_at_once:
            self._taken += 1
            requests = self._credit(least=max(1, self.options.window // 4))
        return event, requests

    def take_waiting_frames(self) -> list[pb.DecodeRequest]:
        """From now on frames are credited when they arrive, those that wait too."""
        if not self.takes_frames_at_once:
            self.takes_frames_at_once = True
            self._taken += sum(isinstance(event, Frame) for event in self.events)
        return self._credit(least=1)

    def _credit(self, least: int) -> list[pb.DecodeRequest]:
        if self._taken < least or self.is_closed or self.summary is not None:
            return []
        frames, self._taken = self._taken, 0
        self._frame_credits += frames
        return [pb.DecodeRequest(credit=pb.Credit(frames=frames))]

    # ---- from the server -------------------------------------------------------------------

    def receive(self, response: pb.DecodeResponse) -> list[pb.DecodeRequest]:
        """Raises ProtocolError or DataLoss; the stream is then to be cancelled."""
        kind = response.WhichOneof("message")
        # What a newer server may say beside this is not for this client.
        if kind is None:
            return []
        if self.summary is not None:
            raise ProtocolError(f"{kind} after summary")
        handler: Any = getattr(self, f"_on_{kind}")
        handler(getattr(response, kind))
        return self._credit(least=1) if self.takes_frames_at_once else []

    def close(self, failure: Optional[CausewayError]) -> None:
        """The stream has ended, with that status; None: OK."""
        self.is_closed = True
        if self.summary is None and self.failure is None:
            self.failure = failure or ProtocolError("the stream ended without a summary")

    def cancel(self) -> None:
        """The caller ends it."""
        if not self.is_closed and self.failure is None:
            self.failure = SessionClosed("the session was cancelled")

    def _on_opened(self, message: pb.Opened) -> None:
        raise ProtocolError("a second opened")

    def _on_chunk_accepted(self, message: pb.ChunkAccepted) -> None:
        chunk = self._unanswered
        if chunk is None or chunk.seq != message.chunk_seq:
            raise ProtocolError(f"chunk {message.chunk_seq} accepted that was not sent")
        got = (message.first_frame_index, message.frame_count, message.epoch)
        expected = (chunk.first_frame, chunk.frames, chunk.epoch)
        if got != expected:
            raise ProtocolError(f"chunk {chunk.seq} accepted with (first frame, frames, epoch) "
                                f"{got}, expected {expected}")
        self._unanswered = None
        self._answer = Accepted(chunk.seq, 1, chunk.first_frame, chunk.frames)
        self._pending.append(chunk)
        self._next_seq += 1
        self._next_frame += chunk.frames
        self._epoch = chunk.epoch
        self._epoch_is_new = self._reset_is_due = False

    def _on_chunk_error(self, message: pb.ChunkError) -> None:
        if self._unanswered is None or self._unanswered.seq != message.chunk_seq:
            raise ProtocolError(f"an error of chunk {message.chunk_seq}, which was not sent")
        self._unanswered = None
        self._answer = from_chunk_error(message)

    def _on_frame(self, message: pb.Frame) -> None:
        if self._assembler.is_between_frames:
            if self._frame_credits == 0:
                raise ProtocolError(f"frame {message.frame_index} came without credit")
            self._frame_credits -= 1
        frame = self._assembler.add(message)
        if frame is not None:
            chunk = self._arrive(frame.index, frame.chunk_seq)
            if frame.last_of_chunk != (chunk.arrived == chunk.frames):
                raise ProtocolError(f"frame {frame.index}: last_of_chunk is {frame.last_of_chunk} "
                                    f"at {chunk.arrived} of {chunk.frames} frames")
            if frame.epoch != chunk.epoch:
                raise ProtocolError(f"frame {frame.index}: epoch {frame.epoch}, "
                                    f"expected {chunk.epoch}")
            self.events.append(frame)
            self._taken += int(self.takes_frames_at_once)

    def _on_frame_dropped(self, message: pb.FrameDropped) -> None:
        if self.options.delivery == "block":
            raise ProtocolError(f"frame {message.frame_index} dropped where none may be")
        self._assembler.skip(message.frame_index)
        self._arrive(message.frame_index, message.chunk_seq)
        self._dropped += 1
        name = pb.DropReason.Name(message.reason).replace("DROP_REASON_", "")
        self.events.append(FrameDropped(message.frame_index, message.chunk_seq, name))

    def _arrive(self, index: int, seq: int) -> _Chunk:
        chunk = next((c for c in self._pending if c.arrived < c.frames), None)
        if chunk is None or chunk.seq != seq:
            raise ProtocolError(f"frame {index} of chunk {seq}, expected "
                                f"{'none' if chunk is None else f'one of chunk {chunk.seq}'}")
        chunk.arrived += 1
        return chunk

    def _on_chunk_done(self, message: pb.ChunkDone) -> None:
        done: ChunkDone = messages.to_chunk_done(message)
        chunk = self._pending[0] if self._pending else None
        if chunk is None or (done.chunk_seq, done.first_frame_index, done.frame_count) != (
                chunk.seq, chunk.first_frame, chunk.frames) or chunk.arrived != chunk.frames:
            raise ProtocolError(f"chunk {done.chunk_seq} done out of order or with frames missing")
        self._pending.popleft()
        self._chunks_done += 1
        self._latents_done += chunk.latents
        self.events.append(done)

    def _on_input_credit(self, message: pb.InputCredit) -> None:
        self._chunk_credits += message.chunks
        self._byte_credits += message.bytes

    def _on_notice(self, message: pb.Notice) -> None:
        notice = messages.to_notice(message)
        if notice.kind == "go_away":
            self.go_away = notice
        self.events.append(notice)

    def _on_pong(self, message: pb.Pong) -> None:
        sent_at, pong = self._pings.get(message.payload, (0, None))
        if sent_at == 0 or pong is not None:
            raise ProtocolError("a pong without its ping")
        round_trip_s = (time.monotonic_ns() - sent_at) * 1e-9
        self._pings[message.payload] = (
            sent_at, messages.Pong(round_trip_s, message.server_time_ns))

    def _on_summary(self, message: pb.Summary) -> None:
        summary = messages.flat(Summary, message)
        if not self._is_ending or not self.is_idle:
            raise ProtocolError("a summary before the end")
        for name, came in (("chunks", self._chunks_done), ("latents", self._latents_done),
                           ("frames", self._next_frame), ("frames_dropped", self._dropped),
                           ("resets", self._epoch)):
            if getattr(summary, name) != came:
                raise ProtocolError(f"the summary counts {getattr(summary, name)} {name}, "
                                    f"there were {came}")
        self.summary = summary


def opened_of(response: Optional[pb.DecodeResponse]) -> pb.Opened:
    """The first message of a stream. None: there was none."""
    kind = None if response is None else response.WhichOneof("message")
    if response is None or kind != "opened":
        raise ProtocolError(f"the server began with {kind or 'nothing'}, expected opened")
    return response.opened
