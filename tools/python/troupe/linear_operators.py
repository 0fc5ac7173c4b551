"""Linear operators of a shape of their own: dense, diagonal and triangular matrices, identities, zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, dtypes, linalg_ops, math_ops
from troupe.conversion import convert_to_tensor
from troupe.linear_operator import LinearOperator, adjoint_of, column, nothing, same_batch
from troupe.tensor_shape import TensorShape
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike


def conjugate(tensor: Tensor) -> Tensor:
    return math_ops.conj(tensor) if tensor.dtype.is_complex else tensor


class LinearOperatorFullMatrix(LinearOperator):
    """Matrices that are given whole: [..., range, domain]."""

    def __init__(self, matrix: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorFullMatrix") -> None:
        self._matrix = convert_to_tensor(matrix, name="matrix")
        self._matrix.shape.with_rank_at_least(2)
        super().__init__(self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    @property
    def matrix(self) -> Tensor:
        return self._matrix

    def _shape(self):
        return self._matrix.shape

    def _shape_tensor(self):
        return array_ops.shape(self._matrix)

    def _to_dense(self):
        return self._matrix


class _OfDiagonal(LinearOperator):
    """By `_diagonal`, [..., n], or one number for each matrix that stands for it."""

    def _to_dense(self):
        return linalg_ops.matrix_diag(self._diag_part())

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        scale = conjugate(self._scale()) if adjoint else self._scale()
        return scale * (adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        scale = conjugate(self._scale()) if adjoint else self._scale()
        return (adjoint_of(rhs) if adjoint_arg else rhs) / scale

    def _determinant(self):
        return math_ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self):
        return math_ops.cast(math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag_part())), axis=-1), self._dtype)

    def _add_to_tensor(self, x):
        return linalg_ops.matrix_set_diag(x, linalg_ops.matrix_diag_part(x) + self._diag_part())

    def _eigvals(self):
        return self._diag_part()

    def _cond(self):
        sizes = math_ops.abs(self._diag_part())
        return math_ops.reduce_max(sizes, axis=-1) / math_ops.reduce_min(sizes, axis=-1)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        with self._scope(name):
            return check_ops.assert_positive(math_ops.abs(self._diag_part()), message="Singular operator:  Diagonal contained zero values.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        with self._scope(name):
            return check_ops.assert_positive(math_ops.real(self._diag_part()), message="Operator was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        if not self._dtype.is_complex:
            return nothing(name)
        with self._scope(name):
            imaginary = math_ops.imag(self._diag_part())
            return check_ops.assert_equal(imaginary, array_ops.zeros_like(imaginary), message="This diagonal operator contained non-zero imaginary values.")


class LinearOperatorDiag(_OfDiagonal):
    """Diagonal matrices by their diagonals, [..., n]."""

    def __init__(self, diag: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorDiag") -> None:
        self._diag = convert_to_tensor(diag, name="diag")
        self._diag.shape.with_rank_at_least(1)
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def diag(self) -> Tensor:
        return self._diag

    def _shape(self):
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.shape(self._diag)
        return array_ops.concat([shape, shape[-1:]], 0)

    def _scale(self):
        return column(self._diag)

    def _diag_part(self):
        return self._diag

    def _hints(self):
        return dict(is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint, is_positive_definite=self.is_positive_definite, is_square=True)

    def _adjoint(self):
        return LinearOperatorDiag(conjugate(self._diag), **self._hints())

    def _inverse(self):
        return LinearOperatorDiag(1 / self._diag, **{**self._hints(), "is_non_singular": True})

    def _cholesky(self):
        return LinearOperatorDiag(math_ops.sqrt(self._diag), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True)


class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangular matrices; what stands above the diagonal is not looked at."""

    def __init__(self, tril: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorLowerTriangular") -> None:
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        given = convert_to_tensor(tril, name="tril")
        given.shape.with_rank_at_least(2)
        self._tril = array_ops.matrix_band_part(given, -1, 0)
        super().__init__(given.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def tril(self) -> Tensor:
        return self._tril

    def _shape(self):
        return self._tril.shape

    def _shape_tensor(self):
        return array_ops.shape(self._tril)

    def _to_dense(self):
        return self._tril

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        matrix, rhs = same_batch(self._tril, adjoint_of(rhs) if adjoint_arg else rhs)
        return linalg_ops.matrix_triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _determinant(self):
        return math_ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self):
        return math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diag_part())), axis=-1)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        with self._scope(name):
            return check_ops.assert_positive(math_ops.abs(self._diag_part()), message="Singular operator:  Diagonal contained zero values.")


def _rows(num_rows):
    value = convert_to_tensor(num_rows, dtypes.int32, name="num_rows")
    known = constant_value(value)
    return value, None if known is None else int(known)


class _Sized(_OfDiagonal):
    """Square, of a number of rows and a batch that are given."""

    def _set_sizes(self, num_rows, batch_shape):
        self._num_rows, self._known_rows = _rows(num_rows)
        if self._known_rows is not None and self._known_rows < 0:
            raise ValueError(f"Argument num_rows must be non-negative.  Found: {num_rows}")
        self._batch = None if batch_shape is None else convert_to_tensor(batch_shape, dtypes.int32, name="batch_shape_arg")

    def _batch_static(self):
        from troupe.tensor_util import constant_value_as_shape

        return TensorShape([]) if self._batch is None else constant_value_as_shape(self._batch)

    def _batch_tensor(self):
        return array_ops.constant([], dtypes.int32) if self._batch is None else self._batch

    def _shape(self):
        return self._batch_static().concatenate([self._known_rows, self._known_rows])

    def _shape_tensor(self):
        return array_ops.concat([self._batch_tensor(), array_ops.stack([self._num_rows, self._num_rows])], 0)

    def _diag_part(self):
        return array_ops.ones(array_ops.concat([self._batch_tensor(), array_ops.reshape(self._num_rows, [1])], 0), self._dtype)


class LinearOperatorIdentity(_Sized):
    """The identity of so many rows."""

    def __init__(self, num_rows: TensorLike, batch_shape: ShapeOrTensor | None = None, dtype: DTypeLike | None = None, is_non_singular: bool = True,
                 is_self_adjoint: bool = True, is_positive_definite: bool = True, is_square: bool = True, assert_proper_shapes: bool = False,
                 name: str = "LinearOperatorIdentity") -> None:
        self._set_sizes(num_rows, batch_shape)
        for what, hint in (("self adjoint", is_self_adjoint), ("square", is_square), ("non-singular", is_non_singular),
                           ("positive-definite", is_positive_definite)):
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        super().__init__(dtypes.float32 if dtype is None else dtype, None, True, True, True, True, name)

    def _scale(self):
        return array_ops.ones(array_ops.concat([self._batch_tensor(), [1, 1]], 0), self._dtype)

    def _inverse(self):
        return self

    _cholesky = _inverse


class LinearOperatorScaledIdentity(_Sized):
    """The identity of so many rows, times a number for each matrix."""

    def __init__(self, num_rows: TensorLike, multiplier: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool = True, assert_proper_shapes: bool = False,
                 name: str = "LinearOperatorScaledIdentity") -> None:
        self._multiplier = convert_to_tensor(multiplier, name="multiplier")
        self._set_sizes(num_rows, None)
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        super().__init__(self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def multiplier(self) -> Tensor:
        return self._multiplier

    def _batch_static(self):
        return self._multiplier.shape

    def _batch_tensor(self):
        return array_ops.shape(self._multiplier)

    def _scale(self):
        return column(column(self._multiplier))

    def _diag_part(self):
        return super()._diag_part() * column(self._multiplier)

    def _like(self, multiplier, **hints):
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **{**dict(
            is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint, is_positive_definite=self.is_positive_definite), **hints})

    def _adjoint(self):
        return self._like(conjugate(self._multiplier))

    def _inverse(self):
        return self._like(1 / self._multiplier, is_non_singular=True)

    def _cholesky(self):
        return self._like(math_ops.sqrt(self._multiplier), is_non_singular=True)


class LinearOperatorZeros(LinearOperator):
    """Zeros, of so many rows and columns."""

    def __init__(self, num_rows: TensorLike, num_columns: TensorLike | None = None, batch_shape: ShapeOrTensor | None = None,
                 dtype: DTypeLike | None = None, is_non_singular: bool = False, is_self_adjoint: bool = True, is_positive_definite: bool = False,
                 is_square: bool = True, assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros") -> None:
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is never positive-definite.")
        self._num_rows, known_rows = _rows(num_rows)
        self._num_columns, known_columns = (self._num_rows, known_rows) if num_columns is None else _rows(num_columns)
        self._known = known_rows, known_columns
        self._batch = array_ops.constant([], dtypes.int32) if batch_shape is None else convert_to_tensor(batch_shape, dtypes.int32)
        super().__init__(dtypes.float32 if dtype is None else dtype, None, False, is_self_adjoint, False, is_square, name)

    def _shape(self):
        from troupe.tensor_util import constant_value_as_shape

        return constant_value_as_shape(self._batch).concatenate(list(self._known))

    def _shape_tensor(self):
        return array_ops.concat([self._batch, array_ops.stack([self._num_rows, self._num_columns])], 0)

    def _to_dense(self):
        return array_ops.zeros(self._shape_tensor(), self._dtype)

    def _add_to_tensor(self, x):
        return x + array_ops.zeros(array_ops.concat([self._batch, [1, 1]], 0), self._dtype)
