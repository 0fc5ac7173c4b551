"""What tensors, sparse and ragged ones are like, as values: tf.TensorSpec and its like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, nest
from troupe.dataset_specs import DatasetSpec, RaggedElement, SparseElement
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from typing import Any

    from troupe.dtypes import DType
    from troupe.typing import DTypeLike, Nest, ShapeLike


class TypeSpec:
    """A kind of values: two of the same class and parts are equal."""

    @property
    def value_type(self) -> type:
        raise NotImplementedError

    def _parts(self):
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or what another spec describes, is of this kind: same types, shapes that can be the same."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        if type(other) is not type(self):
            return False
        return all(a.is_compatible_with(b) if isinstance(a, TensorShape) else a == b for a, b in zip(self._parts(), other._parts()))

    def __eq__(self, other):
        return type(self) is type(other) and [_key(p) for p in self._parts()] == [_key(p) for p in other._parts()]

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self).__name__, *map(_key, self._parts())))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._parts()))})"


def _key(part):
    """A shape as what is equal for two of unknown dimensions, too."""
    return ("shape", None if part.rank is None else tuple(part.as_list())) if isinstance(part, TensorShape) else part


class _ShapeAndType(TypeSpec):
    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    def _parts(self):
        return self._shape, self._dtype


class TensorSpec(_ShapeAndType):
    """A tensor of a shape and a type. Its name is not compared with others' where tensors are."""

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = as_shape(shape), dtypes.as_dtype(dtype), name

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def value_type(self) -> type:
        from troupe.tensor import Tensor

        return Tensor

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        return cls(tensor.shape, tensor.dtype.base_dtype, name or tensor.op.name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        if not hasattr(spec_or_tensor, "dtype") or not hasattr(spec_or_tensor, "shape"):
            return False
        return self._dtype.is_compatible_with(spec_or_tensor.dtype) and self._shape.is_compatible_with(spec_or_tensor.shape)

    def __eq__(self, other):
        return super().__eq__(other) and self._name == other._name

    __hash__ = TypeSpec.__hash__

    def __repr__(self):
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class SparseTensorSpec(_ShapeAndType):
    """A sparse tensor of a dense shape and a type."""

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape, self._dtype = as_shape(shape), dtypes.as_dtype(dtype)

    @property
    def rank(self) -> int | None:
        return self._shape.rank

    @property
    def value_type(self) -> type:
        from troupe.composite import SparseTensor

        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        return cls(value.shape, value.dtype.base_dtype)


class RaggedTensorSpec(_ShapeAndType):
    """A ragged tensor of a shape, a type and a number of ragged dimensions: by default all but the first of the shape. ValueError for as many as
    the shape has, or more."""

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32, ragged_rank: int | None = None,
                 row_splits_dtype: DTypeLike = dtypes.int64, flat_values_spec: TensorSpec | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = flat_values_spec.dtype if flat_values_spec is not None else dtypes.as_dtype(dtype)
        self._row_splits_dtype, self._flat_values_spec = dtypes.as_dtype(row_splits_dtype), flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank

    @property
    def ragged_rank(self) -> int:
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> TensorSpec | None:
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        from troupe.ragged_tensor import RaggedTensor

        return RaggedTensor

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        return cls(value.shape, value.dtype.base_dtype, value.ragged_rank, value.row_splits.dtype.base_dtype)

    def _parts(self):
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype


class IndexedSlicesSpec(_ShapeAndType):
    """Rows of a tensor with their indices."""

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32, indices_dtype: DTypeLike = dtypes.int64,
                 dense_shape_dtype: DTypeLike | None = None, indices_shape: ShapeLike = None) -> None:
        self._shape, self._dtype, self._indices_dtype = as_shape(shape), dtypes.as_dtype(dtype), dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        from troupe.composite import IndexedSlices

        return IndexedSlices

    def _parts(self):
        return self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape


class OptionalSpec(TypeSpec):
    """An element of a dataset that may not be there."""

    def __init__(self, element_spec: Nest) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        from troupe.optional_ops import Optional

        return Optional

    def _parts(self):
        return (self._element_spec,)

    def __hash__(self):
        return hash(repr(self))


def type_spec_from_value(value: Any) -> Any:
    """What describes a tensor, a sparse, ragged or optional one, rows with indices, or a dataset; an array or a Python value as the tensor that it becomes.
    TypeError for anything else."""
    from troupe.composite import IndexedSlices, SparseTensor
    from troupe.conversion import convert_to_tensor

    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, IndexedSlices):
        shape = value.dense_shape
        return IndexedSlicesSpec(value.shape, value.dtype.base_dtype, value.indices.dtype.base_dtype, None if shape is None else shape.dtype,
                                 value.indices.shape)
    if hasattr(value, "nested_row_splits"):
        return RaggedTensorSpec.from_value(value)
    if hasattr(value, "_variant"):
        return DatasetSpec(value._types, value._shapes)
    if hasattr(value, "has_value"):
        return OptionalSpec(value.element_spec)
    try:
        tensor = value if hasattr(value, "op") else convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(f"Could not build a TypeSpec for {value} with type {type(value).__name__}") from None
    return TensorSpec(tensor.shape, tensor.dtype.base_dtype)


def spec_of(leaf: Any, shape: TensorShape) -> Any:
    """The public spec of what stands in a dataset's types, and its shape."""
    if isinstance(leaf, SparseElement):
        return SparseTensorSpec(shape, leaf.dtype)
    if isinstance(leaf, RaggedElement):
        made = RaggedTensorSpec(None, leaf.dtype, leaf.ragged_rank, leaf.row_splits_dtype)
        made._shape = as_shape(shape)
        return made
    return leaf if isinstance(leaf, DatasetSpec) else TensorSpec(shape, leaf)


def _leaf_of(spec):
    """What stands in a dataset's types for a public spec. TypeError for one of no element."""
    if isinstance(spec, TensorSpec):
        return spec.dtype
    if isinstance(spec, SparseTensorSpec):
        return SparseElement(spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedElement(spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    if isinstance(spec, DatasetSpec):
        return spec
    raise TypeError(f"Elements of datasets are described by tf.TensorSpec, tf.SparseTensorSpec and tf.RaggedTensorSpec, not by {spec!r}.")


def types_and_shapes(element_spec: Nest) -> tuple[Nest, Nest]:
    """(types, shapes) as datasets hold them, of a nest of specs."""
    flat = nest.flatten(element_spec)
    shapes = [TensorShape([]) if isinstance(s, DatasetSpec) else s.shape for s in flat]
    return nest.pack_sequence_as(element_spec, map(_leaf_of, flat)), nest.pack_sequence_as(element_spec, shapes)


# The names of before there were specs.


def tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:
    return TensorSpec(shape, dtype)


def sparse_tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:
    return SparseTensorSpec(shape, dtype)


def ragged_tensor_structure(dtype: DTypeLike, shape: ShapeLike, ragged_rank: int) -> RaggedTensorSpec:
    return RaggedTensorSpec(shape, dtype, ragged_rank)
