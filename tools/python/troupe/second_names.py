"""Functions of the second interface, by the names that TensorFlow's modules have for them: their arguments are in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, device_spec, dtypes, gather_ops, layers_conv, lookup, math_ops, nn, reductions, variables

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Operation, Tensor

StaticHashTableV1, StaticVocabularyTableV1 = lookup.StaticHashTable, lookup.StaticVocabularyTable
reduce_sum_v1, reduce_mean_v1, reduce_prod_v1 = reductions.reduce_sum, reductions.reduce_mean, reductions.reduce_prod
reduce_min_v1, reduce_max_v1, reduce_logsumexp_v1 = reductions.reduce_min, reductions.reduce_max, reductions.reduce_logsumexp
reduce_all_v1, reduce_any_v1 = reductions.reduce_all, reductions.reduce_any
DeviceSpecV1 = DeviceSpecV2 = device_spec.DeviceSpec
Convolution1D, Convolution2D, Convolution3D = layers_conv.Conv1D, layers_conv.Conv2D, layers_conv.Conv3D
Convolution2DTranspose = Deconvolution2D = Deconv2D = layers_conv.Conv2DTranspose
Convolution3DTranspose = Deconvolution3D = Deconv3D = layers_conv.Conv3DTranspose
SeparableConvolution1D, SeparableConvolution2D = layers_conv.SeparableConv1D, layers_conv.SeparableConv2D


def variable(initial_value: Any = None, trainable: bool | None = None, collections: Any = None, validate_shape: bool = True,
             caching_device: Any = None, name: str | None = None, dtype: Any = None, use_resource: bool | None = None, constraint: Any = None,
             synchronization: int = 0, aggregation: int = 0, shape: Any = None) -> variables.Variable:
    """A variable as tf.Variable makes it; scopes say whether it is one of resources."""
    return variables.Variable(initial_value, trainable, collections, validate_shape, caching_device, name, dtype=dtype, use_resource=use_resource,
                              constraint=constraint, synchronization=synchronization, aggregation=aggregation, shape=shape)


def expand_dims_v2(input: Any, axis: Any, name: str | None = None) -> Tensor:
    return array_ops.expand_dims(input, axis, name)


def shape_v2(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    return array_ops.shape(input, name, out_type)


def size_v2(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    return array_ops.size(input, name, out_type)


def boolean_mask_v2(tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask") -> Tensor:
    return array_ops.boolean_mask(tensor, mask, name, axis)


def transpose_v2(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    return array_ops.transpose(a, perm, name, conjugate)


def zeros_like_v2(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    return array_ops.zeros_like(input, dtype, name)


def ones_like_v2(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    return array_ops.ones_like(input, dtype, name)


def pad_v2(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Tensor:
    return array_ops.pad(tensor, paddings, mode, name, constant_values)


def squeeze_v2(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    return array_ops.squeeze(input, axis, name)


def reverse_sequence_v2(input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None) -> Tensor:
    return array_ops.reverse_sequence(input, seq_lengths, seq_axis, batch_axis, name)


def gather_v2(params: Any, indices: Any, validate_indices: bool | None = None, axis: Any = None, batch_dims: int = 0,
              name: str | None = None) -> Tensor:
    return array_ops.gather(params, indices, validate_indices, name, axis, batch_dims)


def gather_nd_v2(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Tensor:
    return gather_ops.gather_nd(params, indices, name, batch_dims)


def argmax_v2(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    return math_ops.argmax(input, 0 if axis is None else axis, name, output_type=output_type)


def argmin_v2(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    return math_ops.argmin(input, 0 if axis is None else axis, name, output_type=output_type)


def softmax_v2(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    return nn.softmax(logits, axis, name)


def log_softmax_v2(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    return nn.log_softmax(logits, axis, name)


def _compared(function):
    def check(x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> Operation:
        return function(x, y, None, summarize, message, name)

    check.__name__ = check.__qualname__ = f"{function.__name__}_v2"
    return check


assert_equal_v2, assert_none_equal_v2 = _compared(check_ops.assert_equal), _compared(check_ops.assert_none_equal)
assert_less_v2, assert_less_equal_v2 = _compared(check_ops.assert_less), _compared(check_ops.assert_less_equal)
assert_greater_v2, assert_greater_equal_v2 = _compared(check_ops.assert_greater), _compared(check_ops.assert_greater_equal)
