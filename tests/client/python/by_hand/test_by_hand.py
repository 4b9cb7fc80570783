# SPDX-License-Identifier: Apache-2.0
"""The protocol without any code of this project: grpcio, and the stubs that grpcio-tools makes from
proto/. What works here works for whoever reads proto/README.md and writes a client."""
import os
import queue
import struct

import grpc
import pytest
from causeway.v1 import decode_pb2 as pb
from causeway.v1 import decode_pb2_grpc
from google.rpc import error_details_pb2, status_pb2

import processes

CORNER = os.path.join(processes.DEMO, "corner64.safetensors")  # F32 [16, 3, 8, 8]
LATENT_BYTES = 16 * 8 * 8 * 4
FRAME_BYTES = 64 * 64 * 3


@pytest.fixture(scope="module")
def stub():
    with processes.Server() as server, grpc.insecure_channel(server.address) as channel:
        yield decode_pb2_grpc.DecoderStub(channel)


@pytest.fixture(scope="module")
def latents():
    """Payload of each latent, axes C, H, W."""
    _, (channels, count, height, width), data = processes.read_tensor(CORNER, "latents")
    plane = height * width * 4
    return [b"".join(data[(c * count + t) * plane:][:plane] for c in range(channels))
            for t in range(count)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    out = str(tmp_path_factory.mktemp("bench") / "frames.safetensors")
    processes.bench_run(CORNER, "rgb24", out)
    _, shape, data = processes.read_tensor(out, "frames")
    assert shape == [9, 64, 64, 3]
    return [data[i * FRAME_BYTES:][:FRAME_BYTES] for i in range(9)]


class Stream:
    def __init__(self, stub):
        self.requests = queue.SimpleQueue()
        self.call = stub.Decode(iter(self.requests.get, None), timeout=processes.LIMIT_S)

    def send(self, **message):
        self.requests.put(pb.DecodeRequest(**message))

    def chunk(self, seq, payload, latents=1, **fields):
        self.send(latent_chunk=pb.LatentChunk(chunk_seq=seq, latents=latents, payload=payload,
                                              **fields))

    def next(self, *kinds):
        """The next message of one of the kinds; credit for more input is passed over."""
        while True:
            response = next(self.call)
            kind = response.WhichOneof("message")
            if kind in kinds:
                return getattr(response, kind)
            assert kind == "input_credit", f"{kind}, expected {kinds}"

    def half_close(self):
        self.requests.put(None)

    def failure(self):
        """(code, reason, metadata, details) of the status, after whatever comes before it."""
        with pytest.raises(grpc.RpcError) as caught:
            for _ in self.call:
                pass
        self.half_close()
        return parse(caught.value)

    def expect_ok(self):
        for response in self.call:
            assert response.WhichOneof("message") == "input_credit", response
        self.half_close()
        assert self.call.code() is grpc.StatusCode.OK


def parse(error):
    details = dict(error.trailing_metadata()).get("grpc-status-details-bin")
    status = status_pb2.Status.FromString(details)
    assert (status.code, status.message) == (error.code().value[0], error.details())
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "causeway"
    return error.code().name, info.reason, dict(info.metadata), status.details


def open_message(**changes):
    fields = dict(
        model="demo", geometry=pb.Geometry(height=64, width=64),
        latent_format=pb.LatentFormat(dtype=pb.DTYPE_F32, axes=pb.AXES_TCHW,
                                      domain=pb.DOMAIN_NORMALISED),
        output=pb.Output(pixel_format=pb.PIXEL_FORMAT_RGB24))
    return pb.Open(**{**fields, **changes})


def opened_stream(stub, **changes):
    stream = Stream(stub)
    stream.send(open=open_message(**changes))
    return stream, stream.next("opened")


def read_frames(stream, count, first, seq):
    frames = []
    for index in range(first, first + count):
        frame = stream.next("frame")
        assert (frame.frame_index, frame.chunk_seq, frame.epoch) == (index, seq, 0)
        assert (frame.fragment.index, frame.fragment.count) == (0, 1)
        frames.append((frame.payload, frame.last_of_chunk))
    return [payload for payload, _ in frames], [last for _, last in frames]


def test_a_whole_stream(stub, latents, expected):
    stream, opened = opened_stream(
        stub, timing=pb.Timing(timebase_num=1, timebase_den=32, target_fps=16),
        delivery=pb.Delivery())
    assert len(opened.session_id) == 32
    assert opened.frame_bytes == FRAME_BYTES
    assert (opened.frame_rule.first_latent_frames, opened.frame_rule.per_latent_frames) == (1, 4)
    assert (opened.latent_channels, opened.frame_credits) == (16, 16)
    assert opened.input_credits.chunks == opened.limits.max_pending_chunks

    stream.chunk(0, latents[0], pts=100)
    accepted = stream.next("chunk_accepted")
    assert (accepted.chunk_seq, accepted.first_frame_index, accepted.frame_count) == (0, 0, 1)
    frame = stream.next("frame")
    assert (frame.payload, frame.last_of_chunk, frame.pts) == (expected[0], True, 100)
    done = stream.next("chunk_done")
    assert (done.chunk_seq, done.first_frame_index, done.frame_count) == (0, 0, 1)
    assert 0 < done.timing.decode_ns <= done.timing.total_ns

    stream.chunk(1, latents[1] + latents[2], latents=2, pts=102)
    accepted = stream.next("chunk_accepted")
    assert (accepted.chunk_seq, accepted.first_frame_index, accepted.frame_count) == (1, 1, 8)
    stream.send(end=pb.End())
    frames, lasts = read_frames(stream, 8, 1, 1)
    assert frames == expected[1:]
    assert lasts == [False] * 7 + [True]
    stream.next("chunk_done")
    summary = stream.next("summary")
    assert (summary.chunks, summary.latents, summary.frames, summary.chunk_errors) == (2, 3, 9, 0)
    assert summary.bytes_in == 3 * LATENT_BYTES
    assert summary.bytes_out == 9 * FRAME_BYTES
    stream.expect_ok()


def test_who_does_not_speak_of_delivery_needs_no_credits(stub, latents):
    """Twenty-one frames, more than the sixteen of a delivery that names no number."""
    stream, opened = opened_stream(stub)
    assert opened.frame_credits == 0
    stream.chunk(0, b"".join(latents + latents), latents=6)
    stream.next("chunk_accepted")
    assert len(read_frames(stream, 21, 0, 0)[0]) == 21
    stream.send(end=pb.End())
    stream.next("chunk_done"), stream.next("summary")
    stream.expect_ok()


def test_half_closing_means_end(stub, latents):
    stream, _ = opened_stream(stub)
    stream.chunk(0, latents[0])
    stream.half_close()
    stream.next("chunk_accepted"), stream.next("frame"), stream.next("chunk_done")
    assert stream.next("summary").frames == 1
    stream.expect_ok()


def test_frames_come_in_fragments(stub, tmp_path):
    path = str(tmp_path / "latents.safetensors")
    processes.first_latents(path, 1)
    _, _, payload = processes.read_tensor(path, "latents")
    stream, opened = opened_stream(
        stub, geometry=pb.Geometry(height=192, width=320),
        latent_format=pb.LatentFormat(dtype=pb.DTYPE_F16, axes=pb.AXES_CTHW,
                                      domain=pb.DOMAIN_NORMALISED),
        output=pb.Output(pixel_format=pb.PIXEL_FORMAT_RGB24, fragment_bytes=65536))
    stream.chunk(0, payload)
    stream.next("chunk_accepted")
    parts = [stream.next("frame") for _ in range(3)]
    assert [(part.fragment.index, part.fragment.count) for part in parts] == [
        (0, 3), (1, 3), (2, 3)]
    assert [len(part.payload) for part in parts] == [65536, 65536, opened.frame_bytes - 131072]
    stream.send(end=pb.End())
    stream.next("chunk_done"), stream.next("summary")
    stream.expect_ok()


def test_without_frame_credit_decoding_pauses_and_pings_are_answered(stub, latents, expected):
    stream, opened = opened_stream(stub, delivery=pb.Delivery(initial_frame_credits=2))
    assert opened.frame_credits == 2
    stream.chunk(0, latents[0] + latents[1], latents=2)
    stream.next("chunk_accepted")
    frames, _ = read_frames(stream, 2, 0, 0)
    stream.send(ping=pb.Ping(payload=b"abcd", client_time_ns=5))
    pong = stream.next("pong")
    assert (pong.payload, pong.client_time_ns) == (b"abcd", 5)
    stream.send(credit=pb.Credit(frames=3))
    frames += read_frames(stream, 3, 2, 0)[0]
    assert frames == expected[:5]
    stream.next("chunk_done")
    stream.send(end=pb.End())
    stream.next("summary")
    stream.expect_ok()


def test_reset_begins_a_new_history(stub, latents, expected):
    stream, _ = opened_stream(stub)
    stream.chunk(0, latents[2])
    stream.send(reset=pb.Reset(at_chunk_seq=1))
    stream.chunk(1, latents[0] + latents[1], latents=2)
    stream.send(end=pb.End())
    # A chunk is accepted while the one before it is decoded: the two answers may cross.
    came = {"chunk_accepted": [], "frame": [], "chunk_done": [], "summary": []}
    for response in stream.call:
        kind = response.WhichOneof("message")
        if kind != "input_credit":
            came[kind].append(getattr(response, kind))
    assert [(a.frame_count, a.epoch) for a in came["chunk_accepted"]] == [(1, 0), (5, 1)]
    assert [(f.frame_index, f.epoch) for f in came["frame"]] == [(0, 0)] + [
        (index, 1) for index in range(1, 6)]
    assert [f.payload for f in came["frame"][1:]] == expected[:5]
    assert came["summary"][0].resets == 1
    stream.expect_ok()


@pytest.mark.parametrize("change, code, reason, field", [
    (dict(model="other"), "NOT_FOUND", "UNKNOWN_MODEL", "model"),
    (dict(geometry=pb.Geometry(height=60, width=64)), "INVALID_ARGUMENT", "BAD_GEOMETRY", "height"),
    (dict(latent_format=pb.LatentFormat(axes=pb.AXES_CTHW, domain=pb.DOMAIN_RAW)),
     "INVALID_ARGUMENT", "BAD_DTYPE", "dtype"),
    (dict(latent_format=pb.LatentFormat(dtype=pb.DTYPE_F16, domain=pb.DOMAIN_RAW)),
     "INVALID_ARGUMENT", "BAD_LAYOUT", "axes"),
    (dict(output=pb.Output()), "INVALID_ARGUMENT", "BAD_FORMAT", "pixel_format"),
    (dict(client_ref="x" * 65), "INVALID_ARGUMENT", "BAD_OPTION", "client_ref"),
    (dict(resume=pb.Resume(token="x")), "UNIMPLEMENTED", "NOT_IMPLEMENTED", ""),
])
def test_an_open_that_is_refused(stub, change, code, reason, field):
    stream = Stream(stub)
    stream.send(open=open_message(**change))
    got_code, got_reason, metadata, _ = stream.failure()
    assert (got_code, got_reason) == (code, reason)
    assert field in metadata.get("field", "")
    if field:
        assert metadata["got"] and metadata["allowed"]


def test_the_order_of_messages(stub, latents):
    stream = Stream(stub)
    stream.send(end=pb.End())
    assert stream.failure()[:2] == ("FAILED_PRECONDITION", "OPEN_EXPECTED")

    stream, _ = opened_stream(stub)
    stream.send(open=open_message())
    assert stream.failure()[:2] == ("FAILED_PRECONDITION", "OPEN_REPEATED")

    stream, _ = opened_stream(stub)
    stream.chunk(1, latents[0])
    code, reason, metadata, _ = stream.failure()
    assert (code, reason) == ("FAILED_PRECONDITION", "CHUNK_SEQ_GAP")
    assert (metadata["got"], metadata["allowed"]) == ("1", "0")

    stream, _ = opened_stream(stub)
    stream.chunk(0, latents[0])
    stream.send(end=pb.End())
    stream.chunk(1, latents[1])
    assert stream.failure()[:2] == ("FAILED_PRECONDITION", "CHUNK_AFTER_END")


def test_more_chunks_than_credits_end_the_stream(stub, latents):
    stream, opened = opened_stream(stub, delivery=pb.Delivery(initial_frame_credits=1))
    for seq in range(opened.input_credits.chunks + 2):
        stream.chunk(seq, latents[1])
    assert stream.failure()[:2] == ("RESOURCE_EXHAUSTED", "INPUT_OVERRUN")


def test_a_refused_chunk_does_not_end_the_stream(stub, latents, expected):
    stream, opened = opened_stream(stub)
    too_long = opened.limits.max_chunk_latents + 1
    nan = struct.pack("<f", float("nan")) + latents[0][4:]
    for payload, count, reason in ((latents[0][:-1], 1, "PAYLOAD_SIZE_MISMATCH"),
                                   (latents[0], too_long, "CHUNK_TOO_LONG"),
                                   (latents[0], 0, "BAD_OPTION"),
                                   (nan, 1, "NON_FINITE_LATENT")):
        stream.chunk(0, payload, latents=count)
        error = stream.next("chunk_error")
        assert (error.chunk_seq, error.reason) == (0, reason)
        assert error.message and error.field
    stream.chunk(0, latents[0])
    stream.next("chunk_accepted")
    assert read_frames(stream, 1, 0, 0)[0] == expected[:1]
    stream.send(end=pb.End())
    stream.next("chunk_done")
    assert stream.next("summary").chunk_errors == 4
    stream.expect_ok()


def test_models_and_server(stub):
    (model,) = stub.ListModels(pb.ListModelsRequest()).models
    assert (model.name, model.family, model.latent_channels) == ("demo", "wan21", 16)
    assert stub.GetModel(pb.GetModelRequest(name="demo")) == model
    assert stub.GetServerInfo(pb.GetServerInfoRequest()).version
    with pytest.raises(grpc.RpcError) as caught:
        stub.GetModel(pb.GetModelRequest(name="other"))
    assert parse(caught.value)[:2] == ("NOT_FOUND", "UNKNOWN_MODEL")


def test_the_server_full(latents):
    with processes.Server("--max-sessions", "1") as server, \
            grpc.insecure_channel(server.address) as channel:
        stub = decode_pb2_grpc.DecoderStub(channel)
        first, _ = opened_stream(stub)
        second = Stream(stub)
        second.send(open=open_message())
        code, reason, _, details = second.failure()
        assert (code, reason) == ("RESOURCE_EXHAUSTED", "NO_CAPACITY_SESSIONS")
        retry = error_details_pb2.RetryInfo()
        assert details[1].Unpack(retry)
        assert retry.retry_delay.ToMilliseconds() > 0
        first.send(end=pb.End())
        first.next("summary")
        first.expect_ok()
