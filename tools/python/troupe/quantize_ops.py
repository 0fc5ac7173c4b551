"""Numbers of a few bits, and training for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, op_call, thin

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike

thin.define(globals(), """
    fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxArgs
    fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxArgsGradient
    fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxVars
    fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxVarsGradient
    fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxVarsPerChannel
    fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False) = FakeQuantWithMinMaxVarsPerChannelGradient
    quantized_concat(concat_dim, values, input_mins, input_maxes) = QuantizedConcat
    quantized_avg_pool(input, min_input, max_input, ksize, strides, padding) = QuantizedAvgPool
    quantized_conv2d(input, filter, min_input, max_input, min_filter, max_filter, strides, padding, out_type=13, dilations=None) = QuantizedConv2D
    quantized_max_pool(input, min_input, max_input, ksize, strides, padding) = QuantizedMaxPool
""")


def quantize_v2(input: TensorLike, min_range: TensorLike, max_range: TensorLike, T: DTypeLike, mode: str = "MIN_COMBINED",  # noqa: A002, N803
                name: str | None = None, round_mode: str = "HALF_AWAY_FROM_ZERO", narrow_range: bool = False, axis: int | None = None,
                ensure_minimum_range: float = 0.01) -> tuple[Tensor, Tensor, Tensor]:
    """(the values as integers of type T, the range that they stand for: its ends)."""
    return op_call.call("QuantizeV2", name, input=input, min_range=min_range, max_range=max_range, T=T, mode=mode, round_mode=round_mode,
                        narrow_range=narrow_range, axis=-1 if axis is None else axis, ensure_minimum_range=ensure_minimum_range)


def quantize(input: TensorLike, min_range: TensorLike, max_range: TensorLike, T: DTypeLike, mode: str = "MIN_COMBINED",  # noqa: A002, N803
             round_mode: str = "HALF_AWAY_FROM_ZERO", name: str | None = None, narrow_range: bool = False, axis: int | None = None,
             ensure_minimum_range: float = 0.01) -> tuple[Tensor, Tensor, Tensor]:
    return quantize_v2(input, min_range, max_range, T, mode, name, round_mode, narrow_range, axis, ensure_minimum_range)


def dequantize(input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str = "MIN_COMBINED", name: str | None = None,  # noqa: A002
               axis: int | None = None, narrow_range: bool = False, dtype: DTypeLike = dtypes.float32) -> Tensor:
    """The numbers that integers stand for."""
    return op_call.call("Dequantize", name, input=input, min_range=min_range, max_range=max_range, mode=mode, axis=-1 if axis is None else axis,
                        narrow_range=narrow_range, dtype=dtype)


def quantize_and_dequantize(input: TensorLike, input_min: TensorLike, input_max: TensorLike, signed_input: bool = True,  # noqa: A002
                            num_bits: TensorLike = 8, range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: str | None = None,
                            narrow_range: bool = False, axis: int | None = None) -> Tensor:
    """What is left of numbers after both; with the gradient of the identity inside the range."""
    return op_call.call("QuantizeAndDequantizeV4", name, input=input, input_min=input_min, input_max=input_max, signed_input=signed_input,
                        num_bits=num_bits, range_given=range_given, round_mode=round_mode, narrow_range=narrow_range, axis=-1 if axis is None else axis)


quantize_and_dequantize_v2 = quantize_and_dequantize
