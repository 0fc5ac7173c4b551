"""Layers of convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, initializers, nn_conv, op_call
from troupe.layer import Layer, named_function, named_initializer
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Activation, Constraint, Initializer, Regularizer, ShapeLike


def sizes(value: int | Iterable[int], n: int, name: str) -> tuple[int, ...]:
    """One number for each of n dimensions. ValueError for another number of them."""
    found = tuple(int(v) for v in value) if hasattr(value, "__iter__") else (int(value),) * n
    if len(found) != n:
        raise ValueError(f"The `{name}` argument must be a tuple of {n} integers. Received: {value}")
    return found


def channels_first(data_format: str) -> bool:
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". Received: ' + str(data_format))
    return data_format == "channels_first"


def windowed(length: int | None, window: int, padding: str, stride: int, dilation: int = 1) -> int | None:
    """How many windows there are along a dimension."""
    if length is None:
        return None
    return -(-(length if padding == "same" else length - (window - 1) * dilation) // stride)


def of_places(input_shape: ShapeLike, rank: int, first: bool, channels: int | None, of_place: Callable[[int, int | None], int | None]) -> TensorShape:
    """The shape whose places are functions of (which, length) of those of another. Channels are the same for None."""
    shape = as_shape(input_shape).with_rank(rank + 2).as_list()
    places = [of_place(i, d) for i, d in enumerate(shape[2:] if first else shape[1:-1])]
    last = (shape[1] if first else shape[-1]) if channels is None else channels
    return TensorShape([shape[0], last, *places] if first else [shape[0], *places, last])


def _checked_padding(padding: str) -> str:
    if padding.lower() not in ("valid", "same"):
        raise ValueError(f'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). Received: {padding}')
    return padding.lower()


class _Conv(Layer):
    """What all have: sizes, a kernel and a bias."""

    rank = 2

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1, padding: str = "valid",
                 data_format: str = "channels_last", dilation_rate: int | Sequence[int] = 1, activation: Activation | None = None,
                 use_bias: bool = True, kernel_initializer: Initializer = None, bias_initializer: Initializer = initializers.Zeros(),
                 kernel_regularizer: Regularizer | None = None, bias_regularizer: Regularizer | None = None,
                 activity_regularizer: Regularizer | None = None, kernel_constraint: Constraint | None = None,
                 bias_constraint: Constraint | None = None, trainable: bool = True, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.exact_ndim = self.rank + 2
        self.filters, self.kernel_size = filters, sizes(kernel_size, self.rank, "kernel_size")
        self.strides, self.dilation_rate = sizes(strides, self.rank, "strides"), sizes(dilation_rate, self.rank, "dilation_rate")
        self.padding, self.data_format, self._first = _checked_padding(padding), data_format, channels_first(data_format)
        self.activation, self.use_bias = named_function(activation), use_bias
        self.kernel_initializer, self.bias_initializer = named_initializer(kernel_initializer), named_initializer(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel = self.bias = None

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return of_places(input_shape, self.rank, self._first, self.filters, lambda i, length: windowed(
            length, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]))

    @property
    def _format(self) -> str:
        return {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[self.rank][self._first]

    def _channels(self, input_shape: TensorShape) -> int:
        channels = input_shape.as_list()[1 if self._first else -1]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        return channels

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def build(self, input_shape: TensorShape) -> None:
        self.kernel = self.add_weight("kernel", self._kernel_shape(self._channels(input_shape)), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self._build_bias()
        self.built = True

    def _build_bias(self):
        if self.use_bias:
            self.bias = self.add_weight("bias", [self.filters], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                        constraint=self.bias_constraint)

    def call(self, inputs: Tensor) -> Tensor:
        name = "conv1d" if self.rank == 1 else f"Conv{self.rank}D"
        return self._finished(nn_conv.convolution(inputs, self.kernel, self.padding.upper(), self.strides, self.dilation_rate, name, self._format))

    def _finished(self, outputs):
        """With bias and activation."""
        if self.use_bias:
            if self._first and self.rank == 1:
                outputs = outputs + array_ops.reshape(self.bias, [1, self.filters, 1])
            else:
                outputs = op_call.call("BiasAdd", None, value=outputs, bias=self.bias, data_format="NCHW" if self._first else "NHWC")
        return outputs if self.activation is None else self.activation(outputs)


class Conv1D(_Conv):
    """[batch, width, channels] to [batch, width, filters]. Variables kernel and bias."""

    rank = 1


class Conv2D(_Conv):
    """[batch, height, width, channels] to [batch, height, width, filters]. Variables kernel and bias."""


class Conv3D(_Conv):
    """[batch, depth, height, width, channels] to [batch, depth, height, width, filters]. Variables kernel and bias."""

    rank = 3


class _ConvTranspose(_Conv):
    """What makes images larger: by `strides`."""

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1, padding: str = "valid",
                 data_format: str = "channels_last", activation: Activation | None = None, use_bias: bool = True,
                 kernel_initializer: Initializer = None, bias_initializer: Initializer = initializers.Zeros(),
                 kernel_regularizer: Regularizer | None = None, bias_regularizer: Regularizer | None = None,
                 activity_regularizer: Regularizer | None = None, kernel_constraint: Constraint | None = None,
                 bias_constraint: Constraint | None = None, trainable: bool = True, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)

    def _kernel_shape(self, channels):
        return [*self.kernel_size, self.filters, channels]

    def call(self, inputs: Tensor) -> Tensor:
        known, asked = inputs.shape.as_list(), array_ops.shape(inputs)
        begin = 2 if self._first else 1
        spatial = [known[begin + i] if known[begin + i] is not None else asked[begin + i] for i in range(self.rank)]
        larger = [self._length(d, k, s) for d, k, s in zip(spatial, self.kernel_size, self.strides)]
        shape = [asked[0], self.filters, *larger] if self._first else [asked[0], *larger, self.filters]
        function = nn_conv.conv2d_transpose if self.rank == 2 else nn_conv.conv3d_transpose
        made = function(inputs, self.kernel, array_ops.stack(shape), self.strides, self.padding.upper(), self._format)
        made.set_shape([known[0], *[d if isinstance(d, int) else None for d in shape[1:]]])
        return self._finished(made)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return of_places(input_shape, self.rank, self._first, self.filters, lambda i, length: None if length is None else self._length(
            length, self.kernel_size[i], self.strides[i]))

    def _length(self, length, kernel: int, stride: int):
        return length * stride + (max(kernel - stride, 0) if self.padding == "valid" else 0)


class Conv2DTranspose(_ConvTranspose):
    """[batch, height, width, channels] to [batch, height * stride, width * stride, filters]. Variables kernel and bias."""


class Conv3DTranspose(_ConvTranspose):
    """The same of three dimensions. Variables kernel and bias."""

    rank = 3


class _SeparableConv(_Conv):
    """Each channel by itself, then all of each point. Variables depthwise_kernel, pointwise_kernel and bias."""

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1, padding: str = "valid",
                 data_format: str = "channels_last", dilation_rate: int | Sequence[int] = 1, depth_multiplier: int = 1,
                 activation: Activation | None = None, use_bias: bool = True, depthwise_initializer: Initializer = None,
                 pointwise_initializer: Initializer = None, bias_initializer: Initializer = initializers.Zeros(),
                 depthwise_regularizer: Regularizer | None = None, pointwise_regularizer: Regularizer | None = None,
                 bias_regularizer: Regularizer | None = None, activity_regularizer: Regularizer | None = None,
                 depthwise_constraint: Constraint | None = None, pointwise_constraint: Constraint | None = None,
                 bias_constraint: Constraint | None = None, trainable: bool = True, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, None, bias_initializer, None,
                         bias_regularizer, activity_regularizer, None, bias_constraint, trainable, name, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._depthwise = (named_initializer(depthwise_initializer), depthwise_regularizer, depthwise_constraint)
        self._pointwise = (named_initializer(pointwise_initializer), pointwise_regularizer, pointwise_constraint)
        self.depthwise_kernel = self.pointwise_kernel = None

    def build(self, input_shape: TensorShape) -> None:
        channels = self._channels(input_shape)
        initializer, regularizer, constraint = self._depthwise
        self.depthwise_kernel = self.add_weight("depthwise_kernel", [*self.kernel_size, channels, self.depth_multiplier],
                                                initializer=initializer, regularizer=regularizer, constraint=constraint)
        initializer, regularizer, constraint = self._pointwise
        self.pointwise_kernel = self.add_weight("pointwise_kernel", [1] * self.rank + [self.depth_multiplier * channels, self.filters],
                                                initializer=initializer, regularizer=regularizer, constraint=constraint)
        self._build_bias()
        self.built = True

    def _convolve(self, inputs, depthwise, pointwise, strides, rates):
        first = self._first
        return nn_conv.separable_conv2d(inputs, depthwise, pointwise, [1, 1, *strides] if first else [1, *strides, 1], self.padding.upper(), rates,
                                        data_format="NCHW" if first else "NHWC")


class SeparableConv2D(_SeparableConv):
    """[batch, height, width, channels] to [batch, height, width, filters]."""

    def call(self, inputs: Tensor) -> Tensor:
        return self._finished(self._convolve(inputs, self.depthwise_kernel, self.pointwise_kernel, self.strides, self.dilation_rate))


class SeparableConv1D(_SeparableConv):
    """[batch, width, channels] to [batch, width, filters]."""

    rank = 1

    def call(self, inputs: Tensor) -> Tensor:
        dim = 2 if self._first else 1
        images = array_ops.expand_dims(inputs, dim)
        depthwise, pointwise = array_ops.expand_dims(self.depthwise_kernel, 0), array_ops.expand_dims(self.pointwise_kernel, 0)
        made = self._convolve(images, depthwise, pointwise, self.strides * 2, (1, *self.dilation_rate))
        return self._finished(array_ops.squeeze(made, [dim]))
