"""Moments, and normalization by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, reduce_mean, reduce_prod, reduce_sum
from troupe.nn_conv import one_of
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.typing import TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _without(tensor, axes):
    """Without dimensions of size 1, whose numbers may be a tensor."""
    return reduce_sum(tensor, axes) if isinstance(axes, Tensor) else array_ops.squeeze(tensor, axes)


def moments(x: TensorLike, axes: int | Sequence[int] | Tensor, shift: TensorLike | None = None, name: str | None = None, keep_dims: bool | None = None,
            keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """(mean, variance) over these dimensions."""
    keep = bool(one_of(keepdims, "keepdims", keep_dims, "keep_dims"))
    with _scope(name, "moments"):
        x = convert_to_tensor(x)
        y = cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = reduce_mean(y, axes, keepdims=True, name="mean")
        distance = op_call.call("SquaredDifference", None, x=y, y=op_call.call("StopGradient", None, input=mean))
        variance = reduce_mean(distance, axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = _without(mean, axes), _without(variance, axes)
        return (cast(mean, x.dtype), cast(variance, x.dtype)) if y is not x else (mean, variance)


def weighted_moments(x: TensorLike, axes: int | Sequence[int] | Tensor, frequency_weights: TensorLike, name: str | None = None, keep_dims: bool | None = None,
                     keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """(mean, variance) where each element counts as often as its weight says."""
    keep = bool(one_of(keepdims, "keepdims", keep_dims, "keep_dims"))
    with _scope(name, "weighted_moments"):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        own_type = x.dtype
        x = cast(x, dtypes.float32) if own_type is dtypes.float16 else x
        weights = cast(weights, x.dtype)
        total = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        count = reduce_sum(weights + array_ops.zeros_like(x), axes, name="sum_of_weights", keepdims=True)
        mean = math_ops.div_no_nan(total, count)
        distance = reduce_sum(weights * op_call.call("SquaredDifference", None, x=x, y=mean), axes, name="weighted_distsq", keepdims=True)
        variance = math_ops.div_no_nan(distance, count)
        if not keep:
            mean, variance = _without(mean, axes), _without(variance, axes)
        return cast(mean, own_type), cast(variance, own_type)


def sufficient_statistics(x: TensorLike, axes: Iterable[int], shift: TensorLike | None = None, keep_dims: bool | None = None, name: str | None = None,
                          keepdims: bool | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """(how many, their sum, the sum of their squares, `shift`), of which normalize_moments makes the moments."""
    keep = bool(one_of(keepdims, "keepdims", keep_dims, "keep_dims"))
    axes = list(set(axes))
    with _scope(name, "sufficient_statistics"):
        x = convert_to_tensor(x, name="x")
        dims = x.shape.as_list() if x.shape.rank is not None else None
        if dims is not None and all(dims[d] is not None for d in axes):
            count = 1
            for d in axes:
                count *= dims[d]
            count = constant(count, x.dtype.base_dtype)
        else:
            positive = [a + array_ops.rank(x) if a < 0 else a for a in axes]
            count = reduce_prod(array_ops.gather(cast(array_ops.shape(x), x.dtype), positive), name="count")
        if shift is None:
            first, second = x, op_call.call("Square", None, x=x)
        else:
            shift = convert_to_tensor(shift, name="shift")
            first, second = op_call.call("Sub", None, x=x, y=shift), op_call.call("SquaredDifference", None, x=x, y=shift)
        return (count, reduce_sum(first, axes, keepdims=keep, name="mean_ss"), reduce_sum(second, axes, keepdims=keep, name="var_ss"), shift)


def normalize_moments(counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: TensorLike | None,
                      name: str | None = None) -> tuple[Tensor, Tensor]:
    """(mean, variance) of sufficient statistics."""
    with _scope(name, "normalize"):
        divisor = op_call.call("Reciprocal", "divisor", x=counts)
        shifted = op_call.call("Mul", "mean" if shift is None else "shifted_mean", x=mean_ss, y=divisor)
        mean = shifted if shift is None else op_call.call("AddV2", "mean", x=shifted, y=shift)
        variance = op_call.call("Sub", "variance", x=op_call.call("Mul", None, x=variance_ss, y=divisor), y=op_call.call("Square", None, x=shifted))
        return mean, variance


def batch_normalization(x: TensorLike, mean: TensorLike, variance: TensorLike, offset: TensorLike | None, scale: TensorLike | None,
                        variance_epsilon: float | Tensor, name: str | None = None) -> Tensor:
    """scale (x - mean) / sqrt(variance + epsilon) + offset; without `scale` or `offset` where these are None."""
    with _scope(name, "batchnorm"):
        x = convert_to_tensor(x)
        inverse = op_call.call("Rsqrt", None, x=convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            inverse = inverse * scale
        mean = convert_to_tensor(mean)
        moved = x * cast(inverse, x.dtype)
        return moved + cast(offset - mean * inverse if offset is not None else -mean * inverse, x.dtype)


def batch_norm_with_global_normalization(t: TensorLike | None = None, m: TensorLike | None = None, v: TensorLike | None = None,
                                         beta: TensorLike | None = None, gamma: TensorLike | None = None,
                                         variance_epsilon: float | Tensor | None = None, scale_after_normalization: bool | None = None,
                                         name: str | None = None, input: TensorLike | None = None, mean: TensorLike | None = None,
                                         variance: TensorLike | None = None) -> Tensor:
    t, m, v = one_of(input, "input", t, "t"), one_of(mean, "mean", m, "m"), one_of(variance, "variance", v, "v")
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)  # type: ignore[arg-type]


def fused_batch_norm(x: TensorLike, scale: TensorLike, offset: TensorLike, mean: TensorLike | None = None, variance: TensorLike | None = None,
                     epsilon: float = 0.001, data_format: str = "NHWC", is_training: bool = True, name: str | None = None,
                     exponential_avg_factor: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    """(normalized, mean, variance) of images, over all but the channels. Training: by the batch's own moments; else by those given."""
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` != 1.0. Received: "
                         f"`mean` {mean!r} and `variance` {variance!r}")
    x, scale = convert_to_tensor(x, name="input"), convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([], dtypes.float32) if mean is None else mean
    variance = constant([], dtypes.float32) if variance is None else variance
    made = op_call.call("FusedBatchNormV3", name, x=x, scale=scale, offset=offset, mean=mean, variance=variance,
                        epsilon=epsilon, exponential_avg_factor=exponential_avg_factor, data_format=data_format, is_training=is_training)
    return made[0], made[1], made[2]
