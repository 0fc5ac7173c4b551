"""tf.distributions of TensorFlow 1: numbers from intervals and of the whole line. Those of counts and choices are in distributions_counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, check_ops, math_ops, ops, random_ops, special_math_ops, stacks
from troupe.control_flow_ops import identity_of as identity
from troupe.distribution import (  # noqa: F401, they are of this module, too
    Distribution, FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, RegisterKL, ReparameterizationType, after, kl_divergence, salted)
from troupe.distributions_counts import (  # noqa: F401, they are of this module, too
    Bernoulli, Categorical, Dirichlet, DirichletMultinomial, Multinomial)
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

_lgamma, _digamma, _log = math_ops.lgamma, math_ops.digamma, math_ops.log


class _OfNumbers(Distribution):
    """Parameters are tensors of one floating-point type, whose shapes broadcast to that of the batch. `_names` are theirs."""

    _names: tuple[str, ...] = ()
    _positive: tuple[str, ...] = ()

    def __init__(self, name: str, given: Mapping[str, TensorLike], validate_args: bool, allow_nan_stats: bool) -> None:
        with ops.name_scope(name) as scope:
            checks = [check_ops.assert_positive(given[n]) for n in self._positive] if validate_args else []
            with stacks.get_default_graph().control_dependencies(checks):
                tensors = [identity(convert_to_tensor(given[n], name=n), name=n) for n in self._names]
                check_ops.assert_same_float_dtype(tensors)
        for attribute, tensor in zip(self._names, tensors):
            setattr(self, attribute, tensor)
        super().__init__(tensors[0].dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         {**given, "validate_args": validate_args, "allow_nan_stats": allow_nan_stats, "name": name}, tensors, scope)

    @classmethod
    def _param_shapes(cls, sample_shape):
        return {name: convert_to_tensor(sample_shape, np.int32) for name in cls._names}

    def _tensors(self):
        return [getattr(self, name) for name in self._names]

    def _batch_shape(self):
        shape = self._tensors()[0].shape
        for tensor in self._tensors()[1:]:
            shape = array_ops.broadcast_static_shape(shape, tensor.shape)
        return shape

    def _batch_shape_tensor(self):
        shape = array_ops.shape(self._tensors()[0])
        for tensor in self._tensors()[1:]:
            shape = array_ops.broadcast_dynamic_shape(shape, array_ops.shape(tensor))
        return shape

    def _all(self, value):
        """The value for each of the batch."""
        return value * array_ops.ones(self.batch_shape_tensor(), self.dtype)


class Normal(_OfNumbers):
    """Of mean `loc` and standard deviation `scale`."""

    _names, _positive = ("loc", "scale"), ("scale",)

    def __init__(self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Normal") -> None:
        super().__init__(name, {"loc": loc, "scale": scale}, validate_args, allow_nan_stats)

    def _z(self, x):
        with ops.name_scope("standardize"):
            return (x - self.loc) / self.scale

    def _sample_n(self, n, seed=None):
        return random_ops.random_normal(self._shape_of(n), dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, x):
        return -0.5 * math_ops.square(self._z(x)) - (0.5 * math.log(2.0 * math.pi) + _log(self.scale))

    def _cdf(self, x):
        return _normal_cdf(self._z(x))

    def _log_cdf(self, x):
        return _log_normal_cdf(self._z(x))

    def _survival_function(self, x):
        return _normal_cdf(-self._z(x))

    def _log_survival_function(self, x):
        return _log_normal_cdf(-self._z(x))

    def _quantile(self, p):
        return special_math_ops.ndtri(p) * self.scale + self.loc

    def _entropy(self):
        return 0.5 * math.log(2.0 * math.pi * math.e) + _log(self.scale * array_ops.ones_like(self.loc))

    def _mean(self):
        return self.loc * array_ops.ones_like(self.scale)

    _mode = _mean

    def _stddev(self):
        return self.scale * array_ops.ones_like(self.loc)


def _normal_cdf(x):
    half_sqrt_2 = 0.5 * math.sqrt(2.0)
    w = x * half_sqrt_2
    z = math_ops.abs(w)
    near = 1.0 + math_ops.erf(w)
    far = array_ops.where_v2(w > 0.0, 2.0 - math_ops.erfc(z), math_ops.erfc(z))
    return 0.5 * array_ops.where_v2(z < half_sqrt_2, near, far)


def _log_normal_cdf(x):
    """Far to the left by the asymptotic series, far to the right by its first term, so that nothing is rounded away."""
    lower, upper = (-20.0, 8.0) if x.dtype.size == 8 else (-10.0, 5.0)
    middle = _log(_normal_cdf(math_ops.maximum(x, lower)))
    left = math_ops.minimum(x, lower)
    square = math_ops.square(left)
    series, term = 1.0, 1.0
    for n in range(1, 4):
        term = -term * (2 * n - 1) / square
        series = series + term
    far_left = -0.5 * square - _log(-left) - 0.5 * math.log(2.0 * math.pi) + _log(series)
    far_right = -_normal_cdf(-x)
    return array_ops.where_v2(x > upper, far_right, array_ops.where_v2(x > lower, middle, far_left))


@RegisterKL(Normal, Normal)
def _normals(a, b, name=None):
    with ops.name_scope(name, "kl_normal_normal"):
        other = math_ops.square(b.scale)
        ratio = math_ops.square(a.scale) / other
        return math_ops.squared_difference(a.loc, b.loc) / (2.0 * other) + 0.5 * (ratio - 1.0 - _log(ratio))


class Uniform(_OfNumbers):
    """From `low` to `high`, the latter apart."""

    _names = ("low", "high")

    def __init__(self, low: TensorLike = 0.0, high: TensorLike = 1.0, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Uniform") -> None:
        checks = [check_ops.assert_less(low, high, message="uniform not defined when low >= high.")] if validate_args else []
        with stacks.get_default_graph().control_dependencies(checks):
            super().__init__(name, {"low": low, "high": high}, validate_args, allow_nan_stats)

    def range(self, name: str = "range") -> Tensor:
        with self._named(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        samples = random_ops.random_uniform(self._shape_of(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, x):
        x = self._all(x)
        outside = math_ops.logical_or(x < self.low, x >= self.high)
        density = array_ops.where_v2(outside, array_ops.zeros_like(x), array_ops.ones_like(x) / self.range())
        return array_ops.where_v2(math_ops.is_nan(x), x, density)

    def _cdf(self, x):
        x = self._all(x)
        within = array_ops.where_v2(x < self.low, array_ops.zeros_like(x), (x - self.low) / self.range())
        return array_ops.where_v2(x >= self.high, array_ops.ones_like(x), within)

    def _entropy(self):
        return _log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.0

    def _variance(self):
        return math_ops.square(self.range()) / 12.0

    def _stddev(self):
        return self.range() / math.sqrt(12.0)


class Gamma(_OfNumbers):
    """Of mean `concentration` / `rate`."""

    _names = _positive = ("concentration", "rate")

    def __init__(self, concentration: TensorLike, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Gamma") -> None:
        super().__init__(name, {"concentration": concentration, "rate": rate}, validate_args, allow_nan_stats)

    def _valid(self, x):
        return after([check_ops.assert_positive(x)], x) if self.validate_args else x

    def _sample_n(self, n, seed=None):
        return random_ops.random_gamma([n], self.concentration, self.rate, self.dtype, seed)

    def _log_prob(self, x):
        x = self._valid(x)
        normalization = _lgamma(self.concentration) - self.concentration * _log(self.rate)
        return special_math_ops.xlogy(self.concentration - 1.0, x) - self.rate * x - normalization

    def _cdf(self, x):
        return special_math_ops.igamma(self.concentration, self.rate * self._valid(x))

    def _entropy(self):
        c = self.concentration
        return c - _log(self.rate) + _lgamma(c) + (1.0 - c) * _digamma(c)

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / math_ops.square(self.rate)

    def _stddev(self):
        return math_ops.sqrt(self.concentration) / self.rate

    def _mode(self):
        mode = (self.concentration - 1.0) / self.rate
        return self._defined_where(self.concentration > 1.0, mode, "mode not defined when any concentration <= 1")


@RegisterKL(Gamma, Gamma)
def _gammas(a, b, name=None):
    with ops.name_scope(name, "kl_gamma_gamma"):
        p, q = a.concentration, b.concentration
        return ((p - q) * _digamma(p) + _lgamma(q) - _lgamma(p) + q * _log(a.rate) - q * _log(b.rate) + p * (b.rate / a.rate - 1.0))


class Exponential(Gamma):
    """Of mean 1 / `rate`."""

    _names = _positive = ("rate",)

    def __init__(self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential") -> None:
        _OfNumbers.__init__(self, name, {"rate": rate}, validate_args, allow_nan_stats)
        self.concentration = array_ops.ones([], self.dtype)

    def _sample_n(self, n, seed=None):
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        return -_log(random_ops.random_uniform(self._shape_of(n), tiny, 1.0, self.dtype, seed)) / self.rate


class Beta(_OfNumbers):
    """Of numbers between 0 and 1, and mean `concentration1` / (`concentration1` + `concentration0`)."""

    _names = _positive = ("concentration1", "concentration0")

    def __init__(self, concentration1: TensorLike | None = None, concentration0: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Beta") -> None:
        super().__init__(name, {"concentration1": concentration1, "concentration0": concentration0}, validate_args, allow_nan_stats)
        with ops.name_scope(self.name):
            self.total_concentration = self.concentration1 + self.concentration0

    def _valid(self, x):
        if not self.validate_args:
            return x
        return after([check_ops.assert_positive(x, message="sample must be positive"),
                      check_ops.assert_less(x, array_ops.ones([], self.dtype), message="sample must be less than `1`.")], x)

    def _sample_n(self, n, seed=None):
        one = random_ops.random_gamma([n], self._all(self.concentration1), dtype=self.dtype, seed=seed)
        other = random_ops.random_gamma([n], self._all(self.concentration0), dtype=self.dtype, seed=salted(seed, "beta"))
        return one / (one + other)

    def _normalization(self):
        return _lgamma(self.concentration1) + _lgamma(self.concentration0) - _lgamma(self.total_concentration)

    def _log_prob(self, x):
        x = self._valid(x)
        return (special_math_ops.xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * math_ops.log1p(-x)
                - self._normalization())

    def _cdf(self, x):
        return special_math_ops.betainc(self._all(self.concentration1), self._all(self.concentration0), self._all(self._valid(x)))

    def _entropy(self):
        p, q, total = self.concentration1, self.concentration0, self.total_concentration
        return self._normalization() - (p - 1.0) * _digamma(p) - (q - 1.0) * _digamma(q) + (total - 2.0) * _digamma(total)

    def _mean(self):
        return self.concentration1 / self.total_concentration

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        defined = math_ops.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return self._defined_where(defined, mode, "Mode undefined for concentration <= 1.")


@RegisterKL(Beta, Beta)
def _betas(a, b, name=None):
    with ops.name_scope(name, "kl_beta_beta"):
        more1, more0 = b.concentration1 - a.concentration1, b.concentration0 - a.concentration0
        return (b._normalization() - a._normalization() - _digamma(a.concentration1) * more1 - _digamma(a.concentration0) * more0
                + _digamma(a.total_concentration) * (more1 + more0))


class Laplace(_OfNumbers):
    """Around `loc`, as far as exponential distributions of mean `scale` to both sides."""

    _names, _positive = ("loc", "scale"), ("scale",)

    def __init__(self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Laplace") -> None:
        super().__init__(name, {"loc": loc, "scale": scale}, validate_args, allow_nan_stats)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _sample_n(self, n, seed=None):
        number = self.dtype.as_numpy_dtype
        uniform = random_ops.random_uniform(self._shape_of(n), np.nextafter(number(-1.0), number(0.0)), 1.0, self.dtype, seed)
        return self.loc - self.scale * math_ops.sign(uniform) * math_ops.log1p(-math_ops.abs(uniform))

    def _log_prob(self, x):
        return -math_ops.abs(self._z(x)) - (math.log(2.0) + _log(self.scale))

    def _log_cdf(self, x):
        z = self._z(x)
        right = math_ops.log1p(-0.5 * math_ops.exp(-math_ops.abs(z)))
        return array_ops.where_v2(z <= 0.0, z - math.log(2.0), right)

    def _cdf(self, x):
        z = self._z(x)
        return 0.5 + 0.5 * math_ops.sign(z) * (1.0 - math_ops.exp(-math_ops.abs(z)))

    def _log_survival_function(self, x):
        return self._log_cdf(2.0 * self.loc - x)

    def _entropy(self):
        return math.log(2.0) + 1.0 + _log(self._all(self.scale))

    def _mean(self):
        return self._all(self.loc)

    _mode = _mean

    def _stddev(self):
        return math.sqrt(2.0) * self._all(self.scale)


class StudentT(_OfNumbers):
    """Of `df` degrees of freedom, around `loc`, `scale` times as wide as the standard one."""

    _names, _positive = ("df", "loc", "scale"), ("df",)

    def __init__(self, df: TensorLike, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "StudentT") -> None:
        super().__init__(name, {"df": df, "loc": loc, "scale": scale}, validate_args, allow_nan_stats)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _sample_n(self, n, seed=None):
        normal = random_ops.random_normal(self._shape_of(n), dtype=self.dtype, seed=seed)
        df = self._all(self.df)
        gamma = random_ops.random_gamma([n], 0.5 * df, 0.5, self.dtype, salted(seed, "student_t"))
        return normal * math_ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, x):
        normalization = (_log(math_ops.abs(self.scale)) + 0.5 * _log(self.df) + 0.5 * math.log(math.pi) + _lgamma(0.5 * self.df)
                         - _lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * math_ops.log1p(math_ops.square(self._z(x)) / self.df) - normalization

    def _cdf(self, x):
        z = self._all(self._z(x))
        df = self.df * array_ops.ones_like(z)
        tail = 0.5 * special_math_ops.betainc(0.5 * df, 0.5 * array_ops.ones_like(z), df / (math_ops.square(z) + df))
        return array_ops.where_v2(z < 0.0, tail, 1.0 - tail)

    def _entropy(self):
        half, more = 0.5 * self._all(self.df), 0.5 * (self._all(self.df) + 1.0)
        beta = _lgamma(half) + math.log(math.pi) / 2.0 - _lgamma(more)
        return _log(math_ops.abs(self.scale)) + 0.5 * _log(self.df) + beta + more * (_digamma(more) - _digamma(half))

    def _mean(self):
        return self._defined_where(self._all(self.df) > 1.0, self._all(self.loc), "mean not defined for components of df <= 1")

    def _variance(self):
        df = self._all(self.df)
        finite = df * math_ops.square(self._all(self.scale)) / array_ops.where_v2(df > 2.0, df - 2.0, array_ops.ones_like(df))
        told = array_ops.where_v2(df > 2.0, finite, convert_to_tensor(np.inf, self.dtype))
        return self._defined_where(df > 1.0, told, "variance not defined for components of df <= 1")

    def _mode(self):
        return identity(self.loc)
