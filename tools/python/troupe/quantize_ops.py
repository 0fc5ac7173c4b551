"""Numbers of a few bits, and training for them."""

from troupe import dtypes, op_call, thin

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


def quantize_v2(input, min_range, max_range, T, mode="MIN_COMBINED", name=None, round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False, axis=None,  # noqa: A002, N803
                ensure_minimum_range=0.01):
    """(the values as integers of type T, the range that they stand for: its ends)."""
    return op_call.call("QuantizeV2", name, input=input, min_range=min_range, max_range=max_range, T=T, mode=mode, round_mode=round_mode,
                        narrow_range=narrow_range, axis=-1 if axis is None else axis, ensure_minimum_range=ensure_minimum_range)


def quantize(input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None, narrow_range=False, axis=None,  # noqa: A002, N803
             ensure_minimum_range=0.01):
    return quantize_v2(input, min_range, max_range, T, mode, name, round_mode, narrow_range, axis, ensure_minimum_range)


def dequantize(input, min_range, max_range, mode="MIN_COMBINED", name=None, axis=None, narrow_range=False, dtype=dtypes.float32):  # noqa: A002
    """The numbers that integers stand for."""
    return op_call.call("Dequantize", name, input=input, min_range=min_range, max_range=max_range, mode=mode, axis=-1 if axis is None else axis,
                        narrow_range=narrow_range, dtype=dtype)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, round_mode="HALF_TO_EVEN", name=None,  # noqa: A002
                            narrow_range=False, axis=None):
    """What is left of numbers after both; with the gradient of the identity inside the range."""
    return op_call.call("QuantizeAndDequantizeV4", name, input=input, input_min=input_min, input_max=input_max, signed_input=signed_input,
                        num_bits=num_bits, range_given=range_given, round_mode=round_mode, narrow_range=narrow_range, axis=-1 if axis is None else axis)


quantize_and_dequantize_v2 = quantize_and_dequantize
