"""tf.contrib.lookup: tables of words."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import dtypes, math_ops, op_call, ops
from troupe.array_ops import where_v2
from troupe.composite import SparseTensor
from troupe.control_flow_ops import no_op
from troupe.conversion import convert_to_tensor
from troupe.lookup import (  # noqa: F401, they are of this module, too
    HashTable, KeyValueTensorInitializer, MutableHashTable, StaticVocabularyTable, TextFileIndex, TextFileInitializer)
from troupe.lookup import DenseHashTable as MutableDenseHashTable  # noqa: F401
from troupe.math_ops import range as numbers
from troupe.tensor_algebra import as_string

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, TensorLike


class HasherSpec(namedtuple("HasherSpec", ("hasher", "key"))):
    """How words that a table does not have are hashed: "fasthash", or "stronghash" with a key."""

    __slots__ = ()


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A hash that nobody can aim at without the key, a list of two integers. ValueError for another, TypeError for other numbers."""

    __slots__ = ()

    def __new__(cls, key: Sequence[int]) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"key must have size 2, got {len(key)}.")
        if not all(isinstance(k, int) for k in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", list(key))


class IdTableWithHashBuckets:
    """A table of words whose values are counted from 0 on, or None; words that it does not have are in buckets behind them, by their hash. TypeError
    for a hash of another kind."""

    def __init__(self, table: HashTable | None, num_oov_buckets: int, hasher_spec: HasherSpec = FastHashSpec, name: str | None = None,
                 key_dtype: DTypeLike | None = None) -> None:
        if not isinstance(hasher_spec, HasherSpec) or hasher_spec.hasher not in ("fasthash", "stronghash"):
            raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")
        self._table, self._buckets, self._spec = table, num_oov_buckets, hasher_spec
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype or (dtypes.string if table is None else table.key_dtype)), dtypes.int64
        self.name = name or ("hash_bucket" if table is None else table.name)

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table, or does nothing."""
        return no_op() if self._table is None else self._table.initializer

    init = initializer

    def size(self, name: str | None = None) -> Tensor:
        """How many values there can be."""
        return (convert_to_tensor(0, dtypes.int64) if self._table is None else self._table.size()) + self._buckets

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The values of keys, dense or sparse."""
        flat = keys.values if isinstance(keys, SparseTensor) else convert_to_tensor(keys)
        with ops.name_scope(name, "hash_table_Lookup"):
            text = as_string(flat) if flat.dtype.base_dtype is not dtypes.string else flat
            if self._spec.hasher == "stronghash":
                found = op_call.call("StringToHashBucketStrong", "hash_bucket", input=text, num_buckets=self._buckets, key=self._spec.key)
            else:
                found = op_call.call("StringToHashBucketFast", "hash_bucket", input=text, num_buckets=self._buckets)
            if self._table is not None:
                known = self._table.lookup(math_ops.cast(flat, self._table.key_dtype) if flat.dtype.is_integer else flat)
                found = where_v2(math_ops.not_equal(known, self._table.default_value), known, found + self._table.size())
        return SparseTensor(keys.indices, found, keys.dense_shape) if isinstance(keys, SparseTensor) else found


def _of_words(initializer, num_oov_buckets, default_value, hasher_spec, name):
    if num_oov_buckets > 0 and (hasher_spec or FastHashSpec).hasher != FastHashSpec.hasher:
        return IdTableWithHashBuckets(HashTable(initializer, -1), num_oov_buckets, hasher_spec, name)
    if num_oov_buckets > 0:
        return StaticVocabularyTable(initializer, num_oov_buckets, name=name)
    return HashTable(initializer, default_value, name=name)


def index_table_from_tensor(mapping: TensorLike, num_oov_buckets: int = 0, default_value: TensorLike = -1, hasher_spec: HasherSpec | None = None,
                            dtype: DTypeLike = dtypes.string, name: str | None = None) -> HashTable | StaticVocabularyTable | IdTableWithHashBuckets:
    """The place of each word of a vector; others have the default, or a bucket behind them. ValueError without words."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    keys = convert_to_tensor(mapping)
    if keys.dtype.is_integer:
        keys = math_ops.cast(keys, dtypes.int64)
    count = keys.shape.num_elements()
    places = numbers(count if count is not None else math_ops.reduce_prod(keys.shape), dtype=dtypes.int64)
    return _of_words(KeyValueTensorInitializer(keys, places, name="table_init"), num_oov_buckets, default_value, hasher_spec, name)


def index_table_from_file(vocabulary_file: str | Tensor | None = None, num_oov_buckets: int = 0, vocab_size: int | None = None,
                          default_value: TensorLike = -1, hasher_spec: HasherSpec | None = None, key_dtype: DTypeLike = dtypes.string,
                          name: str | None = None, key_column_index: int = TextFileIndex.WHOLE_LINE, value_column_index: int = TextFileIndex.LINE_NUMBER,
                          delimiter: str = "\t") -> HashTable | StaticVocabularyTable | IdTableWithHashBuckets:
    """The number of the line of each word of a file; others have the default, or a bucket behind them. ValueError without a file."""
    if vocabulary_file is None or isinstance(vocabulary_file, str) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    initializer = TextFileInitializer(vocabulary_file, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter)
    return _of_words(initializer, num_oov_buckets, default_value, hasher_spec, name)


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
