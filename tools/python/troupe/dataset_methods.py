"""Methods of Dataset of later years: other batches, samples of several datasets, numbers without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, nest, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.dataset_specs import DatasetSpec, RaggedElement, SparseElement, is_composite, wire
from troupe.tensor_shape import TensorShape, as_shape
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    from troupe.dataset_ops import Dataset
    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, DTypeLike, ShapeLike, TensorLike


class LaterMethods:
    """Of Dataset: sources, batches and samples."""

    @staticmethod
    def random(seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Dataset:
        """Random int64 numbers without end, 0 <= number < 2**32; the same each time unless they are to be others in each epoch of `repeat`."""
        from troupe.dataset_ops import Dataset, _seeds

        first, second = _seeds(seed)
        if not rerandomize_each_iteration:
            return Dataset._of_op("RandomDataset", dtypes.int64, TensorShape([]), seed=first, seed2=second)
        return Dataset._of_op("RandomDatasetV2", dtypes.int64, TensorShape([]), seed=first, seed2=second, rerandomize_each_iteration=True,
                              seed_generator=op_call.call("DummySeedGenerator", None))

    @staticmethod
    def counter(start: ArrayLike = 0, step: TensorLike = 1, dtype: Any = dtypes.int64, name: str | None = None) -> Dataset:
        """start, start + step, ... without end."""
        from troupe.data_experimental import Counter

        return Counter(start, step, dtype)

    @staticmethod
    def sample_from_datasets(datasets: Sequence[Dataset], weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False,
                             rerandomize_each_iteration: bool | None = None) -> Dataset:
        """Each next element of any of the datasets: see data_experimental.sample_from_datasets."""
        from troupe.data_experimental import sample_from_datasets

        return sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
        """Each next element of the dataset whose number `choice_dataset` gives: see data_experimental.choose_from_datasets."""
        from troupe.data_experimental import choose_from_datasets

        return choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)

    def as_numpy_iterator(self) -> NoReturn:
        raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")

    def map_with_legacy_function(self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None, deterministic: bool | None = None,
                                 use_unbounded_threadpool: bool = False) -> Dataset:
        """Dataset.map: there is one kind of functions here."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Callable[..., TensorLike]) -> Dataset:
        """Dataset.filter: there is one kind of functions here."""
        return self.filter(predicate)

    def fingerprint(self) -> Tensor:
        """A uint64 scalar that datasets of the same graph share."""
        return op_call.call("DatasetFingerprint", None, input_dataset=self._variant)

    def sparse_batch(self, batch_size: TensorLike, row_shape: ShapeLike, name: str | None = None) -> Dataset:
        """`batch_size` dense elements at a time as one sparse tensor, whose rows have `row_shape`; None is the largest size of the batch. TypeError for elements
        of several tensors."""
        from troupe.dataset_ops import int64_of

        if not isinstance(self._types, dtypes.DType):
            raise TypeError("`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the given dataset has the "
                            f"following component types: {self._types}.")
        row = as_shape(row_shape)
        sizes = convert_to_tensor(np.array([-1 if d is None else d for d in row.as_list()], np.int64), name="row_shape")
        return self._like("DenseToSparseBatchDataset", SparseElement(self._types), TensorShape([None]).concatenate(row),
                          batch_size=int64_of(batch_size, "batch_size"), row_shape=sizes)

    def ragged_batch(self, batch_size: TensorLike, drop_remainder: bool | Tensor = False, row_splits_dtype: DTypeLike = dtypes.int64,
                     name: str | None = None) -> Dataset:
        """`batch_size` elements at a time, ragged where sizes are not known before; others are stacked."""
        splits = dtypes.as_dtype(row_splits_dtype)
        shapes = [as_shape(s) for s in nest.flatten_shapes(self._shapes)]
        ranks = [_ragged_rank(t, s) for t, s in zip(nest.flatten(self._types), shapes)]
        types = [t if rank is None else RaggedElement(t, rank, splits) for t, rank in zip(nest.flatten(self._types), ranks)]

        def variants(*element):
            flat = nest.flatten(element if len(element) > 1 else element[0])
            return tuple(t if rank is None else _as_ragged(t, rank, splits) for t, rank in zip(flat, ranks))

        made = self.map(variants)
        return type(made)(made._variant, nest.pack_sequence_as(self._types, types), self._shapes).batch(batch_size, drop_remainder)

    def rebatch(self, batch_size: TensorLike, drop_remainder: bool | Tensor = False, name: str | None = None) -> Dataset:
        """Batches of another size, or of these sizes in turn."""
        from troupe.dataset_ops import int64_of

        sizes, drop = int64_of(batch_size, "batch_sizes"), convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        rows = _same_size(constant_value(sizes))
        before = {as_shape(s).as_list()[0] for s in nest.flatten_shapes(self._shapes) if as_shape(s).rank is not None}
        whole = rows and len(before) == 1 and None not in before and before.pop() % rows == 0
        rows = rows if constant_value(drop) or whole else None
        shapes = [as_shape([rows]).concatenate(as_shape(s)[1:]) for s in nest.flatten_shapes(self._shapes)]
        return self._like("RebatchDatasetV2", shapes=nest.pack_sequence_as(self._types, shapes), batch_sizes=sizes, drop_remainder=drop)

    def rejection_resample(self, class_func: Callable[..., TensorLike], target_dist: TensorLike, initial_dist: TensorLike | None = None,
                           seed: int | None = None, name: str | None = None) -> Dataset:
        """(class, element) of elements that are taken so that classes come as often as `target_dist` says: see dataset_resampling."""
        from troupe.dataset_resampling import rejection_resample

        return rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def snapshot(self, path: TensorLike, compression: str | None = "AUTO", reader_func: Callable[[Dataset], Dataset] | None = None,
                 shard_func: Callable[..., TensorLike] | None = None, name: str | None = None) -> Dataset:
        """The elements as they were when they were first made, which a folder keeps: see dataset_storage."""
        from troupe.dataset_storage import snapshot

        return snapshot(self, path, compression, reader_func, shard_func)

    def save(self, path: str, compression: str | None = None, shard_func: Callable[..., TensorLike] | None = None,
             checkpoint_args: Any = None) -> Any:
        """The operation that writes all elements into a folder: see dataset_storage."""
        from troupe.dataset_storage import save

        return save(self, path, compression, shard_func)

    @staticmethod
    def load(path: str, element_spec: Any = None, compression: str | None = None, reader_func: Callable[[Dataset], Dataset] | None = None,
             wait: bool = False) -> Dataset:
        """The elements that `save` wrote: see dataset_storage."""
        from troupe.dataset_storage import load

        return load(path, element_spec, compression, reader_func, wait)


def _ragged_rank(leaf, shape):
    """How many dimensions of an element may differ in a batch, or None for what is stacked."""
    if isinstance(leaf, (SparseElement, RaggedElement, DatasetSpec)) or shape.rank is None or shape.is_fully_defined():
        return None
    return max(i for i, size in enumerate(shape.as_list()) if size is None)


def _as_ragged(tensor, rank, splits):
    """A variant of a tensor whose first dimensions may differ from others'."""
    from troupe.ragged_tensor import RaggedTensor

    if is_composite(tensor):
        return wire(tensor)
    if rank == 0:
        return op_call.call("RaggedTensorToVariant", None, rt_nested_splits=[], rt_dense_values=tensor, batched_input=False, Tsplits=splits)
    return wire(_from_tensor(RaggedTensor, tensor, rank, splits))


def _from_tensor(cls, tensor, rank, splits):
    """A tensor with its outer dimensions as rows, whose lengths are all the same."""
    from troupe import array_ops, math_ops

    with stacks.get_default_graph().name_scope("RaggedFromTensor"):
        shape = array_ops.shape(tensor, out_type=splits)
        values = array_ops.reshape(tensor, array_ops.concat([[-1], shape[rank + 1:]], 0))
        values.set_shape(TensorShape([None]).concatenate(tensor.shape[rank + 1:]))
        rows = [math_ops.reduce_prod(shape[:axis]) for axis in range(1, rank + 1)]
        nested = [math_ops.range(count + 1) * shape[axis] for axis, count in enumerate(rows, 1)]
        return cls.from_nested_row_splits(values, nested, validate=False)


def _same_size(sizes):
    """The one number that sizes are, or None."""
    if sizes is None or np.ndim(sizes) > 1 or np.size(sizes) == 0 or np.any(np.ravel(sizes) != np.ravel(sizes)[0]):
        return None
    return int(np.ravel(sizes)[0])
