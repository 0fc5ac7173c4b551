"""Random tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.ops import get_seed

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike


def _shape(shape):
    """A vector, int32 also when it is empty."""
    if isinstance(shape, (list, tuple)) and not shape:
        return convert_to_tensor(shape, dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


def _random(op_type, shape, dtype, seed, name=None, **attrs):
    seed1, seed2 = get_seed(seed)
    return op_call.call(op_type, name, shape=shape, seed=seed1 or 0, seed2=seed2 or 0, **({"dtype": dtype} if dtype else {}), **attrs)


def _scaled(op_type, shape, mean, stddev, dtype, seed, scope):
    shape = _shape(shape)
    mean = convert_to_tensor(mean, dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype, name="stddev")
    return op_call.call("AddV2", scope, x=op_call.call("Mul", "mul", x=_random(op_type, shape, dtype, seed), y=stddev), y=mean)


def random_normal(shape: ShapeOrTensor, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
                  seed: int | None = None, name: str | None = None) -> Tensor:
    with stacks.get_default_graph().name_scope(name or "random_normal") as scope:
        return _scaled("RandomStandardNormal", shape, mean, stddev, dtypes.as_dtype(dtype), seed, scope)


def truncated_normal(shape: ShapeOrTensor, mean: TensorLike = 0.0, stddev: TensorLike = 1.0, dtype: DTypeLike = dtypes.float32,
                     seed: int | None = None, name: str | None = None) -> Tensor:
    with stacks.get_default_graph().name_scope(name or "truncated_normal") as scope:
        return _scaled("TruncatedNormal", shape, mean, stddev, dtypes.as_dtype(dtype), seed, scope)


def parameterized_truncated_normal(shape: ShapeOrTensor, means: TensorLike = 0.0, stddevs: TensorLike = 1.0, minvals: TensorLike = -2.0,
                                   maxvals: TensorLike = 2.0, dtype: DTypeLike = dtypes.float32, seed: int | None = None,
                                   name: str | None = None) -> Tensor:
    """Normal numbers between these limits, which may be other ones for each row."""
    dtype = dtypes.as_dtype(dtype)
    with stacks.get_default_graph().name_scope(name or "parameterized_truncated_normal") as scope:
        parameters = {n: convert_to_tensor(v, dtype, name=n) for n, v in (("means", means), ("stdevs", stddevs), ("minvals", minvals), ("maxvals", maxvals))}
        return _random("ParameterizedTruncatedNormal", _shape(shape), None, seed, scope, **parameters)


def random_uniform(shape: ShapeOrTensor, minval: TensorLike = 0, maxval: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
                   seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers from `minval` to `maxval`, without it."""
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with stacks.get_default_graph().name_scope(name or "random_uniform") as scope:
        shape = _shape(shape)
        if dtype.is_integer:
            seed1, seed2 = get_seed(seed)
            low, high = (convert_to_tensor(v, dtype, name=n) for v, n in ((minval, "min"), (maxval, "max")))
            return op_call.call("RandomUniformInt", scope, shape=shape, minval=low, maxval=high, seed=seed1 or 0, seed2=seed2 or 0)
        plain = type(minval) in (int, float) and type(maxval) in (int, float)
        if plain and minval == 0 and maxval == 1:
            return _random("RandomUniform", shape, dtype, seed)
        low, high = (convert_to_tensor(v, dtype, name=n) for v, n in ((minval, "min"), (maxval, "max")))
        unit = _random("RandomUniform", shape, dtype, seed)
        width = op_call.call("Sub", "sub", x=high, y=low)
        return op_call.call("AddV2", scope, x=op_call.call("Mul", "mul", x=unit, y=width), y=low)


def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    seed1, seed2 = get_seed(seed)
    return op_call.call("RandomShuffle", name, value=value, seed=seed1 or 0, seed2=seed2 or 0)


def multinomial(logits: TensorLike, num_samples: TensorLike, seed: int | None = None, name: str | None = None,
                output_dtype: DTypeLike | None = None) -> Tensor:
    """Classes drawn by unnormalized logarithms of probabilities, [batch, num_samples]."""
    with stacks.get_default_graph().name_scope(name or "multinomial"):
        return draw(logits, num_samples, seed, output_dtype)


def draw(logits: TensorLike, num_samples: TensorLike, seed: int | None, output_dtype: DTypeLike | None) -> Tensor:
    """The same in the scope that is there."""
    logits = convert_to_tensor(logits, name="logits")
    seed1, seed2 = get_seed(seed)
    return op_call.call("Multinomial", None, logits=logits, num_samples=num_samples, seed=seed1 or 0, seed2=seed2 or 0, output_dtype=output_dtype)


def random_gamma(shape: ShapeOrTensor, alpha: TensorLike, beta: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
                 seed: int | None = None, name: str | None = None) -> Tensor:
    with stacks.get_default_graph().name_scope(name or "random_gamma"):
        alpha = convert_to_tensor(alpha, dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
        seed1, seed2 = get_seed(seed)
        alpha = alpha + op_call.call("ZerosLike", None, x=beta)
        drawn = op_call.call("RandomGamma", None, shape=_shape(shape), alpha=alpha, seed=seed1 or 0, seed2=seed2 or 0)
        return op_call.call("Maximum", None, x=np.finfo(alpha.dtype.as_numpy_dtype).tiny, y=drawn / beta)  # type: ignore[union-attr]
