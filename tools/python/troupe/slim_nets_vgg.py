"""VGG, AlexNet and OverFeat as tf.contrib.slim.nets had them, with the names of their checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, nn
from troupe.contrib_initializers import l2_regularizer
from troupe.contrib_layers import conv2d, convert_collection_to_dict, dropout, fully_connected, max_pool2d, repeat
from troupe.contrib_scopes import arg_scope
from troupe.initializers import constant_initializer, truncated_normal_initializer, zeros_initializer
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Tensor

    _Net = tuple[Tensor, dict[str, Tensor]]


def vgg_arg_scope(weight_decay: float = 0.0005) -> dict[Any, dict[str, Any]]:
    """The arguments of VGG's layers."""
    with arg_scope([conv2d, fully_connected], activation_fn=nn.relu, weights_regularizer=l2_regularizer(weight_decay),
                   biases_initializer=zeros_initializer()), arg_scope([conv2d], padding="SAME") as scope:
        return scope


def _head(net, num_classes, is_training, keep, scope, end_points, sizes, squeeze, first_window, initializer=None):
    """Layers of all inputs, as convolutions: pictures that are larger give maps of classes."""
    more = {} if initializer is None else {"biases_initializer": initializer}
    with arg_scope([conv2d], **more) if more else arg_scope([conv2d]):
        net = conv2d(net, sizes[0], first_window, padding="VALID", scope="fc6")
        net = dropout(net, keep, is_training=is_training, scope="dropout6")
        net = conv2d(net, sizes[1], [1, 1], scope="fc7")
    net = dropout(net, keep, is_training=is_training, scope="dropout7")
    net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **({} if initializer is None else {
        "biases_initializer": zeros_initializer()}))
    points = convert_collection_to_dict(end_points)
    if squeeze:
        net = array_ops.squeeze(net, [1, 2], name="fc8/squeezed")
        points[scope.name + "/fc8"] = net
    return net, points


def _vgg(inputs, layers, num_classes, is_training, keep, squeeze, name, default):
    with variable_scope(name, default, [inputs]) as scope:
        end_points = scope.name + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=end_points):
            net = inputs
            for i, (times, depth) in enumerate(zip(layers, (64, 128, 256, 512, 512)), 1):
                net = repeat(net, times, conv2d, depth, [3, 3], scope=f"conv{i}")
                net = max_pool2d(net, [2, 2], scope=f"pool{i}")
            return _head(net, num_classes, is_training, keep, scope, end_points, (4096, 4096), squeeze, [7, 7])


def vgg_a(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True,
          scope: str = "vgg_a") -> _Net:
    """VGG of 11 layers: (logits, outputs by name)."""
    return _vgg(inputs, (1, 1, 2, 2, 2), num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, "vgg_a")


def vgg_16(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True,
           scope: str = "vgg_16") -> _Net:
    """VGG of 16 layers: (logits, outputs by name)."""
    return _vgg(inputs, (2, 2, 3, 3, 3), num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, "vgg_16")


def vgg_19(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True,
           scope: str = "vgg_19") -> _Net:
    """VGG of 19 layers: (logits, outputs by name)."""
    return _vgg(inputs, (2, 2, 4, 4, 4), num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, "vgg_19")


for _function in (vgg_a, vgg_16, vgg_19):
    _function.default_image_size = 224  # type: ignore[attr-defined]


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> dict[Any, dict[str, Any]]:
    """The arguments of AlexNet's layers."""
    with arg_scope([conv2d, fully_connected], activation_fn=nn.relu, biases_initializer=constant_initializer(0.1),
                   weights_regularizer=l2_regularizer(weight_decay)), arg_scope([conv2d], padding="SAME"), \
            arg_scope([max_pool2d], padding="VALID") as scope:
        return scope


overfeat_arg_scope = vgg_arg_scope


def alexnet_v2(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True,
               scope: str = "alexnet_v2") -> _Net:
    """AlexNet in one column: (logits, outputs by name)."""
    with variable_scope(scope, "alexnet_v2", [inputs]) as sc:
        end_points = sc.name + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[end_points]):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [3, 3], 2, scope="pool1")
            net = conv2d(net, 192, [5, 5], scope="conv2")
            net = max_pool2d(net, [3, 3], 2, scope="pool2")
            net = conv2d(net, 384, [3, 3], scope="conv3")
            net = conv2d(net, 384, [3, 3], scope="conv4")
            net = conv2d(net, 256, [3, 3], scope="conv5")
            net = max_pool2d(net, [3, 3], 2, scope="pool5")
            with arg_scope([conv2d], weights_initializer=truncated_normal_initializer(stddev=0.005)):
                return _head(net, num_classes, is_training, dropout_keep_prob, sc, end_points, (4096, 4096), spatial_squeeze, [5, 5],
                             constant_initializer(0.1))


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]


def overfeat(inputs: Tensor, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True,
             scope: str = "overfeat") -> _Net:
    """OverFeat's fast network: (logits, outputs by name)."""
    with variable_scope(scope, "overfeat", [inputs]) as sc:
        end_points = sc.name + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=end_points):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [2, 2], scope="pool1")
            net = conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = max_pool2d(net, [2, 2], scope="pool2")
            for i, depth in ((3, 512), (4, 1024), (5, 1024)):
                net = conv2d(net, depth, [3, 3], scope=f"conv{i}")
            net = max_pool2d(net, [2, 2], scope="pool5")
            with arg_scope([conv2d], weights_initializer=truncated_normal_initializer(stddev=0.005)):
                return _head(net, num_classes, is_training, dropout_keep_prob, sc, end_points, (3072, 4096), spatial_squeeze, [6, 6],
                             constant_initializer(0.1))


overfeat.default_image_size = 231  # type: ignore[attr-defined]

