"""Features of Examples as ragged tensors."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, check_ops, dtypes, math_ops, sort_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.ragged_tensor import RaggedTensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import DTypeLike


class RaggedFeature(namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])):
    """As many values as an example has, of the key `value_key`, as a ragged tensor. `partitions` say how they are rows of rows, by integers of other keys
    (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds) or one length (UniformRowLength), the outermost first; with `validate` the step checks them:
    InvalidArgumentError. ValueError or TypeError for arguments that cannot be."""

    RowSplits = namedtuple("RowSplits", ["key"])
    RowLengths = namedtuple("RowLengths", ["key"])
    RowStarts = namedtuple("RowStarts", ["key"])
    RowLimits = namedtuple("RowLimits", ["key"])
    ValueRowIds = namedtuple("ValueRowIds", ["key"])
    UniformRowLength = namedtuple("UniformRowLength", ["length"])
    _PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)

    def __new__(cls, dtype: DTypeLike, value_key: str | None = None, partitions: Sequence[Any] = (), row_splits_dtype: DTypeLike = dtypes.int32,
                validate: bool = False) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if value_key is not None and not value_key:
            raise ValueError("Argument `value_key` must not be empty")
        dtype, row_splits_dtype = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if dtype not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {dtype!r}")
        if row_splits_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{row_splits_dtype!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"Argument `partitions` must be a list or tuple. Received partitions={partitions} of type {type(partitions).__name__}.")
        for partition in partitions:
            if not isinstance(partition, cls._PARTITIONS):
                raise TypeError(f"Argument `partitions` must be a list of partition objects {cls._PARTITIONS}; got: {partition!r}")
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)

    def keys(self, key: str) -> dict[str, tuple[Any, Any]]:
        """{key: (type of its values, type of its row splits)} that it is made of."""
        found = {self.value_key or key: (self.dtype, self.row_splits_dtype)}
        for partition in self.partitions:
            if not isinstance(partition, RaggedFeature.UniformRowLength):
                found[partition.key] = (dtypes.int64, self.row_splits_dtype)
        return found


def ragged_of(shape: TensorShape, values: Sequence[Tensor], row_splits: Sequence[Tensor], inner_splits: Sequence[Tensor] | None = None) -> list[Any]:
    """What parsing ops give for ragged keys: ragged tensors of a batch of messages, whose shape is `shape`, vectors of one; of lists of features with
    `inner_splits`."""
    if inner_splits is not None:
        values = [RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, inner_splits)]
    if shape.rank == 0:
        return list(values)
    return [RaggedTensor.from_row_splits(v, s, validate=False) for v, s in zip(values, row_splits)]


def with_partitions(key: str, feature: RaggedFeature, found: Mapping[str, Any]) -> Any:
    """The value of a feature, of what was parsed for its keys."""
    made = found[feature.value_key or key]
    if not isinstance(made, RaggedTensor):
        for partition in reversed(feature.partitions):
            made = _of_one(made, partition, found, feature)
        return made
    outer = None
    if made.ragged_rank > 1:
        outer, made = made.row_splits, made.values
    for partition in reversed(feature.partitions):
        made = _of_batch(made, partition, found, key, feature.validate, outer)
    return made if outer is None else RaggedTensor.from_row_splits(made, outer, validate=feature.validate)


_METHODS = {RaggedFeature.RowSplits: RaggedTensor.from_row_splits, RaggedFeature.RowLengths: RaggedTensor.from_row_lengths,
            RaggedFeature.RowStarts: RaggedTensor.from_row_starts, RaggedFeature.RowLimits: RaggedTensor.from_row_limits,
            RaggedFeature.ValueRowIds: RaggedTensor.from_value_rowids}


def _of_one(values, partition, found, feature):
    """Of one message."""
    splits_dtype = feature.row_splits_dtype
    if isinstance(partition, RaggedFeature.UniformRowLength):
        count = values.nrows() if isinstance(values, RaggedTensor) else array_ops.shape(values, out_type=splits_dtype)[0]
        length = convert_to_tensor(partition.length, splits_dtype)
        return RaggedTensor.from_row_splits(values, math_ops.range(count // length + 1) * length, validate=feature.validate)
    rows = math_ops.cast(found[partition.key], splits_dtype)
    return _METHODS[type(partition)](values, rows, validate=feature.validate)


def _of_batch(ragged, partition, found, key, validate, outer):
    """Of a batch: each row of `ragged` is divided by the row of the partition's key."""
    if isinstance(partition, RaggedFeature.UniformRowLength):
        return _uniform(ragged, partition.length, validate)
    rows, checks = found[partition.key], []
    if outer is not None:
        if validate:
            checks.append(check_ops.assert_equal(outer, rows.row_splits, message=f"Feature {key}: values and partitions are not aligned"))
        rows = rows.values
    if rows.values.dtype != ragged.row_splits.dtype:
        rows = rows.with_values(math_ops.cast(rows.values, ragged.row_splits.dtype))
    with stacks.get_default_graph().control_dependencies(checks):
        if isinstance(partition, RaggedFeature.ValueRowIds):
            return _by_rowids(ragged, rows, validate)
        if isinstance(partition, RaggedFeature.RowSplits):
            rows = _without_first(rows)
        numbers = rows.values
        if not isinstance(partition, RaggedFeature.RowLengths):
            numbers = numbers + sort_ops.repeat(ragged.row_starts(), rows.row_lengths())
        method = {RaggedFeature.RowSplits: RaggedTensor.from_row_limits}.get(type(partition)) or _METHODS[type(partition)]
        return rows.with_values(method(ragged.values, numbers, validate=validate))


def _uniform(ragged, length, validate):
    if ragged.ragged_rank > 1:
        rows = ragged.values
        size = convert_to_tensor(length, ragged.row_splits.dtype)
        inner = RaggedTensor.from_row_splits(rows, math_ops.range(rows.nrows() // size + 1) * size, validate=validate)
        return RaggedTensor.from_row_splits(inner, ragged.row_splits // size, validate=validate)
    values = array_ops.reshape(ragged.values, array_ops.concat([[-1, length], array_ops.shape(ragged.values)[1:]], 0))
    return RaggedTensor.from_row_splits(values, ragged.row_splits // length, validate=validate)


def _without_first(ragged):
    """Each row without its first value; empty rows stay empty."""
    ids = ragged.value_rowids()
    places = math_ops.range(array_ops.shape(ids, out_type=ids.dtype)[0])
    kept = math_ops.not_equal(places, array_ops.gather(ragged.row_starts(), ids))
    lengths = math_ops.maximum(ragged.row_lengths() - 1, 0)
    return RaggedTensor.from_row_lengths(array_ops.boolean_mask(ragged.values, kept), lengths, validate=False)


def _by_rowids(ragged, rows, validate):
    ids = rows.value_rowids()
    most = math_ops.segment_max(rows.values + 1, ids)
    missing = array_ops.zeros(array_ops.expand_dims(rows.nrows() - array_ops.shape(most, out_type=rows.row_splits.dtype)[0], 0), most.dtype)
    counts = array_ops.concat([math_ops.maximum(most, 0), missing], 0)
    numbers = rows.values + sort_ops.repeat(math_ops.cumsum(counts, exclusive=True), rows.row_lengths())
    inner = RaggedTensor.from_value_rowids(ragged.values, numbers, math_ops.reduce_sum(counts), validate=validate)
    return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
