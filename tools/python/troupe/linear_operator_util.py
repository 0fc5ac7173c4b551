"""Sums of linear operators, and what packages took of TensorFlow's tools for them: `tensorflow.python.ops.linalg.linear_operator_util` and
`linear_operator_addition`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, control_flow_ops, linalg_ops, math_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.linear_operator import LinearOperator
from troupe.linear_operators import (
    LinearOperatorDiag, LinearOperatorFullMatrix, LinearOperatorIdentity, LinearOperatorLowerTriangular, LinearOperatorScaledIdentity)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, TensorLike


def broadcast_matrix_batch_dims(batch_matrices: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """These matrices [..., rows, columns] with the batch of them all. ValueError for vectors."""
    with stacks.get_default_graph().name_scope(name or "broadcast_matrix_batch_dims"):
        matrices = [convert_to_tensor(m) for m in batch_matrices]
        for m in matrices:
            assert_is_batch_matrix(m)
        if len(matrices) < 2:
            return matrices
        known = matrices[0].shape[:-2]
        for m in matrices[1:]:
            known = array_ops.broadcast_static_shape(known, m.shape[:-2])
        if all(m.shape[:-2].is_fully_defined() and m.shape[:-2] == known for m in matrices):
            return matrices
        batch = array_ops.shape(matrices[0])[:-2]
        for m in matrices[1:]:
            batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(m)[:-2])
        return [array_ops.broadcast_to(m, array_ops.concat([batch, array_ops.shape(m)[-2:]], 0)) for m in matrices]


def matrix_solve_with_broadcast(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """`tf.linalg.solve` of batches that are broadcast to each other."""
    with stacks.get_default_graph().name_scope(name or "MatrixSolveWithBroadcast"):
        matrix = convert_to_tensor(matrix, name="matrix")
        matrix, rhs = broadcast_matrix_batch_dims([matrix, convert_to_tensor(rhs, matrix.dtype, name="rhs")])
        return linalg_ops.matrix_solve(matrix, rhs, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False,
                                           name: str | None = None) -> Tensor:
    """`tf.linalg.triangular_solve` of batches that are broadcast to each other."""
    with stacks.get_default_graph().name_scope(name or "MatrixTriangularSolve"):
        matrix = convert_to_tensor(matrix, name="matrix")
        matrix, rhs = broadcast_matrix_batch_dims([matrix, convert_to_tensor(rhs, matrix.dtype, name="rhs")])
        return linalg_ops.matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def assert_is_batch_matrix(tensor: Tensor) -> None:
    """ValueError for what is known to have fewer than two dimensions."""
    rank = tensor.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(f"Expected a [batch] matrix with at least two dimensions.  Found: {tensor}")


def assert_no_entries_with_modulus_zero(x: TensorLike, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero") -> Operation:
    """Fails where an element is 0."""
    with stacks.get_default_graph().name_scope(name):
        x = convert_to_tensor(x, name="x")
        return check_ops.assert_less(array_ops.zeros([], x.dtype.real_dtype), math_ops.abs(x), message=message)


def assert_zero_imag_part(x: TensorLike, message: str | None = None, name: str = "assert_zero_imag_part") -> Operation:
    """Fails where an element has an imaginary part."""
    with stacks.get_default_graph().name_scope(name):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_floating:
            return control_flow_ops.no_op()
        return check_ops.assert_equal(array_ops.zeros([], x.dtype.real_dtype), math_ops.imag(x), message=message)


def assert_compatible_matrix_dimensions(operator: LinearOperator, x: Tensor) -> Operation:
    """Fails unless the operator can be multiplied by `x`."""
    return check_ops.assert_equal(array_ops.shape(x)[-2], operator.domain_dimension_tensor(),
                                  message=f"Dimensions are not compatible.  shape[-2] of argument to be the same as this operator: {operator.name}")


def shape_tensor(shape: Any, name: str | None = None) -> Tensor:
    """A shape as a tensor; numbers in it are int32."""
    return convert_to_tensor(shape, "int32" if isinstance(shape, (tuple, list)) else None, name=name)


def convert_nonref_to_tensor(value: Any, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None) -> Any:
    """A tensor of what is no variable; variables stay."""
    return value if value is None or is_ref(value) else convert_to_tensor(value, dtype, name=name, dtype_hint=dtype_hint)


def is_ref(x: Any) -> bool:
    """Whether it is a variable."""
    from troupe.variables import Variable

    return isinstance(x, Variable)


def add_operators(operators: Sequence[LinearOperator], operator_name: str | None = None, addition_tiers: Any = None,
                  name: str | None = None) -> list[LinearOperator]:
    """[the sum of these operators], of the simplest kind that holds it: multiples of the identity, diagonals, lower triangles, full matrices.
    `addition_tiers` changes nothing: one sum is made. TypeError for what is no operator."""
    for op in operators:
        if not isinstance(op, LinearOperator):
            raise TypeError(f"Argument operators must be LinearOperators. Found: {operators}")
    with stacks.get_default_graph().name_scope(name or "add_operators"):
        left = sorted(operators, key=_kind)
        while len(left) > 1:
            left[:2] = [_sum(left[0], left[1], operator_name)]
            left.sort(key=_kind)
        return left


_KINDS = ((LinearOperatorIdentity, LinearOperatorScaledIdentity), (LinearOperatorDiag,), (LinearOperatorLowerTriangular,))


def _kind(operator):
    return next((i for i, kinds in enumerate(_KINDS) if isinstance(operator, kinds)), len(_KINDS))


def _sum(a, b, name):
    positive = True if a.is_positive_definite and b.is_positive_definite else None
    hints = {"is_positive_definite": positive, "is_non_singular": positive, "is_self_adjoint": True if a.is_self_adjoint and b.is_self_adjoint else None,
             "name": name or f"Add/{b.name}__{a.name}/"}
    kind = max(_kind(a), _kind(b))
    if kind == 0:
        return LinearOperatorScaledIdentity(a.domain_dimension_tensor(), _multiplier(a) + _multiplier(b), **hints)
    if kind == 1:
        return LinearOperatorDiag(a.diag_part() + b.diag_part(), **hints)
    made = LinearOperatorLowerTriangular if kind == 2 else LinearOperatorFullMatrix
    return made(a.add_to_tensor(b.to_dense()), **hints)


def _multiplier(operator):
    if isinstance(operator, LinearOperatorScaledIdentity):
        return operator.multiplier
    return array_ops.ones(operator.batch_shape_tensor(), operator.dtype)
