"""Columns of ids: of numbers, of words by their hashes or by vocabularies, of crossed features."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, sparse_ops
from troupe.composite import SparseTensor
from troupe.feature_columns import CategoricalColumn, FeatureColumn, IdWeightPair, check_ids_type, to_sparse
from troupe.ops import init_scope
from troupe.parsing_ops import VarLenFeature
from troupe.sparse_cross import sparse_cross_hashed
from troupe.tensor_algebra import as_string

if TYPE_CHECKING:
    from typing import Any


class _KeyedColumn(CategoricalColumn):
    """Of the feature `key`, whose ids `_ids` makes of its sparse tensor."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def _transform_feature(self, inputs):
        return self._ids(to_sparse(inputs.get(self.key)))


class IdentityCategoricalColumn(_KeyedColumn, namedtuple("IdentityCategoricalColumn", ("key", "number_buckets", "default_value"))):
    """See categorical_column_with_identity."""

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.int64

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def _ids(self, tensor):
        if not tensor.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {tensor.dtype}")
        values = math_ops.cast(tensor.values, dtypes.int64, name="values")
        if self.default_value is not None:
            zero, end = (array_ops.constant(v, dtypes.int64) for v in (0, self.number_buckets))
            outside = math_ops.logical_or(values < zero, values >= end, name="out_of_range")
            default = array_ops.fill(array_ops.shape(values), array_ops.constant(self.default_value, dtypes.int64), name="default_values")
            values = array_ops.where_v2(outside, default, values)
        return SparseTensor(tensor.indices, values, tensor.dense_shape)


class HashedCategoricalColumn(_KeyedColumn, namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype"))):
    """See categorical_column_with_hash_bucket."""

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def _ids(self, tensor):
        check_ids_type(self.key, self.dtype, tensor.dtype)
        texts = tensor.values if self.dtype is dtypes.string else as_string(tensor.values)
        ids = op_call.call("StringToHashBucketFast", "lookup", input=texts, num_buckets=self.hash_bucket_size)
        return SparseTensor(tensor.indices, ids, tensor.dense_shape)


class _VocabularyColumn(_KeyedColumn):
    """Whose ids a table has, which `_table` makes."""

    def _ids(self, tensor):
        check_ids_type(self.key, self.dtype, tensor.dtype)
        key_dtype = self.dtype
        if tensor.dtype.is_integer:
            key_dtype = dtypes.int64
            tensor = SparseTensor(tensor.indices, math_ops.cast(tensor.values, dtypes.int64), tensor.dense_shape)
        with init_scope():
            table = self._table(key_dtype, f"{self.key}_lookup")
        return table.lookup(tensor)


class VocabularyFileCategoricalColumn(_VocabularyColumn, namedtuple("VocabularyFileCategoricalColumn", (
        "key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value", "file_format"))):
    """See categorical_column_with_vocabulary_file."""

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, key_dtype, name):
        from troupe.contrib_lookup import index_table_from_file

        return index_table_from_file(self.vocabulary_file, self.num_oov_buckets, self.vocabulary_size, self.default_value, key_dtype=key_dtype,
                                     name=name)


class VocabularyListCategoricalColumn(_VocabularyColumn, namedtuple("VocabularyListCategoricalColumn", (
        "key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"))):
    """See categorical_column_with_vocabulary_list."""

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, key_dtype, name):
        from troupe.contrib_lookup import index_table_from_tensor

        return index_table_from_tensor(list(self.vocabulary_list), self.num_oov_buckets, self.default_value, dtype=key_dtype, name=name)


class WeightedCategoricalColumn(CategoricalColumn, namedtuple("WeightedCategoricalColumn", ("categorical_column", "weight_feature_key", "dtype"))):
    """See weighted_categorical_column."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Of the ids and of the weights. ValueError where both have one key."""
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(f"Parse config {spec[self.weight_feature_key]} already exists for {self.weight_feature_key}.")
        spec[self.weight_feature_key] = VarLenFeature(self.dtype)
        return spec

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def _transform_feature(self, inputs):
        weights = sparse_ops.convert_to_tensor_or_sparse_tensor(inputs.get(self.weight_feature_key))
        if self.dtype is not weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = to_sparse(weights, 0.0 if weights.dtype.is_floating else 0)
        if not weights.dtype.is_floating:
            weights = SparseTensor(weights.indices, math_ops.cast(weights.values, dtypes.float32), weights.dense_shape)
        return inputs.get(self.categorical_column), weights

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return IdWeightPair(*inputs.get(self))


class CrossedColumn(CategoricalColumn, namedtuple("CrossedColumn", ("keys", "hash_bucket_size", "hash_key"))):
    """See crossed_column."""

    @property
    def leaves(self) -> list[str | FeatureColumn]:
        """Its keys and columns, and those of the crossed columns among them."""
        return [leaf for key in self.keys for leaf in (key.leaves if isinstance(key, CrossedColumn) else [key])]

    @property
    def name(self) -> str:
        return "_X_".join(sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self.leaves))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            spec.update({key: VarLenFeature(dtypes.string)} if isinstance(key, str) else key.parse_example_spec)
        return spec

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def _transform_feature(self, inputs):
        return sparse_cross_hashed([self._leaf(leaf, inputs) for leaf in self.leaves], self.hash_bucket_size, self.hash_key)

    @staticmethod
    def _leaf(leaf, inputs):
        if isinstance(leaf, str):
            return inputs.get(leaf)
        ids, weights = leaf._get_sparse_tensors(inputs)
        if weights is not None:
            raise ValueError("crossed_column does not support weight_tensor, but the given column populates weight_tensor. Given column: "
                             f"{leaf.name}")
        return ids


class SequenceCategoricalColumn(CategoricalColumn, namedtuple("SequenceCategoricalColumn", ("categorical_column",))):
    """A column of ids of each step of sequences: [batch, time, ids of the step]."""

    @property
    def name(self) -> str:
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def _transform_feature(self, inputs):
        return self.categorical_column._transform_feature(inputs)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        ids, weights = self.categorical_column._get_sparse_tensors(inputs)
        shape = math_ops.cast(ids.dense_shape, dtypes.int32)
        target = array_ops.stack([shape[0], shape[1], math_ops.reduce_prod(shape[2:])])
        return IdWeightPair(*(None if t is None else sparse_ops.sparse_reshape(t, target) for t in (ids, weights)))
