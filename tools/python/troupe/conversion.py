"""How values become tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.composite import IndexedSlices, SparseTensor
    from troupe.typing import DTypeLike

# (priority, order, types, function); the first that knows the type and does not decline converts.
_conversions = []
_CONSTANT_TYPES = (int, float, complex, str, bytes, bool, np.ndarray, np.generic)


def register_tensor_conversion_function(base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100) -> None:
    """`conversion_func(value, dtype=, name=, as_ref=)` converts values of these types, lower priorities first. It may decline with
    NotImplemented. TypeError for types that are constants."""
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(t, _CONSTANT_TYPES) for t in types):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _conversions.append((priority, len(_conversions), types, conversion_func))
    _conversions.sort(key=lambda c: c[:2])


def convert_to_tensor(value: Any, dtype: DTypeLike | None = None, name: str | None = None, preferred_dtype: DTypeLike | None = None,
                      dtype_hint: DTypeLike | None = None, as_ref: bool = False) -> Tensor:
    """`value` as a tensor. TypeError or ValueError when it is none, or not of `dtype`."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            prefix = f"{name}: " if name else ""
            raise ValueError(f"{prefix}Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: {value!r}")
        return value
    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    for _, _, types, function in _conversions:
        if not isinstance(value, types):
            continue
        made = NotImplemented
        if dtype is None and preferred is not None:
            try:
                made = function(value, dtype=dtypes.as_dtype(preferred), name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                made = NotImplemented
        if made is NotImplemented:
            made = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if made is NotImplemented:
            continue
        if not isinstance(made, Tensor):
            raise RuntimeError(f"Conversion function {function!r} for type {types} returned non-Tensor: {made!r}")
        if dtype is not None and not dtype.is_compatible_with(made.dtype):
            raise RuntimeError(f"Conversion function {function} for type {types} returned incompatible dtype: requested = "
                               f"{dtype.name}, actual = {made.dtype.name}")
        return made
    from troupe import constant_op

    hint = None if dtype is not None or preferred is None else dtypes.as_dtype(preferred)
    if hint is not None:
        try:
            return constant_op.constant(value, hint, name=name or "Const")
        except (TypeError, ValueError):
            pass
    return constant_op.constant(value, dtype, name=name or "Const")


def convert_n_to_tensor(values: Sequence[Any], dtype: DTypeLike | None = None, name: str | None = None,
                        preferred_dtype: DTypeLike | None = None) -> list[Tensor]:
    """Each of them; `name` gets their numbers."""
    return [convert_to_tensor(v, dtype, None if name is None else f"{name}_{i}", preferred_dtype) for i, v in enumerate(values)]


def convert_to_tensor_or_indexed_slices(value: Any, dtype: DTypeLike | None = None,
                                        name: str | None = None) -> Tensor | IndexedSlices | SparseTensor:
    from troupe.composite import IndexedSlices, SparseTensor

    return value if isinstance(value, (IndexedSlices, SparseTensor)) else convert_to_tensor(value, dtype, name)
