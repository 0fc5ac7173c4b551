"""Linear operators of blocks, each an operator itself."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from troupe import array_ops
from troupe.linear_operator import LinearOperator, adjoint_of
from troupe.linear_operator_compositions import common_batch, common_batch_tensor, common_dtype, hint_of_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape


class _Blocks(LinearOperator):
    """Whose matrices are blocks of those of several operators. Vectors and matrices may come and go in the parts that belong to the blocks."""

    def _rows(self):
        """The operators of each row of blocks."""
        raise NotImplementedError

    def _diagonal(self):
        return [row[-1] for row in self._rows()]

    def _sizes(self, adjoint):
        """Of the parts that a product takes."""
        return [(o.range_dimension, o.range_dimension_tensor) if adjoint else (o.domain_dimension, o.domain_dimension_tensor) for o in self._diagonal()]

    def _shape(self):
        ends = []
        for sizes in ([o.range_dimension.value for o in self._diagonal()], [o.domain_dimension.value for o in self._diagonal()]):
            ends.append(None if None in sizes else sum(sizes))
        return common_batch([o for row in self._rows() for o in row]).concatenate(ends)

    def _shape_tensor(self):
        ends = [functools.reduce(lambda a, b: a + b, [o.shape_tensor()[at] for o in self._diagonal()]) for at in (-2, -1)]
        return array_ops.concat([common_batch_tensor([o for row in self._rows() for o in row]), array_ops.stack(ends)], 0)

    def _split(self, x, adjoint):
        sizes = [size.value if size.value is not None else tensor() for size, tensor in self._sizes(adjoint)]
        return array_ops.split(x, sizes, axis=-2)

    def _parted(self, function, x, adjoint, adjoint_arg, *args):
        x = adjoint_of(x) if adjoint_arg else x
        return array_ops.concat(function(self._split(x, adjoint), adjoint, *args), -2)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._parted(self._multiplied, x, adjoint, adjoint_arg)

    def _multiplied(self, parts, adjoint):
        rows = self._rows()
        if not adjoint:
            return [functools.reduce(lambda a, b: a + b, [o.matmul(p) for o, p in zip(row, parts)]) for row in rows]
        made = []
        for i in range(len(rows)):
            made.append(functools.reduce(lambda a, b: a + b, [row[i].matmul(p, adjoint=True) for row, p in zip(rows[i:], parts[i:])]))
        return made

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if not all(o.is_square for o in self._diagonal()):
            return super()._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return self._parted(self._solved, rhs, not adjoint, adjoint_arg)

    def _solved(self, parts, not_adjoint):
        """Forwards, or backwards for the adjoint."""
        rows, made = self._rows(), {}
        order = range(len(rows)) if not_adjoint else reversed(range(len(rows)))
        for i in order:
            rest = parts[i]
            for j in range(i) if not_adjoint else range(i + 1, len(rows)):
                rest = rest - (rows[i][j].matmul(made[j]) if not_adjoint else rows[j][i].matmul(made[j], adjoint=True))
            made[i] = rows[i][i].solve(rest, adjoint=not not_adjoint)
        return [made[i] for i in range(len(rows))]

    def _to_dense(self):
        rows, diagonal, made = self._rows(), self._diagonal(), []
        batch = self.batch_shape_tensor()
        for i, row in enumerate(rows):
            parts = []
            for j, below in enumerate(diagonal):
                if j < len(row):
                    block = row[j].to_dense()
                    parts.append(array_ops.broadcast_to(block, array_ops.concat([batch, array_ops.shape(block)[-2:]], 0)))
                else:
                    size = array_ops.stack([diagonal[i].range_dimension_tensor(), below.domain_dimension_tensor()])
                    parts.append(array_ops.zeros(array_ops.concat([batch, size], 0), self._dtype))
            made.append(array_ops.concat(parts, -1))
        whole = array_ops.concat(made, -2)
        whole.set_shape(self.shape)
        return whole

    def _determinant(self):
        if not all(o.is_square for o in self._diagonal()):
            return super()._determinant()
        return functools.reduce(lambda a, b: a * b, [o.determinant() for o in self._diagonal()])

    def _log_abs_determinant(self):
        if not all(o.is_square for o in self._diagonal()):
            return super()._log_abs_determinant()
        return functools.reduce(lambda a, b: a + b, [o.log_abs_determinant() for o in self._diagonal()])


class LinearOperatorBlockDiag(_Blocks):
    """Operators on the diagonal, zeros elsewhere."""

    def __init__(self, operators: Iterable[LinearOperator], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None) -> None:
        self._operators = list(operators)
        if not self._operators:
            raise ValueError("Expected a non-empty list of operators. Found: []")
        hints = [hint_of_all(self._operators, hint, given) for hint, given in (
            ("is_non_singular", is_non_singular), ("is_self_adjoint", is_self_adjoint), ("is_positive_definite", is_positive_definite),
            ("is_square", is_square))]
        super().__init__(common_dtype(self._operators), None, *hints, name or "_ds_".join(o.name for o in self._operators))

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _diagonal(self):
        return self._operators

    def _rows(self):
        return [[o] for o in self._operators]

    def _multiplied(self, parts, adjoint):
        return [o.matmul(p, adjoint=adjoint) for o, p in zip(self._operators, parts)]

    def _solved(self, parts, not_adjoint):
        return [o.solve(p, adjoint=not not_adjoint) for o, p in zip(self._operators, parts)]

    def _to_dense(self):
        return _padded_diagonal(self._operators, self.batch_shape_tensor(), self.shape)

    def _diag_part(self):
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        batch = self.batch_shape_tensor()
        parts = [o.diag_part() for o in self._operators]
        return array_ops.concat([array_ops.broadcast_to(p, array_ops.concat([batch, array_ops.shape(p)[-1:]], 0)) for p in parts], -1)

    def _eigvals(self):
        batch = self.batch_shape_tensor()
        parts = [o.eigvals() for o in self._operators]
        return array_ops.concat([array_ops.broadcast_to(p, array_ops.concat([batch, array_ops.shape(p)[-1:]], 0)) for p in parts], -1)

    def _adjoint(self):
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], is_non_singular=self.is_non_singular, is_square=self.is_square)

    def _inverse(self):
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators], is_non_singular=True, is_self_adjoint=self.is_self_adjoint,
                                       is_positive_definite=self.is_positive_definite, is_square=True)

    def _cholesky(self):
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators], is_non_singular=True, is_square=True)


def _padded_diagonal(operators: Sequence[LinearOperator], batch: Tensor, shape: TensorShape) -> Tensor:
    """The blocks, each between zeros."""
    rows = []
    for i, o in enumerate(operators):
        block = o.to_dense()
        block = array_ops.broadcast_to(block, array_ops.concat([batch, array_ops.shape(block)[-2:]], 0))
        height = o.range_dimension_tensor()
        zeros = [array_ops.zeros(array_ops.concat([batch, array_ops.stack([height, p.domain_dimension_tensor()])], 0), o.dtype) for p in operators]
        rows.append(array_ops.concat([*zeros[:i], block, *zeros[i + 1:]], -1))
    made = array_ops.concat(rows, -2)
    made.set_shape(shape)
    return made


class LinearOperatorBlockLowerTriangular(_Blocks):
    """Rows of operators: the first of one, the second of two, ...; zeros above."""

    def __init__(self, operators: Iterable[Iterable[LinearOperator]], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
                 is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorBlockLowerTriangular") -> None:
        self._operators = [list(row) for row in operators]
        for i, row in enumerate(self._operators, 1):
            if len(row) != i:
                raise ValueError(f"Argument `operators[{i - 1}]` must contain `{i}` blocks. Received: {len(row)} blocks.")
        if not self._operators:
            raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
        diagonal = [row[-1] for row in self._operators]
        hints: list[Any] = [hint_of_all(diagonal, "is_non_singular", is_non_singular), is_self_adjoint, is_positive_definite, hint_of_all(diagonal, "is_square", is_square)]
        super().__init__(common_dtype([o for row in self._operators for o in row]), None, *hints, name)

    @property
    def operators(self) -> list[list[LinearOperator]]:
        return self._operators

    def _rows(self):
        return self._operators
