"""What fewer programs ask of ragged tensors: rows of one length, dimensions that become one, other types of where rows begin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from troupe import array_ops, check_ops, dtypes, math_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.ragged_tensor import RaggedTensor
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


class MoreRows:
    """The part of RaggedTensor that is here."""

    uniform_row_length: Tensor | None = None    # Of all rows, where from_uniform_row_length made them.

    @classmethod
    def from_uniform_row_length(cls, values: TensorLike | RaggedTensor, uniform_row_length: TensorLike, nrows: TensorLike | None = None,
                                validate: bool = True, name: str | None = None) -> RaggedTensor:
        """Rows of one length, which its shape knows where it is a constant: as many as `values` fill, or `nrows`, which rows of no elements need.
        ValueError for a negative length, or one that is no scalar; InvalidArgumentError where rows do not fill up with `values`, from the step unless all is constant."""
        from troupe import ragged_tensor

        with stacks.get_default_graph().name_scope(name or "RaggedFromUniformRowLength"):
            kept = ragged_tensor._values(values)
            length = ragged_tensor._splits(uniform_row_length)
            length.shape.assert_has_rank(0)
            known = constant_value(length)
            if known is not None and known < 0:
                raise ValueError(f"Argument `uniform_row_length` must not be negative. Received {known}.")
            size = array_ops.shape(kept.row_splits if isinstance(kept, ragged_tensor.RaggedTensor) else kept, out_type=length.dtype)[0]
            static = kept.shape.as_list()[0] if kept.shape.rank else None
            if isinstance(kept, ragged_tensor.RaggedTensor):
                size = size - 1
            if static is not None:
                size = array_ops.constant(static, length.dtype)
            rows = _rows_of(size, length, known, static) if nrows is None else math_ops.cast(convert_to_tensor(nrows), length.dtype)
            splits = math_ops.range(rows + 1) * length
            if validate:
                splits = ragged_tensor._with_conditions(splits, [
                    check_ops.assert_equal(rows * length, size, message="Arguments to from_uniform_row_length do not form a valid RaggedTensor"),
                    check_ops.assert_non_negative(length, message="`uniform_row_length` must not be negative")])
            count = constant_value(rows)
            splits.set_shape([None if count is None else int(count) + 1])
            made = ragged_tensor.RaggedTensor(kept, splits)
            made.uniform_row_length = length
            return made

    @classmethod
    def from_nested_value_rowids(cls, flat_values: TensorLike | RaggedTensor, nested_value_rowids: Sequence[TensorLike],
                                 nested_nrows: Sequence[TensorLike] | None = None, name: str | None = None,
                                 validate: bool = True) -> RaggedTensor | Any:
        """See from_value_rowids; the outermost first; the values themselves where there are none. ValueError for another number of `nested_nrows`."""
        from troupe.ragged_tensor import RaggedTensor

        ids = list(nested_value_rowids)
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(ids):
            raise ValueError("Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                             f"len(nested_nrows) = {len(counts)} vs. len(nested_values_rowids) = {len(ids)}.")
        made = flat_values
        with stacks.get_default_graph().name_scope(name or "RaggedFromNestedValueRowIds"):
            for rows, count in zip(reversed(ids), reversed(counts)):
                made = RaggedTensor.from_value_rowids(made, rows, count, validate=validate)
        return made

    def merge_dims(self, outer_axis: int, inner_axis: int) -> RaggedTensor | Tensor:
        """The elements with the dimensions from one axis to the other as one: a tensor, where no other is ragged. ValueError for axes that it has not,
        and when the inner one is before the outer."""
        own = cast("RaggedTensor", self)
        outer, inner = (_axis(own, a, name) for a, name in ((outer_axis, "outer_axis"), (inner_axis, "inner_axis")))
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis}).")
        with stacks.get_default_graph().name_scope("RaggedMergeDims"):
            return _merged(own, outer, inner)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same with another type of where rows begin. ValueError unless it is int32 or int64."""
        own, wanted = cast("RaggedTensor", self), dtypes.as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {wanted}.")
        if own.row_splits.dtype == wanted:
            return own
        inner = own.values.with_row_splits_dtype(wanted) if isinstance(own.values, MoreRows) else own.values
        made = type(own)(inner, math_ops.cast(own.row_splits, wanted))
        made.uniform_row_length = None if self.uniform_row_length is None else math_ops.cast(self.uniform_row_length, wanted)
        return made


def _rows_of(size, length, known, static):
    """How many rows of a length elements fill: none where the length is 0."""
    if known is not None and static is not None:
        return array_ops.constant(0 if known == 0 else static // int(known), length.dtype)
    return math_ops.floordiv(size, math_ops.maximum(length, array_ops.constant(1, length.dtype)))


def _axis(ragged, axis, name):
    rank = ragged.shape.rank
    if axis < 0 and rank is None:
        raise ValueError(f"{name}={axis} may only be negative if its rank is statically known.")
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis + rank if axis < 0 else axis


def _merged(value, outer, inner):
    if outer == inner:
        return value
    if not isinstance(value, MoreRows):
        shape = array_ops.shape(value)
        made = array_ops.reshape(value, array_ops.concat([shape[:outer], [-1], shape[inner + 1:]], 0))
        dims = value.shape.as_list()
        together = dims[outer:inner + 1]
        merged = None if None in together else math.prod(together)
        made.set_shape([*dims[:outer], merged, *dims[inner + 1:]])
        return made
    own = cast("RaggedTensor", value)
    if outer == 0:
        return own.values if inner == 1 else _merged(own.values, 0, inner - 1)
    if outer > 1:
        return own.with_values(_merged(own.values, outer - 1, inner - 1))
    rest = own.values
    if not isinstance(rest, MoreRows):      # Its second dimension is as long for each.
        width = array_ops.shape(rest, out_type=own.row_splits.dtype)[1]
        joined = type(own)(_merged(rest, 0, 1), own.row_splits * width)
    else:
        nested = cast("RaggedTensor", rest)
        joined = type(own)(nested.values, array_ops.gather(nested.row_splits, own.row_splits))
    return joined if inner == 2 else _merged(joined, 1, inner - 1)
