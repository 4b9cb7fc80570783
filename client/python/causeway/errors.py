# SPDX-License-Identifier: Apache-2.0
"""Every failure as an exception.

One class for each way to react; `reason` is the exact name from the protocol's closed list
(proto/README.md). `BadInput` is raised before anything is sent. After a `ChunkError` the session
goes on; after every other error of the stream it is over.
"""
from __future__ import annotations

from typing import Any, Optional

import grpc
from google.rpc import error_details_pb2, status_pb2

from causeway.v1 import decode_pb2 as pb


class CausewayError(Exception):
    """The base of all. Its text is one line, complete on its own."""

    def __init__(self, message: str, *, reason: str = "", code: str = "", field: str = "",
                 got: str = "", allowed: str = "", retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        """From the list in proto/README.md. Empty: the transport, or this library."""
        self.code = code
        """The gRPC status code by name. Empty: there was no status."""
        self.field = field
        self.got = got
        self.allowed = allowed
        self.retry_after = retry_after
        """Seconds after which the server suggests to try again."""


class BadInput(CausewayError, ValueError):
    """An argument is wrong; nothing was sent."""


class SessionClosed(CausewayError):
    """The session has ended or was cancelled by this side."""


class FramesUnread(CausewayError):
    """More cannot be sent before frames are taken, and the caller is the one who takes them."""


class BadRequest(CausewayError):
    """The server does not take what was asked for."""


class ChunkError(BadRequest):
    """A chunk was refused before any of it was decoded. The session goes on as if it had not been
    sent."""

    chunk_seq = 0


class SequenceError(CausewayError):
    """Messages in an order that the protocol does not have."""


class NoCapacity(CausewayError):
    """The server is full. Another one may not be."""


class Overrun(CausewayError):
    """More was sent than the server's credits or rates allow."""


class Unavailable(CausewayError):
    """The server cannot be reached, is starting, stops, or broke. Another one may work."""


class SessionLost(CausewayError):
    """The server has given the session up."""


class DataLoss(CausewayError):
    """A payload does not have its checksum."""


class AccessDenied(CausewayError):
    """The server does not know the caller, or does not let it."""


class NotImplementedByServer(CausewayError):
    """The server does not have this part of the protocol."""


class ServerFault(CausewayError):
    """A fault of the server; its log has more."""


class ProtocolError(CausewayError):
    """An answer that the protocol does not allow."""


CLASS_OF_REASON: dict[str, type[CausewayError]] = {
    "OPEN_EXPECTED": SequenceError,
    "OPEN_REPEATED": SequenceError,
    "CHUNK_SEQ_GAP": SequenceError,
    "CHUNK_AFTER_END": SequenceError,
    "BAD_RESET": SequenceError,
    "UNKNOWN_MODEL": BadRequest,
    "BAD_GEOMETRY": BadRequest,
    "BAD_DTYPE": BadRequest,
    "BAD_LAYOUT": BadRequest,
    "BAD_FORMAT": BadRequest,
    "BAD_OPTION": BadRequest,
    "PAYLOAD_SIZE_MISMATCH": BadRequest,
    "CHUNK_TOO_LONG": BadRequest,
    "NON_FINITE_LATENT": BadRequest,
    "BAD_FRAGMENT": BadRequest,
    "CHECKSUM_MISMATCH": DataLoss,
    "NO_CAPACITY_BYTES": NoCapacity,
    "NO_CAPACITY_SESSIONS": NoCapacity,
    "TENANT_QUOTA": NoCapacity,
    "INPUT_OVERRUN": Overrun,
    "RATE_LIMITED": Overrun,
    "SLOW_CONSUMER": SessionLost,
    "IDLE_TIMEOUT": SessionLost,
    "MAX_LIFETIME": SessionLost,
    "SESSION_NOT_FOUND": SessionLost,
    "SESSION_TAKEN_OVER": SessionLost,
    "RESUME_TOKEN_INVALID": SessionLost,
    "RESUME_EXPIRED": SessionLost,
    "DRAINING": Unavailable,
    "NOT_READY": Unavailable,
    "GPU_FAULT": Unavailable,
    "GPU_OOM_UNEXPECTED": ServerFault,
    "NUMERIC_FAULT": ServerFault,
    "INTERNAL_BUG": ServerFault,
    "NOT_IMPLEMENTED": NotImplementedByServer,
    "AUTH_MISSING": AccessDenied,
    "AUTH_DENIED": AccessDenied,
}

# For a status without a reason (from the transport or a proxy), or with one that is not known.
_CLASS_OF_CODE: dict[str, type[CausewayError]] = {
    "INVALID_ARGUMENT": BadRequest,
    "NOT_FOUND": BadRequest,
    "FAILED_PRECONDITION": SequenceError,
    "RESOURCE_EXHAUSTED": NoCapacity,
    "UNAVAILABLE": Unavailable,
    "DEADLINE_EXCEEDED": Unavailable,
    "DATA_LOSS": DataLoss,
    "UNAUTHENTICATED": AccessDenied,
    "PERMISSION_DENIED": AccessDenied,
    "UNIMPLEMENTED": NotImplementedByServer,
    "CANCELLED": SessionClosed,
    "ABORTED": SessionLost,
}


def bad_input(field: str, got: object, allowed: object) -> BadInput:
    """One line: the field, what it held, what it may hold."""
    return BadInput(f"{field}: got {got}, allowed: {allowed}",
                    field=field, got=str(got), allowed=str(allowed))


def from_chunk_error(message: pb.ChunkError) -> ChunkError:
    text = message.message or f"chunk {message.chunk_seq} was refused"
    error = ChunkError(f"{text} ({message.reason})", reason=message.reason, field=message.field,
                       got=message.got, allowed=message.allowed)
    error.chunk_seq = message.chunk_seq
    return error


def from_status(code: grpc.StatusCode, text: Optional[str], metadata: Any) -> CausewayError:
    """The exception for a status other than OK. `metadata`: the trailing metadata of the call."""
    info = error_details_pb2.ErrorInfo()
    retry_after = None
    details = next((value for key, value in metadata or () if key == "grpc-status-details-bin"),
                   None)
    if isinstance(details, bytes):
        for detail in status_pb2.Status.FromString(details).details:
            retry = error_details_pb2.RetryInfo()
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
                detail.Unpack(info)
            elif detail.Is(retry.DESCRIPTOR):
                detail.Unpack(retry)
                retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos * 1e-9
    reason = info.reason if info.domain == "causeway" else ""
    cls = CLASS_OF_REASON.get(reason) or _CLASS_OF_CODE.get(code.name, ServerFault)
    return cls(f"{text or 'the stream failed'} ({reason or code.name})", reason=reason,
               code=code.name, field=info.metadata.get("field", ""),
               got=info.metadata.get("got", ""), allowed=info.metadata.get("allowed", ""),
               retry_after=retry_after)
