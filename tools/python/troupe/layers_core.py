"""Layers of matrices, and those without variables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from troupe import array_ops, contractions, dtypes, initializers, op_call
from troupe.layer import Layer, named_function, named_initializer, smart_cond
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Activation, Constraint, Initializer, Regularizer, ShapeLike, ShapeOrTensor, TensorLike


class Dense(Layer):
    """activation(inputs @ kernel + bias): [..., depth] to [..., units]. Variables kernel and bias."""

    min_ndim = 2

    def __init__(self, units: int, activation: Activation | None = None, use_bias: bool = True, kernel_initializer: Initializer = None,
                 bias_initializer: Initializer = initializers.Zeros(), kernel_regularizer: Regularizer | None = None,
                 bias_regularizer: Regularizer | None = None, activity_regularizer: Regularizer | None = None,
                 kernel_constraint: Constraint | None = None, bias_constraint: Constraint | None = None, trainable: bool = True,
                 name: str | None = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), named_function(activation), use_bias
        self.kernel_initializer, self.bias_initializer = named_initializer(kernel_initializer), named_initializer(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel = self.bias = None
        if self.units < 0:
            raise ValueError(f"Received an invalid value for `units`, expected a positive integer, got {units}.")

    def build(self, input_shape: ShapeLike) -> None:
        if not (self.dtype.is_floating or self.dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {self.dtype!r}")
        depth = input_shape.as_list()[-1]
        if depth is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.kernel = self.add_weight("kernel", [depth, self.units], initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        if self.use_bias:
            self.bias = self.add_weight("bias", [self.units], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                        constraint=self.bias_constraint)
        self.built = True

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        shape = as_shape(input_shape).with_rank_at_least(2)
        if shape.dims[-1].value is None:  # type: ignore[index]
            raise ValueError(f"The innermost dimension of input_shape must be defined, but saw: {input_shape}")
        return shape[:-1].concatenate(self.units)

    def call(self, inputs: TensorLike) -> Tensor:
        if inputs.dtype.base_dtype is not self.dtype.base_dtype:
            inputs = op_call.call("Cast", None, x=inputs, DstT=self.dtype)
        rank = inputs.shape.rank
        if rank == 2:
            outputs = op_call.call("MatMul", None, a=inputs, b=self.kernel)
        else:
            outputs = contractions.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.use_bias:
            outputs = op_call.call("BiasAdd", None, value=outputs, bias=self.bias)
        return outputs if self.activation is None else self.activation(outputs)


class Dropout(Layer):
    """Elements zero with probability `rate`, the others larger by as much, when `training`; else the inputs."""

    def __init__(self, rate: TensorLike = 0.5, noise_shape: ShapeOrTensor = None, seed: int | None = None, name: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return as_shape(input_shape)

    def _noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        dims = array_ops.shape(inputs)
        return array_ops.stack([dims[i] if d is None else d for i, d in enumerate(self.noise_shape)])

    def call(self, inputs: TensorLike, training: bool | Tensor = False) -> Tensor:
        from troupe import nn

        dropped = lambda: nn.dropout(inputs, noise_shape=self._noise_shape(inputs), seed=self.seed, rate=self.rate)
        return smart_cond(training, dropped, lambda: op_call.call("Identity", None, input=inputs))


class Flatten(Layer):
    """[batch, ...] to [batch, product of the others]."""

    min_ndim = 1

    def __init__(self, data_format: str = "channels_last", name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.data_format = data_format

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        shape = as_shape(input_shape).with_rank_at_least(2)
        return TensorShape([shape[0], shape[1:].num_elements()])

    def call(self, inputs: TensorLike) -> Tensor:
        dims = inputs.shape.as_list()
        if self.data_format == "channels_first" and len(dims) > 1:
            inputs = array_ops.transpose(inputs, [0, *range(2, len(dims)), 1])
            dims = inputs.shape.as_list()
        if len(dims) == 1:
            return array_ops.expand_dims(inputs, 1)
        if None not in dims[1:]:
            shape = array_ops.constant([-1, math.prod(dims[1:])], dtypes.int32)
        elif dims[0] is not None:
            shape = array_ops.constant([dims[0], -1], dtypes.int32)
        else:
            shape = array_ops.stack([array_ops.shape(inputs)[0], -1])
        return array_ops.reshape(inputs, shape)
