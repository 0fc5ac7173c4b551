"""Sums, means and their like over some or all dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call, stacks
from troupe.composite import SparseTensor
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from typing import Protocol

    from troupe.tensor import Tensor
    from troupe.typing import AxisLike, DTypeLike, TensorLike

    class _Reduction(Protocol):
        def __call__(self, input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool | None = None, name: str | None = None,
                     reduction_indices: AxisLike = None, keep_dims: bool | None = None) -> Tensor: ...

__all__ = ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min", "reduce_all", "reduce_any", "reduce_logsumexp",
           "reduce_euclidean_norm", "count_nonzero", "reduce_variance", "reduce_std"]


def all_axes(tensor: Tensor, axis: AxisLike) -> TensorLike:
    """The axes that a reduction goes over; without any, all of them."""
    if axis is not None:
        return axis
    rank = tensor.shape.rank
    if rank is not None:
        return constant(np.arange(rank, dtype=np.int32))
    return op_call.call("Range", None, start=0, limit=op_call.call("Rank", None, input=tensor), delta=1)


def _only(axis, old, new_name, old_name):
    if old is not None:
        if axis is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
        return old
    return axis


def _reduction(function_name: str, op_type: str) -> _Reduction:
    def reduce(input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool | None = None, name: str | None = None,
               reduction_indices: AxisLike = None, keep_dims: bool | None = None) -> Tensor:
        axis = _only(axis, reduction_indices, "axis", "reduction_indices")
        keepdims = bool(_only(keepdims, keep_dims, "keepdims", "keep_dims"))
        tensor = convert_to_tensor(input_tensor, dtypes.bool_ if op_type in ("All", "Any") else None, name="input_tensor")
        made = op_call.call(op_type, name, input=tensor, reduction_indices=all_axes(tensor, axis), keep_dims=keepdims)
        if axis is None and not keepdims:
            made.set_shape(())
        return made

    reduce.__name__ = reduce.__qualname__ = function_name
    reduce.__doc__ = f"The op {op_type} over the dimensions `axis`, or over all; they stay, of size 1, with `keepdims`."
    return reduce


reduce_sum = _reduction("reduce_sum", "Sum")
reduce_mean = _reduction("reduce_mean", "Mean")
reduce_prod = _reduction("reduce_prod", "Prod")
reduce_max = _reduction("reduce_max", "Max")
reduce_min = _reduction("reduce_min", "Min")
reduce_all = _reduction("reduce_all", "All")
reduce_any = _reduction("reduce_any", "Any")
reduce_euclidean_norm = _reduction("reduce_euclidean_norm", "EuclideanNorm")


def reduce_variance(input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    with stacks.get_default_graph().name_scope(name or "reduce_variance"):
        tensor = convert_to_tensor(input_tensor)
        return reduce_mean(op_call.call("Square", None, x=tensor - reduce_mean(tensor, axis, True)), axis, keepdims)


def reduce_std(input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    with stacks.get_default_graph().name_scope(name or "reduce_std"):
        return op_call.call("Sqrt", None, x=reduce_variance(input_tensor, axis, keepdims))


def reduce_logsumexp(input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool | None = None, name: str | None = None,
                     reduction_indices: AxisLike = None, keep_dims: bool | None = None) -> Tensor:
    """log(sum(exp(x))), without the overflow."""
    axis = _only(axis, reduction_indices, "axis", "reduction_indices")
    keepdims = bool(_only(keepdims, keep_dims, "keepdims", "keep_dims"))
    with stacks.get_default_graph().name_scope(name or "ReduceLogSumExp") as scope:
        tensor = convert_to_tensor(input_tensor)
        most = op_call.call("StopGradient", None, input=reduce_max(tensor, axis, True))
        finite = op_call.call("IsFinite", None, x=most)
        most = op_call.call("Select", None, condition=finite, t=most, e=op_call.call("ZerosLike", None, x=most))
        logs = op_call.call("Log", None, x=reduce_sum(op_call.call("Exp", None, x=tensor - most), axis, keepdims))
        if not keepdims:
            most = op_call.call("Reshape", None, tensor=most, shape=op_call.call("Shape", None, input=logs))
        return op_call.call("AddV2", scope, x=logs, y=most)


def count_nonzero(input_tensor: TensorLike | SparseTensor | None = None, axis: AxisLike = None, keepdims: bool | None = None,
                  dtype: DTypeLike = dtypes.int64, name: str | None = None, reduction_indices: AxisLike = None,
                  keep_dims: bool | None = None, input: TensorLike | SparseTensor | None = None) -> Tensor:
    axis = _only(axis, reduction_indices, "axis", "reduction_indices")
    with stacks.get_default_graph().name_scope(name or "count_nonzero"):
        value = input_tensor if input_tensor is not None else input
        if isinstance(value, SparseTensor):
            value = value.values
        tensor = convert_to_tensor(value)
        zero = constant("" if tensor.dtype is dtypes.string else tensor.dtype.as_numpy_dtype(0), tensor.dtype.base_dtype, name="zeros")
        some = op_call.call("Cast", None, x=op_call.call("NotEqual", None, x=tensor, y=zero), DstT=dtypes.int64)
        count = reduce_sum(some, axis, keepdims, keep_dims=keep_dims)
        return count if dtypes.as_dtype(dtype) is dtypes.int64 else op_call.call("Cast", None, x=count, DstT=dtype)
