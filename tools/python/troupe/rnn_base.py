"""What all cells of recurrent networks are."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, nest, stacks, tensor_util
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.layer import Layer
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape
from troupe.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from troupe.dtypes import DType
    from troupe.typing import DTypeLike, Nest, ShapeLike, TensorLike


class LSTMStateTuple(namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM cell: c, and the output h."""

    __slots__ = ()

    @property
    def dtype(self) -> DType:
        """Of both. TypeError when they differ."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def static_dims(size: ShapeLike) -> list[int | None]:
    """A size of a state or output, a number or a shape, as dimensions."""
    return as_shape([size] if isinstance(size, int) else size).as_list()


def zeros_of(sizes: Nest, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
    """Zeros [batch, size] for each size of a nest."""
    batch = tensor_util.constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size

    def zeros(size):
        dims = constant(static_dims(size), dtypes.int32)
        front = array_ops.expand_dims(batch_size, 0) if isinstance(batch_size, Tensor) else constant([int(batch_size)], dtypes.int32)
        made = array_ops.zeros(array_ops.concat([front, dims], 0), dtype)
        made.set_shape([None if batch is None else int(batch), *static_dims(size)])
        return made

    return _map_sizes(zeros, sizes)


# As packages with cells of their own know it.
_zero_state_tensors = zeros_of


def _map_sizes(function, sizes):
    """Over a nest whose leaves are sizes; a TensorShape is one leaf."""
    return nest.pack_sequence_as(sizes, [function(s) for s in nest.flatten(sizes)])


class RNNCell(Layer):
    """`output, new_state = cell(inputs, state)`: inputs [batch, depth], output [batch, output_size], states [batch, ...] in the nest of
    `state_size`. Its variables are in the scope where it is called first."""

    def __call__(self, inputs, state, scope=None):
        if scope is not None:
            with variable_scope(scope) as scope:
                return super().__call__(inputs, state, scope=scope)
        with variable_scope(get_variable_scope()):
            return super().__call__(inputs, state)

    @property
    def state_size(self) -> Any:
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs: TensorLike | None = None, batch_size: int | Tensor | None = None, dtype: DTypeLike | None = None) -> Any:
        """Zeros for the batch of `inputs`, or of this size and type. ValueError for neither."""
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            known = inputs.shape.as_list()[0]
            batch_size, dtype = known if known is not None else array_ops.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(f"batch_size and dtype cannot be None while constructing initial state: batch_size={batch_size}, dtype={dtype}")
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """Zeros [batch_size, ...] in the nest of state_size."""
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return zeros_of(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell whose variables are in a scope of its own, as a layer's."""

    exact_ndim = 2

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, input_shape: TensorShape) -> int:
        depth = input_shape.as_list()[-1]
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {input_shape}")
        return depth
