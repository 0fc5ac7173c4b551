"""tf.contrib.distributions: normal distributions of vectors, choices as vectors and their smooth kin, mixtures, batches as events."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, linalg_ops, math_ops, nn, ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.distribution import (
    FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, RegisterKL, kl_divergence, logits_and_probs, salted)
from troupe.distributions_counts import _parameters

if TYPE_CHECKING:
    from troupe.typing import DTypeLike, TensorLike


class MultivariateNormalTriL(Distribution):
    """Of mean `loc` [..., k] and covariance L L^T, where L is `scale_tril` [..., k, k], a lower triangle. ValueError without one."""

    def __init__(self, loc: TensorLike | None = None, scale_tril: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "MultivariateNormalTriL") -> None:
        parameters = _parameters(locals())
        if scale_tril is None:
            raise ValueError("Must pass scale_tril.")
        with ops.name_scope(name) as scope:
            tril = array_ops.matrix_band_part(convert_to_tensor(scale_tril, name="scale_tril"), -1, 0)
        self._set(loc, tril, None, validate_args, allow_nan_stats, parameters, scope)

    def _set(self, loc, tril, diag, validate_args, allow_nan_stats, parameters, name):
        scale = tril if diag is None else diag
        self._tril, self._diag = tril, diag
        self.loc = None if loc is None else convert_to_tensor(loc, name="loc", dtype=scale.dtype.base_dtype)
        Distribution.__init__(self, scale.dtype.base_dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [scale], name)

    def _scale_shape(self):
        return self._diag.shape if self._tril is None else self._tril.shape[:-1]

    def _scale_shape_tensor(self):
        return array_ops.shape(self._diag) if self._tril is None else array_ops.shape(self._tril)[:-1]

    def _whole_shape(self):
        return self._scale_shape() if self.loc is None else array_ops.broadcast_static_shape(self.loc.shape, self._scale_shape())

    def _whole_shape_tensor(self):
        shape = self._scale_shape_tensor()
        return shape if self.loc is None else array_ops.broadcast_dynamic_shape(array_ops.shape(self.loc), shape)

    def _batch_shape(self):
        return self._whole_shape()[:-1]

    def _event_shape(self):
        return self._whole_shape()[-1:]

    def _batch_shape_tensor(self):
        return self._whole_shape_tensor()[:-1]

    def _event_shape_tensor(self):
        return self._whole_shape_tensor()[-1:]

    def _diagonal(self):
        return self._diag if self._tril is None else linalg_ops.matrix_diag_part(self._tril)

    def _scaled(self, z):
        """L z of [..., k]."""
        if self._tril is None:
            return z * self._diag
        return array_ops.squeeze(math_ops.matmul(self._spread(z), array_ops.expand_dims(z, -1)), [-1])

    def _spread(self, z):
        """The triangle for each of the vectors."""
        shape = array_ops.concat([array_ops.shape(z), array_ops.shape(z)[-1:]], 0)
        return self._tril * array_ops.ones(shape, self.dtype)

    def _standard(self, x):
        """L^-1 (x - loc)."""
        centred = x if self.loc is None else x - self.loc
        if self._tril is None:
            return centred / self._diag
        centred = centred * array_ops.ones(self._whole_shape_tensor(), self.dtype)
        solved = linalg_ops.matrix_triangular_solve(self._spread(centred), array_ops.expand_dims(centred, -1), lower=True)
        return array_ops.squeeze(solved, [-1])

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self._whole_shape_tensor()], 0)
        made = self._scaled(random_ops.random_normal(shape, dtype=self.dtype, seed=salted(seed, "multivariate_normal")))
        return made if self.loc is None else made + self.loc

    def _log_det(self):
        return math_ops.reduce_sum(math_ops.log(math_ops.abs(self._diagonal())), -1)

    def _size(self):
        known = self.event_shape.as_list()
        return float(known[0]) if known[0] is not None else math_ops.cast(self._event_shape_tensor()[0], self.dtype)

    def _log_prob(self, x):
        z = self._standard(x)
        return -0.5 * math_ops.reduce_sum(math_ops.square(z), -1) - 0.5 * math.log(2.0 * math.pi) * self._size() - self._log_det()

    def _entropy(self):
        told = 0.5 * (1.0 + math.log(2.0 * math.pi)) * self._size() + self._log_det()
        return told * array_ops.ones(self._batch_shape_tensor(), self.dtype)

    def _mean(self):
        shape = self._whole_shape_tensor()
        return array_ops.zeros(shape, self.dtype) if self.loc is None else self.loc * array_ops.ones(shape, self.dtype)

    _mode = _mean

    def _covariance(self):
        if self._tril is None:
            return linalg_ops.matrix_diag(math_ops.square(self._diag))
        return math_ops.matmul(self._tril, self._tril, transpose_b=True)

    def _variance(self):
        if self._tril is None:
            return math_ops.square(self._diag) * array_ops.ones(self._whole_shape_tensor(), self.dtype)
        return math_ops.reduce_sum(math_ops.square(self._tril), -1)


class MultivariateNormalDiag(MultivariateNormalTriL):
    """Of mean `loc` [..., k], whose elements are independent, of standard deviations `scale_diag` [..., k] plus `scale_identity_multiplier` [...], or
    times that without the first. ValueError where no size is given."""

    def __init__(self, loc: TensorLike | None = None, scale_diag: TensorLike | None = None, scale_identity_multiplier: TensorLike | None = None,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "MultivariateNormalDiag") -> None:
        parameters = _parameters(locals())
        if scale_diag is None and loc is None:
            raise ValueError("Must pass at least one of loc and scale_diag.")
        with ops.name_scope(name) as scope:
            diag = None if scale_diag is None else convert_to_tensor(scale_diag, name="scale_diag")
            if diag is None:
                diag = array_ops.ones_like(convert_to_tensor(loc, name="loc"))
                if scale_identity_multiplier is not None:
                    diag = diag * array_ops.expand_dims(convert_to_tensor(scale_identity_multiplier, dtype=diag.dtype.base_dtype), -1)
            elif scale_identity_multiplier is not None:
                diag = diag + array_ops.expand_dims(convert_to_tensor(scale_identity_multiplier, dtype=diag.dtype.base_dtype), -1)
        self._set(loc, None, diag, validate_args, allow_nan_stats, parameters, scope)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """The same of softplus(scale_diag)."""

    def __init__(self, loc: TensorLike, scale_diag: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "MultivariateNormalDiagWithSoftplusScale") -> None:
        parameters = _parameters(locals())
        super().__init__(loc, nn.softplus(scale_diag), None, validate_args, allow_nan_stats, name)
        self._parameters = parameters


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """Of mean `loc` [..., k] and `covariance_matrix` [..., k, k]. ValueError without one."""

    def __init__(self, loc: TensorLike | None = None, covariance_matrix: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "MultivariateNormalFullCovariance") -> None:
        parameters = _parameters(locals())
        if covariance_matrix is None:
            raise ValueError("Must pass covariance_matrix.")
        with ops.name_scope(name) as scope:
            tril = linalg_ops.cholesky(convert_to_tensor(covariance_matrix, name="covariance_matrix"))
        self._set(loc, tril, None, validate_args, allow_nan_stats, parameters, scope)


@RegisterKL(MultivariateNormalTriL, MultivariateNormalTriL)
def _normals(a, b, name=None):
    with ops.name_scope(name, "kl_mvn"):
        apart = math_ops.reduce_sum(math_ops.square(b._standard(a._mean())), -1)
        if b._tril is None:
            inside = math_ops.reduce_sum(a._variance() / math_ops.square(b._diag), -1)
        else:
            root = linalg_ops.matrix_diag(a._diag) if a._tril is None else a._tril
            inside = math_ops.reduce_sum(math_ops.square(linalg_ops.matrix_triangular_solve(b._tril, root, lower=True)), [-2, -1])
        return b._log_det() - a._log_det() + 0.5 * (inside + apart - a._size())


class OneHotCategorical(Distribution):
    """Vectors [..., K], one where a choice is, with the probabilities of the last dimension."""

    def __init__(self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "OneHotCategorical") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.logits, self.probs = logits_and_probs(logits, probs, True, validate_args, scope)
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.logits], scope)

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _event_shape(self):
        return self.logits.shape[-1:]

    def _batch_shape_tensor(self):
        return array_ops.shape(self.logits)[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self.logits)[-1:]

    def _sample_n(self, n, seed=None):
        shape = array_ops.shape(self.logits)
        draws = random_ops.multinomial(array_ops.reshape(self.logits, [-1, shape[-1]]), n, seed=seed)
        made = array_ops.one_hot(array_ops.transpose(draws), shape[-1], dtype=self.dtype)
        return array_ops.reshape(made, array_ops.concat([[n], shape], 0))

    def _log_prob(self, x):
        return math_ops.reduce_sum(math_ops.cast(x, self.logits.dtype) * nn.log_softmax(self.logits), -1)

    def _entropy(self):
        return -math_ops.reduce_sum(nn.log_softmax(self.logits) * self.probs, -1)

    def _mean(self):
        return 1.0 * self.probs

    def _variance(self):
        return self.probs * (1.0 - self.probs)

    def _mode(self):
        return array_ops.one_hot(math_ops.argmax(self.logits, -1), array_ops.shape(self.logits)[-1], dtype=self.dtype)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _choices(a, b, name=None):
    with ops.name_scope(name, "kl_one_hot"):
        return math_ops.reduce_sum(a.probs * (nn.log_softmax(a.logits) - nn.log_softmax(b.logits)), -1)


class ExpRelaxedOneHotCategorical(Distribution):
    """Logarithms of a RelaxedOneHotCategorical's."""

    def __init__(self, temperature: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike | None = None,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "ExpRelaxedOneHotCategorical") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.logits, self.probs = logits_and_probs(logits, probs, True, validate_args, scope)
            self.temperature = convert_to_tensor(temperature, self.logits.dtype.base_dtype, name="temperature")
        super().__init__(self.logits.dtype.base_dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.logits], scope)

    _batch_shape, _event_shape = OneHotCategorical._batch_shape, OneHotCategorical._event_shape
    _batch_shape_tensor, _event_shape_tensor = OneHotCategorical._batch_shape_tensor, OneHotCategorical._event_shape_tensor

    def _log_sample(self, n, seed):
        shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        uniform = random_ops.random_uniform(shape, float(np.finfo(self.dtype.as_numpy_dtype).tiny), 1.0, self.dtype, seed)
        noisy = (self.logits - math_ops.log(-math_ops.log(uniform))) / self.temperature
        return nn.log_softmax(noisy)

    def _sample_n(self, n, seed=None):
        return self._log_sample(n, seed)

    def _log_prob(self, x):
        k = math_ops.cast(array_ops.shape(self.logits)[-1], self.dtype)
        constant = math_ops.lgamma(k) + (k - 1.0) * math_ops.log(self.temperature)
        told = nn.log_softmax(self.logits - self.temperature * x)
        return constant + math_ops.reduce_sum(told, -1)


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
    """Vectors of positive numbers whose sum is 1, the nearer to a choice the lower the temperature, with derivatives (Gumbel-softmax)."""

    def __init__(self, temperature: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike | None = None,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "RelaxedOneHotCategorical") -> None:
        super().__init__(temperature, logits, probs, dtype, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        return math_ops.exp(self._log_sample(n, seed))

    def _log_prob(self, x):
        log = math_ops.log(x)
        return super()._log_prob(log) - math_ops.reduce_sum(log, -1)


class RelaxedBernoulli(Distribution):
    """Numbers from 0 to 1, the nearer to one of these the lower the temperature, with derivatives."""

    def __init__(self, temperature: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "RelaxedBernoulli") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as scope:
            self.logits, self.probs = logits_and_probs(logits, probs, False, validate_args, scope)
            self.temperature = convert_to_tensor(temperature, self.logits.dtype.base_dtype, name="temperature")
        super().__init__(self.logits.dtype.base_dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.logits], scope)

    def _batch_shape(self):
        return array_ops.broadcast_static_shape(self.temperature.shape, self.logits.shape)

    def _batch_shape_tensor(self):
        return array_ops.broadcast_dynamic_shape(array_ops.shape(self.temperature), array_ops.shape(self.logits))

    def _sample_n(self, n, seed=None):
        uniform = random_ops.random_uniform(self._shape_of(n), 1e-7, 1.0 - 1e-7, self.dtype, seed)
        return math_ops.sigmoid((math_ops.log(uniform) - math_ops.log1p(-uniform) + self.logits) / self.temperature)

    def _log_prob(self, x):
        # Of the logistic distribution, and how much the sigmoid stretches.
        logit = math_ops.log(x) - math_ops.log1p(-x)
        z = self.temperature * logit - self.logits
        return math_ops.log(self.temperature) - z - 2.0 * nn.softplus(-z) - math_ops.log(x) - math_ops.log1p(-x)


class Independent(Distribution):
    """The last `reinterpreted_batch_ndims` dimensions of a batch (all but the first for None) as one event."""

    def __init__(self, distribution: Distribution, reinterpreted_batch_ndims: int | None = None, validate_args: bool = False,
                 name: str | None = None) -> None:
        parameters = _parameters(locals())
        self.distribution = distribution
        rank = distribution.batch_shape.rank
        if reinterpreted_batch_ndims is None:
            reinterpreted_batch_ndims = max(0, rank - 1)
        if rank is not None and reinterpreted_batch_ndims > rank:
            raise ValueError(f"reinterpreted_batch_ndims({reinterpreted_batch_ndims}) cannot exceed distribution.batch_ndims({rank})")
        self._n = self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(distribution.dtype, distribution.reparameterization_type, validate_args, distribution.allow_nan_stats, parameters, [],
                         name or "Independent" + distribution.name.rstrip("/").rpartition("/")[2])

    def _batch_shape(self):
        shape = self.distribution.batch_shape
        return shape[:shape.rank - self._n]

    def _event_shape(self):
        shape = self.distribution.batch_shape
        return shape[shape.rank - self._n:].concatenate(self.distribution.event_shape)

    def _batch_shape_tensor(self):
        shape = self.distribution.batch_shape_tensor()
        return shape[:array_ops.size(shape) - self._n]

    def _event_shape_tensor(self):
        shape = self.distribution.batch_shape_tensor()
        return array_ops.concat([shape[array_ops.size(shape) - self._n:], self.distribution.event_shape_tensor()], 0)

    def _sum(self, told):
        return math_ops.reduce_sum(told, list(range(-self._n, 0))) if self._n else told

    def _sample_n(self, n, seed=None):
        return self.distribution.sample(n, seed=seed)

    def _log_prob(self, x):
        return self._sum(self.distribution.log_prob(x))

    def _entropy(self):
        return self._sum(self.distribution.entropy())

    def _mean(self):
        return self.distribution.mean()

    def _variance(self):
        return self.distribution.variance()

    def _stddev(self):
        return self.distribution.stddev()

    def _mode(self):
        return self.distribution.mode()


@RegisterKL(Independent, Independent)
def _independents(a, b, name=None):
    with ops.name_scope(name, "kl_independent"):
        return a._sum(kl_divergence(a.distribution, b.distribution))

