"""tf.layers of TensorFlow 1.15: layers as classes, and as functions, each of which makes a layer and calls it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from troupe import initializers
from troupe.layer import Layer  # noqa: F401, it is of this module, too
from troupe.layers_conv import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, SeparableConv1D, SeparableConv2D
from troupe.layers_core import Dense, Dropout, Flatten
from troupe.layers_norm import BatchNormalization
from troupe.layers_pool import AveragePooling1D, AveragePooling2D, AveragePooling3D, MaxPooling1D, MaxPooling2D, MaxPooling3D

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import Constraint, Initializer, Regularizer, ShapeOrTensor, TensorLike


def _function(layer_class, reuses: bool = True):
    """`function(inputs, ...)` with the parameters of the class. `reuses`: it has a parameter `reuse` as well, and its name is a variable scope;
    else a name that is taken gets a number."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [p for p in inspect.signature(layer_class.__init__).parameters.values() if p.name not in ("self", "kwargs")]
    reuse = [inspect.Parameter("reuse", kind, default=None)] if reuses else []
    signature = inspect.Signature([inspect.Parameter("inputs", kind), *own, *reuse])

    def function(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        inputs = given.pop("inputs")
        if reuses:
            given.update(_reuse=given.pop("reuse", None), _scope=given.get("name"))
        return layer_class(**given)(inputs)

    function.__signature__ = signature
    function.__doc__ = f"A new {layer_class.__name__} layer called with `inputs`. {layer_class.__doc__}"
    return function


dense = _function(Dense)
conv1d, conv2d, conv3d = _function(Conv1D), _function(Conv2D), _function(Conv3D)
conv2d_transpose, conv3d_transpose = _function(Conv2DTranspose), _function(Conv3DTranspose)
separable_conv1d, separable_conv2d = _function(SeparableConv1D), _function(SeparableConv2D)
max_pooling1d, average_pooling1d = _function(MaxPooling1D, False), _function(AveragePooling1D, False)
max_pooling2d, average_pooling2d = _function(MaxPooling2D, False), _function(AveragePooling2D, False)
max_pooling3d, average_pooling3d = _function(MaxPooling3D, False), _function(AveragePooling3D, False)


def flatten(inputs: TensorLike, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """[batch, ...] as [batch, product of the others]."""
    return Flatten(data_format, name)(inputs)


def dropout(inputs: TensorLike, rate: TensorLike = 0.5, noise_shape: ShapeOrTensor = None, seed: int | None = None, training: bool | Tensor = False,
            name: str | None = None) -> Tensor:
    """When `training`, elements are zero with probability `rate`, and the others larger by as much."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def batch_normalization(inputs: TensorLike, axis: int | Sequence[int] = -1, momentum: float = 0.99, epsilon: float = 0.001, center: bool = True,
                        scale: bool = True, beta_initializer: Initializer = initializers.Zeros(),
                        gamma_initializer: Initializer = initializers.Ones(), moving_mean_initializer: Initializer = initializers.Zeros(),
                        moving_variance_initializer: Initializer = initializers.Ones(), beta_regularizer: Regularizer | None = None,
                        gamma_regularizer: Regularizer | None = None, beta_constraint: Constraint | None = None,
                        gamma_constraint: Constraint | None = None, training: bool | Tensor = False, trainable: bool = True, name: str | None = None,
                        reuse: bool | None = None, renorm: bool = False, renorm_clipping: Mapping[str, Any] | None = None,
                        renorm_momentum: float = 0.99, fused: bool | None = None, virtual_batch_size: int | None = None,
                        adjustment: Any = None) -> Tensor:
    """A new BatchNormalization layer called with `inputs`. Training programs must run the operations of the collection UPDATE_OPS."""
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer,
        beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm, renorm_clipping, renorm_momentum, fused, trainable,
        virtual_batch_size, adjustment, name, _reuse=reuse, _scope=name)
    return layer(inputs, training=training)
