"""Elements of datasets that are more than a tensor: sparse and ragged tensors, datasets. What stands for one in an element's nest of types, and
how it is one tensor, a variant, on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, nest, op_call
from troupe.composite import SparseTensor, SparseTensorValue
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troupe.dtypes import DType
    from troupe.typing import Nest


class _Spec:
    """In the place of a dtype, beside the shape of what it stands for."""

    wire_shape = TensorShape(None)

    def __eq__(self, other):
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


class DatasetSpec(_Spec):
    """The type of elements that are datasets themselves, by the types and shapes of what is in these."""

    wire_shape = TensorShape([])

    def __init__(self, types: Nest, shapes: Nest) -> None:
        self._types, self._shapes = types, shapes

    def __repr__(self):
        return f"DatasetSpec({self._types}, {self._shapes})"

    @property
    def of(self) -> type:
        from troupe.dataset_ops import Dataset

        return Dataset

    def made_of(self, variant: Tensor, shape: TensorShape) -> Any:
        return self.of(variant, self._types, self._shapes)


class SparseElement(_Spec):
    """The type of sparse tensors of a dtype."""

    of = SparseTensor

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __repr__(self):
        return f"SparseElement({self.dtype})"

    def batched(self) -> SparseElement:
        return self

    unbatched = batched

    def made_of(self, variant: Tensor, shape: TensorShape) -> SparseTensor:
        """The sparse tensor of a variant [..., 3], with what is known of its shape."""
        indices, values, dims = op_call.call("DeserializeSparse", None, serialized_sparse=variant, dtype=self.dtype)
        shape = as_shape(shape)
        if shape.rank is not None:
            indices.set_shape([None, shape.rank])
            dims.set_shape([shape.rank])
            if shape.is_fully_defined():
                dims = array_ops.constant(shape.as_list(), dtypes.int64)
        return SparseTensor(indices, values, dims)


class RaggedElement(_Spec):
    """The type of ragged tensors of a dtype with so many ragged dimensions; with none, a tensor that was a row of one."""

    def __init__(self, dtype: DType, ragged_rank: int, row_splits_dtype: DType = dtypes.int64) -> None:
        self.dtype, self.ragged_rank, self.row_splits_dtype = dtype, ragged_rank, row_splits_dtype

    def __repr__(self):
        return f"RaggedElement({self.dtype}, {self.ragged_rank}, {self.row_splits_dtype})"

    @property
    def of(self) -> type:
        from troupe.ragged_tensor import RaggedTensor

        return RaggedTensor

    def batched(self) -> RaggedElement:
        return RaggedElement(self.dtype, self.ragged_rank + 1, self.row_splits_dtype)

    def unbatched(self) -> RaggedElement:
        return RaggedElement(self.dtype, self.ragged_rank - 1, self.row_splits_dtype)

    def made_of(self, variant: Tensor, shape: TensorShape) -> Any:
        from troupe.ragged_tensor import RaggedTensor

        splits, values = op_call.call("RaggedTensorFromVariant", None, encoded_ragged=variant, input_ragged_rank=-1, output_ragged_rank=self.ragged_rank,
                                      Tvalues=self.dtype, Tsplits=self.row_splits_dtype)
        shape = as_shape(shape)
        if shape.rank is not None:
            values.set_shape(TensorShape([None] if self.ragged_rank else []).concatenate(shape[self.ragged_rank + 1:]) if self.ragged_rank else shape)
            if splits and shape[0].value is not None:
                splits[0].set_shape([shape[0].value + 1])
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def is_composite(value: Any) -> bool:
    """Whether a value is a sparse or ragged tensor, or the value of one."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return True
    # Nothing is ragged before its module was asked for.
    return type(value).__name__ in ("RaggedTensor", "RaggedTensorValue") and hasattr(value, "nested_row_splits")


def composite_of(value: Any) -> Any:
    """The sparse or ragged tensor of one, or of a value of one."""
    from troupe.ragged_tensor import RaggedTensor

    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    if isinstance(value, RaggedTensor):
        return value
    return RaggedTensor.from_nested_row_splits(convert_to_tensor(value.flat_values), [convert_to_tensor(s) for s in value.nested_row_splits], validate=False)


def type_of(leaf: Any) -> DType | _Spec:
    """What stands for a leaf of an element in its types."""
    if isinstance(leaf, SparseTensor):
        return SparseElement(leaf.dtype.base_dtype)
    if hasattr(leaf, "_variant"):
        return DatasetSpec(leaf._types, leaf._shapes)
    if is_composite(leaf):
        return RaggedElement(leaf.dtype.base_dtype, leaf.ragged_rank, leaf.row_splits.dtype.base_dtype)
    return leaf.dtype.base_dtype


def shape_of(leaf: Any) -> TensorShape:
    return TensorShape([]) if hasattr(leaf, "_variant") else leaf.shape


def structure_of(result: Any) -> tuple[Any, Any]:
    """(types, shapes) of a nest of tensors, sparse and ragged ones, and datasets."""
    flat = nest.flatten(result)
    return nest.pack_sequence_as(result, map(type_of, flat)), nest.pack_sequence_as(result, map(shape_of, flat))


def wire_types(types: Nest) -> list[DType]:
    """The dtypes of an element's tensors on their way."""
    return [dtypes.variant if isinstance(t, _Spec) else t for t in nest.flatten(types)]


def wire_shapes(types: Nest, shapes: Nest) -> list[Any]:
    """The shapes of an element's tensors on their way."""
    return [t.wire_shape if isinstance(t, _Spec) else s for t, s in zip(nest.flatten(types), nest.flatten_shapes(shapes))]


def wire(leaf: Any) -> Tensor:
    """A leaf of an element as the one tensor that it is on its way."""
    if hasattr(leaf, "_variant"):
        return convert_to_tensor(leaf._variant)
    if isinstance(leaf, SparseTensor):
        return op_call.call("SerializeSparse", None, sparse_indices=leaf.indices, sparse_values=leaf.values, sparse_shape=leaf.dense_shape,
                            out_type=dtypes.variant)
    if is_composite(leaf):
        return _ragged_variant(leaf, False)
    return convert_to_tensor(leaf)


def wire_rows(leaf: Any) -> Tensor:
    """The same, of which each row is an element."""
    if isinstance(leaf, SparseTensor):
        return op_call.call("SerializeManySparse", None, sparse_indices=leaf.indices, sparse_values=leaf.values, sparse_shape=leaf.dense_shape,
                            out_type=dtypes.variant)
    return _ragged_variant(leaf, True) if is_composite(leaf) else convert_to_tensor(leaf)


def _ragged_variant(ragged, batched):
    return op_call.call("RaggedTensorToVariant", None, rt_nested_splits=list(ragged.nested_row_splits), rt_dense_values=ragged.flat_values,
                        batched_input=batched)


def element_of(types: Nest, tensors: Iterable[Tensor], shapes: Nest) -> Nest:
    """An element of its tensors on their way."""
    made = [t.made_of(part, s) if isinstance(t, _Spec) else part for t, part, s in zip(nest.flatten(types), tensors, nest.flatten_shapes(shapes))]
    return nest.pack_sequence_as(types, made)


def batched(types: Nest) -> Nest:
    """The types of batches of elements."""
    return nest.pack_sequence_as(types, [t.batched() if hasattr(t, "batched") else t for t in nest.flatten(types)])


def unbatched(types: Nest) -> Nest:
    """The types of the rows of elements."""
    return nest.pack_sequence_as(types, [t.unbatched() if hasattr(t, "unbatched") else t for t in nest.flatten(types)])


def public_type(leaf: DType | _Spec) -> Any:
    """The type of a leaf as `output_types` tells it."""
    return leaf if isinstance(leaf, DatasetSpec) else getattr(leaf, "dtype", leaf)


def public_class(leaf: DType | _Spec) -> type:
    return leaf.of if isinstance(leaf, _Spec) else Tensor


def types_with_classes(types: Nest, classes: Nest) -> Nest:
    """Types of iterators that are described by types and classes: SparseTensor among these."""
    flat = [t if isinstance(t, _Spec) else dtypes.as_dtype(t) for t in nest.flatten(types)]
    if classes is not None:
        flat = [SparseElement(t) if c is SparseTensor and not isinstance(t, _Spec) else t for t, c in zip(flat, nest.flatten(classes))]
    return nest.pack_sequence_as(types, flat)
