"""tf.contrib.layers and tf.contrib.slim: layers as functions, whose variables are called weights and biases and are those of the model. Names,
scopes and collections are TensorFlow 1.15's, so that its checkpoints fit."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from troupe import array_ops, initializers, math_ops, nn, nn_conv, nn_embedding, nn_norm, ops, stacks
from troupe.contrib_initializers import xavier_initializer
from troupe.contrib_scopes import add_arg_scope, model_variable
from troupe.control_flow_ops import identity_of as identity
from troupe.conversion import convert_to_tensor
from troupe.layer import as_updates
from troupe.layers_conv import Conv1D, Conv2D, Conv2DTranspose, Conv3D, SeparableConv2D, sizes
from troupe.layers_core import Dense, Dropout, Flatten
from troupe.layers_norm import BatchNormalization
from troupe.layers_pool import AveragePooling2D, MaxPooling2D
from troupe.ops import GraphKeys
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Activation, Initializer, Regularizer, ShapeOrTensor, TensorLike
    from troupe.variable_scope import VariableScope

    _Sizes = int | Sequence[int]
    _Collections = Sequence[str] | dict[str, Sequence[str]]

_NAMES = {"kernel": "weights", "bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


def _collections_for(collections, name):
    """Of {name: collections} those of a variable; a list is for all."""
    if isinstance(collections, dict):
        collections = collections.get(name)
    return collections or []


def _getter(variables_collections):
    """Makes variables of layers under their older names, as variables of the model."""
    def get(getter, name, *args, collections=None, **kwargs):
        scope, _, last = name.rpartition("/")
        last = _NAMES.get(last, last)
        more = [*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES, *_collections_for(variables_collections, last)]
        return getter(f"{scope}/{last}" if scope else last, *args, collections=list(dict.fromkeys(more)), **kwargs)

    return get


def _collected(outputs_collections, name, outputs):
    if outputs_collections:
        outputs.aliases = [*getattr(outputs, "aliases", []), name]
        ops.add_to_collections(outputs_collections, outputs)
    return outputs


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> dict[str, Tensor]:
    """Outputs of a collection by the names of their layers."""
    found = ops.get_collection(collection)
    if clear_collection:
        del ops.get_collection_ref(collection)[:]
    return {alias: t for t in found for alias in getattr(t, "aliases", [t.op.name])}


def _finished(outputs, scope, normalizer_fn, normalizer_params, activation_fn, outputs_collections):
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return _collected(outputs_collections, scope.name, outputs)


def _format(data_format, rank):
    """"channels_first" for "NCHW" and its like. ValueError for others than these."""
    known = {None: "channels_last", "NWC": "channels_last", "NCW": "channels_first", "NHWC": "channels_last", "NCHW": "channels_first",
             "NDHWC": "channels_last", "NCDHW": "channels_first"}
    if data_format not in known:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    return known[data_format]


@add_arg_scope
def fully_connected(inputs: TensorLike, num_outputs: int, activation_fn: Activation | None = nn.relu,
                    normalizer_fn: Callable[..., Tensor] | None = None, normalizer_params: Mapping[str, Any] | None = None,
                    weights_initializer: Initializer = xavier_initializer(), weights_regularizer: Regularizer | None = None,
                    biases_initializer: Initializer = initializers.Zeros(), biases_regularizer: Regularizer | None = None, reuse: bool | None = None,
                    variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
                    scope: str | VariableScope | None = None) -> Tensor:
    """[..., depth] to [..., num_outputs]. ValueError for other than whole numbers of outputs."""
    if not isinstance(num_outputs, int) and not hasattr(num_outputs, "__index__") and not hasattr(num_outputs, "value"):
        raise ValueError(f"num_outputs type should be one of {[int]}, got {num_outputs}.")
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        layer = Dense(int(num_outputs), use_bias=normalizer_fn is None and biases_initializer is not None, kernel_initializer=weights_initializer,
                      bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                      trainable=trainable, name=sc.name, _scope=sc, _reuse=reuse)
        return _finished(layer(convert_to_tensor(inputs)), sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


def _convolved(layer_class, rank, inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn, normalizer_fn,
               normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
               variables_collections, outputs_collections, trainable, scope, default, **more):
    with variable_scope(scope, default, [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        inputs = convert_to_tensor(inputs)
        if rank is None:
            rank = inputs.shape.rank - 2
            layer_class = {1: Conv1D, 2: Conv2D, 3: Conv3D}[rank]
        layer = layer_class(num_outputs, kernel_size, stride, padding, _format(data_format, rank),
                            use_bias=normalizer_fn is None and biases_initializer is not None, kernel_initializer=weights_initializer,
                            bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                            trainable=trainable, name=sc.name, _scope=sc, _reuse=reuse, **more)
        return _finished(layer(inputs), sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


@add_arg_scope
def convolution(inputs: TensorLike, num_outputs: int, kernel_size: _Sizes, stride: _Sizes = 1, padding: str = "SAME",
                data_format: str | None = None, rate: _Sizes = 1, activation_fn: Activation | None = nn.relu,
                normalizer_fn: Callable[..., Tensor] | None = None, normalizer_params: Mapping[str, Any] | None = None,
                weights_initializer: Initializer = xavier_initializer(), weights_regularizer: Regularizer | None = None,
                biases_initializer: Initializer = initializers.Zeros(), biases_regularizer: Regularizer | None = None, reuse: bool | None = None,
                variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
                scope: str | VariableScope | None = None) -> Tensor:
    """A convolution of one to three dimensions, as many as the inputs have besides batch and channels."""
    return _convolved(None, None, inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn, normalizer_fn, normalizer_params,
                      weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse, variables_collections,
                      outputs_collections, trainable, scope, "Conv", dilation_rate=rate)


def _convolution_of(rank):
    @add_arg_scope
    @functools.wraps(convolution.__wrapped__)
    def function(inputs, *args, **kwargs):
        if convert_to_tensor(inputs).shape.rank not in (None, rank + 2):
            raise ValueError(f"Convolution expects input with rank {rank + 2}, got {convert_to_tensor(inputs).shape.rank}")
        return convolution.__wrapped__(inputs, *args, **kwargs)

    function.__name__ = f"convolution{rank}d"
    return function


convolution1d, convolution2d, convolution3d = _convolution_of(1), _convolution_of(2), _convolution_of(3)
conv1d, conv2d, conv3d = convolution1d, convolution2d, convolution3d


@add_arg_scope
def convolution2d_transpose(inputs: TensorLike, num_outputs: int, kernel_size: _Sizes, stride: _Sizes = 1, padding: str = "SAME",
                            data_format: str = "NHWC", activation_fn: Activation | None = nn.relu, normalizer_fn: Callable[..., Tensor] | None = None,
                            normalizer_params: Mapping[str, Any] | None = None, weights_initializer: Initializer = xavier_initializer(),
                            weights_regularizer: Regularizer | None = None, biases_initializer: Initializer = initializers.Zeros(),
                            biases_regularizer: Regularizer | None = None, reuse: bool | None = None,
                            variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None,
                            trainable: bool = True, scope: str | VariableScope | None = None) -> Tensor:
    """The transpose of a convolution: pictures `stride` times as large."""
    return _convolved(Conv2DTranspose, 2, inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn, normalizer_fn,
                      normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
                      variables_collections, outputs_collections, trainable, scope, "Conv2d_transpose")


conv2d_transpose = convolution2d_transpose


@add_arg_scope
def separable_convolution2d(inputs: TensorLike, num_outputs: int | None, kernel_size: _Sizes, depth_multiplier: int = 1, stride: _Sizes = 1,
                            padding: str = "SAME", data_format: str = "NHWC", rate: _Sizes = 1, activation_fn: Activation | None = nn.relu,
                            normalizer_fn: Callable[..., Tensor] | None = None, normalizer_params: Mapping[str, Any] | None = None,
                            weights_initializer: Initializer = xavier_initializer(), pointwise_initializer: Initializer = None,
                            weights_regularizer: Regularizer | None = None, biases_initializer: Initializer = initializers.Zeros(),
                            biases_regularizer: Regularizer | None = None, reuse: bool | None = None,
                            variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None,
                            trainable: bool = True, scope: str | VariableScope | None = None) -> Tensor:
    """A convolution of each channel by itself, then one over the channels; only the first where num_outputs is None."""
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        inputs = convert_to_tensor(inputs)
        use_bias = normalizer_fn is None and biases_initializer is not None
        if num_outputs is not None:
            layer = SeparableConv2D(num_outputs, kernel_size, stride, padding, _format(data_format, 2), rate, depth_multiplier, use_bias=use_bias,
                                    depthwise_initializer=weights_initializer, pointwise_initializer=pointwise_initializer or weights_initializer,
                                    bias_initializer=biases_initializer, depthwise_regularizer=weights_regularizer,
                                    pointwise_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable,
                                    name=sc.name, _scope=sc, _reuse=reuse)
            outputs = layer(inputs)
        else:
            outputs = _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate, weights_initializer,
                                 weights_regularizer, biases_initializer if use_bias else None, biases_regularizer, trainable)
        return _finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


def _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate, weights_initializer, weights_regularizer,
               biases_initializer, biases_regularizer, trainable):
    first = _format(data_format, 2) == "channels_first"
    channels = inputs.shape.as_list()[1 if first else 3]
    (height, width), (down, right) = sizes(kernel_size, 2, "kernel_size"), sizes(stride, 2, "stride")
    weights = model_variable("depthwise_weights", [height, width, channels, depth_multiplier], inputs.dtype.base_dtype, weights_initializer,
                             weights_regularizer, trainable)
    strides = [1, 1, down, right] if first else [1, down, right, 1]
    outputs = nn_conv.depthwise_conv2d(inputs, weights, strides, padding, rate=sizes(rate, 2, "rate"), data_format=data_format)
    if biases_initializer is None:
        return outputs
    biases = model_variable("biases", [channels * depth_multiplier], inputs.dtype.base_dtype, biases_initializer, biases_regularizer, trainable)
    return nn.bias_add(outputs, biases, data_format=data_format)


separable_conv2d = separable_convolution2d


class _BatchNorm(BatchNormalization):
    """Its updates go where the function says, not to UPDATE_OPS."""

    def add_update(self, updates, inputs=None):
        self._updates += as_updates(updates)


@add_arg_scope
def batch_norm(inputs: TensorLike, decay: float = 0.999, center: bool = True, scale: bool = False, epsilon: float = 0.001,
               activation_fn: Activation | None = None, param_initializers: Mapping[str, Initializer] | None = None,
               param_regularizers: Mapping[str, Regularizer] | None = None, updates_collections: str | Sequence[str] | None = GraphKeys.UPDATE_OPS,
               is_training: bool | Tensor = True, reuse: bool | None = None, variables_collections: _Collections | None = None,
               outputs_collections: str | Sequence[str] | None = None, trainable: bool = True, batch_weights: TensorLike | None = None,
               fused: bool | None = None, data_format: str = "NHWC", zero_debias_moving_mean: bool = False, scope: str | VariableScope | None = None,
               renorm: bool = False, renorm_clipping: Mapping[str, TensorLike] | None = None, renorm_decay: float = 0.99,
               adjustment: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None) -> Tensor:
    """Batch normalization. With updates_collections=None the outputs wait for the updates of moving_mean and moving_variance, else training
    programs must run those of the collection. NotImplementedError for weights of the batch and for means without bias."""
    if batch_weights is not None or zero_debias_moving_mean:
        raise NotImplementedError("batch_norm with batch_weights or zero_debias_moving_mean")
    given = {"beta": initializers.Zeros(), "gamma": initializers.Ones(), "moving_mean": initializers.Zeros(),
             "moving_variance": initializers.Ones(), **(param_initializers or {})}
    regularizers = param_regularizers or {}
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        inputs = convert_to_tensor(inputs)
        layer = _BatchNorm(1 if _format(data_format, 2) == "channels_first" else -1, decay, epsilon, center, scale,
                           beta_initializer=given["beta"], gamma_initializer=given["gamma"], moving_mean_initializer=given["moving_mean"],
                           moving_variance_initializer=given["moving_variance"], beta_regularizer=regularizers.get("beta"),
                           gamma_regularizer=regularizers.get("gamma"), renorm=renorm, renorm_clipping=renorm_clipping,
                           renorm_momentum=renorm_decay, adjustment=adjustment, fused=fused, trainable=trainable, name=sc.name, _scope=sc,
                           _reuse=reuse)
        outputs = layer(inputs, training=is_training)
        if updates_collections is None:
            with stacks.get_default_graph().control_dependencies(layer.updates):
                outputs = identity(outputs)
        else:
            for update in layer.updates:
                ops.add_to_collections(updates_collections, update)
        return _finished(outputs, sc, None, None, activation_fn, outputs_collections)


@add_arg_scope
def layer_norm(inputs: TensorLike, center: bool = True, scale: bool = True, activation_fn: Activation | None = None, reuse: bool | None = None,
               variables_collections: _Collections | None = None, outputs_collections: str | Sequence[str] | None = None, trainable: bool = True,
               begin_norm_axis: int = 1, begin_params_axis: int = -1, scope: str | VariableScope | None = None) -> Tensor:
    """Each of the batch with mean 0 and variance 1, then times gamma and plus beta. ValueError for shapes that are not known."""
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse, custom_getter=_getter(variables_collections)) as sc:
        inputs = convert_to_tensor(inputs)
        shape, rank = inputs.shape, inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        begin = begin_norm_axis if begin_norm_axis >= 0 else rank + begin_norm_axis
        if begin_params_axis >= rank or begin >= rank:
            raise ValueError(f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < rank(inputs) ({rank})")
        if not shape[begin_params_axis:].is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {shape}")
        new = lambda name, initializer: model_variable(name, shape[begin_params_axis:], inputs.dtype.base_dtype, initializer, trainable=trainable)
        beta = new("beta", initializers.Zeros()) if center else None
        gamma = new("gamma", initializers.Ones()) if scale else None
        mean, variance = nn_norm.moments(inputs, list(range(begin, rank)), keep_dims=True)
        outputs = nn_norm.batch_normalization(inputs, mean, variance, offset=beta, scale=gamma, variance_epsilon=1e-12)
        outputs.set_shape(shape)
        return _finished(outputs, sc, None, None, activation_fn, outputs_collections)


def _pooling(layer_class, default):
    @add_arg_scope
    def pool(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
        with ops.name_scope(scope, default) as sc:
            outputs = layer_class(kernel_size, stride, padding, _format(data_format, 2))(convert_to_tensor(inputs))
            return _collected(outputs_collections, sc.rstrip("/"), outputs)

    pool.__doc__ = f"{layer_class.__doc__} Windows are two apart unless `stride` says otherwise."
    return pool


max_pool2d, avg_pool2d = _pooling(MaxPooling2D, "MaxPool2D"), _pooling(AveragePooling2D, "AvgPool2D")


@add_arg_scope
def dropout(inputs: TensorLike, keep_prob: float | Tensor = 0.5, noise_shape: ShapeOrTensor = None, is_training: bool | Tensor = True,
            outputs_collections: str | Sequence[str] | None = None, scope: str | VariableScope | None = None, seed: int | None = None) -> Tensor:
    """Elements zero with probability 1 - keep_prob, the others larger by as much, in training."""
    with variable_scope(scope, "Dropout", [inputs]) as sc:
        outputs = Dropout(1 - keep_prob, noise_shape, seed, name=sc.name, _scope=sc)(convert_to_tensor(inputs), training=is_training)
        return _collected(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs: TensorLike, outputs_collections: str | Sequence[str] | None = None, scope: str | None = None) -> Tensor:
    """[batch, ...] as [batch, product of the others]."""
    with ops.name_scope(scope, "Flatten") as sc:
        return _collected(outputs_collections, sc.rstrip("/"), Flatten()(convert_to_tensor(inputs)))


@add_arg_scope
def one_hot_encoding(labels: TensorLike, num_classes: int, on_value: TensorLike = 1.0, off_value: TensorLike = 0.0,
                     outputs_collections: str | Sequence[str] | None = None, scope: str | None = None) -> Tensor:
    with ops.name_scope(scope, "OneHotEncoding") as sc:
        return _collected(outputs_collections, sc.rstrip("/"), array_ops.one_hot(labels, num_classes, on_value, off_value))


@add_arg_scope
def softmax(logits: TensorLike, scope: str | None = None) -> Tensor:
    """Of the last dimension, of any rank."""
    with ops.name_scope(scope, "softmax"):
        return nn.softmax(logits)


def embed_sequence(ids: TensorLike, vocab_size: int | None = None, embed_dim: int | None = None, unique: bool = False,
                   initializer: Initializer = None, regularizer: Regularizer | None = None, trainable: bool = True,
                   scope: str | VariableScope | None = None, reuse: bool | None = None) -> Tensor:
    """Rows of a matrix "embeddings" [vocab_size, embed_dim] for ids [batch, time]. ValueError for a new one without both sizes."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size={vocab_size} and embed_dim={embed_dim}")
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = model_variable("embeddings", None if reuse and not vocab_size else [vocab_size, embed_dim], initializer=initializer,
                                    regularizer=regularizer, trainable=trainable)
        return nn_embedding.embedding_lookup(embeddings, ids)


def _repeated(inputs, layer, arguments, scope, default, kwargs):
    with variable_scope(scope, default, [inputs]):
        name = scope or getattr(layer, "__name__", default.lower())
        outputs = convert_to_tensor(inputs)
        for i, own in enumerate(arguments):
            outputs = layer(outputs, *own, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs


@add_arg_scope
def repeat(inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, scope: str | None = None, **kwargs: Any) -> Tensor:
    """A layer several times, in scopes "scope_1", "scope_2", ..."""
    return _repeated(inputs, layer, [args] * repetitions, scope, "Repeat", kwargs)


@add_arg_scope
def stack(inputs: TensorLike, layer: Callable[..., Any], stack_args: Sequence[Any], scope: str | None = None, **kwargs: Any) -> Tensor:
    """A layer for each of the arguments, one on the other. TypeError for other than lists of these."""
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError("stack_args need to be a list or tuple")
    return _repeated(inputs, layer, [a if isinstance(a, (list, tuple)) else [a] for a in stack_args], scope, "Stack", kwargs)


def bias_add(inputs: TensorLike, activation_fn: Activation | None = None, initializer: Initializer = initializers.Zeros(),
             regularizer: Regularizer | None = None, reuse: bool | None = None, trainable: bool = True,
             scope: str | VariableScope | None = None) -> Tensor:
    """The inputs and a variable "biases" of the last dimension."""
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse):
        inputs = convert_to_tensor(inputs)
        biases = model_variable("biases", inputs.shape[-1:], inputs.dtype.base_dtype, initializer, regularizer, trainable)
        outputs = nn.bias_add(inputs, biases)
        return outputs if activation_fn is None else activation_fn(outputs)


def unit_norm(inputs: TensorLike, dim: int, epsilon: float = 1e-07, scope: str | None = None) -> Tensor:
    """The inputs over their length along a dimension."""
    with ops.name_scope(scope, "UnitNorm"):
        inputs = convert_to_tensor(inputs)
        return inputs / math_ops.sqrt(epsilon + math_ops.reduce_sum(math_ops.square(inputs), dim, keepdims=True))


relu = functools.partial(fully_connected, activation_fn=nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=nn.relu6)
linear = functools.partial(fully_connected, activation_fn=None)
