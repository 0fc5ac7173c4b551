"""Systems of equations solved step by step."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, dtypes, math_ops, stacks, tensor_algebra
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.linear_operator import LinearOperator
    from troupe.typing import TensorLike

CGState = namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(operator: LinearOperator, rhs: TensorLike, preconditioner: LinearOperator | None = None, x: TensorLike | None = None,
                       tol: TensorLike = 1e-5, max_iter: TensorLike = 20, name: str = "conjugate_gradient") -> Any:
    """(number of turns, solution, what is left, direction, its length) for vectors [..., n] `rhs`: turns end when what is left is `tol` times as long as `rhs`, or
    after `max_iter`. `x`: where to begin; `preconditioner`: about the inverse of the operator. ValueError unless the operator is known to be self-adjoint and
    positive definite."""
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    with stacks.get_default_graph().name_scope(name):
        rhs = convert_to_tensor(rhs, operator.dtype, name="rhs")
        batch = array_ops.broadcast_dynamic_shape(array_ops.shape(rhs)[:-1], operator.batch_shape_tensor())
        if preconditioner is not None:
            batch = array_ops.broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
        shape = array_ops.concat([batch, array_ops.shape(rhs)[-1:]], 0)
        left = array_ops.broadcast_to(rhs, shape)
        limit = convert_to_tensor(tol, rhs.dtype) * tensor_algebra.norm(left, axis=-1)
        if x is None:
            x = array_ops.zeros(shape, rhs.dtype)
        else:
            x = array_ops.broadcast_to(convert_to_tensor(x, rhs.dtype), shape)
            left = rhs - operator.matvec(x)
        direction = left if preconditioner is None else preconditioner.matvec(left)
        first = CGState(array_ops.constant(0, dtypes.int32), x, left, direction, _dot(left, direction))
        for t in first[1:4]:
            t.set_shape(rhs.shape if operator.batch_shape.rank == 0 else t.shape)
        return CGState(*control_flow_ops.while_loop(
            lambda *s: math_ops.logical_and(s[0] < max_iter, math_ops.reduce_any(tensor_algebra.norm(s[2], axis=-1) > limit)),
            lambda *s: list(_turn(operator, preconditioner, CGState(*s))), list(first)))


def _dot(a, b):
    return math_ops.reduce_sum(math_ops.conj(a) * b if a.dtype.is_complex else a * b, axis=-1)


def _turn(operator, preconditioner, state):
    moved = operator.matvec(state.p)
    step = array_ops.expand_dims(state.gamma / _dot(state.p, moved), -1)
    x, left = state.x + step * state.p, state.r - step * moved
    better = left if preconditioner is None else preconditioner.matvec(left)
    gamma = _dot(left, better)
    return CGState(state.i + 1, x, left, better + array_ops.expand_dims(gamma / state.gamma, -1) * state.p, gamma)
