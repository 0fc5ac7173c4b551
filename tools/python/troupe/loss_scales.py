"""Losses that are scaled up so that small gradients of float16 do not vanish: `tf.mixed_precision` and `tf.train.experimental`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import control_flow_ops, dtypes, math_ops, nest
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor
from troupe.layer import smart_cond
from troupe.optimizer import Optimizer
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troupe.tensor import Operation, Tensor
    from troupe.typing import TensorLike


class LossScale:
    """A number for losses: calling it gives the tensor; `update(grads)` gives (the operation that changes it, whether the gradients are to be applied)."""

    def __init__(self) -> None:
        self._weights: list[Variable] = []

    def __call__(self) -> Tensor:
        raise NotImplementedError

    def update(self, grads: Any) -> tuple[Operation, Any]:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        return cls(**config)

    def _add_weight(self, name, initial_value, dtype):
        made = Variable(initial_value, name=name, dtype=dtype, trainable=False, use_resource=True)
        self._weights.append(made)
        return made


class FixedLossScale(LossScale):
    """A number that stays. ValueError below one."""

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Operation, bool]:
        return control_flow_ops.no_op(), True

    def __repr__(self):
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict[str, Any]:
        return {"loss_scale_value": self._loss_scale_value}


def _all_finite(grads):
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads if g is not None]
    return math_ops.reduce_all([math_ops.reduce_all(math_ops.is_finite(v)) for v in values])


class DynamicLossScale(LossScale):
    """A number that grows by `multiplier` after `increment_period` steps with finite gradients in a row, and shrinks by it, to one at least, after a step with
    others, whose gradients are not applied."""

    def __init__(self, initial_loss_scale: float = 2**15, increment_period: int = 2000, multiplier: float = 2.0) -> None:
        super().__init__()
        self._initial, self._period, self._multiplier = float(initial_loss_scale), int(increment_period), float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial, dtypes.float32)
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        return self._initial

    @property
    def increment_period(self) -> int:
        return self._period

    @property
    def multiplier(self) -> float:
        return self._multiplier

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Operation, Tensor]:
        scale, steps = self._current_loss_scale, self._num_good_steps
        finite = _all_finite(nest.flatten(grads))

        def grow():
            new = scale * self._multiplier
            assign = control_flow_ops.cond(math_ops.is_finite(new), lambda: _operation(scale.assign(new)), control_flow_ops.no_op)
            return control_flow_ops.group(assign, steps.assign(0))

        def good():
            return control_flow_ops.cond(convert_to_tensor(steps) + 1 >= self._period, grow, lambda: _operation(steps.assign_add(1)))

        def bad():
            return control_flow_ops.group(steps.assign(0), scale.assign(math_ops.maximum(scale / self._multiplier, 1.0)))

        return control_flow_ops.cond(finite, lambda: _operation(good()), bad), finite

    def __repr__(self):
        return f"DynamicLossScale(initial_loss_scale={self._initial}, increment_period={self._period}, multiplier={self._multiplier})"

    def get_config(self) -> dict[str, Any]:
        return {"initial_loss_scale": self._initial, "increment_period": self._period, "multiplier": self._multiplier}


def _operation(made):
    return control_flow_ops.group(made)


def _scale_of(identifier):
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if isinstance(identifier, LossScale):
        return identifier
    if identifier is None:
        raise ValueError("loss_scale cannot be None")
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Another optimizer, for a loss times a scale, by which gradients are divided again: a number, "dynamic" or a LossScale. Of a dynamic one, steps whose gradients
    are not finite change no variables. ValueError for what is no optimizer."""

    def __init__(self, opt: Optimizer, loss_scale: float | str | LossScale) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer, self._loss_scale = opt, _scale_of(loss_scale)

    def compute_gradients(self, loss: TensorLike, var_list: Iterable[Any] | None = None, gate_gradients: int = Optimizer.GATE_OP,
                          aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False, grad_loss: Any = None) -> list[tuple[Any, Variable]]:
        """[(gradient of the loss itself, variable)]."""
        loss = convert_to_tensor(loss)
        scaled = loss * math_ops.cast(self._loss_scale(), loss.dtype)
        pairs = self._optimizer.compute_gradients(scaled, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss)
        by = 1 / self._loss_scale()
        return [(None if g is None else _times(g, by), v) for g, v in pairs]

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]], global_step: Any = None, name: str | None = None) -> Operation:
        """The operation that applies them, unless the scale says that they are not to be."""
        pairs = list(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        name = name or self.get_name()
        update, wanted = self._loss_scale.update([g for g, _ in pairs])
        applied = smart_cond(wanted, lambda: _operation(self._optimizer.apply_gradients(pairs, global_step, name + "-wrapped")), control_flow_ops.no_op)
        return control_flow_ops.group(applied, update, name=name)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Variable]:
        return self._optimizer.variables() + list(self._loss_scale._weights)


def _times(gradient, by):
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * math_ops.cast(by, gradient.values.dtype), gradient.indices, gradient.dense_shape)
    return gradient * math_ops.cast(by, gradient.dtype)


def enable_mixed_precision_graph_rewrite(opt: Optimizer, loss_scale: float | str | LossScale = "dynamic") -> MixedPrecisionLossScaleOptimizer:
    """The optimizer with a scaled loss. Graphs are not rewritten to float16: numbers are of the types that the program gives them. ValueError for an optimizer that
    scales already."""
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError("opt must not already be an instance of a LossScaleOptimizer. `enable_mixed_precision_graph_rewrite` will automatically wrap the "
                         "optimizer with a LossScaleOptimizer.")
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite() -> None:
    """Nothing: graphs are not rewritten."""
