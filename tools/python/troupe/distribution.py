"""What all distributions of `tf.distributions` have in common, and divergences between two of them."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, check_ops, dtypes, math_ops, nn, op_call, ops, stacks, tensor_util
from troupe.control_flow_ops import Assert
from troupe.control_flow_ops import identity_of as identity
from troupe.conversion import convert_to_tensor
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from troupe.dtypes import DType
    from troupe.tensor import Tensor
    from troupe.typing import ControlInput, ShapeOrTensor, TensorLike


class ReparameterizationType:
    """Whether samples have derivatives by all parameters."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self):
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def salted(seed: int | None, salt: str) -> int | None:
    """Another seed that follows from this one; None from None."""
    return None if seed is None else int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def logits_and_probs(logits: TensorLike | None, probs: TensorLike | None, several: bool, validate_args: bool, name: str) -> tuple[Tensor, Tensor]:
    """Both, where one is given. `several`: of as many outcomes as the last dimension has. ValueError unless it is just one; TypeError for other
    than floating point."""
    with ops.name_scope(name):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        given = convert_to_tensor(logits if probs is None else probs, name="logits" if probs is None else "probs")
        if not given.dtype.is_floating:
            raise TypeError(f"{'logits' if probs is None else 'probs'} must having floating type.")
        if probs is None:
            return given, nn.softmax(given, name="probs") if several else math_ops.sigmoid(given, name="probs")
        if validate_args:
            total = [check_ops.assert_near(math_ops.reduce_sum(given, -1), 1.0, message="probs does not sum to 1.")] if several else [
                check_ops.assert_less_equal(given, 1.0, message="probs has components greater than 1.")]
            given = after([check_ops.assert_non_negative(given), *total], given)
        with ops.name_scope("logits"):
            log = math_ops.log(given)
            return (log if several else log - math_ops.log1p(-1.0 * given)), given


def after(assertions: Sequence[ControlInput], tensor: TensorLike) -> Tensor:
    """The tensor, once the assertions have held."""
    with stacks.get_default_graph().control_dependencies(assertions):
        return identity(tensor)


class Distribution:
    """A distribution, or a batch of them. A subclass says what it is by `_log_prob` or `_prob`, `_sample_n`, `_mean` and the like, as public
    methods but for the name; NotImplementedError for what it does not say."""

    def __init__(self, dtype: DType, reparameterization_type: ReparameterizationType, validate_args: bool, allow_nan_stats: bool,
                 parameters: Mapping[str, Any] | None = None, graph_parents: Sequence[Any] | None = None, name: str | None = None) -> None:
        if not name or not name.endswith("/"):
            with ops.name_scope(name or type(self).__name__) as name:
                pass
        self.dtype, self.name = dtype, name
        self.reparameterization_type = reparameterization_type
        self.validate_args, self.allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = {k: v for k, v in (parameters or {}).items() if k != "self" and not k.startswith("__")}
        self._graph_parents = graph_parents or []

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was made of."""
        return dict(self._parameters)

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """Another one, with some arguments other than its own."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape: ShapeOrTensor, name: str = "DistributionParamShapes") -> dict[str, Tensor]:
        """Shapes of parameters for samples of this shape, as tensors."""
        with ops.name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def _param_shapes(cls, sample_shape):
        raise NotImplementedError("_param_shapes not implemented")

    @contextmanager
    def _named(self, name):
        with ops.name_scope(self.name), ops.name_scope(name) as scope:
            yield scope

    # Shapes.

    def _batch_shape(self):
        return TensorShape(None)

    def _event_shape(self):
        return TensorShape([])

    def _batch_shape_tensor(self):
        raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")

    def _event_shape_tensor(self):
        return convert_to_tensor(np.zeros(0, np.int32))

    @property
    def batch_shape(self) -> TensorShape:
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        return as_shape(self._event_shape())

    def _shape_tensor(self, known, made, name):
        with self._named(f"{name}_tensor"):
            return convert_to_tensor(known.as_list(), dtypes.int32, name=name) if known.is_fully_defined() else made()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        return self._shape_tensor(self.batch_shape, self._batch_shape_tensor, "batch_shape")

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        return self._shape_tensor(self.event_shape, self._event_shape_tensor, "event_shape")

    def _is_scalar(self, known, made, name):
        with self._named(name):
            return convert_to_tensor(known.rank == 0 if known.rank is not None else math_ops.equal(array_ops.size(made()), 0), name=name)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        return self._is_scalar(self.event_shape, self._event_shape_tensor, name)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        return self._is_scalar(self.batch_shape, self._batch_shape_tensor, name)

    # Samples.

    def sample(self, sample_shape: ShapeOrTensor = (), seed: int | None = None, name: str = "sample") -> Tensor:
        """Samples of shape `sample_shape` + batch_shape + event_shape."""
        with self._named(name):
            wanted = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
            known = tensor_util.constant_value(wanted)
            n = math_ops.reduce_prod(wanted) if known is None else np.prod(known, dtype=np.int32)
            if wanted.shape.rank == 0:
                wanted = array_ops.reshape(wanted, [1]) if known is None else convert_to_tensor(np.array([known], np.int32), name="sample_shape")
            elif wanted.shape.rank is not None and wanted.shape.rank > 1:
                raise ValueError("Input is neither scalar nor vector.")
            samples = self._sample_n(n, seed)
            samples = array_ops.reshape(samples, array_ops.concat([wanted, array_ops.shape(samples)[1:]], 0))
            first = tensor_util.constant_value_as_shape(wanted)
            samples.set_shape(first.concatenate(self.batch_shape).concatenate(self.event_shape))
            return samples

    def _shape_of(self, n):
        return array_ops.concat([[n], self.batch_shape_tensor()], 0)

    # What it says of values.

    def _told(self, method, name, *arguments, otherwise=None):
        """What `_method` gives; else, where that is not there, what `otherwise` makes of another one."""
        with self._named(name):
            arguments = [convert_to_tensor(a, dtype_hint=self.dtype, name="value") for a in arguments]
            own = getattr(self, f"_{method}", None)
            if own is not None:
                return own(*arguments)
            if otherwise is not None:
                other, function = otherwise
                if getattr(self, f"_{other}", None) is not None:
                    return function(getattr(self, f"_{other}")(*arguments))
            raise NotImplementedError(f"{method} is not implemented: {type(self).__name__}")

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Tensor:
        return self._told("log_prob", name, value, otherwise=("prob", math_ops.log))

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        return self._told("prob", name, value, otherwise=("log_prob", math_ops.exp))

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Tensor:
        return self._told("log_cdf", name, value, otherwise=("cdf", math_ops.log))

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        return self._told("cdf", name, value, otherwise=("log_cdf", math_ops.exp))

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Tensor:
        return self._told("survival_function", name, value, otherwise=("cdf", lambda cdf: 1.0 - cdf))

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Tensor:
        return self._told("log_survival_function", name, value, otherwise=("cdf", lambda cdf: math_ops.log1p(-cdf)))

    def quantile(self, value: TensorLike, name: str = "quantile") -> Tensor:
        return self._told("quantile", name, value)

    # What it is on the whole.

    def entropy(self, name: str = "entropy") -> Tensor:
        return self._told("entropy", name)

    def mean(self, name: str = "mean") -> Tensor:
        return self._told("mean", name)

    def mode(self, name: str = "mode") -> Tensor:
        return self._told("mode", name)

    def covariance(self, name: str = "covariance") -> Tensor:
        return self._told("covariance", name)

    def variance(self, name: str = "variance") -> Tensor:
        return self._told("variance", name, otherwise=("stddev", math_ops.square))

    def stddev(self, name: str = "stddev") -> Tensor:
        return self._told("stddev", name, otherwise=("variance", math_ops.sqrt))

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """How far this one is from another, in nats."""
        with self._named(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        with self._named(name), ops.name_scope("cross_entropy"):
            return self.entropy() + kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def _defined_where(self, condition, value, message):
        """The value, and NaN where the condition does not hold, or an assertion where NaN is not allowed."""
        if self.allow_nan_stats:
            return array_ops.where_v2(condition, value, convert_to_tensor(np.nan, self.dtype))
        return after([Assert(math_ops.reduce_all(condition), [message])], value)

    def __repr__(self):
        return (f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} event_shape={self.event_shape} "
                f"dtype={self.dtype.name}>")

    def __str__(self):
        shapes = "".join(f", {what}_shape={shape}" for what, shape in (("batch", self.batch_shape), ("event", self.event_shape)) if
                         shape.rank is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{shapes}, dtype={self.dtype.name})'


_divergences: dict = {}


class RegisterKL:
    """A decorator: the function (a, b, name=None) tells the divergence of distributions of both classes. ValueError for two of one pair."""

    def __init__(self, dist_cls_a: type[Distribution], dist_cls_b: type[Distribution]) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            raise ValueError(f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been registered to: {_divergences[self._key]}")
        _divergences[self._key] = kl_fn
        return kl_fn


def _divergence_of(a: type, b: type):
    """The function of the nearest classes of both."""
    found = [(i + j, i, _divergences[p, q]) for i, p in enumerate(a.__mro__) for j, q in enumerate(b.__mro__) if (p, q) in _divergences]
    return min(found, key=lambda f: f[:2])[2] if found else None


def kl_divergence(distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None) -> Tensor:
    """How far the first is from the second, in nats, for each of the batch. NotImplementedError where no function for their classes is
    registered."""
    function = _divergence_of(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError("No KL(distribution_a || distribution_b) registered for distribution_a type "
                                  f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}")
    with ops.name_scope("KullbackLeibler"):
        told = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return told
        fine = math_ops.logical_not(math_ops.reduce_any(op_call.call("IsNan", None, x=told)))
        message = f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values:"
        return after([Assert(fine, [message, told])], told)
