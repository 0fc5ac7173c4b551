"""Updates of parts of variables, of both kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.variables import Variable

__all__ = ["count_up_to"]


def _update(function_name, op_type, use_locking_default):
    def update(ref, indices, updates, use_locking=use_locking_default, name=None):
        updates = convert_to_tensor(updates, ref.dtype.base_dtype)
        if hasattr(ref, "handle"):
            nd = {"ref": ref.handle} if "Nd" in op_type else {"resource": ref.handle}
            return ref._updated(op_call.call("Resource" + op_type, name, indices=indices, updates=updates, **nd))
        return op_call.call(op_type, name, ref=ref._ref() if hasattr(ref, "_ref") else ref, indices=indices, updates=updates,
                            use_locking=use_locking)

    update.__name__ = update.__qualname__ = function_name
    update.__doc__ = f"The op {op_type}, of the rows (nd: elements) `indices` of a variable; the variable's value afterwards."
    globals()[function_name] = update
    __all__.append(function_name)


for _what in ("update", "add", "sub", "mul", "div", "min", "max"):
    _update("scatter_" + _what, "Scatter" + _what.capitalize(), _what == "update")
for _what in ("update", "add", "sub"):
    _update("scatter_nd_" + _what, "ScatterNd" + _what.capitalize(), _what == "update")


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """A variable's value before one is added to it. OutOfRangeError in a run at `limit`."""
    if hasattr(ref, "handle"):
        return op_call.call("ResourceCountUpTo", name, resource=ref.handle, limit=limit, T=ref.dtype)
    return op_call.call("CountUpTo", name, ref=ref._ref() if hasattr(ref, "_ref") else ref, limit=limit)
