"""What tf.contrib.rnn had of cells and whole sequences as one op: the same numbers and variables. A cell is made of plain operations here, so that
loops have its derivatives; a whole sequence is the op BlockLSTM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, initializers, math_ops, nn, op_call, rnn
from troupe.conversion import convert_to_tensor
from troupe.gather_ops import gather_nd
from troupe.layer import Layer
from troupe.rnn_base import LayerRNNCell, LSTMStateTuple
from troupe.seq2seq_attention import known_or_shape
from troupe.tensor_algebra import clip_by_value

if TYPE_CHECKING:
    from troupe.rnn_base import RNNCell
    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import DTypeLike, Nest, TensorLike


def _lstm_variables(layer, depth, units, use_peephole):
    layer._kernel = layer.add_weight("kernel", [depth + units, 4 * units])
    layer._bias = layer.add_weight("bias", [4 * units], initializer=initializers.Zeros())
    layer._peepholes = [layer.add_weight(f"w_{g}_diag", [units]) for g in "ifo"] if use_peephole else None


class LSTMBlockCell(LayerRNNCell):
    """BasicLSTMCell, with peepholes where asked for. Variables lstm_cell/kernel and bias, w_i_diag, w_f_diag and w_o_diag. Derivatives do not
    see the clipping, as those of the op did not."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None, use_peephole: bool = False,
                 dtype: DTypeLike | None = None, reuse: bool | None = None, name: str = "lstm_cell") -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units, self._forget_bias, self._use_peephole = num_units, forget_bias, use_peephole
        self._cell_clip = None if cell_clip is None or cell_clip <= 0 else cell_clip

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        _lstm_variables(self, self._depth(input_shape), self._num_units, self._use_peephole)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        (c, h), sigmoid, tanh = state, math_ops.sigmoid, math_ops.tanh
        gates = nn.bias_add(math_ops.matmul(array_ops.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = array_ops.split(gates, 4, axis=1)
        peep = self._peepholes or [0.0] * 3
        new = sigmoid(i + peep[0] * c) * tanh(j) + sigmoid(f + self._forget_bias + peep[1] * c) * c
        if self._cell_clip is not None:
            new = new + array_ops.stop_gradient(clip_by_value(new, -self._cell_clip, self._cell_clip) - new)
        h = sigmoid(o + peep[2] * new) * tanh(new)
        return h, LSTMStateTuple(new, h)


class GRUBlockCellV2(LayerRNNCell):
    """GRUCell: variables gates/kernel, gates/bias, candidate/kernel, candidate/bias. ValueError without a size."""

    _names = "gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"

    def __init__(self, num_units: int | None = None, cell_size: int | None = None, reuse: bool | None = None, name: str = "gru_cell",
                 dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        if (num_units is None) == (cell_size is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._units = cell_size if num_units is None else num_units

    state_size = output_size = property(lambda self: self._units)

    def build(self, input_shape: TensorShape) -> None:
        units, rows = self._units, self._depth(input_shape) + self._units
        first = [None, initializers.Constant(1.0), None, initializers.Zeros()]
        shapes = [[rows, 2 * units], [2 * units], [rows, units], [units]]
        self._parts = [self.add_weight(name, shape, initializer=f) for name, shape, f in zip(self._names, shapes, first)]
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        gate_kernel, gate_bias, kernel, bias = self._parts
        gates = math_ops.sigmoid(nn.bias_add(math_ops.matmul(array_ops.concat([inputs, state], 1), gate_kernel), gate_bias))
        r, u = array_ops.split(gates, 2, axis=1)
        new = math_ops.tanh(nn.bias_add(math_ops.matmul(array_ops.concat([inputs, r * state], 1), kernel), bias))
        state = u * state + (1 - u) * new
        return state, state


class GRUBlockCell(GRUBlockCellV2):
    """The same, its variables w_ru, b_ru, w_c, b_c."""

    _names = "w_ru", "b_ru", "w_c", "b_c"


# Whole sequences, time first.


class FusedRNNCell:
    """`outputs, state = cell(inputs, initial_state, dtype, sequence_length, scope)`: inputs [time, batch, depth] or a list of steps."""

    def __call__(self, inputs: Any, initial_state: Nest = None, dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None,
                 scope: Any = None) -> tuple[Any, Any]:
        raise NotImplementedError(f"{type(self).__name__}.__call__")


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell over a whole sequence, by static_rnn or dynamic_rnn."""

    def __init__(self, cell: RNNCell, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs: Any, initial_state: Nest = None, dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None,
                 scope: Any = None) -> tuple[Any, Any]:
        is_list = isinstance(inputs, (list, tuple))
        if self._use_dynamic_rnn:
            outputs, state = rnn.dynamic_rnn(self._cell, array_ops.stack(list(inputs)) if is_list else inputs, sequence_length, initial_state, dtype,
                                             time_major=True, scope=scope)
            return array_ops.unstack(outputs, len(inputs)) if is_list else outputs, state
        steps = inputs if is_list else array_ops.unstack(inputs)
        outputs, state = rnn.static_rnn(self._cell, steps, initial_state, dtype, sequence_length, scope)
        return outputs if is_list else array_ops.stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Another such cell, over the sequence from its end."""

    def __init__(self, cell: FusedRNNCell) -> None:
        self._cell = cell

    def _turned(self, values, lengths):
        if isinstance(values, (list, tuple)):
            return array_ops.unstack(self._turned(array_ops.stack(list(values)), lengths))
        if lengths is None:
            return array_ops.reverse(values, [0])
        return array_ops.reverse_sequence(values, lengths, seq_axis=0, batch_axis=1)

    def __call__(self, inputs: Any, initial_state: Nest = None, dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None,
                 scope: Any = None) -> tuple[Any, Any]:
        outputs, state = self._cell(self._turned(inputs, sequence_length), initial_state=initial_state, dtype=dtype, sequence_length=sequence_length,
                                    scope=scope)
        return self._turned(outputs, sequence_length), state


class LSTMBlockFusedCell(Layer):
    """An LSTM over a whole sequence as one op: inputs [time, batch, depth] or a list of steps; ((c, h) of the last). Variables
    lstm_fused_cell/kernel and bias, w_i_diag, w_f_diag and w_o_diag. ValueError for inputs whose depth is not known, and without an initial state
    and `dtype`."""

    min_ndim = 2

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None, use_peephole: bool = False,
                 reuse: bool | None = None, dtype: DTypeLike | None = None, name: str = "lstm_fused_cell") -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse)
        self._num_units, self._forget_bias, self._use_peephole = num_units, forget_bias, use_peephole
        self._cell_clip = -1.0 if cell_clip is None else cell_clip

    num_units: Any = property(lambda self: self._num_units)

    def build(self, input_shape: TensorShape) -> None:
        depth = input_shape.as_list()[-1]
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {input_shape}")
        _lstm_variables(self, depth, self._num_units, self._use_peephole)
        self.built = True

    def call(self, inputs: Any, initial_state: Any = None, dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None) -> tuple[Any, Any]:
        is_list = isinstance(inputs, (list, tuple))
        values = array_ops.stack(list(inputs)) if is_list else convert_to_tensor(inputs)
        if values.shape.rank != 3:
            raise ValueError(f"inputs must be [time, batch, depth], saw shape: {values.shape}")
        if initial_state is None and dtype is None:
            raise ValueError("Either initial_state or dtype needs to be specified")
        steps, rows, units = array_ops.shape(values)[0], known_or_shape(values, 1), self._num_units
        if initial_state is None:
            initial_state = (array_ops.zeros(array_ops.stack([rows, units]), dtype),) * 2
        lengths = None if sequence_length is None else math_ops.cast(convert_to_tensor(sequence_length), dtypes.int64)
        longest = math_ops.cast(steps, dtypes.int64) if lengths is None else math_ops.reduce_max(lengths)
        peep = self._peepholes or [array_ops.zeros([units], values.dtype)] * 3
        made = op_call.call("BlockLSTM", None, seq_len_max=longest, x=values, cs_prev=initial_state[0], h_prev=initial_state[1], w=self._kernel,
                            wci=peep[0], wcf=peep[1], wco=peep[2], b=self._bias, forget_bias=self._forget_bias, cell_clip=self._cell_clip,
                            use_peephole=self._use_peephole)
        states, outputs = made[1], made[6]
        if lengths is None:
            last = LSTMStateTuple(states[-1], outputs[-1])
        else:
            mask = array_ops.transpose(array_ops.sequence_mask(lengths, steps, dtype=outputs.dtype))
            outputs = outputs * array_ops.expand_dims(mask, 2)
            at_end = lambda first, each: gather_nd(array_ops.concat([array_ops.expand_dims(first, 0), each], 0), array_ops.stack(
                [math_ops.cast(lengths, dtypes.int32), math_ops.range(rows)], -1))
            last = LSTMStateTuple(at_end(initial_state[0], states), at_end(initial_state[1], outputs))
        return array_ops.unstack(outputs, len(inputs)) if is_list else outputs, last
