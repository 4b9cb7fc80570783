# SPDX-License-Identifier: Apache-2.0
"""CRC-32C (Castagnoli; RFC 3720, appendix B.4), in numpy: a few milliseconds a MiB.

A CRC is serial, but linear over GF(2): the data is cut into lanes of equal length whose CRCs are
computed side by side, and crc(A + B) = shift(crc(A), length of B) xor crc(B) puts them together,
in pairs. `shift` appends zero bytes, and is a look-up for each of the four bytes of a CRC.
"""
from __future__ import annotations

from typing import Union

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78  # reflected
_LANE_BYTES = 256


def _step_table(bits: int) -> _Array:
    """What `bits` zero bits make of each value of that many bits."""
    table: _Array = np.arange(1 << bits, dtype=np.uint32)
    for _ in range(bits):
        table = (table >> np.uint32(1)) ^ (table & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    return table


_BYTE = _step_table(8)
_PAIR = _step_table(16)


def _double(shift: _Array) -> _Array:
    """The tables of a shift by twice as many bytes."""
    return _apply(shift, shift)


def _apply(shift: _Array, crc: _Array) -> _Array:
    result: _Array = (shift[0][crc & 255] ^ shift[1][(crc >> 8) & 255]
                      ^ shift[2][(crc >> 16) & 255] ^ shift[3][crc >> 24])
    return result


def _lane_shifts() -> list[_Array]:
    """Shifts by 1, 2, 4, ... lanes, up to 2 GiB."""
    values = np.arange(256, dtype=np.uint32)
    crc = np.stack([values << (8 * byte) for byte in range(4)])
    shift = (crc >> 8) ^ _BYTE[crc & 255]
    lane_bits = _LANE_BYTES.bit_length() - 1
    for _ in range(lane_bits):
        shift = _double(shift)
    shifts = [shift]
    for _ in range(31 - lane_bits):
        shifts.append(_double(shifts[-1]))
    return shifts


_SHIFTS = _lane_shifts()


def crc32c(data: Union[bytes, bytearray, memoryview]) -> int:
    """The CRC-32C of the bytes; crc32c(b"123456789") is 0xE3069283."""
    octets = np.frombuffer(data, np.uint8)
    crc = 0xFFFFFFFF
    lanes = octets.size // _LANE_BYTES
    head = octets.size - lanes * _LANE_BYTES
    for octet in octets[:head].tolist():
        crc = (crc >> 8) ^ int(_BYTE[(crc ^ octet) & 255])
    if lanes == 0:
        return crc ^ 0xFFFFFFFF

    # Two bytes at a time of all lanes; [pairs of a lane, lanes] so that a step reads one row.
    pairs = octets[head:].reshape(lanes, _LANE_BYTES // 2, 2).astype(np.uint32)
    rows = np.ascontiguousarray((pairs[:, :, 0] | (pairs[:, :, 1] << 8)).T)
    crcs = np.zeros(lanes, np.uint32)
    crcs[0] = crc  # the register after the bytes before
    for row in rows:
        crcs = (crcs >> 16) ^ _PAIR[(crcs ^ row) & 0xFFFF]

    for shift in _SHIFTS:
        if crcs.size == 1:
            break
        # A lane of zeros with a zero register in front changes nothing.
        if crcs.size % 2:
            crcs = np.concatenate([np.zeros(1, np.uint32), crcs])
        crcs = _apply(shift, crcs[0::2]) ^ crcs[1::2]
    return int(crcs[0]) ^ 0xFFFFFFFF
