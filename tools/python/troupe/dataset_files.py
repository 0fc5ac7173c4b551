"""Datasets of what files hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, op_call
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import Dataset, int64_of
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from troupe.typing import TensorLike


class TextLineDataset(Dataset):
    """The lines of files, without their ends."""

    def __init__(self, filenames: TensorLike, compression_type: str | None = None, buffer_size: TensorLike | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        super().__init__(_files("TextLineDataset", filenames, compression_type, buffer_size), dtypes.string, TensorShape([]))


class TFRecordDataset(Dataset):
    """The records of files."""

    def __init__(self, filenames: TensorLike, compression_type: str | None = None, buffer_size: TensorLike | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        super().__init__(_files("TFRecordDataset", filenames, compression_type, buffer_size), dtypes.string, TensorShape([]))


class FixedLengthRecordDataset(Dataset):
    """Records of `record_bytes` bytes each, between a head and a foot of each file."""

    def __init__(self, filenames: TensorLike, record_bytes: TensorLike, header_bytes: TensorLike | None = None,
                 footer_bytes: TensorLike | None = None, buffer_size: TensorLike | None = None, compression_type: str | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        lengths = {"header_bytes": header_bytes or 0, "record_bytes": record_bytes, "footer_bytes": footer_bytes or 0}
        super().__init__(_files("FixedLengthRecordDatasetV2", filenames, compression_type, buffer_size,
                                **{n: int64_of(v, n) for n, v in lengths.items()}), dtypes.string, TensorShape([]))


def _files(op_type, filenames, compression_type, buffer_size, **more):
    names = filenames if isinstance(filenames, Dataset) else convert_to_tensor(filenames, dtypes.string, name="filenames")
    if isinstance(names, Dataset):
        raise TypeError("A dataset of file names is to be mapped with flat_map.")
    compression = convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")
    return op_call.call(op_type, None, filenames=names, compression_type=compression,
                        buffer_size=int64_of(256 * 1024 if buffer_size is None else buffer_size, "buffer_size"), **more)
