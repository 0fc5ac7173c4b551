"""Batch normalization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, initializers, nn_norm, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.layer import Layer, named_initializer, smart_cond, smart_constant
from troupe.math_ops import cast
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Constraint, Initializer, Regularizer, ShapeLike, TensorLike

# What the fused op takes.
_FUSED = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


class BatchNormalization(Layer):
    """gamma (x - mean) / sqrt(variance + epsilon) + beta for each element of the dimension `axis`. Training: by the moments of the batch, and
    the operations of the collection UPDATE_OPS move moving_mean and moving_variance towards them; else by these. Images are normalized by
    one fused op, unless `fused` is False. Variables gamma, beta, moving_mean, moving_variance."""

    def __init__(self, axis: int | Sequence[int] = -1, momentum: float = 0.99, epsilon: float = 0.001, center: bool = True, scale: bool = True,
                 beta_initializer: Initializer = initializers.Zeros(), gamma_initializer: Initializer = initializers.Ones(),
                 moving_mean_initializer: Initializer = initializers.Zeros(), moving_variance_initializer: Initializer = initializers.Ones(),
                 beta_regularizer: Regularizer | None = None, gamma_regularizer: Regularizer | None = None,
                 beta_constraint: Constraint | None = None, gamma_constraint: Constraint | None = None, renorm: bool = False,
                 renorm_clipping: Mapping[str, Any] | None = None, renorm_momentum: float = 0.99, fused: bool | None = None, trainable: bool = True,
                 virtual_batch_size: int | None = None, adjustment: Any = None, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError("BatchNormalization with renorm, virtual_batch_size or adjustment")
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = named_initializer(beta_initializer), named_initializer(gamma_initializer)
        self.moving_mean_initializer = named_initializer(moving_mean_initializer)
        self.moving_variance_initializer = named_initializer(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.fused = fused
        self.beta = self.gamma = self.moving_mean = self.moving_variance = None

    def build(self, input_shape: ShapeLike) -> None:
        dims = input_shape.as_list()
        rank = len(dims)
        axes = list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        self.axis = [a + rank if a < 0 else a for a in axes]
        if any(not 0 <= a < rank for a in self.axis):
            raise ValueError(f"Invalid axis: {axes}")
        if len(set(self.axis)) != len(self.axis):
            raise ValueError(f"Duplicate axis: {self.axis}")
        if any(dims[a] is None for a in self.axis):
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {input_shape}")
        can_fuse = rank == 4 and self.axis in ([1], [3]) and self.dtype in _FUSED
        if self.fused and not can_fuse:
            raise ValueError("Fused batch normalization is for 4 dimensions and `axis` 1 or 3. " f"Got axis {self.axis} of {rank} dimensions")
        self.fused = can_fuse if self.fused is None else self.fused
        self._format = "NCHW" if self.fused and self.axis == [1] else "NHWC"
        # Of several axes a parameter has all dimensions, ones where there is no axis.
        shape = [dims[self.axis[0]]] if len(self.axis) == 1 else [dims[i] if i in self.axis else 1 for i in range(rank)]
        self._make_variables(shape)
        self.built = True

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return as_shape(input_shape)

    def _make_variables(self, shape):
        dtype = dtypes.float32 if self.dtype in (dtypes.float16, dtypes.bfloat16) else self.dtype
        if self.scale:
            self.gamma = self.add_weight("gamma", shape, dtype, self.gamma_initializer, self.gamma_regularizer, constraint=self.gamma_constraint)
        elif self.fused:
            self._gamma_const = constant(1.0, dtype, shape)
        if self.center:
            self.beta = self.add_weight("beta", shape, dtype, self.beta_initializer, self.beta_regularizer, constraint=self.beta_constraint)
        elif self.fused:
            self._beta_const = constant(0.0, dtype, shape)
        self.moving_mean = self.add_weight("moving_mean", shape, dtype, self.moving_mean_initializer, trainable=False)
        self.moving_variance = self.add_weight("moving_variance", shape, dtype, self.moving_variance_initializer, trainable=False)

    def call(self, inputs: TensorLike, training: bool | Tensor = False) -> Tensor:
        training = bool(training) if isinstance(training, int) else training
        return self._fused(inputs, training) if self.fused else self._plain(inputs, training)

    def _fused(self, inputs, training):
        gamma = self.gamma if self.scale else self._gamma_const
        beta = self.beta if self.center else self._beta_const
        by_batch = lambda: nn_norm.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=self._format)
        by_moving = lambda: nn_norm.fused_batch_norm(inputs, gamma, beta, self.moving_mean, self.moving_variance, self.epsilon, self._format, False)
        output, mean, variance = smart_cond(training, by_batch, by_moving)
        known = smart_constant(training)
        if known is not False:
            # With momentum 1 nothing moves.
            momentum = convert_to_tensor(self.momentum) if known else smart_cond(training, lambda: constant(self.momentum, dtypes.float32),
                                                                                 lambda: constant(1.0, dtypes.float32))
            self.add_update(lambda: _move(self.moving_mean, mean, momentum))
            self.add_update(lambda: _move(self.moving_variance, variance, momentum))
        return output

    def _plain(self, inputs, training):
        rank = inputs.shape.rank
        others = [i for i in range(rank) if i not in self.axis]
        mean, variance = self.moving_mean, self.moving_variance
        if smart_constant(training) is not False:
            batch_mean, batch_variance = nn_norm.moments(inputs, others, keep_dims=len(self.axis) > 1)
            mean = smart_cond(training, lambda: batch_mean, lambda: convert_to_tensor(self.moving_mean))
            variance = smart_cond(training, lambda: batch_variance, lambda: convert_to_tensor(self.moving_variance))
            for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                self.add_update(smart_cond(training, lambda v=variable, m=value: _move(v, m, self.momentum),
                                           lambda v=variable: convert_to_tensor(v)))
        spread = lambda v: None if v is None else self._spread(convert_to_tensor(v), inputs.shape)
        offset, scale = spread(self.beta), spread(self.gamma)
        offset, scale = (None if v is None else cast(v, inputs.dtype) for v in (offset, scale))
        made = nn_norm.batch_normalization(inputs, cast(spread(mean), inputs.dtype), cast(spread(variance), inputs.dtype), offset, scale, self.epsilon)
        made.set_shape(inputs.shape)
        return made

    def _spread(self, value, shape):
        """Of as many dimensions as the inputs, where the axis is not the last."""
        rank = shape.rank
        if value.shape.rank == rank or self.axis == [rank - 1]:
            return value
        return array_ops.reshape(value, [shape.as_list()[i] if i in self.axis else 1 for i in range(rank)])


def _move(variable, value, momentum):
    """variable -= (variable - value) (1 - momentum)."""
    graph = stacks.get_default_graph()
    with graph.name_scope("AssignMovingAvg") as scope, graph.colocate_with(variable.op):
        decay = convert_to_tensor(1.0 - momentum, None if hasattr(momentum, "dtype") else variable.dtype.base_dtype, name="decay")
        decay = cast(decay, variable.dtype.base_dtype)
        delta = op_call.call("Mul", None, x=op_call.call("Sub", None, x=variable, y=cast(value, variable.dtype.base_dtype)), y=decay)
        return variable.assign_sub(delta, name=scope)
