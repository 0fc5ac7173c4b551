"""`tf.data.experimental`: functions that `Dataset.apply` takes, and functions of several datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import AUTOTUNE, Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, Nest, TensorLike

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


_Transformation = Callable[[Dataset], Dataset]


def bucket_by_sequence_length(element_length_func: Callable[..., TensorLike], bucket_boundaries: Sequence[int], bucket_batch_sizes: Sequence[int],
                              padded_shapes: Nest = None, padding_values: Nest = None, pad_to_bucket_boundary: bool = False,
                              no_padding: bool = False, drop_remainder: bool | Tensor = False) -> _Transformation:
    """Dataset.bucket_by_sequence_length, for Dataset.apply."""
    return lambda dataset: dataset.bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes,
                                                             padding_values, pad_to_bucket_boundary, no_padding, drop_remainder)


def group_by_window(key_func: Callable[..., TensorLike], reduce_func: Callable[[Tensor, Dataset], Dataset], window_size: TensorLike | None = None,
                    window_size_func: Callable[[Tensor], TensorLike] | None = None) -> _Transformation:
    """Dataset.group_by_window, for Dataset.apply."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning: bool = False) -> _Transformation:
    """Dataset.ignore_errors, for Dataset.apply."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def scan(initial_state: Nest, scan_func: Callable[[Any, Any], tuple[Any, Any]]) -> _Transformation:
    """Dataset.scan, for Dataset.apply."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., TensorLike]) -> _Transformation:
    """Dataset.take_while, for Dataset.apply."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> _Transformation:
    """Dataset.unbatch, for Dataset.apply."""
    return lambda dataset: dataset.unbatch()


def unique() -> _Transformation:
    """Dataset.unique, for Dataset.apply."""
    return lambda dataset: dataset.unique()


def enumerate_dataset(start: TensorLike = 0) -> _Transformation:
    """Dataset.enumerate, for Dataset.apply."""
    return lambda dataset: dataset.enumerate(start)


def shuffle_and_repeat(buffer_size: TensorLike, count: TensorLike | None = None, seed: int | None = None) -> Callable[[Dataset], Dataset]:
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(map_func: Callable[..., Any], batch_size: int | np.integer | Tensor, num_parallel_batches: int | np.integer | Tensor | None = None,
                  drop_remainder: bool | Tensor = False, num_parallel_calls: TensorLike | None = None) -> Callable[[Dataset], Dataset]:
    """Dataset.map, then Dataset.batch. ValueError for both kinds of parallel calls."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
                         f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}.")
    calls = batch_size * num_parallel_batches if num_parallel_batches is not None else num_parallel_calls
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


def parallel_interleave(map_func: Callable[..., Dataset], cycle_length: TensorLike, block_length: TensorLike = 1, sloppy: bool = False,
                        buffer_output_elements: int | None = None, prefetch_input_elements: int | None = None) -> Callable[[Dataset], Dataset]:
    """Dataset.interleave with `cycle_length` parallel calls."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy)


def Counter(start: ArrayLike = 0, step: TensorLike = 1, dtype: DType = dtypes.int64) -> Dataset:  # noqa: N802, TensorFlow's name
    """start, start + step, ... without end."""
    first = Dataset.range(1).repeat()
    counted = first.scan(np.array(start, dtype.as_numpy_dtype), lambda state, _: (state + step, state))
    return counted


def cardinality(dataset: Dataset) -> Tensor:
    return dataset.cardinality()


def get_single_element(dataset: Dataset) -> Any:
    return dataset.get_single_element()


def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False) -> Dataset:
    """Each next element of the dataset whose number `choice_dataset` gives. TypeError for numbers that are not int64 scalars."""
    if choice_dataset.output_types is not dtypes.int64:
        raise TypeError("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar tensors of dtype `tf.int64`.")
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return Dataset._of_op("DirectedInterleaveDataset", datasets[0]._types, datasets[0]._shapes, selector_input_dataset=choice_dataset._variant,
                          data_input_datasets=[d._variant for d in datasets], stop_on_empty_dataset=stop_on_empty_dataset)


def sample_from_datasets(datasets: Sequence[Dataset], weights: ArrayLike | None = None, seed: int | None = None,
                         stop_on_empty_dataset: bool = False) -> Dataset:
    """Each next element of any of the datasets, which are as likely as `weights` say."""
    from troupe import random_ops

    given = np.full(len(datasets), 1 / len(datasets)) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (len(datasets),):
        raise ValueError(f"Invalid `weights`. The shape of `weights` must be compatible with `[len(datasets)]` (= [{len(datasets)}]) but got {given.shape}.")
    logits = np.log(np.maximum(given, np.finfo(np.float64).tiny))[None]
    choices = Dataset.range(1).repeat().map(lambda _: random_ops.multinomial(convert_to_tensor(logits), 1, seed=seed)[0, 0])
    return choose_from_datasets(datasets, choices, stop_on_empty_dataset)
