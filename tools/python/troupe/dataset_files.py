"""Datasets of what files hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, op_call
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import AUTOTUNE, Dataset, int64_of
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import TensorLike


class _Files(Dataset):
    """Of files by their names: a vector of strings, or a dataset of such. `num_parallel_reads` files at a time, whose elements come in turn."""

    def __init__(self, op_type: str, filenames: TensorLike | Dataset, compression_type: TensorLike | None, buffer_size: TensorLike | None,
                 num_parallel_reads: int | None, **more: Any) -> None:
        def of(names):
            return Dataset(_files(op_type, names, compression_type, buffer_size, **more), dtypes.string, TensorShape([]))

        if not isinstance(filenames, Dataset) and num_parallel_reads is None:
            made = of(filenames)
        else:
            made = _of_each(_as_dataset(filenames), of, num_parallel_reads)
        super().__init__(made._variant, dtypes.string, TensorShape([]))


def _as_dataset(filenames):
    if isinstance(filenames, Dataset):
        if filenames.output_types is not dtypes.string:
            raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got {filenames.output_types!r} elements.")
        return filenames
    return Dataset.from_tensor_slices(array_ops.reshape(convert_to_tensor(filenames, dtypes.string, name="filenames"), [-1]))


def _of_each(names, of, num_parallel_reads):
    from troupe.data_experimental import parallel_interleave

    if num_parallel_reads is None:
        return names.flat_map(of)
    if num_parallel_reads == AUTOTUNE:
        return names.interleave(of, num_parallel_calls=AUTOTUNE)
    return names.apply(parallel_interleave(of, num_parallel_reads))


class TextLineDataset(_Files):
    """The lines of files, without their ends."""

    def __init__(self, filenames: TensorLike | Dataset, compression_type: str | None = None, buffer_size: TensorLike | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        super().__init__("TextLineDataset", filenames, compression_type, buffer_size, num_parallel_reads)


class TFRecordDataset(_Files):
    """The records of files."""

    def __init__(self, filenames: TensorLike | Dataset, compression_type: str | None = None, buffer_size: TensorLike | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        super().__init__("TFRecordDataset", filenames, compression_type, buffer_size, num_parallel_reads)


class FixedLengthRecordDataset(_Files):
    """Records of `record_bytes` bytes each, between a head and a foot of each file."""

    def __init__(self, filenames: TensorLike | Dataset, record_bytes: TensorLike, header_bytes: TensorLike | None = None,
                 footer_bytes: TensorLike | None = None, buffer_size: TensorLike | None = None, compression_type: str | None = None,
                 num_parallel_reads: TensorLike | None = None, name: str | None = None) -> None:
        lengths = {"header_bytes": header_bytes or 0, "record_bytes": record_bytes, "footer_bytes": footer_bytes or 0}
        super().__init__("FixedLengthRecordDatasetV2", filenames, compression_type, buffer_size, num_parallel_reads,
                         **{n: int64_of(v, n) for n, v in lengths.items()})


def _files(op_type, filenames, compression_type, buffer_size, **more):
    names = convert_to_tensor(filenames, dtypes.string, name="filenames")
    compression = convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")
    return op_call.call(op_type, None, filenames=names, compression_type=compression,
                        buffer_size=int64_of(256 * 1024 if buffer_size is None else buffer_size, "buffer_size"), **more)
