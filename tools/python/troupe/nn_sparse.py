"""Embeddings of sparse ids that may be missing or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, sparse_ops, stacks
from troupe.composite import SparseTensor
from troupe.nn_embedding import embedding_lookup_sparse
from troupe.partitioned_variables import parts_of
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from troupe.partitioned_variables import PartitionedVariable
    from troupe.typing import TensorLike


def safe_embedding_lookup_sparse(embedding_weights: TensorLike | PartitionedVariable, sparse_ids: SparseTensor,
                                 sparse_weights: SparseTensor | None = None, combiner: str | None = "mean", default_id: int | None = None,
                                 name: str | None = None, partition_strategy: str = "div", max_norm: TensorLike | None = None,
                                 allow_fast_lookup: bool = False) -> Tensor:
    """As embedding_lookup_sparse, of ids [..., n]: without those below zero, and, unless `combiner` is "sum", those whose weight is not above zero. Rows
    without ids have the embedding `default_id`, or zeros. ValueError without embeddings."""
    if embedding_weights is None or not parts_of(embedding_weights):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    with stacks.get_default_graph().name_scope(name or "embedding_lookup") as scope:
        shape = sparse_ids.dense_shape
        rank = sparse_ids.shape.rank or array_ops.size(shape)
        outer = shape[:rank - 1]
        ids = sparse_ops.sparse_reshape(sparse_ids, array_ops.stack([math_ops.reduce_prod(outer), shape[rank - 1]]))
        weights = None if sparse_weights is None else SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        ids, weights = _kept(ids, weights, math_ops.greater_equal(ids.values, array_ops.zeros([], ids.dtype)))
        if combiner != "sum" and weights is not None:
            ids, weights = _kept(ids, weights, math_ops.greater(weights.values, array_ops.zeros([], weights.dtype)))
        ids, is_empty = sparse_ops.sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_ops.sparse_fill_empty_rows(weights, 1.0)
        found = embedding_lookup_sparse(parts_of(embedding_weights), ids, weights, partition_strategy, None if default_id is None else scope, combiner, max_norm)
        if default_id is None:
            where = array_ops.tile(array_ops.reshape(is_empty, [-1, 1]), array_ops.stack([1, array_ops.shape(found)[1]]))
            found = array_ops.where(where, array_ops.zeros_like(found), found, name=scope)
        made = array_ops.reshape(found, array_ops.concat([math_ops.cast(outer, dtypes.int32), array_ops.shape(found)[1:]], 0))
        if sparse_ids.shape.rank is not None:
            made.set_shape([*sparse_ids.shape.as_list()[:-1], *found.shape.as_list()[1:]])
        return made


def _kept(ids, weights, where):
    return sparse_ops.sparse_retain(ids, where), None if weights is None else sparse_ops.sparse_retain(weights, where)
