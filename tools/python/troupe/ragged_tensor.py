"""RaggedTensor: a tensor of all values, and where the rows begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, check_ops, dtypes, math_ops, op_call, sort_ops, stacks
from troupe.composite import CompositeTensor, SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.fetches import register_session_run_conversion_functions
from troupe.ragged_rows import MoreRows
from troupe.tensor import Tensor, _session_for
from troupe.tensor_shape import TensorShape
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.monitored_session import _MonitoredSession
    from troupe.session import BaseSession
    from troupe.tensor import Operation
    from troupe.typing import DTypeLike, FeedDict, ShapeLike, TensorLike


class RaggedTensorValue:
    """What is fetched for a RaggedTensor: arrays. `values` may be ragged itself."""

    def __init__(self, values: np.ndarray | RaggedTensorValue, row_splits: np.ndarray) -> None:
        self.values, self.row_splits = values, row_splits

    flat_values = property(lambda self: self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values)
    dtype = property(lambda self: self.flat_values.dtype)
    ragged_rank = property(lambda self: 1 + getattr(self.values, "ragged_rank", 0))

    @property
    def nested_row_splits(self) -> tuple[np.ndarray, ...]:
        return (self.row_splits, *getattr(self.values, "nested_row_splits", ()))

    @property
    def shape(self) -> tuple[int | None, ...]:
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        values = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [values[begin:end] for begin, end in zip(self.row_splits[:-1], self.row_splits[1:])]

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


def _splits(value):
    return convert_to_tensor(value, preferred_dtype=dtypes.int64, name="row_splits")


def _values(value) -> Tensor | RaggedTensor:
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value, name="values")


def _count(values):
    return values.nrows() if isinstance(values, RaggedTensor) else array_ops.shape(values, out_type=dtypes.int64)[0]


def _with_conditions(tensor, checks):
    with stacks.get_default_graph().control_dependencies(checks):
        return array_ops.identity(tensor)


class RaggedTensor(MoreRows, CompositeTensor):
    """Row `i` is values[row_splits[i]:row_splits[i + 1]]; values may be ragged themselves. Made by the class methods, with `validate` the step checks
    what they are given: InvalidArgumentError. Operators work on values of the same row splits, and on scalars."""

    __array_priority__ = 101

    def __init__(self, values: Tensor | RaggedTensor, row_splits: Tensor) -> None:
        self._values, self._splits = values, row_splits

    @classmethod
    def from_row_splits(cls, values: TensorLike | RaggedTensor, row_splits: TensorLike, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:
        with stacks.get_default_graph().name_scope(name or "RaggedFromRowSplits"):
            values, splits = _values(values), _splits(row_splits)
            splits.set_shape([None])
            if validate:
                splits = _with_conditions(splits, [
                    check_ops.assert_equal(splits[:1], array_ops.zeros([1], splits.dtype), message="Arguments to from_row_splits do not form a valid RaggedTensor:zero"),
                    check_ops.assert_non_negative(splits[1:] - splits[:-1], message="Arguments to from_row_splits do not form a valid RaggedTensor:monotonic"),
                    check_ops.assert_equal(math_ops.cast(splits[-1], dtypes.int64), math_ops.cast(_count(values), dtypes.int64),
                                           message="Arguments to from_row_splits do not form a valid RaggedTensor")])
            return cls(values, splits)

    @classmethod
    def from_row_lengths(cls, values: TensorLike | RaggedTensor, row_lengths: TensorLike, name: str | None = None,
                         validate: bool = True) -> RaggedTensor:
        with stacks.get_default_graph().name_scope(name or "RaggedFromRowLengths"):
            lengths = _splits(row_lengths)
            return cls.from_row_splits(values, array_ops.concat([[0], math_ops.cumsum(lengths)], 0), validate=validate)

    @classmethod
    def from_row_starts(cls, values: TensorLike | RaggedTensor, row_starts: TensorLike, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:
        with stacks.get_default_graph().name_scope(name or "RaggedFromRowStarts"):
            values, starts = _values(values), _splits(row_starts)
            return cls.from_row_splits(values, array_ops.concat([starts, [math_ops.cast(_count(values), starts.dtype)]], 0), validate=validate)

    @classmethod
    def from_row_limits(cls, values: TensorLike | RaggedTensor, row_limits: TensorLike, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:
        with stacks.get_default_graph().name_scope(name or "RaggedFromRowLimits"):
            return cls.from_row_splits(values, array_ops.concat([[0], _splits(row_limits)], 0), validate=validate)

    @classmethod
    def from_value_rowids(cls, values: TensorLike | RaggedTensor, value_rowids: TensorLike, nrows: TensorLike | None = None,
                          name: str | None = None, validate: bool = True) -> RaggedTensor:
        """The number of its row for each value, in order; as many rows as the last one says, or `nrows`."""
        with stacks.get_default_graph().name_scope(name or "RaggedFromValueRowIds"):
            values, ids = _values(values), _splits(value_rowids)
            last = array_ops.concat([array_ops.constant([-1], ids.dtype), ids], 0)[-1] + 1
            rows = last if nrows is None else math_ops.cast(convert_to_tensor(nrows), ids.dtype)
            if validate:
                ids = _with_conditions(ids, [check_ops.assert_non_negative(ids), check_ops.assert_non_negative(ids[1:] - ids[:-1]),
                                             check_ops.assert_less_equal(last, rows)])
            lengths = op_call.call("Bincount", None, arr=math_ops.cast(ids, dtypes.int32), size=math_ops.cast(rows, dtypes.int32),
                                   weights=array_ops.constant([], ids.dtype))
            return cls.from_row_lengths(values, lengths, validate=validate)

    @classmethod
    def from_nested_row_splits(cls, flat_values: TensorLike | RaggedTensor, nested_row_splits: Sequence[TensorLike], name: str | None = None,
                               validate: bool = True) -> RaggedTensor | Any:
        """The outermost first; the values themselves where there are none."""
        made = flat_values
        for splits in reversed(list(nested_row_splits)):
            made = cls.from_row_splits(made, splits, name, validate)
        return made

    @classmethod
    def from_nested_row_lengths(cls, flat_values: TensorLike | RaggedTensor, nested_row_lengths: Sequence[TensorLike], name: str | None = None,
                                validate: bool = True) -> RaggedTensor | Any:
        made = flat_values
        for lengths in reversed(list(nested_row_lengths)):
            made = cls.from_row_lengths(made, lengths, name, validate)
        return made

    @classmethod
    def from_tensor(cls, tensor: TensorLike, lengths: TensorLike | None = None, padding: TensorLike | None = None, ragged_rank: int = 1,
                    name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64) -> RaggedTensor:
        """The rows of a matrix, or of more dimensions: of these lengths, or without what is `padding` at their ends, or whole. With a larger
        `ragged_rank`, those of a later dimension. ValueError for both, and for a `ragged_rank` that the tensor has not."""
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if ragged_rank <= 0:
            raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
        with stacks.get_default_graph().name_scope(name or "RaggedFromTensor"):
            tensor = convert_to_tensor(tensor)
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            if ragged_rank > 1:
                shape = array_ops.shape(tensor, out_type=row_splits_dtype)
                flat = array_ops.reshape(tensor, array_ops.concat([shape[:1] * shape[1:2], shape[2:]], 0))
                rows = cls.from_tensor(flat, lengths, padding, ragged_rank - 1, row_splits_dtype=row_splits_dtype)
                return cls(rows, math_ops.range(shape[0] + 1) * shape[1])
            shape = array_ops.shape(tensor, out_type=row_splits_dtype)
            columns = math_ops.range(shape[1])
            if padding is not None:
                kept = math_ops.not_equal(tensor, convert_to_tensor(padding, tensor.dtype))
                for _ in np.arange(tensor.shape.rank - 2):  # type: ignore[operator]
                    kept = math_ops.reduce_any(kept, axis=-1)
                lengths = math_ops.reduce_max(math_ops.cast(kept, row_splits_dtype) * (columns + 1), axis=1)
            lengths = array_ops.fill(shape[:1], shape[1]) if lengths is None else math_ops.cast(convert_to_tensor(lengths), row_splits_dtype)
            values = array_ops.boolean_mask(tensor, array_ops.expand_dims(columns, 0) < array_ops.expand_dims(lengths, 1))
            return cls.from_row_lengths(values, math_ops.minimum(lengths, shape[1]), validate=False)

    @classmethod
    def from_sparse(cls, st_input: SparseTensor, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64) -> RaggedTensor:
        """The rows of a sparse matrix, whose elements must be at their beginnings: InvalidArgumentError from the step."""
        if not isinstance(st_input, SparseTensor):
            raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.")
        with stacks.get_default_graph().name_scope(name or "RaggedFromSparse"):
            rows = math_ops.cast(st_input.indices[:, 0], row_splits_dtype)
            made = cls.from_value_rowids(st_input.values, rows, st_input.dense_shape[0], validate=False)
            places = math_ops.cast(st_input.indices[:, 1], row_splits_dtype)
            wanted = math_ops.range(math_ops.cast(_count(st_input.values), row_splits_dtype)) - array_ops.gather(made.row_splits, rows)
            return cls(_with_conditions(st_input.values, [check_ops.assert_equal(places, wanted, message="SparseTensor is not right-ragged")]),
                       made.row_splits)

    # What it is.

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._splits)
    flat_values = property(lambda self: self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values)
    dtype = property(lambda self: self._values.dtype)
    graph = property(lambda self: self.flat_values.graph)
    op = property(lambda self: self.flat_values.op)
    ragged_rank = property(lambda self: 1 + getattr(self._values, "ragged_rank", 0))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        return (self._splits, *getattr(self._values, "nested_row_splits", ()))

    @property
    def shape(self) -> TensorShape:
        count = self._splits.shape.as_list()[0]
        length = None if self.uniform_row_length is None else constant_value(self.uniform_row_length)
        return TensorShape([None if count is None else count - 1, None if length is None else int(length)]).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        return self.shape

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        return math_ops.cast(array_ops.shape(self._splits, out_type=dtypes.int64)[0] - 1, out_type or self._splits.dtype)

    def row_starts(self, name: str | None = None) -> Tensor:
        return self._splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        return self._splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | Any:
        """Of each row; with a larger axis those inside, ragged themselves."""
        if axis == 1:
            return self._splits[1:] - self._splits[:-1]
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        return self.with_values(array_ops.fill([_count(self._values)], array_ops.shape(self._values, out_type=self._splits.dtype)[axis - 1]))

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The number of its row for each value."""
        return sort_ops.repeat(math_ops.range(self.nrows()), self.row_lengths())

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        return tuple(s[1:] - s[:-1] for s in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        return (self.value_rowids(), *(self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()))

    def bounding_shape(self, axis: TensorLike | None = None, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
        """The smallest shape of a tensor that holds it; or one dimension of it."""
        lengths = [math_ops.maximum(math_ops.reduce_max(n), 0) for n in self.nested_row_lengths()]
        inner = array_ops.shape(self.flat_values, out_type=self._splits.dtype)[1:]
        found = math_ops.cast(array_ops.concat([[self.nrows()], lengths, inner], 0), out_type or self._splits.dtype)
        return found if axis is None else array_ops.gather(found, axis)

    # Others of the same rows.

    def with_values(self, new_values: TensorLike | RaggedTensor) -> RaggedTensor:
        made = RaggedTensor(_values(new_values), self._splits)
        made.uniform_row_length = self.uniform_row_length
        return made

    def with_flat_values(self, new_values: TensorLike | RaggedTensor) -> RaggedTensor:
        inner = self._values.with_flat_values(new_values) if isinstance(self._values, RaggedTensor) else new_values
        return self.with_values(inner)

    def to_tensor(self, default_value: TensorLike | None = None, name: str | None = None, shape: ShapeLike = None) -> Tensor:
        """With shorter rows filled up; of this shape, whose None are as long as needed, longer rows cut off."""
        default = array_ops.zeros([], self.dtype) if default_value is None else convert_to_tensor(default_value, self.dtype)
        wanted = TensorShape(shape)
        dims = array_ops.constant(-1, dtypes.int64) if wanted.rank is None else [-1 if d is None else d for d in wanted.as_list()]
        splits = list(self.nested_row_splits)
        made = op_call.call("RaggedTensorToTensor", name, shape=array_ops.constant(dims, dtypes.int64) if isinstance(dims, list) else dims,
                            values=self.flat_values, default_value=default, row_partition_tensors=splits,
                            row_partition_types=["ROW_SPLITS"] * len(splits))
        own = self.shape
        made.set_shape(own if wanted.rank is None else [o if w is None else w for w, o in zip(wanted.as_list(), own.as_list())])
        return made

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        return SparseTensor(*op_call.call("RaggedTensorToSparse", name, rt_nested_splits=list(self.nested_row_splits),
                                          rt_dense_values=self.flat_values))

    def __getitem__(self, key: int | np.integer | Tensor | slice) -> Any:
        """A row by its number, or rows by a slice with step 1. Others: ValueError."""
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ValueError("Rows of a ragged tensor are sliced with step 1")
            starts, limits = self.row_starts()[key], self.row_limits()[key]
            kept = array_ops.concat([starts, limits[-1:]], 0)
            first = array_ops.concat([kept[:1], array_ops.zeros([1], kept.dtype)], 0)[0]
            splits = array_ops.concat([array_ops.zeros([1], kept.dtype), (limits - first)], 0)
            made = RaggedTensor(self._values[first:first + splits[-1]], splits)  # type: ignore[misc]
            made.uniform_row_length = self.uniform_row_length
            return made
        if not isinstance(key, (int, np.integer, Tensor)):
            raise ValueError(f"Unsupported key of a ragged tensor: {key!r}")
        return self._values[self.row_starts()[key]:self.row_limits()[key]]  # type: ignore[misc]

    def consumers(self) -> list[Operation]:
        return [op for t in (self.flat_values, *self.nested_row_splits) for op in t.consumers()]

    def eval(self, feed_dict: FeedDict | None = None, session: BaseSession | _MonitoredSession | None = None) -> RaggedTensorValue:
        """Its value in `session`, or in the default one. ValueError without either."""
        return _session_for(self.graph, session, "evaluate tensor", "eval").run(self, feed_dict)

    def __repr__(self):
        return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._splits!r})"


def _operator(name):
    def apply(self, *others):
        from troupe.ragged import map_flat_values

        return map_flat_values(getattr(Tensor, name), self, *others)

    return apply


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    setattr(RaggedTensor, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(RaggedTensor, f"__r{_name}__", _operator(f"__r{_name}__"))
for _name in ("lt", "le", "gt", "ge", "neg", "abs", "invert"):
    setattr(RaggedTensor, f"__{_name}__", _operator(f"__{_name}__"))


def _fetched(ragged):
    def build(arrays):
        value = arrays[0]
        for splits in reversed(arrays[1:]):
            value = RaggedTensorValue(value, splits)
        return value

    return [ragged.flat_values, *ragged.nested_row_splits], build


def _fed(ragged, value):
    return list(zip(_fetched(ragged)[0], [value.flat_values, *value.nested_row_splits]))


register_session_run_conversion_functions(RaggedTensor, _fetched, _fed, lambda ragged: _fetched(ragged)[0])
