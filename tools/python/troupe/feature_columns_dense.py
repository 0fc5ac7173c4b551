"""Columns that are dense tensors: numbers, buckets of numbers, indicators and embeddings of ids."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, sparse_ops, stacks
from troupe.composite import SparseTensor
from troupe.feature_columns import (
    CategoricalColumn, DenseColumn, IdWeightPair, SequenceDenseColumn, TensorSequenceLengthPair, sequence_length)
from troupe.feature_columns_categorical import SequenceCategoricalColumn
from troupe.nn_embedding import embedding_lookup_sparse
from troupe.nn_sparse import safe_embedding_lookup_sparse
from troupe.ops import GraphKeys, add_to_collection, get_collection
from troupe.parsing_ops import FixedLenFeature, VarLenFeature
from troupe.partitioned_variables import parts_of
from troupe.sparse_shapes import sparse_merge
from troupe.tensor_shape import TensorShape
from troupe.variable_scope import get_variable

if TYPE_CHECKING:
    from typing import Any


class NumericColumn(DenseColumn, namedtuple("NumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn"))):
    """See numeric_column."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def _transform_feature(self, inputs):
        tensor = inputs.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError("The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                             f"{self.key}")
        return math_ops.cast(tensor if self.normalizer_fn is None else self.normalizer_fn(tensor), dtypes.float32)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


class BucketizedColumn(DenseColumn, CategoricalColumn, namedtuple("BucketizedColumn", ("source_column", "boundaries"))):
    """See bucketized_column. As ids, the buckets of the n-th number follow those of the one before it."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])

    @property
    def num_buckets(self) -> int:
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def _transform_feature(self, inputs):
        return op_call.call("Bucketize", None, input=inputs.get(self.source_column), boundaries=list(self.boundaries))

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return array_ops.one_hot(math_ops.cast(inputs.get(self), dtypes.int64), len(self.boundaries) + 1, 1.0, 0.0)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        buckets = inputs.get(self)
        rows, columns = array_ops.shape(buckets)[0], self.source_column.shape[0]
        row = array_ops.reshape(array_ops.tile(array_ops.expand_dims(math_ops.range(0, rows), 1), [1, columns]), [-1])
        column = array_ops.tile(math_ops.range(0, columns), array_ops.stack([rows]))
        ids = array_ops.reshape(buckets, [-1]) + (len(self.boundaries) + 1) * column
        indices = math_ops.cast(array_ops.stack([row, column], axis=1), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, math_ops.cast(array_ops.stack([rows, columns]), dtypes.int64)), None)


class _OfCategories(DenseColumn, SequenceDenseColumn):
    """Of the ids of `categorical_column`."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    def _check_not_sequence(self, what):
        if isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(f"In {what}: {self.name}. categorical_column must not be of type SequenceCategoricalColumn. Suggested fix A: If you wish "
                             "to use input_layer, use a non-sequence categorical_column_with_*. Suggested fix B: If you wish to create sequence "
                             f"input, use sequence_input_layer. Given (type {type(self.categorical_column)}): {self.categorical_column}")

    def _check_sequence(self, what):
        if not isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(f"In {what}: {self.name}. categorical_column must be of type SequenceCategoricalColumn to use sequence_input_layer. "
                             "Suggested fix: Use one of sequence_categorical_column_with_*. Given "
                             f"(type {type(self.categorical_column)}): {self.categorical_column}")


class IndicatorColumn(_OfCategories, namedtuple("IndicatorColumn", ("categorical_column",))):
    """See indicator_column."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def _transform_feature(self, inputs):
        ids, weights = self.categorical_column._get_sparse_tensors(inputs)
        size = self.categorical_column.num_buckets
        if weights is not None:
            merged = sparse_merge(ids, weights, vocab_size=size)
            # Ids that are too large would be outside.
            merged = sparse_ops.sparse_slice(merged, [0, 0], merged.dense_shape)
            return array_ops.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        dense = sparse_ops.sparse_tensor_to_dense(ids, default_value=-1)
        return math_ops.reduce_sum(array_ops.one_hot(dense, size, 1.0, 0.0), axis=[-2])

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        self._check_not_sequence("indicator_column")
        return inputs.get(self)

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        self._check_sequence("indicator_column")
        ids, _ = self.categorical_column._get_sparse_tensors(inputs)
        return TensorSequenceLengthPair(inputs.get(self), sequence_length(ids))


class _Embedding(_OfCategories):
    """Whose matrix `_weights` gives."""

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _transform_feature(self, inputs):
        return inputs.get(self.categorical_column)

    def _matrix(self, weight_collections, trainable):
        collections = list(weight_collections or [])
        if collections and GraphKeys.GLOBAL_VARIABLES not in collections:
            collections.append(GraphKeys.GLOBAL_VARIABLES)
        return get_variable("embedding_weights", [self.categorical_column.num_buckets, self.dimension], dtypes.float32, self.initializer,
                            trainable=self.trainable and trainable is not False, collections=collections or None)

    def _looked_up(self, ids, sparse_weights, matrix):
        if self.ckpt_to_load_from is not None:
            from troupe.checkpoint_init import init_from_checkpoint

            parts = parts_of(matrix)
            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: parts if len(parts) > 1 else parts[0]})
        rank = ids.dense_shape.shape.as_list()[0]
        if self.use_safe_embedding_lookup or rank is None or rank > 2:
            return safe_embedding_lookup_sparse(matrix, ids, sparse_weights, self.combiner, name=f"{self.name}_weights", max_norm=self.max_norm)
        return embedding_lookup_sparse(matrix, ids, sparse_weights, "div", f"{self.name}_weights", self.combiner, self.max_norm)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        self._check_not_sequence("embedding_column")
        return self._dense(inputs, weight_collections, trainable)

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        self._check_sequence("embedding_column")
        made = self._dense(inputs, weight_collections, trainable)
        return TensorSequenceLengthPair(made, sequence_length(self.categorical_column._get_sparse_tensors(inputs).id_tensor))


class EmbeddingColumn(_Embedding, namedtuple("EmbeddingColumn", (
        "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable",
        "use_safe_embedding_lookup"))):
    """See embedding_column."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    def _dense(self, inputs, weight_collections, trainable):
        ids, weights = self.categorical_column._get_sparse_tensors(inputs)
        return self._looked_up(ids, weights, self._matrix(weight_collections, trainable))


class SharedEmbeddingColumn(_Embedding, namedtuple("_SharedEmbeddingColumn", (
        "categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name", "ckpt_to_load_from", "tensor_name_in_ckpt",
        "max_norm", "trainable", "use_safe_embedding_lookup"))):
    """See shared_embedding_columns. The graph's collection of its name holds the one matrix."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self):
        return self.shared_embedding_collection_name

    def _dense(self, inputs, weight_collections, trainable):
        with stacks.get_default_graph().name_scope(self.name):
            ids, weights = self.categorical_column._get_sparse_tensors(inputs)
            return self._looked_up(ids, weights, self._shared_matrix(weight_collections, trainable))

    def _shared_matrix(self, weight_collections, trainable):
        held = get_collection(self.shared_embedding_collection_name)
        advice = ("Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any variables to this collection. "
                  "The feature_column library already adds a variable under the hood.")
        if len(held) > 1:
            raise ValueError(f"Collection {held} can only contain one variable. {advice}")
        if not held:
            made = self._matrix(weight_collections, trainable)
            add_to_collection(self.shared_embedding_collection_name, made)
            return made
        expected = (self.categorical_column.num_buckets, self.dimension)
        if tuple(held[0].shape.as_list()) != expected:
            raise ValueError(f"Shared embedding collection {self.shared_embedding_collection_name} contains variable {held[0].name} of unexpected shape "
                             f"{held[0].shape}. Expected shape is {expected}. {advice}")
        return held[0]


class SequenceNumericColumn(SequenceDenseColumn, namedtuple("SequenceNumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn"))):
    """See sequence_numeric_column."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    _variable_shape = variable_shape

    def _transform_feature(self, inputs):
        tensor = inputs.get(self.key)
        return tensor if self.normalizer_fn is None else self.normalizer_fn(tensor)

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        sparse = inputs.get(self)
        dense = sparse_ops.sparse_tensor_to_dense(sparse, default_value=self.default_value)
        dense = array_ops.reshape(dense, array_ops.concat([array_ops.shape(dense)[:1], [-1], list(self.shape)], 0))
        numbers = self.variable_shape.num_elements() if sparse.dense_shape.shape.as_list()[0] == 2 else 1
        return TensorSequenceLengthPair(dense, sequence_length(sparse, numbers))
