"""Elements that are dropped by random numbers of the program's choice: `tf.nn.experimental`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.typing import TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _dropped(x, rate, sampler, noise_shape, name, default):
    with _scope(name, default):
        if isinstance(rate, Real) and not 0 <= rate < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}")
        if isinstance(rate, Real):
            if rate == 0:
                return x
            scaled = x * convert_to_tensor(1 / (1 - rate), x.dtype)
        elif isinstance(rate, Tensor):
            rate = math_ops.cast(rate, x.dtype)
            scaled = x / (1 - rate)
        else:
            raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
        shape = array_ops.shape(x) if noise_shape is None else _noise_shape(x, noise_shape)
        made = array_ops.where_v2(sampler(shape=shape, dtype=x.dtype) >= rate, scaled, convert_to_tensor(0, x.dtype))
        made.set_shape(x.shape)
        return made


def _noise_shape(x, noise_shape):
    if isinstance(noise_shape, Tensor):
        return noise_shape
    wanted, known = as_shape(noise_shape), x.shape
    if wanted.rank is None or known.rank != wanted.rank:
        return noise_shape
    sizes = array_ops.shape(x)
    return array_ops.stack([sizes[i] if w is None and k is None else k if w is None else w
                            for i, (w, k) in enumerate(zip(wanted.as_list(), known.as_list()))])


def stateless_dropout(x: TensorLike, rate: TensorLike, seed: TensorLike, rng_alg: str | int | None = None, noise_shape: TensorLike | None = None,
                      name: str | None = None) -> Tensor:
    """Each element zero with the probability `rate`, else larger by 1 / (1 - rate); the same ones for the same `seed`, two integers."""
    from troupe.stateless_random_ops import stateless_random_uniform

    return _dropped(x, rate, lambda shape, dtype: stateless_random_uniform(shape, seed=seed, dtype=dtype), noise_shape, name, "stateless_dropout")


def general_dropout(x: TensorLike, rate: TensorLike, uniform_sampler: Callable[..., Tensor], noise_shape: TensorLike | None = None,
                    name: str | None = None) -> Tensor:
    """The same with random numbers of `uniform_sampler(shape=, dtype=)`."""
    return _dropped(x, rate, uniform_sampler, noise_shape, name, "general_dropout")
