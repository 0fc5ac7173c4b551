"""Convolutions and pooling of one, two and three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from troupe.typing import ShapeOrTensor, TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def one_of(new: Any, new_name: str, old: Any, old_name: str) -> Any:
    """The argument that was given under one of two names. ValueError for both."""
    if new is None:
        return old
    if old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return new


def sequence_for(value: int | Iterable[int] | None, n: int, channels_first: bool, what: str) -> list[int]:
    """A size for each of n + 2 dimensions of one, n, or n + 2 of them. ValueError for other numbers."""
    if value is None:
        return [1] * (n + 2)
    value = [int(v) for v in value] if hasattr(value, "__iter__") else [int(value)]
    if len(value) == n + 2:
        return value
    if len(value) == 1:
        value = value * n
    elif len(value) != n:
        raise ValueError(f"{what} should be of length 1, {n} or {n + 2}. Received: {what}={value} of length {len(value)}")
    return [1, 1, *value] if channels_first else [1, *value, 1]


def _formats(data_format, n: int) -> tuple[bool, str]:
    """(whether channels come first, the format as ops of n spatial dimensions name it). ValueError for other texts."""
    last, first = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[n]
    if data_format not in (None, "", last, first, *(("NHWC", "NCHW") if n == 1 else ())):
        raise ValueError(f"`data_format` must be '{last}' or '{first}'. Received: data_format={data_format}")
    channels_first = bool(data_format) and data_format.startswith("NC")
    if n == 1:
        last, first = "NHWC", "NCHW"
    return channels_first, first if channels_first else last


def padding_attrs(padding: str | Sequence[Sequence[int]] | None) -> dict[str, Any]:
    """Attrs for "SAME", "VALID", or a list of (before, after) for each of four dimensions. ValueError for other lists."""
    if not isinstance(padding, (list, tuple)):
        if padding == "EXPLICIT":
            raise ValueError("'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list.")
        return {"padding": padding}
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. Received: padding={padding} with "
                             f"element at index {i}: {pair}")
    if len(padding) != 4:
        raise ValueError(f"When padding is a list, it must be of size 4. Received: padding={padding} of size {len(padding)}")
    return {"padding": "EXPLICIT", "explicit_paddings": [int(p) for pair in padding for p in pair]}


def conv1d(value: TensorLike | None = None, filters: TensorLike | None = None, stride: int | Sequence[int] | None = None, padding: str | None = None,
           use_cudnn_on_gpu: bool | None = None, data_format: str | None = None, name: str | None = None, input: TensorLike | None = None,
           dilations: int | Sequence[int] | None = None) -> Tensor:
    """[batch, width, channels] with [width, channels, outputs]: a Conv2D of height 1."""
    value = one_of(input, "input", value, "value")
    with _scope(name, "conv1d") as scope:
        first, op_format = _formats(data_format, 1)
        dim = -2 if first else -3
        height_one = lambda sizes, what: [1, *sequence_for(sizes, 1, first, what)] if not first else _with_height(sequence_for(sizes, 1, True, what))
        made = op_call.call("Conv2D", scope, input=array_ops.expand_dims(value, dim), filter=array_ops.expand_dims(filters, 0),
                            strides=height_one(stride, "stride"), **padding_attrs(padding), data_format=op_format,
                            dilations=height_one(dilations, "dilations"))
        return array_ops.squeeze(made, [dim])


def _with_height(sizes: list[int]) -> list[int]:
    return [sizes[0], sizes[1], 1, sizes[2]]


def conv2d(input: TensorLike, filter: TensorLike | None = None, strides: int | Sequence[int] | None = None,
           padding: str | Sequence[Sequence[int]] | None = None, use_cudnn_on_gpu: bool = True, data_format: str | None = "NHWC",
           dilations: int | Sequence[int] | None = (1, 1, 1, 1), name: str | None = None, filters: TensorLike | None = None) -> Tensor:
    """[batch, height, width, channels] with [height, width, channels, outputs]."""
    filter = one_of(filters, "filters", filter, "filter")
    first, op_format = _formats(data_format, 2)
    return op_call.call("Conv2D", name, input=input, filter=filter, strides=sequence_for(strides, 2, first, "strides"), **padding_attrs(padding),
                        use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=op_format, dilations=sequence_for(dilations, 2, first, "dilations"))


def conv3d(input: TensorLike, filter: TensorLike | None = None, strides: int | Sequence[int] | None = None, padding: str | None = None,
           data_format: str | None = "NDHWC", dilations: int | Sequence[int] | None = (1, 1, 1, 1, 1), name: str | None = None,
           filters: TensorLike | None = None) -> Tensor:
    """[batch, depth, height, width, channels] with [depth, height, width, channels, outputs]."""
    filter = one_of(filters, "filters", filter, "filter")
    first, op_format = _formats(data_format, 3)
    return op_call.call("Conv3D", name, input=input, filter=filter, strides=sequence_for(strides, 3, first, "strides"), padding=padding,
                        data_format=op_format, dilations=sequence_for(dilations, 3, first, "dilations"))


def convolution(input: TensorLike, filter: TensorLike | None = None, padding: str | Sequence[Sequence[int]] | None = None,
                strides: int | Sequence[int] | None = None, dilation_rate: int | Sequence[int] | None = None, name: str | None = None,
                data_format: str | None = None, filters: TensorLike | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """The convolution of as many dimensions as the filter has beside channels and outputs. ValueError for others than 1, 2 or 3."""
    filter = one_of(filters, "filters", filter, "filter")
    dilations = one_of(dilations, "dilations", dilation_rate, "dilation_rate")
    with _scope(name, "convolution") as scope:
        input, filter = convert_to_tensor(input, name="input"), convert_to_tensor(filter, name="filters")
        n = filter.shape.rank - 2 if filter.shape.rank is not None else input.shape.rank - 2
        if n not in (1, 2, 3):
            raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={n}.")
        function = {1: conv1d, 2: conv2d, 3: conv3d}[n]
        rates = {} if dilations is None else {"dilations": dilations}
        return function(input, filter, strides, padding or "VALID", data_format=data_format, name=scope, **rates)


def atrous_conv2d(value: TensorLike, filters: TensorLike, rate: int, padding: str | Sequence[Sequence[int]], name: str | None = None) -> Tensor:
    """conv2d whose filter has `rate - 1` gaps between its elements."""
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


def conv2d_transpose(value: TensorLike | None = None, filter: TensorLike | None = None, output_shape: ShapeOrTensor = None,
                     strides: int | Sequence[int] | None = None, padding: str | Sequence[Sequence[int]] = "SAME", data_format: str | None = "NHWC",
                     name: str | None = None, input: TensorLike | None = None, filters: TensorLike | None = None,
                     dilations: int | Sequence[int] | None = None) -> Tensor:
    """What conv2d's gradient does to its input: [batch, height, width, inputs] with [height, width, outputs, inputs]."""
    value, filter = one_of(input, "input", value, "value"), one_of(filters, "filters", filter, "filter")
    with _scope(name, "conv2d_transpose") as scope:
        return _backprop_input("Conv2DBackpropInput", 2, scope, value, filter, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(value: TensorLike | None = None, filter: TensorLike | None = None, output_shape: ShapeOrTensor = None,
                     strides: int | Sequence[int] | None = None, padding: str = "SAME", data_format: str | None = "NDHWC", name: str | None = None,
                     input: TensorLike | None = None, filters: TensorLike | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """The same of three dimensions."""
    value, filter = one_of(input, "input", value, "value"), one_of(filters, "filters", filter, "filter")
    with _scope(name, "conv3d_transpose") as scope:
        return _backprop_input("Conv3DBackpropInputV2", 3, scope, value, filter, output_shape, strides, padding, data_format, dilations)


def _backprop_input(op, n: int, scope, value, filter, output_shape, strides, padding, data_format, dilations) -> Tensor:
    """A transposed convolution of n dimensions is this gradient op."""
    first, op_format = _formats(data_format, n)
    return op_call.call(op, scope, input_sizes=output_shape, filter=filter, out_backprop=value, **padding_attrs(padding), data_format=op_format,
                        strides=sequence_for(strides, n, first, "strides"), dilations=sequence_for(dilations, n, first, "dilations"))


def conv1d_transpose(input: TensorLike, filters: TensorLike, output_shape: ShapeOrTensor, strides: int | Sequence[int], padding: str = "SAME",
                     data_format: str | None = "NWC", dilations: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The same of one dimension."""
    with _scope(name, "conv1d_transpose") as scope:
        first, op_format = _formats(data_format, 1)
        dim = 2 if first else 1
        expand = _with_height if first else lambda sizes: [1, *sizes]
        shape = convert_to_tensor(output_shape)
        made = op_call.call("Conv2DBackpropInput", scope, input_sizes=array_ops.concat([shape[:dim], [1], shape[dim:]], 0),
                            filter=array_ops.expand_dims(filters, 0), out_backprop=array_ops.expand_dims(input, dim),
                            strides=expand(sequence_for(strides, 1, first, "strides")), padding=padding, data_format=op_format,
                            dilations=expand(sequence_for(dilations, 1, first, "dilations")))
        return array_ops.squeeze(made, [dim])


def conv_transpose(input: TensorLike, filters: TensorLike, output_shape: Tensor | np.ndarray | Sequence[Any], strides: int | Sequence[int],
                   padding: str = "SAME", data_format: str | None = None, dilations: int | Sequence[int] | None = None,
                   name: str | None = None) -> Tensor:
    """The one of as many dimensions as `output_shape` says."""
    with _scope(name, "conv_transpose") as scope:
        n = (output_shape.shape.as_list()[0] if isinstance(output_shape, Tensor) else len(output_shape)) - 2
        function = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[n]
        return function(input, filters, output_shape, strides, padding, data_format, dilations=dilations, name=scope)


def depthwise_conv2d(input: TensorLike, filter: TensorLike | None = None, strides: Sequence[int] | None = None,
                     padding: str | Sequence[Sequence[int]] | None = None, rate: int | Sequence[int] | None = None, name: str | None = None,
                     data_format: str | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """Each channel by itself: [height, width, channels, multiplier]."""
    rate = one_of(dilations, "dilations", rate, "rate")
    first, op_format = _formats(data_format, 2)
    with _scope(name, "depthwise") as scope:
        return op_call.call("DepthwiseConv2dNative", scope, input=convert_to_tensor(input, name="tensor_in"),
                            filter=convert_to_tensor(filter, name="filter_in"), strides=list(strides),  # type: ignore[arg-type]
                            **padding_attrs(padding), data_format=op_format,
                            dilations=sequence_for(rate, 2, first, "dilations"))


def depthwise_conv2d_native(input: TensorLike, filter: TensorLike, strides: Sequence[int], padding: str | Sequence[Sequence[int]],
                            data_format: str = "NHWC", dilations: Sequence[int] = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    return op_call.call("DepthwiseConv2dNative", name, input=input, filter=filter, strides=list(strides), **padding_attrs(padding),
                        data_format=data_format, dilations=list(dilations))


def separable_conv2d(input: TensorLike, depthwise_filter: TensorLike, pointwise_filter: TensorLike, strides: Sequence[int],
                     padding: str | Sequence[Sequence[int]], rate: int | Sequence[int] | None = None, name: str | None = None,
                     data_format: str | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """A depthwise convolution, then one of 1 x 1 over all its outputs."""
    rate = one_of(dilations, "dilations", rate, "rate")
    with _scope(name, "separable_conv2d") as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        dims = pointwise_filter.shape.with_rank(4).as_list()
        if dims[0] not in (None, 1) or dims[1] not in (None, 1):
            raise ValueError(f"Dimensions {dims[0]} and {dims[1]} of the pointwise filter must be 1")
        between = depthwise_conv2d(input, depthwise_filter, strides, padding, rate, "depthwise", data_format)
        return conv2d(between, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format or "NHWC", name=scope)


def dilation2d(input: TensorLike, filter: TensorLike | None = None, strides: Sequence[int] | None = None, rates: Sequence[int] | None = None,
               padding: str | None = None, name: str | None = None, filters: TensorLike | None = None,
               dilations: Sequence[int] | None = None) -> Tensor:
    """The greatest sum of input and filter."""
    return op_call.call("Dilation2D", name, input=input, filter=one_of(filters, "filters", filter, "filter"),
                        strides=list(strides), rates=list(one_of(dilations, "dilations", rates, "rates")), padding=padding)  # type: ignore[arg-type]


def erosion2d(value: TensorLike, kernel: TensorLike, strides: Sequence[int], rates: Sequence[int], padding: str, name: str | None = None) -> Tensor:
    """The least difference of input and filter."""
    with _scope(name, "erosion2d") as scope:
        made = op_call.call("Dilation2D", None, input=-convert_to_tensor(value), filter=array_ops.reverse(kernel, [0, 1]), strides=list(strides),
                            rates=list(rates), padding=padding)
        return op_call.call("Neg", scope, x=made)
