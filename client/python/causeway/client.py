# SPDX-License-Identifier: Apache-2.0
"""The client without asyncio; aio.py is the same with it."""
from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Union

import grpc

from causeway import messages
from causeway.errors import CausewayError, FramesUnread, SessionClosed
from causeway.formats import Pixels
from causeway.messages import (Accepted, Event, Frame, Model, Notice, Opened, Pong, ServerInfo,
                               Summary)
from causeway.options import OpenArguments, SessionOptions
from causeway.protocol import Protocol, opened_of
from causeway.transport import Transport, connected, failure_of
from causeway.v1 import decode_pb2 as pb
from causeway.v1.decode_pb2_grpc import DecoderStub

if TYPE_CHECKING:
    from typing_extensions import Unpack


def connect(address: str = "127.0.0.1:50051", *, timeout: float = 5.0) -> Client:
    """Connects to HOST:PORT or unix:PATH. Raises Unavailable where there is no server within
    `timeout` seconds, which also bounds each call of the client but not its sessions."""
    return Client(connected(address, timeout), timeout)


class Client:
    """A connection to one server. Thread-safe. Closing it ends its sessions."""

    def __init__(self, channel: grpc.Channel, timeout: float) -> None:
        self._channel = channel
        self._timeout = timeout
        self._stub = DecoderStub(channel)

    def models(self) -> list[Model]:
        """What the server decodes."""
        response = self._call(self._stub.ListModels, pb.ListModelsRequest())
        return [messages.to_model(model) for model in response.models]

    def model(self, name: str) -> Model:
        return messages.to_model(self._call(self._stub.GetModel, pb.GetModelRequest(name=name)))

    def info(self) -> ServerInfo:
        return messages.to_server_info(
            self._call(self._stub.GetServerInfo, pb.GetServerInfoRequest()))

    def open(self, **options: Unpack[OpenArguments]) -> Session:
        """Opens a session and waits until the server admits it. SessionOptions describes the
        arguments. Raises BadInput, BadRequest, NoCapacity, Unavailable, ..."""
        checked = SessionOptions(**options)
        return Session(self.start(checked), checked)

    def start(self, options: SessionOptions) -> Transport:
        """The stream of a session, where nothing has come yet."""
        return Transport(self._stub, options.to_open())

    def close(self) -> None:
        self._channel.close()

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=self._timeout)
        except grpc.RpcError as error:
            raise failure_of(error) from None
        except ValueError:
            raise SessionClosed("the client is closed") from None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Session:
    """One stream of latents and its frames. Leaving a `with` ends it.

    Frames are taken from the network by a thread of the session, at most `window` before the caller
    takes them: a caller that stops taking them stops the decoding of this session. One thread may
    send while another takes frames; otherwise a session is for one thread at a time. `cancel` may
    be called from any.
    """

    def __init__(self, transport: Transport, options: SessionOptions) -> None:
        self._transport = transport
        try:
            self._protocol = Protocol(options, opened_of(transport.first.result()))
        except BaseException:
            transport.cancel()
            raise
        self._changed = threading.Condition()  # guards _protocol and _taker
        self._sending = threading.Lock()
        self._taker: Optional[int] = None  # the thread that takes frames
        transport.attach(self._receive, self._close)

    @property
    def opened(self) -> Opened:
        """What the server promised: limits, frame rule, bytes reserved."""
        return self._protocol.opened

    @property
    def options(self) -> SessionOptions:
        return self._protocol.options

    @property
    def summary(self) -> Optional[Summary]:
        """Once the session has ended well."""
        return self._protocol.summary

    @property
    def go_away(self) -> Optional[Notice]:
        """Once the server has said that it stops."""
        return self._protocol.go_away

    # ---- the whole of it -------------------------------------------------------------------

    def decode(self, latents: Union[Any, Iterable[Any]],
               chunk: Optional[int] = None) -> Iterator[Pixels]:
        """Sends latents, one array or several, in chunks of `chunk` (None: as few as the limits
        allow) as the server takes them, and yields the frames as they come."""
        return self._decode(self._protocol.parts(latents, chunk))

    def _decode(self, parts: Iterator[tuple[int, bytes]]) -> Iterator[Pixels]:
        protocol = self._protocol
        part = next(parts, None)
        while True:
            with self._changed:
                self._taker = threading.get_ident()
                self._changed.wait_for(lambda: protocol.events or protocol.is_closed
                                       or protocol.is_idle or protocol.can_send(part))
                can_send = protocol.can_send(part)
            event = None if can_send else self._take(follow=False)
            if isinstance(event, Frame):
                yield event.pixels
            elif event is None:
                if part is None:
                    return
                # Where nothing more can be sent, this raises why.
                self._send_part(part, None, 0)
                part = next(parts, None)

    # ---- step by step ----------------------------------------------------------------------

    def send(self, latents: Any, *, pts: Optional[int] = None, deadline_us: int = 0) -> Accepted:
        """Sends latents and waits until the server has accepted them, not until they are decoded.

        Waits for the server's credits first. What is above its limits goes as several chunks.
        `pts`: of the first frame; None: from target_fps. `deadline_us`: from arrival; 0: none.
        Raises BadInput with nothing sent, ChunkError where the server refused a chunk (the session
        goes on, without that chunk and those after it), FramesUnread where frames that this thread
        has not taken are in the way, and what ended the session.
        """
        accepted: list[Accepted] = []
        for part in self._protocol.parts(latents):
            if accepted and pts is not None:
                pts = self.options.pts_after(pts, accepted[-1].frame_count)
            accepted.append(self._send_part(part, pts, deadline_us))
        return Accepted.joined(accepted)

    def _send_part(self, part: tuple[int, bytes], pts: Optional[int],
                   deadline_us: int) -> Accepted:
        count, payload = part
        protocol = self._protocol
        with self._sending, self._changed:
            self._wait_to_send(lambda: protocol.has_room(len(payload)))
            self._put(protocol.chunk(count, payload, pts, deadline_us))
            self._changed.wait_for(lambda: protocol.is_answered or protocol.is_closed)
            return protocol.answer()

    def _wait_to_send(self, has_room: Callable[[], bool]) -> None:
        while True:
            self._protocol.check_open()
            if has_room():
                return
            if self._protocol.waits_for_credit and self._is_taker():
                raise FramesUnread("the server waits until frames are taken: take them first, or "
                                   "in another thread")
            self._changed.wait()

    def frames(self, follow: bool = False) -> Iterator[Frame]:
        """Yields frames until all that was sent is answered; with `follow`, until the session
        ends. Raises what ended the session, after the frames that came before."""
        return (event for event in self.events(follow) if isinstance(event, Frame))

    def events(self, follow: bool = False) -> Iterator[Event]:
        """Likewise, with FrameDropped, ChunkDone and Notice between the frames."""
        while True:
            event = self._take(follow)
            if event is None:
                return
            yield event

    def _take(self, follow: bool) -> Optional[Event]:
        protocol = self._protocol
        with self._changed:
            self._taker = threading.get_ident()
            self._changed.wait_for(lambda: protocol.events or protocol.is_closed or (
                protocol.is_idle and not follow))
            if protocol.events:
                event, requests = protocol.take()
                self._put(requests)
                return event
            if protocol.failure is not None:
                raise protocol.failure
            return None

    def reset(self) -> None:
        """Drops all history: the next latents are decoded as the first of a new session."""
        with self._sending, self._changed:
            self._put(self._protocol.reset())

    def ping(self) -> Pong:
        """The time to the server and back, whatever is being decoded."""
        protocol = self._protocol
        with self._changed:
            key, request = protocol.ping()
            self._put([request])
            while True:
                pong = protocol.pong(key)
                if pong is not None:
                    return pong
                if protocol.is_closed:
                    raise protocol.failure or SessionClosed("the session has ended")
                self._changed.wait()

    def end(self) -> Summary:
        """Says that no more latents follow and waits until everything has come. Frames that were
        not taken are kept: frames() still gives them."""
        protocol = self._protocol
        with self._sending, self._changed:
            if protocol.summary is None:
                self._put(protocol.end())
                if self._is_taker():
                    self._put(protocol.take_waiting_frames())
                self._changed.wait_for(lambda: protocol.is_closed)
            if protocol.summary is None:
                raise protocol.failure or SessionClosed("the session has ended")
            return protocol.summary

    def cancel(self) -> None:
        """Ends the session at once."""
        with self._changed:
            self._protocol.cancel()
        self._transport.cancel()
        with self._changed:
            self._changed.wait_for(lambda: self._protocol.is_closed)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], exception: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        with self._changed:
            ends_well = kind is None and self._protocol.ends_well
        try:
            if ends_well:
                self.end()
        finally:
            self.cancel()

    # ---- inside ----------------------------------------------------------------------------

    def _is_taker(self) -> bool:
        return self._taker in (None, threading.get_ident())

    def _put(self, requests: Iterable[pb.DecodeRequest]) -> None:
        self._transport.put(requests)

    def _receive(self, response: pb.DecodeResponse) -> None:
        with self._changed:
            self._put(self._protocol.receive(response))
            self._changed.notify_all()

    def _close(self, failure: Optional[CausewayError]) -> None:
        with self._changed:
            self._protocol.close(failure)
            self._changed.notify_all()
