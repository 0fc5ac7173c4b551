"""Random numbers that follow from a seed of two numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _drawn(op_type, shape, seed, dtype):
    shape = convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name="shape")
    return op_call.call(op_type, None, shape=shape, seed=seed, dtype=dtype)


def _scaled(name, default, op_type, shape, seed, mean, stddev, dtype):
    dtype = dtypes.as_dtype(dtype)
    with _scope(name or default) as scope:
        mean, stddev = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
        return op_call.call("AddV2", scope, x=_drawn(op_type, shape, seed, dtype) * stddev, y=mean)


def stateless_random_normal(shape: ShapeOrTensor, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
                            dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select") -> Tensor:
    return _scaled(name, "stateless_random_normal", "StatelessRandomNormal", shape, seed, mean, stddev, dtype)


def stateless_truncated_normal(shape: ShapeOrTensor, seed: TensorLike, mean: TensorLike = 0.0, stddev: TensorLike = 1.0,
                               dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select") -> Tensor:
    return _scaled(name, "stateless_truncated_normal", "StatelessTruncatedNormal", shape, seed, mean, stddev, dtype)


def stateless_random_uniform(shape: ShapeOrTensor, seed: TensorLike, minval: TensorLike = 0, maxval: TensorLike | None = None,
                             dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select") -> Tensor:
    """Numbers from `minval` to `maxval`, without it. ValueError for integers without `maxval`."""
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with _scope(name or "stateless_random_uniform") as scope:
        low, high = convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(maxval, dtype, name="max")
        if dtype.is_integer:
            shape = convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name="shape")
            return op_call.call("StatelessRandomUniformInt", scope, shape=shape, seed=seed, minval=low, maxval=high)
        return op_call.call("AddV2", scope, x=_drawn("StatelessRandomUniform", shape, seed, dtype) * (high - low), y=low)


def stateless_multinomial(logits: TensorLike, num_samples: TensorLike, seed: TensorLike, output_dtype: DTypeLike = dtypes.int64,
                          name: str | None = None) -> Tensor:
    with _scope(name or "stateless_multinomial"):
        return op_call.call("StatelessMultinomial", None, logits=logits, num_samples=num_samples, seed=seed, output_dtype=output_dtype)


def stateless_categorical(logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = dtypes.int64,
                          name: str | None = None) -> Tensor:
    with _scope(name or "stateless_categorical"):
        return op_call.call("StatelessMultinomial", None, logits=logits, num_samples=num_samples, seed=seed, output_dtype=dtype)


def categorical(logits: TensorLike, num_samples: TensorLike, dtype: DTypeLike | None = None, seed: int | None = None,
                name: str | None = None) -> Tensor:
    """Classes drawn by unnormalized logarithms of probabilities, [batch, num_samples]."""
    from troupe.random_ops import draw

    with _scope(name or "categorical"):
        return draw(logits, num_samples, seed, dtype)
