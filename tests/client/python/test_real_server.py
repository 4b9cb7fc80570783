# SPDX-License-Identifier: Apache-2.0
"""causeway-server itself, in a process of its own."""
import os
import signal

import numpy as np
import pytest

import processes
from causeway import errors, safetensors

CORNER = os.path.join(processes.DEMO, "corner64.safetensors")  # 3 latents of 64x64 pixels
DEMO_LATENTS = os.path.join(processes.DEMO, "latents.safetensors")
OPEN = dict(model="demo", height=64, width=64, dtype="f32", axes="cthw", domain="normalised",
            pixel_format="rgb24")


@pytest.fixture(scope="module")
def address():
    with processes.Server() as server:
        yield server.address


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Frames of `causeway-bench run`, by pixel format and latents."""
    cache = {}

    def run(pixel_format, latents=CORNER):
        key = pixel_format, latents
        if key not in cache:
            out = str(tmp_path_factory.mktemp("bench") / "frames.safetensors")
            processes.bench_run(latents, pixel_format, out)
            dtype, shape, data = processes.read_tensor(out, "frames")
            kind = {"U8": "u1", "F16": "<f2", "F32": "<f4"}[dtype]
            cache[key] = np.frombuffer(data, kind).reshape(shape)
        return cache[key]
    return run


@pytest.fixture(scope="module")
def latents():
    return safetensors.load(CORNER)


@pytest.mark.parametrize("chunk", [1, 2, 3, None])
@pytest.mark.parametrize("pixel_format", ["f32", "rgb24"])
def test_equals_in_process_bit_for_bit(connect, address, bench, latents, pixel_format, chunk):
    with connect(address) as client, \
            client.open(**{**OPEN, "pixel_format": pixel_format}) as session:
        frames = np.stack(list(session.decode(latents, chunk)))
        assert session.end().frames == 9
    np.testing.assert_array_equal(frames, bench(pixel_format))


@pytest.mark.parametrize("pixel_format, shape, kind", [
    ("i420", (96, 64), "u1"), ("nv12", (96, 64), "u1"), ("f16", (3, 64, 64), "<f2")])
def test_every_format_has_its_shape_and_bits(connect, address, bench, latents, pixel_format, shape,
                                             kind):
    with connect(address) as client, \
            client.open(**{**OPEN, "pixel_format": pixel_format}) as session:
        frames = list(session.decode(latents))
    assert {(frame.shape, frame.dtype) for frame in frames} == {(shape, np.dtype(kind))}
    assert np.stack(frames).tobytes() == bench(pixel_format).tobytes()


def test_equals_in_process_on_the_demos_geometry(connect, address, bench, tmp_path):
    path = str(tmp_path / "latents.safetensors")
    processes.first_latents(path, 2)
    # In fragments, with checksums, one frame at a time, axes the other way round.
    with connect(address) as client, client.open(
            model="demo", height=192, width=320, dtype="f16", axes="tchw", domain="normalised",
            pixel_format="f32", fragment_bytes=65536, checksum=True, window=1) as session:
        frames = list(session.decode(safetensors.load(path).transpose(1, 0, 2, 3), chunk=1))
    np.testing.assert_array_equal(np.stack(frames), bench("f32", path))


def test_reset_equals_a_new_session(connect, address, bench, latents):
    with connect(address) as client, client.open(**OPEN) as session:
        frames = list(session.decode(latents[:, :2]))
        session.reset()
        frames += session.decode(latents)
        assert session.end().resets == 1
    np.testing.assert_array_equal(frames[5:], bench("rgb24"))


def test_models_and_server_are_described(connect, address):
    with connect(address) as client:
        (model,) = client.models()
        assert (model.name, model.base_width, model.latent_channels) == ("demo", 16, 16)
        assert (model.frame_rule.first_latent_frames, model.frame_rule.per_latent_frames) == (1, 4)
        assert client.model("demo") == model
        info = client.info()
        assert info.max_sessions > 0 and info.limits.max_message_bytes > 0
        with client.open(**OPEN) as session:
            assert client.info().sessions == 1
            assert client.info().reserved_bytes == session.opened.reserved_bytes > 0
            assert session.ping().round_trip_s > 0
        with pytest.raises(errors.BadRequest) as caught:
            client.model("other")
    assert caught.value.reason == "UNKNOWN_MODEL"


@pytest.mark.parametrize("change, cls, reason", [
    (dict(model="other"), errors.BadRequest, "UNKNOWN_MODEL"),
    (dict(width=8200), errors.BadRequest, "BAD_GEOMETRY"),
    (dict(fragment_bytes=5), errors.BadRequest, "BAD_OPTION"),
])
def test_what_the_server_refuses_is_raised(connect, address, change, cls, reason):
    with connect(address) as client, pytest.raises(cls) as caught:
        client.open(**{**OPEN, **change})
    assert caught.value.reason == reason
    assert caught.value.field and caught.value.got and caught.value.allowed


def test_a_refused_chunk_leaves_no_trace(connect, address, bench, latents):
    poisoned = latents[:, :1].copy()
    poisoned[3, 0, 2, 1] = np.nan
    with connect(address) as client, client.open(**OPEN, check_finite=False) as session:
        frames = list(session.decode(latents[:, :1]))
        with pytest.raises(errors.ChunkError) as caught:
            session.send(poisoned)
        assert (caught.value.reason, caught.value.chunk_seq) == ("NON_FINITE_LATENT", 1)
        frames += session.decode(latents[:, 1:])
        assert session.end().chunk_errors == 1
    np.testing.assert_array_equal(frames, bench("rgb24"))


def test_whoever_is_one_too_many_is_told_when_to_come_back(connect):
    with processes.Server("--max-sessions", "1") as server, connect(server.address) as client, \
            client.open(**OPEN):
        with pytest.raises(errors.NoCapacity) as caught:
            client.open(**OPEN)
    assert caught.value.reason == "NO_CAPACITY_SESSIONS"
    assert caught.value.retry_after > 0


def test_a_killed_server_is_unavailable(connect, latents):
    with processes.Server() as server, connect(server.address) as client, \
            client.open(**OPEN) as session:
        list(session.decode(latents[:, :1]))
        server.stop(signal.SIGKILL)
        with pytest.raises(errors.Unavailable):
            list(session.frames(follow=True))
        with pytest.raises(errors.Unavailable):
            session.send(latents)


def test_a_server_that_is_told_to_stop_delivers_what_it_accepted(connect, latents):
    with processes.Server() as server, connect(server.address) as client, \
            client.open(**OPEN) as session:
        session.send(latents)
        server.process.send_signal(signal.SIGTERM)
        frames = []
        with pytest.raises(errors.Unavailable) as caught:
            for frame in session.frames(follow=True):
                frames.append(frame.index)
        assert caught.value.reason == "DRAINING"
        assert frames == list(range(9))
        assert session.go_away is not None
        assert server.process.wait(processes.LIMIT_S) == 0
