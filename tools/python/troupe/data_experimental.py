"""`tf.data.experimental`: functions that `Dataset.apply` takes, and functions of several datasets."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import AUTOTUNE, Dataset, int64_of

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


def _method(name):
    """A function that gives, of a method's arguments, a function of the dataset."""
    def make(*args, **kwargs):
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Dataset.{name}, for Dataset.apply."
    signature = inspect.signature(getattr(Dataset, name))
    make.__signature__ = signature.replace(parameters=[p for n, p in signature.parameters.items() if n not in ("self", "name")])
    return make


rejection_resample, snapshot = _method("rejection_resample"), _method("snapshot")
dense_to_ragged_batch, dense_to_sparse_batch = _method("ragged_batch"), _method("sparse_batch")


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
    """`block_length` elements at a time of each of `cycle_length` datasets that a function gives, in turn; the next dataset takes the place of one that ends."""
    return lambda dataset: _interleaved(dataset, map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements)


def _interleaved(dataset, map_func, cycle_length, block_length, sloppy, buffered, prefetched):
    made = dataset._map_to_datasets(map_func, "parallel_interleave")
    cycle, block = int64_of(cycle_length, "cycle_length"), int64_of(block_length, "block_length")
    return dataset._like("LegacyParallelInterleaveDatasetV2", made.result._types, made.result._shapes, f=made, other_arguments=made.arguments(),
                         cycle_length=cycle, block_length=block, buffer_output_elements=2 * block if buffered is None else int64_of(buffered, "buffered"),
                         prefetch_input_elements=2 * cycle if prefetched is None else int64_of(prefetched, "prefetched"),
                         deterministic="false" if sloppy else "default")


def Counter(start: ArrayLike = 0, step: TensorLike = 1, dtype: DType = dtypes.int64) -> Dataset:  # noqa: N802, TensorFlow's name
    """start, start + step, ... without end."""
    first = Dataset.range(1).repeat()
    counted = first.scan(np.array(start, dtype.as_numpy_dtype), lambda state, _: (state + step, state))
    return counted


def assert_cardinality(expected_cardinality: TensorLike) -> Callable[[Dataset], Dataset]:
    """The same elements. FailedPreconditionError from the step that finds that there are more or fewer."""
    return lambda dataset: dataset._like("AssertCardinalityDataset", cardinality=int64_of(expected_cardinality, "expected_cardinality"))


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Callable[[Dataset], Dataset]:
    """The same elements: datasets are on the host, and what steps do with an element on a device copies it there."""
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: TensorLike | None = None) -> Callable[[Dataset], Dataset]:
    """The same elements, with up to `buffer_size` made before they are asked for."""
    return lambda dataset: dataset.apply(copy_to_device(device)).prefetch(buffer_size)


def map_and_batch_with_legacy_function(map_func: Callable[..., Any], batch_size: int | np.integer | Tensor,
                                       num_parallel_batches: int | np.integer | Tensor | None = None, drop_remainder: bool | Tensor = False,
                                       num_parallel_calls: TensorLike | None = None) -> Callable[[Dataset], Dataset]:
    """map_and_batch: there is one kind of functions here."""
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """An element for each of a list, all of the same nest, types and shapes. ValueError for none."""
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    made = [Dataset.from_tensors(e) for e in elements]
    whole = made[0]
    for other in made[1:]:
        whole = whole.concatenate(other)
    return whole


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """The dataset that a variant is, whose elements `structure`, a nest of tf.TensorSpec and its like, describes."""
    from troupe.type_specs import types_and_shapes

    return Dataset(variant, *types_and_shapes(structure))


def to_variant(dataset: Dataset) -> Tensor:
    """The variant that a dataset is."""
    return dataset._variant


def get_structure(dataset_or_iterator: Any) -> Any:
    """What elements are like, as a nest of tf.TensorSpec and its like."""
    return dataset_or_iterator.element_spec


def make_saveable_from_iterator(iterator: Any, external_state_policy: str | None = None) -> Any:
    """What savers save the place of an iterator by, as an object of the collection SAVEABLE_OBJECTS. ValueError for a policy that is not "fail", "warn" or
    "ignore"."""
    from troupe.dataset_iterators import IteratorSaveable

    policies = {"warn": 0, "ignore": 1, "fail": 2}
    policy = "fail" if external_state_policy is None else external_state_policy
    if policy not in policies:
        raise ValueError(f"Failed to convert {policy!r} to ExternalStatePolicy. Supported values include: 'warn', 'ignore' and 'fail'")
    return IteratorSaveable(iterator._resource, policies[policy])


def _later(module, names):
    return {name: module for name in names.split()}


# Names of modules that are imported when they are first asked for.
_LATER = {**_later("dataset_readers", "CsvDataset RandomDataset SqlDataset make_batched_features_dataset make_csv_dataset parse_example_dataset"),
          **_later("dataset_states", "Reducer group_by_reducer"), **_later("optional_ops", "Optional get_next_as_optional"),
          **_later("dataset_writers", "TFRecordWriter index_table_from_dataset table_from_dataset DatasetInitializer pad_to_cardinality")}
_OPTIONS = {name: "dataset_options" for name in ("AutoShardPolicy", "AutotuneAlgorithm", "AutotuneOptions", "DistributeOptions", "ExternalStatePolicy",
                                                 "OptimizationOptions", "ThreadingOptions")}
_LATER.update(_OPTIONS)
_STRUCTURES = {"Structure": "TypeSpec", "TensorStructure": "tensor_structure", "SparseTensorStructure": "sparse_tensor_structure",
               "RaggedTensorStructure": "ragged_tensor_structure", "OptionalStructure": "OptionalSpec", "DatasetStructure": "DatasetSpec"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module("troupe." + _LATER[name]), name)
    if name in _STRUCTURES:
        return getattr(importlib.import_module("troupe.type_specs"), _STRUCTURES[name])
    raise AttributeError(f"module 'troupe.data.experimental' has no attribute {name!r}")


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
