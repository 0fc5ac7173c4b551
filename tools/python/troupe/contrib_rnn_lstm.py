"""LSTM cells that tf.contrib.rnn had: with normalized layers, with one gate for what comes in and what is forgotten, of times, of
convolutions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, initializers, math_ops, nn, random_ops
from troupe.contrib_layers import layer_norm
from troupe.contrib_rnn_wrappers import Linear
from troupe.layer import named_function
from troupe.rnn_base import LSTMStateTuple, RNNCell
from troupe.tensor_algebra import clip_by_value
from troupe.tensor_shape import TensorShape
from troupe.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import Activation, Initializer, TensorLike


def _sharded(name, shape, dtype, shards):
    """A variable in parts of rows, name_0, name_1, ..., joined. ValueError for more parts than rows."""
    if shards > shape[0]:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    size, more = divmod(shape[0], shards)
    parts = [get_variable(f"{name}_{i}", [size + (i < more), *shape[1:]], dtype) for i in range(shards)]
    return parts[0] if shards == 1 else array_ops.concat(parts, 0)


class _Normed(RNNCell):
    """A cell with normalized layers: variables gamma and beta in a scope for each."""

    _norm_gain, _norm_shift = 1.0, 0.0

    def _norm(self, values, scope, dtype=None):
        shape = values.shape[-1:]
        with variable_scope(scope):
            get_variable("gamma", shape, dtype, initializers.Constant(self._norm_gain))
            get_variable("beta", shape, dtype, initializers.Constant(self._norm_shift))
        return layer_norm(values, reuse=True, scope=scope)


class LayerNormBasicLSTMCell(_Normed):
    """An LSTM whose gates and state are normalized (Ba et al. 2016) and whose new input is dropped out (Semeniuta et al. 2016). Variables kernel,
    and gamma and beta in input, transform, forget, output and state; without normalization kernel and bias."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, input_size: int | None = None, activation: Activation | str = math_ops.tanh,
                 layer_norm: bool = True, norm_gain: float = 1.0, norm_shift: float = 0.0, dropout_keep_prob: TensorLike = 1.0,
                 dropout_prob_seed: int | None = None, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias, self._activation = num_units, forget_bias, named_function(activation)
        self._layer_norm, self._norm_gain, self._norm_shift = layer_norm, norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        c, h = state
        args = array_ops.concat([inputs, h], 1)
        dtype = args.dtype
        kernel = get_variable("kernel", [args.shape.as_list()[-1], 4 * self._num_units], dtype)
        gates = math_ops.matmul(args, kernel)
        if not self._layer_norm:
            gates = nn.bias_add(gates, get_variable("bias", [4 * self._num_units], dtype, initializers.Zeros()))
        i, j, f, o = array_ops.split(gates, 4, axis=1)
        if self._layer_norm:
            i, j, f, o = (self._norm(g, name, dtype) for g, name in ((i, "input"), (j, "transform"), (f, "forget"), (o, "output")))
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = nn.dropout(g, self._keep_prob, seed=self._seed)
        new_c = c * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, "state", dtype)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class CoupledInputForgetGateLSTMCell(_Normed):
    """An LSTM that takes in as much as it forgets (Greff et al. 2015). Variables W_0, B, and where asked for W_F_diag, W_O_diag and W_P_0."""

    def __init__(self, num_units: int, use_peepholes: bool = False, initializer: Initializer = None, num_proj: int | None = None,
                 proj_clip: float | None = None, num_unit_shards: int = 1, num_proj_shards: int = 1, forget_bias: float = 1.0,
                 state_is_tuple: bool = True, activation: Activation | str = math_ops.tanh, reuse: bool | None = None, layer_norm: bool = False,
                 norm_gain: float = 1.0, norm_shift: float = 0.0) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._initializer = num_units, use_peepholes, initializer
        self._num_proj, self._proj_clip, self._shards = num_proj, proj_clip, (num_unit_shards, num_proj_shards)
        self._forget_bias, self._state_is_tuple, self._activation = forget_bias, state_is_tuple, named_function(activation)
        self._layer_norm, self._norm_gain, self._norm_shift = layer_norm, norm_gain, norm_shift

    output_size = property(lambda self: self._num_proj or self._num_units)

    @property
    def state_size(self) -> Any:
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        units, dtype = self._num_units, inputs.dtype
        c, m = state if self._state_is_tuple else (state[:, :units], state[:, units:])
        depth = inputs.shape.with_rank(2).as_list()[1]
        if depth is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            gates = math_ops.matmul(array_ops.concat([inputs, m], 1), _sharded("W", [depth + self.output_size, 3 * units], dtype, self._shards[0]))
            if not self._layer_norm:
                gates = nn.bias_add(gates, get_variable("B", [3 * units], dtype, initializers.Zeros()))
            j, f, o = array_ops.split(gates, 3, axis=1)
            if self._layer_norm:
                j, f, o = (self._norm(g, name, dtype) for g, name in ((j, "transform"), (f, "forget"), (o, "output")))
            peep = lambda name, value: get_variable(name, [units], dtype) * value if self._use_peepholes else 0.0
            forget = math_ops.sigmoid(f + self._forget_bias + peep("W_F_diag", c))
            c = forget * c + (1 - forget) * self._activation(j)
            if self._layer_norm:
                c = self._norm(c, "state", dtype)
            m = math_ops.sigmoid(o + peep("W_O_diag", c)) * self._activation(c)
            if self._num_proj is not None:
                m = math_ops.matmul(m, _sharded("W_P", [units, self._num_proj], dtype, self._shards[1]))
                if self._proj_clip is not None:
                    m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else array_ops.concat([c, m], 1)


class PhasedLSTMCell(RNNCell):
    """An LSTM whose units each are open at times of their own (Neil et al. 2016). Inputs are (times [batch, 1], values [batch, depth]). Variables
    in mask_gates, new_input and output_gate, and period, phase and ratio_on."""

    def __init__(self, num_units: int, use_peepholes: bool = False, leak: float = 0.001, ratio_on: float = 0.1, trainable_ratio_on: bool = True,
                 period_init_min: float = 1.0, period_init_max: float = 1000.0, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._leak = num_units, use_peepholes, leak
        self._ratio_on, self._trainable_ratio_on = ratio_on, trainable_ratio_on
        self._limits = math.log(period_init_min), math.log(period_init_max)

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def _gate(self, name, values, size):
        with variable_scope(name):
            return Linear(values, size, True)(values)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        (c, h), (time, x), units = state, inputs, self._num_units
        more = lambda value: [value] if self._use_peepholes else []
        take, keep = array_ops.split(math_ops.sigmoid(self._gate("mask_gates", [x, h, *more(c)], 2 * units)), 2, axis=1)
        new_c = c * keep + take * math_ops.tanh(self._gate("new_input", [x, h], units))
        new_h = math_ops.tanh(new_c) * math_ops.sigmoid(self._gate("output_gate", [x, h, *more(new_c)], units))
        k = self._openness(time, x.dtype)
        new_c, new_h = k * new_c + (1 - k) * c, k * new_h + (1 - k) * h
        return new_h, LSTMStateTuple(new_c, new_h)

    def _openness(self, time, dtype):
        """[batch, units]: how far each unit is open."""
        units, (least, most) = [self._num_units], self._limits
        spread = lambda shape, dtype=dtypes.float32, partition_info=None: math_ops.exp(random_ops.random_uniform(shape, least, most, dtype=dtype))
        period = get_variable("period", units, dtype, spread)
        phases = lambda shape, dtype=dtypes.float32, partition_info=None: random_ops.random_uniform(shape, dtype=dtype) * period.initialized_value()
        phase = get_variable("phase", units, dtype, phases)
        ratio = get_variable("ratio_on", units, dtype, initializers.Constant(self._ratio_on), trainable=self._trainable_ratio_on)
        passed = math_ops.cast(time, dtype) - phase
        cycle = math_ops.floormod(passed, period) / period
        rising = 2 * cycle / ratio
        k = array_ops.where(cycle < ratio * array_ops.ones_like(cycle), 2 - rising, self._leak * cycle)
        return array_ops.where(cycle < 0.5 * ratio * array_ops.ones_like(cycle), rising, k)


class ConvLSTMCell(RNNCell):
    """An LSTM whose products are convolutions (Shi et al. 2015): inputs [batch, *places, channels], `input_shape` without the batch, outputs
    [batch, *places, output_channels]. Variables kernel and biases. ValueError for a number of dimensions that is not that of `input_shape`."""

    def __init__(self, conv_ndims: int, input_shape: Sequence[int], output_channels: int, kernel_shape: Sequence[int], use_bias: bool = True,
                 skip_connection: bool = False, forget_bias: float = 1.0, initializers: Any = None, name: str = "conv_lstm_cell") -> None:  # noqa: A002
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._kernel_shape, self._channels, self._use_bias = list(kernel_shape), output_channels, use_bias
        self._skip_connection, self._forget_bias = skip_connection, forget_bias
        places = list(input_shape[:-1])
        self._total = output_channels + input_shape[-1] if skip_connection else output_channels
        self._state, self._output = TensorShape([*places, output_channels]), TensorShape([*places, self._total])

    output_size = property(lambda self: self._output)
    state_size = property(lambda self: LSTMStateTuple(self._state, self._state))

    def call(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Tensor, Any]:
        c, h = state
        values, n, dtype = array_ops.concat([inputs, h], -1), 4 * self._channels, inputs.dtype
        depth = values.shape.as_list()[-1]
        gates = nn.convolution(values, get_variable("kernel", [*self._kernel_shape, depth, n], dtype), padding="SAME")
        if self._use_bias:
            gates = gates + get_variable("biases", [n], dtype, initializers.Zeros())
        take, new, forget, out = array_ops.split(gates, 4, axis=-1)
        c = math_ops.sigmoid(forget + self._forget_bias) * c + math_ops.sigmoid(take) * math_ops.tanh(new)
        output = math_ops.tanh(c) * math_ops.sigmoid(out)
        made = LSTMStateTuple(c, output)
        return array_ops.concat([output, inputs], -1) if self._skip_connection else output, made


class Conv1DLSTMCell(ConvLSTMCell):
    """Of one dimension; see ConvLSTMCell."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """Of two dimensions; see ConvLSTMCell."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """Of three dimensions; see ConvLSTMCell."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
