"""Files of records: length, its checksum, data, its checksum."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from typing import TYPE_CHECKING, Any

from troupe import errors
from troupe.crc32c import masked_crc32c

if TYPE_CHECKING:
    from collections.abc import Iterator

    from troupe.typing import Path


def framed(data: bytes) -> bytes:
    """A record as it stands in a file."""
    head = struct.pack("<Q", len(data))
    return b"".join((head, struct.pack("<I", masked_crc32c(head)), data, struct.pack("<I", masked_crc32c(data))))


class TFRecordCompressionType:
    NONE, ZLIB, GZIP = 0, 1, 2


class TFRecordOptions:
    """How a file of records is compressed: "", "ZLIB" or "GZIP", or a TFRecordCompressionType; the rest as zlib takes it when it is written."""

    _TYPES = {None: "", "": "", 0: "", "ZLIB": "ZLIB", 1: "ZLIB", "GZIP": "GZIP", 2: "GZIP"}

    def __init__(self, compression_type: TFRecordOptions | str | int | None = None, flush_mode: int | None = None,
                 input_buffer_size: int | None = None, output_buffer_size: int | None = None, window_bits: int | None = None,
                 compression_level: int | None = None, compression_method: int | None = None, mem_level: int | None = None,
                 compression_strategy: int | None = None) -> None:
        if isinstance(compression_type, TFRecordOptions):
            compression_type = compression_type.compression_type
        if compression_type not in self._TYPES:
            raise ValueError('compression_type must be one of "", "ZLIB" and "GZIP"')
        self.compression_type: str = self._TYPES[compression_type]  # type: ignore[index]
        self.flush_mode, self.input_buffer_size, self.output_buffer_size = flush_mode, input_buffer_size, output_buffer_size
        self.window_bits, self.compression_level, self.compression_method = window_bits, compression_level, compression_method
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    def _packer(self):
        """A compressor, or None."""
        if not self.compression_type:
            return None
        bits = 15 if self.window_bits is None else self.window_bits
        given = dict(level=self.compression_level, method=self.compression_method, memLevel=self.mem_level, strategy=self.compression_strategy)
        return zlib.compressobj(wbits=bits + 16 if self.compression_type == "GZIP" and 8 < bits < 16 else bits,
                                **{k: v for k, v in given.items() if v is not None})

    @classmethod
    def get_compression_type_string(cls, options: TFRecordOptions | str | int | None) -> str:
        """"", "ZLIB" or "GZIP"."""
        return cls(options).compression_type


class TFRecordWriter:
    """Writes a file of records; may be a `with` block."""

    def __init__(self, path: Path, options: TFRecordOptions | str | int | None = None) -> None:
        options = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        self._packer = options._packer()
        self._file = open(os.fspath(path), "wb")

    def write(self, record: bytes) -> None:
        data = framed(record)
        self._file.write(self._packer.compress(data) if self._packer else data)

    def flush(self) -> None:
        if self._packer:
            self._file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        if self._file.closed:
            return
        if self._packer:
            self._file.write(self._packer.flush())
        self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _checked(data, crc, what, path):
    if struct.unpack("<I", crc)[0] != masked_crc32c(data):
        raise errors.DataLossError(None, None, f"corrupted record ({what}) in {path}")
    return data


def tf_record_iterator(path: Path, options: TFRecordOptions | str | int | None = None) -> Iterator[bytes]:
    """Each record of a file. DataLossError for damaged ones."""
    path = os.fspath(path)
    compression = TFRecordOptions(options).compression_type
    try:
        with open(path, "rb") as file:
            if compression:
                data = file.read()
                file = _Bytes(gzip.decompress(data) if compression == "GZIP" else zlib.decompress(data))  # type: ignore[assignment]
            yield from _records(file, path)
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"{path}; No such file or directory") from None  # type: ignore[str-bytes-safe]


def _records(file, path):
    while head := file.read(12):
        if len(head) < 12:
            raise errors.DataLossError(None, None, f"truncated record in {path}")
        length, = struct.unpack("<Q", _checked(head[:8], head[8:], "length", path))
        rest = file.read(length + 4)
        if len(rest) < length + 4:
            raise errors.DataLossError(None, None, f"truncated record in {path}")
        yield _checked(rest[:-4], rest[-4:], "data", path)


class _Bytes:
    """Bytes that are read like a file."""

    def __init__(self, data):
        self._data, self._at = data, 0

    def read(self, count):
        self._at += count
        return self._data[self._at - count:self._at]
