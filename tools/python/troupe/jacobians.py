"""Derivatives of each element of a tensor: `tensorflow.python.ops.parallel_for.gradients`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, functional_ops, math_ops, nest, stacks
from troupe.gradients import gradients
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Nest


def jacobian(output: Tensor, inputs: Nest, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """For each of the nest `inputs` the derivatives of each element of `output` by each element of it, of shape [*output, *input]; None where none
    leads there. Elements are derived in a loop, whether `use_pfor` or not."""
    flat = nest.flatten(inputs)
    known = gradients(output, flat)
    reached = [x for x, g in zip(flat, known) if g is not None]
    if not reached:
        return nest.pack_sequence_as(inputs, [None] * len(flat))
    with stacks.get_default_graph().name_scope("jacobian"):
        elements = array_ops.reshape(output, [-1])
        rows = functional_ops.map_fn(lambda i: gradients(elements[i], reached), math_ops.range(array_ops.size(elements)), [x.dtype for x in reached],
                                     parallel_iterations=parallel_iterations)
        made = iter([_shaped(r, output, x) for r, x in zip(rows, reached)])
    return nest.pack_sequence_as(inputs, [None if g is None else next(made) for g in known])


def _shaped(rows, output, x):
    shaped = array_ops.reshape(rows, array_ops.concat([array_ops.shape(output), array_ops.shape(x)], 0))
    shaped.set_shape(output.shape.concatenate(x.shape))
    return shaped


def batch_jacobian(output: Tensor, inp: Tensor, use_pfor: bool = True, parallel_iterations: int | None = None) -> Tensor | None:
    """The derivatives of each example of `output` by the same one of `inp`, of shape [batch, *output[1:], *inp[1:]]; None where none leads there. An
    example must depend on its own alone. ValueError for batches of different sizes."""
    if not output.shape[0].is_compatible_with(inp.shape[0]):
        raise ValueError(f"Need first dimension of `output` shape ({output.shape}) and `inp` shape ({inp.shape}) to match.")
    if gradients(output, inp)[0] is None:
        return None
    with stacks.get_default_graph().name_scope("batch_jacobian"):
        batch = array_ops.shape(output)[0]
        with stacks.get_default_graph().control_dependencies([check_ops.assert_equal(batch, array_ops.shape(inp)[0])]):
            columns = array_ops.reshape(output, array_ops.stack([batch, -1]))
        rows = functional_ops.map_fn(lambda i: gradients(columns[:, i], inp)[0], math_ops.range(array_ops.shape(columns)[1]), inp.dtype,
                                     parallel_iterations=parallel_iterations)
        rows = array_ops.reshape(rows, array_ops.stack([-1, batch, array_ops.size(inp) // batch]))
        made = array_ops.reshape(array_ops.transpose(rows, [1, 0, 2]), array_ops.concat([array_ops.shape(output), array_ops.shape(inp)[1:]], 0))
        made.set_shape(TensorShape([output.shape[0].merge_with(inp.shape[0])]).concatenate(output.shape[1:]).concatenate(inp.shape[1:]))
        return made
