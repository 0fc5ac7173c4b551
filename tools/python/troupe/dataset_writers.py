"""What datasets are written to: files of records, tables; and datasets that are filled up to a size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, lookup, op_call, ops
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import Dataset
from troupe.ops import GraphKeys, add_to_collection

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Operation
    from troupe.typing import TensorLike


class TFRecordWriter:
    """Writes the strings of a dataset as records of a file."""

    def __init__(self, filename: TensorLike, compression_type: TensorLike | None = None) -> None:
        self._filename = convert_to_tensor(filename, dtypes.string, name="filename")
        self._compression_type = convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")

    def write(self, dataset: Dataset) -> Operation:
        """The operation that writes all elements. TypeError for what is no dataset of string scalars."""
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        if dataset._types is not dtypes.string or dataset._shapes.rank not in (0, None):
            raise TypeError("Invalid `dataset`. Expected a `dataset` that produces scalar `tf.string` elements, but got a dataset which produces elements "
                            f"with shapes {dataset.output_shapes} and types {dataset.output_types}.")
        return op_call.call("DatasetToTFRecord", None, input_dataset=dataset._variant, filename=self._filename, compression_type=self._compression_type)


class DatasetInitializer:
    """Fills a table with the (key, value) that a dataset gives. ValueError for other elements."""

    _shared_name = ""

    def __init__(self, dataset: Dataset) -> None:
        _check_pairs(dataset)
        self.dataset = dataset
        self.key_dtype, self.value_dtype = dataset._types

    def initialize(self, table: Any) -> Operation:
        """The operation that fills the table. TypeError for a table of other types."""
        lookup._check_types(table, self)
        made = op_call.call("InitializeTableFromDataset", None, table_handle=table.resource_handle, dataset=self.dataset._variant)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


def _check_pairs(dataset):
    prefix = "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and values are scalar tensors. "
    if not isinstance(dataset._types, tuple) or len(dataset._types) != 2:
        count = len(dataset._types) if isinstance(dataset._types, (tuple, dict)) else 1
        raise ValueError(f"{prefix}However, the given dataset produces {count} components instead of two (key, value) components. Full dataset element "
                         f"spec: {dataset.element_spec}.")
    for what, kind, shape in zip(("key", "value"), dataset._types, dataset._shapes):
        if not isinstance(kind, dtypes.DType):
            raise ValueError(f"{prefix}However, the given dataset produces non-Tensor {what}s of type {kind}.")
        if shape.rank not in (None, 0):
            raise ValueError(f"{prefix}However, the given dataset produces non-scalar {what} Tensors of rank {shape.rank}.")


def table_from_dataset(dataset: Dataset, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: TensorLike | None = None,
                       hasher_spec: Any = None, key_dtype: DType = dtypes.string,
                       name: str | None = None) -> lookup.StaticHashTable | lookup.StaticVocabularyTable:
    """A table of the (key, value) that a dataset gives, the first `vocab_size` of them, which must be there; others have the default, -1, or a bucket behind
    them. ValueError for what cannot be."""
    _check_pairs(dataset)
    value_dtype = dataset._types[1]
    if default_value is None:
        if not (value_dtype.is_integer or value_dtype.is_floating):
            raise ValueError(f"`default_value` must be specified when creating a table from a dataset that produces values of type {value_dtype}.")
        default_value = -1
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    if vocab_size is not None:
        from troupe.data_experimental import assert_cardinality

        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    with ops.name_scope(name, "string_to_index"):
        initializer = DatasetInitializer(dataset)
        if num_oov_buckets:
            return lookup.StaticVocabularyTable(initializer, num_oov_buckets, key_dtype)
        return lookup.StaticHashTable(initializer, default_value)


def index_table_from_dataset(dataset: Dataset, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: TensorLike = -1,
                             hasher_spec: Any = None, key_dtype: DType = dtypes.string,
                             name: str | None = None) -> lookup.StaticHashTable | lookup.StaticVocabularyTable:
    """The same with the places of keys in the dataset as their values."""
    numbered = dataset.enumerate().map(lambda place, key: (key, place))
    return table_from_dataset(numbered, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)


def pad_to_cardinality(cardinality: TensorLike, mask_key: str = "valid") -> Callable[[Dataset], Dataset]:
    """For Dataset.apply, of a dataset of dictionaries: elements of zeros behind its own, so that there are `cardinality`; `mask_key` says which are its own.
    ValueError for other elements."""
    def pad(dataset):
        if not isinstance(dataset._types, Mapping):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        filler = {key: array_ops.zeros(dataset._shapes[key], kind) for key, kind in dataset._types.items()}
        missing = Dataset.from_tensors({**filler, mask_key: False}).repeat(cardinality - dataset.cardinality())
        return dataset.map(lambda element: {**element, mask_key: True}).concatenate(missing)

    return pad
