"""tf.contrib.integrate: paths of ordinary differential equations, by steps of their own or of a given grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, functional_ops, math_ops, ops
from troupe.check_ops import assert_greater
from troupe.control_flow_ops import cond, while_loop
from troupe.conversion import convert_to_tensor
from troupe.stacks import get_default_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

# Dormand and Prince: times of the stages, what each takes of those before, the step of fifth order, and its distance from the fourth.
_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = ((1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9), (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
           (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656), (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84))
_ERROR = (35 / 384 - 1951 / 21600, 0.0, 500 / 1113 - 22642 / 50085, 125 / 192 - 451 / 720, -2187 / 6784 + 12231 / 42400,
          11 / 84 - 649 / 6300, -1 / 60)


def _combined(y, dt, weights, slopes):
    return y + math_ops.cast(dt, y.dtype) * math_ops.add_n([math_ops.cast(w, y.dtype) * k for w, k in zip(weights, slopes) if w] or [slopes[0] * 0])


def _step(func, y, slope, t, dt):
    """(y after dt, its slope there, what the step may be wrong by)."""
    slopes = [slope]
    for at, weights in zip(_TIMES, _STAGES):
        moved = _combined(y, dt, weights, slopes)
        slopes.append(convert_to_tensor(func(moved, t + math_ops.cast(at, t.dtype) * dt)))
    return moved, slopes[-1], _combined(array_ops.zeros_like(y), dt, _ERROR, slopes)


def _checked_times(t):
    t = convert_to_tensor(t, preferred_dtype="float64", name="t")
    if t.shape.rank not in (None, 1):
        raise ValueError(f"t must be 1D, got {t.shape}")
    if not t.dtype.is_floating:
        raise TypeError(f"dtype of `t` must be a floating point number: {t.dtype.name}")
    with get_default_graph().control_dependencies([assert_greater(t[1:], t[:-1], message="`t` must be monotonic increasing")]):
        return t * 1


def odeint(func: Callable[[Tensor, Tensor], TensorLike], y0: TensorLike, t: TensorLike, rtol: float = 1e-6, atol: float = 1e-12,
           method: str | None = None, options: Mapping[str, Any] | None = None, full_output: bool = False, name: str | None = None) -> Any:
    """y [times, ...] at growing times t, of dy/dt = func(y, t) and y0 at the first; steps are as long as the error allows (Dormand and Prince).
    With `full_output` also {"num_func_evals", "num_steps"}. Options: first_step, safety, ifactor, dfactor, max_num_steps. InvalidArgumentError, when
    it runs, for steps that become too small or too many. ValueError for other methods and options; TypeError for times that are no floats."""
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    known = {"first_step": None, "safety": 0.9, "ifactor": 10.0, "dfactor": 0.2, "max_num_steps": 1000}
    unknown = set(options or {}) - set(known)
    if unknown:
        raise ValueError(f"unexpected arguments for options: {sorted(unknown)}")
    known.update(options or {})
    with ops.name_scope(name, "odeint", [y0, t]):
        y0, t = convert_to_tensor(y0, name="y0"), _checked_times(t)
        slope = convert_to_tensor(func(y0, t[0]))
        first = math_ops.cast(0.01 * (t[1] - t[0]) if known["first_step"] is None else known["first_step"], t.dtype)
        start = (y0, slope, t[0], first, convert_to_tensor(0), convert_to_tensor(1))
        advance = lambda state, until: _until(func, state, until, rtol, atol, known)
        states = functional_ops.scan(advance, t[1:], start)
        made = array_ops.concat([array_ops.expand_dims(y0, 0), states[0]], 0)
        made.set_shape(t.shape[:1].concatenate(y0.shape))
        return (made, {"num_func_evals": states[5][-1], "num_steps": states[4][-1]}) if full_output else made


def _until(func, state, until, rtol, atol, options):
    """The state at a later time."""
    from troupe.control_flow_ops import Assert

    def more(y, slope, t, dt, steps, calls, n):
        return t < until

    def body(y, slope, t, dt, steps, calls, n):
        last = t + dt >= until
        length = array_ops.where_v2(last, until - t, dt)
        fine = Assert(math_ops.logical_and(n < options["max_num_steps"], t + dt > t), ["max_num_steps exceeded, or underflow in dt", n, dt])
        with get_default_graph().control_dependencies([fine]):
            moved, new_slope, error = _step(func, y, slope, t, length)
        allowed = math_ops.cast(atol, y.dtype) + math_ops.cast(rtol, y.dtype) * math_ops.maximum(math_ops.abs(y), math_ops.abs(moved))
        ratio = math_ops.cast(math_ops.sqrt(math_ops.reduce_mean(math_ops.square(math_ops.abs(error / allowed)))), t.dtype)
        accepted = ratio <= 1
        factor = options["safety"] / math_ops.pow(math_ops.maximum(ratio, 1e-12), 0.2)
        factor = math_ops.minimum(math_ops.cast(options["ifactor"], t.dtype), math_ops.maximum(math_ops.cast(options["dfactor"], t.dtype), factor))
        # A step that was cut at its end says little about the next.
        new_dt = array_ops.where_v2(math_ops.logical_and(last, accepted), math_ops.maximum(dt, length * factor), length * factor)
        pick = lambda new, old: cond(accepted, lambda: new, lambda: old)
        return (pick(moved, y), pick(new_slope, slope), array_ops.where_v2(accepted, array_ops.where_v2(last, until, t + length), t), new_dt,
                steps + 1, calls + 6, n + 1)

    shapes = [x.shape for x in state]
    *state, _ = while_loop(more, body, (*state, convert_to_tensor(0)))
    for x, shape in zip(state, shapes):
        x.set_shape(shape)
    return tuple(state)


def odeint_fixed(func: Callable[[Tensor, Tensor], TensorLike], y0: TensorLike, t: TensorLike, dt: TensorLike | None = None, method: str = "rk4",
                 name: str | None = None) -> Tensor:
    """y [times, ...] at growing times t, by one step of "rk4" or "midpoint" to each, or by steps of `dt`. ValueError for other methods."""
    if method not in ("rk4", "midpoint"):
        raise ValueError(f"method not supported: {method!s}")
    with ops.name_scope(name, "odeint_fixed", [y0, t, dt]):
        y0, t = convert_to_tensor(y0, name="y0"), _checked_times(t)
        half = lambda length: math_ops.cast(length, y0.dtype) / 2

        def midpoint(y, at, length):
            k1 = func(y, at)
            return math_ops.cast(length, y0.dtype) * func(y + half(length) * k1, at + length / 2)

        def rk4(y, at, length):
            h = math_ops.cast(length, y0.dtype)
            k1 = func(y, at)
            k2 = func(y + half(length) * k1, at + length / 2)
            k3 = func(y + half(length) * k2, at + length / 2)
            k4 = func(y + h * k3, at + length)
            return h * (k1 + 2 * k2 + 2 * k3 + k4) / 6

        one = rk4 if method == "rk4" else midpoint
        pairs = (t[:-1], t[1:])
        if dt is None:
            made = functional_ops.scan(lambda y, ends: y + one(y, ends[0], ends[1] - ends[0]), pairs, y0)
        else:
            made = functional_ops.scan(lambda y, ends: _by_steps(one, y, ends[0], ends[1], math_ops.cast(dt, t.dtype)), pairs, y0)
        return array_ops.concat([array_ops.expand_dims(y0, 0), made], 0)


def _by_steps(one, y, start, end, dt):
    """From one time to another by steps of dt, the last of which may be shorter."""
    def body(at, value):
        length = math_ops.minimum(dt, end - at)
        return array_ops.where_v2(end - at <= dt, end, at + length), value + one(value, at, length)

    return while_loop(lambda at, value: at < end, body, (start, y))[1]
