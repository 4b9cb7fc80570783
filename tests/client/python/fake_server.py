# SPDX-License-Identifier: Apache-2.0
"""A server in this process, on a free port, whose side of each stream is a script: a generator that
takes the client's messages from an iterator and yields the server's."""
import contextlib
from concurrent import futures

import grpc
import numpy as np
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from causeway.v1 import decode_pb2 as pb
from causeway.v1 import decode_pb2_grpc

CHANNELS, HEIGHT, WIDTH = 2, 16, 24
FRAME_BYTES = HEIGHT * WIDTH * 3
LATENT_ELEMENTS = CHANNELS * (HEIGHT // 8) * (WIDTH // 8)
OPEN = dict(model="fake", height=HEIGHT, width=WIDTH, dtype="f32", axes="cthw",
            domain="normalised", pixel_format="rgb24")


def latents(count, dtype=np.float32, first=0):
    """[C, count, h, w]; every element of latent t holds first + t."""
    times = np.arange(first, first + count).reshape(1, count, 1, 1)
    return np.broadcast_to(times, (CHANNELS, count, HEIGHT // 8, WIDTH // 8)).astype(dtype)


def pixels(index):
    """Of that frame: no two frames, and no two neighbours in it, are equal."""
    return ((np.arange(FRAME_BYTES) + 7 * index) % 251).astype(np.uint8)


def opened(**changes):
    fields = dict(
        session_id="0" * 32, frame_bytes=FRAME_BYTES, latent_channels=CHANNELS, frame_credits=16,
        frame_rule=pb.FrameRule(first_latent_frames=1, per_latent_frames=4),
        limits=pb.Limits(max_chunk_latents=8, max_message_bytes=1 << 20, max_pending_chunks=4,
                         max_frame_credits=64),
        input_credits=pb.InputCredit(chunks=4, bytes=1 << 20))
    return pb.DecodeResponse(opened=pb.Opened(**{**fields, **changes}))


def accepted(seq, first, count, epoch=0):
    return pb.DecodeResponse(chunk_accepted=pb.ChunkAccepted(
        chunk_seq=seq, first_frame_index=first, frame_count=count, epoch=epoch))


def done(seq, first, count):
    return pb.DecodeResponse(chunk_done=pb.ChunkDone(
        chunk_seq=seq, first_frame_index=first, frame_count=count,
        timing=pb.ChunkTiming(decode_ns=5), kernel=[pb.KernelTime(category="other", ns=3)]))


def frame(index, seq=0, *, part=0, count=1, last=False, payload=None, **fields):
    if payload is None:
        share = -(-FRAME_BYTES // count)
        payload = pixels(index).tobytes()[part * share:(part + 1) * share]
    return pb.DecodeResponse(frame=pb.Frame(
        frame_index=index, chunk_seq=seq, fragment=pb.Fragment(index=part, count=count),
        last_of_chunk=last, payload=payload, **fields))


def chunk_error(seq, reason):
    return pb.DecodeResponse(chunk_error=pb.ChunkError(
        chunk_seq=seq, reason=reason, message="refused", field="payload", got="3", allowed="4"))


def fail(context, code, reason, retry_ms=None, **metadata):
    """Ends the stream as the server does."""
    info = error_details_pb2.ErrorInfo(domain="causeway", reason=reason, metadata=metadata)
    details = [info]
    if retry_ms is not None:
        delay = duration_pb2.Duration(nanos=retry_ms * 1_000_000)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    status = status_pb2.Status(code=code.value[0], message="text")
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, "text")


class Decoder:
    """A script that keeps the protocol: sends frames as credits allow, and books what it got."""

    def __init__(self, fragments=1, **opened_fields):
        self.fragments = fragments
        self.opened = opened(**opened_fields)
        self.chunks = []  # (latents, payload, pts), accepted
        self.messages = []  # kinds, in order of arrival
        self.open = None
        self.frame_credits = self.opened.opened.frame_credits
        self.credited = 0
        self.sent = 0
        self.resets = 0
        self.waiting = []  # (index, chunk_seq, epoch, last), and None before a chunk's done

    def __call__(self, requests, context):
        self.open = next(requests).open
        yield self.opened
        next_frame, is_new, resets_at, chunk_seq, payload = 0, True, set(), 0, b""
        for request in requests:
            kind = request.WhichOneof("message")
            self.messages.append(kind)
            if kind == "latent_chunk":
                message = request.latent_chunk
                payload += message.payload
                if message.fragment.count and message.fragment.index + 1 < message.fragment.count:
                    head = message
                    continue
                if message.fragment.count:
                    assert message.latents == 0 or message.latents == head.latents
                if not is_new and message.chunk_seq in resets_at:
                    is_new = True
                self.resets += message.chunk_seq in resets_at
                count = 4 * message.latents - (3 if is_new else 0)
                self.chunks.append((message.latents, payload, message.pts))
                yield accepted(chunk_seq, next_frame, count, self.resets)
                self.waiting += [(next_frame + i, chunk_seq, self.resets, i + 1 == count)
                                 for i in range(count)]
                self.waiting.append((chunk_seq, next_frame, count, len(payload)))
                next_frame += count
                chunk_seq += 1
                is_new, payload = False, b""
            elif kind == "reset":
                resets_at.add(request.reset.at_chunk_seq)
            elif kind == "credit":
                self.credited += request.credit.frames
                self.frame_credits += request.credit.frames
            elif kind == "ping":
                yield pb.DecodeResponse(pong=pb.Pong(
                    payload=request.ping.payload, client_time_ns=request.ping.client_time_ns,
                    server_time_ns=17))
            yield from self.deliver()
            if "end" in self.messages and not self.waiting:
                yield pb.DecodeResponse(summary=pb.Summary(
                    chunks=chunk_seq, latents=sum(chunk[0] for chunk in self.chunks),
                    frames=next_frame, resets=self.resets))
                return

    def deliver(self):
        while self.waiting:
            if isinstance(self.waiting[0][3], bool):
                if self.frame_credits == 0:
                    return
                index, seq, epoch, last = self.waiting.pop(0)
                self.frame_credits -= 1
                self.sent += 1
                for part in range(self.fragments):
                    yield frame(index, seq, part=part, count=self.fragments, last=last, epoch=epoch)
            else:
                seq, first, count, payload_bytes = self.waiting.pop(0)
                yield done(seq, first, count)
                yield pb.DecodeResponse(
                    input_credit=pb.InputCredit(chunks=1, bytes=payload_bytes))


class _Servicer(decode_pb2_grpc.DecoderServicer):
    def __init__(self, script):
        self.script = script

    def Decode(self, request_iterator, context):
        yield from self.script(request_iterator, context)

    def ListModels(self, request, context):
        model = self.GetModel(pb.GetModelRequest(name="fake"), context)
        return pb.ListModelsResponse(models=[model])

    def GetModel(self, request, context):
        if request.name != "fake":
            fail(context, grpc.StatusCode.NOT_FOUND, "UNKNOWN_MODEL", field="name",
                 got=request.name, allowed="fake")
        return pb.Model(
            name="fake", family="wan21", latent_channels=CHANNELS, replay_latents=38,
            frame_rule=pb.FrameRule(first_latent_frames=1, per_latent_frames=4),
            geometries=[pb.GeometryCost(geometry=pb.Geometry(height=16, width=24), state_bytes=9)],
            geometry_limits=pb.GeometryLimits(multiple_of=8, min=8, max=8192))

    def GetServerInfo(self, request, context):
        return pb.ServerInfo(version="1.2.3", capabilities=["crc32c"], max_sessions=5)


@contextlib.contextmanager
def serving(script):
    """Yields the address of a server with that script."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    decode_pb2_grpc.add_DecoderServicer_to_server(_Servicer(script), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()
