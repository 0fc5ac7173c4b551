"""What tf.contrib.rnn has beyond cells: layers that go both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, rnn
from troupe.rnn import static_state_saving_rnn  # noqa: F401, it is of this module, too
from troupe.rnn_cell import MultiRNNCell
from troupe.seq2seq_helpers import batch_and_time_swapped as transpose_batch_time  # noqa: F401, it is of this module, too
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.rnn_base import RNNCell
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Nest, TensorLike
    from troupe.variable_scope import VariableScope


def _check_pairs(cells_fw, cells_bw, states_fw=None, states_bw=None):
    for cells, what in ((cells_fw, "cells_fw"), (cells_bw, "cells_bw")):
        if not isinstance(cells, list) or not cells or any(isinstance(c, MultiRNNCell) for c in cells):
            raise ValueError(f"Must specify at least one fw cell for BidirectionalRNN: {what} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, what in ((states_fw, "initial_states_fw"), (states_bw, "initial_states_bw")):
        if states is not None and (not isinstance(states, (list, tuple)) or len(states) != len(cells_fw)):
            raise ValueError(f"{what} must be a list of state tensors (one per layer): {len(cells_fw)} of them.")


def stack_bidirectional_dynamic_rnn(cells_fw: Sequence[RNNCell], cells_bw: Sequence[RNNCell], inputs: TensorLike,
                                    initial_states_fw: Sequence[Nest] | None = None, initial_states_bw: Sequence[Nest] | None = None,
                                    dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None, parallel_iterations: int | None = None,
                                    time_major: bool = False, scope: str | VariableScope | None = None,
                                    swap_memory: bool = False) -> tuple[Tensor, tuple[Any, ...], tuple[Any, ...]]:
    """(outputs, states forward, states backward) of layers that each go both ways over the outputs of the one before. ValueError for other than
    two lists of as many cells, and for another number of first states."""
    _check_pairs(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, pair in enumerate(zip(cells_fw, cells_bw)):
            first = [None if given is None else given[i] for given in (initial_states_fw, initial_states_bw)]
            with variable_scope(f"cell_{i}"):
                outputs, last = rnn.bidirectional_dynamic_rnn(*pair, inputs, sequence_length, *first, dtype=dtype, time_major=time_major,
                                                              parallel_iterations=parallel_iterations, swap_memory=swap_memory)
                inputs = array_ops.concat(outputs, 2)
            states[0].append(last[0]), states[1].append(last[1])
    return inputs, tuple(states[0]), tuple(states[1])


def stack_bidirectional_rnn(cells_fw: Sequence[RNNCell], cells_bw: Sequence[RNNCell], inputs: Sequence[TensorLike],
                            initial_states_fw: Sequence[Nest] | None = None, initial_states_bw: Sequence[Nest] | None = None,
                            dtype: DTypeLike | None = None, sequence_length: TensorLike | None = None,
                            scope: str | VariableScope | None = None) -> tuple[list[Tensor], tuple[Any, ...], tuple[Any, ...]]:
    """The same over a list of inputs, one for each step."""
    _check_pairs(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, pair in enumerate(zip(cells_fw, cells_bw)):
            first = [None if given is None else given[i] for given in (initial_states_fw, initial_states_bw)]
            with variable_scope(f"cell_{i}"):
                inputs, forward, backward = rnn.static_bidirectional_rnn(*pair, inputs, *first, sequence_length=sequence_length, dtype=dtype)
            states[0].append(forward), states[1].append(backward)
    return inputs, tuple(states[0]), tuple(states[1])


def best_effort_input_batch_size(flat_input: Sequence[Tensor]) -> Any:
    """The number of rows of tensors [time, batch, ...]: a number where one of them tells it, else a tensor."""
    for part in flat_input:
        if part.shape.rank is not None and part.shape.rank > 1 and part.shape.as_list()[1] is not None:
            return part.shape.as_list()[1]
    return array_ops.shape(flat_input[0])[1]
