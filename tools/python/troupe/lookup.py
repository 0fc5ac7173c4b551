"""Tables from keys to values: `tf.lookup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import control_flow_ops, dtypes, op_call, ops, stacks
from troupe.array_ops import where_v2
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, not_equal
from troupe.ops import GraphKeys, add_to_collection, get_collection
from troupe.saveable import SaveableObject, SaveSpec
from troupe.tensor_algebra import as_string

if TYPE_CHECKING:
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, Path, ShapeLike, TensorLike


def __getattr__(name: str) -> Any:
    if name == "experimental":
        from troupe.exports import Namespace

        return Namespace("lookup.experimental")
    raise AttributeError(f"module 'troupe.lookup' has no attribute {name!r}")


class TextFileIndex:
    """What of a line is a key or a value: the whole line, its number, or the column of a number from 0 on."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


class KeyValueTensorInitializer:
    """Fills a table with vectors of keys and values."""

    def __init__(self, keys: TensorLike, values: TensorLike, key_dtype: DTypeLike | None = None, value_dtype: DTypeLike | None = None,
                 name: str | None = None, value_shape: ShapeLike = None) -> None:
        self._name = name or "key_value_init"
        with ops.name_scope(self._name) as scope:
            self._keys = convert_to_tensor(keys, key_dtype, name="keys")
            self._values = convert_to_tensor(values, value_dtype, name="values")
        self._scope = scope
        self.key_dtype, self.value_dtype = self._keys.dtype.base_dtype, self._values.dtype.base_dtype

    def initialize(self, table: Any) -> Operation:
        """The operation that fills the table. TypeError for a table of other types."""
        _check_types(table, self)
        with ops.name_scope(self._scope):
            made = op_call.call("LookupTableImportV2" if table._mutable else "InitializeTableV2", None, table_handle=table.resource_handle,
                                keys=self._keys, values=self._values)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made

    _shared_name = ""


class TextFileInitializer:
    """Fills a table from the lines of a file, which is an asset of saved models."""

    def __init__(self, filename: Path, key_dtype: DTypeLike, key_index: int, value_dtype: DTypeLike, value_index: Any, vocab_size: int | None = None,
                 delimiter: str = "\t", name: str | None = None, value_index_offset: int = 0) -> None:
        self._name = name or "text_file_init"
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for what, index, dtype in (("key", key_index, self.key_dtype), ("value", value_index, self.value_dtype)):
            if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
                raise ValueError(f"Signature mismatch. `{what}_dtype` must be int64 if `{what}_index` is {TextFileIndex.LINE_NUMBER}; got {dtype}")
            if index == TextFileIndex.WHOLE_LINE and dtype is not dtypes.string and not dtype.is_integer:
                raise ValueError(f"Signature mismatch. `{what}_dtype` must be string or an integer for whole lines; got {dtype}")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be greater than 0, got {vocab_size}.")
        self._filename = convert_to_tensor(filename, dtypes.string, name="asset_path")
        self._attrs = {"key_index": key_index, "value_index": value_index, "vocab_size": -1 if vocab_size is None else vocab_size,
                       "delimiter": delimiter, "offset": value_index_offset}
        self._shared_name = f"hash_table_{filename}_{self._attrs['vocab_size']}_{key_index}_{value_index}" + (
            f"_{value_index_offset}" if value_index_offset else "")
        add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)

    def initialize(self, table: Any) -> Operation:
        _check_types(table, self)
        with ops.name_scope(self._name):
            made = op_call.call("InitializeTableFromTextFileV2", None, table_handle=table.resource_handle, filename=self._filename,
                                **self._attrs)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


def _check_types(table, initializer):
    if table.key_dtype is not initializer.key_dtype or table.value_dtype is not initializer.value_dtype:
        raise TypeError(f"Invalid key/value types: the table has {table.key_dtype.name} to {table.value_dtype.name}, the initializer "
                        f"{initializer.key_dtype.name} to {initializer.value_dtype.name}.")


class _Table:
    """A table by its handle."""

    _mutable = False

    def __init__(self, handle: Tensor, key_dtype: DType, value_dtype: DType, default_value: TensorLike) -> None:
        self.resource_handle, self.key_dtype, self.value_dtype = handle, key_dtype, value_dtype
        self._default = convert_to_tensor(default_value, value_dtype)
        self._initializer_op = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} from {self.key_dtype.name} to {self.value_dtype.name}>"

    @property
    def name(self) -> str:
        return self.resource_handle.op.name.split("/")[-1]

    @property
    def resource(self) -> Tensor:
        return self.resource_handle

    @property
    def default_value(self) -> Tensor:
        return self._default

    @property
    def initializer(self) -> Operation:
        """The operation that fills it, or does nothing."""
        return self._initializer_op if self._initializer_op is not None else control_flow_ops.no_op()

    init = initializer

    def size(self, name: str | None = None) -> Tensor:
        return op_call.call("LookupTableSizeV2", name or f"{self.name}_Size", table_handle=self.resource_handle)

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The values of keys, dense or sparse; the default where there is none. TypeError for keys of another type."""
        flat = keys.values if isinstance(keys, SparseTensor) else convert_to_tensor(keys, None if hasattr(keys, "dtype") else self.key_dtype)
        if flat.dtype.base_dtype is not self.key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self.key_dtype}, received: {flat.dtype}")
        with ops.name_scope(name, f"{self.name}_Lookup"):
            found = op_call.call("LookupTableFindV2", None, table_handle=self.resource_handle, keys=flat, default_value=self._default)
        return SparseTensor(keys.indices, found, keys.dense_shape) if isinstance(keys, SparseTensor) else found

    def __getitem__(self, keys):
        return self.lookup(keys)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(keys, values)."""
        keys, values = op_call.call("LookupTableExportV2", name or f"{self.name}_Values", table_handle=self.resource_handle,
                                    Tkeys=self.key_dtype, Tvalues=self.value_dtype)
        return keys, values


class StaticHashTable(_Table):
    """A table that its initializer fills once: see tables_initializer."""

    def __init__(self, initializer: KeyValueTensorInitializer | TextFileInitializer, default_value: TensorLike, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        default = convert_to_tensor(default_value, initializer.value_dtype)
        with ops.name_scope(name, "hash_table") as scope:
            handle = op_call.call("HashTableV2", scope, shared_name=initializer._shared_name or _shared_name(scope),
                                  key_dtype=initializer.key_dtype, value_dtype=initializer.value_dtype)
        super().__init__(handle, initializer.key_dtype, initializer.value_dtype, default)
        self._initializer_op = initializer.initialize(self)


HashTable = StaticHashTable

_tables = iter(range(1 << 62))


def _shared_name(scope):
    """A name that no table of another graph has, so that sessions do not share it."""
    return f"{scope.rstrip('/').replace('/', '_')}_{id(stacks.get_default_graph())}_{next(_tables)}"


class _TableSaveable(SaveableObject):
    def __init__(self, table, name):
        keys, values = table.export()
        self._table = table
        super().__init__(table.resource_handle, [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")], name)

    def restore(self, restored_tensors, restored_shapes):
        with stacks.get_default_graph().colocate_with(self._table.resource_handle):
            return op_call.call("LookupTableImportV2", None, table_handle=self._table.resource_handle, keys=restored_tensors[0],
                                values=restored_tensors[1])


class MutableHashTable(_Table):
    """A table that steps change; savers save it unless checkpoint is false."""

    _mutable = True

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, name: str = "MutableHashTable",
                 checkpoint: bool = True, experimental_is_anonymous: bool = False) -> None:
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        default = convert_to_tensor(default_value, value_dtype)
        with ops.name_scope(name) as scope:
            if default.shape.rank == 0:
                handle = op_call.call("MutableHashTableV2", scope, key_dtype=key_dtype, value_dtype=value_dtype,
                                      use_node_name_sharing=True)
            else:
                handle = op_call.call("MutableHashTableOfTensorsV2", scope, key_dtype=key_dtype, value_dtype=value_dtype,
                                      value_shape=default.shape, use_node_name_sharing=True)
        super().__init__(handle, key_dtype, value_dtype, default)
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """The operation that gives keys their values."""
        return op_call.call("LookupTableInsertV2", name or f"{self.name}_lookup_table_insert", table_handle=self.resource_handle,
                            keys=convert_to_tensor(keys, self.key_dtype), values=convert_to_tensor(values, self.value_dtype))

    def remove(self, keys: TensorLike, name: str | None = None) -> Operation:
        """The operation that takes keys out."""
        return op_call.call("LookupTableRemoveV2", name or f"{self.name}_lookup_table_remove", table_handle=self.resource_handle,
                            keys=convert_to_tensor(keys, self.key_dtype))


class DenseHashTable(_Table):
    """A table that steps change, without a list for each bucket: two keys that no program uses mark what is free. Savers save it unless
    checkpoint is false."""

    _mutable = True
    insert, remove = MutableHashTable.insert, MutableHashTable.remove
    insert_or_assign, erase = insert, remove

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, empty_key: TensorLike, deleted_key: TensorLike,
                 initial_num_buckets: int | None = None, name: str = "MutableDenseHashTable", checkpoint: bool = True,
                 experimental_is_anonymous: bool = False) -> None:
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        default = convert_to_tensor(default_value, value_dtype, name="default_value")
        empty, deleted = (convert_to_tensor(key, key_dtype, name=n) for key, n in ((empty_key, "empty_key"), (deleted_key, "deleted_key")))
        buckets = {} if initial_num_buckets is None else {"initial_num_buckets": initial_num_buckets}
        handle = op_call.call("MutableDenseHashTableV2", name, empty_key=empty, deleted_key=deleted, value_dtype=value_dtype,
                              value_shape=default.shape, use_node_name_sharing=checkpoint, **buckets)
        super().__init__(handle, key_dtype, value_dtype, default)
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))


class StaticVocabularyTable:
    """A table of words, whose values are counted from 0 on; others are put into buckets behind them by their hash. Without an initializer
    all are. ValueError for no buckets; TypeError for other keys than texts and integers."""

    def __init__(self, initializer: KeyValueTensorInitializer | TextFileInitializer | None, num_oov_buckets: int,
                 lookup_key_dtype: DTypeLike | None = None, name: str | None = None,
                 experimental_is_anonymous: bool = False) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._buckets = num_oov_buckets
        self._table = None
        self.key_dtype, self.value_dtype = dtypes.string, dtypes.int64
        if initializer is not None:
            self._check(initializer, lookup_key_dtype)
            self._table = StaticHashTable(initializer, -1)
            self.key_dtype = dtypes.as_dtype(lookup_key_dtype or initializer.key_dtype)
        self.name = (name or (self._table.name if self._table else "hash_bucket")).rstrip("/").split("/")[-1]

    @staticmethod
    def _check(initializer, lookup_key_dtype):
        allowed = (dtypes.int64, dtypes.string)
        if initializer.key_dtype not in allowed:
            raise TypeError(f"Invalid `key_dtype`, expected one of {allowed}, but got {initializer.key_dtype}.")
        if lookup_key_dtype is not None and dtypes.as_dtype(lookup_key_dtype).is_integer != initializer.key_dtype.is_integer:
            raise TypeError(f"Invalid `key_dtype`, expected {'non-' * initializer.key_dtype.is_integer}integer but got {initializer.key_dtype}.")
        if initializer.value_dtype is not dtypes.int64:
            raise TypeError(f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}.")

    @property
    def resource_handle(self) -> Tensor:
        return self._table.resource_handle if self._table else None

    @property
    def initializer(self) -> Operation:
        """The operation that fills it, or does nothing."""
        return self._table.initializer if self._table else control_flow_ops.no_op()

    init = initializer

    def size(self, name: str | None = None) -> Tensor:
        """How many values there can be, those of the buckets too."""
        with ops.name_scope(name, f"{self.name}_Size"):
            return (self._table.size() if self._table else convert_to_tensor(0, dtypes.int64)) + self._buckets

    def lookup(self, keys: Tensor | SparseTensor, name: str | None = None) -> Any:
        """The values of keys, dense or sparse. TypeError for keys of another type."""
        if keys.dtype.base_dtype is not self.key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}")
        flat = keys.values if isinstance(keys, SparseTensor) else convert_to_tensor(keys)
        if self._table and self._table.key_dtype is dtypes.int64:
            flat = cast(flat, dtypes.int64)
        with ops.name_scope(name, f"{self.name}_Lookup"):
            text = as_string(flat) if flat.dtype.base_dtype is not dtypes.string else flat
            found = op_call.call("StringToHashBucketFast", "hash_bucket", input=text, num_buckets=self._buckets)
            if self._table:
                known = self._table.lookup(flat)
                found = where_v2(not_equal(known, self._table.default_value), known, found + self._table.size())
        return SparseTensor(keys.indices, found, keys.dense_shape) if isinstance(keys, SparseTensor) else found

    def __getitem__(self, keys):
        return self.lookup(keys)


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """The operation that fills all tables of the graph."""
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return control_flow_ops.group(*initializers, name=name) if initializers else control_flow_ops.no_op(name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    return tables_initializer(name)
