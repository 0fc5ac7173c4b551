"""More of tf.contrib.layers: normalizations of single pictures and groups, pooling and convolutions of other kinds, bags of words, gradients."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, initializers, math_ops, nn, nn_embedding, nn_norm, nn_pool, nn_sparse, ops
from troupe.composite import SparseTensor
from troupe.contrib_initializers import xavier_initializer
from troupe.contrib_layers import _collected, _convolved, _finished, _format, _getter, _pooling, fully_connected
from troupe.contrib_scopes import add_arg_scope, model_variable
from troupe.control_flow_ops import identity_of as identity
from troupe.conversion import convert_to_tensor
from troupe.custom_gradients import custom_gradient
from troupe.gather_ops import gather_nd
from troupe.layers_conv import Conv3DTranspose, sizes
from troupe.layers_pool import AveragePooling3D, MaxPooling3D
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Activation, Initializer, Regularizer, TensorLike
    from troupe.variable_scope import VariableScope

    _Sizes = int | Sequence[int]
    _Collections = Sequence[str] | dict[str, Sequence[str]]

elu = functools.partial(fully_connected, activation_fn=nn.elu)
max_pool3d, avg_pool3d = _pooling(MaxPooling3D, "MaxPool3D"), _pooling(AveragePooling3D, "AvgPool3D")


@add_arg_scope
def instance_norm(inputs: TensorLike, center: bool = True, scale: bool = True, epsilon: float = 1e-06, activation_fn: Activation | None = None,
                  param_initializers: Mapping[str, Initializer] | None = None, reuse: bool | None = None,
                  variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
                  data_format: str = "NHWC", scope: str | VariableScope | None = None) -> Tensor:
    """Each channel of each picture with mean 0 and variance 1, then times gamma and plus beta. ValueError for an unknown rank or depth."""
    inputs = convert_to_tensor(inputs)
    rank, given = inputs.shape.rank, param_initializers or {}
    first = _format(data_format, 2) == "channels_first"
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    axis = 1 if first else rank - 1
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        depth = inputs.shape.as_list()[axis]
        if depth is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {inputs.shape}.")
        spread = [1] + [depth if i == axis else 1 for i in range(1, rank)]
        new = lambda name, default: model_variable(name, [depth], inputs.dtype.base_dtype, given.get(name, default), trainable=trainable)
        beta = new("beta", initializers.Zeros()) if center else None
        gamma = new("gamma", initializers.Ones()) if scale else None
        beta, gamma = (None if v is None else array_ops.reshape(v, spread) if first else v for v in (beta, gamma))
        mean, variance = nn_norm.moments(inputs, [i for i in range(1, rank) if i != axis], keep_dims=True)
        outputs = nn_norm.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        outputs.set_shape(inputs.shape)
        return _finished(outputs, sc, None, None, activation_fn, outputs_collections)


@add_arg_scope
def group_norm(inputs: TensorLike, groups: int = 32, channels_axis: int = -1, reduction_axes: Sequence[int] = (-3, -2), center: bool = True,
               scale: bool = True, epsilon: float = 1e-06, activation_fn: Activation | None = None,
               param_initializers: Mapping[str, Initializer] | None = None, reuse: bool | None = None,
               variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
               scope: str | VariableScope | None = None, mean_close_to_zero: bool = False) -> Tensor:
    """Each group of channels of each picture with mean 0 and variance 1, then times gamma and plus beta. ValueError where the channels are no
    multiple of the groups, or an axis is meant twice."""
    inputs = convert_to_tensor(inputs)
    rank, given = inputs.shape.rank, param_initializers or {}
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    axis, reduced = channels_axis % rank, [a % rank for a in reduction_axes]
    depth = inputs.shape.as_list()[axis]
    if depth is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {inputs.shape}.")
    if groups > depth or depth % groups:
        raise ValueError(f"Invalid groups {groups} for {depth} channels: they must be a multiple.")
    if axis in reduced:
        raise ValueError(f"Reduction axis {axis} is the channels axis, too.")
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        known, shape = inputs.shape.as_list(), array_ops.shape(inputs)
        sizes_of = [shape[i] if n is None else n for i, n in enumerate(known)]
        # The channels as [groups, channels of each].
        grouped = array_ops.reshape(inputs, [*sizes_of[:axis], groups, depth // groups, *sizes_of[axis + 1:]])
        axes = [a + 1 if a > axis else a for a in reduced] + [axis + 1]
        new = lambda name, default: model_variable(name, [depth], inputs.dtype.base_dtype, given.get(name, default), trainable=trainable)
        spread = [1] * axis + [groups, depth // groups] + [1] * (rank - 1 - axis)
        beta = array_ops.reshape(new("beta", initializers.Zeros()), spread) if center else None
        gamma = array_ops.reshape(new("gamma", initializers.Ones()), spread) if scale else None
        if mean_close_to_zero:
            mean, variance = (math_ops.reduce_mean(x, axes, keepdims=True) for x in (grouped, math_ops.square(grouped)))
            variance = variance - math_ops.square(mean)
        else:
            mean, variance = nn_norm.moments(grouped, axes, keep_dims=True)
        outputs = array_ops.reshape(nn_norm.batch_normalization(grouped, mean, variance, beta, gamma, epsilon), sizes_of)
        outputs.set_shape(inputs.shape)
        return _finished(outputs, sc, None, None, activation_fn, outputs_collections)


@add_arg_scope
def maxout(inputs: TensorLike, num_units: int, axis: int = -1, scope: str | None = None) -> Tensor:
    """The largest of each `channels / num_units` of the dimension `axis`. ValueError where that is no whole number."""
    with ops.name_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        axis, shape, known = axis % inputs.shape.rank, array_ops.shape(inputs), inputs.shape.as_list()
        if known[axis] is None or known[axis] % num_units:
            raise ValueError(f"number of features({known[axis]}) is not a multiple of num_units({num_units})")
        parts = [shape[i] if n is None else n for i, n in enumerate(known)]
        # As 1.15 has it: what is left of the dimension is the last one.
        outputs = math_ops.reduce_max(array_ops.reshape(inputs, [*parts[:axis], num_units, *parts[axis + 1:], known[axis] // num_units]), -1)
        outputs.set_shape([*known[:axis], num_units, *known[axis + 1:]])
        return outputs


@add_arg_scope
def pool(inputs: TensorLike, kernel_size: _Sizes, pooling_type: str, padding: str = "VALID", data_format: str | None = None,
         dilation_rate: _Sizes = 1, stride: _Sizes = 1, outputs_collections: str | Sequence[str] | None = None, scope: str | None = None) -> Tensor:
    """Windows of any number of dimensions, "AVG" or "MAX". ValueError for an unknown rank."""
    with ops.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        if inputs.shape.rank is None:
            raise ValueError("Rank of inputs must be known")
        if inputs.shape.rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        n = inputs.shape.rank - 2
        each = lambda value, what: list(sizes(value, n, what))
        outputs = nn_pool.pool(inputs, each(kernel_size, "kernel_size"), pooling_type, padding, each(dilation_rate, "dilation_rate"),
                               each(stride, "stride"), data_format=data_format)
        return _collected(outputs_collections, sc.rstrip("/"), outputs)


@add_arg_scope
def convolution3d_transpose(inputs: TensorLike, num_outputs: int, kernel_size: _Sizes, stride: _Sizes = 1, padding: str = "SAME",
                            data_format: str = "NDHWC", activation_fn: Activation | None = nn.relu,
                            normalizer_fn: Callable[..., Tensor] | None = None, normalizer_params: Mapping[str, Any] | None = None,
                            weights_initializer: Initializer = xavier_initializer(), weights_regularizer: Regularizer | None = None,
                            biases_initializer: Initializer = initializers.Zeros(), biases_regularizer: Regularizer | None = None,
                            reuse: bool | None = None, variables_collections: _Collections | None = None,
                            outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
                            scope: str | VariableScope | None = None) -> Tensor:
    """The transpose of a convolution of three dimensions."""
    return _convolved(Conv3DTranspose, 3, inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn, normalizer_fn,
                      normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
                      variables_collections, outputs_collections, trainable, scope, "Conv3d_transpose")


conv3d_transpose = convolution3d_transpose


@add_arg_scope
def convolution2d_in_plane(inputs: TensorLike, kernel_size: _Sizes, stride: _Sizes = 1, padding: str = "SAME",
                           activation_fn: Activation | None = nn.relu, normalizer_fn: Callable[..., Tensor] | None = None,
                           normalizer_params: Mapping[str, Any] | None = None, weights_initializer: Initializer = xavier_initializer(),
                           weights_regularizer: Regularizer | None = None, biases_initializer: Initializer = initializers.Zeros(),
                           biases_regularizer: Regularizer | None = None, reuse: bool | None = None,
                           variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None,
                           trainable: bool = True, scope: str | VariableScope | None = None) -> Tensor:
    """The same kernel [height, width] for each channel by itself."""
    from troupe import nn_conv

    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        inputs = convert_to_tensor(inputs)
        (height, width), (down, right) = sizes(kernel_size, 2, "kernel_size"), sizes(stride, 2, "stride")
        depth = inputs.shape.as_list()[3]
        weights = model_variable("weights", [height, width, 1, 1], inputs.dtype.base_dtype, weights_initializer, weights_regularizer, trainable)
        outputs = nn_conv.depthwise_conv2d(inputs, array_ops.tile(convert_to_tensor(weights), [1, 1, depth, 1]), [1, down, right, 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            biases = model_variable("biases", [depth], inputs.dtype.base_dtype, biases_initializer, biases_regularizer, trainable)
            outputs = nn.bias_add(outputs, biases)
        return _finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def spatial_softmax(features: TensorLike, temperature: Tensor | float | None = None, name: str | None = None,
                    variables_collections: Sequence[str] | None = None, trainable: bool = True, data_format: str = "NHWC") -> Tensor:
    """Where each channel [batch, height, width, channels] is on the whole: [batch, 2 channels], x and y from -1 to 1 of each. Without a
    temperature that is a variable, 1 at first."""
    with variable_scope(name, "spatial_softmax"):
        features = convert_to_tensor(features)
        if _format(data_format, 2) == "channels_last":
            features = array_ops.transpose(features, [0, 3, 1, 2])
        shape, known = array_ops.shape(features), features.shape.as_list()
        channels, height, width = (shape[i] if known[i] is None else known[i] for i in (1, 2, 3))
        if temperature is None:
            temperature = model_variable("temperature", [], dtypes.float32, initializers.Ones(), trainable=trainable,
                                         collections=variables_collections)
        pos_x, pos_y = array_ops.meshgrid(math_ops.lin_space(-1.0, 1.0, width), math_ops.lin_space(-1.0, 1.0, height), indexing="xy")
        flat = array_ops.reshape(features, [-1, height * width])
        attention = nn.softmax(flat / temperature)
        mean = lambda position: math_ops.reduce_sum(array_ops.reshape(position, [1, -1]) * attention, [1], keepdims=True)
        outputs = array_ops.reshape(array_ops.concat([mean(pos_x), mean(pos_y)], 1), [-1, channels * 2])
        if known[1] is not None:
            outputs.set_shape([None, known[1] * 2])
        return outputs


def scale_gradient(inputs: TensorLike, gradient_multiplier: float | Tensor) -> Tensor:
    """The inputs, whose gradient is times so much."""
    @custom_gradient
    def scaled(x):
        return identity(x), lambda grad: grad * gradient_multiplier

    return scaled(convert_to_tensor(inputs))


def embedding_lookup_unique(params: Any, ids: TensorLike, partition_strategy: str = "mod", name: str | None = None) -> Tensor:
    """Rows of a matrix (or of one in parts), each read only once however often it is among the ids."""
    with ops.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        unique, places = array_ops.unique(array_ops.reshape(ids, [-1]))
        rows = nn_embedding.embedding_lookup(params, unique, partition_strategy)
        gathered = array_ops.gather(rows, places)
        made = array_ops.reshape(gathered, array_ops.concat([array_ops.shape(ids), array_ops.shape(rows)[1:]], 0))
        made.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return made


@add_arg_scope
def dense_to_sparse(tensor: TensorLike, eos_token: int = 0, outputs_collections: str | Sequence[str] | None = None, scope: str | None = None) -> Any:
    """A SparseTensor of the elements that are not `eos_token`."""
    with ops.name_scope(scope, "dense_to_sparse", [tensor]) as sc:
        tensor = convert_to_tensor(tensor)
        indices = array_ops.where(math_ops.not_equal(tensor, math_ops.cast(eos_token, tensor.dtype)))
        outputs = SparseTensor(indices, gather_nd(tensor, indices), array_ops.shape(tensor, out_type=dtypes.int64))
        if outputs_collections:
            ops.add_to_collections(outputs_collections, outputs)
        return outputs


def bow_encoder(ids: Any, vocab_size: int, embed_dim: int, sparse_lookup: bool = True, initializer: Initializer = None,
                regularizer: Regularizer | None = None, trainable: bool = True, scope: str | VariableScope | None = None,
                reuse: bool | None = None) -> Tensor:
    """The mean [batch, embed_dim] of the rows of a matrix "embeddings" for ids [batch, length] or a SparseTensor. TypeError for one where
    `sparse_lookup` is not wanted."""
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable("embeddings", [vocab_size, embed_dim], initializer=initializer, regularizer=regularizer, trainable=trainable)
        if sparse_lookup:
            if not isinstance(ids, SparseTensor):
                ids = dense_to_sparse(ids)
            return nn_sparse.safe_embedding_lookup_sparse([embeddings], ids, combiner="mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError("ids are expected to be dense Tensor, got: %s" % ids)
        return math_ops.reduce_mean(nn_embedding.embedding_lookup(embeddings, ids), [1])


def inner_flatten(inputs: TensorLike, new_rank: int, output_collections: str | Sequence[str] | None = None, scope: str | None = None) -> Tensor:
    """The last dimensions as one, so that there are `new_rank`. ValueError for more than there are."""
    with ops.name_scope(scope, "InnerFlatten", [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is not None and rank < new_rank:
            raise ValueError(f"Inputs has rank less than new_rank. {rank} < {new_rank}")
        outer = array_ops.shape(inputs)[:new_rank - 1]
        outputs = array_ops.reshape(inputs, array_ops.concat([outer, [-1]], 0))
        known = inputs.shape.as_list() if rank is not None else None
        if known is not None:
            last = None if None in known[new_rank - 1:] else int(np.prod(known[new_rank - 1:]))
            outputs.set_shape([*known[:new_rank - 1], last])
        return _collected(output_collections, sc.rstrip("/"), outputs)
