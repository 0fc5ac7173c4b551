"""Inception's first and third networks as tf.contrib.slim.nets had them, with the names of their checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, nn
from troupe.contrib_initializers import l2_regularizer, variance_scaling_initializer
from troupe.contrib_layers import avg_pool2d, batch_norm, conv2d, dropout, fully_connected, max_pool2d, softmax
from troupe.contrib_scopes import arg_scope
from troupe.initializers import truncated_normal_initializer
from troupe.ops import GraphKeys
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.variable_scope import VariableScope

    _Net = tuple[Tensor, dict[str, Tensor]]

# A convolution is "depth kernel name", a branch the layers of one, several that are put together "[a | b]".
_V3 = {
    "Mixed_5b": "64 1x1 0a_1x1; 48 1x1 0a_1x1, 64 5x5 0b_5x5; 64 1x1 0a_1x1, 96 3x3 0b_3x3, 96 3x3 0c_3x3; avg, 32 1x1 0b_1x1",
    "Mixed_5c": "64 1x1 0a_1x1; 48 1x1 0b_1x1, 64 5x5 Conv_1_0c_5x5; 64 1x1 0a_1x1, 96 3x3 0b_3x3, 96 3x3 0c_3x3; avg, 64 1x1 0b_1x1",
    "Mixed_5d": "64 1x1 0a_1x1; 48 1x1 0a_1x1, 64 5x5 0b_5x5; 64 1x1 0a_1x1, 96 3x3 0b_3x3, 96 3x3 0c_3x3; avg, 64 1x1 0b_1x1",
    "Mixed_6a": "384 3x3/2 1a_1x1; 64 1x1 0a_1x1, 96 3x3 0b_3x3, 96 3x3/2 1a_1x1; max/2",
    **{name: f"192 1x1 0a_1x1; {n} 1x1 0a_1x1, {n} 1x7 0b_1x7, 192 7x1 0c_7x1; {n} 1x1 0a_1x1, {n} 7x1 0b_7x1, {n} 1x7 0c_1x7, {n} 7x1 0d_7x1, "
             "192 1x7 0e_1x7; avg, 192 1x1 0b_1x1" for name, n in (("Mixed_6b", 128), ("Mixed_6c", 160), ("Mixed_6d", 160), ("Mixed_6e", 192))},
    "Mixed_7a": "192 1x1 0a_1x1, 320 3x3/2 1a_3x3; 192 1x1 0a_1x1, 192 1x7 0b_1x7, 192 7x1 0c_7x1, 192 3x3/2 1a_3x3; max/2",
    **{name: f"320 1x1 0a_1x1; 384 1x1 0a_1x1, [384 1x3 0b_1x3 | 384 3x1 {second}]; 448 1x1 0a_1x1, 384 3x3 0b_3x3, "
             "[384 1x3 0c_1x3 | 384 3x1 0d_3x1]; avg, 192 1x1 0b_1x1" for name, second in (("Mixed_7b", "0b_3x1"), ("Mixed_7c", "0c_3x1"))},
}
_V3_STEM = (("Conv2d_1a_3x3", 32, 3, 2, "VALID"), ("Conv2d_2a_3x3", 32, 3, 1, "VALID"), ("Conv2d_2b_3x3", 64, 3, 1, "SAME"),
            ("MaxPool_3a_3x3", 0, 3, 2, "VALID"), ("Conv2d_3b_1x1", 80, 1, 1, "VALID"), ("Conv2d_4a_3x3", 192, 3, 1, "VALID"),
            ("MaxPool_5a_3x3", 0, 3, 2, "VALID"))
_V1 = {"Mixed_3b": (64, 96, 128, 16, 32, 32), "Mixed_3c": (128, 128, 192, 32, 96, 64), "MaxPool_4a_3x3": 3, "Mixed_4b": (192, 96, 208, 16, 48, 64),
       "Mixed_4c": (160, 112, 224, 24, 64, 64), "Mixed_4d": (128, 128, 256, 24, 64, 64), "Mixed_4e": (112, 144, 288, 32, 64, 64),
       "Mixed_4f": (256, 160, 320, 32, 128, 128), "MaxPool_5a_2x2": 2, "Mixed_5b": (256, 160, 320, 32, 128, 128),
       "Mixed_5c": (384, 192, 384, 48, 128, 128)}
_V1_STEM = (("Conv2d_1a_7x7", 64, 7, 2, "SAME"), ("MaxPool_2a_3x3", 0, 3, 2, "SAME"), ("Conv2d_2b_1x1", 64, 1, 1, "SAME"),
            ("Conv2d_2c_3x3", 192, 3, 1, "SAME"), ("MaxPool_3a_3x3", 0, 3, 2, "SAME"))


def _layer(net, text, depth):
    kind, _, rest = text.partition(" ")
    if kind == "avg":
        return avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
    if kind == "max/2":
        return max_pool2d(net, [3, 3], stride=2, padding="VALID", scope="MaxPool_1a_3x3")
    kernel, _, name = rest.partition(" ")
    window, _, stride = kernel.partition("/")
    name = name if name.startswith("Conv") else f"Conv2d_{name}"
    sizes = [int(n) for n in window.split("x")]
    if stride:
        return conv2d(net, depth(int(kind)), sizes, stride=int(stride), padding="VALID", scope=name)
    return conv2d(net, depth(int(kind)), sizes, scope=name)


def _branch(net, text, depth):
    for layer in text.split(", "):
        if layer.startswith("["):
            net = array_ops.concat([_layer(net, part, depth) for part in layer.strip("[]").split(" | ")], 3)
        else:
            net = _layer(net, layer, depth)
    return net


def _mixed(net, text, name, depth):
    with variable_scope(name):
        branches = []
        for i, branch in enumerate(text.split("; ")):
            with variable_scope(f"Branch_{i}"):
                branches.append(_branch(net, branch, depth))
        return array_ops.concat(branches, 3)


def _depths(least, multiplier):
    if multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda d: max(int(d * multiplier), least)


def _until(net, parts, final, points):
    """Parts [(name, function)] up to the final one. ValueError where there is none of that name."""
    for name, function in parts:
        net = points[name] = function(net)
        if name == final:
            return net, points
    raise ValueError(f"Unknown final endpoint {final}")


def _stem(rows, depth):
    def layer(name, n, kernel, stride, padding):
        if n:
            return lambda net: conv2d(net, depth(n), [kernel, kernel], stride=stride, padding=padding, scope=name)
        return lambda net: max_pool2d(net, [kernel, kernel], stride=stride, padding=padding, scope=name)

    return [(row[0], layer(*row)) for row in rows]


def inception_v3_base(inputs: Tensor, final_endpoint: str = "Mixed_7c", min_depth: int = 16, depth_multiplier: float = 1.0,
                      scope: str | VariableScope | None = None) -> _Net:
    """The third network up to a layer: (its outputs, outputs by name). ValueError for an unknown one."""
    depth = _depths(min_depth, depth_multiplier)
    parts = _stem(_V3_STEM, depth) + [(n, lambda net, n=n, t=t: _mixed(net, t, n, depth)) for n, t in _V3.items()]
    with variable_scope(scope, "InceptionV3", [inputs]), arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"):
        return _until(inputs, parts, final_endpoint, {})


def _window(net, height, width):
    """A kernel of at most so many pixels."""
    known = net.shape.as_list()
    return [height if known[1] is None else min(known[1], height), width if known[2] is None else min(known[2], width)]


def inception_v3(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.8, min_depth: int = 16,
                 depth_multiplier: float = 1.0, prediction_fn: Callable[..., Tensor] = softmax, spatial_squeeze: bool = True,
                 reuse: bool | None = None, create_aux_logits: bool = True, scope: str = "InceptionV3") -> _Net:
    """The third network: (logits, outputs by name, with AuxLogits and Predictions)."""
    depth = _depths(min_depth, depth_multiplier)
    with variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as sc, arg_scope([batch_norm, dropout], is_training=is_training):
        net, points = inception_v3_base(inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=sc)
        with arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"):
            if create_aux_logits:
                points["AuxLogits"] = _aux(points["Mixed_6e"], num_classes, depth, spatial_squeeze)
            with variable_scope("Logits"):
                window = _window(net, 8, 8)
                net = avg_pool2d(net, window, padding="VALID", scope=f"AvgPool_1a_{window[0]}x{window[1]}")
                net = points["PreLogits"] = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
                logits = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1")
                if spatial_squeeze:
                    logits = array_ops.squeeze(logits, [1, 2], name="SpatialSqueeze")
            points["Logits"], points["Predictions"] = logits, prediction_fn(logits, scope="Predictions")
    return logits, points


def _aux(net, num_classes, depth, squeeze):
    with variable_scope("AuxLogits"):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        window = _window(net, 5, 5)
        net = conv2d(net, depth(768), window, weights_initializer=truncated_normal_initializer(stddev=0.01), padding="VALID",
                     scope=f"Conv2d_2a_{window[0]}x{window[1]}")
        net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                     weights_initializer=truncated_normal_initializer(stddev=0.001), scope="Conv2d_2b_1x1")
        return array_ops.squeeze(net, [1, 2], name="SpatialSqueeze") if squeeze else net


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def _v1_text(name, depths):
    one, two, three, four, five, six = depths
    # Checkpoints have this name.
    last = "0a_3x3" if name == "Mixed_5b" else "0b_3x3"
    return f"{one} 1x1 0a_1x1; {two} 1x1 0a_1x1, {three} 3x3 0b_3x3; {four} 1x1 0a_1x1, {five} 3x3 {last}; max, {six} 1x1 0b_1x1"


def _v1_mixed(net, name, depths):
    """As _mixed, whose last branch is of maxima."""
    with variable_scope(name):
        branches = []
        for i, text in enumerate(_v1_text(name, depths).split("; ")):
            with variable_scope(f"Branch_{i}"):
                start = max_pool2d(net, [3, 3], scope="MaxPool_0a_3x3") if text.startswith("max") else net
                branches.append(_branch(start, text.removeprefix("max, "), int))
        return array_ops.concat(branches, 3)


def inception_v1_base(inputs: Tensor, final_endpoint: str = "Mixed_5c", scope: str | VariableScope = "InceptionV1") -> _Net:
    """The first network up to a layer: (its outputs, outputs by name). ValueError for an unknown one."""
    parts: list[Any] = _stem(_V1_STEM, int)
    for name, what in _V1.items():
        if isinstance(what, int):
            parts.append((name, lambda net, n=name, k=what: max_pool2d(net, [k, k], stride=2, scope=n)))
        else:
            parts.append((name, lambda net, n=name, d=what: _v1_mixed(net, n, d)))
    with variable_scope(scope, "InceptionV1", [inputs]), \
            arg_scope([conv2d, fully_connected], weights_initializer=truncated_normal_initializer(stddev=0.01)), \
            arg_scope([conv2d, max_pool2d], stride=1, padding="SAME"):
        return _until(inputs, parts, final_endpoint, {})


def inception_v1(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.8,
                 prediction_fn: Callable[..., Tensor] = softmax, spatial_squeeze: bool = True, reuse: bool | None = None,
                 scope: str = "InceptionV1") -> _Net:
    """The first network (GoogLeNet): (logits, outputs by name, with Predictions)."""
    with variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as sc, arg_scope([batch_norm, dropout], is_training=is_training):
        net, points = inception_v1_base(inputs, scope=sc)
        with variable_scope("Logits"):
            net = avg_pool2d(net, _window(net, 7, 7), stride=1, scope="AvgPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_0c_1x1")
            if spatial_squeeze:
                logits = array_ops.squeeze(logits, [1, 2], name="SpatialSqueeze")
            points["Logits"], points["Predictions"] = logits, prediction_fn(logits, scope="Predictions")
    return logits, points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v3_arg_scope(weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars", batch_norm_decay: float = 0.9997,
                           batch_norm_epsilon: float = 0.001, updates_collections: Any = GraphKeys.UPDATE_OPS,
                           use_fused_batchnorm: bool = True) -> dict[Any, dict[str, Any]]:
    """The arguments of their layers."""
    moving = {"beta": None, "gamma": None, "moving_mean": [batch_norm_var_collection], "moving_variance": [batch_norm_var_collection]}
    normalization = {"decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "updates_collections": updates_collections,
                     "fused": use_fused_batchnorm, "variables_collections": moving}
    with arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)), \
            arg_scope([conv2d], weights_initializer=variance_scaling_initializer(), activation_fn=nn.relu, normalizer_fn=batch_norm,
                      normalizer_params=normalization) as scope:
        return scope
