"""Cells that tf.contrib.rnn had and that are no plain LSTM: with few gates, with many, with states of their own for each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, initializers, math_ops, nn
from troupe.contrib_rnn_wrappers import Linear
from troupe.layer import named_function
from troupe.rnn_base import LayerRNNCell, LSTMStateTuple, RNNCell
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import Activation, DTypeLike, Initializer


class UGRNNCell(RNNCell):
    """One gate between what was and what is new (Collins et al. 2016). Variables kernel and bias."""

    def __init__(self, num_units: int, initializer: Initializer = None, forget_bias: float = 1.0, activation: Activation | str = math_ops.tanh,
                 reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._forget_bias = num_units, initializer, forget_bias
        self._activation, self._linear = named_function(activation), None

    state_size = output_size = property(lambda self: self._num_units)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        values = array_ops.concat([inputs, state], 1)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if self._linear is None:
                self._linear = Linear(values, 2 * self._num_units, True)
            g, c = array_ops.split(self._linear(values), 2, axis=1)
        g = math_ops.sigmoid(g + self._forget_bias)
        state = g * state + (1.0 - g) * self._activation(c)
        return state, state


class NASCell(LayerRNNCell):
    """The cell that Zoph and Le 2017 found by a search. Variables kernel, recurrent_kernel, and where asked for bias and projection_weights."""

    def __init__(self, num_units: int, num_proj: int | None = None, use_bias: bool = False, reuse: bool | None = None, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    output_size = property(lambda self: self._num_proj or self._num_units)
    state_size = property(lambda self: LSTMStateTuple(self._num_units, self.output_size))

    def build(self, input_shape: TensorShape) -> None:
        units = self._num_units
        self._recurrent = self.add_weight("recurrent_kernel", [self.output_size, 8 * units])
        self._kernel = self.add_weight("kernel", [self._depth(input_shape), 8 * units])
        self._bias = self.add_weight("bias", [8 * units], initializer=initializers.Zeros()) if self._use_bias else None
        self._projection = None if self._num_proj is None else self.add_weight("projection_weights", [units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        c, m = state
        sigmoid, tanh, relu = math_ops.sigmoid, math_ops.tanh, nn.relu
        before = math_ops.matmul(m, self._recurrent)
        if self._bias is not None:
            before = nn.bias_add(before, self._bias)
        m, x = array_ops.split(before, 8, axis=1), array_ops.split(math_ops.matmul(inputs, self._kernel), 8, axis=1)
        first = [sigmoid(x[0] + m[0]), relu(x[1] + m[1]), sigmoid(x[2] + m[2]), relu(x[3] * m[3]), tanh(x[4] + m[4]), sigmoid(x[5] + m[5]),
                 tanh(x[6] + m[6]), sigmoid(x[7] + m[7])]
        second = [tanh(first[0] * first[1]), tanh(first[2] + first[3]), tanh(first[4] * first[5]), sigmoid(first[6] + first[7])]
        c = tanh(second[0] + c) * second[1]
        m = tanh(c * tanh(second[2] + second[3]))
        if self._projection is not None:
            m = math_ops.matmul(m, self._projection)
        return m, LSTMStateTuple(c, m)


class SRUCell(LayerRNNCell):
    """Gates that do not see the state (Lei et al. 2017). Variables kernel and bias."""

    def __init__(self, num_units: int, activation: Activation | str | None = None, reuse: bool | None = None, name: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(name=name, _reuse=reuse, **kwargs)
        self._num_units, self._activation = num_units, named_function(activation) or math_ops.tanh

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        self._kernel = self.add_weight("kernel", [self._depth(input_shape), 4 * self._num_units])
        self._bias = self.add_weight("bias", [2 * self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        x, f, r, carried = array_ops.split(math_ops.matmul(inputs, self._kernel), 4, axis=1)
        f, r = array_ops.split(math_ops.sigmoid(nn.bias_add(array_ops.concat([f, r], 1), self._bias)), 2, axis=1)
        c = f * state + (1.0 - f) * x
        return r * self._activation(c) + (1.0 - r) * carried, c


class IndRNNCell(LayerRNNCell):
    """Units that see no state but their own (Li et al. 2018). Variables kernel_w, kernel_u and bias."""

    def __init__(self, num_units: int, activation: Activation | str | None = None, reuse: bool | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units, self._activation = num_units, named_function(activation) or math_ops.tanh

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        self._kernel = self.add_weight("kernel_w", [self._depth(input_shape), self._num_units])
        self._own = self.add_weight("kernel_u", [1, self._num_units], initializer=initializers.RandomUniform(-1, 1))
        self._bias = self.add_weight("bias", [self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        output = self._activation(nn.bias_add(math_ops.matmul(inputs, self._kernel) + state * self._own, self._bias))
        return output, output
