"""The optimizers. What each computes is in the papers that its TensorFlow namesake is from; its name is that of its slots, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, control_flow_ops, math_ops, op_call, stacks
from troupe.composite import IndexedSlices
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.initializers import constant_initializer, ones_initializer
from troupe.optimizer import FusedOptimizer, Optimizer
from troupe.resource_variable import ResourceVariable

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import LearningRate
    from troupe.variables import Variable


def _check(ok, text, value):
    if not ok:
        raise ValueError(f"{text}: {value}")


class _Numbers(FusedOptimizer):
    """With hyperparameters that are tensors named as they are."""

    _parameters: tuple[tuple[str, str], ...] = ()

    def _prepare(self):
        """A tensor of each (attribute, argument) of `_parameters`."""
        self._tensors = {argument: convert_to_tensor(self._call_if_callable(getattr(self, attribute)), name=attribute[1:])
                         for attribute, argument in self._parameters}

    def _number(self, *arguments):
        return {a: self._tensors[a] for a in arguments}


class GradientDescentOptimizer(_Numbers):
    """var -= learning_rate * gradient."""

    _parameters = (("_learning_rate", "alpha"),)

    def __init__(self, learning_rate: LearningRate, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply(self, var, grad, indices=None):
        rate = math_ops.cast(self._tensors["alpha"], var.dtype.base_dtype)
        if isinstance(var, ResourceVariable):
            return op_call.call("ResourceApplyGradientDescent", None, var=var.handle, alpha=rate, delta=grad, use_locking=self._use_locking)
        return op_call.call("ApplyGradientDescent", None, var=var._ref(), alpha=rate, delta=grad, use_locking=self._use_locking).op

    def _apply_sparse_duplicate_indices(self, grad, var):
        values = grad.values * math_ops.cast(self._tensors["alpha"], var.dtype.base_dtype)
        return var.scatter_sub(IndexedSlices(values, grad.indices, grad.dense_shape), use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        values = -grad * math_ops.cast(self._tensors["alpha"], grad.dtype.base_dtype)
        return op_call.call("ResourceScatterAdd", None, resource=handle.handle, indices=indices, updates=values)


class MomentumOptimizer(_Numbers):
    """With an accumulator that keeps a part `momentum` of itself; nesterov: as if the step were taken already."""

    _parameters = (("_learning_rate", "lr"), ("_momentum", "momentum"))

    def __init__(self, learning_rate: LearningRate, momentum: LearningRate, use_locking: bool = False, name: str = "Momentum",
                 use_nesterov: bool = False) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _fused(self, var):
        return "Momentum", {"accum": self.get_slot(var, "momentum")}, self._number("lr", "momentum"), {"use_nesterov": self._use_nesterov}


class AdamOptimizer(Optimizer):
    """Kingma and Ba's, with their second form of epsilon. IndexedSlices decay the moments of all rows."""

    def __init__(self, learning_rate: LearningRate = 0.001, beta1: LearningRate = 0.9, beta2: LearningRate = 0.999, epsilon: LearningRate = 1e-8,
                 use_locking: bool = False, name: str = "Adam", use_own_namescope_for_non_slot_vars: bool = False) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _get_beta_accumulators(self):
        graph = stacks.get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph), self._get_non_slot_variable("beta2_power", graph)

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _prepare(self):
        values = (("learning_rate", self._lr), ("beta1", self._beta1), ("beta2", self._beta2), ("epsilon", self._epsilon))
        self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t = [
            convert_to_tensor(self._call_if_callable(value), name=name) for name, value in values]

    def _numbers(self, dtype):
        """beta1_power, beta2_power, learning rate, beta1, beta2 and epsilon of a type."""
        return [math_ops.cast(t, dtype) for t in (*self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]

    def _apply_dense(self, grad, var):
        refs = dict(zip(("var", "m", "v"), (x._ref() for x in (var, self.get_slot(var, "m"), self.get_slot(var, "v")))))
        return self._apply("ApplyAdam", var, grad, refs).op

    def _resource_apply_dense(self, grad, handle):
        handles = dict(zip(("var", "m", "v"), (x.handle for x in (handle, self.get_slot(handle, "m"), self.get_slot(handle, "v")))))
        return self._apply("ResourceApplyAdam", handle, grad, handles)

    def _apply(self, op, var, grad, places):
        numbers = zip(("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"), self._numbers(var.dtype.base_dtype))
        return op_call.call(op, None, **places, **dict(numbers), grad=grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return self._sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._sparse(grad, handle, indices)

    def _sparse(self, grad, var, indices):
        graph = stacks.get_default_graph()
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        rate = lr * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        moments = []
        for slot, beta, values in ((self.get_slot(var, "m"), beta1, grad), (self.get_slot(var, "v"), beta2, grad * grad)):
            added = values * (1 - beta)
            decayed = slot.assign(slot * beta, use_locking=self._use_locking)
            with graph.control_dependencies([decayed]):
                moments.append(slot.scatter_add(IndexedSlices(added, indices), use_locking=self._use_locking))
        m, v = moments
        update = var.assign_sub(rate * m / (math_ops.sqrt(v) + epsilon), use_locking=self._use_locking)
        return control_flow_ops.group(update, m, v)

    def _finish(self, update_ops, name_scope):
        graph = stacks.get_default_graph()
        with graph.control_dependencies(update_ops):
            powers = self._get_beta_accumulators()
            with graph.colocate_with(powers[0]):
                updates = [p.assign(p * beta, use_locking=self._use_locking) for p, beta in zip(powers, (self._beta1_t, self._beta2_t))]
        return control_flow_ops.group(*update_ops, *updates, name=name_scope)


class RMSPropOptimizer(_Numbers):
    """Gradients over the root of their mean square; centered: of their variance."""

    _parameters = (("_learning_rate", "lr"), ("_decay", "rho"), ("_momentum", "momentum"), ("_epsilon", "epsilon"))

    def __init__(self, learning_rate: LearningRate, decay: LearningRate = 0.9, momentum: LearningRate = 0.0, epsilon: LearningRate = 1e-10,
                 use_locking: bool = False, centered: bool = False, name: str = "RMSProp") -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._centered = centered

    def _create_slots(self, var_list):
        for v in var_list:
            if v.shape.is_fully_defined():
                first = ones_initializer(dtype=v.dtype.base_dtype)
            else:
                def first(*_, v=v, **__):
                    return array_ops.ones_like(v.initialized_value())
            self._get_or_make_slot_with_initializer(v, first, v.shape, v.dtype.base_dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _fused(self, var):
        slots = {"mg": self.get_slot(var, "mg")} if self._centered else {}
        slots.update(ms=self.get_slot(var, "rms"), mom=self.get_slot(var, "momentum"))
        return "CenteredRMSProp" if self._centered else "RMSProp", slots, self._number("lr", "rho", "momentum", "epsilon"), {}


class AdagradOptimizer(_Numbers):
    """Gradients over the root of the sum of their squares."""

    _parameters = (("_learning_rate", "lr"),)

    def __init__(self, learning_rate: LearningRate, initial_accumulator_value: float = 0.1, use_locking: bool = False, name: str = "Adagrad") -> None:
        _check(initial_accumulator_value > 0, "initial_accumulator_value must be positive", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            if v.shape.is_fully_defined():
                first = constant_initializer(self._first, dtype=dtype)
            else:
                def first(*_, v=v, dtype=dtype, **__):
                    return math_ops.cast(array_ops.fill(array_ops.shape(v), self._first), dtype)
            self._get_or_make_slot_with_initializer(v, first, v.shape, dtype, "accumulator", self._name)

    def _fused(self, var):
        return "Adagrad", {"accum": self.get_slot(var, "accumulator")}, self._number("lr"), {}


class AdagradDAOptimizer(_Numbers):
    """Adagrad by dual averaging, which regularises rows that no gradient came for, too."""

    _parameters = (("_learning_rate", "lr"), ("_l1_regularization_strength", "l1"), ("_l2_regularization_strength", "l2"))

    def __init__(self, learning_rate: LearningRate, global_step: Variable | Tensor, initial_gradient_squared_accumulator_value: float = 0.1,
                 l1_regularization_strength: LearningRate = 0.0, l2_regularization_strength: LearningRate = 0.0, use_locking: bool = False,
                 name: str = "AdagradDA") -> None:
        first = initial_gradient_squared_accumulator_value
        _check(first > 0, "initial_gradient_squared_accumulator_value must be positive", first)
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step, self._first = learning_rate, global_step, first
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list):
        for v in var_list:
            for slot, value in (("gradient_accumulator", 0.0), ("gradient_squared_accumulator", self._first)):
                with v.graph.colocate_with(v):
                    first = constant(value, shape=v.shape, dtype=v.dtype.base_dtype)
                self._get_or_make_slot(v, first, slot, self._name)

    def _prepare(self):
        super()._prepare()
        with stacks.get_default_graph().colocate_with(self._tensors["lr"]):
            self._tensors["global_step"] = math_ops.cast(control_flow_ops.identity_of(self._global_step) + 1, "int64")

    def _fused(self, var):
        slots = {"gradient_accumulator": self.get_slot(var, "gradient_accumulator"),
                 "gradient_squared_accumulator": self.get_slot(var, "gradient_squared_accumulator")}
        return "AdagradDA", slots, self._number("lr", "l1", "l2", "global_step"), {}


class AdadeltaOptimizer(_Numbers):
    """Steps as large as the mean of those before."""

    _parameters = (("_lr", "lr"), ("_rho", "rho"), ("_epsilon", "epsilon"))

    def __init__(self, learning_rate: LearningRate = 0.001, rho: LearningRate = 0.95, epsilon: LearningRate = 1e-8, use_locking: bool = False,
                 name: str = "Adadelta") -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)

    def _fused(self, var):
        slots = {"accum": self.get_slot(var, "accum"), "accum_update": self.get_slot(var, "accum_update")}
        return "Adadelta", slots, self._number("lr", "rho", "epsilon"), {}


class FtrlOptimizer(_Numbers):
    """Follow the regularised leader, online and with shrinkage."""

    _parameters = (("_learning_rate", "lr"), ("_l1_regularization_strength", "l1"), ("_adjusted_l2_regularization_strength", "l2"),
                   ("_l2_shrinkage_regularization_strength", "l2_shrinkage"), ("_learning_rate_power", "lr_power"))

    def __init__(self, learning_rate: LearningRate, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False, name: str = "Ftrl",
                 accum_name: str | None = None, linear_name: str | None = None, l2_shrinkage_regularization_strength: float = 0.0,
                 beta: float | None = None) -> None:
        super().__init__(use_locking, name)
        for what, value in (("initial_accumulator_value", initial_accumulator_value),
                            ("l1_regularization_strength", l1_regularization_strength),
                            ("l2_regularization_strength", l2_regularization_strength),
                            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)):
            _check(value >= 0, f"{what} needs to be positive or zero", value)
        _check(learning_rate_power <= 0, "learning_rate_power needs to be negative or zero", learning_rate_power)
        self._learning_rate, self._learning_rate_power, self._first = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1_regularization_strength, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._l2_shrinkage_regularization_strength, self._beta = l2_shrinkage_regularization_strength, beta or 0.0
        self._accum_name, self._linear_name = accum_name, linear_name

    @property
    def _adjusted_l2_regularization_strength(self):
        return self._l2 + self._beta / (2.0 * math_ops.maximum(self._call_if_callable(self._learning_rate), 1e-36))

    def _create_slots(self, var_list):
        for v in var_list:
            first = constant_initializer(self._first, dtype=v.dtype.base_dtype)
            self._get_or_make_slot_with_initializer(v, first, v.shape, v.dtype.base_dtype, "accum", self._accum_name or self._name)
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _fused(self, var):
        slots = {"accum": self.get_slot(var, "accum"), "linear": self.get_slot(var, "linear")}
        if self._l2_shrinkage_regularization_strength <= 0:
            return "Ftrl", slots, self._number("lr", "l1", "l2", "lr_power"), {}
        return "FtrlV2", slots, self._number("lr", "l1", "l2", "l2_shrinkage", "lr_power"), {}


class ProximalGradientDescentOptimizer(_Numbers):
    """Gradient descent, then the proximal step of L1 and L2."""

    _parameters = (("_learning_rate", "alpha"), ("_l1_regularization_strength", "l1"), ("_l2_regularization_strength", "l2"))

    def __init__(self, learning_rate: LearningRate, l1_regularization_strength: LearningRate = 0.0, l2_regularization_strength: LearningRate = 0.0,
                 use_locking: bool = False, name: str = "ProximalGradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _apply(self, var, grad, indices=None):
        resource = isinstance(var, ResourceVariable)
        numbers = {a: math_ops.cast(t, var.dtype.base_dtype) for a, t in self._tensors.items()}
        what = {"delta": grad} if indices is None else {"grad": grad, "indices": indices}
        kind = f"{'Resource' if resource else ''}{'' if indices is None else 'Sparse'}ApplyProximalGradientDescent"
        made = op_call.call(kind, None, var=var.handle if resource else var._ref(), use_locking=self._use_locking, **numbers, **what)
        return getattr(made, "op", made)


class ProximalAdagradOptimizer(_Numbers):
    """Adagrad, then the proximal step of L1 and L2."""

    _parameters = (("_learning_rate", "lr"), ("_l1_regularization_strength", "l1"), ("_l2_regularization_strength", "l2"))

    def __init__(self, learning_rate: LearningRate, initial_accumulator_value: float = 0.1, l1_regularization_strength: LearningRate = 0.0,
                 l2_regularization_strength: LearningRate = 0.0, use_locking: bool = False, name: str = "ProximalAdagrad") -> None:
        _check(initial_accumulator_value > 0, "initial_accumulator_value must be positive", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._first = learning_rate, initial_accumulator_value
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list):
        for v in var_list:
            with v.graph.colocate_with(v):
                first = constant(self._first, shape=v.shape, dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, first, "accumulator", self._name)

    def _fused(self, var):
        return "ProximalAdagrad", {"accum": self.get_slot(var, "accumulator")}, self._number("lr", "l1", "l2"), {}
