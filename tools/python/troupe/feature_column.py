"""Columns of features, made: `tf.feature_column`. Layers of them: feature_column_layers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, initializers, nest
from troupe.feature_column_layers import input_layer, linear_model, make_parse_example_spec  # noqa: F401, they are of this module, too
from troupe.feature_columns import CategoricalColumn, check_key, check_string_or_int
from troupe.feature_columns_categorical import (
    CrossedColumn, HashedCategoricalColumn, IdentityCategoricalColumn, SequenceCategoricalColumn, VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn, WeightedCategoricalColumn)
from troupe.feature_columns_dense import (
    BucketizedColumn, EmbeddingColumn, IndicatorColumn, NumericColumn, SequenceNumericColumn, SharedEmbeddingColumn)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Tensor
    from troupe.typing import Initializer


def _shape(shape, key):
    shape = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    return shape


def _check_number(dtype, key):
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")


def _check_normalizer(normalizer_fn):
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def _tuples(value):
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def _default(shape, value, dtype, key):
    """A default value as nested tuples of the shape, of Python numbers."""
    if value is None:
        return None
    number = isinstance(value, int) or isinstance(value, float) and dtype.is_floating
    if number:
        return _tuples(np.full(shape, value).tolist())
    value = value.tolist() if callable(getattr(value, "tolist", None)) else value
    if nest.is_nested(value):
        if np.shape(value) != shape:
            raise ValueError(f"The shape of default_value must be equal to given shape. default_value: {value}, shape: {shape}, key: {key}")
        leaves = nest.flatten(value)
        if all(isinstance(v, int) for v in leaves) or dtype.is_floating and all(isinstance(v, (int, float)) for v in leaves):
            return _tuples(value)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")


def numeric_column(key: str, shape: int | Sequence[int] = (1,), default_value: Any = None, dtype: DType = dtypes.float32,
                   normalizer_fn: Callable[[Any], Any] | None = None) -> NumericColumn:
    """Numbers [batch, *shape], as float32, which `normalizer_fn` may change first. Examples without them have `default_value`, a number or a nest of the
    shape; without one each must have them. ValueError or TypeError for arguments that cannot be."""
    shape = _shape(shape, key)
    _check_number(dtype, key)
    default_value = _default(shape, default_value, dtype, key)
    _check_normalizer(normalizer_fn)
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> BucketizedColumn:
    """The buckets of a column of numbers: number i holds those from boundaries[i - 1] on and below boundaries[i]. ValueError unless the boundaries grow and
    the column has one dimension."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


def categorical_column_with_identity(key: str, num_buckets: int, default_value: int | None = None) -> IdentityCategoricalColumn:
    """Ids as they are; those outside of 0 <= id < num_buckets are `default_value`, and fail in steps that look them up if there is none."""
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: DType = dtypes.string) -> HashedCategoricalColumn:
    """Hashes of texts or of integers, below `hash_bucket_size`."""
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def _check_buckets(num_oov_buckets, has_default, key):
    if num_oov_buckets:
        if has_default:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


def categorical_column_with_vocabulary_list(key: str, vocabulary_list: Sequence[Any], dtype: DType | None = None, default_value: int = -1,
                                            num_oov_buckets: int = 0) -> VocabularyListCategoricalColumn:
    """The places of words in a list; others are `default_value`, or in a bucket behind the list."""
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    known = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(num_oov_buckets, default_value != -1, key)
    check_string_or_int(known, f"column_name: {key} vocabulary")
    if dtype is None:
        dtype = known
    elif dtype.is_integer != known.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {known} do not match, column_name: {key}")
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(key: str, vocabulary_file: str, vocabulary_size: int | None = None, num_oov_buckets: int = 0,
                                            default_value: int | None = None, dtype: DType = dtypes.string) -> VocabularyFileCategoricalColumn:
    """The lines of words in a file, its first `vocabulary_size`; others are `default_value` (-1), or in a bucket behind the file."""
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        vocabulary_size = _lines(vocabulary_file, key)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(num_oov_buckets, default_value is not None, key)
    check_string_or_int(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, dtype, -1 if default_value is None else default_value,
                                           None)


def _lines(file, key):
    from troupe import file_io

    if not file_io.Exists(file):
        raise ValueError(f"vocabulary_file in {key} does not exist.")
    with file_io.GFile(file, "rb") as opened:
        return sum(1 for _ in opened)


def weighted_categorical_column(categorical_column: CategoricalColumn, weight_feature_key: str,
                                dtype: DType = dtypes.float32) -> WeightedCategoricalColumn:
    """Ids with weights: the numbers of another feature, as many in each row."""
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


def crossed_column(keys: Sequence[str | CategoricalColumn], hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Hashes of all combinations of several features, by their keys or as columns of ids, but for those of hashes: ValueError."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError("Unsupported key type. All keys must be either string, or categorical column except HashedCategoricalColumn. "
                             f"Given: {key}")
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError("categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will increase probability of "
                             f"collision. Instead, use the feature name as a string. Given: {key}")
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """How often each id is in a row: [batch, num_buckets]; the sum of its weights where ids have some."""
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)


def _first_values(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, of):
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{of}")
    return initializer or initializers.TruncatedNormal(0.0, 1 / math.sqrt(dimension))


def embedding_column(categorical_column: CategoricalColumn, dimension: int, combiner: str = "mean", initializer: Initializer | None = None,
                     ckpt_to_load_from: str | None = None, tensor_name_in_ckpt: str | None = None, max_norm: float | None = None,
                     trainable: bool = True, use_safe_embedding_lookup: bool = True) -> EmbeddingColumn:
    """The rows of a matrix [num_buckets, dimension] by ids, of several ids in a row their sum, "mean" or "sqrtn". The matrix begins with `initializer`,
    truncated normal by default, or with a tensor of a checkpoint. Without `use_safe_embedding_lookup` each row must have an id."""
    initializer = _first_values(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, f" Embedding of column_name: {categorical_column.name}")
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
                           use_safe_embedding_lookup)


def _innermost(column):
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


def shared_embedding_columns(categorical_columns: Sequence[CategoricalColumn], dimension: int, combiner: str = "mean",
                             initializer: Initializer | None = None, shared_embedding_collection_name: str | None = None,
                             ckpt_to_load_from: str | None = None, tensor_name_in_ckpt: str | None = None, max_norm: float | None = None,
                             trainable: bool = True, use_safe_embedding_lookup: bool = True) -> list[SharedEmbeddingColumn]:
    """The same of several columns with one matrix, which the graph's collection of this name holds. ValueError for columns of different kinds, or with other
    numbers of ids."""
    initializer = _first_values(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, "")
    ordered = sorted(categorical_columns, key=lambda c: c.name)
    first = _innermost(ordered[0])
    if not isinstance(first, CategoricalColumn):
        raise ValueError(f"All categorical_columns must be subclasses of _CategoricalColumn. Given: {first}, of type: {type(first)}")
    for column in map(_innermost, ordered[1:]):
        if not isinstance(column, type(first)):
            raise ValueError("To use shared_embedding_column, all categorical_columns must have the same type, or be weighted_categorical_column or sequence "
                             f"column of the same type. Given column: {first} of type: {type(first)} does not match given column: {column} of type: "
                             f"{type(column)}")
        if first.num_buckets != column.num_buckets:
            raise ValueError(f"To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: {first} with "
                             f"buckets: {first.num_buckets} does not match column: {column} with buckets: {column.num_buckets}")
    name = shared_embedding_collection_name or "_".join(c.name for c in ordered) + "_shared_embedding"
    return [SharedEmbeddingColumn(c, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
                                  use_safe_embedding_lookup) for c in categorical_columns]


# Of sequences.


def sequence_categorical_column_with_identity(key: str, num_buckets: int, default_value: int | None = None) -> SequenceCategoricalColumn:
    """Ids of sequences' steps, as categorical_column_with_identity."""
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: DType = dtypes.string) -> SequenceCategoricalColumn:
    """Ids of sequences' steps, as categorical_column_with_hash_bucket."""
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(key: str, vocabulary_file: str, vocabulary_size: int | None = None, num_oov_buckets: int = 0,
                                                     default_value: int | None = None, dtype: DType = dtypes.string) -> SequenceCategoricalColumn:
    """Ids of sequences' steps, as categorical_column_with_vocabulary_file."""
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype))


def sequence_categorical_column_with_vocabulary_list(key: str, vocabulary_list: Sequence[Any], dtype: DType | None = None, default_value: int = -1,
                                                     num_oov_buckets: int = 0) -> SequenceCategoricalColumn:
    """Ids of sequences' steps, as categorical_column_with_vocabulary_list."""
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets))


def sequence_numeric_column(key: str, shape: int | Sequence[int] = (1,), default_value: float = 0.0, dtype: DType = dtypes.float32,
                            normalizer_fn: Callable[[Any], Tensor] | None = None) -> SequenceNumericColumn:
    """Numbers of sequences' steps, of a sparse tensor [batch, time * numbers of `shape`]; `default_value` fills the shorter rows up."""
    shape = _shape(shape, key)
    _check_number(dtype, key)
    _check_normalizer(normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
