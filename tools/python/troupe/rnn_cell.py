"""tf.nn.rnn_cell of TensorFlow 1.15: what recurrent networks do at one point of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, initializers, math_ops, nest, op_call, stacks
from troupe.constant_op import constant
from troupe.layer import named_function, named_initializer
from troupe.rnn_base import LayerRNNCell, LSTMStateTuple, RNNCell
from troupe.rnn_wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper  # noqa: F401, they are of this module, too
from troupe.tensor_algebra import clip_by_value
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import Activation, DTypeLike, Initializer
    from troupe.variables import Variable


def _linear(values: list, kernel, bias):
    product = math_ops.matmul(array_ops.concat(values, 1), kernel)
    return op_call.call("BiasAdd", None, value=product, bias=bias)


class BasicRNNCell(LayerRNNCell):
    """output = new_state = activation([inputs, state] @ kernel + bias)."""

    def __init__(self, num_units: int, activation: Activation | str | None = None, reuse: bool | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = named_function(activation) or math_ops.tanh

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        self._kernel = self.add_weight("kernel", [self._depth(input_shape) + self._num_units, self._num_units])
        self._bias = self.add_weight("bias", [self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        output = self._activation(_linear([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """Cho's gated recurrent unit. Variables gates/kernel, gates/bias, candidate/kernel, candidate/bias."""

    def __init__(self, num_units: int, activation: Activation | str | None = None, reuse: bool | None = None, kernel_initializer: Initializer = None,
                 bias_initializer: Initializer = None, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = named_function(activation) or math_ops.tanh
        self._kernel_initializer, self._bias_initializer = named_initializer(kernel_initializer), named_initializer(bias_initializer)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        units, rows = self._num_units, self._depth(input_shape) + self._num_units
        bias, kernel = self._bias_initializer, self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=bias or initializers.Constant(1.0))
        self._candidate_kernel = self.add_weight("candidate/kernel", [rows, units], initializer=kernel)
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=bias or initializers.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        gates = math_ops.sigmoid(_linear([inputs, state], self._gate_kernel, self._gate_bias))
        r, u = array_ops.split(gates, 2, axis=1)
        candidate = self._activation(_linear([inputs, r * state], self._candidate_kernel, self._candidate_bias))
        state = u * state + (1 - u) * candidate
        return state, state


class _LSTM(LayerRNNCell):
    """What LSTM cells share: the state, and the four gates of it."""

    def _parts(self, state, h_size):
        if self._state_is_tuple:
            return state
        return state[:, :self._num_units], state[:, self._num_units:self._num_units + h_size]

    def _state_of(self, c, h):
        return LSTMStateTuple(c, h) if self._state_is_tuple else array_ops.concat([c, h], 1)


class BasicLSTMCell(_LSTM):
    """The plain LSTM of Zaremba, Sutskever and Vinyals. The gates are i, j, f, o in the columns of kernel and bias."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Activation | str | None = None,
                 reuse: bool | None = None, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, state_is_tuple
        self._activation = named_function(activation) or math_ops.tanh

    output_size = property(lambda self: self._num_units)

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    def build(self, input_shape: TensorShape) -> None:
        self._kernel = self.add_weight("kernel", [self._depth(input_shape) + self._num_units, 4 * self._num_units])
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=initializers.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        axis = constant(1, dtypes.int32)
        c, h = self._parts(state, self._num_units)
        i, j, f, o = array_ops.split(_linear([inputs, h], self._kernel, self._bias), 4, axis=axis)
        forget_bias = constant(self._forget_bias, f.dtype)
        # As functions they have other names than operators: Add, Mul.
        sigmoid, act, add, mul = math_ops.sigmoid, self._activation, math_ops.add, math_ops.multiply
        new_c = add(mul(c, sigmoid(add(f, forget_bias))), mul(sigmoid(i), act(j)))
        new_h = mul(act(new_c), sigmoid(o))
        return new_h, self._state_of(new_c, new_h)


class LSTMCell(_LSTM):
    """An LSTM with peepholes, clipping and a projection of the output. Variables kernel, bias, w_f_diag, w_i_diag, w_o_diag,
    projection/kernel."""

    def __init__(self, num_units: int, use_peepholes: bool = False, cell_clip: float | None = None, initializer: Initializer = None,
                 num_proj: int | None = None, proj_clip: float | None = None, num_unit_shards: int | None = None, num_proj_shards: int | None = None,
                 forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Activation | str | None = None, reuse: bool | None = None,
                 name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        if num_unit_shards is not None or num_proj_shards is not None:
            raise NotImplementedError("LSTMCell with partitioned variables")
        self._num_units, self._use_peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._num_proj, self._proj_clip = named_initializer(initializer), num_proj, proj_clip
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = named_function(activation) or math_ops.tanh

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self.output_size) if self._state_is_tuple else self._num_units + self.output_size

    def build(self, input_shape: TensorShape) -> None:
        units = self._num_units
        add = lambda name, shape: self.add_weight(name, shape, initializer=self._initializer)
        self._kernel = add("kernel", [self._depth(input_shape) + self.output_size, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=initializers.Zeros())
        if self._use_peepholes:
            self._w_f, self._w_i, self._w_o = (add(name, [units]) for name in ("w_f_diag", "w_i_diag", "w_o_diag"))
        if self._num_proj is not None:
            self._projection = add("projection/kernel", [units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        c, h = self._parts(state, self.output_size)
        i, j, f, o = array_ops.split(_linear([inputs, h], self._kernel, self._bias), 4, axis=1)
        sigmoid, act = math_ops.sigmoid, self._activation
        forget = f + self._forget_bias
        if self._use_peepholes:
            c = sigmoid(forget + self._w_f * c) * c + sigmoid(i + self._w_i * c) * act(j)
        else:
            c = sigmoid(forget) * c + sigmoid(i) * act(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        h = sigmoid(o + self._w_o * c if self._use_peepholes else o) * act(c)
        if self._num_proj is not None:
            h = math_ops.matmul(h, self._projection)
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, self._state_of(c, h)


class MultiRNNCell(RNNCell):
    """Cells one above the other: each takes the output of the one below. Its state is a tuple of theirs, or one tensor."""

    def __init__(self, cells: Sequence[RNNCell], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
                             f"{[c.state_size for c in cells]}")
        self._cells, self._state_is_tuple = cells, state_is_tuple

    output_size = property(lambda self: self._cells[-1].output_size)

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def trainable_weights(self) -> list[Variable]:
        return [v for cell in self._cells for v in cell.trainable_weights] if self.trainable else []

    trainable_variables = trainable_weights

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        with stacks.get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        if self._state_is_tuple and not nest.is_nested(state):
            raise ValueError(f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}")
        states, begin = [], 0
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                own = state[number] if self._state_is_tuple else state[:, begin:begin + cell.state_size]
                begin += 0 if self._state_is_tuple else cell.state_size
                inputs, following = cell(inputs, own)
                states.append(following)
        return inputs, tuple(states) if self._state_is_tuple else array_ops.concat(states, 1)
