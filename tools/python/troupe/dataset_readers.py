"""Datasets of rows of CSV files, of Examples in files, and of what a database answers."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, file_io, nest, op_call
from troupe.conversion import convert_to_tensor
from troupe.dataset_files import TFRecordDataset
from troupe.dataset_ops import AUTOTUNE, Dataset, int64_of
from troupe.dataset_specs import RaggedElement, SparseElement
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.typing import Nest, TensorLike

_CSV_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def _default(value):
    """The default of a column: a dtype means that there is none."""
    return convert_to_tensor(np.array([], value.as_numpy_dtype), value) if isinstance(value, dtypes.DType) else convert_to_tensor(value)


class CsvDataset(Dataset):
    """A tuple of scalars for each row of CSV files: `record_defaults` has for each column what stands for an empty field, or a dtype, without one;
    `select_cols` are the numbers of the columns that are read, in their order, `exclude_cols` of those that are not. InvalidArgumentError from steps for fields that cannot be read so."""

    def __init__(self, filenames: TensorLike, record_defaults: Sequence[Any], compression_type: TensorLike | None = None,
                 buffer_size: TensorLike | None = None, header: bool | Tensor = False, field_delim: TensorLike = ",",
                 use_quote_delim: bool | Tensor = True, na_value: TensorLike = "", select_cols: Sequence[int] | None = None,
                 exclude_cols: Sequence[int] | None = None) -> None:
        names = convert_to_tensor(filenames, dtypes.string, name="filenames")
        defaults = [_default(d) for d in record_defaults]
        types = tuple(d.dtype.base_dtype for d in defaults)
        columns = convert_to_tensor(np.array(select_cols or [], np.int64), name="select_cols")
        others = convert_to_tensor(np.array(exclude_cols or [], np.int64), name="exclude_cols")
        made = op_call.call("CSVDatasetV2", None, filenames=names, compression_type=convert_to_tensor(compression_type or "", dtypes.string),
                            buffer_size=int64_of(4 * 1024 * 1024 if buffer_size is None else buffer_size, "buffer_size"), header=header,
                            field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value, select_cols=columns, record_defaults=defaults,
                            exclude_cols=others, output_shapes=[TensorShape([])] * len(types))
        super().__init__(made, types, tuple(TensorShape([]) for _ in types))


class SqlDataset(Dataset):
    """A tuple of scalars for each row that a database answers: the driver is "sqlite", its source a file."""

    def __init__(self, driver_name: TensorLike, data_source_name: TensorLike, query: TensorLike, output_types: Nest) -> None:
        types = nest.pack_sequence_as(output_types, [dtypes.as_dtype(t) for t in nest.flatten(output_types)])
        shapes = nest.pack_sequence_as(types, [TensorShape([]) for _ in nest.flatten(types)])
        made = Dataset._of_op("SqlDataset", types, shapes, driver_name=driver_name, data_source_name=data_source_name, query=query)
        super().__init__(made._variant, types, shapes)


class RandomDataset(Dataset):
    """Random int64 numbers without end: Dataset.random."""

    def __init__(self, seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> None:
        made = Dataset.random(seed, rerandomize_each_iteration)
        super().__init__(made._variant, made._types, made._shapes)


# Rows of CSV files in batches.


def _file_names(file_pattern):
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    if not patterns:
        raise ValueError("Argument `file_pattern` should not be empty.")
    found = sorted(name for p in patterns for name in file_io.glob(p))
    if not found:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return found


class _Csv:
    """How CSV files are written, and what their rows say of the columns."""

    def __init__(self, files, field_delim, use_quote_delim, na_value, compression_type, encoding):
        self.files, self.na_value, self._compression, self._encoding = files, na_value, compression_type, encoding
        self._form = {"delimiter": field_delim, "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE}
        if compression_type not in (None, "", "GZIP"):
            raise ValueError(f"`compression_type` {compression_type} is not supported for probing columns.")

    def _open(self, name):
        if self._compression == "GZIP":
            return gzip.open(name, "rt", encoding=self._encoding)
        return open(name, encoding=self._encoding, newline="")

    def _first_row(self, name):
        with self._open(name) as file:
            row = next(csv.reader(file, **self._form), None)
        if row is None:
            raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
        return row

    def names(self):
        """The names of the columns, which all files must begin with."""
        first, *others = self.files
        names = self._first_row(first)
        for other in others:
            if self._first_row(other) != names:
                raise ValueError(f"All input CSV files should have the same column names in the header row. File {other} has different column names.")
        return names

    def _rows(self, count, header):
        for name in self.files:
            with self._open(name) as file:
                for number, row in enumerate(csv.reader(file, **self._form), 1):
                    if header and number == 1:
                        continue
                    if len(row) != count:
                        raise ValueError(f"Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: {count}.")
                    yield row

    def defaults(self, count, columns, header, most):
        """Zero or an empty text for each column, of the first type that the first rows fit."""
        columns = range(count) if columns is None else columns
        known = [None] * len(columns)
        for i, row in enumerate(self._rows(count, header)):
            if most is not None and i >= most:
                break
            known = [self._type(row[c], before) for c, before in zip(columns, known)]
        return [convert_to_tensor(["" if (t or dtypes.string) is dtypes.string else 0], t or dtypes.string) for t in known]

    def _type(self, text, before):
        if text in ("", self.na_value):
            return before
        kinds = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]
        return next(t for i, t in enumerate(kinds) if (before is None or before in kinds[:i + 1]) and _fits(text, t))


def _fits(text, dtype):
    if dtype is dtypes.string:
        return True
    try:
        if dtype.is_integer:
            return -2**(8 * dtype.size - 1) <= int(text) < 2**(8 * dtype.size - 1)
        return bool(dtype.as_numpy_dtype(text) < np.inf)
    except (ValueError, OverflowError):
        return False


def _selected(columns, names):
    """Numbers of columns, in their order, of numbers and names. ValueError for others, and for one that is there twice."""
    found = []
    for column in columns:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(f"Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, which is the number of columns.")
            found.append(column)
        elif column not in names:
            raise ValueError(f"Column {column} specified in `select_columns` must be of one of the columns: {names}.")
        else:
            found.append(names.index(column))
    if len(set(found)) != len(found):
        raise ValueError(f"The `select_columns` argument contains duplicate columns: { {c for c in found if found.count(c) > 1} }.")
    return sorted(found)


def _shuffled_and_repeated(dataset, num_epochs, shuffle, buffer_size, seed):
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def make_csv_dataset(file_pattern: str | list[str], batch_size: TensorLike, column_names: Sequence[str] | None = None,
                     column_defaults: Sequence[Any] | None = None, label_name: str | None = None, select_columns: Sequence[int | str] | None = None,
                     field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "", header: bool = True, num_epochs: int | None = None,
                     shuffle: bool = True, shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
                     num_parallel_reads: int | None = None, sloppy: bool = False, num_rows_for_inference: int | None = 100,
                     compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8") -> Dataset:
    """Batches of rows of CSV files as {column: vector}, with `label_name` as ({column: vector}, label). Names of columns are those of the header unless they are
    given, their types what the first rows fit unless `column_defaults` say. Without an end unless `num_epochs` is given. ValueError for columns and files that
    are not there."""
    files = _file_names(file_pattern)
    dataset = Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    form = _Csv(files, field_delim, use_quote_delim, na_value, compression_type, encoding) if column_names is None or column_defaults is None else None
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = form.names()  # type: ignore[union-attr]
    names = list(column_names)
    if len(set(names)) != len(names):
        raise ValueError("Either `column_names` argument or CSV header row contains duplicate column names: "
                         f"{ {n for n in names if names.count(n) > 1} }.")
    selected = None if select_columns is None else _selected(select_columns, names)
    if column_defaults is None:
        column_defaults = form.defaults(len(names), selected, header, num_rows_for_inference)  # type: ignore[union-attr]
    column_defaults = [_default(d) for d in column_defaults]
    if selected is not None and len(column_defaults) != len(selected):
        raise ValueError("If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has length "
                         f"{len(column_defaults)}, `select_columns` has length {len(selected)}.")
    if selected is not None:
        names = [names[i] for i in selected]
    if label_name is not None and label_name not in names:
        raise ValueError(f"`label_name` provided must be one of the columns: {names}. Received: {label_name}.")

    def rows_of(file):
        rows = CsvDataset(file, column_defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, selected)
        return rows.ignore_errors() if ignore_errors else rows

    def named(*columns):
        found = dict(zip(names, columns))
        return found if label_name is None else (found, found.pop(label_name))

    dataset = _read(dataset, rows_of, num_parallel_reads, sloppy)
    dataset = _shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    return dataset.batch(batch_size, num_epochs is None).map(named).prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _read(files, rows_of, num_parallel_reads, sloppy):
    from troupe.data_experimental import parallel_interleave

    if num_parallel_reads == AUTOTUNE:
        return files.interleave(rows_of, num_parallel_calls=AUTOTUNE)
    return files.apply(parallel_interleave(rows_of, 1 if num_parallel_reads is None else num_parallel_reads, sloppy=sloppy))


# Examples.


def parse_example_dataset(features: Mapping[str, Any], num_parallel_calls: TensorLike = 1,
                          deterministic: bool | None = None) -> Callable[[Dataset], Dataset]:
    """For Dataset.apply, of a dataset of vectors of serialized Examples: {key: tensor} of each, as parse_example gives. ValueError without features."""
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    return lambda dataset: _parsed(dataset, features, num_parallel_calls, deterministic)


def _parsed(dataset, features, num_parallel_calls, deterministic):
    from troupe.parsing_ops import keys_of, with_merged
    from troupe.parsing_ragged import RaggedFeature

    if dataset._types is not dtypes.string or not as_shape(dataset._shapes).is_compatible_with([None]):
        raise TypeError(f"Input dataset should be a dataset of vectors of strings. Instead it is `{dataset.element_spec}`.")
    keys, batch = keys_of(features), as_shape(dataset._shapes)
    types, shapes = {}, {}
    for key, dtype in keys.sparse.items():
        types[key], shapes[key] = SparseElement(dtype), batch.concatenate([None])
    for key, feature in keys.dense.items():
        types[key], shapes[key] = feature.dtype, batch.concatenate(feature.shape)
    for key, (value_type, split_type) in keys.ragged.items():
        types[key], shapes[key] = RaggedElement(value_type, 1, split_type), batch.concatenate([None])
    order = "default" if deterministic is None else "true" if deterministic else "false"
    value_types, split_types = keys.ragged_types
    made = dataset._like("ParseExampleDatasetV2", types, shapes, num_parallel_calls=int64_of(num_parallel_calls, "num_parallel_calls"),
                         dense_defaults=keys.defaults(), sparse_keys=list(keys.sparse), dense_keys=list(keys.dense),
                         sparse_types=list(keys.sparse.values()), dense_shapes=keys.shapes, deterministic=order, ragged_keys=list(keys.ragged),
                         ragged_value_types=value_types, ragged_split_types=split_types)
    merged = any(isinstance(f, RaggedFeature) or hasattr(f, "index_key") for f in features.values())
    return made.map(lambda found: with_merged(features, found), num_parallel_calls) if merged else made


def make_batched_features_dataset(file_pattern: TensorLike, batch_size: TensorLike, features: Mapping[str, Any],
                                  reader: Callable[..., Dataset] | None = None, label_key: str | None = None, reader_args: Sequence[Any] | None = None,
                                  num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
                                  shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None, reader_num_threads: int | None = None,
                                  parser_num_threads: int | None = None, sloppy_ordering: bool = False, drop_final_batch: bool = False) -> Dataset:
    """Batches of Examples in files as {key: tensor}, with `label_key` as ({key: tensor}, label). `reader(file)` makes a dataset of the serialized Examples of a
    file: TFRecordDataset by default. Without an end unless `num_epochs` is given. TypeError for a reader of the older kind; ValueError for a label that is no
    feature."""
    from troupe.readers import ReaderBase

    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError("The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported. For example, pass "
                        "`tf.data.TFRecordDataset` instead of `tf.TFRecordReader`.")
    if label_key and label_key not in features:
        raise ValueError(f"The `label_key` provided ({label_key}) must be one of the `features` keys: {list(features)}.")
    make = TFRecordDataset if reader is None else reader
    dataset = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset = _read(dataset, lambda file: make(file, *(reader_args or [])), reader_num_threads, sloppy_ordering)
    if dataset._types == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = _shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, 2 if parser_num_threads is None else parser_num_threads))
    if label_key:
        dataset = dataset.map(lambda found: ({k: v for k, v in found.items() if k != label_key}, found[label_key]))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
