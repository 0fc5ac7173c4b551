"""Learning rates that fall with the steps: tensors, which the step is an input of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from troupe import case_ops, control_flow_ops, math_ops, ops, random_ops
from troupe.conversion import convert_to_tensor
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import LearningRate, TensorLike


def _needed(global_step, what):
    if global_step is None:
        raise ValueError(f"global_step is required for {what}.")


def _fraction(global_step, decay_steps, dtype, staircase=False):
    part = math_ops.cast(global_step, dtype) / math_ops.cast(decay_steps, dtype)
    return math_ops.floor(part) if staircase else part


def exponential_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, decay_rate: TensorLike,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * decay_rate ** (global_step / decay_steps); staircase: only whole powers. ValueError without a step."""
    _needed(global_step, "exponential_decay")
    with ops.name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        base = math_ops.cast(decay_rate, rate.dtype)
        return math_ops.multiply(rate, math_ops.pow(base, _fraction(global_step, decay_steps, rate.dtype, staircase)), name=scope)


def natural_exp_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, decay_rate: TensorLike,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    _needed(global_step, "natural_exp_decay")
    natural = math_ops.exp(math_ops.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, natural, staircase=staircase, name=name)


def inverse_time_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, decay_rate: TensorLike,
                       staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    _needed(global_step, "inverse_time_decay")
    with ops.name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        slope = math_ops.cast(decay_rate, rate.dtype)
        return math_ops.divide(rate, 1 + slope * _fraction(global_step, decay_steps, rate.dtype, staircase), name=scope)


def polynomial_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, end_learning_rate: TensorLike = 0.0001,
                     power: TensorLike = 1.0, cycle: bool = False, name: str | None = None) -> Any:
    """From learning_rate to end_learning_rate in decay_steps steps; cycle: in the next multiple of them, for ever."""
    _needed(global_step, "polynomial_decay")
    with ops.name_scope(name, "PolynomialDecay", [learning_rate, global_step, decay_steps, end_learning_rate, power]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        end, power = math_ops.cast(end_learning_rate, rate.dtype), math_ops.cast(power, rate.dtype)
        step, steps = math_ops.cast(global_step, rate.dtype), math_ops.cast(decay_steps, rate.dtype)
        if cycle:
            from troupe.array_ops import where

            rounds = where(math_ops.equal(step, 0), convert_to_tensor(1.0, rate.dtype), math_ops.ceil(step / steps))
            steps = steps * rounds
        else:
            step = math_ops.minimum(step, steps)
        return math_ops.add((rate - end) * math_ops.pow(1 - step / steps, power), end, name=scope)


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Any:
    """values[0] up to boundaries[0], then values[1] up to boundaries[1], ...; the last of `values` above all. ValueError for another number
    of values than boundaries + 1, or for types that differ."""
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with ops.name_scope(name, "PiecewiseConstant", [x, *boundaries, *values]):
        x = x.read_value() if isinstance(x, Variable) else convert_to_tensor(x)
        values = [convert_to_tensor(v) for v in values]
        if len({v.dtype.base_dtype for v in values}) > 1:
            raise ValueError(f"Values must have elements all with the same dtype ({[v.dtype.name for v in values]}).")
        bounds = [_boundary(b, x) for b in boundaries]
        pairs = [(x <= bounds[0], lambda: values[0]), (x > bounds[-1], lambda: values[-1])]
        for low, high, value in zip(bounds[:-1], bounds[1:], values[1:-1]):
            pairs.append((math_ops.logical_and(x > low, x <= high), lambda value=value: value))
        return case_ops.case(pairs, default=lambda: values[0], exclusive=True)


piecewise_constant_decay = piecewise_constant


def _boundary(boundary, x):
    boundary = convert_to_tensor(boundary)
    if boundary.dtype.base_dtype is x.dtype.base_dtype:
        return boundary
    if boundary.dtype.base_dtype.name == "int32" and x.dtype.base_dtype.name == "int64":
        return math_ops.cast(boundary, x.dtype.base_dtype)
    raise ValueError(f"Boundaries ({boundary.dtype.name}) must have the same dtype as x ({x.dtype.name}).")


def _completed(global_step, decay_steps, dtype):
    """The part of the steps that is over, at most 1."""
    return math_ops.minimum(math_ops.cast(global_step, dtype), math_ops.cast(decay_steps, dtype)) / math_ops.cast(decay_steps, dtype)


def _cosine(part, dtype):
    return 0.5 * (1.0 + math_ops.cos(convert_to_tensor(math.pi, dtype) * part))


def cosine_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, alpha: TensorLike = 0.0,
                 name: str | None = None) -> Any:
    """Half a cosine from learning_rate to alpha * learning_rate in decay_steps steps."""
    _needed(global_step, "cosine_decay")
    with ops.name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        decayed = (1 - alpha) * _cosine(_completed(global_step, decay_steps, rate.dtype), rate.dtype) + alpha
        return math_ops.multiply(rate, decayed)


def cosine_decay_restarts(learning_rate: LearningRate, global_step: Tensor | Variable, first_decay_steps: TensorLike, t_mul: float = 2.0,
                          m_mul: float = 1.0, alpha: TensorLike = 0.0, name: str | None = None) -> Any:
    """The same again and again, each time in t_mul times as many steps and from m_mul times the rate."""
    _needed(global_step, "cosine_decay_restarts")
    with ops.name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype
        t_mul, m_mul, alpha = (math_ops.cast(v, dtype) for v in (t_mul, m_mul, alpha))
        part = math_ops.cast(global_step, dtype) / math_ops.cast(first_decay_steps, dtype)

        def geometric():
            count = math_ops.floor(math_ops.log(1.0 - part * (1.0 - t_mul)) / math_ops.log(t_mul))
            before = (1.0 - t_mul**count) / (1.0 - t_mul)
            return count, (part - before) / t_mul**count

        def regular():
            count = math_ops.floor(part)
            return count, part - count

        restart, within = control_flow_ops.cond(math_ops.equal(t_mul, 1.0), regular, geometric)
        decayed = (1 - alpha) * (m_mul**restart * _cosine(within, dtype)) + alpha
        return math_ops.multiply(rate, decayed, name=scope)


def linear_cosine_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, num_periods: TensorLike = 0.5,
                        alpha: TensorLike = 0.0, beta: TensorLike = 0.001, name: str | None = None) -> Any:
    """A line to zero times num_periods periods of a cosine."""
    _needed(global_step, "linear_cosine_decay")
    with ops.name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        dtype = rate.dtype
        done = _completed(global_step, decay_steps, dtype)
        waves = 0.5 * (1.0 + math_ops.cos(convert_to_tensor(math.pi * 2.0 * num_periods, dtype) * done))
        return math_ops.multiply(rate, (math_ops.cast(alpha, dtype) + (1.0 - done)) * waves + math_ops.cast(beta, dtype), name=scope)


def noisy_linear_cosine_decay(learning_rate: LearningRate, global_step: Tensor | Variable, decay_steps: TensorLike, initial_variance: float = 1.0,
                              variance_decay: float = 0.55, num_periods: float = 0.5, alpha: TensorLike = 0.0, beta: float = 0.001,
                              name: str | None = None) -> Any:
    """The same with normal noise on the line, whose variance is initial_variance / (1 + step) ** variance_decay."""
    _needed(global_step, "noisy_linear_cosine_decay")
    with ops.name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="learning_rate")
        dtype = rate.dtype
        step = math_ops.minimum(math_ops.cast(global_step, dtype), math_ops.cast(decay_steps, dtype))
        variance = initial_variance / math_ops.pow(1.0 + step, convert_to_tensor(variance_decay, dtype))
        line = 1.0 - step / math_ops.cast(decay_steps, dtype)
        noisy = line + random_ops.random_normal(line.shape, stddev=math_ops.sqrt(variance), dtype=dtype)
        waves = 0.5 * (1.0 + math_ops.cos(convert_to_tensor(math.pi * 2.0 * num_periods, dtype) * (1.0 - line)))
        return math_ops.multiply(rate, (math_ops.cast(alpha, dtype) + noisy) * waves + math_ops.cast(beta, dtype), name=scope)
