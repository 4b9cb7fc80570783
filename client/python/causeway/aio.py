# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio: the same names as client.py. `connect` and `Client.open` can be awaited,
or stand in an `async with`."""
from __future__ import annotations

import asyncio
from types import TracebackType
from typing import (TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Callable,
                    Coroutine, Generator, Generic, Iterable, Iterator, Optional, TypeVar, Union)

from causeway import client
from causeway.errors import CausewayError, FramesUnread, SessionClosed
from causeway.formats import Pixels
from causeway.messages import (Accepted, Event, Frame, Model, Notice, Opened, Pong, ServerInfo,
                               Summary)
from causeway.options import OpenArguments, SessionOptions
from causeway.protocol import Protocol, opened_of
from causeway.transport import Transport
from causeway.v1 import decode_pb2 as pb

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Part = tuple[int, bytes]
_Opened = TypeVar("_Opened", bound="Union[Client, Session]")
_T = TypeVar("_T")


class Opening(Generic[_Opened]):
    """A client or session to come: await it, or enter it with `async with`."""

    def __init__(self, coroutine: Coroutine[Any, Any, _Opened]) -> None:
        self._coroutine = coroutine
        self._entered: Optional[_Opened] = None

    def __await__(self) -> Generator[Any, None, _Opened]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> _Opened:
        self._entered = await self._coroutine
        return self._entered

    async def __aexit__(self, kind: Optional[type[BaseException]],
                        exception: Optional[BaseException],
                        traceback: Optional[TracebackType]) -> None:
        assert self._entered is not None
        await self._entered.__aexit__(kind, exception, traceback)


def connect(address: str = "127.0.0.1:50051", *, timeout: float = 5.0) -> Opening[Client]:
    """As causeway.connect."""
    return Opening(_connect(address, timeout))


async def _connect(address: str, timeout: float) -> Client:
    return Client(await asyncio.to_thread(client.connect, address, timeout=timeout))


class Client:
    """A connection to one server. Closing it ends its sessions."""

    def __init__(self, blocking: client.Client) -> None:
        self._blocking = blocking

    async def models(self) -> list[Model]:
        """What the server decodes."""
        return await asyncio.to_thread(self._blocking.models)

    async def model(self, name: str) -> Model:
        return await asyncio.to_thread(self._blocking.model, name)

    async def info(self) -> ServerInfo:
        return await asyncio.to_thread(self._blocking.info)

    def open(self, **options: Unpack[OpenArguments]) -> Opening[Session]:
        """Opens a session and waits until the server admits it, as causeway.Client.open."""
        return Opening(self._open(SessionOptions(**options)))

    async def _open(self, options: SessionOptions) -> Session:
        transport = self._blocking.start(options)
        try:
            first = await asyncio.wrap_future(transport.first)
            return Session(transport, Protocol(options, opened_of(first)))
        except BaseException:
            transport.cancel()
            raise

    async def close(self) -> None:
        await asyncio.to_thread(self._blocking.close)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


class Session:
    """As causeway.Session, for the tasks of one event loop: one may send while another takes
    frames."""

    def __init__(self, transport: Transport, protocol: Protocol) -> None:
        self._transport = transport
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._taker: Optional[asyncio.Task[Any]] = None  # the task that takes frames
        self._is_over = False  # the transport has ended
        transport.attach(lambda response: self._in_loop(self._receive, response),
                         lambda failure: self._in_loop(self._close, failure))

    @property
    def opened(self) -> Opened:
        return self._protocol.opened

    @property
    def options(self) -> SessionOptions:
        return self._protocol.options

    @property
    def summary(self) -> Optional[Summary]:
        return self._protocol.summary

    @property
    def go_away(self) -> Optional[Notice]:
        return self._protocol.go_away

    # ---- the whole of it -------------------------------------------------------------------

    async def decode(self, latents: Union[Any, Iterable[Any], AsyncIterable[Any]],
                     chunk: Optional[int] = None) -> AsyncIterator[Pixels]:
        """As causeway.Session.decode. Latents are sent by a task of their own: frames are yielded
        while an asynchronous iterable makes the next latents."""
        protocol = self._protocol
        self._taker = asyncio.current_task()
        sender = asyncio.ensure_future(self._send_all(latents, chunk))
        sender.add_done_callback(lambda _: self._changed.set())
        try:
            while True:
                await self._wait_for(lambda: bool(protocol.events) or protocol.is_closed or (
                    sender.done() and protocol.is_idle))
                has_events = bool(protocol.events)
                event = self._take_now() if has_events or not sender.done() else None
                if isinstance(event, Frame):
                    yield event.pixels
                elif not has_events:
                    # Raises why not all were sent.
                    await sender
                    self._take_now()
                    return
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _send_all(self, latents: Any, chunk: Optional[int]) -> None:
        if isinstance(latents, AsyncIterable):
            async for array in latents:
                await self._send_parts(self._protocol.parts(array, chunk))
        else:
            await self._send_parts(self._protocol.parts(latents, chunk))

    async def _send_parts(self, parts: Iterator[_Part]) -> None:
        for part in parts:
            await self._send_part(part, None, 0)

    # ---- step by step ----------------------------------------------------------------------

    async def send(self, latents: Any, *, pts: Optional[int] = None,
                   deadline_us: int = 0) -> Accepted:
        """As causeway.Session.send."""
        accepted: list[Accepted] = []
        for part in self._protocol.parts(latents):
            if accepted and pts is not None:
                pts = self.options.pts_after(pts, accepted[-1].frame_count)
            accepted.append(await self._send_part(part, pts, deadline_us))
        return Accepted.joined(accepted)

    async def _send_part(self, part: _Part, pts: Optional[int], deadline_us: int) -> Accepted:
        count, payload = part
        protocol = self._protocol
        async with self._sending:
            # A task that was cancelled here has left its chunk on its way.
            await self._wait_for(lambda: protocol.is_answered or protocol.is_closed)
            while True:
                protocol.check_open()
                if protocol.has_room(len(payload)):
                    break
                if protocol.waits_for_credit and self._is_taker():
                    raise FramesUnread("the server waits until frames are taken: take them first, "
                                       "or in another task")
                await self._wait()
            self._put(protocol.chunk(count, payload, pts, deadline_us))
            await self._wait_for(lambda: protocol.is_answered or protocol.is_closed)
            return protocol.answer()

    async def frames(self, follow: bool = False) -> AsyncIterator[Frame]:
        """As causeway.Session.frames."""
        async for event in self.events(follow):
            if isinstance(event, Frame):
                yield event

    async def events(self, follow: bool = False) -> AsyncIterator[Event]:
        """As causeway.Session.events."""
        protocol = self._protocol
        while True:
            self._taker = asyncio.current_task()
            await self._wait_for(lambda: bool(protocol.events) or protocol.is_closed or (
                protocol.is_idle and not follow))
            event = self._take_now()
            if event is None:
                return
            yield event

    def _take_now(self) -> Optional[Event]:
        if self._protocol.events:
            event, requests = self._protocol.take()
            self._put(requests)
            return event
        if self._protocol.failure is not None:
            raise self._protocol.failure
        return None

    async def reset(self) -> None:
        """As causeway.Session.reset."""
        async with self._sending:
            self._put(self._protocol.reset())

    async def ping(self) -> Pong:
        """As causeway.Session.ping."""
        protocol = self._protocol
        key, request = protocol.ping()
        self._put([request])
        while True:
            pong = protocol.pong(key)
            if pong is not None:
                return pong
            if protocol.is_closed:
                raise protocol.failure or SessionClosed("the session has ended")
            await self._wait()

    async def end(self) -> Summary:
        """As causeway.Session.end."""
        protocol = self._protocol
        async with self._sending:
            if protocol.summary is None:
                self._put(protocol.end())
                if self._is_taker():
                    self._put(protocol.take_waiting_frames())
                await self._wait_for(lambda: protocol.is_closed)
            if protocol.summary is None:
                raise protocol.failure or SessionClosed("the session has ended")
            return protocol.summary

    async def cancel(self) -> None:
        """Ends the session at once."""
        self._protocol.cancel()
        self._transport.cancel()
        await self._wait_for(lambda: self._is_over)

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]],
                        exception: Optional[BaseException],
                        traceback: Optional[TracebackType]) -> None:
        try:
            if kind is None and self._protocol.ends_well:
                await self.end()
        finally:
            await self.cancel()

    # ---- inside ----------------------------------------------------------------------------

    def _is_taker(self) -> bool:
        return self._taker in (None, asyncio.current_task())

    def _put(self, requests: Iterable[pb.DecodeRequest]) -> None:
        self._transport.put(requests)

    async def _wait(self) -> None:
        """For the next change."""
        self._changed.clear()
        await self._changed.wait()

    async def _wait_for(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._wait()

    def _in_loop(self, handle: Callable[[_T], None], what: _T) -> None:
        """Called by the transport's thread."""
        try:
            self._loop.call_soon_threadsafe(handle, what)
        except RuntimeError:
            # The loop was closed with the session open: nobody is left to be told.
            raise SessionClosed("the event loop is closed") from None

    def _receive(self, response: pb.DecodeResponse) -> None:
        try:
            if not self._protocol.is_closed:
                self._put(self._protocol.receive(response))
        except CausewayError as error:
            self._protocol.close(error)
            self._transport.cancel()
        self._changed.set()

    def _close(self, failure: Optional[CausewayError]) -> None:
        self._is_over = True
        self._protocol.close(failure)
        self._changed.set()
