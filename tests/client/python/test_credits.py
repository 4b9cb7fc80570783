# SPDX-License-Identifier: Apache-2.0
"""Who may send how much: frame credits, input credits, and the two kinds of standstill."""
import threading

import pytest

import causeway
from causeway import errors
from causeway.v1 import decode_pb2 as pb
from fake_server import OPEN, Decoder, accepted, frame, latents, opened, serving


@pytest.mark.parametrize("window", [1, 2, 16])
def test_no_more_is_granted_than_the_window_and_what_was_taken(connect, window):
    decoder = Decoder(frame_credits=window)
    with serving(decoder) as address, connect(address) as client, \
            client.open(**OPEN, window=window) as session:
        for taken, _ in enumerate(session.decode(latents(10)), 1):
            # Of what was taken, the last frames may not be granted again yet.
            assert decoder.credited <= taken
            assert decoder.sent <= window + taken
    assert decoder.open.delivery.initial_frame_credits == window
    assert decoder.sent == 37


def test_whoever_takes_no_frames_is_sent_no_more_than_the_window(connect):
    decoder = Decoder(frame_credits=3)
    with serving(decoder) as address, connect(address) as client, \
            client.open(**OPEN, window=3) as session:
        session.send(latents(8))
        session.ping()  # the server has answered everything before it
        assert decoder.sent == 3
        assert len(list(session.frames())) == 29


def test_chunks_wait_for_input_credits(connect):
    """This server gives a credit back when a chunk is done, and has one."""
    decoder = Decoder(input_credits=pb.InputCredit(chunks=1, bytes=1 << 20))
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        assert len(list(session.decode(latents(6), chunk=1))) == 21


def test_a_thread_that_waits_for_itself_is_told(connect):
    decoder = Decoder(frame_credits=2, input_credits=pb.InputCredit(chunks=2, bytes=1 << 20))
    with serving(decoder) as address, causeway.connect(address) as client, \
            client.open(**OPEN, window=2) as session:
        session.send(latents(1))
        session.send(latents(1))
        session.ping()
        with pytest.raises(errors.FramesUnread):
            for first in range(2, 5):
                session.send(latents(1, first=first))
        # Nothing is lost: frames can be taken, and the session goes on.
        count = len(list(session.frames()))
        assert count == 4 * len(decoder.chunks) - 3
        session.send(latents(1))
        assert len(list(session.frames())) == 4


def test_frames_without_credit_are_refused(connect):
    def script(requests, context):
        next(requests)
        yield opened(frame_credits=2)
        next(requests)
        yield accepted(0, 0, 5)
        for index in range(5):
            yield frame(index, last=index == 4)

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(2))
        with pytest.raises(errors.ProtocolError, match="without credit"):
            list(session.frames())


def test_dropped_frames_are_events_and_keep_their_numbers(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield accepted(0, 0, 5)
        yield frame(0)
        for index in (1, 2, 3):
            yield pb.DecodeResponse(frame_dropped=pb.FrameDropped(
                frame_index=index, reason=pb.DROP_REASON_SLOW_CONSUMER))
        yield frame(4, last=True)
        yield pb.DecodeResponse(chunk_done=pb.ChunkDone(frame_count=5))
        next(requests)
        yield pb.DecodeResponse(summary=pb.Summary(
            chunks=1, latents=2, frames=5, frames_dropped=3))

    with serving(script) as address, connect(address) as client, \
            client.open(**OPEN, delivery="drop_oldest") as session:
        session.send(latents(2))
        events = list(session.events())
        assert [getattr(event, "index", None) for event in events] == [0, 1, 2, 3, 4, None]
        assert events[1] == causeway.FrameDropped(1, 0, "SLOW_CONSUMER")
        assert session.end().frames_dropped == 3


def test_a_sender_waits_while_another_thread_is_busy_with_a_frame():
    decoder = Decoder(frame_credits=1, input_credits=pb.InputCredit(chunks=1, bytes=1 << 20))
    with serving(decoder) as address, causeway.connect(address) as client, \
            client.open(**OPEN, window=1) as session:
        sent = threading.Event()
        took_first = threading.Event()

        def send():
            session.send(latents(1))
            took_first.wait()
            session.send(latents(1))
            session.send(latents(1))
            sent.set()
            session.end()

        sender = threading.Thread(target=send)
        frames = session.frames(follow=True)
        sender.start()
        next(frames)
        took_first.set()
        # The second chunk's frames are not taken: the third cannot be sent.
        session.ping()
        assert not sent.is_set()
        assert len(list(frames)) == 8
        sender.join()
    assert sent.is_set()
