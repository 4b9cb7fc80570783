# SPDX-License-Identifier: Apache-2.0
"""The checksum, alone and on the wire."""
import numpy as np
import pytest

from causeway import errors
from causeway.crc32c import crc32c
from causeway.v1 import decode_pb2 as pb
from fake_server import OPEN, accepted, done, frame, latents, opened, pixels, serving


def bit_by_bit(data):
    crc = 0xFFFFFFFF
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("data, crc", [
    # RFC 3720, B.4, with bytes in the order of a number; and the customary check value.
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (b"123456789", 0xE3069283),
    (b"", 0),
])
def test_published_values(data, crc):
    assert crc32c(data) == crc


def test_equals_the_definition_at_every_length():
    data = np.random.default_rng(0).integers(0, 256, 5000, np.uint8).tobytes()
    lengths = [*range(0, 20), *range(250, 263), 511, 512, 767, 768, 1000, 1279, 1280, 4096, 5000]
    for length in lengths:
        assert crc32c(data[:length]) == bit_by_bit(data[:length]), length


def test_every_byte_counts():
    data = bytearray(2000)
    seen = {crc32c(data)}
    for position in range(len(data)):
        data[position] = 1
        seen.add(crc32c(data))
        data[position] = 0
    assert len(seen) == 2001


def script(received, flip):
    def run(requests, context):
        assert next(requests).open.checksum == pb.CHECKSUM_CRC32C
        yield opened()
        chunk = next(requests).latent_chunk
        received.append((chunk.payload, chunk.crc32c))
        yield accepted(0, 0, 1)
        half = len(pixels(0)) // 2
        for part in range(2):
            payload = pixels(0).tobytes()[part * half:(part + 1) * half]
            yield frame(0, part=part, count=2, last=True, crc32c=bit_by_bit(payload) ^ flip[part])
        yield done(0, 0, 1)
        for _ in requests:
            yield pb.DecodeResponse(summary=pb.Summary(chunks=1, latents=1, frames=1))
            return
    return run


def test_both_ways_on_the_wire(connect):
    received = []
    with serving(script(received, (0, 0))) as address, connect(address) as client, \
            client.open(**OPEN, checksum=True) as session:
        (pixels_got,) = session.decode(latents(1))
        np.testing.assert_array_equal(pixels_got.reshape(-1), pixels(0))
    ((payload, crc),) = received
    assert payload == latents(1).tobytes() and crc == bit_by_bit(payload)


@pytest.mark.parametrize("flip", [(1, 0), (0, 1 << 31)])
def test_a_frame_without_its_checksum_is_not_handed_out(connect, flip):
    with serving(script([], flip)) as address, connect(address) as client, \
            client.open(**OPEN, checksum=True) as session:
        with pytest.raises(errors.DataLoss) as caught:
            list(session.decode(latents(1)))
    assert caught.value.reason == "CHECKSUM_MISMATCH"
