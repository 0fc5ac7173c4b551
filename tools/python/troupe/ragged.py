"""`tf.ragged`, and RaggedTensor: rows of different lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, check_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.ragged_tensor import RaggedTensor, RaggedTensorValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, DTypeLike, TensorLike

__all__ = ["RaggedTensorValue", "boolean_mask", "cross", "cross_hashed", "stack", "stack_dynamic_partitions", "constant", "constant_value", "map_flat_values", "placeholder", "range", "row_splits_to_segment_ids",
           "segment_ids_to_row_splits"]


def __getattr__(name: str) -> Any:
    """Functions that few programs need."""
    if name in ("boolean_mask", "cross", "cross_hashed", "stack", "stack_dynamic_partitions"):
        from troupe import ragged_functions

        return getattr(ragged_functions, name)
    raise AttributeError(f"module 'troupe.ragged' has no attribute {name!r}")


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _is_list(value):
    return isinstance(value, (list, tuple)) or isinstance(value, np.ndarray) and value.ndim > 0


def _depth(value) -> int:
    """How many lists are in each other. ValueError where scalars are in lists of different depths."""
    depths = {None if _is_list(v) and not _scalar_depth(v) else _depth(v) for v in value} - {None} if _is_list(value) else {-1}
    if len(depths) > 1:
        raise ValueError("All scalar values must have the same nesting depth")
    return 1 + (depths.pop() if depths else _longest(value) - 1)  # type: ignore[operator]


def _scalar_depth(value) -> bool:
    """Whether there is a scalar in it."""
    return any(map(_scalar_depth, value)) if _is_list(value) else True


def _longest(value) -> int:
    return 1 + max(map(_longest, value), default=0) if _is_list(value) else 0


def _parts(pylist, dtype, ragged_rank, inner_shape):
    """(row splits of each dimension, flat values as an array) of nested lists."""
    depth = _depth(pylist) if _scalar_depth(pylist) else _longest(pylist)
    if ragged_rank is None:
        ragged_rank = max(depth - 1, 0) if inner_shape is None else max(depth - 1 - len(inner_shape), 0)
    if not 0 <= ragged_rank < max(depth, 1):
        raise ValueError(f"pylist has scalar values depth {depth}, but ragged_rank={ragged_rank}; ragged_rank must be less than scalar values depth")
    splits, values = [], list(pylist)
    for _ in np.arange(ragged_rank):
        splits.append(np.cumsum([0, *map(len, values)]))
        values = [item for row in values for item in row]
    flat = np.array(values, None if dtype is None else dtype._np)
    if flat.dtype.kind == "f" and dtype is None:
        flat = flat.astype(np.float32)
    elif flat.dtype.kind == "i" and dtype is None and np.all(np.abs(flat) < 2**31):
        flat = flat.astype(np.int32)
    return splits, flat.reshape((-1, *inner_shape)) if inner_shape is not None else flat


def _check_scalar(value, ragged_rank, inner_shape):
    if ragged_rank:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with dim(inner_shape)={len(inner_shape)}")


def constant(pylist: ArrayLike, dtype: DTypeLike | None = None, ragged_rank: int | None = None, inner_shape: Sequence[int] | None = None,
             name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64) -> RaggedTensor | Any:
    """A RaggedTensor of nested lists, of which `ragged_rank` dimensions vary: all but the first and those of `inner_shape` unless it is said; a
    tensor where none does. ValueError for scalars in lists of different depths."""
    with _scope(name, "RaggedConstant"):
        if not _is_list(pylist):
            _check_scalar(pylist, ragged_rank, inner_shape)
            return array_ops.constant(pylist, dtype)
        splits, flat = _parts(pylist, None if dtype is None else dtypes.as_dtype(dtype), ragged_rank, inner_shape)
        values = array_ops.constant(flat, dtype)
        return RaggedTensor.from_nested_row_splits(values, [array_ops.constant(s, row_splits_dtype) for s in splits], validate=False)


def constant_value(pylist: ArrayLike, dtype: DTypeLike | None = None, ragged_rank: int | None = None,
                   inner_shape: Sequence[int] | None = None, row_splits_dtype: DTypeLike = "int64") -> RaggedTensorValue | Any:
    """The same as a RaggedTensorValue, or an array."""
    known = None if dtype is None else dtypes.as_dtype(dtype)
    if not _is_list(pylist):
        _check_scalar(pylist, ragged_rank, inner_shape)
        return np.array(pylist, None if known is None else known._np)
    splits, values = _parts(pylist, known, ragged_rank, inner_shape)
    for s in reversed(splits):
        values = RaggedTensorValue(values, s.astype(dtypes.as_dtype(row_splits_dtype)._np))
    return values


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`op` of the flat values of ragged arguments, which must have the same row splits; with those. InvalidArgumentError from the step for others."""
    ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    first = ragged[0]
    if any(r.ragged_rank != first.ragged_rank for r in ragged):
        raise ValueError("Inputs must have identical ragged splits")
    checks = [check_ops.assert_equal(a, b, message="Inputs must have identical ragged splits")
              for r in ragged[1:] for a, b in zip(first.nested_row_splits, r.nested_row_splits) if a is not b]
    flat = lambda a: a.flat_values if isinstance(a, RaggedTensor) else a
    with stacks.get_default_graph().control_dependencies(checks):
        made = op(*map(flat, args), **{k: flat(v) for k, v in kwargs.items()})
        return first.with_flat_values(array_ops.identity(made) if checks else made)


def range(starts: TensorLike, limits: TensorLike | None = None, deltas: TensorLike = 1,  # noqa: A001, TensorFlow's name
          dtype: DTypeLike | None = None, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64) -> RaggedTensor:
    """A row `starts[i], starts[i] + deltas[i], ...` below `limits[i]` for each i; scalars are for all. One argument: from 0 to it."""
    starts, limits = (0, starts) if limits is None else (starts, limits)
    with _scope(name, "RaggedRange"):
        tensors = [convert_to_tensor(t, dtype) for t in (starts, limits, deltas)]
        common = max((t.dtype for t in tensors), key=[dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64].index)
        starts, limits, deltas = (math_ops.cast(t, common) for t in tensors)
        splits, values = op_call.call("RaggedRange", None, starts=starts, limits=limits, deltas=deltas, Tsplits=row_splits_dtype)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def placeholder(dtype: DTypeLike, ragged_rank: int, value_shape: Sequence[int | None] | None = None,
                name: str | None = None) -> RaggedTensor | Any:
    """What a RaggedTensorValue is fed for; its flat values have the shape [None, *value_shape]."""
    with _scope(name, "RaggedPlaceholder"):
        values = array_ops.placeholder(dtype, None if value_shape is None else [None, *value_shape], name="flat_values")
        splits = [array_ops.placeholder(dtypes.int64, [None], name=f"row_splits_{i}") for i in np.arange(ragged_rank)]
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def row_splits_to_segment_ids(splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
    """The number of its row for each value: [0, 0, 2] for [0, 2, 2, 3]."""
    with _scope(name, "RaggedSplitsToSegmentIds"):
        splits = convert_to_tensor(splits, preferred_dtype=dtypes.int64)
        ids = RaggedTensor.from_row_splits(array_ops.zeros(splits[-1:], dtypes.int32), splits, validate=False).value_rowids()
        return math_ops.cast(ids, out_type or splits.dtype)


def segment_ids_to_row_splits(segment_ids: TensorLike, num_segments: TensorLike | None = None, out_type: DTypeLike | None = None,
                              name: str | None = None) -> Tensor:
    """The reverse."""
    with _scope(name, "SegmentIdsToRaggedSplits"):
        ids = convert_to_tensor(segment_ids, preferred_dtype=dtypes.int64)
        made = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False).row_splits
        return math_ops.cast(made, out_type or ids.dtype)
