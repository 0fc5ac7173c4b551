"""What a layer demands of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeLike


class InputSpec:
    """A type, a shape (None: any size), a rank or bounds of it, and sizes of axes ({axis: size}); what is None may be anything."""

    def __init__(self, dtype: DTypeLike | None = None, shape: ShapeLike = None, ndim: int | None = None, max_ndim: int | None = None,
                 min_ndim: int | None = None, axes: Mapping[int, int | None] | None = None) -> None:
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(TensorShape(shape).as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        if not all(isinstance(axis, (int, np.integer)) for axis in axes or ()):
            raise TypeError("The keys in axes must be integers.")
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        known = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and known is not None and max(self.axes) > known - 1:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {known - 1}")

    def __repr__(self) -> str:
        said = {name: getattr(self, name) for name in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")}
        return f"InputSpec({', '.join(f'{name}={value}' for name, value in said.items() if value)})"

    def check(self, inputs: Tensor, index: int, layer_name: str) -> None:
        """ValueError where a layer's input is not so."""
        for fine, message in self._demands(inputs, inputs.shape.rank):
            if not fine:
                raise ValueError(f"Input {index} of layer {layer_name} is incompatible with the layer: {message}")

    def _demands(self, inputs, rank):
        """(whether it is met, what to say if not) of each demand; later ones may be asked only when the earlier ones are met."""
        if (self.ndim, self.max_ndim, self.min_ndim) != (None, None, None):
            yield rank is not None, "its rank is undefined, but the layer requires a defined rank."
        full = f"Full shape received: {inputs.shape if rank is None else tuple(inputs.shape.as_list())}"
        if self.ndim is not None:
            yield rank == self.ndim, f"expected ndim={self.ndim}, found ndim={rank}. {full}"
        if self.max_ndim is not None:
            yield rank <= self.max_ndim, f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None:
            yield rank >= self.min_ndim, f": expected min_ndim={self.min_ndim}, found ndim={rank}. {full}"
        if self.dtype is not None:
            yield inputs.dtype.base_dtype.name == self.dtype, f"expected dtype={self.dtype}, found dtype={inputs.dtype.base_dtype.name}"
        sizes = inputs.shape.as_list() if rank is not None else []
        for axis, size in self.axes.items() if sizes else ():
            fits = -len(sizes) <= axis < len(sizes) and sizes[axis] in (size, None)
            yield size is None or fits, f"expected axis {axis} of input shape to have value {size} but received input with shape {sizes}"
        for wanted, size in zip(self.shape or (), sizes):
            yield None in (wanted, size) or wanted == size, f"expected shape={self.shape}, found shape={sizes}"
