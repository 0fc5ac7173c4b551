"""Names that TensorFlow's modules have for what `tf` calls otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import device_spec, layers_conv, lookup, reductions, variables

if TYPE_CHECKING:
    from typing import Any

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
