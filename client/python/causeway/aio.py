# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio: the same names as client.py. `connect` and `Client.open` can be awaited,
or stand in an `async with`."""
from __future__ import annotations

import asyncio
from types import TracebackType
from typing import (TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Awaitable, Callable,
                    Coroutine, Generator, Generic, Iterable, Iterator, Optional, TypeVar, Union)

import grpc

from causeway import messages
from causeway.errors import CausewayError, FramesUnread, SessionClosed, Unavailable, from_status
from causeway.formats import Pixels
from causeway.messages import (Accepted, Event, Frame, Model, Notice, Opened, Pong, ServerInfo,
                               Summary)
from causeway.options import OpenArguments, SessionOptions
from causeway.protocol import CHANNEL_OPTIONS, Protocol, opened_of
from causeway.v1 import decode_pb2 as pb
from causeway.v1.decode_pb2_grpc import DecoderStub

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Part = tuple[int, bytes]
_T = TypeVar("_T", bound="Union[Client, Session]")


class Opening(Generic[_T]):
    """A client or session to come: await it, or enter it with `async with`."""

    def __init__(self, coroutine: Coroutine[Any, Any, _T]) -> None:
        self._coroutine = coroutine
        self._entered: Optional[_T] = None

    def __await__(self) -> Generator[Any, None, _T]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> _T:
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
    channel = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
    try:
        await asyncio.wait_for(channel.channel_ready(), timeout)
    except asyncio.TimeoutError:
        await channel.close()
        raise Unavailable(f"no server at {address} within {timeout:g} s") from None
    except BaseException:
        await channel.close()
        raise
    return Client(channel, timeout)


def _failure_of(error: grpc.aio.AioRpcError) -> CausewayError:
    return from_status(error.code(), error.details(), error.trailing_metadata())


class Client:
    """A connection to one server. Closing it ends its sessions."""

    def __init__(self, channel: grpc.aio.Channel, timeout: float) -> None:
        self._channel = channel
        self._timeout = timeout
        self._stub = DecoderStub(channel)

    async def models(self) -> list[Model]:
        """What the server decodes."""
        response = await self._call(self._stub.ListModels, pb.ListModelsRequest())
        return [messages.to_model(model) for model in response.models]

    async def model(self, name: str) -> Model:
        return messages.to_model(
            await self._call(self._stub.GetModel, pb.GetModelRequest(name=name)))

    async def info(self) -> ServerInfo:
        return messages.to_server_info(
            await self._call(self._stub.GetServerInfo, pb.GetServerInfoRequest()))

    def open(self, **options: Unpack[OpenArguments]) -> Opening[Session]:
        """Opens a session and waits until the server admits it, as causeway.Client.open."""
        return Opening(self._open(SessionOptions(**options)))

    async def _open(self, options: SessionOptions) -> Session:
        requests: asyncio.Queue[Optional[pb.DecodeRequest]] = asyncio.Queue()
        requests.put_nowait(pb.DecodeRequest(open=options.to_open()))
        try:
            call = self._stub.Decode(_drained(requests))
        except grpc.aio.UsageError:
            raise SessionClosed("the client is closed") from None
        try:
            first = await call.read()
            protocol = Protocol(options, opened_of(None if first is grpc.aio.EOF else first))
        except grpc.aio.AioRpcError as error:
            requests.put_nowait(None)
            raise _failure_of(error) from None
        except BaseException:
            call.cancel()
            requests.put_nowait(None)
            raise
        return Session(call, requests, protocol)

    async def close(self) -> None:
        await self._channel.close()

    async def _call(self, method: Any, request: Any) -> Any:
        try:
            return await method(request, timeout=self._timeout)
        except grpc.aio.AioRpcError as error:
            raise _failure_of(error) from None
        except grpc.aio.UsageError:
            raise SessionClosed("the client is closed") from None

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


async def _drained(requests: asyncio.Queue[Optional[pb.DecodeRequest]]
                   ) -> AsyncIterator[pb.DecodeRequest]:
    while True:
        request = await requests.get()
        if request is None:
            return
        yield request


class Session:
    """As causeway.Session, for the tasks of one event loop: one may send while another takes
    frames."""

    def __init__(self, call: Any, requests: asyncio.Queue[Optional[pb.DecodeRequest]],
                 protocol: Protocol) -> None:
        self._call = call
        self._requests = requests
        self._protocol = protocol
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._taker: Optional[asyncio.Task[Any]] = None  # the task that takes frames
        self._reader = asyncio.ensure_future(self._read())

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
        if not self._protocol.is_closed:
            self._protocol.failure = (self._protocol.failure
                                      or SessionClosed("the session was cancelled"))
            self._call.cancel()
        await asyncio.wait([self._reader])

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
        for request in requests:
            self._requests.put_nowait(request)

    async def _wait(self) -> None:
        """For the next change."""
        self._changed.clear()
        await self._changed.wait()

    async def _wait_for(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._wait()

    async def _read(self) -> None:
        failure: Optional[CausewayError] = None
        try:
            while True:
                response = await self._call.read()
                if response is grpc.aio.EOF:
                    break
                self._put(self._protocol.receive(response))
                self._changed.set()
            if await self._call.code() is not grpc.StatusCode.OK:
                failure = from_status(await self._call.code(), await self._call.details(),
                                      await self._call.trailing_metadata())
        except grpc.aio.AioRpcError as error:
            failure = _failure_of(error)
        except asyncio.CancelledError:
            failure = SessionClosed("the session was cancelled")
        except CausewayError as error:
            failure = error
            self._call.cancel()
        finally:
            self._protocol.close(failure)
            self._requests.put_nowait(None)
            self._changed.set()
