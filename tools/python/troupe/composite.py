"""Tensors that are made of several: slices of one with their indices, and sparse ones."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import dtypes
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.tensor import Operation
    from troupe.typing import FeedDict, TensorLike

IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class CompositeTensor:
    """What is made of several tensors."""


class _Rows(CompositeTensor):
    """What both are made of: `values`, and where in a tensor of `dense_shape` they stand."""

    _values: Tensor
    _indices: Tensor
    _dense_shape: Any

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def dense_shape(self) -> Any:
        return self._dense_shape

    @property
    def dtype(self) -> dtypes.DType:
        return self._values.dtype

    @property
    def op(self) -> Operation:
        return self._values.op

    @property
    def graph(self) -> Graph:
        return self._values.graph

    def __repr__(self):
        return f"<tf.{self}>"


class IndexedSlices(_Rows):
    """Rows `values` of a larger tensor, at `indices`; what the gradient of a gather is."""

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def shape(self) -> TensorShape:
        from troupe import tensor_util

        return TensorShape(None) if self._dense_shape is None else tensor_util.constant_value_as_shape(self._dense_shape)

    @property
    def name(self) -> str:
        return self._values.name

    @property
    def device(self) -> str:
        return self._values.device

    def __neg__(self):
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self):
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


class SparseTensor(_Rows):
    """The elements `values` at the rows of `indices`, of a tensor of `dense_shape` that is zero elsewhere."""

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike | TensorShape) -> None:
        self._indices = convert_to_tensor(indices, dtypes.int64, name="indices")
        self._values = convert_to_tensor(values, name="values")
        self._dense_shape = convert_to_tensor(dense_shape, dtypes.int64, name="dense_shape")
        rows = self._indices.shape.with_rank(2)
        rows[0].assert_is_compatible_with(self._values.shape.with_rank(1)[0])
        rows[1].assert_is_compatible_with(self._dense_shape.shape.with_rank(1)[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: SparseTensor | SparseTensorValue) -> SparseTensor:
        """Of arrays. TypeError for what has no such parts."""
        value = sparse_tensor_value
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"Argument sparse_tensor_value={value} is neither SparseTensor nor SparseTensorValue.")
        return value if isinstance(value, SparseTensor) else cls(value.indices, value.values, value.dense_shape)

    @property
    def shape(self) -> TensorShape:
        from troupe import tensor_util

        return tensor_util.constant_value_as_shape(self._dense_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Other values at the same places. ValueError for another number of them."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict: FeedDict | None = None, session: BaseSession | None = None) -> SparseTensorValue:
        indices, values, shape = _session(session).run([self._indices, self._values, self._dense_shape], feed_dict)
        return SparseTensorValue(indices, values, shape)

    def _by(self, op_type, dense, name, cast_integers=False):
        """Its elements, each with the one of a dense tensor that is there: of the same shape, or of one that broadcasts to it."""
        from troupe import math_ops, op_call, ops

        with ops.name_scope(name) as scope:
            values = self._values
            dense = convert_to_tensor(dense, dtype_hint=values.dtype.base_dtype, name="y")
            if cast_integers and values.dtype.is_integer:
                values, dense = math_ops.cast(values, "float64"), math_ops.cast(dense, "float64")
            made = op_call.call(op_type, scope, sp_indices=self._indices, sp_values=values, sp_shape=self._dense_shape, dense=dense)
            return SparseTensor(self._indices, made, self._dense_shape)

    # Dense tensors leave the operators to this class.
    __array_priority__ = 200

    def __mul__(self, dense):
        return self._by("SparseDenseCwiseMul", dense, "mul")

    __rmul__ = __mul__

    def __truediv__(self, dense):
        return self._by("SparseDenseCwiseDiv", dense, "truediv", cast_integers=True)

    def consumers(self) -> list[Operation]:
        return [op for t in (self._indices, self._values, self._dense_shape) for op in t.consumers()]

    def __str__(self):
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"


def _session(session):
    from troupe import stacks

    session = session or stacks.get_default_session()
    if session is None:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered.")
    return session


def parts_of(value: Any) -> list[Tensor] | None:
    """The tensors that a composite is made of, or None for anything else."""
    if isinstance(value, SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, IndexedSlices):
        return [value.values, value.indices] + ([] if value.dense_shape is None else [value.dense_shape])
    return None


def value_of(composite: SparseTensor | IndexedSlices, arrays: Sequence[Any]) -> SparseTensorValue | IndexedSlicesValue:
    """What is fetched for a composite."""
    if isinstance(composite, SparseTensor):
        return SparseTensorValue(*arrays)
    return IndexedSlicesValue(arrays[0], arrays[1], arrays[2] if len(arrays) == 3 else None)


def is_composite(value: Any) -> bool:
    return isinstance(value, (SparseTensor, IndexedSlices))


Composite = (SparseTensor, IndexedSlices, Tensor)
