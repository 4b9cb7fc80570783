# SPDX-License-Identifier: Apache-2.0
"""Every test that takes `connect` runs twice: with causeway.connect, and with causeway.aio.connect
behind the same blocking calls."""
import asyncio
import inspect
import threading

import pytest

import causeway
import causeway.aio

# No wait of these tests is longer; what takes longer hangs.
LIMIT_S = 120


class _Blocking:
    """An asynchronous client or session, called from a thread that is not its event loop's."""

    def __init__(self, target, loop):
        self._target = target
        self._loop = loop

    def _run(self, awaitable):
        async def wait():
            return await awaitable
        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result(LIMIT_S)

    def __getattr__(self, name):
        member = getattr(self._target, name)
        return self._blocking(member) if callable(member) else member

    def _blocking(self, method):
        def call(*args, **kwargs):
            result = method(*args, **kwargs)
            if inspect.isasyncgen(result):
                return self._generator(result)
            result = self._run(result)
            is_ours = isinstance(result, (causeway.aio.Client, causeway.aio.Session))
            return _Blocking(result, self._loop) if is_ours else result
        return call

    def _generator(self, source):
        try:
            while True:
                yield self._run(source.__anext__())
        except StopAsyncIteration:
            return
        finally:
            self._run(source.aclose())

    def __enter__(self):
        self._run(self._target.__aenter__())
        return self

    def __exit__(self, *exception):
        self._run(self._target.__aexit__(*exception))


@pytest.fixture(scope="session")
def _loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(params=["sync", "asyncio"])
def connect(request):
    """causeway.connect, or the like."""
    if request.param == "sync":
        return causeway.connect
    loop = request.getfixturevalue("_loop")
    return _Blocking(causeway.aio, loop).connect
