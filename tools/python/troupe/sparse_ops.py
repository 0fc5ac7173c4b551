"""Sparse tensors: made, changed, reduced, multiplied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.composite import SparseTensor, SparseTensorValue
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.gather_ops import gather_nd

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.composite import IndexedSlices
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _sparse(value):
    """A SparseTensor of one or of its value. TypeError for anything else."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def _call(op_type, name, **arguments):
    return SparseTensor(*op_call.call(op_type, name, **arguments))


def convert_to_tensor_or_sparse_tensor(value: TensorLike | SparseTensor | SparseTensorValue, dtype: DTypeLike | None = None,
                                       name: str | None = None) -> Tensor | SparseTensor:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        value = SparseTensor.from_value(value)
        if dtype is not None and dtypes.as_dtype(dtype) is not value.dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype, name)


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements that are not zero."""
    with _scope(name or "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = convert_to_tensor("" if tensor.dtype is dtypes.string else False if tensor.dtype is dtypes.bool_ else 0, tensor.dtype)
        indices = array_ops.where(math_ops.not_equal(tensor, zero))
        return SparseTensor(indices, gather_nd(tensor, indices), array_ops.shape(tensor, out_type=dtypes.int64))


def sparse_eye(num_rows: TensorLike, num_columns: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
               name: str | None = None) -> SparseTensor:
    """Ones where row and column are the same."""
    with _scope(name or "eye"):
        rows = math_ops.cast(num_rows, dtypes.int64)
        columns = rows if num_columns is None else math_ops.cast(num_columns, dtypes.int64)
        count = math_ops.minimum(rows, columns)
        places = math_ops.range(count, dtype=dtypes.int64)
        return SparseTensor(array_ops.stack([places, places], axis=1), array_ops.ones(array_ops.expand_dims(count, 0), dtype),
                            array_ops.stack([rows, columns]))


def sparse_to_dense(sparse_indices: TensorLike, output_shape: TensorLike, sparse_values: TensorLike, default_value: TensorLike = 0,
                    validate_indices: bool = True, name: str | None = None) -> Tensor:
    return op_call.call("SparseToDense", name, sparse_indices=sparse_indices, output_shape=output_shape, sparse_values=sparse_values,
                        default_value=default_value, validate_indices=validate_indices)


def sparse_tensor_to_dense(sp_input: SparseTensor, default_value: TensorLike | None = None, validate_indices: bool = True,
                           name: str | None = None) -> Tensor:
    sp_input = _sparse(sp_input)
    if default_value is None:
        default_value = array_ops.zeros([], sp_input.dtype)
    return sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name)


def sparse_add(a: TensorLike | SparseTensor | SparseTensorValue, b: TensorLike | SparseTensor | SparseTensorValue,
               threshold: TensorLike | None = None, thresh: TensorLike | None = None) -> Any:
    """The sum of sparse tensors, or of one and a dense one; elements below the threshold are left out."""
    threshold = thresh if threshold is None else threshold
    threshold = 0 if threshold is None else threshold
    if not any(isinstance(x, (SparseTensor, SparseTensorValue)) for x in (a, b)):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if all(isinstance(x, (SparseTensor, SparseTensorValue)) for x in (a, b)):
        a, b = _sparse(a), _sparse(b)
        limit = convert_to_tensor(threshold, a.values.dtype.real_dtype, name="thresh")
        return _call("SparseAdd", None, a_indices=a.indices, a_values=a.values, a_shape=a.dense_shape, b_indices=b.indices, b_values=b.values,
                     b_shape=b.dense_shape, thresh=limit)
    sparse, dense = (a, b) if isinstance(a, (SparseTensor, SparseTensorValue)) else (b, a)
    sparse = _sparse(sparse)
    return op_call.call("SparseTensorDenseAdd", None, a_indices=sparse.indices, a_values=sparse.values, a_shape=sparse.dense_shape, b=dense)


def sparse_tensor_dense_matmul(sp_a: TensorLike | SparseTensor | SparseTensorValue, b: TensorLike | SparseTensor | SparseTensorValue,
                               adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None) -> Tensor:
    """A sparse matrix times a dense one; also a dense one times a sparse one."""
    with _scope(name or "SparseTensorDenseMatMul"):
        if isinstance(b, (SparseTensor, SparseTensorValue)):
            return array_ops.transpose(sparse_tensor_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a))
        sp_a = _sparse(sp_a)
        return op_call.call("SparseTensorDenseMatMul", None, a_indices=sp_a.indices, a_values=sp_a.values, a_shape=sp_a.dense_shape,
                            b=convert_to_tensor(b, name="b"), adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def _axes(sp_input, axis):
    return math_ops.range(array_ops.size(sp_input.dense_shape)) if axis is None else axis


def _reduction(function_name, op_type):
    def reduce(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
        sp_input = _sparse(sp_input)
        arguments = dict(input_indices=sp_input.indices, input_values=sp_input.values, input_shape=sp_input.dense_shape,
                         reduction_axes=_axes(sp_input, reduction_axes if axis is None else axis),
                         keep_dims=bool(keep_dims if keepdims is None else keepdims))
        return _call(op_type, None, **arguments) if op_type.endswith("Sparse") else op_call.call(op_type, None, **arguments)

    reduce.__name__ = reduce.__qualname__ = function_name
    reduce.__doc__ = f"The op {op_type} over these dimensions, or over all."
    return reduce


sparse_reduce_sum, sparse_reduce_max = _reduction("sparse_reduce_sum", "SparseReduceSum"), _reduction("sparse_reduce_max", "SparseReduceMax")
sparse_reduce_sum_sparse = _reduction("sparse_reduce_sum_sparse", "SparseReduceSumSparse")
sparse_reduce_max_sparse = _reduction("sparse_reduce_max_sparse", "SparseReduceMaxSparse")


def sparse_reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same in the order of rows."""
    sp_input = _sparse(sp_input)
    indices, values = op_call.call("SparseReorder", name, input_indices=sp_input.indices, input_values=sp_input.values, input_shape=sp_input.dense_shape)
    return SparseTensor(indices, values, sp_input.dense_shape)


def sparse_reshape(sp_input: SparseTensor, shape: TensorLike, name: str | None = None) -> SparseTensor:
    sp_input = _sparse(sp_input)
    with _scope(name or "SparseReshape"):
        indices, dims = op_call.call("SparseReshape", None, input_indices=sp_input.indices, input_shape=sp_input.dense_shape,
                                     new_shape=math_ops.cast(shape, dtypes.int64))
        return SparseTensor(indices, sp_input.values, dims)


def sparse_slice(sp_input: SparseTensor, start: TensorLike, size: TensorLike, name: str | None = None) -> SparseTensor:
    sp_input = _sparse(sp_input)
    return _call("SparseSlice", name, indices=sp_input.indices, values=sp_input.values, shape=sp_input.dense_shape,
                 start=convert_to_tensor(start, dtypes.int64), size=convert_to_tensor(size, dtypes.int64))


def sparse_split(keyword_required: Any = None, sp_input: SparseTensor | None = None, num_split: int | None = None,
                 axis: TensorLike | None = None, name: str | None = None, split_dim: TensorLike | None = None) -> list[SparseTensor]:
    """So many parts in the dimension `axis`. ValueError for arguments that are missing."""
    axis = split_dim if axis is None else axis
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("sp_input, num_split and axis are required")
    sp_input = _sparse(sp_input)
    parts = op_call.call("SparseSplit", name, split_dim=axis, indices=sp_input.indices, values=sp_input.values, shape=sp_input.dense_shape,
                         num_split=num_split)
    return [SparseTensor(*part) for part in zip(*parts)]


def sparse_concat(axis: int | None, sp_inputs: Sequence[SparseTensor], name: str | None = None, expand_nonconcat_dim: bool = False,
                  concat_dim: int | None = None, expand_nonconcat_dims: bool | None = None) -> SparseTensor:
    """One after the other in the dimension `axis`; with expand_nonconcat_dims the other dimensions need not agree."""
    axis = concat_dim if axis is None else axis
    with _scope(name or "SparseConcat"):
        inputs = [_sparse(s) for s in sp_inputs]
        shapes = [s.dense_shape for s in inputs]
        if expand_nonconcat_dim or expand_nonconcat_dims:
            rank = inputs[0].dense_shape.shape[0].value
            most = math_ops.reduce_max(array_ops.stack(shapes), 0)
            own = constant(np.arange(rank) == axis % rank)
            shapes = [array_ops.where(own, s, most) for s in shapes]
        return _call("SparseConcat", None, indices=[s.indices for s in inputs], values=[s.values for s in inputs], shapes=shapes, concat_dim=axis)


def sparse_retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """The elements where `to_retain` is true."""
    sp_input = _sparse(sp_input)
    places = array_ops.reshape(array_ops.where(convert_to_tensor(to_retain)), [-1])
    return SparseTensor(array_ops.gather(sp_input.indices, places), array_ops.gather(sp_input.values, places), sp_input.dense_shape)


def sparse_transpose(sp_input: SparseTensor, perm: TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """Dimensions in another order; without `perm`, the reverse one."""
    with _scope(name or "SparseTranspose"):
        sp_input = _sparse(sp_input)
        if perm is None:
            perm = math_ops.range(array_ops.size(sp_input.dense_shape))[::-1]
        indices = array_ops.transpose(array_ops.gather(array_ops.transpose(sp_input.indices), perm))
        return sparse_reorder(SparseTensor(indices, sp_input.values, array_ops.gather(sp_input.dense_shape, perm)))


def sparse_expand_dims(sp_input: SparseTensor, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """A new dimension of size 1 before `axis`, or the last one."""
    sp_input = _sparse(sp_input)
    rank = sp_input.dense_shape.shape[0].value
    at = rank if axis is None else axis if axis >= 0 else rank + axis + 1
    with _scope(name or "expand_dims"):
        zeros = array_ops.zeros_like(sp_input.indices[:, :1])
        return SparseTensor(array_ops.concat([sp_input.indices[:, :at], zeros, sp_input.indices[:, at:]], 1), sp_input.values,
                            array_ops.concat([sp_input.dense_shape[:at], constant([1], dtypes.int64), sp_input.dense_shape[at:]], 0))


def sparse_softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    with _scope(name or "SparseSoftmax"):
        values = op_call.call("SparseSoftmax", None, sp_indices=sp_input.indices, sp_values=sp_input.values, sp_shape=sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(function_name, op_type):
    def extreme(sp_a, sp_b, name=None):
        indices, values = op_call.call(op_type, name, a_indices=sp_a.indices, a_values=sp_a.values, a_shape=sp_a.dense_shape,
                                       b_indices=sp_b.indices, b_values=sp_b.values, b_shape=sp_b.dense_shape)
        return SparseTensor(indices, values, sp_a.dense_shape)

    extreme.__name__ = extreme.__qualname__ = function_name
    extreme.__doc__ = f"The op {op_type}, element by element; what is not there is zero."
    return extreme


sparse_maximum, sparse_minimum = _extreme("sparse_maximum", "SparseSparseMaximum"), _extreme("sparse_minimum", "SparseSparseMinimum")


def sparse_fill_empty_rows(sp_input: SparseTensor, default_value: TensorLike, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """(the same with `default_value` first in rows that had nothing, which rows these are)."""
    sp_input = _sparse(sp_input)
    with _scope(name or "SparseFillEmptyRows"):
        default = convert_to_tensor(default_value, sp_input.values.dtype)
        indices, values, empty, _ = op_call.call("SparseFillEmptyRows", None, indices=sp_input.indices, values=sp_input.values,
                                                 dense_shape=sp_input.dense_shape, default_value=default)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def sparse_to_indicator(sp_input: SparseTensor, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """True at the numbers that the last dimension holds: [..., vocab_size]."""
    sp_input = _sparse(sp_input)
    with _scope(name or "SparseToIndicator"):
        ids = math_ops.cast(sp_input.values, dtypes.int64)
        indices = array_ops.concat([sp_input.indices[:, :-1], array_ops.expand_dims(ids, 1)], 1)
        shape = array_ops.concat([sp_input.dense_shape[:-1], array_ops.reshape(math_ops.cast(vocab_size, dtypes.int64), [1])], 0)
        return op_call.call("SparseToDense", None, sparse_indices=indices, output_shape=shape, sparse_values=True, default_value=False,
                            validate_indices=False)


def _segments(function_name, op_type):
    def reduce(data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False):
        arguments = dict(data=data, indices=indices, segment_ids=segment_ids)
        if num_segments is not None:
            return op_call.call(op_type + "WithNumSegments", name, num_segments=num_segments, **arguments)
        return op_call.call(op_type, name, **arguments)

    reduce.__name__ = reduce.__qualname__ = function_name
    reduce.__doc__ = f"The op {op_type} of the rows `indices`."
    return reduce


sparse_segment_sum, sparse_segment_mean = _segments("sparse_segment_sum", "SparseSegmentSum"), _segments("sparse_segment_mean", "SparseSegmentMean")
sparse_segment_sqrt_n = _segments("sparse_segment_sqrt_n", "SparseSegmentSqrtN")


def sparse_mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows that have these indices."""
    from troupe.composite import IndexedSlices

    with _scope(name or "sparse_mask"):
        indices, places = array_ops.setdiff1d(a.indices, mask_indices)
        return IndexedSlices(array_ops.gather(a.values, places, name=name), indices, a.dense_shape)


def edit_distance(hypothesis: SparseTensor, truth: SparseTensor, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """How many changes make one sequence the other, for all but the last dimension."""
    hypothesis, truth = _sparse(hypothesis), _sparse(truth)
    return op_call.call("EditDistance", name, hypothesis_indices=hypothesis.indices, hypothesis_values=hypothesis.values,
                        hypothesis_shape=hypothesis.dense_shape, truth_indices=truth.indices, truth_values=truth.values,
                        truth_shape=truth.dense_shape, normalize=normalize)
