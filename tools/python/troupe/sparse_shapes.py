"""Sparse tensors of other shapes, and as serialized messages."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, check_ops, dtypes, math_ops, op_call, stacks, tensor_util
from troupe.composite import SparseTensor, SparseTensorValue
from troupe.control_flow_ops import with_dependencies
from troupe.conversion import convert_to_tensor
from troupe.sparse_ops import _sparse, sparse_reorder
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.typing import DTypeLike, TensorLike


def sparse_merge(sp_ids: SparseTensor | Sequence[SparseTensor], sp_values: SparseTensor, vocab_size: int | Tensor | Sequence[int | Tensor],
                 name: str | None = None, already_sorted: bool = False) -> SparseTensor:
    """The values at the columns that the ids say, or at several dimensions for a list of ids: of shape [..., vocab_size]. TypeError for other
    kinds, ValueError for lists of different lengths."""
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    for what, value in (("sp_ids", sp_ids), ("vocab_size", vocab_size)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{what} has to be a list. Found {type(value)}")
    if not all(isinstance(size, (Tensor, numbers.Integral)) for size in vocab_size):
        raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {vocab_size}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with stacks.get_default_graph().name_scope(name or "SparseMerge"):
        sp_ids, sp_values = [_sparse(ids) for ids in sp_ids], _sparse(sp_values)
        columns = [array_ops.expand_dims(math_ops.cast(ids.values, dtypes.int64), axis=1) for ids in sp_ids]
        indices = array_ops.concat([sp_ids[0].indices[:, :-1], *columns], 1)
        sizes = array_ops.stack([math_ops.cast(size, dtypes.int64) for size in vocab_size])
        shape = array_ops.concat([sp_ids[0].dense_shape[:-1], sizes], 0)
        merged = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return merged
        ordered = sparse_reorder(merged)
        return SparseTensor(ordered.indices, ordered.values, shape)


def sparse_reset_shape(sp_input: SparseTensor, new_shape: TensorLike | None = None) -> SparseTensor:
    """The same elements in a larger tensor, or in the smallest that has them all. ValueError for a smaller one, where that is known; else
    InvalidArgumentError from the step."""
    sp_input = _sparse(sp_input)
    indices, values, shape = (array_ops.identity(t) for t in (sp_input.indices, sp_input.values, sp_input.dense_shape))
    if new_shape is None:
        last = math_ops.reduce_max(indices, axis=0)
        zero = array_ops.constant(0, dtypes.int64)
        return SparseTensor(indices, values, math_ops.maximum(zero, last + array_ops.ones_like(shape)))
    wanted = math_ops.cast(convert_to_tensor(new_shape), dtypes.int64)
    if wanted.shape.rank is not None:
        wanted.shape.with_rank(1)[0].assert_is_compatible_with(shape.shape.with_rank(1)[0])
    known = tensor_util.constant_value(wanted)
    if known is not None and sp_input.shape.is_fully_defined():
        if not np.all(np.array(sp_input.shape.as_list()) <= known):
            raise ValueError("Requested new_shape should have dimension sizes >= sp_input.shape.  "
                             f"Found new_shape ({known}), sp_input.shape ({sp_input.shape.as_list()}).")
    else:
        wanted = with_dependencies([check_ops.assert_equal(array_ops.shape(shape), array_ops.shape(wanted))], wanted)
        wanted = with_dependencies([check_ops.assert_less_equal(shape, wanted)], wanted)
    return SparseTensor(indices, values, wanted)


def serialize_sparse(sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string) -> Tensor:
    """A vector of three: the serialized indices, values and shape."""
    return _serialized("SerializeSparse", sp_input, name, out_type)


def serialize_many_sparse(sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string) -> Tensor:
    """A row of three, as serialize_sparse gives, for each row of a sparse batch: [rows, 3]."""
    return _serialized("SerializeManySparse", sp_input, name, out_type)


def _serialized(op, sp_input, name, out_type) -> Tensor:
    sp_input = _sparse(sp_input)
    return op_call.call(op, name, sparse_indices=sp_input.indices, sparse_values=sp_input.values, sparse_shape=sp_input.dense_shape,
                        out_type=out_type)


def deserialize_many_sparse(serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None,
                            name: str | None = None) -> SparseTensor:
    """A sparse batch of what serialize_sparse made: [rows, 3] to a tensor of rank `rank` + 1."""
    indices, values, shape = op_call.call("DeserializeManySparse", name, serialized_sparse=serialized_sparse, dtype=dtype)
    indices.set_shape([None, None if rank is None else rank + 1])
    shape.set_shape([None if rank is None else rank + 1])
    return SparseTensor(indices, values, shape)
