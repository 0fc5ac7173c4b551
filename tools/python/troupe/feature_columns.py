"""What columns of features have in common: the tensors that they are made of, and how ids become embeddings."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, control_flow_ops, dtypes, gather_ops, math_ops, sparse_ops, stacks
from troupe.composite import SparseTensor
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

IdWeightPair = namedtuple("IdWeightPair", ("id_tensor", "weight_tensor"))
TensorSequenceLengthPair = namedtuple("TensorSequenceLengthPair", ("dense_tensor", "sequence_length"))


class FeatureColumn:
    """A column: by its `name` its variables' scope is called, `parse_example_spec` says what examples are parsed for it. Columns are values:
    those with the same arguments are equal."""

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """{key: FixedLenFeature or VarLenFeature}, as parse_example takes it."""
        raise NotImplementedError

    @property
    def _parse_example_spec(self):
        return self.parse_example_spec

    @property
    def _var_scope_name(self):
        return self.name

    def _transform_feature(self, inputs):
        """The column's tensor of the features, which `inputs.get` gives."""
        raise NotImplementedError

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that is a dense tensor [batch, ...]."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape without the batch."""
        raise NotImplementedError

    @property
    def _variable_shape(self):
        return self.variable_shape

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        raise NotImplementedError


class SequenceDenseColumn(FeatureColumn):
    """A column that is a dense tensor [batch, time, ...], with the length of each row."""

    def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column of ids, 0 <= id < num_buckets, any number of them in each row."""

    @property
    def num_buckets(self) -> int:
        raise NotImplementedError

    @property
    def _num_buckets(self):
        return self.num_buckets

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        """(ids, their weights or None), both sparse."""
        return IdWeightPair(inputs.get(self), None)


class LazyBuilder:
    """The features of a batch, and what columns have made of them so far."""

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: str | FeatureColumn) -> Any:
        """The tensor of a column, or of the feature of a name, with a dimension more if it is a vector. ValueError for a feature that is not there."""
        if key not in self._made:
            if key in self._features:
                self._made[key] = _with_columns(key, self._features[key])
            elif isinstance(key, str):
                raise ValueError(f"Feature {key} is not in features dictionary.")
            elif not isinstance(key, FeatureColumn):
                raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
            else:
                self._made[key] = key._transform_feature(self)
        return self._made[key]


def _with_columns(key, feature):
    tensor = sparse_ops.convert_to_tensor_or_sparse_tensor(feature)

    def widened():
        if isinstance(tensor, SparseTensor):
            return sparse_ops.sparse_reshape(tensor, [sparse_rows(tensor), 1])
        return array_ops.expand_dims(tensor, -1)

    rank = tensor.shape.rank
    message = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
    if rank == 0:
        raise ValueError(message)
    if rank is not None:
        return widened() if rank == 1 else tensor
    known = array_ops.size(tensor.dense_shape) if isinstance(tensor, SparseTensor) else array_ops.rank(tensor)
    with stacks.get_default_graph().control_dependencies([check_ops.assert_positive(known, message=message)]):
        return control_flow_ops.cond(math_ops.equal(1, known), widened, lambda: tensor)


def sparse_rows(tensor: SparseTensor) -> Tensor:
    """How many rows a sparse tensor has, as an int32 scalar."""
    return math_ops.cast(tensor.dense_shape[0], dtypes.int32)


def to_sparse(tensor: TensorLike | SparseTensor, ignore_value: Any = None) -> SparseTensor:
    """A sparse tensor of a dense one, without the elements that mean that there is none: "" and -1 by default."""
    tensor = sparse_ops.convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with stacks.get_default_graph().name_scope("to_sparse_input"):
        if ignore_value is None:
            ignore_value = "" if tensor.dtype is dtypes.string else -1 if tensor.dtype.is_integer else tensor.dtype.as_numpy_dtype()
        ignored = math_ops.cast(array_ops.constant(ignore_value, tensor.dtype), tensor.dtype, name="ignore_value")
        indices = array_ops.where_v2(math_ops.not_equal(tensor, ignored), name="indices")
        return SparseTensor(indices, gather_ops.gather_nd(tensor, indices, name="values"),
                            array_ops.shape(tensor, out_type=dtypes.int64, name="dense_shape"))


def check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_string_or_int(dtype: DType, prefix: str) -> None:
    if dtype is not dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def check_ids_type(key: str, column: DType, tensor: DType) -> None:
    """ValueError unless both are integers or both are strings."""
    if column.is_integer != tensor.is_integer:
        raise ValueError(f"Column dtype and SparseTensors dtype must be compatible. key: {key}, column dtype: {column}, tensor dtype: {tensor}")
    check_string_or_int(tensor, f"column_name: {key} input_tensor")


def normalized_columns(feature_columns: Iterable[FeatureColumn] | FeatureColumn) -> list[FeatureColumn]:
    """The columns by their names. ValueError for what is none, for two of one name, and for none at all."""
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(feature_columns) if isinstance(feature_columns, Iterator) else feature_columns
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}.")
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    by_name: dict[str, FeatureColumn] = {}
    for column in columns:
        other = by_name.setdefault(column.name, column)
        if other is not column:
            raise ValueError(f"Duplicate feature column name found for columns: {column} and {other}. This usually means that these columns refer to "
                             "same base feature. Either one must be discarded or a duplicated but renamed item must be inserted in features dict.")
    return sorted(columns, key=lambda c: c.name)


def check_batch_sizes(tensors: list[Tensor], columns: list[FeatureColumn]) -> None:
    """ValueError where the first dimensions are known not to agree."""
    known = [(t.shape.as_list()[0], c) for t, c in zip(tensors, columns) if t.shape.rank]
    known = [(size, c) for size, c in known if size is not None]
    for size, column in known[1:]:
        if size != known[0][0]:
            raise ValueError("Batch size (first dimension) of each feature must be same. Batch size of columns "
                             f"({known[0][1].name}, {column.name}): ({known[0][0]}, {size})")


def sequence_length(ids: SparseTensor, num_elements: int = 1) -> Tensor:
    """The length of each row of a sparse tensor [batch, columns, ...], counted in parts of `num_elements`: int64 [batch]."""
    with stacks.get_default_graph().name_scope("sequence_length") as scope:
        rows, columns = ids.indices[:, 0], ids.indices[:, 1]
        ends = math_ops.segment_max(columns + array_ops.ones_like(columns), rows)
        lengths = math_ops.cast(math_ops.ceil(ends / num_elements), dtypes.int64)
        missing = math_ops.cast(ids.dense_shape[:1], dtypes.int32) - array_ops.shape(lengths)[:1]
        return array_ops.concat([lengths, array_ops.zeros(missing, lengths.dtype)], 0, name=scope)
