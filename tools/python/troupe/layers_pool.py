"""Layers of pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, nn_pool
from troupe.layer import Layer
from troupe.layers_conv import channels_first, of_places, sizes, windowed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.tensor_shape import TensorShape
    from troupe.typing import ShapeLike


class _Pooling(Layer):
    """One value of each window of `pool_size`."""

    rank = 2
    function = None

    def __init__(self, pool_size: int | Sequence[int], strides: int | Sequence[int], padding: str = "valid", data_format: str = "channels_last",
                 name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.exact_ndim = self.rank + 2
        self.pool_size = sizes(pool_size, self.rank, "pool_size")
        self.strides = sizes(pool_size if strides is None else strides, self.rank, "strides")
        self.padding, self.data_format, self._first = padding, data_format, channels_first(data_format)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return of_places(input_shape, self.rank, self._first, None, lambda i, length: windowed(
            length, self.pool_size[i], self.padding, self.strides[i]))

    def call(self, inputs: Tensor) -> Tensor:
        formats = {1: ("NHWC", "NCHW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[self.rank]
        if self.rank > 1:
            return type(self).function(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), formats[self._first])
        # An image of width 1, as in TensorFlow's layer.
        images = array_ops.expand_dims(inputs, 3 if self._first else 2)
        made = type(self).function(images, [*self.pool_size, 1], [*self.strides, 1], self.padding.upper(), formats[self._first])
        return array_ops.squeeze(made, [3 if self._first else 2])


class MaxPooling1D(_Pooling):
    """[batch, width, channels]: the greatest of each window."""

    rank, function = 1, staticmethod(nn_pool.max_pool)


class MaxPooling2D(_Pooling):
    """[batch, height, width, channels]: the greatest of each window."""

    function = staticmethod(nn_pool.max_pool)


class MaxPooling3D(_Pooling):
    """[batch, depth, height, width, channels]: the greatest of each window."""

    rank, function = 3, staticmethod(nn_pool.max_pool3d)


class AveragePooling1D(_Pooling):
    """[batch, width, channels]: the mean of each window."""

    rank, function = 1, staticmethod(nn_pool.avg_pool)


class AveragePooling2D(_Pooling):
    """[batch, height, width, channels]: the mean of each window."""

    function = staticmethod(nn_pool.avg_pool)


class AveragePooling3D(_Pooling):
    """[batch, depth, height, width, channels]: the mean of each window."""

    rank, function = 3, staticmethod(nn_pool.avg_pool3d)
