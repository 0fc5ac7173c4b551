"""Accumulators: sums of gradients in a session, of which only those of recent steps count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, math_ops, op_call
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, ShapeLike, TensorLike


def _step(value):
    return math_ops.cast(convert_to_tensor(value), dtypes.int64)


class ConditionalAccumulatorBase:
    """What both kinds share. Gradients that were made before its own time step, `global_step`, are dropped."""

    _PREFIX = ""

    def __init__(self, dtype: DTypeLike, shape: ShapeLike, accumulator_ref: Tensor) -> None:
        self._dtype, self._shape, self._ref = dtypes.as_dtype(dtype), TensorShape(shape), accumulator_ref

    accumulator_ref = property(lambda self: self._ref)
    dtype = property(lambda self: self._dtype)

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r} dtype={self._dtype.name} shape={self._shape}>"

    @property
    def name(self) -> str:
        return self._ref.op.name.split("/")[-1]

    def _call(self, what, name, **arguments):
        return op_call.call(self._PREFIX + what, name, handle=self._ref, **arguments)

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients it has: a scalar."""
        return self._call("AccumulatorNumAccumulated", name or f"{self.name}_NumAccumulated")

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Operation:
        """The operation that sets its time step."""
        return self._call("AccumulatorSetGlobalStep", name, new_global_step=_step(new_global_step))


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Of tensors of one shape; `reduction_type` is "MEAN" or "SUM"."""

    _PREFIX = "Resource"

    def __init__(self, dtype: DTypeLike, shape: ShapeLike = None, shared_name: str | None = None, name: str = "conditional_accumulator",
                 reduction_type: str = "MEAN") -> None:
        super().__init__(dtype, shape, op_call.call("ResourceConditionalAccumulator", name, dtype=dtype, shape=TensorShape(shape),
                                                    shared_name=shared_name or "", reduction_type=reduction_type))

    def apply_grad(self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None) -> Operation:
        """The operation that adds a gradient of this step; nothing where that is over."""
        grad = convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return self._call("AccumulatorApplyGradient", name, local_step=_step(local_step), gradient=grad)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Tensor:
        """The mean or sum, once there are so many: it is empty then, and its time step is the next."""
        taken = self._call("AccumulatorTakeGradient", name, num_required=num_required, dtype=self._dtype)
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Of IndexedSlices; rows of the same index are added."""

    def __init__(self, dtype: DTypeLike, shape: ShapeLike = None, shared_name: str | None = None, name: str = "sparse_conditional_accumulator",
                 reduction_type: str = "MEAN") -> None:
        super().__init__(dtype, shape, op_call.call("SparseConditionalAccumulator", name, dtype=dtype, shape=TensorShape(shape),
                                                    shared_name=shared_name or "", reduction_type=reduction_type))

    def apply_indexed_slices_grad(self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None) -> Operation:
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices: TensorLike, grad_values: TensorLike, grad_shape: TensorLike | None = None, local_step: TensorLike = 0,
                   name: str | None = None) -> Operation:
        shape = [] if grad_shape is None else grad_shape
        return op_call.call("SparseAccumulatorApplyGradient", name, handle=self._ref, local_step=_step(local_step),
                            gradient_indices=math_ops.cast(grad_indices, dtypes.int64), gradient_values=grad_values,
                            gradient_shape=math_ops.cast(shape, dtypes.int64), has_known_shape=grad_shape is not None)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """(indices, values, shape)."""
        return op_call.call("SparseAccumulatorTakeGradient", name, handle=self._ref, num_required=num_required, dtype=self._dtype)

    def take_indexed_slices_grad(self, num_required: TensorLike, name: str | None = None) -> IndexedSlices:
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)
