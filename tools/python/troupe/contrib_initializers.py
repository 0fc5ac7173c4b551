"""First values and penalties of weights, as tf.contrib.layers had them."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING

from troupe import dtypes, math_ops, ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.ops import GraphKeys
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, Initializer, Regularizer
    from troupe.variables import Variable


def variance_scaling_initializer(factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None,
                                 dtype: DTypeLike = dtypes.float32) -> Initializer:
    """First values of variance factor / n, where n is the number of inputs, of outputs, or their mean. TypeError for other dtypes than floating
    point and unknown modes."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape, dtype=dtype, partition_info=None):
        sizes = as_shape(shape if partition_info is None else partition_info.full_shape).as_list()
        inputs, outputs = (sizes[-2] if len(sizes) > 1 else sizes[-1] if sizes else 1.0), sizes[-1] if sizes else 1.0
        places = math.prod(sizes[:-2])
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[mode] * places
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(as_shape(shape), -limit, limit, dtype, seed)
        # What is cut off at two standard deviations has that much less.
        return random_ops.truncated_normal(as_shape(shape), 0.0, math.sqrt(1.3 * factor / n), dtype, seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> Initializer:
    """First values of variance 2 / (inputs + outputs)."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


def _checked(scale, name):
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting a {name} less than 0 on a regularizer: {scale:g}")
    return scale == 0.0 if isinstance(scale, numbers.Real) else False


def _regularizer(scale, scope, default, penalty):
    if _checked(scale, "scale"):
        return lambda weights: None

    def regularize(weights, name=None):
        with ops.name_scope(scope, default) as inner:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return math_ops.multiply(factor, penalty(weights), name=name or inner)

    return regularize


def _absolute(weights):
    return math_ops.reduce_sum(math_ops.abs(weights))


def _squares(weights):
    from troupe.nn import l2_loss

    return l2_loss(weights)


def l1_regularizer(scale: float | Tensor, scope: str | None = None) -> Regularizer:
    """The sum of absolute weights times `scale`. ValueError for whole or negative numbers."""
    return _regularizer(scale, scope, "l1_regularizer", _absolute)


def l2_regularizer(scale: float | Tensor, scope: str | None = None) -> Regularizer:
    """Half the sum of squared weights times `scale`. ValueError for whole or negative numbers."""
    return _regularizer(scale, scope, "l2_regularizer", _squares)


def l1_l2_regularizer(scale_l1: float | Tensor = 1.0, scale_l2: float | Tensor = 1.0, scope: str | None = None) -> Regularizer:
    """The sum of both."""
    _checked(scale_l1, "scale_l1"), _checked(scale_l2, "scale_l2")
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope or "l1_l2_regularizer")  # type: ignore[return-value]


def sum_regularizer(regularizer_list: Sequence[Regularizer | None], scope: str | None = None) -> Regularizer | None:
    """The sum of what several give; None from none."""
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def regularize(weights):
        with ops.name_scope(scope, "sum_regularizer") as inner:
            told = [t for t in (r(weights) for r in regularizers) if t is not None]
            return math_ops.add_n(told, name=inner) if told else None

    return regularize


def apply_regularization(regularizer: Regularizer, weights_list: Sequence[Tensor | Variable] | None = None) -> Tensor:
    """The sum of the penalties of weights, those of the collection WEIGHTS unless given; each is added to REGULARIZATION_LOSSES. ValueError for
    none."""
    weights_list = weights_list or ops.get_collection("weights")
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with ops.name_scope("get_regularization_penalty") as scope:
        told = [convert_to_tensor(0.0) if t is None else t for t in (regularizer(w) for w in weights_list)]
        total = math_ops.add_n(told, name=scope) if len(told) > 1 else told[0]
        for penalty in told:
            ops.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, penalty)
        return total
