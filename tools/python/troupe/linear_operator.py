"""Matrices by what they do: the base of linear operators. Those of a shape of their own: linear_operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, check_ops, control_flow_ops, dtypes, linalg_ops, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from troupe.dtypes import DType
    from troupe.tensor import Operation, Tensor
    from troupe.tensor_shape import Dimension
    from troupe.typing import DTypeLike, TensorLike


def same_batch(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Two batches of matrices with the batch of both."""
    known = a.shape[:-2].as_list() if a.shape.rank is not None else [None], b.shape[:-2].as_list() if b.shape.rank is not None else [None]
    if known[0] == known[1] and None not in known[0]:
        return a, b
    batch = array_ops.broadcast_dynamic_shape(array_ops.shape(a)[:-2], array_ops.shape(b)[:-2])
    made = []
    for t in (a, b):
        wide = array_ops.broadcast_to(t, array_ops.concat([batch, array_ops.shape(t)[-2:]], 0))
        made.append(wide)
    return made[0], made[1]


def adjoint_of(matrix: Tensor) -> Tensor:
    """The conjugate transpose."""
    return array_ops.matrix_transpose(matrix, conjugate=matrix.dtype.is_complex)


def column(vector: Tensor) -> Tensor:
    """[..., n] as [..., n, 1]."""
    return array_ops.expand_dims(vector, -1)


class LinearOperator:
    """A batch of matrices [..., range, domain], which are not made unless they must be. Hints (`is_non_singular`, ...) say what is known of them: True, False, or
    None for nothing; they choose how systems are solved, and are not checked but by the `assert_` functions. A subclass gives `_shape`, `_shape_tensor` and
    `_to_dense`, and overrides what it does better. ValueError for hints that contradict each other."""

    def __init__(self, dtype: DTypeLike, graph_parents: Any = None, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None, parameters: Any = None) -> None:
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        if is_non_singular and is_square is False:
            raise ValueError("A non-singular matrix is always square.")
        if is_self_adjoint and is_square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._is_non_singular = True if is_positive_definite else is_non_singular
        self._is_square_hint = True if is_non_singular or is_self_adjoint or is_positive_definite else is_square
        self._is_self_adjoint, self._is_positive_definite = is_self_adjoint, is_positive_definite
        self._name = name or type(self).__name__

    def _scope(self, name):
        return stacks.get_default_graph().name_scope(f"{self._name.rstrip('/')}/{name}")

    # What it is.

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def name(self) -> str:
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        return []

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    @property
    def is_non_singular(self) -> bool | None:
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        shape = self.shape
        known = None if shape.rank is None or None in shape.as_list()[-2:] else shape.as_list()[-1] == shape.as_list()[-2]
        if known and self._is_square_hint is False:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return known if self._is_square_hint is None else self._is_square_hint

    def __repr__(self):
        return f"<{type(self).__name__} {self._name!r} shape={self.shape} dtype={self._dtype.name}>"

    # Sizes.

    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        with self._scope(name):
            return array_ops.constant(self.shape.as_list(), dtypes.int32) if self.shape.is_fully_defined() else self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        return self.shape_tensor(name)[:-2]

    @property
    def tensor_rank(self) -> int | None:
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        return array_ops.size(self.shape_tensor(name))

    @property
    def domain_dimension(self) -> Dimension:
        return self.shape[-1]

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        return self.shape_tensor(name)[-1]

    @property
    def range_dimension(self) -> Dimension:
        return self.shape[-2]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        return self.shape_tensor(name)[-2]

    # Products.

    def _to_dense(self):
        raise NotImplementedError("_to_dense is not implemented.")

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return math_ops.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _tensor(self, x, what):
        x = convert_to_tensor(x, name=what)
        if x.dtype.base_dtype is not self._dtype:
            raise TypeError(f"Expected argument to have dtype {self._dtype}.  Found: {x.dtype} in tensor {x}")
        return x

    def matmul(self, x: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with matrices [..., domain, k], or with another operator, which is an operator. ValueError for sizes that do not fit."""
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            if not left.domain_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(f"Operators are incompatible. Expected `x` to have dimension {left.domain_dimension} but got {right.range_dimension}.")
            with self._scope(name):
                return left._matmul_operator(right)
        with self._scope(name):
            x = self._tensor(x, "x")
            (self.shape[-2] if adjoint else self.shape[-1]).assert_is_compatible_with(x.shape[-1 if adjoint_arg else -2])
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matmul_operator(self, right):
        from troupe.linear_operator_compositions import product

        return product(self, right)

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with vectors [..., domain]."""
        with self._scope(name):
            x = self._tensor(x, "x")
            (self.shape[-2] if adjoint else self.shape[-1]).assert_is_compatible_with(x.shape[-1])
            return self._matvec(x, adjoint)

    def _matvec(self, x, adjoint=False):
        return array_ops.squeeze(self._matmul(column(x), adjoint=adjoint), -1)

    # Systems of equations.

    def _check_solvable(self):
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self.is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    def _by_cholesky(self):
        return self.is_self_adjoint and self.is_positive_definite

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        matrix, rhs = same_batch(self._to_dense(), rhs)
        if self._by_cholesky():
            return linalg_ops.cholesky_solve(linalg_ops.cholesky(matrix), rhs)
        return linalg_ops.matrix_solve(matrix, rhs, adjoint=adjoint)

    def solve(self, rhs: TensorLike | LinearOperator, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """What is to be multiplied by for `rhs`, matrices [..., range, k] or an operator. NotImplementedError for operators that are known not to be square or
        regular."""
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self.adjoint() if adjoint else self, rhs.adjoint() if adjoint_arg else rhs
            if not left.domain_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(f"Operators are incompatible. Expected `rhs` to have dimension {left.domain_dimension} but got {right.range_dimension}.")
            with self._scope(name):
                return left.inverse()._matmul_operator(right)
        with self._scope(name):
            rhs = self._tensor(rhs, "rhs")
            (self.shape[-1] if adjoint else self.shape[-2]).assert_is_compatible_with(rhs.shape[-1 if adjoint_arg else -2])
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The same for vectors [..., range]."""
        self._check_solvable()
        with self._scope(name):
            rhs = self._tensor(rhs, "rhs")
            (self.shape[-1] if adjoint else self.shape[-2]).assert_is_compatible_with(rhs.shape[-1])
            return array_ops.squeeze(self._solve(column(rhs), adjoint=adjoint), -1)

    # Numbers of it.

    def _check_square(self, what):
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

    def _determinant(self):
        if self._by_cholesky():
            return math_ops.exp(self._log_abs_determinant())
        return linalg_ops.matrix_determinant(self._to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant of each matrix. NotImplementedError for operators that are known not to be square."""
        self._check_square("Determinant")
        with self._scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        if self._by_cholesky():
            diagonal = linalg_ops.matrix_diag_part(linalg_ops.cholesky(self._to_dense()))
            return 2 * math_ops.reduce_sum(math_ops.log(math_ops.abs(diagonal)), axis=-1)
        return op_call.call("LogMatrixDeterminant", None, input=self._to_dense()).log_abs_determinant

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of its absolute value."""
        self._check_square("Determinant")
        with self._scope(name):
            return self._log_abs_determinant()

    def _diag_part(self):
        return linalg_ops.matrix_diag_part(self._to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        with self._scope(name):
            return self._diag_part()

    def _trace(self):
        return math_ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal."""
        with self._scope(name):
            return self._trace()

    def _eigvals(self):
        return op_call.call("SelfAdjointEigV2", None, input=self._to_dense(), compute_v=False)[0]

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues of self-adjoint matrices. NotImplementedError for others."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def _cond(self):
        if not self.is_self_adjoint:
            values = op_call.call("Svd", None, input=self._to_dense(), compute_uv=False)[0]
        else:
            values = math_ops.abs(self._eigvals())
        return math_ops.reduce_max(values, axis=-1) / math_ops.reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Tensor:
        """The largest singular value by the smallest."""
        with self._scope(name):
            return self._cond()

    # Others of it.

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrices."""
        with self._scope(name):
            return self._to_dense()

    def _add_to_tensor(self, x):
        return self._to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The sum with matrices."""
        with self._scope(name):
            return self._add_to_tensor(self._tensor(x, "x"))

    def _adjoint(self):
        from troupe.linear_operator_compositions import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self, is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
                                     is_positive_definite=self.is_positive_definite, is_square=self.is_square)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose, as an operator."""
        with self._scope(name):
            return self if self.is_self_adjoint else self._adjoint()

    H = property(adjoint, None)

    def _inverse(self):
        from troupe.linear_operator_compositions import LinearOperatorInversion

        return LinearOperatorInversion(self, is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
                                       is_positive_definite=self.is_positive_definite, is_square=self.is_square)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, as an operator. ValueError for operators that are known to have none."""
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        with self._scope(name):
            return self._inverse()

    def _cholesky(self):
        from troupe.linear_operators import LinearOperatorLowerTriangular

        return LinearOperatorLowerTriangular(linalg_ops.cholesky(self._to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular operator whose product with its adjoint this is. ValueError unless it is known to be positive definite and self-adjoint."""
        if not self._by_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._scope(name):
            return self._cholesky()

    # Checks in steps.

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        """InvalidArgumentError from the step unless the matrices can be inverted as exactly as their type is."""
        with self._scope(name):
            most = 0.01 / np.finfo(self._dtype.real_dtype.as_numpy_dtype).eps
            return check_ops.assert_less(self._cond(), np.array(most, self._dtype.real_dtype.as_numpy_dtype), message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        """InvalidArgumentError from the step unless a self-adjoint operator is positive definite."""
        with self._scope(name):
            return check_ops.assert_positive(self._eigvals(), message="Operator was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        """InvalidArgumentError from the step unless the matrices are their own adjoints."""
        with self._scope(name):
            dense = self._to_dense()
            return check_ops.assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")


def nothing(name: str) -> Operation:
    """The check of what is so anyway."""
    return control_flow_ops.no_op(name=name)
