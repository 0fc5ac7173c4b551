"""tf.contrib.training, tf.contrib.slim.learning and tf.contrib.layers.optimize_loss: hyperparameters, and operations that train."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, ops, random_ops, stacks, summary, train
from troupe.array_ops import check_numerics
from troupe.composite import IndexedSlices
from troupe.control_flow_ops import identity_of as identity
from troupe.ops import GraphKeys
from troupe.tensor_algebra import clip_by_global_norm, clip_by_norm, global_norm
from troupe.training_util import get_global_step, get_or_create_global_step
from troupe.variable_scope import get_variable, variable_scope
from troupe.variables import trainable_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from troupe.optimizer import Optimizer
    from troupe.tensor import Tensor
    from troupe.typing import ControlInput, GradientsAndVariables, LearningRate, TensorLike
    from troupe.variables import Variable

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


class HParams:
    """Named values, as attributes. ValueError for names that are taken, and for values of another type than the first."""

    def __init__(self, **kwargs: Any) -> None:
        self._values: dict = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        if name in self._values or hasattr(type(self), name):
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        self._values[name] = list(value) if isinstance(value, tuple) else value

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"'HParams' object has no attribute '{name}'")
        return values[name]

    def __setattr__(self, name, value):
        if name != "_values" and name in self._values:
            self._values[name] = value
        else:
            object.__setattr__(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """KeyError for unknown names."""
        self._values[name] = self._as(name, self._values[name], value)

    def _as(self, name, first, value):
        """A value of the type of the first: texts of numbers are read, whole numbers may be floating-point ones."""
        if isinstance(first, list) != isinstance(value, list):
            raise ValueError(f"Must {'' if isinstance(first, list) else 'not '}pass a list for {'multi' if isinstance(first, list) else 'single'}"
                             f"-valued parameter: {name}.")
        if isinstance(first, list):
            return [self._as(name, first[0] if first else None, v) for v in value]
        kind = type(first)
        if first is None or type(value) is kind:
            return value
        if kind is bool and str(value).lower() in _BOOLEANS:
            return _BOOLEANS[str(value).lower()]
        try:
            if kind in (int, float) and not isinstance(value, (bool, float)):
                return kind(value)
        except ValueError:
            pass
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")

    def parse(self, values: str) -> HParams:
        """Sets what a text says: "rate=0.1,units=[3,4],name=a". ValueError for unknown names and for texts of another form."""
        for found in re.finditer(r"\s*(\w+)\s*=\s*(\[[^\]]*\]|[^,\[]*)\s*(?:,|$)|(.+)", values):
            name, text, rest = found.groups()
            if rest is not None:
                raise ValueError(f"Malformed hyperparameter value: {rest}")
            if name not in self._values:
                raise ValueError(f"Unknown hyperparameter type for {name}")
            if text.startswith("["):
                self.set_hparam(name, [self._element(name, t.strip()) for t in text[1:-1].split(",") if t.strip()])
            else:
                self.set_hparam(name, text.strip())
        return self

    def _element(self, name, text):
        first = self._values[name]
        try:
            return ast.literal_eval(text) if not (isinstance(first, list) and first and isinstance(first[0], str)) else text
        except (ValueError, SyntaxError):
            return text

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def del_hparam(self, name: str) -> None:
        self._values.pop(name, None)

    def values(self) -> dict[str, Any]:
        return dict(self._values)

    def get(self, key: str, default: Any = None) -> Any:
        return self._values.get(key, default)

    def to_json(self, indent: int | None = None, separators: tuple[str, str] | None = None, sort_keys: bool = False) -> str:
        return json.dumps(self._values, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        return self.override_from_dict(json.loads(values_json))

    def __contains__(self, key):
        return key in self._values

    def __repr__(self):
        return f"HParams({', '.join(f'{k}={v!r}' for k, v in sorted(self._values.items()))})"

    __str__ = lambda self: str(sorted(self._values.items()))


def create_train_op(total_loss: Tensor, optimizer: Optimizer, global_step: Tensor | Variable | int | None = 0,
                    update_ops: Iterable[ControlInput] | None = None, variables_to_train: Sequence[Variable] | None = None,
                    transform_grads_fn: Callable[[Any], GradientsAndVariables] | None = None, clip_gradient_norm: float = 0,
                    summarize_gradients: bool = False, gate_gradients: int = 1, aggregation_method: int | None = None,
                    colocate_gradients_with_ops: bool = False, gradient_multipliers: Mapping[Any, TensorLike] | None = None,
                    check_numerics_of_loss: bool = True) -> Tensor:
    """A tensor of the loss, whose run trains the variables once, after the updates: those of UPDATE_OPS unless given. The global step is counted
    unless it is None."""
    if isinstance(global_step, int):
        global_step = get_or_create_global_step()
    updates = list(ops.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
    if updates:
        with stacks.get_default_graph().control_dependencies(updates):
            total_loss = identity(total_loss)
    gradients = optimizer.compute_gradients(total_loss, variables_to_train or trainable_variables(), gate_gradients=gate_gradients,
                                            aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops)
    if gradient_multipliers:
        gradients = _multiplied(gradients, gradient_multipliers)
    if transform_grads_fn is not None:
        gradients = transform_grads_fn(gradients)
    if clip_gradient_norm:
        gradients = [(None if g is None else clip_by_norm(g, clip_gradient_norm), v) for g, v in gradients]
    if summarize_gradients:
        from troupe.contrib_learning import add_gradients_summaries

        with ops.name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    with ops.name_scope("train_op"):
        if check_numerics_of_loss:
            total_loss = check_numerics(total_loss, "LossTensor is inf or nan")
        with stacks.get_default_graph().control_dependencies([applied]):
            made = identity(total_loss)
    ops.add_to_collection(GraphKeys.TRAIN_OP, made)
    return made


def _multiplied(gradients, multipliers):
    by_name = {getattr(key, "op", None).name if hasattr(key, "op") else key: m for key, m in multipliers.items()}
    by = lambda v: by_name.get(v.op.name, by_name.get(v.name))
    return [(g if g is None or by(v) is None else g * math_ops.cast(by(v), g.dtype), v) for g, v in gradients]


OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]
OPTIMIZER_CLS_NAMES = {"Adagrad": train.AdagradOptimizer, "Adam": train.AdamOptimizer, "Ftrl": train.FtrlOptimizer,
                       "Momentum": lambda rate: train.MomentumOptimizer(rate, momentum=0.9), "RMSProp": train.RMSPropOptimizer,
                       "SGD": train.GradientDescentOptimizer}


def optimize_loss(loss: TensorLike, global_step: Tensor | Variable | None, learning_rate: LearningRate | None,
                  optimizer: str | Optimizer | type[Optimizer] | Callable[..., Optimizer], gradient_noise_scale: float | None = None,
                  gradient_multipliers: Mapping[Any, TensorLike] | None = None,
                  clip_gradients: TensorLike | Callable[[Any], GradientsAndVariables] | None = None,
                  learning_rate_decay_fn: Callable[..., TensorLike] | None = None, update_ops: Iterable[ControlInput] | None = None,
                  variables: Sequence[Variable] | None = None, name: str | None = None, summaries: Sequence[str] | None = None,
                  colocate_gradients_with_ops: bool = False, increment_global_step: bool = True) -> Tensor:
    """A tensor of the loss, whose run trains the variables once. The optimizer is one, its class, its name, or a function of the rate. ValueError
    for others, and for unknown summaries: of "learning_rate", "loss", "gradients", "gradient_norm" and "global_gradient_norm"."""
    wanted = ["loss", "learning_rate", "global_gradient_norm"] if summaries is None else list(summaries)
    if set(wanted) - set(OPTIMIZER_SUMMARIES):
        unknown = sorted(set(wanted) - set(OPTIMIZER_SUMMARIES))
        raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {unknown}.")
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        global_step = get_global_step() if global_step is None else global_step
        updates = list(ops.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
        with stacks.get_default_graph().control_dependencies(updates):
            loss = identity(loss)
        rate = _rate(learning_rate, learning_rate_decay_fn, global_step, "learning_rate" in wanted)
        made = _optimizer(optimizer, rate)
        gradients = made.compute_gradients(loss, variables or trainable_variables(), colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
        if gradient_noise_scale is not None:
            gradients = [(_noisy(g, gradient_noise_scale), v) for g, v in gradients]
        if "global_gradient_norm" in wanted:
            summary.scalar("global_norm/gradient_norm", global_norm([g for g, _ in gradients if g is not None]))
        if callable(clip_gradients):
            gradients = clip_gradients(gradients)
        elif clip_gradients is not None:
            clipped, _ = clip_by_global_norm([g for g, _ in gradients], clip_gradients)
            gradients = list(zip(clipped, [v for _, v in gradients]))
        _summarised(loss, gradients, wanted, clip_gradients is not None)
        applied = made.apply_gradients(gradients, global_step=global_step if increment_global_step else None, name="train")
        with stacks.get_default_graph().control_dependencies([applied]):
            return identity(loss)


def _noisy(gradient, scale):
    """With random numbers, at most two standard deviations from 0, that are times so much."""
    if gradient is None:
        return None
    values = getattr(gradient, "values", gradient)
    noisy = values + random_ops.truncated_normal(array_ops.shape(values), dtype=values.dtype) * scale
    return noisy if values is gradient else IndexedSlices(noisy, gradient.indices, gradient.dense_shape)


def _summarised(loss, gradients, wanted, clipped):
    if "loss" in wanted:
        summary.scalar("loss", loss)
    for g, v in gradients:
        values = getattr(g, "values", g)
        if values is not None and "gradients" in wanted:
            summary.histogram("gradients/" + v.name, values)
        if values is not None and "gradient_norm" in wanted:
            summary.scalar("gradient_norm/" + v.name, global_norm([values]))
    if clipped and "global_gradient_norm" in wanted:
        summary.scalar("global_norm/clipped_gradient_norm", global_norm([g for g, _ in gradients if g is not None]))


def _rate(learning_rate, decay, global_step, summarised):
    if learning_rate is None:
        return None
    if isinstance(learning_rate, (int, float)):
        if learning_rate < 0.0:
            raise ValueError(f"Invalid learning_rate {learning_rate}.")
        from troupe.initializers import constant_initializer

        learning_rate = get_variable("learning_rate", [], trainable=False, initializer=constant_initializer(learning_rate))
    if decay is not None:
        if global_step is None:
            raise ValueError("global_step is required for learning_rate_decay_fn.")
        learning_rate = decay(learning_rate, global_step)
    if summarised:
        summary.scalar("learning_rate", learning_rate)
    return learning_rate


def _optimizer(optimizer, rate):
    if isinstance(optimizer, str):
        if rate is None or optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}." if rate is not None else
                             "Learning rate is None, but should be specified if optimizer is string.")
        return OPTIMIZER_CLS_NAMES[optimizer](rate)
    if isinstance(optimizer, train.Optimizer):
        return optimizer
    if isinstance(optimizer, type) or callable(optimizer):
        return optimizer(learning_rate=rate) if isinstance(optimizer, type) else optimizer(rate) if rate is not None else optimizer()
    raise ValueError(f"Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or function. Got {optimizer}.")
