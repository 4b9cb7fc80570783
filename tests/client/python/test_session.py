# SPDX-License-Identifier: Apache-2.0
"""Whole sessions against a server that keeps the protocol."""
import asyncio
import threading

import numpy as np
import pytest

import causeway
import causeway.aio
from causeway import errors
from causeway.v1 import decode_pb2 as pb
from fake_server import HEIGHT, OPEN, WIDTH, Decoder, latents, pixels, serving


def expected(indices):
    return [pixels(index).reshape(HEIGHT, WIDTH, 3) for index in indices]


def test_decode_yields_every_frame_once_and_in_order(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        frames = list(session.decode(latents(7), chunk=3))
        summary = session.end()
    np.testing.assert_array_equal(frames, expected(range(25)))
    assert (summary.chunks, summary.latents, summary.frames) == (3, 7, 25)
    assert [chunk[0] for chunk in decoder.chunks] == [3, 3, 1]


def test_frames_are_put_together_from_fragments(connect):
    with serving(Decoder(fragments=5)) as address, connect(address) as client, \
            client.open(**OPEN) as session:
        np.testing.assert_array_equal(list(session.decode(latents(2))), expected(range(5)))


def test_frames_belong_to_the_caller(connect):
    with serving(Decoder()) as address, connect(address) as client, client.open(**OPEN) as session:
        frames = list(session.decode(latents(2)))
        frames[0][:] = 0
        np.testing.assert_array_equal(frames[1:], expected(range(1, 5)))


@pytest.mark.parametrize("axes", ["cthw", "tchw"])
def test_latents_are_sent_in_the_declared_layout(connect, axes):
    decoder = Decoder()
    array = latents(5) if axes == "cthw" else latents(5).transpose(1, 0, 2, 3)
    with serving(decoder) as address, connect(address) as client, \
            client.open(**{**OPEN, "axes": axes}) as session:
        list(session.decode(array, chunk=2))
    parts = [array[:, a:a + 2] if axes == "cthw" else array[a:a + 2] for a in (0, 2, 4)]
    assert [chunk[1] for chunk in decoder.chunks] == [part.tobytes() for part in parts]


def test_several_arrays_are_one_stream(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        arrays = (latents(count) for count in (1, 2, 1))
        assert len(list(session.decode(arrays))) == 1 + 4 * 3
    assert [chunk[0] for chunk in decoder.chunks] == [1, 2, 1]


def test_more_than_a_chunk_may_hold_goes_as_several(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        accepted = session.send(latents(20))
        assert (accepted.chunk_seq, accepted.chunks, accepted.frame_count) == (0, 3, 77)
        assert len(list(session.frames())) == 77
    assert [chunk[0] for chunk in decoder.chunks] == [8, 8, 4]


def test_what_is_above_the_message_limit_goes_in_fragments(connect):
    limits = pb.Limits(max_chunk_latents=200, max_message_bytes=1024 + 4000)
    decoder = Decoder(limits=limits)
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(200))
        assert len(list(session.frames())) == 1 + 4 * 199
    assert decoder.messages.count("latent_chunk") == 3  # 200 latents of 48 bytes
    assert decoder.chunks[0][:2] == (200, latents(200).tobytes())


def test_input_credits_in_bytes_bound_a_chunk(connect):
    decoder = Decoder(input_credits=pb.InputCredit(chunks=4, bytes=100))
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        assert len(list(session.decode(latents(5)))) == 17
    assert [chunk[0] for chunk in decoder.chunks] == [2, 2, 1]  # 48 bytes each


def test_a_latent_above_all_input_credit_goes_alone(connect):
    decoder = Decoder(input_credits=pb.InputCredit(chunks=4, bytes=40))
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        assert len(list(session.decode(latents(3)))) == 9
    assert [chunk[0] for chunk in decoder.chunks] == [1, 1, 1]


def test_reset_begins_a_new_history(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(2))
        session.reset()
        session.reset()  # once is enough
        accepted = session.send(latents(2))
        assert (accepted.first_frame_index, accepted.frame_count) == (5, 5)
        frames = list(session.frames())
    assert [f.index for f in frames] == list(range(10))
    assert [f.epoch for f in frames] == [0] * 5 + [1] * 5
    assert decoder.messages.count("reset") == 1


def test_ping_is_answered(connect):
    with serving(Decoder()) as address, connect(address) as client, client.open(**OPEN) as session:
        pong = session.ping()
    assert pong.server_time_ns == 17
    assert 0 < pong.round_trip_s < 60


def test_pts_follow_from_the_rate(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, \
            client.open(**OPEN, timebase=(1, 48), target_fps=16) as session:
        list(session.decode(latents(3), chunk=1))
        session.send(latents(9), pts=1000)
        list(session.frames())
    # Three ticks a frame; 1, 4 and 4 frames; nine latents are chunks of eight and one.
    assert [chunk[2] for chunk in decoder.chunks] == [0, 3, 15, 1000, 1000 + 3 * 32]


def test_frames_that_were_not_taken_outlive_the_end(connect):
    with serving(Decoder()) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(8))
        assert session.end().frames == 29  # more than the window of 16
        assert [f.index for f in session.frames()] == list(range(29))
        assert session.summary.frames == 29


def test_leaving_the_block_ends_a_session_that_is_done(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client:
        with client.open(**OPEN) as session:
            list(session.decode(latents(1)))
        assert session.summary.frames == 1
    assert decoder.messages[-1] == "end"


def test_leaving_the_block_cancels_a_session_that_is_not_done(connect):
    with serving(Decoder()) as address, connect(address) as client:
        with client.open(**OPEN) as session:
            session.send(latents(8))
        assert session.summary is None
        with pytest.raises(errors.SessionClosed):
            session.send(latents(1))


def test_events_tell_what_happened_between_the_frames(connect):
    with serving(Decoder()) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(1))
        frame, done = session.events()
    assert isinstance(frame, causeway.Frame) and isinstance(done, causeway.ChunkDone)
    assert (done.timing.decode_ns, done.kernel[0].category) == (5, "other")


def test_models_and_server_are_described(connect):
    with serving(Decoder()) as address, connect(address) as client:
        (model,) = client.models()
        assert model == client.model("fake")
        assert (model.latent_channels, model.geometries[0].state_bytes) == (2, 9)
        assert client.info().max_sessions == 5
        with pytest.raises(errors.BadRequest) as caught:
            client.model("other")
    assert (caught.value.reason, caught.value.allowed) == ("UNKNOWN_MODEL", "fake")


def test_no_server_is_said_within_the_timeout(connect):
    with serving(Decoder()) as address:
        pass
    with pytest.raises(errors.Unavailable, match="no server"):
        connect(address, timeout=0.2)


def test_a_closed_client_says_so(connect):
    with serving(Decoder()) as address:
        with connect(address) as client:
            pass
        with pytest.raises(errors.SessionClosed):
            client.models()
        with pytest.raises(errors.SessionClosed):
            client.open(**OPEN)


def test_one_thread_sends_while_another_takes_frames():
    with serving(Decoder()) as address, causeway.connect(address) as client, \
            client.open(**OPEN, window=2) as session:
        indices = []
        taker = threading.Thread(
            target=lambda: indices.extend(f.index for f in session.frames(follow=True)))
        taker.start()
        for first in range(10):
            session.send(latents(1, first=first))
        session.end()
        taker.join()
    assert indices == list(range(37))


def test_one_task_sends_while_another_takes_frames():
    async def run(address):
        async with causeway.aio.connect(address) as client:
            async with client.open(**OPEN, window=2) as session:
                async def take():
                    return [f.index async for f in session.frames(follow=True)]
                taker = asyncio.ensure_future(take())
                for first in range(10):
                    await session.send(latents(1, first=first))
                await session.end()
                return await taker

    with serving(Decoder()) as address:
        assert asyncio.run(run(address)) == list(range(37))


def test_frames_come_while_an_asynchronous_generator_makes_latents():
    """The generator waits for the frames of its last latent before it makes the next."""
    async def run(address):
        seen = asyncio.Event()

        async def generator():
            for first in range(3):
                yield latents(1, first=first)
                await seen.wait()
                seen.clear()

        async with causeway.aio.connect(address) as client:
            async with client.open(**OPEN) as session:
                count = 0
                async for _ in session.decode(generator()):
                    count += 1
                    if count in (1, 5, 9):
                        seen.set()
                return count

    with serving(Decoder()) as address:
        assert asyncio.run(run(address)) == 9
