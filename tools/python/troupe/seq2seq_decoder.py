"""tf.contrib.seq2seq: a loop of a decoder, and the decoder of a cell and a helper."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, math_ops, nest, ops
from troupe.constant_op import constant
from troupe.control_flow_ops import while_loop
from troupe.conversion import convert_to_tensor
from troupe.rnn_base import static_dims, zeros_of
from troupe.seq2seq_helpers import Helper, batch_and_time_swapped
from troupe.tensor import Tensor
from troupe.tensor_array_ops import TensorArray
from troupe.tensor_shape import TensorShape
from troupe.tensor_util import constant_value
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from troupe.layer import Layer
    from troupe.rnn_base import RNNCell
    from troupe.typing import Nest, TensorLike
    from troupe.variable_scope import VariableScope


class Decoder:
    """What `dynamic_decode` repeats. A subclass has `batch_size`, `output_size` and `output_dtype` (nests of shapes and dtypes), `initialize`,
    `step`, and may have `finalize`."""

    @property
    def batch_size(self) -> Any:
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """(finished [batch], first inputs, first state)."""
        raise NotImplementedError

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """(outputs, next state, next inputs, finished [batch])."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Tensor) -> tuple[Any, Any]:
        """What outputs [time, batch, ...] and the state become after the last step."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether what `step` says is finished may go back to be unfinished, as beams that change their places do."""
        return False


class BasicDecoderOutput(namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """What a step gives: outputs [batch, size] and what was chosen of them [batch]."""

    __slots__ = ()


class BasicDecoder(Decoder):
    """A cell, whose inputs a helper decides. Outputs go through `output_layer`, if there is one, before the helper sees them. TypeError for
    arguments of other kinds."""

    def __init__(self, cell: RNNCell, helper: Helper, initial_state: Nest, output_layer: Layer | None = None) -> None:
        if not (hasattr(cell, "state_size") and hasattr(cell, "output_size") and callable(cell)):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not callable(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    def _rnn_output_size(self):
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        return nest.map_structure(lambda s: output_shape_of(self._output_layer, s), size)

    @property
    def output_size(self) -> Any:
        return BasicDecoderOutput(rnn_output=self._rnn_output_size(), sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(nest.map_structure(lambda _: dtype, self._rnn_output_size()), self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Tensor, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        with ops.name_scope(name, "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(time=time, outputs=outputs, state=cell_state, sample_ids=sample_ids)
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished


def output_shape_of(layer: Any, size: Any) -> TensorShape:
    """The shape of an element of a layer's outputs for inputs of this size."""
    inputs = TensorShape([None, *static_dims(size)])
    if hasattr(layer, "compute_output_shape"):
        return TensorShape(layer.compute_output_shape(inputs))[1:]
    units = getattr(layer, "units", None)
    if units is None:
        raise TypeError(f"output_layer {layer!r} does not tell the shape of its outputs: it has neither compute_output_shape nor units")
    return TensorShape([*inputs.as_list()[1:-1], units])


def _batch_dimension(batch_size):
    known = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
    return None if known is None else int(known)


def _zero_outputs(size, dtype, batch_size):
    made = [zeros_of(s, batch_size, d) for s, d in zip(nest.flatten(size), nest.flatten(dtype))]
    return nest.pack_sequence_as(size, made)


def _unless(finished, new, old):
    """The new value, or the old in rows that were finished; arrays and scalars are new."""
    if isinstance(old, TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.rank == 0 else array_ops.where(finished, old, new)


def dynamic_decode(decoder: Decoder, output_time_major: bool = False, impute_finished: bool = False, maximum_iterations: TensorLike | None = None,
                   parallel_iterations: int = 32, swap_memory: bool = False, scope: str | VariableScope | None = None,
                   **kwargs: Any) -> tuple[Any, Any, Any]:
    """(outputs [batch, time, ...], last state, lengths [batch]) of steps of a decoder until all of the batch are finished, or
    `maximum_iterations` were done. With `impute_finished` what is finished has outputs of zero and keeps its state. TypeError for another
    decoder, ValueError for `maximum_iterations` that are no scalar."""
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtypes.int32, name="maximum_iterations")
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize(**kwargs)
        if maximum_iterations is not None:
            finished = math_ops.logical_or(finished, math_ops.greater_equal(0, maximum_iterations))
        sizes, types = decoder.output_size, decoder.output_dtype
        zeros = _zero_outputs(sizes, types, decoder.batch_size) if impute_finished else None
        rows = _batch_dimension(decoder.batch_size)
        arrays = [TensorArray(d, size=0, dynamic_size=True, element_shape=[rows, *static_dims(s)])
                  for s, d in zip(nest.flatten(sizes), nest.flatten(types))]
        lengths = array_ops.zeros_like(finished, dtypes.int32)

        def body(time, arrays, state, inputs, finished, lengths):
            outputs, next_state, next_inputs, now_finished = decoder.step(time, inputs, state)
            following = now_finished if decoder.tracks_own_finished else math_ops.logical_or(now_finished, finished)
            next_lengths = array_ops.where(math_ops.logical_not(finished), array_ops.fill(array_ops.shape(lengths), time + 1), lengths)
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(sizes, outputs)
            nest.assert_same_structure(inputs, next_inputs)
            if impute_finished:
                outputs = nest.map_structure(lambda new, zero: array_ops.where(finished, zero, new), outputs, zeros)
                next_state = nest.map_structure(lambda new, old: _unless(finished, new, old), next_state, state)
            arrays = [a.write(time, o) for a, o in zip(arrays, nest.flatten(outputs))]
            return time + 1, arrays, next_state, next_inputs, following, next_lengths

        made = while_loop(lambda time, arrays, state, inputs, finished, lengths: math_ops.logical_not(math_ops.reduce_all(finished)), body,
                          (constant(0, dtypes.int32), arrays, state, inputs, finished, lengths), parallel_iterations=parallel_iterations,
                          maximum_iterations=maximum_iterations, swap_memory=swap_memory)
        _, arrays, state, _, _, lengths = made
        outputs = nest.pack_sequence_as(sizes, [a.stack() for a in arrays])
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = nest.map_structure(batch_and_time_swapped, outputs)
    return outputs, state, lengths
