"""The checksum of records: CRC-32C (Castagnoli), masked as files of records have it."""

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LANES = 256
_MASK_DELTA = 0xA282EAD8


def _make_table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


_TABLE = _make_table()
_TABLE_LIST = _TABLE.tolist()


def _times(matrix, vector):
    """A matrix of bits times a vector of them; columns are numbers."""
    total, bit = 0, 0
    while vector:
        if vector & 1:
            total ^= matrix[bit]
        vector >>= 1
        bit += 1
    return total


def _after_zeros(count):
    """The matrix that makes the checksum of data of the one of the same data with `count` zero bytes behind."""
    power = [_POLYNOMIAL] + [1 << n for n in range(31)]
    for _ in range(3):
        power = [_times(power, column) for column in power]
    result = [1 << n for n in range(32)]
    while count:
        if count & 1:
            result = [_times(power, column) for column in result]
        power = [_times(power, column) for column in power]
        count >>= 1
    return result


def _by_bytes(crc, data):
    for byte in data:
        crc = (crc >> 8) ^ _TABLE_LIST[(crc ^ byte) & 0xFF]
    return crc


def crc32c(data: bytes) -> int:
    """The checksum. Much data is gone through in lanes beside one another, which are put together in the end."""
    length = len(data) // _LANES
    crc = 0xFFFFFFFF
    if length < 64:
        return _by_bytes(crc, data) ^ 0xFFFFFFFF
    lanes = np.frombuffer(data, np.uint8, length * _LANES).reshape(_LANES, length).T.copy()
    state = np.zeros(_LANES, np.uint32)
    for row in lanes:
        state = (state >> 8) ^ _TABLE[(state ^ row) & 0xFF]
    shift = _after_zeros(length)
    for lane in state.tolist():
        crc = _times(shift, crc) ^ lane
    return _by_bytes(crc, data[length * _LANES:]) ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """The checksum as it is stored, so that checksums of checksums are none of their own."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF
