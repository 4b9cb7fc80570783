# SPDX-License-Identifier: Apache-2.0
"""What the server says, as plain values. Durations in ns are by the server's monotonic clock."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, Optional, TypeVar, Union

from causeway.formats import Pixels
from causeway.v1 import decode_pb2 as pb

_T = TypeVar("_T")


def flat(cls: type[_T], message: Any) -> _T:
    """The dataclass `cls` from a message whose fields have the same names and plain types."""
    return cls(**{field.name: getattr(message, field.name)
                  for field in fields(cls)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class FrameRule:
    """The first latent of a session gives first_latent_frames, every other per_latent_frames."""

    first_latent_frames: int
    per_latent_frames: int

    def frames(self, latents: int, is_start: bool) -> int:
        """Of that many latents, the first of them the first after Open or reset where is_start."""
        if is_start:
            return self.first_latent_frames + (latents - 1) * self.per_latent_frames
        return latents * self.per_latent_frames


@dataclass(frozen=True)
class Limits:
    max_chunk_latents: int
    max_message_bytes: int
    max_pending_chunks: int
    max_frame_credits: int


@dataclass(frozen=True)
class Opened:
    """What the server promised when it admitted the session."""

    session_id: str
    reserved_bytes: int
    frame_rule: FrameRule
    limits: Limits
    latent_channels: int
    frame_bytes: int
    backend: str
    input_chunks: int
    input_bytes: int
    frame_credits: int
    idle_timeout_ms: int
    server_version: str


@dataclass(frozen=True)
class Accepted:
    """Latents that were sent passed the server's checks and will be decoded."""

    chunk_seq: int
    """Of the first chunk."""
    chunks: int
    first_frame_index: int
    frame_count: int

    @staticmethod
    def joined(chunks: list[Accepted]) -> Accepted:
        """Of consecutive chunks, at least one, what they are together."""
        return Accepted(chunks[0].chunk_seq, sum(chunk.chunks for chunk in chunks),
                        chunks[0].first_frame_index, sum(chunk.frame_count for chunk in chunks))


@dataclass(frozen=True)
class Frame:
    index: int
    """0 for the first frame of the session, contiguous; dropped frames count."""
    chunk_seq: int
    epoch: int
    """Resets before it."""
    pts: int
    late: bool
    last_of_chunk: bool
    pixels: Pixels
    """Belongs to the caller."""


@dataclass(frozen=True)
class FrameDropped:
    index: int
    chunk_seq: int
    reason: str


@dataclass(frozen=True)
class ChunkTiming:
    queue_ns: int
    decode_ns: int
    pack_ns: int
    send_ns: int
    receive_ns: int
    credit_wait_ns: int
    total_ns: int


@dataclass(frozen=True)
class KernelTime:
    category: str
    block: str
    ns: int
    launches: int


@dataclass(frozen=True)
class ChunkDone:
    """A chunk is decoded and all its frames have come."""

    chunk_seq: int
    first_frame_index: int
    frame_count: int
    timing: ChunkTiming
    kernel: tuple[KernelTime, ...]
    """Where the session was opened with want_kernel_timing."""


@dataclass(frozen=True)
class Notice:
    """`idle_warning`: the session ends unless something is sent. `go_away`: the server stops; what
    it accepted still comes, and it takes no more."""

    kind: Literal["idle_warning", "go_away", "unknown"]
    deadline_ms: int
    retry_elsewhere: bool
    replay_latents: int


Event = Union[Frame, FrameDropped, ChunkDone, Notice]


@dataclass(frozen=True)
class Pong:
    round_trip_s: float
    server_time_ns: int


@dataclass(frozen=True)
class Summary:
    """The totals of a session that ended well."""

    chunks: int
    latents: int
    frames: int
    chunk_errors: int
    bytes_in: int
    bytes_out: int
    decode_ns: int
    frames_dropped: int
    frames_late: int
    resets: int


@dataclass(frozen=True)
class GeometryCost:
    height: int
    width: int
    state_bytes: int
    flops_per_latent: int
    max_chunk_latents: int


@dataclass(frozen=True)
class GeometryLimits:
    multiple_of: int
    min: int
    max: int


@dataclass(frozen=True)
class Model:
    name: str
    family: str
    base_width: int
    latent_channels: int
    frame_rule: FrameRule
    backend: str
    geometries: tuple[GeometryCost, ...]
    """Sizes that the server allows; empty: any within geometry_limits."""
    geometry_limits: Optional[GeometryLimits]
    replay_latents: int


@dataclass(frozen=True)
class ServerInfo:
    version: str
    api_minor: int
    capabilities: tuple[str, ...]
    limits: Limits
    sessions: int
    max_sessions: int
    reserved_bytes: int
    max_reserved_bytes: int


def to_opened(message: pb.Opened) -> Opened:
    return Opened(
        message.session_id, message.reserved_bytes, flat(FrameRule, message.frame_rule),
        flat(Limits, message.limits), message.latent_channels, message.frame_bytes,
        message.backend, message.input_credits.chunks, message.input_credits.bytes,
        message.frame_credits, message.idle_timeout_ms, message.server_version)


def to_chunk_done(message: pb.ChunkDone) -> ChunkDone:
    return ChunkDone(message.chunk_seq, message.first_frame_index, message.frame_count,
                     flat(ChunkTiming, message.timing),
                     tuple(flat(KernelTime, row) for row in message.kernel))


def to_notice(message: pb.Notice) -> Notice:
    kind: Literal["idle_warning", "go_away", "unknown"] = "unknown"
    if message.kind == pb.NOTICE_KIND_IDLE_WARNING:
        kind = "idle_warning"
    elif message.kind == pb.NOTICE_KIND_GO_AWAY:
        kind = "go_away"
    return Notice(kind, message.deadline_ms, message.retry_elsewhere, message.replay_latents)


def to_model(message: pb.Model) -> Model:
    geometries = tuple(
        GeometryCost(row.geometry.height, row.geometry.width, row.state_bytes,
                     row.flops_per_latent, row.max_chunk_latents) for row in message.geometries)
    limits = (flat(GeometryLimits, message.geometry_limits)
              if message.HasField("geometry_limits") else None)
    return Model(message.name, message.family, message.base_width, message.latent_channels,
                 flat(FrameRule, message.frame_rule), message.backend, geometries, limits,
                 message.replay_latents)


def to_server_info(message: pb.ServerInfo) -> ServerInfo:
    return ServerInfo(message.version, message.api_minor, tuple(message.capabilities),
                      flat(Limits, message.limits), message.sessions, message.max_sessions,
                      message.reserved_bytes, message.max_reserved_bytes)
