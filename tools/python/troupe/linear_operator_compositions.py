"""Linear operators that are made of others: products, inverses, adjoints, Kronecker products."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from troupe import array_ops, linalg_ops, math_ops
from troupe.linear_operator import LinearOperator, adjoint_of
from troupe.linear_operators import (
    LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorZeros)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.dtypes import DType
    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape


def common_dtype(operators: Sequence[LinearOperator]) -> DType:
    """The type of all. TypeError for different ones."""
    dtype = operators[0].dtype
    for o in operators:
        if o.dtype is not dtype:
            raise TypeError(f"Expected all operators to have the same dtype.  Found {[(p.name, p.dtype.name) for p in operators]}")
    return dtype


def hint_of_all(operators: Sequence[LinearOperator], hint: str, given: bool | None) -> bool | None:
    """A hint that is so where it is so of all."""
    if given is None and all(getattr(o, hint) for o in operators):
        return True
    return given


def common_batch(operators: Sequence[LinearOperator]) -> TensorShape:
    """The batch that those of all broadcast to, as far as it is known."""
    return functools.reduce(array_ops.broadcast_static_shape, [o.batch_shape for o in operators])


def common_batch_tensor(operators: Sequence[LinearOperator]) -> Tensor:
    """The same as a tensor."""
    return functools.reduce(array_ops.broadcast_dynamic_shape, [o.batch_shape_tensor() for o in operators])


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """left @ right, as simple as it can be."""
    if isinstance(left, LinearOperatorIdentity) and left.batch_shape.rank == 0:
        return right
    if isinstance(right, LinearOperatorIdentity) and right.batch_shape.rank == 0:
        return left
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorDiag):
        return LinearOperatorDiag(left.diag * right.diag, is_non_singular=_both(left, right, "is_non_singular"), is_square=True)
    if isinstance(left, LinearOperatorScaledIdentity) and isinstance(right, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(left.domain_dimension_tensor(), left.multiplier * right.multiplier,
                                            is_non_singular=_both(left, right, "is_non_singular"))
    if isinstance(left, LinearOperatorZeros) and left.is_square:
        return left
    if isinstance(right, LinearOperatorZeros) and right.is_square:
        return right
    return LinearOperatorComposition([left, right], is_non_singular=_both(left, right, "is_non_singular"), is_square=_both(left, right, "is_square"))


def _both(left, right, hint):
    return True if getattr(left, hint) and getattr(right, hint) else None


class LinearOperatorComposition(LinearOperator):
    """The product of operators, the first outermost."""

    def __init__(self, operators: Iterable[LinearOperator], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None) -> None:
        self._operators = list(operators)
        if not self._operators:
            raise ValueError("Expected a non-empty list of operators. Found: []")
        for left, right in zip(self._operators, self._operators[1:]):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        if all(o.is_non_singular for o in self._operators):
            if is_non_singular is False:
                raise ValueError("The composition of non-singular operators is always non-singular.")
            is_non_singular = True
        super().__init__(common_dtype(self._operators), None, is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                         name or "_o_".join(o.name for o in self._operators))

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self):
        return common_batch(self._operators).concatenate([self._operators[0].range_dimension, self._operators[-1].domain_dimension])

    def _shape_tensor(self):
        ends = array_ops.stack([self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()])
        return array_ops.concat([common_batch_tensor(self._operators), ends], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self._operators if adjoint else self._operators[::-1]
        made = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in order[1:]:
            made = o.matmul(made, adjoint=adjoint)
        return made

    def _to_dense(self):
        made = self._operators[-1].to_dense()
        for o in self._operators[-2::-1]:
            made = o.matmul(made)
        return made

    def _all_square(self):
        return all(o.is_square for o in self._operators)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if not self._all_square():
            return super()._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        order = self._operators[::-1] if adjoint else self._operators
        made = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for o in order[1:]:
            made = o.solve(made, adjoint=adjoint)
        return made

    def _determinant(self):
        if not self._all_square():
            return super()._determinant()
        return functools.reduce(lambda a, b: a * b, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self):
        if not self._all_square():
            return super()._log_abs_determinant()
        return functools.reduce(lambda a, b: a + b, [o.log_abs_determinant() for o in self._operators])


class _OfOne(LinearOperator):
    """Of one operator, with its hints where none are given."""

    def __init__(self, operator: LinearOperator, is_non_singular: bool | None, is_self_adjoint: bool | None, is_positive_definite: bool | None,
                 is_square: bool | None, name: str) -> None:
        self._operator = operator
        given = (("is_non_singular", is_non_singular), ("is_self_adjoint", is_self_adjoint), ("is_positive_definite", is_positive_definite),
                 ("is_square", is_square))
        hints = [getattr(operator, hint) if value is None else value for hint, value in given]
        super().__init__(operator.dtype, None, *hints, name)

    @property
    def operator(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator. ValueError for one that is known not to be square or regular."""

    def __init__(self, operator: LinearOperator, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None) -> None:
        if operator.is_square is False or is_square is False or operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(f"Operator has no inverse: {operator!r} is known to be singular or not square.")
        super().__init__(operator, True, is_self_adjoint, is_positive_definite, True, name or operator.name + "_inv")

    def _shape(self):
        return self._operator.shape

    def _shape_tensor(self):
        return self._operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        rows = self._operator.range_dimension_tensor()
        identity = linalg_ops.matrix_diag(array_ops.ones(array_ops.concat([self.batch_shape_tensor(), array_ops.reshape(rows, [1])], 0), self._dtype))
        identity.set_shape(self.shape)
        return self._operator.solve(identity)

    def _determinant(self):
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -self._operator.log_abs_determinant()

    def _inverse(self):
        return self._operator

    def _eigvals(self):
        return 1 / self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()


class LinearOperatorAdjoint(_OfOne):
    """The conjugate transpose of an operator."""

    def __init__(self, operator: LinearOperator, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None) -> None:
        super().__init__(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name or operator.name + "_adjoint")

    def _shape(self):
        return self._operator.batch_shape.concatenate([self._operator.domain_dimension, self._operator.range_dimension])

    def _shape_tensor(self):
        shape = self._operator.shape_tensor()
        return array_ops.concat([shape[:-2], shape[-1:], shape[-2:-1]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self):
        return adjoint_of(self._operator.to_dense())

    def _determinant(self):
        made = self._operator.determinant()
        return math_ops.conj(made) if self._dtype.is_complex else made

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _adjoint(self):
        return self._operator

    def _cond(self):
        return self._operator.cond()


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators."""

    def __init__(self, operators: Iterable[LinearOperator], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None) -> None:
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Argument `operators` must be a list of >=1 operators. Found: {operators}")
        hints = [hint_of_all(self._operators, hint, given) for hint, given in (
            ("is_non_singular", is_non_singular), ("is_self_adjoint", is_self_adjoint), ("is_positive_definite", is_positive_definite),
            ("is_square", is_square))]
        super().__init__(common_dtype(self._operators), None, *hints, name or "_x_".join(o.name for o in self._operators))

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self):
        ends = []
        for sizes in ([o.range_dimension.value for o in self._operators], [o.domain_dimension.value for o in self._operators]):
            ends.append(None if None in sizes else functools.reduce(lambda a, b: a * b, sizes))
        return common_batch(self._operators).concatenate(ends)

    def _shape_tensor(self):
        ends = [functools.reduce(lambda a, b: a * b, [o.shape_tensor()[at] for o in self._operators]) for at in (-2, -1)]
        return array_ops.concat([common_batch_tensor(self._operators), array_ops.stack(ends)], 0)

    def _to_dense(self):
        made = self._operators[0].to_dense()
        for o in self._operators[1:]:
            made = self._pair(made, o.to_dense())
        made.set_shape(self.shape)
        return made

    @staticmethod
    def _pair(a, b):
        """The Kronecker product of two matrices."""
        whole = array_ops.expand_dims(array_ops.expand_dims(a, -1), -3) * array_ops.expand_dims(array_ops.expand_dims(b, -2), -4)
        shape = array_ops.shape(whole)
        return array_ops.reshape(whole, array_ops.concat([shape[:-4], [shape[-4] * shape[-3], shape[-2] * shape[-1]]], 0))

    def _squares(self):
        return all(o.is_square for o in self._operators)

    def _powers(self):
        """How often the determinant of each is in that of the product."""
        total = self.domain_dimension_tensor()
        return [total // o.domain_dimension_tensor() for o in self._operators]

    def _determinant(self):
        if not self._squares():
            return super()._determinant()
        parts = [math_ops.pow(o.determinant(), math_ops.cast(p, self._dtype)) for o, p in zip(self._operators, self._powers())]
        return functools.reduce(lambda a, b: a * b, parts)

    def _log_abs_determinant(self):
        if not self._squares():
            return super()._log_abs_determinant()
        parts = [o.log_abs_determinant() * math_ops.cast(p, self._dtype.real_dtype) for o, p in zip(self._operators, self._powers())]
        return functools.reduce(lambda a, b: a + b, parts)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if not self._squares():
            return super()._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inverse = LinearOperatorKronecker([o.inverse() for o in self._operators])
        return inverse._matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
