"""tf.contrib.seq2seq.AttentionWrapper: a cell that attends to memories after each step."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, check_ops, dtypes, math_ops, nest, ops
from troupe.layers_core import Dense
from troupe.rnn_base import RNNCell, zeros_of
from troupe.seq2seq_attention import AttentionMechanism, known_or_shape
from troupe.tensor import Tensor
from troupe.tensor_array_ops import TensorArray
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.layer import Layer
    from troupe.typing import DTypeLike, Nest


class AttentionWrapperState(namedtuple("AttentionWrapperState", (
        "cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"))):
    """The state of an AttentionWrapper: of the cell, the last attention [batch, size], the number of the step, and for each mechanism its
    alignments, a TensorArray of them (or `()`), and its state."""

    __slots__ = ()

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Another with these parts, which must be shaped as those that they replace. ValueError for other shapes and nests."""
        made = super()._replace(**kwargs)
        nest.assert_same_structure(self, made)
        for old, new in zip(nest.flatten(self), nest.flatten(made)):
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                new.set_shape(old.shape)
        return made


def compute_attention(mechanism: AttentionMechanism, cell_output: Tensor, attention_state: Nest,
                      attention_layer: Layer | None) -> tuple[Tensor, Tensor, Any]:
    """(attention [batch, size], alignments [batch, steps of the memory], next state of the mechanism). The attention is the mean of the memory's
    values, or what a layer makes of the cell's output beside it."""
    alignments, following = mechanism(cell_output, attention_state)
    context = array_ops.squeeze(math_ops.matmul(array_ops.expand_dims(alignments, 1), mechanism.values), [1])
    if attention_layer is not None:
        context = attention_layer(array_ops.concat([cell_output, context], 1))
    return context, alignments, following


class AttentionWrapper(RNNCell):
    """A cell whose inputs have the last attention beside them, and whose outputs are the new attention, or with `output_attention=False` the
    cell's own. One mechanism or a list of them. Variables: those of the cell and the mechanisms, and attention_layer/kernel for each size in
    `attention_layer_size`. TypeError and ValueError for arguments that are no cell, mechanism, function, or lists of other lengths."""

    def __init__(self, cell: RNNCell, attention_mechanism: AttentionMechanism | Sequence[AttentionMechanism],
                 attention_layer_size: int | Sequence[int] | None = None, alignment_history: bool = False,
                 cell_input_fn: Callable[[Tensor, Tensor], Tensor] | None = None, output_attention: bool = True, initial_cell_state: Nest = None,
                 name: str | None = None, attention_layer: Layer | Sequence[Layer] | None = None, attention_fn: Callable[..., Any] | None = None) -> None:
        super().__init__(name=name)
        if not (hasattr(cell, "state_size") and hasattr(cell, "output_size") and callable(cell)):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._attention_mechanisms: tuple[Any, ...] = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)  # type: ignore[arg-type]
        for mechanism in self._attention_mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError("attention_mechanism must be an AttentionMechanism or list of multiple AttentionMechanism instances, saw type: "
                                f"{type(mechanism).__name__}")
        for function, what in ((cell_input_fn, "cell_input_fn"), (attention_fn, "attention_fn")):
            if function is not None and not callable(function):
                raise TypeError(f"{what} must be callable, saw type: {type(function).__name__}")
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: array_ops.concat([inputs, attention], -1))
        self._attention_fn = attention_fn or compute_attention
        self._attention_layers = self._layers_of(attention_layer_size, attention_layer)
        self._cell, self._output_attention, self._alignment_history = cell, output_attention, alignment_history
        self._attention_layer_size = sum(self._sizes())
        with ops.name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                last = nest.flatten(initial_cell_state)[-1]
                with ops.control_dependencies(self._same_batch(known_or_shape(last, 0))):
                    self._initial_cell_state = nest.map_structure(lambda s: array_ops.identity(s, name="check_initial_cell_state"), initial_cell_state)

    def _layers_of(self, sizes, layers):
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        listed = lambda value: tuple(value) if isinstance(value, (list, tuple)) else (value,)
        if sizes is not None:
            made = tuple(Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
                         for size, mechanism in zip(listed(sizes), self._attention_mechanisms))
            self._layer_sizes, given, what = listed(sizes), listed(sizes), "attention_layer_size"
        elif layers is not None:
            made = given = listed(layers)
            self._layer_sizes, what = None, "attention_layer"
        else:
            self._layer_sizes = None
            return None
        if len(given) != len(self._attention_mechanisms):
            raise ValueError(f"If provided, {what} must contain exactly one integer per attention_mechanism, saw: {len(given)} vs "
                             f"{len(self._attention_mechanisms)}")
        return made

    def _sizes(self):
        """The size of each mechanism's attention."""
        if self._layer_sizes is not None:
            return self._layer_sizes
        values = [m.values.shape.as_list()[-1] for m in self._attention_mechanisms]
        if self._attention_layers is None:
            return values
        units = self._cell.output_size
        return [getattr(layer, "units", None) or layer.compute_output_shape([None, units + depth]).as_list()[-1]
                for layer, depth in zip(self._attention_layers, values)]

    def _same_batch(self, batch_size):
        message = (f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) and the query "
                   "(decoder output).  Are you using the BeamSearchDecoder?  You may need to tile your memory input via the "
                   "tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width.")
        return [check_ops.assert_equal(batch_size, m.batch_size, message=message) for m in self._attention_mechanisms
                if isinstance(batch_size, Tensor) or isinstance(m.batch_size, Tensor) or batch_size != m.batch_size]

    def _item_or_tuple(self, parts):
        parts = tuple(parts)
        return parts if self._is_multi else parts[0]

    def _tuple_of(self, value):
        return value if self._is_multi else (value,)

    @property
    def output_size(self) -> Any:
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        sizes = [m.alignments_size for m in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size, time=TensorShape([]), attention=self._attention_layer_size, alignments=self._item_or_tuple(sizes),
            attention_state=self._item_or_tuple(m.state_size for m in self._attention_mechanisms),
            alignment_history=self._item_or_tuple(s if self._alignment_history else () for s in sizes))

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """The state before the first step: of the cell zeros or `initial_cell_state`, attention and alignments zeros. At run time
        InvalidArgumentError where the memory has another batch size."""
        with ops.name_scope(None, type(self).__name__ + "ZeroState"):
            cell_state = self._cell.zero_state(batch_size, dtype) if self._initial_cell_state is None else self._initial_cell_state
            with ops.control_dependencies(self._same_batch(batch_size)):
                cell_state = nest.map_structure(lambda s: array_ops.identity(s, name="checked_cell_state"), cell_state)
            alignments = [m.initial_alignments(batch_size, dtype) for m in self._attention_mechanisms]
            history = [TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape) if self._alignment_history else () for a in alignments]
            return AttentionWrapperState(
                cell_state=cell_state, time=array_ops.zeros([], dtypes.int32), attention=zeros_of(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments), alignment_history=self._item_or_tuple(history),
                attention_state=self._item_or_tuple(m.initial_state(batch_size, dtype) for m in self._attention_mechanisms))

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead.")
        cell_output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        with ops.control_dependencies(self._same_batch(known_or_shape(cell_output, 0))):
            cell_output = array_ops.identity(cell_output, name="checked_cell_output")
        states, histories = self._tuple_of(state.attention_state), self._tuple_of(state.alignment_history)
        attentions, alignments, next_states, next_histories = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            attention, alignment, following = self._attention_fn(mechanism, cell_output, states[i], layer)
            attentions.append(attention)
            alignments.append(alignment)
            next_states.append(following)
            next_histories.append(histories[i].write(state.time, alignment) if self._alignment_history else ())
        attention = array_ops.concat(attentions, 1)
        made = AttentionWrapperState(
            cell_state=cell_state, attention=attention, time=state.time + 1, alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(next_histories), attention_state=self._item_or_tuple(next_states))
        return attention if self._output_attention else cell_output, made
