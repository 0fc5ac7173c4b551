"""Linear operators of a structure: three diagonals, permutations, reflections, updates of low rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, linalg_ops, math_ops
from troupe.conversion import convert_to_tensor
from troupe.linalg_exp import of_matrix, of_sequence, tridiagonal_solve
from troupe.linear_operator import LinearOperator, adjoint_of, column, same_batch
from troupe.linear_operators import LinearOperatorDiag, LinearOperatorIdentity, conjugate

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


class LinearOperatorTridiag(LinearOperator):
    """Matrices of three diagonals: [..., 3, n] ("compact": above, on and below the main one), three tensors ("sequence") or whole matrices ("matrix")."""

    def __init__(self, diagonals: Any, diagonals_format: str = "compact", is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorTridiag") -> None:
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(f"Argument `diagonals_format` must be one of compact, matrix, or sequence. Found : {diagonals_format}.")
        if is_square is False:
            raise ValueError("Argument `is_square` must be None or True.")
        if diagonals_format == "sequence":
            self._compact = of_sequence(list(diagonals))
        else:
            given = convert_to_tensor(diagonals, name="diagonals")
            self._compact = given if diagonals_format == "compact" else of_matrix(given)
        super().__init__(self._compact.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def diagonals(self) -> Tensor:
        return self._compact

    def _shape(self):
        shape = self._compact.shape
        return shape[:-2].concatenate([shape[-1], shape[-1]])

    def _shape_tensor(self):
        shape = array_ops.shape(self._compact)
        return array_ops.concat([shape[:-2], shape[-1:], shape[-1:]], 0)

    def _to_dense(self):
        made = linalg_ops.matrix_diag(self._compact, k=(-1, 1), align="LEFT_RIGHT")
        made.set_shape(self.shape)
        return made

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        matrix, rhs = same_batch(adjoint_of(self._to_dense()) if adjoint else self._to_dense(), adjoint_of(rhs) if adjoint_arg else rhs)
        return tridiagonal_solve(matrix, rhs, diagonals_format="matrix")

    def _diag_part(self):
        return self._compact[..., 1, :]


class LinearOperatorPermutation(LinearOperator):
    """Permutations of rows: row i of a product is row perm[..., i] of the other matrix."""

    def __init__(self, perm: TensorLike, dtype: DTypeLike = dtypes.float32, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorPermutation") -> None:
        if is_non_singular is False:
            raise ValueError("A Permutation operator is always non-singular.")
        if is_square is False:
            raise ValueError("A Permutation operator is always square.")
        self._perm = convert_to_tensor(perm, name="perm")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Found: {self._perm}.")
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def perm(self) -> Tensor:
        return self._perm

    def _shape(self):
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._perm)
        return array_ops.concat([shape, shape[-1:]], 0)

    def _to_dense(self):
        return array_ops.one_hot(self._perm, array_ops.shape(self._perm)[-1], dtype=self._dtype)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self):
        return array_ops.zeros(self.batch_shape_tensor(), self._dtype)


class LinearOperatorHouseholder(LinearOperator):
    """Reflections at the plane that `reflection_axis`, [..., n], is normal to: of length one by itself."""

    def __init__(self, reflection_axis: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorHouseholder") -> None:
        for what, hint in (("self adjoint", is_self_adjoint), ("non-singular", is_non_singular), ("square", is_square)):
            if hint is False:
                raise ValueError(f"A Householder operator is always {what}.")
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        self._axis = convert_to_tensor(reflection_axis, name="reflection_axis")
        super().__init__(self._axis.dtype, None, is_non_singular, True, False, True, name)

    @property
    def reflection_axis(self) -> Tensor:
        return self._axis

    def _shape(self):
        return self._axis.shape.concatenate(self._axis.shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._axis)
        return array_ops.concat([shape, shape[-1:]], 0)

    def _unit(self):
        length = math_ops.sqrt(math_ops.reduce_sum(self._axis * conjugate(self._axis), axis=-1, keepdims=True))
        return column(self._axis / length)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = adjoint_of(x) if adjoint_arg else x
        unit = self._unit()
        return x - 2 * unit * math_ops.matmul(unit, x, adjoint_a=True)

    def _to_dense(self):
        size = array_ops.shape(self._axis)[-1]
        unit = self._unit()
        return linalg_ops.matrix_diag(array_ops.ones(array_ops.reshape(size, [1]), self._dtype)) - 2 * math_ops.matmul(unit, unit, adjoint_b=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return -array_ops.ones(self.batch_shape_tensor(), self._dtype)

    def _log_abs_determinant(self):
        return array_ops.zeros(self.batch_shape_tensor(), self._dtype)


class LinearOperatorLowRankUpdate(LinearOperator):
    """base_operator + U D V^H: U and V, which is U by default, [..., n, k], D diagonal by `diag_update`, [..., k], ones by default."""

    def __init__(self, base_operator: LinearOperator, u: TensorLike, diag_update: TensorLike | None = None, v: TensorLike | None = None,
                 is_diag_update_positive: bool | None = None, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorLowRankUpdate") -> None:
        self._base, self._u = base_operator, convert_to_tensor(u, base_operator.dtype, name="u")
        self._v = self._u if v is None else convert_to_tensor(v, base_operator.dtype, name="v")
        self._update = None if diag_update is None else convert_to_tensor(diag_update, base_operator.dtype, name="diag_update")
        positive = is_diag_update_positive or diag_update is None
        if v is None and positive and base_operator.is_positive_definite and base_operator.is_self_adjoint:
            is_self_adjoint = True if is_self_adjoint is None else is_self_adjoint
            is_positive_definite = True if is_positive_definite is None else is_positive_definite
        super().__init__(base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    @property
    def base_operator(self) -> LinearOperator:
        return self._base

    @property
    def u(self) -> Tensor:
        return self._u

    @property
    def v(self) -> Tensor:
        return self._v

    @property
    def diag_update(self) -> Tensor | None:
        return self._update

    @property
    def diag_operator(self) -> LinearOperator:
        """D as an operator."""
        if self._update is not None:
            return LinearOperatorDiag(self._update)
        return LinearOperatorIdentity(array_ops.shape(self._u)[-1], dtype=self._dtype)

    def _shape(self):
        return array_ops.broadcast_static_shape(self._base.batch_shape, self._u.shape[:-2]).concatenate(self._base.shape[-2:])

    def _shape_tensor(self):
        base = self._base.shape_tensor()
        return array_ops.concat([array_ops.broadcast_dynamic_shape(base[:-2], array_ops.shape(self._u)[:-2]), base[-2:]], 0)

    def _to_dense(self):
        return self._base.to_dense() + math_ops.matmul(self._u, self.diag_operator.matmul(self._v, adjoint_arg=True))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = adjoint_of(x) if adjoint_arg else x
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = self.diag_operator.matmul(math_ops.matmul(right, x, adjoint_a=True), adjoint=adjoint)
        return self._base.matmul(x, adjoint=adjoint) + math_ops.matmul(left, inner)

    def _capacitance(self, u, v, adjoint=False):
        """(base_operator^-1 U, D^-1 + V^H base_operator^-1 U): small matrices, by which systems and determinants are those of the base."""
        solved = self._base.solve(u, adjoint=adjoint)
        diagonal = self.diag_operator.inverse().to_dense()
        return solved, (adjoint_of(diagonal) if adjoint else diagonal) + math_ops.matmul(v, solved, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        by_base = self._base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        solved, small = self._capacitance(u, v, adjoint)
        return by_base - math_ops.matmul(solved, linalg_ops.matrix_solve(*same_batch(small, math_ops.matmul(v, by_base, adjoint_a=True))))

    def _determinant(self):
        _, small = self._capacitance(self._u, self._v)
        return linalg_ops.matrix_determinant(small) * self.diag_operator.determinant() * self._base.determinant()

    def _log_abs_determinant(self):
        _, small = self._capacitance(self._u, self._v)
        return linalg_ops.slogdet(small).log_abs_determinant + self.diag_operator.log_abs_determinant() + self._base.log_abs_determinant()
