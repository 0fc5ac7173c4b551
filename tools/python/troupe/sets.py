"""Sets: rows of the last dimension, dense ones with doubles or sparse ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def _parts(value, number):
    return {f"set{number}_indices": value.indices, f"set{number}_values": value.values, f"set{number}_shape": value.dense_shape}


def _operation(a, b, operation, validate_indices):
    sparse = isinstance(a, SparseTensor), isinstance(b, SparseTensor)
    if sparse == (True, False):
        # The op takes the dense set first.
        operation = {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
        a, b, sparse = b, a, (False, True)
    if sparse == (True, True):
        kind, arguments = "SparseToSparseSetOperation", {**_parts(a, 1), **_parts(b, 2)}
    elif sparse == (False, True):
        kind, arguments = "DenseToSparseSetOperation", {"set1": convert_to_tensor(a), **_parts(b, 2)}
    else:
        kind, arguments = "DenseToDenseSetOperation", {"set1": convert_to_tensor(a), "set2": convert_to_tensor(b)}
    return SparseTensor(*op_call.call(kind, None, set_operation=operation, validate_indices=validate_indices, **arguments))


def intersection(a: TensorLike | SparseTensor, b: TensorLike | SparseTensor, validate_indices: bool = True) -> SparseTensor:
    """What both have, as a SparseTensor."""
    return _operation(a, b, "intersection", validate_indices)


def union(a: TensorLike | SparseTensor, b: TensorLike | SparseTensor, validate_indices: bool = True) -> SparseTensor:
    """What one of them has, as a SparseTensor."""
    return _operation(a, b, "union", validate_indices)


def difference(a: TensorLike | SparseTensor, b: TensorLike | SparseTensor, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What the first has and the second has not, as a SparseTensor; the other way round without `aminusb`."""
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """How many elements each row of a SparseTensor has, doubles once."""
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.values.dtype.is_floating or a.values.dtype.name == "bool":
        raise TypeError(f"Type {a.values.dtype.name} of set elements")
    return op_call.call("SetSize", None, set_indices=a.indices, set_values=a.values, set_shape=a.dense_shape, validate_indices=validate_indices)


set_difference, set_intersection, set_size, set_union = difference, intersection, size, union
