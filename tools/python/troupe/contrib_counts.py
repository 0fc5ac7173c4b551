"""More of tf.contrib.distributions: counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, math_ops, ops, random_ops, special_math_ops
from troupe.conversion import convert_to_tensor
from troupe.distribution import NOT_REPARAMETERIZED, Distribution, RegisterKL, logits_and_probs
from troupe.distributions_counts import _parameters

if TYPE_CHECKING:
    from troupe.typing import TensorLike

_log = math_ops.log


class Poisson(Distribution):
    """Counts of mean `rate`, or exp(log_rate). ValueError unless just one is given."""

    def __init__(self, rate: TensorLike | None = None, log_rate: TensorLike | None = None, interpolate_nondiscrete: bool = True,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Poisson") -> None:
        parameters = _parameters(locals())
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        with ops.name_scope(name) as scope:
            self.rate = convert_to_tensor(rate, name="rate") if log_rate is None else math_ops.exp(log_rate)
            self.log_rate = _log(self.rate) if log_rate is None else convert_to_tensor(log_rate, name="log_rate")
        self.interpolate_nondiscrete = interpolate_nondiscrete
        super().__init__(self.rate.dtype.base_dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.rate], scope)

    def _batch_shape(self):
        return self.rate.shape

    def _batch_shape_tensor(self):
        return array_ops.shape(self.rate)

    def _sample_n(self, n, seed=None):
        return special_math_ops.random_poisson(self.rate, [n], self.dtype, seed)

    def _log_prob(self, x):
        x = math_ops.cast(x, self.dtype)
        told = x * self.log_rate - math_ops.lgamma(1.0 + x) - self.rate
        if self.interpolate_nondiscrete:
            return told
        return array_ops.where_v2(math_ops.equal(x, math_ops.floor(x)), told, convert_to_tensor(-np.inf, self.dtype))

    def _cdf(self, x):
        x = math_ops.maximum(math_ops.cast(x, self.dtype), -1.0)
        return special_math_ops.igammac(1.0 + (x if self.interpolate_nondiscrete else math_ops.floor(x)), self.rate)

    def _mean(self):
        return 1.0 * self.rate

    _variance = _mean

    def _mode(self):
        return math_ops.floor(self.rate)


class Binomial(Distribution):
    """How often of `total_count` times, with probability `probs` each."""

    def __init__(self, total_count: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Binomial") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.logits, self.probs = logits_and_probs(logits, probs, False, validate_args, scope)
            self.total_count = convert_to_tensor(total_count, self.probs.dtype.base_dtype, name="total_count")
        super().__init__(self.probs.dtype.base_dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.probs], scope)

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(self.total_count.shape, self.probs.shape)

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(array_ops.shape(self.total_count), array_ops.shape(self.probs))

    def _log_prob(self, counts):
        counts, n = math_ops.cast(counts, self.dtype), self.total_count
        ways = math_ops.lgamma(1.0 + n) - math_ops.lgamma(1.0 + counts) - math_ops.lgamma(1.0 + n - counts)
        return ways + counts * _log(self.probs) + (n - counts) * math_ops.log1p(-self.probs)

    def _mean(self):
        return self.total_count * self.probs

    def _variance(self):
        return self._mean() * (1.0 - self.probs)

    def _mode(self):
        return math_ops.floor((1.0 + self.total_count) * self.probs)


class Geometric(Distribution):
    """How many failures come before the first success of probability `probs`."""

    def __init__(self, logits: TensorLike | None = None, probs: TensorLike | None = None, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Geometric") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.logits, self.probs = logits_and_probs(logits, probs, False, validate_args, scope)
        super().__init__(self.probs.dtype.base_dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.probs], scope)

    def _batch_shape(self):
        return self.probs.shape

    def _batch_shape_tensor(self):
        return array_ops.shape(self.probs)

    def _sample_n(self, n, seed=None):
        uniform = random_ops.random_uniform(self._shape_of(n), float(np.finfo(self.dtype.as_numpy_dtype).tiny), 1.0, self.dtype, seed)
        return math_ops.floor(_log(uniform) / math_ops.log1p(-self.probs))

    def _log_prob(self, counts):
        return math_ops.cast(counts, self.dtype) * math_ops.log1p(-self.probs) + _log(self.probs)

    def _entropy(self):
        return (-(1.0 - self.probs) * math_ops.log1p(-self.probs) - self.probs * _log(self.probs)) / self.probs

    def _mean(self):
        return math_ops.exp(-self.logits)

    def _variance(self):
        return self._mean() / self.probs

    def _mode(self):
        return array_ops.zeros(self._batch_shape_tensor(), self.dtype)


@RegisterKL(Poisson, Poisson)
def _poissons(a, b, name=None):
    with ops.name_scope(name, "kl_poisson"):
        return a.rate * (a.log_rate - b.log_rate) - a.rate + b.rate
