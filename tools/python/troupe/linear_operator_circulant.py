"""Linear operators whose diagonals are constant: Toeplitz matrices, and circulant ones, which Fourier transforms make diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, dtypes, linalg_ops, math_ops, op_call
from troupe.conversion import convert_to_tensor
from troupe.linear_operator import LinearOperator, adjoint_of

if TYPE_CHECKING:
    from troupe.dtypes import DType
    from troupe.tensor import Operation, Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import DTypeLike, TensorLike


class LinearOperatorToeplitz(LinearOperator):
    """Square matrices by their first columns and rows, [..., n]; the first of the row is not looked at."""

    def __init__(self, col: TensorLike, row: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorToeplitz") -> None:
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        self._col, self._row = convert_to_tensor(col, name="col"), convert_to_tensor(row, name="row")
        self._col.shape.with_rank_at_least(1)
        super().__init__(self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def col(self) -> Tensor:
        return self._col

    @property
    def row(self) -> Tensor:
        return self._row

    def _shape(self):
        return array_ops.broadcast_static_shape(self._row.shape, self._col.shape).concatenate(self._row.shape[-1:])

    def _shape_tensor(self):
        shape = array_ops.broadcast_dynamic_shape(array_ops.shape(self._row), array_ops.shape(self._col))
        return array_ops.concat([shape, shape[-1:]], 0)

    def _to_dense(self):
        shape = self.shape_tensor()
        col, row = (array_ops.broadcast_to(t, shape[:-1]) for t in (self._col, self._row))
        size = shape[-1]
        # The diagonals from below to above in one vector: element (i, j) is number n - 1 + j - i.
        diagonals = array_ops.concat([array_ops.reverse(col, [-1]), row[..., 1:]], -1)
        places = size - 1 + array_ops.expand_dims(math_ops.range(size), 0) - array_ops.expand_dims(math_ops.range(size), 1)
        made = array_ops.gather(diagonals, places, axis=-1)
        made.set_shape(self.shape)
        return made

    def _diag_part(self):
        first = array_ops.broadcast_to(self._col[..., :1], self.shape_tensor()[:-1])
        return first

    def _trace(self):
        return self._col[..., 0] * math_ops.cast(self.domain_dimension_tensor(), self._dtype)


class _Circulant(LinearOperator):
    """By the eigenvalues `spectrum`, [..., sizes of `_depth` dimensions]: a product is one of Fourier transforms."""

    _depth = 1

    def __init__(self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64, is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = True,
                 name: str | None = None) -> None:
        self._spectrum = convert_to_tensor(spectrum, name="spectrum")
        self._spectrum.shape.with_rank_at_least(self._depth)
        if is_square is False:
            raise ValueError("A circulant operator is always square.")
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        super().__init__(input_output_dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name or type(self).__name__)

    @property
    def spectrum(self) -> Tensor:
        return self._spectrum

    @property
    def block_depth(self) -> int:
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        return self._spectrum.shape[-self._depth:]

    def block_shape_tensor(self) -> Tensor:
        return array_ops.shape(self._spectrum)[-self._depth:]

    def _complex_dtype(self) -> DType:
        return dtypes.complex128 if self._dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64

    def _complex_spectrum(self):
        return math_ops.cast(self._spectrum, self._complex_dtype())

    def _transformed(self, x, op):
        """A Fourier transform of the last dimensions."""
        kind = ("IFFT" if op < 0 else "FFT") + {1: "", 2: "2D", 3: "3D"}[self._depth]
        return op_call.call(kind, None, input=x)

    def _shape(self):
        sizes = self.block_shape.as_list()
        size = None
        if None not in sizes:
            size = 1
            for s in sizes:
                size *= s
        return self._spectrum.shape[:-self._depth].concatenate([size, size])

    def _shape_tensor(self):
        shape = array_ops.shape(self._spectrum)
        size = math_ops.reduce_prod(shape[-self._depth:], keepdims=True)
        return array_ops.concat([shape[:-self._depth], size, size], 0)

    def _by_spectrum(self, x, spectrum):
        """Matrices [..., n, k]: their columns transformed, multiplied, and transformed back."""
        columns = array_ops.matrix_transpose(math_ops.cast(x, self._complex_dtype()))
        shape = array_ops.shape(columns)
        blocks = array_ops.reshape(columns, array_ops.concat([shape[:-1], self.block_shape_tensor()], 0))
        blocks.set_shape(columns.shape[:-1].concatenate(self.block_shape))
        # One dimension for the columns, before those of blocks.
        wide = array_ops.expand_dims(spectrum, -1 - self._depth)
        made = self._transformed(wide * self._transformed(blocks, 1), -1)
        done = array_ops.shape(made)
        flat = array_ops.reshape(made, array_ops.concat([done[:-self._depth], [-1]], 0))
        result = array_ops.matrix_transpose(flat)
        result = math_ops.cast(result, self._dtype) if self._dtype.is_complex else math_ops.real(result)
        result.set_shape(array_ops.broadcast_static_shape(self.batch_shape, x.shape[:-2]).concatenate([self.shape[-1], x.shape[-1]]))
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        spectrum = self._complex_spectrum()
        return self._by_spectrum(adjoint_of(x) if adjoint_arg else x, math_ops.conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        spectrum = self._complex_spectrum()
        return self._by_spectrum(adjoint_of(rhs) if adjoint_arg else rhs, 1 / (math_ops.conj(spectrum) if adjoint else spectrum))

    def _to_dense(self):
        size = self.domain_dimension_tensor()
        identity = linalg_ops.matrix_diag(array_ops.ones(array_ops.reshape(size, [1]), self._dtype))
        identity.set_shape([self.shape[-1], self.shape[-1]])
        return self._by_spectrum(identity, self._complex_spectrum())

    def _flat_spectrum(self):
        return array_ops.reshape(self._spectrum, self.shape_tensor()[:-1])

    def _determinant(self):
        return math_ops.cast(math_ops.reduce_prod(self._flat_spectrum(), axis=-1), self._dtype)

    def _log_abs_determinant(self):
        return math_ops.cast(math_ops.reduce_sum(math_ops.log(math_ops.abs(self._flat_spectrum())), axis=-1), self._dtype)

    def _diag_part(self):
        mean = math_ops.reduce_mean(self._flat_spectrum(), axis=-1, keepdims=True)
        return array_ops.broadcast_to(math_ops.cast(mean, self._dtype), self.shape_tensor()[:-1])

    def _trace(self):
        return math_ops.cast(math_ops.reduce_sum(self._flat_spectrum(), axis=-1), self._dtype)

    def _eigvals(self):
        return self._flat_spectrum()

    def _cond(self):
        sizes = math_ops.abs(self._flat_spectrum())
        return math_ops.cast(math_ops.reduce_max(sizes, axis=-1) / math_ops.reduce_min(sizes, axis=-1), self._dtype)

    def _like(self, spectrum, **hints):
        return type(self)(spectrum, self._dtype, **{**dict(is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
                                                           is_positive_definite=self.is_positive_definite), **hints})

    def _adjoint(self):
        return self._like(math_ops.conj(self._spectrum))

    def _inverse(self):
        return self._like(1 / self._spectrum, is_non_singular=True)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """What the first column of blocks is: the inverse transform of the spectrum."""
        with self._scope(name):
            return math_ops.cast(self._transformed(self._complex_spectrum(), -1), self._dtype)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        with self._scope(name):
            return check_ops.assert_positive(math_ops.abs(self._spectrum), message="Singular operator: spectrum has zeros.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        with self._scope(name):
            return check_ops.assert_positive(math_ops.real(self._spectrum), message="Not positive definite:  Real part of spectrum was not all positive.")


class LinearOperatorCirculant(_Circulant):
    """Circulant matrices: each row is the one before, moved by one. By their eigenvalues, [..., n]."""


class LinearOperatorCirculant2D(_Circulant):
    """Block circulant matrices: eigenvalues [..., n1, n2], of matrices [n1 n2, n1 n2]."""

    _depth = 2


class LinearOperatorCirculant3D(_Circulant):
    """Block circulant matrices of blocks of blocks: eigenvalues [..., n1, n2, n3]."""

    _depth = 3
