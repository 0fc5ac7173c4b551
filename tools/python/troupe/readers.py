"""Readers of queues of file names: records as (key, value)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call
from troupe.record_io import TFRecordOptions

if TYPE_CHECKING:
    from typing import Any

    from troupe.queues import QueueBase
    from troupe.tensor import Operation, Tensor
    from troupe.typing import TensorLike


class ReaderBase:
    """Takes the next file from the queue where the one before is at its end; OutOfRangeError once that is closed and empty."""

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._ref, self._supports_serialize = reader_ref, supports_serialize

    reader_ref = property(lambda self: self._ref)
    supports_serialize = property(lambda self: self._supports_serialize)

    def _call(self, op_type, name, **arguments):
        return op_call.call(op_type, name, reader_handle=self._ref, **arguments)

    def read(self, queue: QueueBase | Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(key, value), both strings: "file:number" and the record."""
        return self._call("ReaderReadV2", name, queue_handle=getattr(queue, "queue_ref", queue))

    def read_up_to(self, queue: QueueBase | Tensor, num_records: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(keys, values): vectors of at most so many, of one file."""
        return self._call("ReaderReadUpToV2", name, queue_handle=getattr(queue, "queue_ref", queue), num_records=num_records)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        return self._call("ReaderNumRecordsProducedV2", name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files it is through with."""
        return self._call("ReaderNumWorkUnitsCompletedV2", name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Where it is, as a string; UnimplementedError for most."""
        return self._call("ReaderSerializeStateV2", name)

    def restore_state(self, state: TensorLike, name: str | None = None) -> Operation:
        return self._call("ReaderRestoreStateV2", name, state=state)

    def reset(self, name: str | None = None) -> Operation:
        """The operation that puts it where it was first."""
        return self._call("ReaderResetV2", name)


class WholeFileReader(ReaderBase):
    """(name, contents) of whole files."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(op_call.call("WholeFileReaderV2", name), supports_serialize=True)


class IdentityReader(ReaderBase):
    """What is in the queue, as key and value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(op_call.call("IdentityReaderV2", name), supports_serialize=True)


class LMDBReader(ReaderBase):
    """The keys and values of databases of LMDB."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(op_call.call("LMDBReader", name))


class TextLineReader(ReaderBase):
    """Lines without their ends."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(op_call.call("TextLineReaderV2", name, skip_header_lines=skip_header_lines or 0))


class FixedLengthRecordReader(ReaderBase):
    """Records of so many bytes, between a header and a footer of the file; a new one each `hop_bytes`."""

    def __init__(self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None, hop_bytes: int | None = None,
                 name: str | None = None, encoding: str | None = None) -> None:
        super().__init__(op_call.call("FixedLengthRecordReaderV2", name, record_bytes=record_bytes, header_bytes=header_bytes or 0,
                                      footer_bytes=footer_bytes or 0, hop_bytes=hop_bytes or 0, encoding=encoding or ""))


class TFRecordReader(ReaderBase):
    """Records of TFRecord files; `options` are TFRecordOptions."""

    def __init__(self, name: str | None = None, options: TFRecordOptions | str | int | None = None) -> None:
        super().__init__(op_call.call("TFRecordReaderV2", name, compression_type=TFRecordOptions(options).compression_type))
