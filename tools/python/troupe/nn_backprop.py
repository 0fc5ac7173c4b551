"""Derivatives of convolutions as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call, thin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import ShapeOrTensor, TensorLike

thin.define(globals(), """
    conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, data_format="NHWC", dilations=None) = Conv2DBackpropFilter
    conv3d_backprop_filter_v2(input, filter_sizes, out_backprop, strides, padding, data_format="NDHWC", dilations=None) = Conv3DBackpropFilterV2
    depthwise_conv2d_native_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format="NHWC", dilations=None) = DepthwiseConv2dNativeBackpropFilter
    depthwise_conv2d_native_backprop_input(input_sizes, filter, out_backprop, strides, padding, data_format="NHWC", dilations=None) = DepthwiseConv2dNativeBackpropInput
""")
conv3d_backprop_filter = globals()["conv3d_backprop_filter_v2"]
depthwise_conv2d_backprop_filter = globals()["depthwise_conv2d_native_backprop_filter"]
depthwise_conv2d_backprop_input = globals()["depthwise_conv2d_native_backprop_input"]


def conv2d_backprop_input(input_sizes: ShapeOrTensor, filter: TensorLike | None = None, out_backprop: TensorLike | None = None,  # noqa: A002
                          strides: Sequence[int] | None = None, padding: str | None = None, use_cudnn_on_gpu: bool = True, data_format: str = "NHWC",
                          dilations: Sequence[int] | None = (1, 1, 1, 1), name: str | None = None, filters: TensorLike | None = None) -> Tensor:
    """The derivative of conv2d by its input, of the shape `input_sizes`."""
    return op_call.call("Conv2DBackpropInput", name, input_sizes=input_sizes, filter=filters if filter is None else filter, out_backprop=out_backprop,
                        strides=strides, padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format, dilations=dilations)
