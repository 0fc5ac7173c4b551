"""A recurrent network whose inputs, outputs and ends a function of the program decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, math_ops, nest
from troupe.constant_op import constant
from troupe.control_flow_ops import while_loop
from troupe.conversion import convert_to_tensor
from troupe.rnn import _check_cell
from troupe.rnn_base import static_dims
from troupe.tensor_array_ops import TensorArray
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.rnn_base import RNNCell
    from troupe.tensor import Tensor
    from troupe.variable_scope import VariableScope


def raw_rnn(cell: RNNCell, loop_fn: Callable[[Tensor, Any, Any, Any], tuple[Any, Any, Any, Any, Any]],
            parallel_iterations: int | None = None, swap_memory: bool = False,
            scope: str | VariableScope | None = None) -> tuple[Any, Any, Any]:
    """(arrays of what each turn emits, last state, last loop state) of turns of a cell. `loop_fn(time, output, state, loop_state)` gives (which rows
    are finished, next input, next state, what is emitted, loop state) before each turn; first with None for all but the time: then what is
    emitted says how emitted elements are, or None that they are as the cell's outputs. Rows that are finished keep their state and
    emit zeros. TypeError where `loop_fn` cannot be called."""
    _check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn"):
        time = constant(0, dtypes.int32)
        finished, next_input, state, emitted, first_loop_state = loop_fn(time, None, None, None)
        loop_state = constant(0, dtypes.int32) if first_loop_state is None else first_loop_state
        rows = _rows(nest.flatten(next_input))
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        zeros = _emitted_zeros(cell, emitted, rows, nest.flatten(state)[0].dtype)
        arrays = nest.pack_sequence_as(zeros, [
            TensorArray(z.dtype, 0, True, element_shape=z.shape, tensor_array_name=f"rnn_output_{i}") for i, z in enumerate(nest.flatten(zeros))])

        def turn(time, finished, current_input, arrays, state, loop_state):
            output, new_state = cell(current_input, state)
            nest.assert_same_structure(state, new_state)
            newly_finished, next_input, next_state, emitted, next_loop_state = loop_fn(time + 1, output, new_state, loop_state)
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(current_input, next_input)
            nest.assert_same_structure(zeros, emitted)
            emitted = nest.map_structure(lambda old, new: _unless(finished, old, new), zeros, emitted)
            next_state = nest.map_structure(lambda old, new: _unless(finished, old, new), state, next_state)
            arrays = nest.map_structure(lambda array, value: array.write(time, value), arrays, emitted)
            return (time + 1, math_ops.logical_or(finished, newly_finished), next_input, arrays, next_state,
                    loop_state if next_loop_state is None else next_loop_state)

        made = while_loop(lambda time, finished, *_: math_ops.logical_not(math_ops.reduce_all(finished)), turn,
                          [time, finished, next_input, arrays, state, loop_state], parallel_iterations=parallel_iterations or 32,
                          swap_memory=swap_memory)
    return made[3], made[4], None if first_loop_state is None else made[5]


def _rows(inputs):
    """How many rows the inputs have, as a number where it is known. ValueError where they differ."""
    first = inputs[0].shape[0]
    for i in inputs[1:]:
        first.assert_is_compatible_with(i.shape[0])
    return first.value if first.value is not None else array_ops.shape(inputs[0])[0]


def _emitted_zeros(cell, emitted, rows, dtype):
    """What rows emit that are finished."""
    if emitted is None:
        return nest.map_structure(lambda size: array_ops.zeros([rows, *static_dims(size)], dtype), cell.output_size)
    return nest.map_structure(lambda e: array_ops.zeros(array_ops.concat([[rows], array_ops.shape(e)], 0), e.dtype), emitted)


def _unless(finished, old, new):
    """The new value, or the old one in rows that are finished. Scalars are no rows."""
    new = new if isinstance(new, TensorArray) else convert_to_tensor(new)
    return new if isinstance(new, TensorArray) or old.shape.rank == 0 else array_ops.where(finished, old, new)
