"""Orders, places in orders, repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks, thin
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike

thin.define(globals(), """
    dynamic_partition(data, partitions, num_partitions) = DynamicPartition
    dynamic_stitch(indices, data) = DynamicStitch
    reverse_v2(tensor, axis) = ReverseV2
    roll(input, shift, axis) = Roll
    tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="") = TensorScatterAdd
    tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="") = TensorScatterMax
    tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="") = TensorScatterMin
    tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="") = TensorScatterSub
    tensor_scatter_nd_update(tensor, indices, updates) = TensorScatterUpdate
    tensor_scatter_sub(tensor, indices, updates, bad_indices_policy="") = TensorScatterSub
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _ordered(values, axis, direction, places):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: direction={direction}")
    values = convert_to_tensor(values, name="values")
    count = values.shape.rank
    if count is None:
        raise ValueError("The rank of values must be known")
    if not -count <= axis < count:
        raise ValueError(f"Expected -{count} <= axis < {count}, got {axis}")
    last = axis in (-1, count - 1)
    order = list(range(count))
    order[axis], order[-1] = order[-1], order[axis]
    rows = values if last else array_ops.transpose(values, order)
    # The largest of what is turned round are the smallest.
    turned = rows if direction == "DESCENDING" else _turned(rows)
    size = rows.shape[-1].value
    top, indices = op_call.call("TopKV2", None, input=turned, k=array_ops.shape(rows)[-1] if size is None else size)
    made = indices if places else top if direction == "DESCENDING" else _turned(top)
    return made if last else array_ops.transpose(made, order)


def _turned(values):
    """Values in the other order; integers by all bits, so that none overflows."""
    dtype = values.dtype.base_dtype
    return op_call.call("Invert", None, x=values) if dtype.is_integer else -values


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    with _scope(name or "sort"):
        return _ordered(values, axis, direction, False)


def argsort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None) -> Tensor:
    """Where the sorted values come from; equal ones in their order."""
    with _scope(name or "argsort"):
        return _ordered(values, axis, direction, True)


def searchsorted(sorted_sequence: TensorLike, values: TensorLike, side: str = "left", out_type: DTypeLike = dtypes.int32,
                 name: str | None = None) -> Tensor:
    """Where in sorted rows values would be put in: before equals ("left") or after them."""
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    with _scope(name or "searchsorted"):
        sequence, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
        rows = array_ops.reshape(sequence, [-1, array_ops.shape(sequence)[-1]])
        sought = array_ops.reshape(values, [-1, array_ops.shape(values)[-1]])
        found = op_call.call("UpperBound" if side == "right" else "LowerBound", None, sorted_inputs=rows, values=sought, out_type=out_type)
        return array_ops.reshape(found, array_ops.shape(values))


def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each part of `input` as often as `repeats` says; without an axis, of all elements."""
    with _scope(name or "Repeat"):
        input = convert_to_tensor(input)
        repeats = math_ops.cast(convert_to_tensor(repeats, name="repeats"), dtypes.int32)
        if axis is None:
            input, axis = array_ops.reshape(input, [-1]), 0
        axis = axis % input.shape.rank
        count = array_ops.shape(input)[axis]
        repeats = array_ops.broadcast_to(array_ops.reshape(repeats, [-1]), array_ops.stack([count]))
        mask = array_ops.sequence_mask(repeats, math_ops.reduce_max(repeats))
        numbers = array_ops.tile(array_ops.expand_dims(math_ops.range(count), 1), array_ops.stack([1, math_ops.reduce_max(repeats)]))
        return array_ops.gather(input, array_ops.boolean_mask(numbers, mask), axis=axis)


def space_to_batch(input: TensorLike, paddings: TensorLike, block_size: int | None = None, name: str | None = None,
                   block_shape: TensorLike | None = None) -> Tensor:
    block = block_size if block_shape is None else block_shape
    made = array_ops.space_to_batch_nd(input, paddings=paddings, block_shape=np.array([block, block], np.int64) if np.ndim(block) == 0 else block, name=name)
    made.set_shape(made.shape.with_rank(4))
    return made


def batch_to_space(input: TensorLike, crops: TensorLike, block_size: int, name: str | None = None, block_shape: TensorLike | None = None) -> Tensor:
    block = block_size if block_shape is None else block_shape
    made = array_ops.batch_to_space_nd(input, crops=crops, block_shape=np.array([block, block], np.int64) if np.ndim(block) == 0 else block, name=name)
    made.set_shape(made.shape.with_rank(4))
    return made
