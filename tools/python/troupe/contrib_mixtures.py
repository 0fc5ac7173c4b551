"""More of tf.contrib.distributions: mixtures, heavy tails, and what is no chance at all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, math_ops, nn, ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, salted
from troupe.distributions import Normal, _OfNumbers
from troupe.distributions_counts import Categorical, _parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.typing import TensorLike

_log = math_ops.log


class NormalWithSoftplusScale(Normal):
    """Normal of softplus(scale)."""

    def __init__(self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "NormalWithSoftplusScale") -> None:
        super().__init__(loc, nn.softplus(scale), validate_args, allow_nan_stats, name)
        self._parameters["scale"] = scale


class _LocScale(_OfNumbers):
    """Of numbers around `loc`, as wide as `scale`."""

    _names, _positive = ("loc", "scale"), ("scale",)

    def __init__(self, loc: TensorLike, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str | None = None) -> None:
        super().__init__(name or type(self).__name__, {"loc": loc, "scale": scale}, validate_args, allow_nan_stats)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _uniform(self, n, seed):
        return random_ops.random_uniform(self._shape_of(n), float(np.finfo(self.dtype.as_numpy_dtype).tiny), 1.0, self.dtype, seed)


class Logistic(_LocScale):
    """Whose cumulative distribution is a sigmoid."""

    def _sample_n(self, n, seed=None):
        uniform = self._uniform(n, seed)
        return (_log(uniform) - math_ops.log1p(-uniform)) * self.scale + self.loc

    def _log_prob(self, x):
        z = self._z(x)
        return -z - 2.0 * nn.softplus(-z) - _log(self.scale)

    def _cdf(self, x):
        return math_ops.sigmoid(self._z(x))

    def _log_cdf(self, x):
        return -nn.softplus(-self._z(x))

    def _survival_function(self, x):
        return math_ops.sigmoid(-self._z(x))

    def _entropy(self):
        return 2.0 + _log(self._all(self.scale))

    def _mean(self):
        return self._all(self.loc)

    _mode = _mean

    def _stddev(self):
        return self._all(self.scale) * math.pi / math.sqrt(3)


class Gumbel(_LocScale):
    """Of the largest of many numbers."""

    def _sample_n(self, n, seed=None):
        return self.loc - self.scale * _log(-_log(self._uniform(n, seed)))

    def _log_prob(self, x):
        z = self._z(x)
        return -(z + math_ops.exp(-z)) - _log(self.scale)

    def _log_cdf(self, x):
        return -math_ops.exp(-self._z(x))

    def _entropy(self):
        return 1.0 + _log(self._all(self.scale)) + np.euler_gamma

    def _mean(self):
        return self.loc + self._all(self.scale) * np.euler_gamma

    def _mode(self):
        return self._all(self.loc)

    def _stddev(self):
        return self._all(self.scale) * math.pi / math.sqrt(6)


class Cauchy(_LocScale):
    """With tails so heavy that there is no mean."""

    def _sample_n(self, n, seed=None):
        return self.loc + self.scale * math_ops.tan(math.pi * (self._uniform(n, seed) - 0.5))

    def _log_prob(self, x):
        return -math_ops.log1p(math_ops.square(self._z(x))) - math.log(math.pi) - _log(self.scale)

    def _cdf(self, x):
        return math_ops.atan(self._z(x)) / math.pi + 0.5

    def _quantile(self, p):
        return self.loc + self.scale * math_ops.tan(math.pi * (p - 0.5))

    def _entropy(self):
        return math.log(4 * math.pi) + _log(self._all(self.scale))

    def _mode(self):
        return self._all(self.loc)


class HalfNormal(_OfNumbers):
    """The size of what is normal around 0."""

    _names, _positive = ("scale",), ("scale",)

    def __init__(self, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "HalfNormal") -> None:
        super().__init__(name, {"scale": scale}, validate_args, allow_nan_stats)

    def _sample_n(self, n, seed=None):
        return math_ops.abs(random_ops.random_normal(self._shape_of(n), dtype=self.dtype, seed=seed) * self.scale)

    def _log_prob(self, x):
        told = 0.5 * math.log(2.0 / math.pi) - _log(self.scale) - 0.5 * math_ops.square(x / self.scale)
        return array_ops.where_v2(x >= 0.0, told, convert_to_tensor(-np.inf, self.dtype))

    def _cdf(self, x):
        return math_ops.erf(math_ops.maximum(x, 0.0) / self.scale / math.sqrt(2.0))

    def _entropy(self):
        return 0.5 * math.log(math.pi / 2.0) + 0.5 + _log(self.scale)

    def _mean(self):
        return self.scale * math.sqrt(2.0 / math.pi)

    def _variance(self):
        return math_ops.square(self.scale) * (1.0 - 2.0 / math.pi)

    def _mode(self):
        return array_ops.zeros_like(self.scale)


class Deterministic(Distribution):
    """Always `loc`, give or take atol + rtol |loc|."""

    def __init__(self, loc: TensorLike, atol: TensorLike | None = None, rtol: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Deterministic") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.loc = convert_to_tensor(loc, name="loc")
            within = lambda value: array_ops.zeros_like(self.loc) if value is None else convert_to_tensor(value, self.loc.dtype.base_dtype)
            self._slack = within(atol) + within(rtol) * math_ops.abs(self.loc)
        super().__init__(self.loc.dtype.base_dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.loc], scope)

    def _batch_shape(self):
        return self.loc.shape

    def _batch_shape_tensor(self):
        return array_ops.shape(self.loc)

    def _sample_n(self, n, seed=None):
        return self.loc * array_ops.ones(self._shape_of(n), self.dtype)

    def _prob(self, x):
        return math_ops.cast(math_ops.abs(x - self.loc) <= self._slack, self.dtype)

    def _cdf(self, x):
        return math_ops.cast(x >= self.loc - self._slack, self.dtype)

    def _mean(self):
        return 1 * self.loc

    _mode = _mean

    def _variance(self):
        return array_ops.zeros_like(self.loc)

    def _entropy(self):
        return array_ops.zeros_like(self.loc)


class MixtureSameFamily(Distribution):
    """One of the distributions of the last dimension of a batch, as a Categorical says."""

    def __init__(self, mixture_distribution: Categorical, components_distribution: Distribution, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "MixtureSameFamily") -> None:
        parameters = _parameters(locals())
        self.mixture_distribution, self.components_distribution = mixture_distribution, components_distribution
        self._k = components_distribution.batch_shape.as_list()[-1]
        self._event_rank = components_distribution.event_shape.rank
        super().__init__(components_distribution.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [], name)

    def _batch_shape(self):
        return self.components_distribution.batch_shape[:-1]

    def _event_shape(self):
        return self.components_distribution.event_shape

    def _batch_shape_tensor(self):
        return self.components_distribution.batch_shape_tensor()[:-1]

    def _event_shape_tensor(self):
        return self.components_distribution.event_shape_tensor()

    def _spread(self, probs):
        """Weights beside the components' values."""
        for _ in range(self._event_rank):
            probs = array_ops.expand_dims(probs, -1)
        return probs

    def _sample_n(self, n, seed=None):
        each = self.components_distribution.sample(n, seed=salted(seed, "components"))
        if self.mixture_distribution.batch_shape.rank:
            chosen = self.mixture_distribution.sample(n, seed=salted(seed, "mixture"))
        else:
            chosen = self.mixture_distribution.sample(array_ops.concat([[n], self.batch_shape_tensor()], 0), seed=salted(seed, "mixture"))
        mask = self._spread(array_ops.one_hot(chosen, self._k, dtype=self.dtype))
        return math_ops.reduce_sum(each * mask, -1 - self._event_rank)

    def _log_prob(self, x):
        told = self.components_distribution.log_prob(array_ops.expand_dims(x, -1 - self._event_rank))
        return math_ops.reduce_logsumexp(told + nn.log_softmax(self.mixture_distribution.logits), -1)

    def _mean(self):
        weights = self._spread(self.mixture_distribution.probs)
        return math_ops.reduce_sum(weights * self.components_distribution.mean(), -1 - self._event_rank)

    def _variance(self):
        weights, axis = self._spread(self.mixture_distribution.probs), -1 - self._event_rank
        mean = self.components_distribution.mean()
        whole = math_ops.reduce_sum(weights * mean, axis, keepdims=True)
        return math_ops.reduce_sum(weights * (self.components_distribution.variance() + math_ops.squared_difference(mean, whole)), axis)


class Mixture(Distribution):
    """One of several distributions, as a Categorical of as many choices says. ValueError for another number of them."""

    def __init__(self, cat: Categorical, components: Sequence[Distribution], validate_args: bool = False, allow_nan_stats: bool = True,
                 use_static_graph: bool = False, name: str = "Mixture") -> None:
        parameters = _parameters(locals())
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        known = cat.logits.shape.as_list()[-1]
        if known is not None and known != len(components):
            raise ValueError(f"There are {len(components)} components, but {known} choices of them")
        self.cat, self.components = cat, list(components)
        super().__init__(components[0].dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [], name)

    @property
    def num_components(self) -> int:
        return len(self.components)

    def _batch_shape(self):
        return self.components[0].batch_shape

    def _event_shape(self):
        return self.components[0].event_shape

    def _batch_shape_tensor(self):
        return self.components[0].batch_shape_tensor()

    def _event_shape_tensor(self):
        return self.components[0].event_shape_tensor()

    def _weights(self):
        """A weight [batch, 1, ...] for each component's values."""
        parts = array_ops.unstack(self.cat.probs, axis=-1)
        for _ in range(self.event_shape.rank):
            parts = [array_ops.expand_dims(p, -1) for p in parts]
        return parts

    def _sample_n(self, n, seed=None):
        chosen = self.cat.sample(n, seed=salted(seed, "mixture"))
        mask = array_ops.one_hot(chosen, len(self.components), dtype=self.dtype)
        for _ in range(self.event_shape.rank):
            mask = array_ops.expand_dims(mask, -2)
        each = array_ops.stack([c.sample(n, seed=salted(seed, f"mixture{i}")) for i, c in enumerate(self.components)], -1)
        return math_ops.reduce_sum(each * mask, -1)

    def _log_prob(self, x):
        weights = array_ops.unstack(nn.log_softmax(self.cat.logits), axis=-1)
        return math_ops.reduce_logsumexp(array_ops.stack([w + c.log_prob(x) for w, c in zip(weights, self.components)]), 0)

    def _mean(self):
        return math_ops.add_n([w * c.mean() for w, c in zip(self._weights(), self.components)])

    def _stddev(self):
        mean = self._mean()
        return math_ops.sqrt(math_ops.add_n([w * (c.variance() + math_ops.squared_difference(c.mean(), mean))
                                             for w, c in zip(self._weights(), self.components)]))
