"""Residual networks of both kinds as tf.contrib.slim.nets had them, with the names of their checkpoints."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, nn
from troupe.contrib_initializers import l2_regularizer, variance_scaling_initializer
from troupe.contrib_layers import _collected, batch_norm, conv2d, convert_collection_to_dict, max_pool2d, softmax
from troupe.contrib_scopes import add_arg_scope, arg_scope
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.variable_scope import VariableScope

    _Net = tuple[Tensor, dict[str, Tensor]]

# A scope, the function of a unit, and its arguments for each unit.
Block = collections.namedtuple("Block", ["scope", "unit_fn", "args"])


def subsample(inputs: Tensor, factor: int, scope: str | None = None) -> Tensor:
    """Each `factor`-th pixel."""
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs: Tensor, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: str | None = None) -> Tensor:
    """A convolution whose zeros are the same on both sides, whatever the size of pictures."""
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
    inputs = array_ops.pad(inputs, [[0, 0], [total // 2, total - total // 2], [total // 2, total - total // 2], [0, 0]])
    return conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(net: Tensor, blocks: Sequence[Any], output_stride: int | None = None,
                       outputs_collections: str | Sequence[str] | None = None) -> Tensor:
    """Blocks one on the other; from `output_stride` on, gaps in kernels instead of strides. ValueError for one that cannot be reached."""
    current, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as sc:
            for i, unit in enumerate(block.args):
                if output_stride is not None and current > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{i + 1}", values=[net]):
                    if output_stride is not None and current == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current *= unit.get("stride", 1)
            net = _collected(outputs_collections, sc.name, net)
    if output_stride is not None and current != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(weight_decay: float = 0.0001, batch_norm_decay: float = 0.997, batch_norm_epsilon: float = 1e-5,
                     batch_norm_scale: bool = True, is_training: bool | None = None) -> dict[Any, dict[str, Any]]:
    """The arguments of their layers."""
    from troupe.ops import GraphKeys

    normalization: dict[str, Any] = {"decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "scale": batch_norm_scale,
                                     "updates_collections": GraphKeys.UPDATE_OPS, "fused": None}
    if is_training is not None:
        normalization["is_training"] = is_training
    with arg_scope([conv2d], weights_regularizer=l2_regularizer(weight_decay), weights_initializer=variance_scaling_initializer(),
                   activation_fn=nn.relu, normalizer_fn=batch_norm, normalizer_params=normalization), \
            arg_scope([batch_norm], **normalization), arg_scope([max_pool2d], padding="SAME") as scope:
        return scope


@add_arg_scope
def bottleneck_v1(inputs: Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
                  outputs_collections: str | Sequence[str] | None = None, scope: str | VariableScope | None = None) -> Tensor:
    """A unit with normalization after each convolution."""
    with variable_scope(scope, "bottleneck_v1", [inputs]) as sc:
        if depth == inputs.shape.as_list()[-1]:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")
        residual = conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        return _collected(outputs_collections, sc.name, nn.relu(shortcut + residual))


@add_arg_scope
def bottleneck_v2(inputs: Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
                  outputs_collections: str | Sequence[str] | None = None, scope: str | VariableScope | None = None) -> Tensor:
    """A unit with normalization before each convolution."""
    with variable_scope(scope, "bottleneck_v2", [inputs]) as sc:
        preact = batch_norm(inputs, activation_fn=nn.relu, scope="preact")
        if depth == inputs.shape.as_list()[-1]:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(preact, depth, [1, 1], stride=stride, normalizer_fn=None, activation_fn=None, scope="shortcut")
        residual = conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, normalizer_fn=None, activation_fn=None, scope="conv3")
        return _collected(outputs_collections, sc.name, shortcut + residual)


def _net(version, inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, spatial_squeeze, reuse, scope):
    unit = bottleneck_v1 if version == 1 else bottleneck_v2
    with variable_scope(scope, f"resnet_v{version}", [inputs], reuse=reuse) as sc:
        end_points = sc.original_name_scope + "_end_points"
        training = arg_scope([batch_norm], is_training=is_training) if is_training is not None else arg_scope([batch_norm])
        with arg_scope([conv2d, unit, stack_blocks_dense], outputs_collections=end_points), training:
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride //= 4
                plain = arg_scope([conv2d], **({} if version == 1 else {"activation_fn": None, "normalizer_fn": None}))
                with plain:
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            if version == 2:
                net = batch_norm(net, activation_fn=nn.relu, scope="postnorm")
            if global_pool:
                net = math_ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
            points = convert_collection_to_dict(end_points)
            if num_classes is not None:
                if spatial_squeeze:
                    net = array_ops.squeeze(net, [1, 2], name="SpatialSqueeze")
                    points[sc.name + "/spatial_squeeze"] = net
                points["predictions"] = softmax(net, scope="predictions")
            return net, points


def resnet_v1(inputs: Tensor, blocks: Sequence[Any], num_classes: int | None = None, is_training: bool | None = True, global_pool: bool = True,
              output_stride: int | None = None, include_root_block: bool = True, reuse: bool | None = None, scope: str | None = None,
              spatial_squeeze: bool = False) -> _Net:
    """A network of the first kind: (logits, or features for no classes; outputs by name)."""
    return _net(1, inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, spatial_squeeze, reuse, scope)


def resnet_v2(inputs: Tensor, blocks: Sequence[Any], num_classes: int | None = None, is_training: bool | None = True, global_pool: bool = True,
              output_stride: int | None = None, include_root_block: bool = True, reuse: bool | None = None, scope: str | None = None,
              spatial_squeeze: bool = False) -> _Net:
    """A network of the second kind: (logits, or features for no classes; outputs by name)."""
    return _net(2, inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, spatial_squeeze, reuse, scope)


def _block(unit, scope, base_depth, num_units, stride):
    one = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    return Block(scope, unit, [{**one, "stride": 1}] * (num_units - 1) + [{**one, "stride": stride}])


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> Any:
    """A block of units, the last of which has the stride."""
    return _block(bottleneck_v1, scope, base_depth, num_units, stride)


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Any:
    """A block of units, the last of which has the stride."""
    return _block(bottleneck_v2, scope, base_depth, num_units, stride)


def _of_layers(network, block, units, name):
    def function(inputs: Tensor, num_classes: int | None = None, is_training: bool | None = True, global_pool: bool = True,
                 output_stride: int | None = None, reuse: bool | None = None, scope: str = name, spatial_squeeze: bool = False) -> _Net:
        strides = (2, 2, 2, 1)
        blocks = [block(f"block{i + 1}", 64 * 2 ** i, n, strides[i]) for i, n in enumerate(units)]
        return network(inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope, spatial_squeeze)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The network of {name.rpartition('_')[2]} layers: (logits, or features for no classes; outputs by name)."
    function.default_image_size = 224  # type: ignore[attr-defined]
    return function


_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}
resnet_v1_50, resnet_v1_101, resnet_v1_152, resnet_v1_200 = (_of_layers(resnet_v1, resnet_v1_block, u, f"resnet_v1_{n}") for n, u in _UNITS.items())
resnet_v2_50, resnet_v2_101, resnet_v2_152, resnet_v2_200 = (_of_layers(resnet_v2, resnet_v2_block, u, f"resnet_v2_{n}") for n, u in _UNITS.items())
