# SPDX-License-Identifier: Apache-2.0
"""One Decode call: requests go into a queue, responses come out of a thread.

asyncio uses it too, not grpc.aio: there a write that meets the end of the stream replaces the
server's status and drops the frames that came before it.
"""
from __future__ import annotations

import queue
import threading
from concurrent.futures import CancelledError, Future
from typing import Callable, Iterable, Optional

import grpc

from causeway.errors import CausewayError, SessionClosed, Unavailable, from_status
from causeway.v1 import decode_pb2 as pb
from causeway.v1.decode_pb2_grpc import DecoderStub

Receive = Callable[[pb.DecodeResponse], None]
Close = Callable[[Optional[CausewayError]], None]

# Notices a dead peer within 30 s, as often as the server allows to ask.
_OPTIONS = [("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000)]


def connected(address: str, timeout: float) -> grpc.Channel:
    """A channel to a server that answers. Raises Unavailable."""
    channel = grpc.insecure_channel(address, options=_OPTIONS)
    try:
        grpc.channel_ready_future(channel).result(timeout=timeout)
    except grpc.FutureTimeoutError:
        channel.close()
        raise Unavailable(f"no server at {address} within {timeout:g} s") from None
    except BaseException:
        channel.close()
        raise
    return channel


def failure_of(error: grpc.RpcError) -> CausewayError:
    return from_status(error.code(), error.details(), error.trailing_metadata())


class Transport:
    """`put` and `cancel` may be called from any thread. The thread ends with the call."""

    def __init__(self, stub: DecoderStub, opening: pb.Open) -> None:
        self._requests: queue.SimpleQueue[Optional[pb.DecodeRequest]] = queue.SimpleQueue()
        self._requests.put(pb.DecodeRequest(open=opening))
        try:
            self._call = stub.Decode(iter(self._requests.get, None))
        except ValueError:
            raise SessionClosed("the client is closed") from None
        self.first: Future[Optional[pb.DecodeResponse]] = Future()
        """The first response; None: the stream ended without any."""
        self.first.set_running_or_notify_cancel()
        self._attached: Future[tuple[Receive, Close]] = Future()
        threading.Thread(target=self._read, name="causeway session", daemon=True).start()

    def attach(self, receive: Receive, close: Close) -> None:
        """Who takes the responses after the first, and then, once, how the call ended (None: OK).
        Both are called from the thread. Where `receive` raises CausewayError, the call is cancelled
        and ends with that."""
        self._attached.set_result((receive, close))

    def put(self, requests: Iterable[pb.DecodeRequest]) -> None:
        for request in requests:
            self._requests.put(request)

    def cancel(self) -> None:
        self._call.cancel()
        self._attached.cancel()

    def _read(self) -> None:
        close: Optional[Close] = None
        failure: Optional[CausewayError] = None
        try:
            self.first.set_result(next(self._call, None))
            receive, close = self._attached.result()
            for response in self._call:
                receive(response)
        except grpc.RpcError as error:
            failure = failure_of(error)
        except CausewayError as error:
            failure = error
        except CancelledError:
            pass
        finally:
            self._call.cancel()
            self._requests.put(None)
            if close is not None:
                close(failure)
            elif not self.first.done():
                self.first.set_exception(failure or SessionClosed("the session was cancelled"))
