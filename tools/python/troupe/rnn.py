"""Recurrent networks: a cell over a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, math_ops, nest, op_call, stacks
from troupe.constant_op import constant
from troupe.control_flow_ops import Assert, cond, identity_of, while_loop
from troupe.conversion import convert_to_tensor
from troupe.rnn_base import RNNCell, static_dims, zeros_of
from troupe.tensor_shape import TensorShape
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike
    from troupe.variable_scope import VariableScope


class _Array:
    """A TensorArray of a loop: the flow, which is a tensor, goes through it."""

    def __init__(self, dtype, size, element_shape, name: str, dynamic: bool = False):
        made = op_call.call("TensorArrayV3", "TensorArray", size=size, dtype=dtype, element_shape=element_shape, dynamic_size=dynamic,
                            identical_element_shapes=True, tensor_array_name=name)
        self.handle, self.flow, self._dtype, self._element_shape = made[0], made[1], dtype, TensorShape(element_shape)

    def unstack(self, values) -> None:
        """Its elements are the parts of a tensor."""
        with stacks.get_default_graph().name_scope("TensorArrayUnstack"):
            count = array_ops.shape(values)[0]
            self.flow = op_call.call("TensorArrayScatterV3", "TensorArrayScatter/TensorArrayScatterV3", handle=self.handle, indices=math_ops.range(0, count), value=values,
                                     flow_in=self.flow)

    def read(self, index):
        made = op_call.call("TensorArrayReadV3", None, handle=self.handle, index=index, flow_in=self.flow, dtype=self._dtype)
        made.set_shape(self._element_shape)
        return made

    def write(self, flow, index, value):
        """The flow after it."""
        return op_call.call("TensorArrayWriteV3", "TensorArrayWrite/TensorArrayWriteV3", handle=self.handle, index=index, value=value, flow_in=flow)

    def stack(self, flow):
        with stacks.get_default_graph().name_scope("TensorArrayStack"):
            size = op_call.call("TensorArraySizeV3", None, handle=self.handle, flow_in=flow)
            return op_call.call("TensorArrayGatherV3", None, handle=self.handle, indices=math_ops.range(0, size), flow_in=flow,
                                dtype=self._dtype, element_shape=self._element_shape)


def _check_cell(name: str, cell) -> None:
    if not isinstance(cell, RNNCell) and not (hasattr(cell, "output_size") and hasattr(cell, "state_size") and callable(cell)):
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: 'output_size' property is missing, 'state_size' property is missing.")


def _swapped(x):
    """Batch and time in the other order."""
    x = convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        return x
    order = array_ops.concat([[1, 0], math_ops.range(2, array_ops.rank(x))], 0)
    made = array_ops.transpose(x, order)
    dims = x.shape.as_list()
    made.set_shape([dims[1], dims[0], *dims[2:]])
    return made


def _state_dtype(dtype, state):
    if dtype is not None:
        return dtypes.as_dtype(dtype)
    found = {t.dtype.base_dtype for t in nest.flatten(state)}
    if len(found) != 1:
        raise ValueError(f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a single representative dtype.")
    return found.pop()


def _first_state(cell, initial_state, batch_size, dtype):
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype) if hasattr(cell, "get_initial_state") else cell.zero_state(
        batch_size, dtype)


def _selected(over, old, new):
    """The old values in the rows of sequences that are over."""
    if hasattr(new, "_with_flow"):
        # An array has no rows of sequences.
        return new
    with stacks.get_default_graph().colocate_with(new.op):
        return new if old.shape.rank == 0 else array_ops.where(over, old, new)


def _checked_lengths(sequence_length, batch_size):
    """The lengths, once it is known that there is one for each sequence."""
    lengths = math_ops.cast(convert_to_tensor(sequence_length), dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError("Argument sequence_length must be a vector of length batch_size. Received sequence_length="
                         f"{lengths} of shape: {lengths.shape}")
    lengths = op_call.call("Identity", "sequence_length", input=lengths)
    actual, expected = array_ops.shape(lengths), array_ops.stack([batch_size])
    same = math_ops.reduce_all(op_call.call("Equal", None, x=actual, y=expected))
    check = Assert(same, [f"Expected shape for Tensor {lengths.name} is ", expected, " but saw shape: ", actual])
    with stacks.get_default_graph().control_dependencies([check]):
        return op_call.call("Identity", "CheckSeqLen", input=lengths)


def dynamic_rnn(cell: RNNCell, inputs: Nest, sequence_length: TensorLike | None = None, initial_state: Nest = None,
                dtype: DTypeLike | None = None, parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False,
                scope: str | VariableScope | None = None) -> tuple[Any, Any]:
    """(outputs [batch, time, output_size], the last state) of a loop over the inputs [batch, time, ...]; with `time_major` time is first in
    both. After the end of a sequence, which `sequence_length` [batch] says, outputs are zero and the state stays. ValueError for inputs whose
    depth is not known, or when there is neither an initial state nor `dtype`."""
    _check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        flat = nest.flatten(inputs)
        flat = [convert_to_tensor(x) for x in flat] if time_major else [_swapped(x) for x in flat]
        batch_size = next((x.shape.as_list()[1] for x in flat if x.shape.rank is not None and x.shape.as_list()[1] is not None), None)
        if batch_size is None:
            batch_size = array_ops.shape(flat[0])[1]
        state = _first_state(cell, initial_state, batch_size, dtype)
        lengths = None if sequence_length is None else _checked_lengths(sequence_length, batch_size)
        structure = inputs
        outputs, state = _loop(cell, structure, flat, state, batch_size, lengths, dtype, parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(_swapped, outputs)
        return outputs, state


def _check_depths(flat) -> None:
    first = flat[0].shape.as_list()
    for x in flat:
        dims = x.shape.with_rank_at_least(3).as_list()
        if None in dims[2:]:
            raise ValueError(f"Input size (depth of inputs) must be accessible via shape inference, but saw value None for input={x}.")
        for i, what in ((0, "Time steps"), (1, "Batch_size")):
            if dims[i] != first[i]:
                raise ValueError(f"{what} is not the same for all the elements in the input. Received {dims[i]} for input={x}.")


def _loop(cell, structure, flat, state, batch_size, lengths, dtype, parallel_iterations, swap_memory):
    """(outputs with time first, the last state)."""
    _check_depths(flat)
    steps = array_ops.shape(flat[0])[0]
    known_steps, known_batch = flat[0].shape.as_list()[:2]
    sizes, dtype = nest.flatten(cell.output_size), _state_dtype(dtype, state)
    zeros = nest.flatten(zeros_of(cell.output_size, batch_size, dtype)) if lengths is not None else None
    longest = steps if lengths is None else math_ops.reduce_max(lengths)
    time = constant(0, dtypes.int32, name="time")
    with stacks.get_default_graph().name_scope("dynamic_rnn") as base:
        pass
    results = [_Array(dtype, steps, [known_batch, *static_dims(s)], f"{base}output_{i}") for i, s in enumerate(sizes)]
    given = [_Array(x.dtype.base_dtype, steps, x.shape[1:], f"{base}input_{i}") for i, x in enumerate(flat)]
    for array, x in zip(given, flat):
        array.unstack(x)

    def step(time, flows, state):
        parts = nest.pack_sequence_as(structure, [array.read(time) for array in given])
        output, following = cell(parts, state)
        nest.assert_same_structure(state, following)
        flat_output = nest.flatten(output)
        if lengths is not None:
            over = op_call.call("GreaterEqual", None, x=time, y=lengths)
            flat_output = [_selected(over, z, o) for z, o in zip(zeros, flat_output)]
            following = nest.map_structure(lambda old, new: _selected(over, old, new), state, following)
        return time + 1, [a.write(f, time, o) for a, f, o in zip(results, flows, flat_output)], following

    bound = op_call.call("Minimum", None, x=steps, y=op_call.call("Maximum", None, x=1, y=longest))
    _, flows, state = while_loop(lambda time, *_: time < bound, step, [time, [r.flow for r in results], state],
                                 parallel_iterations=parallel_iterations, maximum_iterations=steps, swap_memory=swap_memory)
    outputs = [array.stack(flow) for array, flow in zip(results, flows)]
    for output, size in zip(outputs, sizes):
        output.set_shape([known_steps, known_batch, *static_dims(size)])
    return nest.pack_sequence_as(cell.output_size, outputs), state


def _reversed(x, lengths, time_axis: int, batch_axis: int):
    if lengths is None:
        return array_ops.reverse(x, [time_axis])
    return array_ops.reverse_sequence(x, lengths, time_axis, batch_axis)


def bidirectional_dynamic_rnn(cell_fw: RNNCell, cell_bw: RNNCell, inputs: Nest, sequence_length: TensorLike | None = None,
                              initial_state_fw: Nest = None, initial_state_bw: Nest = None, dtype: DTypeLike | None = None,
                              parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False,
                              scope: str | VariableScope | None = None) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """((outputs forwards, outputs backwards), (last state forwards, last state backwards)); see dynamic_rnn."""
    _check_cell("cell_fw", cell_fw)
    _check_cell("cell_bw", cell_bw)
    axes = (0, 1) if time_major else (1, 0)
    run = lambda cell, x, state, inner: dynamic_rnn(cell, x, sequence_length, state, dtype, parallel_iterations, swap_memory, time_major, inner)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forwards, state_fw = run(cell_fw, inputs, initial_state_fw, inner)
        with variable_scope("bw") as inner:
            turned = nest.map_structure(lambda x: _reversed(x, sequence_length, *axes), inputs)
            backwards, state_bw = run(cell_bw, turned, initial_state_bw, inner)
    backwards = nest.map_structure(lambda x: _reversed(x, sequence_length, *axes), backwards)
    return (forwards, backwards), (state_fw, state_bw)


def static_rnn(cell: RNNCell, inputs: Sequence[Nest], initial_state: Nest = None, dtype: DTypeLike | None = None,
               sequence_length: TensorLike | None = None,
               scope: str | VariableScope | None = None) -> tuple[list[Any], Any]:
    """(a list of outputs [batch, output_size], the last state) of a list of inputs [batch, depth], the cell made for each of them."""
    _check_cell("cell", cell)
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    outputs = []
    with variable_scope(scope or "rnn") as outer:
        first = nest.flatten(inputs)[0]
        batch_size = first.shape.as_list()[0]
        if batch_size is None:
            batch_size = array_ops.shape(first)[0]
        state = _first_state(cell, initial_state, batch_size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = math_ops.cast(convert_to_tensor(sequence_length, name="sequence_length"), dtypes.int32)
            zeros = zeros_of(cell.output_size, batch_size, _state_dtype(dtype, state))
            shortest, longest = math_ops.reduce_min(lengths), math_ops.reduce_max(lengths)
        for time, x in enumerate(inputs):
            if time > 0:
                outer.reuse_variables()
            if lengths is None:
                output, state = cell(x, state)
            else:
                output, state = _conditional_step(time, lengths, shortest, longest, zeros, state, lambda x=x, state=state: cell(x, state))
            outputs.append(output)
        return outputs, state


def _conditional_step(time, lengths, shortest, longest, zeros, state, call):
    """A step that does nothing after the longest sequence, and looks for those that are over after the shortest."""
    old = nest.flatten(zeros) + nest.flatten(state)

    def step():
        output, following = call()
        new = nest.flatten(output) + nest.flatten(following)
        over = lambda: [_selected(time >= lengths, o, n) for o, n in zip(old, new)]
        return cond(time < shortest, lambda: new, over, strict=True)

    made = cond(time >= longest, lambda: old, step, strict=True)
    for tensor, like in zip(made, old):
        tensor.set_shape(like.shape)
    count = len(nest.flatten(zeros))
    return nest.pack_sequence_as(zeros, made[:count]), nest.pack_sequence_as(state, made[count:])


def static_bidirectional_rnn(cell_fw: RNNCell, cell_bw: RNNCell, inputs: Sequence[Nest], initial_state_fw: Nest = None,
                             initial_state_bw: Nest = None, dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None,
                             scope: str | VariableScope | None = None) -> tuple[list[Tensor], Any, Any]:
    """(a list of outputs forwards and backwards side by side, the last state forwards, the last backwards)."""
    _check_cell("cell_fw", cell_fw)
    _check_cell("cell_bw", cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forwards, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, inner)
        with variable_scope("bw") as inner:
            backwards, state_bw = static_rnn(cell_bw, _turned(inputs, sequence_length), initial_state_bw, dtype, sequence_length, inner)
    backwards = _turned(backwards, sequence_length)
    return [array_ops.concat([f, b], 1) for f, b in zip(forwards, backwards)], state_fw, state_bw


def _turned(sequence, lengths):
    """A list of tensors from the last to the first; each sequence of its own length."""
    if lengths is None:
        return list(reversed(sequence))
    made = array_ops.unstack(array_ops.reverse_sequence(array_ops.stack(sequence), math_ops.cast(lengths, dtypes.int64), 0, 1))
    for part, like in zip(made, sequence):
        part.set_shape(like.shape)
    return made


def static_state_saving_rnn(cell: RNNCell, inputs: Sequence[TensorLike], state_saver: Any, state_name: str | Sequence[str],
                            sequence_length: TensorLike | None = None, scope: str | VariableScope | None = None) -> tuple[list[Any], Any]:
    """static_rnn from `state_saver.state(name)`, for one name or one for each part of the state; the last output and the state wait until
    `state_saver.save_state(name, state)` has kept it. ValueError where the names are not those of the state's parts."""
    size = cell.state_size
    if nest.is_nested(size) != nest.is_nested(state_name):
        raise ValueError("Argument `state_name` should be the same type as `cell.state_size`. Received: "
                         f"state_name={state_name}, cell.state_size={size}.")
    names = nest.flatten(state_name)
    if len(nest.flatten(size)) != len(names):
        raise ValueError("Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received "
                         f"state_name={state_name} with {len(names)} elements and cell.state_size={size} with {len(nest.flatten(size))} elements.")
    first = nest.pack_sequence_as(size, [state_saver.state(n) for n in names])
    outputs, state = static_rnn(cell, inputs, initial_state=first, sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(n, s) for n, s in zip(names, nest.flatten(state))]
    with stacks.get_default_graph().control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity_of, outputs[-1])
        return outputs, nest.map_structure(identity_of, state)
