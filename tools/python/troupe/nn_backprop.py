"""Derivatives of convolutions as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call, thin
from troupe.nn_conv import one_of, padding_attrs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import ShapeOrTensor, TensorLike

thin.define(globals(), """
    conv3d_backprop_filter_v2(input, filter_sizes, out_backprop, strides, padding, data_format="NDHWC", dilations=None) = Conv3DBackpropFilterV2
""")
conv3d_backprop_filter = globals()["conv3d_backprop_filter_v2"]


def conv2d_backprop_input(input_sizes: ShapeOrTensor, filter: TensorLike | None = None, out_backprop: TensorLike | None = None,  # noqa: A002
                          strides: Sequence[int] | None = None, padding: str | Sequence[Sequence[int]] | None = None, use_cudnn_on_gpu: bool = True,
                          data_format: str = "NHWC", dilations: Sequence[int] | None = (1, 1, 1, 1), name: str | None = None,
                          filters: TensorLike | None = None) -> Tensor:
    """The derivative of conv2d by its input, of the shape `input_sizes`."""
    return op_call.call("Conv2DBackpropInput", name, input_sizes=input_sizes, filter=one_of(filters, "filters", filter, "filter"),
                        out_backprop=out_backprop, strides=strides, **padding_attrs(padding), use_cudnn_on_gpu=use_cudnn_on_gpu,
                        data_format=data_format, dilations=dilations)


def conv2d_backprop_filter(input: TensorLike, filter_sizes: ShapeOrTensor, out_backprop: TensorLike, strides: Sequence[int],  # noqa: A002
                           padding: str | Sequence[Sequence[int]], use_cudnn_on_gpu: bool = True, data_format: str = "NHWC",
                           dilations: Sequence[int] | None = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """The derivative of conv2d by its filter, of the shape `filter_sizes`."""
    return op_call.call("Conv2DBackpropFilter", name, input=input, filter_sizes=filter_sizes, out_backprop=out_backprop, strides=strides,
                        **padding_attrs(padding), use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format, dilations=dilations)


def depthwise_conv2d_native_backprop_input(input_sizes: ShapeOrTensor, filter: TensorLike, out_backprop: TensorLike,  # noqa: A002
                                           strides: Sequence[int], padding: str | Sequence[Sequence[int]], data_format: str = "NHWC",
                                           dilations: Sequence[int] | None = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """The derivative of depthwise_conv2d by its input, of the shape `input_sizes`."""
    return op_call.call("DepthwiseConv2dNativeBackpropInput", name, input_sizes=input_sizes, filter=filter, out_backprop=out_backprop,
                        strides=strides, **padding_attrs(padding), data_format=data_format, dilations=dilations)


def depthwise_conv2d_native_backprop_filter(input: TensorLike, filter_sizes: ShapeOrTensor, out_backprop: TensorLike,  # noqa: A002
                                            strides: Sequence[int], padding: str | Sequence[Sequence[int]], data_format: str = "NHWC",
                                            dilations: Sequence[int] | None = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """The derivative of depthwise_conv2d by its filter, of the shape `filter_sizes`."""
    return op_call.call("DepthwiseConv2dNativeBackpropFilter", name, input=input, filter_sizes=filter_sizes, out_backprop=out_backprop,
                        strides=strides, **padding_attrs(padding), data_format=data_format, dilations=dilations)


depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
