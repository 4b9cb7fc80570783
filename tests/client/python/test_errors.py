# SPDX-License-Identifier: Apache-2.0
"""What the server refuses, and what it gets wrong."""
import os
import re

import grpc
import numpy as np
import pytest

from causeway import errors
from causeway.v1 import decode_pb2 as pb
from fake_server import (FRAME_BYTES, OPEN, Decoder, accepted, chunk_error, done, fail, frame,
                         latents, opened, serving)

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def documented_reasons():
    """(reason, code) from the table of errors."""
    with open(os.path.join(SOURCE, "proto", "README.md"), encoding="utf-8") as file:
        return re.findall(r"^\| `([A-Z_]+)` \| `([A-Z_]+)` \|", file.read(), re.MULTILINE)


def test_every_documented_reason_has_its_class():
    reasons = [reason for reason, _ in documented_reasons()]
    assert len(reasons) > 20
    assert set(reasons) <= set(errors.CLASS_OF_REASON)


@pytest.mark.parametrize("reason", errors.CLASS_OF_REASON)
def test_a_reason_is_raised_as_its_class(connect, reason):
    def script(requests, context):
        next(requests)
        fail(context, grpc.StatusCode.ABORTED, reason, retry_ms=250, field="f", got="g",
             allowed="a")
        yield

    with serving(script) as address, connect(address) as client:
        with pytest.raises(errors.CausewayError) as caught:
            client.open(**OPEN)
    error = caught.value
    assert type(error) is errors.CLASS_OF_REASON[reason]
    assert (error.reason, error.code, error.field, error.got, error.allowed, error.retry_after) == (
        reason, "ABORTED", "f", "g", "a", 0.25)
    assert str(error) == f"text ({reason})"


@pytest.mark.parametrize("code, cls", [
    (grpc.StatusCode.INVALID_ARGUMENT, errors.BadRequest),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.NoCapacity),
    (grpc.StatusCode.UNAVAILABLE, errors.Unavailable),
    (grpc.StatusCode.UNIMPLEMENTED, errors.NotImplementedByServer),
    (grpc.StatusCode.INTERNAL, errors.ServerFault),
    (grpc.StatusCode.UNKNOWN, errors.ServerFault),
])
def test_a_status_without_a_reason_is_raised_by_its_code(connect, code, cls):
    def script(requests, context):
        next(requests)
        context.abort(code, "a proxy")
        yield

    with serving(script) as address, connect(address) as client:
        with pytest.raises(errors.CausewayError) as caught:
            client.open(**OPEN)
    assert type(caught.value) is cls
    assert (caught.value.reason, caught.value.code) == ("", code.name)


def test_a_refused_chunk_leaves_the_session_usable(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        assert next(requests).latent_chunk.chunk_seq == 0
        yield chunk_error(0, "NON_FINITE_LATENT")
        yield pb.DecodeResponse(input_credit=pb.InputCredit(chunks=1, bytes=48))
        assert next(requests).latent_chunk.chunk_seq == 0
        yield accepted(0, 0, 1)
        yield frame(0, last=True)
        yield done(0, 0, 1)
        next(requests)
        yield pb.DecodeResponse(summary=pb.Summary(chunks=1, latents=1, frames=1))

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        with pytest.raises(errors.ChunkError) as caught:
            session.send(latents(1))
        assert (caught.value.reason, caught.value.chunk_seq) == ("NON_FINITE_LATENT", 0)
        assert (caught.value.got, caught.value.allowed) == ("3", "4")
        assert len(list(session.decode(latents(1)))) == 1
        assert session.end().chunks == 1


def test_a_chunk_refused_in_mid_decode_is_raised_and_its_forerunners_frames_remain(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield accepted(0, 0, 1)
        next(requests)
        yield chunk_error(1, "NON_FINITE_LATENT")
        yield frame(0, last=True)
        yield done(0, 0, 1)
        next(requests)
        yield pb.DecodeResponse(summary=pb.Summary(chunks=1, latents=1, frames=1))

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        frames = 0
        with pytest.raises(errors.ChunkError):
            for _ in session.decode(latents(3), chunk=1):
                frames += 1
        frames += len(list(session.frames()))
        assert frames == 1
        assert session.end().chunks == 1


def test_frames_before_a_failure_come_first(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield accepted(0, 0, 5)
        yield frame(0)
        yield frame(1)
        fail(context, grpc.StatusCode.INTERNAL, "NUMERIC_FAULT")

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        frames = session.decode(latents(2))
        next(frames), next(frames)
        with pytest.raises(errors.ServerFault, match="NUMERIC_FAULT"):
            next(frames)
        for call in (lambda: session.send(latents(1)), session.end, session.ping, session.reset):
            with pytest.raises(errors.ServerFault):
                call()


def test_a_server_that_goes_away_is_announced_and_takes_no_more(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield accepted(0, 0, 1)
        yield pb.DecodeResponse(notice=pb.Notice(
            kind=pb.NOTICE_KIND_GO_AWAY, deadline_ms=9, retry_elsewhere=True, replay_latents=38))
        yield frame(0, last=True)
        yield done(0, 0, 1)
        next(requests)
        fail(context, grpc.StatusCode.UNAVAILABLE, "DRAINING")

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(1))
        assert [type(event).__name__ for event in session.events()] == [
            "Notice", "Frame", "ChunkDone"]
        assert session.go_away.replay_latents == 38
        with pytest.raises(errors.Unavailable, match="DRAINING"):
            list(session.decode(latents(1)))
        with pytest.raises(errors.Unavailable, match="DRAINING"):
            session.end()


def test_a_server_that_is_gone_is_unavailable(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        for _ in requests:
            pass

    with serving(script) as address, connect(address) as client:
        session = client.open(**OPEN)
    # The client is closed, and the server stopped.
    with pytest.raises(errors.CausewayError):
        session.send(latents(1))
    with pytest.raises(errors.CausewayError):
        list(session.frames(follow=True))


def breaking(*responses):
    """A server that answers the first chunk, of two latents, with these."""
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield from responses
        for _ in requests:
            pass
    return script


START = accepted(0, 0, 5)
HALF = FRAME_BYTES // 2


@pytest.mark.parametrize("responses, problem", [
    ([opened()], "second opened"),
    ([accepted(1, 0, 5)], "not sent"),
    ([accepted(0, 1, 5)], "expected"),
    ([accepted(0, 0, 8)], "expected"),
    ([accepted(0, 0, 5, epoch=1)], "expected"),
    ([START, accepted(0, 0, 5)], "not sent"),
    ([START, chunk_error(1, "BAD_OPTION")], "not sent"),
    ([frame(0)], "expected none"),
    ([START, frame(1)], "expected frame 0 fragment 0"),
    ([START, frame(0), frame(0)], "expected frame 1 fragment 0"),
    ([START, frame(0), frame(2)], "expected frame 1 fragment 0"),
    ([START, frame(0, seq=1)], "expected one of chunk 0"),
    ([START, frame(0, last=True)], "last_of_chunk"),
    ([START, frame(0, epoch=1)], "epoch"),
    ([START, frame(0, part=1, count=2)], "expected frame 0 fragment 0"),
    ([START, frame(0, part=0, count=2), frame(0, part=0, count=2)], "expected frame 0 fragment 1"),
    ([START, frame(0, part=0, count=3), frame(0, part=2, count=3)], "expected frame 0 fragment 1"),
    ([START, frame(0, part=0, count=2), frame(1)], "expected frame 0 fragment 1"),
    ([START, frame(0, part=0, count=2), frame(0, part=1, count=3)], "differs"),
    ([START, frame(0, count=0, payload=b"x")], "only 0 fragments"),
    ([START, frame(0, payload=b"")], "0 bytes"),
    ([START, frame(0, payload=bytes(FRAME_BYTES + 1))], "bytes after 0"),
    ([START, frame(0, payload=bytes(FRAME_BYTES - 1))], "in all its fragments"),
    ([START, frame(0, part=0, count=2, payload=bytes(HALF)),
      frame(0, part=1, count=2, payload=bytes(HALF + 1))], "bytes after"),
    ([START, pb.DecodeResponse(frame_dropped=pb.FrameDropped())], "dropped where none may be"),
    ([START, frame(0), done(0, 0, 5)], "done out of order or with frames missing"),
    ([START, done(1, 0, 5)], "done out of order"),
    ([START, pb.DecodeResponse(pong=pb.Pong(payload=b"12345678"))], "pong without its ping"),
    ([START, pb.DecodeResponse(summary=pb.Summary())], "summary before the end"),
])
def test_an_answer_against_the_protocol_ends_the_session(connect, responses, problem):
    with serving(breaking(*responses)) as address, connect(address) as client, \
            client.open(**OPEN) as session:
        with pytest.raises(errors.ProtocolError, match=problem):
            session.send(latents(2))
            list(session.frames())
        with pytest.raises(errors.ProtocolError):
            session.send(latents(1))


@pytest.mark.parametrize("first, problem", [
    (pb.DecodeResponse(pong=pb.Pong()), "began with pong"),
    (pb.DecodeResponse(), "began with nothing"),
    (opened(frame_bytes=5), "have 5 bytes"),
    (opened(frame_credits=0), "without limits or credits"),
    (opened(input_credits=None), "without limits or credits"),
])
def test_what_opens_no_session_is_refused(connect, first, problem):
    def script(requests, context):
        next(requests)
        yield first
        for _ in requests:
            pass

    with serving(script) as address, connect(address) as client:
        with pytest.raises(errors.ProtocolError, match=problem):
            client.open(**OPEN)


def test_a_stream_that_ends_early_is_no_success(connect):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield accepted(0, 0, 1)
        yield frame(0, last=True)

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        session.send(latents(1))
        with pytest.raises(errors.ProtocolError, match="without a summary"):
            list(session.frames())
        with pytest.raises(errors.ProtocolError, match="without a summary"):
            session.end()


def test_a_stream_without_any_answer_is_no_session(connect):
    def script(requests, context):
        next(requests)
        return
        yield

    with serving(script) as address, connect(address) as client:
        with pytest.raises(errors.ProtocolError, match="began with nothing"):
            client.open(**OPEN)


@pytest.mark.parametrize("change", [
    dict(chunks=2), dict(latents=2), dict(frames=0), dict(frames_dropped=1), dict(resets=1)])
def test_a_summary_that_does_not_add_up_is_refused(connect, change):
    def script(requests, context):
        next(requests)
        yield opened()
        next(requests)
        yield from (accepted(0, 0, 1), frame(0, last=True), done(0, 0, 1))
        next(requests)
        yield pb.DecodeResponse(summary=pb.Summary(
            **{**dict(chunks=1, latents=1, frames=1), **change}))

    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        list(session.decode(latents(1)))
        with pytest.raises(errors.ProtocolError, match="the summary counts"):
            session.end()


def test_messages_of_a_newer_server_are_passed_over(connect):
    # Field 15, length 2: no message of this version.
    newer = pb.DecodeResponse.FromString(b"\x7a\x02\x08\x01")
    script = breaking(accepted(0, 0, 1), newer, frame(0, last=True), done(0, 0, 1))
    with serving(script) as address, connect(address) as client, client.open(**OPEN) as session:
        assert len(list(session.decode(latents(1)))) == 1
        session.cancel()


@pytest.mark.parametrize("array, problem", [
    (np.zeros((2, 1, 2, 3), np.float64), "float64"),
    (np.zeros((2, 1, 2, 3), np.float16), "allowed: float32"),
    (np.zeros((2, 1, 2, 4), np.float32), r"\[2, 1, 2, 4\].*\[2, latents, 2, 3\]"),
    (np.zeros((2, 0, 2, 3), np.float32), "at least 1 latent"),
    (np.zeros((1, 2, 1, 2, 3), np.float32), r"\[1, 2, 1, 2, 3\]"),
    (np.full((2, 1, 2, 3), np.nan, np.float32), "NaN"),
    (np.full((2, 1, 2, 3), -np.inf, np.float32), "NaN"),
])
def test_wrong_latents_are_refused_before_anything_is_sent(connect, array, problem):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, client.open(**OPEN) as session:
        for call in (lambda: session.send(array), lambda: list(session.decode(array))):
            with pytest.raises(errors.BadInput, match=problem):
                call()
        session.end()
    assert decoder.messages == ["end"]


def test_nan_goes_to_the_server_where_that_is_asked_for(connect):
    decoder = Decoder()
    with serving(decoder) as address, connect(address) as client, \
            client.open(**OPEN, check_finite=False) as session:
        session.send(np.full((2, 1, 2, 3), np.nan, np.float32))
        list(session.frames())
    assert np.isnan(np.frombuffer(decoder.chunks[0][1], np.float32)).all()


@pytest.mark.parametrize("change, field", [
    (dict(dtype="f64"), "dtype"), (dict(axes="thwc"), "axes"), (dict(domain="x"), "domain"),
    (dict(pixel_format="rgb"), "pixel_format"), (dict(delivery="x"), "delivery"),
    (dict(priority="x"), "priority"), (dict(height=12), "height"), (dict(width=0), "width"),
    (dict(window=0), "window"), (dict(window=65), "window"), (dict(timebase=(0, 1)), "timebase"),
    (dict(target_fps=float("nan")), "target_fps"), (dict(client_ref="x" * 65), "client_ref"),
])
def test_wrong_arguments_of_open_are_refused_before_anything_is_sent(connect, change, field):
    opens = []

    def script(requests, context):
        opens.append(next(requests))
        yield opened()

    with serving(script) as address, connect(address) as client:
        with pytest.raises(errors.BadInput) as caught:
            client.open(**{**OPEN, **change})
    assert caught.value.field == field
    assert opens == []


def test_a_session_that_has_ended_says_so(connect):
    with serving(Decoder()) as address, connect(address) as client, client.open(**OPEN) as session:
        assert session.end().chunks == 0
        assert session.end().chunks == 0  # the same again
        for call in (lambda: session.send(latents(1)), session.ping, session.reset):
            with pytest.raises(errors.SessionClosed):
                call()
        assert list(session.frames()) == []
