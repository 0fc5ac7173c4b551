"""tf.distributions of choices and counts, and of the probabilities of several outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, dtypes, functional_ops, linalg_ops, math_ops, nn, ops, random_ops, special_math_ops
from troupe.conversion import convert_to_tensor
from troupe.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, RegisterKL, after, logits_and_probs, salted

if TYPE_CHECKING:
    from troupe.typing import DTypeLike, TensorLike


def _parameters(given: dict) -> dict:
    return {k: v for k, v in given.items() if k not in ("self", "__class__")}


def _each(tensor):
    """With one more dimension at the end."""
    return array_ops.expand_dims(tensor, -1)


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0."""

    def __init__(self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Bernoulli") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as name:
            self.logits, self.probs = logits_and_probs(logits, probs, False, validate_args, name)
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.logits, self.probs], name)

    @classmethod
    def _param_shapes(cls, sample_shape):
        return {"logits": convert_to_tensor(sample_shape, dtypes.int32)}

    def _batch_shape(self):
        return self.logits.shape

    def _batch_shape_tensor(self):
        return array_ops.shape(self.logits)

    def _sample_n(self, n, seed=None):
        uniform = random_ops.random_uniform(self._shape_of(n), seed=seed, dtype=self.probs.dtype)
        return math_ops.cast(math_ops.less(uniform, self.probs), self.dtype)

    def _log_prob(self, event):
        event, logits = math_ops.cast(event, self.logits.dtype), self.logits
        if not (event.shape.is_fully_defined() and event.shape == logits.shape):
            event, logits = array_ops.ones_like(logits) * event, array_ops.ones_like(event) * logits
        return -nn.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return -self.logits * (math_ops.sigmoid(self.logits) - 1.0) + nn.softplus(-self.logits)

    def _mean(self):
        return 1.0 * self.probs

    def _variance(self):
        return self.probs * (1.0 - self.probs)

    def _mode(self):
        return math_ops.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a, b, name=None):
    with ops.name_scope(name, "kl_bernoulli_bernoulli"):
        of_zero = nn.softplus(-b.logits) - nn.softplus(-a.logits)
        of_one = nn.softplus(b.logits) - nn.softplus(a.logits)
        return math_ops.sigmoid(a.logits) * of_zero + math_ops.sigmoid(-a.logits) * of_one


class Categorical(Distribution):
    """One of 0 to K - 1, with the probabilities of the last dimension."""

    def __init__(self, logits: TensorLike | None = None, probs: TensorLike | None = None, dtype: DTypeLike = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Categorical") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as name:
            self.logits, self.probs = logits_and_probs(logits, probs, True, validate_args, name)
            known = self.logits.shape.with_rank_at_least(1)
            size = None if known.rank is None else known.as_list()[-1]
            self.event_size = array_ops.shape(self.logits)[-1] if size is None else convert_to_tensor(size, dtypes.int32, name="event_size")
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.logits, self.probs], name)

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self):
        return array_ops.shape(self.logits)[:-1]

    def _sample_n(self, n, seed=None):
        flat = self.logits if self.logits.shape.rank == 2 else array_ops.reshape(self.logits, array_ops.stack([-1, self.event_size]))
        draws = random_ops.multinomial(flat, n, seed=seed, output_dtype=dtypes.int64 if self.dtype.size > 4 else dtypes.int32)
        return math_ops.cast(array_ops.reshape(array_ops.transpose(draws), self._shape_of(n)), self.dtype)

    def _together(self, event, params):
        """Both for each of the batch and of the events. TypeError for events that are no numbers."""
        if event.dtype.is_floating:
            event = math_ops.cast(event, dtypes.int32)
        elif not event.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype})")
        if not (params.shape[:-1].is_fully_defined() and event.shape.is_fully_defined() and params.shape[:-1] == event.shape):
            params = params * array_ops.ones_like(_each(event), dtype=params.dtype)
            event = event * array_ops.ones(array_ops.shape(params)[:-1], dtype=event.dtype)
            if params.shape.rank is not None:
                event.set_shape(params.shape[:-1])
        return event, params

    def _log_prob(self, k):
        k, logits = self._together(k, self.logits)
        return -nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k):
        k, probs = self._together(k, self.probs)
        counted = array_ops.sequence_mask(k, self.event_size, dtype=probs.dtype)
        return math_ops.reduce_sum(counted * probs, axis=-1)

    def _entropy(self):
        return -math_ops.reduce_sum(nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self):
        return math_ops.cast(math_ops.argmax(self.logits, axis=-1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _categoricals(a, b, name=None):
    with ops.name_scope(name, "kl_categorical_categorical"):
        return math_ops.reduce_sum(nn.softmax(a.logits) * (nn.log_softmax(a.logits) - nn.log_softmax(b.logits)), axis=-1)


def _log_ways(n, counts):
    """The logarithm of the number of ways to have these counts of n."""
    return math_ops.lgamma(n + 1.0) - math_ops.reduce_sum(math_ops.lgamma(counts + 1.0), axis=-1)


class _OfVectors(Distribution):
    """What has one number for each outcome, in the last dimension of `_whole()`."""

    def _batch_shape(self):
        return self._whole().shape.with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self):
        return array_ops.shape(self._whole())[:-1]

    def _event_shape(self):
        return self._whole().shape.with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self):
        return array_ops.shape(self._whole())[-1:]

    def _outer(self, x, y):
        """-x y', with the variances in the diagonal."""
        product = -math_ops.matmul(_each(x), array_ops.expand_dims(y, -2))
        return linalg_ops.matrix_set_diag(product, self._variance())

    def _counts(self, counts):
        if not self.validate_args:
            return counts
        return after([check_ops.assert_non_negative(counts), check_ops.assert_equal(
            self.total_count, math_ops.reduce_sum(counts, -1), message="counts must sum to `self.total_count`")], counts)


class Multinomial(_OfVectors):
    """How often each outcome comes in `total_count` choices."""

    def __init__(self, total_count: TensorLike, logits: TensorLike | None = None, probs: TensorLike | None = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Multinomial") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as name:
            # Whole numbers given in Python are of the probabilities' type, tensors must be.
            given = logits if probs is None else probs
            self.total_count = convert_to_tensor(total_count, dtype_hint=None if given is None else convert_to_tensor(given).dtype,
                                                 name="total_count")
            self.logits, self.probs = logits_and_probs(logits, probs, True, validate_args, name)
            self._means = _each(self.total_count) * self.probs
        super().__init__(self.probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self.total_count, self.logits, self.probs], name)

    def _whole(self):
        return self._means

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        draws = math_ops.cast(self.total_count, dtypes.int32) * array_ops.ones_like(self.logits[..., 0], dtype=dtypes.int32)
        logits = array_ops.ones_like(_each(draws), dtype=self.logits.dtype) * self.logits

        def one(args):
            chosen = random_ops.multinomial(array_ops.expand_dims(args[0], 0), args[1], seed)
            chosen = array_ops.reshape(chosen, array_ops.stack([n, -1]))
            return math_ops.reduce_sum(array_ops.one_hot(chosen, depth=k, dtype=self.dtype), axis=-2)

        flat = [array_ops.reshape(logits, array_ops.stack([-1, k])), n * array_ops.reshape(draws, [-1])]
        made = array_ops.transpose(functional_ops.map_fn(one, flat, dtype=self.dtype), perm=[1, 0, 2])
        return array_ops.reshape(made, array_ops.concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts):
        counts = self._counts(counts)
        return math_ops.reduce_sum(counts * nn.log_softmax(self.logits), -1) + _log_ways(self.total_count, counts)

    def _mean(self):
        return 1.0 * self._means

    def _each_probs(self):
        return self.probs * _each(array_ops.ones_like(self.total_count))

    def _variance(self):
        return self._means - self._means * self._each_probs()

    def _covariance(self):
        return self._outer(self._means, self._each_probs())


class _OfConcentrations(_OfVectors):
    def _set_concentration(self, concentration, validate_args):
        self.concentration = convert_to_tensor(concentration, name="concentration")
        if validate_args:
            self.concentration = after([
                check_ops.assert_positive(self.concentration, message="Concentration parameter must be positive."),
                check_ops.assert_rank_at_least(self.concentration, 1, message="Concentration parameter must have >=1 dimensions.")],
                self.concentration)
        self.total_concentration = math_ops.reduce_sum(self.concentration, -1)

    def _whole(self):
        return self.concentration

    def _shares(self):
        return self.concentration / _each(self.total_concentration)


class Dirichlet(_OfConcentrations):
    """Probabilities of several outcomes, whose means are as `concentration`."""

    def __init__(self, concentration: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Dirichlet") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as name:
            self._set_concentration(concentration, validate_args)
        super().__init__(self.concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [self.concentration], name)

    def _sample_n(self, n, seed=None):
        gamma = random_ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return gamma / math_ops.reduce_sum(gamma, -1, keepdims=True)

    def _log_prob(self, x):
        if self.validate_args:
            x = after([check_ops.assert_positive(x, message="samples must be positive"), check_ops.assert_near(
                array_ops.ones([], self.dtype), math_ops.reduce_sum(x, -1), message="sample last-dimension must sum to `1`")], x)
        unnormalized = math_ops.reduce_sum(special_math_ops.xlogy(self.concentration - 1.0, x), -1)
        return unnormalized - special_math_ops.lbeta(self.concentration)

    def _size(self):
        return math_ops.cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self):
        total = self.total_concentration
        own = math_ops.reduce_sum((self.concentration - 1.0) * math_ops.digamma(self.concentration), axis=-1)
        return special_math_ops.lbeta(self.concentration) + (total - self._size()) * math_ops.digamma(total) - own

    def _mean(self):
        return self._shares()

    def _scaled(self):
        scale = math_ops.rsqrt(1.0 + _each(self.total_concentration))
        return scale, scale * self._shares()

    def _variance(self):
        scale, x = self._scaled()
        return x * (scale - x)

    def _covariance(self):
        _, x = self._scaled()
        return self._outer(x, x)

    def _mode(self):
        mode = (self.concentration - 1.0) / (_each(self.total_concentration) - self._size())
        defined = math_ops.reduce_all(self.concentration > 1.0, axis=-1, keepdims=True)
        return self._defined_where(defined, mode, "Mode undefined when any concentration <= 1")


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlets(a, b, name=None):
    with ops.name_scope(name, "kl_dirichlet_dirichlet"):
        total = math_ops.digamma(math_ops.reduce_sum(a.concentration, axis=-1, keepdims=True))
        by = (a.concentration - b.concentration) * (math_ops.digamma(a.concentration) - total)
        return math_ops.reduce_sum(by, axis=-1) - special_math_ops.lbeta(a.concentration) + special_math_ops.lbeta(b.concentration)


class DirichletMultinomial(_OfConcentrations):
    """Counts of `total_count` choices, whose probabilities are of a Dirichlet distribution."""

    def __init__(self, total_count: TensorLike, concentration: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "DirichletMultinomial") -> None:
        parameters = _parameters(locals())
        with ops.name_scope(name) as name:
            self._set_concentration(concentration, validate_args)
            self.total_count = convert_to_tensor(total_count, dtype_hint=self.concentration.dtype, name="total_count")
        super().__init__(self.concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self.total_count, self.concentration], name)

    def _sample_n(self, n, seed=None):
        k = self.event_shape_tensor()[0]
        gamma = random_ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = array_ops.reshape(math_ops.log(gamma), array_ops.stack([-1, k]))
        draws = random_ops.multinomial(logits, math_ops.cast(self.total_count, dtypes.int32), seed=salted(seed, "dirichlet_multinomial"))
        counts = math_ops.reduce_sum(array_ops.one_hot(draws, depth=k, dtype=self.dtype), -2)
        return array_ops.reshape(counts, array_ops.concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts):
        counts = self._counts(counts)
        ordered = special_math_ops.lbeta(self.concentration + counts) - special_math_ops.lbeta(self.concentration)
        return ordered + _log_ways(self.total_count, counts)

    def _mean(self):
        return self.total_count * self._shares()

    def _scaled(self):
        total = _each(self.total_concentration)
        scale = math_ops.sqrt((1.0 + total / self.total_count) / (1.0 + total))
        return scale, scale * self._mean()

    def _variance(self):
        scale, x = self._scaled()
        return x * (self.total_count * scale - x)

    def _covariance(self):
        _, x = self._scaled()
        return self._outer(x, x)
