"""x[1, ::2, ..., tf.newaxis] as StridedSlice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call, tensor_shape
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.variables import Variable

newaxis = None


def _checked(index):
    """The index; the tensor of a variable."""
    if isinstance(index, (Tensor, tensor_shape.Dimension)):
        return index
    if hasattr(index, "_as_graph_element"):
        return convert_to_tensor(index)
    if isinstance(index, (bool, np.bool_)) or not hasattr(index, "__index__") and not isinstance(index, np.ndarray):
        raise TypeError("Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
                        f"indices, got {index!r}")
    return index


class _Bounds:
    """Begin, end and stride of each dimension, and which of them count."""

    def __init__(self):
        self.begin, self.end, self.strides = [], [], []
        self.masks = dict.fromkeys(("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask"), 0)

    def add(self, begin, end, stride=1):
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def mark(self, mask):
        self.masks[mask] |= 1 << len(self.begin)

    def add_slice(self, s):
        for bound, mask in ((s.start, "begin_mask"), (s.stop, "end_mask")):
            if bound is None:
                self.mark(mask)
        self.add(*(default if bound is None else _checked(bound) for bound, default in ((s.start, 0), (s.stop, 0), (s.step, 1))))

    def add_key(self, key):
        if isinstance(key, slice):
            self.add_slice(key)
        elif key is Ellipsis:
            self.mark("ellipsis_mask")
            self.add(0, 0)
        elif key is None:
            self.mark("new_axis_mask")
            self.add(0, 0)
        else:
            key = _checked(key)
            self.mark("shrink_axis_mask")
            self.add(key, key + 1)


def bounds_of(key: Any) -> _Bounds:
    bounds = _Bounds()
    for k in key if isinstance(key, (list, tuple)) else (key,):
        bounds.add_key(k)
    return bounds


def _pack(values, like):
    """As one vector: a constant when nothing is a tensor."""
    if not any(isinstance(v, Tensor) for v in values):
        return constant([int(v) for v in values], like, name="stack")
    return op_call.call("Pack", "stack", values=values)



def getitem(tensor: Tensor, key: Any, variable: Variable | None = None) -> Tensor:
    """A part of `tensor`; with `variable`, of its value, which the part can be assigned to."""
    if isinstance(key, Tensor) and key.dtype.base_dtype is dtypes.bool_ or isinstance(key, np.ndarray) and key.dtype == bool:
        from troupe.array_ops import boolean_mask

        return boolean_mask(tensor, key)
    bounds = bounds_of(key)
    with tensor.graph.name_scope("strided_slice") as scope, tensor.graph.as_default():
        begin, end, strides = packed(bounds)
        part = dict(begin=begin, end=end, strides=strides, **bounds.masks)
        made = op_call.call("StridedSlice", scope, input=tensor, **part)
    if variable is not None:
        made.assign = lambda value, name=None: variable._assign_slice(part, value, name or f"{made.op.name}/_assign")
    return made


def packed(bounds: _Bounds) -> list[Tensor]:
    """(begin, end, strides) as tensors of one type."""
    parts = (bounds.begin, bounds.end, bounds.strides)
    wide = any(isinstance(v, Tensor) and v.dtype.base_dtype is dtypes.int64 for p in parts for v in p)
    dtype = dtypes.int64 if wide else dtypes.int32
    return [_pack(p, dtype) for p in parts]
