"""Derivatives by what rows are gathered from: the native library sums them up as a whole tensor, here the rows are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, stacks
from troupe.composite import IndexedSlices

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import TensorLike


def as_slices(tensor: TensorLike, prefix: str) -> Any:
    """The IndexedSlices that `tensor`, which the gradients of this name scope made, is the sum of; itself where it is none. Sums of several
    have the rows of all, as TensorFlow's. What made the sum is not run then."""
    if tensor is None:
        return None
    parts = tensor.op.inputs if tensor.op.type == "AddN" and _is_of(tensor, prefix) else [tensor]
    slices = [_rows(t, prefix) for t in parts]
    if any(s is None for s in slices):
        return tensor
    if len(slices) == 1:
        return slices[0]
    with stacks.get_default_graph().name_scope(prefix + "/"):
        values, indices = (array_ops.concat([getattr(s, what) for s in reversed(slices)], 0) for what in ("values", "indices"))
    return IndexedSlices(values, indices, slices[0].dense_shape)


def _is_of(tensor, prefix):
    return tensor.op.name.startswith(prefix + "/")


def _rows(tensor, prefix):
    """The rows of reshape(unsorted_segment_sum(rows, indices, count), shape)."""
    if tensor.op.type != "Reshape" or not _is_of(tensor, prefix):
        return None
    total, shape = tensor.op.inputs
    if total.op.type != "UnsortedSegmentSum" or not _is_of(total, prefix):
        return None
    values, indices, _ = total.op.inputs
    return IndexedSlices(values, indices, shape) if indices.shape.rank == 1 else None
