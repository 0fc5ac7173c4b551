"""tf.contrib.lookup: tables of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, math_ops
from troupe.conversion import convert_to_tensor
from troupe.lookup import (  # noqa: F401, they are of this module, too
    HashTable, KeyValueTensorInitializer, MutableHashTable, StaticVocabularyTable, TextFileIndex, TextFileInitializer)
from troupe.lookup import DenseHashTable as MutableDenseHashTable  # noqa: F401
from troupe.math_ops import range as numbers

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


def _of_words(initializer, num_oov_buckets, default_value, name):
    if num_oov_buckets > 0:
        return StaticVocabularyTable(initializer, num_oov_buckets, name=name)
    return HashTable(initializer, default_value, name=name)


def index_table_from_tensor(mapping: TensorLike, num_oov_buckets: int = 0, default_value: TensorLike = -1, hasher_spec: Any = None,
                            dtype: DTypeLike = dtypes.string, name: str | None = None) -> HashTable | StaticVocabularyTable:
    """The place of each word of a vector; others have the default, or a bucket behind them. ValueError without words."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    keys = convert_to_tensor(mapping)
    if keys.dtype.is_integer:
        keys = math_ops.cast(keys, dtypes.int64)
    count = keys.shape.num_elements()
    places = numbers(count if count is not None else math_ops.reduce_prod(keys.shape), dtype=dtypes.int64)
    return _of_words(KeyValueTensorInitializer(keys, places, name="table_init"), num_oov_buckets, default_value, name)


def index_table_from_file(vocabulary_file: str | Tensor | None = None, num_oov_buckets: int = 0, vocab_size: int | None = None,
                          default_value: TensorLike = -1, hasher_spec: Any = None, key_dtype: DTypeLike = dtypes.string, name: str | None = None,
                          key_column_index: int = TextFileIndex.WHOLE_LINE, value_column_index: int = TextFileIndex.LINE_NUMBER,
                          delimiter: str = "\t") -> HashTable | StaticVocabularyTable:
    """The number of the line of each word of a file; others have the default, or a bucket behind them. ValueError without a file."""
    if vocabulary_file is None or isinstance(vocabulary_file, str) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    initializer = TextFileInitializer(vocabulary_file, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter)
    return _of_words(initializer, num_oov_buckets, default_value, name)


def index_to_string_table_from_tensor(mapping: TensorLike, default_value: TensorLike = "UNK", name: str | None = None) -> HashTable:
    """The word of each place of a vector. ValueError without words."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    values = convert_to_tensor(mapping, dtypes.string)
    places = numbers(values.shape.num_elements(), dtype=dtypes.int64)
    return HashTable(KeyValueTensorInitializer(places, values, name="table_init"), default_value, name=name)


def index_to_string_table_from_file(vocabulary_file: str | Tensor, vocab_size: int | None = None, default_value: TensorLike = "UNK",
                                    name: str | None = None, key_column_index: int = TextFileIndex.LINE_NUMBER,
                                    value_column_index: int = TextFileIndex.WHOLE_LINE, delimiter: str = "\t") -> HashTable:
    """The word of each line of a file. ValueError without a file."""
    if vocabulary_file is None or isinstance(vocabulary_file, str) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    initializer = TextFileInitializer(vocabulary_file, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter)
    return HashTable(initializer, default_value, name=name)
