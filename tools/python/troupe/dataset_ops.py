"""Datasets: elements that are made one after another, each a nest of tensors."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import dtypes, math_ops, nest, op_call, stacks
from troupe.array_ops import constant, where
from troupe.captured_function import CapturedFunction, normalized
from troupe.conversion import convert_to_tensor
from troupe.dataset_methods import LaterMethods
from troupe.dataset_specs import (
    batched, element_of, public_class, public_type, shape_of, structure_of, unbatched, wire, wire_rows, wire_shapes, wire_types)
from troupe.dataset_states import common_shape
from troupe.dataset_transformations import Transformations, from_generator
from troupe.ops import get_seed
from troupe.tensor_shape import TensorShape, as_shape
from troupe.tensor_util import constant_value, constant_value_as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from troupe.dataset_iterators import Iterator
    from troupe.graph import Graph
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike

AUTOTUNE = -1
_MOST = 9223372036854775807


def int64_of(value: TensorLike, name: str) -> Tensor:
    return convert_to_tensor(value, dtypes.int64, name=name)


def _pack_shapes(structure, flat):
    return nest.pack_sequence_as(structure, flat)


class Elements:
    """What elements are like, by `_types` and `_shapes`."""

    @property
    def output_types(self) -> Any:
        """The types of an element, in its nest."""
        return nest.pack_sequence_as(self._types, map(public_type, nest.flatten(self._types)))

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element, in its nest."""
        return self._shapes

    @property
    def output_classes(self) -> Any:
        """The classes of what is in an element: Tensor, SparseTensor, RaggedTensor or Dataset."""
        return nest.pack_sequence_as(self._types, map(public_class, nest.flatten(self._types)))

    @property
    def element_spec(self) -> Any:
        """What elements are like as one nest of tf.TensorSpec and its like."""
        from troupe.type_specs import spec_of

        return nest.pack_sequence_as(self._types, map(spec_of, nest.flatten(self._types), nest.flatten_shapes(self._shapes)))


class Dataset(Transformations, LaterMethods, Elements):
    """A dataset by the operation that makes it. Its functions give other datasets; lists among elements become tensors, tuples and
    dictionaries are nests."""

    def __init__(self, variant: Tensor, types: Nest, shapes: Nest) -> None:
        self._variant, self._types, self._shapes = variant, types, shapes
        self._functions = []

    @property
    def graph(self) -> Graph:
        return self._variant.graph

    def _flat(self):
        """The attrs of what the elements are."""
        return {"output_types": wire_types(self._types), "output_shapes": wire_shapes(self._types, self._shapes)}

    def __repr__(self):
        return f"<{type(self).__name__} shapes: {self._shapes}, types: {self._types}>"

    def __iter__(self):
        raise RuntimeError("dataset.__iter__() is only supported when eager execution is enabled.")

    # Sources.

    @staticmethod
    def _of_op(op_type, types, shapes, **arguments):
        if "output_types" in stacks.get_default_graph()._op_def(op_type).attrs_by_name:
            arguments.update(output_types=wire_types(types), output_shapes=wire_shapes(types, shapes))
        return Dataset(op_call.call(op_type, None, **arguments), types, shapes)

    @staticmethod
    def from_tensors(tensors: Nest, name: str | None = None) -> Dataset:
        """One element."""
        with stacks.get_default_graph().name_scope("normalize_element"):
            element = normalized(tensors, itertools.count())
        types, shapes = structure_of(element)
        made = op_call.call("TensorDataset", None, components=[wire(t) for t in nest.flatten(element)], output_shapes=wire_shapes(types, shapes))
        return Dataset(made, types, shapes)

    @staticmethod
    def from_tensor_slices(tensors: Nest, name: str | None = None) -> Dataset:
        """An element for each row. ValueError for tensors of other numbers of rows, and for scalars."""
        with stacks.get_default_graph().name_scope("normalize_element"):
            element = normalized(tensors, itertools.count())
        flat = nest.flatten(element)
        if not flat:
            raise ValueError("Invalid `tensors`. `tensors` is an empty structure.")
        for t in flat:
            flat[0].shape.with_rank_at_least(1)[0].assert_is_compatible_with(t.shape.with_rank_at_least(1)[0])
        types, shapes = unbatched(structure_of(element)[0]), _pack_shapes(element, [t.shape[1:] for t in flat])
        made = op_call.call("TensorSliceDataset", None, components=[wire_rows(t) for t in flat], output_shapes=wire_shapes(types, shapes))
        return Dataset(made, types, shapes)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """(indices, values, shape) of each row of a sparse tensor. TypeError for anything else."""
        if not hasattr(sparse_tensor, "dense_shape"):
            raise TypeError(f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor` object. Got {type(sparse_tensor)}.")
        sparse, = nest.flatten(normalized((sparse_tensor,)))
        rank = sparse.dense_shape.shape.as_list()[0]
        rank = None if rank is None else rank - 1
        made = op_call.call("SparseTensorSliceDataset", None, indices=sparse.indices, values=sparse.values, dense_shape=sparse.dense_shape)
        return Dataset(made, (dtypes.int64, sparse.dtype.base_dtype, dtypes.int64),
                       (TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])))

    @staticmethod
    def range(*args: TensorLike, output_type: DTypeLike = dtypes.int64, name: str | None = None) -> Dataset:
        """int64 numbers: of (stop), (start, stop) or (start, stop, step)."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        return Dataset._of_op("RangeDataset", dtypes.as_dtype(output_type), TensorShape([]), start=int64_of(start, "start"),
                              stop=int64_of(stop, "stop"), step=int64_of(step, "step"))

    @staticmethod
    def zip(*args: Any, datasets: Nest = None, name: str | None = None) -> Dataset:
        """A dataset of the nests that the elements of these make, as long as the shortest. TypeError for a list."""
        datasets = datasets if datasets is not None else args[0] if len(args) == 1 else args
        if isinstance(datasets, list):
            raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python "
                            "`list` is not supported and you should use `tuple` instead.")
        flat = nest.flatten(datasets)
        for d in flat:
            if not isinstance(d, Dataset):
                raise TypeError(f"Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
                                f"Encountered object of type {type(d)}.")
        types, shapes = (nest.pack_sequence_as(datasets, [getattr(d, part) for d in flat]) for part in ("_types", "_shapes"))
        return Dataset._of_op("ZipDataset", types, shapes, input_datasets=[d._variant for d in flat])

    @staticmethod
    def from_generator(generator: Callable[..., Iterable[Any]], output_types: Nest = None, output_shapes: Nest = None,
                       args: Sequence[TensorLike] | None = None, output_signature: Nest = None, name: str | None = None) -> Dataset:
        """What an iterator gives that a Python function makes: see dataset_transformations.from_generator. `output_signature`: types and shapes as
        a nest of tf.TensorSpec."""
        if output_signature is not None:
            if output_types is not None or output_shapes is not None:
                raise TypeError("The `output_types` and `output_shapes` arguments can not be used together with the `output_signature` argument.")
            from troupe.type_specs import types_and_shapes

            output_types, output_shapes = types_and_shapes(output_signature)
        if output_types is None:
            raise TypeError("Either `output_types` or `output_signature` must be specified.")
        return from_generator(Dataset, generator, output_types, output_shapes, args)

    @staticmethod
    def list_files(file_pattern: TensorLike, shuffle: bool | None = None, seed: int | None = None, name: str | None = None) -> Dataset:
        """The names of the files that a pattern matches, shuffled unless told not to."""
        pattern = convert_to_tensor(file_pattern, dtypes.string, name="file_pattern")
        found = op_call.call("MatchingFiles", None, pattern=pattern)
        files = Dataset.from_tensor_slices(found)
        if shuffle is None or shuffle:
            from troupe.math_ops import maximum
            from troupe.array_ops import shape

            files = files.shuffle(maximum(shape(found, out_type=dtypes.int64)[0], int64_of(1, "one")), seed=seed)
        return files

    # One of another.

    def _like(self, op_type, types=None, shapes=None, **arguments):
        types, shapes = self._types if types is None else types, self._shapes if shapes is None else shapes
        return Dataset._of_op(op_type, types, shapes, input_dataset=self._variant, **arguments)

    def _function(self, function, name):
        return CapturedFunction(function, self._types, self._shapes, f"Dataset_{name}_{getattr(function, '__name__', 'f').strip('<>')}")

    def map(self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None, deterministic: bool | None = None,
            name: str | None = None) -> Dataset:
        """What a function of an element gives; several at a time with num_parallel_calls, in their order unless not deterministic."""
        made = self._function(map_func, "map")
        types, shapes = structure_of(made.result)
        arguments = {"f": made, "other_arguments": made.arguments()}
        if num_parallel_calls is None:
            return self._like("MapDataset", types, shapes, preserve_cardinality=False, **arguments)
        order = "default" if deterministic is None else "true" if deterministic else "false"
        return self._like("ParallelMapDatasetV2", types, shapes, num_parallel_calls=int64_of(num_parallel_calls, "num_parallel_calls"),
                          deterministic=order, preserve_cardinality=False, **arguments)

    def _map_to_datasets(self, function, name):
        made = self._function(function, name)
        if not isinstance(made.result, Dataset):
            raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {type(made.result)!r}.")
        return made

    def flat_map(self, map_func: Callable[..., Dataset], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function gives, one after another."""
        made = self._map_to_datasets(map_func, "flat_map")
        return self._like("FlatMapDataset", made.result._types, made.result._shapes, f=made, other_arguments=made.arguments())

    def interleave(self, map_func: Callable[..., Dataset], cycle_length: TensorLike | None = None, block_length: TensorLike | None = None,
                   num_parallel_calls: TensorLike | None = None, deterministic: bool | None = None, name: str | None = None) -> Dataset:
        """The same, `block_length` elements of each of `cycle_length` datasets at a time."""
        made = self._map_to_datasets(map_func, "interleave")
        cycle = AUTOTUNE if cycle_length is None else cycle_length
        if num_parallel_calls is None and cycle == AUTOTUNE:
            cycle = 10
        arguments = {"f": made, "other_arguments": made.arguments(), "cycle_length": int64_of(cycle, "cycle_length"),
                     "block_length": int64_of(1 if block_length is None else block_length, "block_length")}
        types, shapes = made.result._types, made.result._shapes
        if num_parallel_calls is None:
            return self._like("InterleaveDataset", types, shapes, **arguments)
        order = "default" if deterministic is None else "true" if deterministic else "false"
        return self._like("ParallelInterleaveDatasetV4", types, shapes, buffer_output_elements=AUTOTUNE, prefetch_input_elements=AUTOTUNE,
                          num_parallel_calls=int64_of(num_parallel_calls, "num_parallel_calls"), deterministic=order, **arguments)

    def filter(self, predicate: Callable[..., TensorLike], name: str | None = None) -> Dataset:
        """The elements that a function gives true for. ValueError for one that gives no boolean scalar."""
        made = self._function(predicate, "filter")
        if nest.is_nested(made.result) or not hasattr(made.result, "op") or made.result.dtype.base_dtype is not dtypes.bool_ or made.result.shape.rank not in (0, None):
            raise ValueError(f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                             f"{made.result}.")
        return self._like("FilterDataset", predicate=made, other_arguments=made.arguments())

    def take_while(self, predicate: Callable[..., TensorLike], name: str | None = None) -> Dataset:
        """The elements before the first that a function gives false for."""
        made = self._function(predicate, "take_while")
        return self._like("TakeWhileDataset", predicate=made, other_arguments=made.arguments())

    def reduce(self, initial_state: Nest, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The tensors that a function of (state, element) leaves in the end."""
        state = normalized(initial_state)
        flat = nest.flatten(state)
        types, shapes = structure_of(state)
        made = CapturedFunction(reduce_func, (types, self._types), (shapes, self._shapes), "Dataset_reduce")
        kept = [a if a.is_compatible_with(b) and a.rank is not None else TensorShape(None)
                for a, b in zip(map(shape_of, nest.flatten(made.result)), map(shape_of, flat))]
        kept = nest.pack_sequence_as(state, kept)
        result = op_call.call("ReduceDataset", None, input_dataset=self._variant, initial_state=[wire(t) for t in flat], other_arguments=made.arguments(),
                              f=made, output_types=wire_types(types), output_shapes=wire_shapes(types, kept))
        return element_of(types, result, kept)

    def batch(self, batch_size: TensorLike, drop_remainder: bool | Tensor = False, num_parallel_calls: TensorLike | None = None,
              deterministic: bool | None = None, name: str | None = None) -> Dataset:
        """`batch_size` elements at a time, stacked; the last batch may be smaller, unless it is dropped."""
        size, drop = int64_of(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        rows = self._rows(size, drop)
        shapes = [as_shape([rows]).concatenate(as_shape(s)) for s in nest.flatten_shapes(self._shapes)]
        shapes = _pack_shapes(self._types, shapes)
        return self._like("BatchDatasetV2", batched(self._types), shapes, batch_size=size, drop_remainder=drop)

    @staticmethod
    def _rows(size, drop):
        """How many rows each batch has, or None."""
        return int(constant_value(size)) if constant_value(drop) and constant_value(size) is not None else None

    def padded_batch(self, batch_size: TensorLike, padded_shapes: Nest = None, padding_values: Nest = None, drop_remainder: bool | Tensor = False,
                     name: str | None = None) -> Dataset:
        """The same, each element padded to the shape of `padded_shapes`: None or -1 is the largest of the batch."""
        size, drop = int64_of(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        flat_types, flat_shapes = nest.flatten(self._types), nest.flatten_shapes(self._shapes)
        for t in flat_types:
            if not isinstance(t, dtypes.DType):
                raise TypeError(f"`padded_batch` is only supported for datasets that produce tensor elements but the input dataset produces elements of "
                                f"unsupported type {public_class(t)}.")
        wanted = flat_shapes if padded_shapes is None else _flatten_padded(padded_shapes, self._types)
        if any(as_shape(s).rank is None for s in wanted if not hasattr(s, "op")):
            raise ValueError("`padded_shapes` must be given for elements of unknown rank.")
        known, sizes = map(list, zip(*map(_padded, wanted)))
        given = [None] * len(flat_types) if padding_values is None else nest.flatten(padding_values)
        if len(given) == 1:
            given = given * len(flat_types)
        values = [_padding(v, t) for v, t in zip(given, flat_types)]
        rows = self._rows(size, drop)
        shapes = [as_shape([rows]).concatenate(s) for s in known]
        made = op_call.call("PaddedBatchDatasetV2", None, input_dataset=self._variant, batch_size=size, padded_shapes=sizes,
                            padding_values=values, drop_remainder=drop, output_shapes=shapes)
        return Dataset(made, self._types, _pack_shapes(self._types, shapes))

    def unbatch(self, name: str | None = None) -> Dataset:
        """An element for each row of each."""
        shapes = _pack_shapes(self._types, [as_shape(s)[1:] for s in nest.flatten_shapes(self._shapes)])
        return self._like("UnbatchDataset", unbatched(self._types), shapes)

    def shuffle(self, buffer_size: TensorLike, seed: int | None = None, reshuffle_each_iteration: bool | None = None,
                name: str | None = None) -> Dataset:
        """Each next element is any of `buffer_size` that wait; the same order each time unless it is to be another."""
        size = int64_of(buffer_size, "buffer_size")
        seed1, seed2 = _seeds(seed)
        return self._like("ShuffleDataset", buffer_size=size, seed=seed1, seed2=seed2,
                          reshuffle_each_iteration=True if reshuffle_each_iteration is None else reshuffle_each_iteration)

    def repeat(self, count: TensorLike | None = None, name: str | None = None) -> Dataset:
        """`count` times, for ever by default."""
        return self._like("RepeatDataset", count=int64_of(-1 if count is None else count, "count"))

    def take(self, count: TensorLike, name: str | None = None) -> Dataset:
        """The first `count`; all with -1."""
        return self._like("TakeDataset", count=int64_of(count, "count"))

    def skip(self, count: TensorLike, name: str | None = None) -> Dataset:
        """Without the first `count`; none with -1."""
        return self._like("SkipDataset", count=int64_of(count, "count"))

    def shard(self, num_shards: TensorLike, index: TensorLike, name: str | None = None) -> Dataset:
        """Each `num_shards`-th element, from number `index` on."""
        return self._like("ShardDataset", num_shards=int64_of(num_shards, "num_shards"), index=int64_of(index, "index"))

    def prefetch(self, buffer_size: TensorLike | None, name: str | None = None) -> Dataset:
        """With up to `buffer_size` elements made before they are asked for."""
        return self._like("PrefetchDataset", buffer_size=int64_of(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size"))

    def cache(self, filename: TensorLike = "", name: str | None = None) -> Dataset:
        """With its elements kept in memory or in a file when they are first made."""
        return self._like("CacheDataset", filename=convert_to_tensor(filename, dtypes.string, name="filename"))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """Those of another behind these. TypeError for other types."""
        if nest.flatten(self._types) != nest.flatten(dataset._types):
            raise TypeError(f"Incompatible types of input datasets: {self._types} vs. {dataset._types}.")
        pairs = zip(nest.flatten_shapes(self._shapes), nest.flatten_shapes(dataset._shapes))
        shapes = _pack_shapes(self._types, [common_shape(as_shape(a), as_shape(b)) for a, b in pairs])
        return self._like("ConcatenateDataset", shapes=shapes, another_dataset=dataset._variant)

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Dataset:
        """(number, element)."""
        return Dataset.zip((Dataset.range(start, _MOST), self))

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function of the dataset gives. TypeError if that is none."""
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    # Iterators.

    def make_one_shot_iterator(self) -> Iterator:
        from troupe.dataset_iterators import make_one_shot_iterator

        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        from troupe.dataset_iterators import make_initializable_iterator

        return make_initializable_iterator(self, shared_name)


def _seeds(seed):
    """Both seeds as tensors; what is made for them counts in the seeds of operations that follow."""
    first, second = get_seed(seed)
    first = int64_of(first or 0, "seed")
    if second is None:
        return first, int64_of(0, "seed2")
    with stacks.get_default_graph().name_scope("seed2") as scope:
        second = int64_of(second, "Const")
        none = math_ops.logical_and(math_ops.equal(first, 0), math_ops.equal(second, 0))
        return first, where(none, int64_of(2**31 - 1, "Const"), second, name=scope)


def _flatten_padded(shapes, types):
    """The shapes of a nest of them; a list of numbers is a shape."""
    if isinstance(types, dict):
        return [s for key in sorted(types) for s in _flatten_padded(shapes[key], types[key])]
    if isinstance(types, tuple):
        return [s for part, t in zip(shapes, types, strict=True) for s in _flatten_padded(part, t)]
    return [shapes if isinstance(shapes, TensorShape) or hasattr(shapes, "op") else list(shapes)]


def _padded(shape):
    """(what is known of a shape, it as a tensor)."""
    if hasattr(shape, "op"):
        return constant_value_as_shape(shape), math_ops.cast(shape, dtypes.int64)
    known = as_shape([None if d == -1 else d for d in (shape.as_list() if isinstance(shape, TensorShape) else shape)])
    return known, constant(np.array([-1 if d is None else d for d in known.as_list()], np.int64))


def _padding(value, dtype):
    if value is None:
        value = "" if dtype is dtypes.string else np.zeros([], dtype.as_numpy_dtype)
    return convert_to_tensor(value, dtype, name="padding_value")
