"""Derivatives of functions, by rules and by differences: `gradient_checker_v2` and `tf.test.compute_gradient` of TensorFlow 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import array_ops, conversion, stacks, test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.typing import TensorLike


def compute_gradient(f: Callable[..., Any], x: Sequence[TensorLike], delta: float | None = None) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """(theoretical, numerical) Jacobians of f(*x), one for each of `x`, matrices of [elements of f(*x), elements of x], in the default session.
    ValueError where `x` is no list."""
    if not isinstance(x, (list, tuple)):
        raise ValueError("`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a value of type "
                         f"{type(x).__name__}.")
    session = stacks.get_default_session()
    starts = session.run([conversion.convert_to_tensor(v) for v in x])
    fed = [array_ops.placeholder(v.dtype, v.shape) for v in starts]
    y = f(*fed)
    shapes = [v.shape for v in starts]
    found = test.compute_gradient(fed, shapes, y, session.run(array_ops.shape(y), dict(zip(fed, starts))).tolist(), starts,
                                  1.0 / 1024 if delta is None else delta)
    return tuple(a.T for a, _ in found), tuple(b.T for _, b in found)


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference of two lists of Jacobians; infinite where just one has a NaN."""
    error = 0.0
    for a, b in zip(grad1, grad2):
        if a.size and b.size:
            known = ~(np.isnan(a) & np.isnan(b))
            error = max(error, float(np.max(np.nan_to_num(np.abs(a - b)[known], nan=np.inf, posinf=np.inf), initial=0.0)))
    return error
