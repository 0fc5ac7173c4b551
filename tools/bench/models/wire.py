"""Protobuf's wire format: the fields of a message read and written, without generated code."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def _read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """Field number and value of each field: an int of a varint, a memoryview of all else. ValueError when data is no message."""
    data, at = memoryview(data), 0
    try:
        while at < len(data):
            key, at = _read_varint(data, at)
            kind = key & 7
            if kind == _VARINT:
                value, at = _read_varint(data, at)
            else:
                if kind == _BYTES:
                    size, at = _read_varint(data, at)
                elif kind in (_FIXED64, _FIXED32):
                    size = 8 if kind == _FIXED64 else 4
                else:
                    raise ValueError(f"a field of wire type {kind}")
                if at + size > len(data):
                    raise ValueError("a field that ends behind its message")
                value, at = data[at:at + size], at + size
            yield key >> 3, value
    except IndexError:
        raise ValueError("a number that ends behind its message") from None


def signed(value):
    """An int32 or int64: below nought they are written as 64 bits."""
    return value - (1 << 64) if value >> 63 else value


def text(value):
    return bytes(value).decode(errors="replace")


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field of a message: an int (or bool) as a varint, a text or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(int(value))
    data = value.encode() if isinstance(value, str) else bytes(value)
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data
