"""tf.contrib.opt: optimizers with weights that decay, Adam for few rows and its kin, signs, layers of their own rates, averages of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, control_flow_ops, math_ops, op_call, optimizers, ops, stacks
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor
from troupe.moving_averages import ExponentialMovingAverage
from troupe.optimizer import Optimizer
from troupe.saver import Saver
from troupe.tensor_algebra import clip_by_global_norm, clip_by_norm
from troupe.variables import global_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.tensor import Operation, Tensor
    from troupe.typing import GradientsAndVariables, LearningRate, TensorLike
    from troupe.variables import Variable


class DecoupledWeightDecayExtension:
    """For a class that is this and an optimizer: variables become smaller by `weight_decay` of themselves in each step, not by their gradient."""

    def __init__(self, weight_decay: LearningRate, **kwargs: Any) -> None:
        self._decay_var_list: set | None = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss: Tensor, global_step: Any = None, var_list: Any = None, gate_gradients: int = Optimizer.GATE_OP,
                 aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False, name: str | None = None,
                 grad_loss: Tensor | None = None, decay_var_list: Sequence[Variable] | None = None) -> Operation:
        """As Optimizer.minimize; only the variables of `decay_var_list` decay, or all for None."""
        self._decay_var_list = None if decay_var_list is None else {v.name for v in decay_var_list}
        return super().minimize(loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients,  # type: ignore[misc]
                                aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops, name=name,
                                grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Any = None, name: str | None = None,
                        decay_var_list: Sequence[Variable] | None = None) -> Operation:
        """As Optimizer.apply_gradients; only the variables of `decay_var_list` decay, or all for None."""
        if decay_var_list is not None:
            self._decay_var_list = {v.name for v in decay_var_list}
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _prepare(self):
        self._decay_t = convert_to_tensor(self._weight_decay() if callable(self._weight_decay) else self._weight_decay, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decayed(self, var):
        """The operations that an update waits for."""
        if self._decay_var_list is not None and var.name not in self._decay_var_list:
            return []
        return [var.assign_sub(math_ops.cast(self._decay_t, var.dtype.base_dtype) * var, use_locking=self._use_locking)]  # type: ignore[attr-defined]

    def _update(self, gradient, var):
        with stacks.get_default_graph().control_dependencies(self._decayed(var)):
            return super()._update(gradient, var)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """A class of an optimizer, whose first argument is `weight_decay`."""
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc, valid-type]
        """The optimizer with weights that decay."""

        def __init__(self, weight_decay: LearningRate, *args: Any, **kwargs: Any) -> None:
            import inspect

            given = inspect.signature(base_optimizer.__init__).bind(None, *args, **kwargs).arguments
            given.pop("self", None)
            super().__init__(weight_decay, **given)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, optimizers.AdamOptimizer):
    """Adam with weights that decay."""

    def __init__(self, weight_decay: LearningRate, learning_rate: LearningRate = 0.001, beta1: LearningRate = 0.9, beta2: LearningRate = 0.999,
                 epsilon: LearningRate = 1e-8, use_locking: bool = False, name: str = "AdamW") -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, use_locking=use_locking, name=name)


class MomentumWOptimizer(DecoupledWeightDecayExtension, optimizers.MomentumOptimizer):
    """Momentum with weights that decay."""

    def __init__(self, weight_decay: LearningRate, learning_rate: LearningRate, momentum: LearningRate, use_locking: bool = False,
                 name: str = "MomentumW", use_nesterov: bool = False) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking, name=name, use_nesterov=use_nesterov)


class LazyAdamOptimizer(optimizers.AdamOptimizer):
    """Adam whose IndexedSlices change the moments of their own rows alone."""

    def _sparse(self, grad, var, indices):
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        rate = lr * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * array_ops.gather(m, indices) + (1 - beta1) * grad
        new_v = beta2 * array_ops.gather(v, indices) + (1 - beta2) * math_ops.square(grad)
        made = [x.scatter_update(IndexedSlices(value, indices), use_locking=self._use_locking) for x, value in ((m, new_m), (v, new_v))]
        step = IndexedSlices(rate * new_m / (math_ops.sqrt(new_v) + epsilon), indices)
        return control_flow_ops.group(var.scatter_sub(step, use_locking=self._use_locking), *made)


class NadamOptimizer(optimizers.AdamOptimizer):
    """Adam with Nesterov's momentum."""

    def _apply(self, op, var, grad, places):
        numbers = zip(("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"), self._numbers(var.dtype.base_dtype))
        return op_call.call(op, None, **places, **dict(numbers), grad=grad, use_locking=self._use_locking, use_nesterov=True)

    def _sparse(self, grad, var, indices):
        graph = stacks.get_default_graph()
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        rate = lr * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        moments = []
        for slot, beta, values in ((self.get_slot(var, "m"), beta1, grad), (self.get_slot(var, "v"), beta2, grad * grad)):
            with graph.control_dependencies([slot.assign(slot * beta, use_locking=self._use_locking)]):
                moments.append(slot.scatter_add(IndexedSlices(values * (1 - beta), indices), use_locking=self._use_locking))
        m, v = moments
        ahead = grad * (1 - beta1) + beta1 * array_ops.gather(m, indices)
        step = IndexedSlices(rate * ahead / (math_ops.sqrt(array_ops.gather(v, indices)) + epsilon), indices)
        return control_flow_ops.group(var.scatter_sub(step, use_locking=self._use_locking), m, v)


class _ByRule(Optimizer):
    """Whose update is a formula of its own: `_step(grad, var)` gives what is taken from the variable, once the operations that it lists are done."""

    def _step(self, grad, var):
        raise NotImplementedError()

    def _apply_dense(self, grad, var):
        delta, made = self._step(grad, var)
        return control_flow_ops.group(var.assign_sub(delta, use_locking=self._use_locking), *made)

    _resource_apply_dense = _apply_dense

    def _apply_sparse(self, grad, var):
        return self._apply_dense(_whole(grad.values, grad.indices, var), var)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._apply_dense(_whole(grad, indices, handle), handle)


def _whole(values, indices, var):
    """Rows as a whole tensor."""
    return op_call.call("UnsortedSegmentSum", None, data=values, segment_ids=indices, num_segments=array_ops.shape(var)[0])


class AdaMaxOptimizer(optimizers.AdamOptimizer):
    """Adam by the largest gradient instead of the mean square."""

    def __init__(self, learning_rate: LearningRate = 0.001, beta1: LearningRate = 0.9, beta2: LearningRate = 0.999, epsilon: LearningRate = 1e-8,
                 use_locking: bool = False, name: str = "AdaMax") -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self):
        return (self._get_non_slot_variable("beta1_power", stacks.get_default_graph()),)

    def _create_slots(self, var_list):
        self._create_non_slot_variable(self._beta1, "beta1_power", min(var_list, key=lambda v: v.name))
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _numbers(self, dtype):
        """beta1_power, learning rate, beta1, beta2 and epsilon of a type."""
        return [math_ops.cast(t, dtype) for t in (*self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]

    def _apply(self, op, var, grad, places):
        numbers = zip(("beta1_power", "lr", "beta1", "beta2", "epsilon"), self._numbers(var.dtype.base_dtype))
        return op_call.call(op.replace("ApplyAdam", "ApplyAdaMax"), None, **places, **dict(numbers), grad=grad, use_locking=self._use_locking)

    def _sparse(self, grad, var, indices):
        beta1_power, lr, beta1, beta2, epsilon = self._numbers(var.dtype.base_dtype)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * array_ops.gather(m, indices) + (1 - beta1) * grad
        new_v = math_ops.maximum(beta2 * array_ops.gather(v, indices), math_ops.abs(grad))
        made = [x.scatter_update(IndexedSlices(value, indices), use_locking=self._use_locking) for x, value in ((m, new_m), (v, new_v))]
        step = IndexedSlices(lr / (1 - beta1_power) * new_m / (new_v + epsilon), indices)
        return control_flow_ops.group(var.scatter_sub(step, use_locking=self._use_locking), *made)

    def _finish(self, update_ops, name_scope):
        graph = stacks.get_default_graph()
        with graph.control_dependencies(update_ops):
            power, = self._get_beta_accumulators()
            with graph.colocate_with(power):
                update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return control_flow_ops.group(*update_ops, update, name=name_scope)


class _Signed(_ByRule):
    """By whether the gradient and its mean point the same way."""

    def __init__(self, learning_rate: LearningRate, beta: float, sign_decay_fn: Callable[[Tensor], TensorLike] | None, use_locking: bool,
                 name: str) -> None:
        super().__init__(use_locking, name)
        self._lr, self._beta, self._decay_fn = learning_rate, beta, sign_decay_fn

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Any = None, name: str | None = None) -> Operation:
        """As Optimizer.apply_gradients; a decay of signs follows the global step. ValueError for one without it."""
        if self._decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required when sign_decay_fn is set")
            self._decay_t = convert_to_tensor(self._decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _scaled(self, agreement):
        raise NotImplementedError()

    def _step(self, grad, var):
        dtype = var.dtype.base_dtype
        m = self.get_slot(var, "m")
        beta = math_ops.cast(self._call_if_callable(self._beta), dtype)
        mean = m.assign(beta * m + (1 - beta) * grad, use_locking=self._use_locking)
        agreement = math_ops.sign(grad) * math_ops.sign(mean)
        if self._decay_fn is not None:
            agreement = math_ops.cast(self._decay_t, dtype) * agreement
        return math_ops.cast(self._call_if_callable(self._lr), dtype) * self._scaled(agreement) * grad, [mean]


class PowerSignOptimizer(_Signed):
    """learning_rate base^(decay sign(gradient) sign(mean)) gradient."""

    def __init__(self, learning_rate: LearningRate = 0.1, base: float = 2.718281828459045, beta: LearningRate = 0.9,
                 sign_decay_fn: Callable[[Any], TensorLike] | None = None, use_locking: bool = False, name: str = "PowerSignOptimizer") -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._base = base

    def _scaled(self, agreement):
        return math_ops.pow(math_ops.cast(self._base, agreement.dtype), agreement)


class AddSignOptimizer(_Signed):
    """learning_rate (alpha + decay sign(gradient) sign(mean)) gradient."""

    def __init__(self, learning_rate: LearningRate = 0.1, alpha: float = 1.0, beta: LearningRate = 0.9,
                 sign_decay_fn: Callable[[Any], TensorLike] | None = None, use_locking: bool = False, name: str = "AddSignOptimizer") -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _scaled(self, agreement):
        return math_ops.cast(self._alpha, agreement.dtype) + agreement


def get_linear_decay_fn(decay_steps: int) -> Callable[[Any], Tensor]:
    """1 at first, 0 after so many steps. ValueError for none."""
    if decay_steps <= 0:
        raise ValueError("decay_steps should be positive")
    return lambda step: math_ops.maximum(1.0 - math_ops.cast(step, "float32") / decay_steps, 0.0)


def clip_gradients_by_global_norm(gradients_variables: GradientsAndVariables, clip_norm: float = 20.0) -> tuple[list[tuple[Any, Variable]], Tensor]:
    """(gradients that together are at most so long, with their variables, and how long they were)."""
    pairs = list(gradients_variables)
    clipped, norm = clip_by_global_norm([g for g, _ in pairs], clip_norm)
    return list(zip(clipped, [v for _, v in pairs])), norm


class LARSOptimizer(optimizers.MomentumOptimizer):
    """Momentum whose rate is each layer's own: by how long its weights are beside their gradient."""

    def __init__(self, learning_rate: LearningRate, momentum: LearningRate = 0.9, weight_decay: float = 0.0001, eeta: float = 0.001,
                 epsilon: float = 0.0, name: str = "LARSOptimizer", skip_list: Sequence[str] | None = None, use_nesterov: bool = False) -> None:
        if momentum < 0.0:  # type: ignore[operator]
            raise ValueError(f"momentum should be positive: {momentum}")
        super().__init__(learning_rate, momentum, False, name, use_nesterov)
        self._decay, self._eeta, self._epsilon, self._skip = weight_decay, eeta, epsilon, skip_list

    def compute_lr(self, grad: Tensor, var: Variable) -> tuple[Tensor, Tensor]:
        """(the rate of a layer, its gradient with the decay of weights)."""
        rate = math_ops.cast(self._call_if_callable(self._learning_rate), var.dtype.base_dtype)
        if self._skip is not None and any(part in var.name for part in self._skip):
            return rate, grad
        long, steep = (math_ops.sqrt(math_ops.reduce_sum(math_ops.square(x))) for x in (convert_to_tensor(var), grad))
        trust = array_ops.where(math_ops.greater(long, 0), array_ops.where(math_ops.greater(steep, 0), self._eeta * long / (
            steep + self._decay * long + self._epsilon), array_ops.ones_like(long)), array_ops.ones_like(long))
        return rate * trust, grad + self._decay * var

    def _apply_dense(self, grad, var):
        return self._at_rate(grad, var, "ApplyMomentum", lambda v: v._ref())

    def _resource_apply_dense(self, grad, handle):
        return self._at_rate(grad, handle, "ResourceApplyMomentum", lambda v: v.handle)

    def _at_rate(self, grad, var, op, place):
        rate, grad = self.compute_lr(grad, var)
        made = op_call.call(op, None, var=place(var), accum=place(self.get_slot(var, "momentum")), lr=rate, grad=grad,
                            momentum=math_ops.cast(self._tensors["momentum"], var.dtype.base_dtype), use_nesterov=self._use_nesterov)
        return getattr(made, "op", made)


class _Wrapped(Optimizer):
    """An optimizer around another."""

    def __init__(self, opt: Optimizer, name: str, use_locking: bool = False) -> None:
        super().__init__(use_locking, name)
        self._optimizer = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Variable]]:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Variable]:
        return self._optimizer.variables()


class VariableClippingOptimizer(_Wrapped):
    """Another one, after whose steps variables are at most so long in some dimensions: {variable: dimensions}."""

    def __init__(self, opt: Optimizer, vars_to_clip_dims: Mapping[Variable, Sequence[int]], max_norm: float, use_locking: bool = False,
                 colocate_clip_ops_with_vars: bool = False, name: str = "VariableClipping") -> None:
        super().__init__(opt, name, use_locking)
        self._dims, self._most = {v.name: list(d) for v, d in vars_to_clip_dims.items()}, max_norm

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Any = None, name: str | None = None) -> Operation:
        """As the other's, with its clipping."""
        pairs = list(grads_and_vars)
        with ops.name_scope(name, self._name) as scope:
            applied = self._optimizer.apply_gradients(pairs, global_step=global_step)
            with stacks.get_default_graph().control_dependencies([applied]):
                clipped = [v.assign(clip_by_norm(v.read_value(), self._most, self._dims[v.name]), use_locking=self._use_locking)
                           for g, v in pairs if g is not None and v.name in self._dims]
            return control_flow_ops.group(applied, *clipped, name=scope)


class MovingAverageOptimizer(_Wrapped):
    """Another one, and moving averages of what it trains, which `swapping_saver` saves as the variables."""

    def __init__(self, opt: Optimizer, average_decay: float = 0.9999, num_updates: TensorLike | None = None,
                 sequential_update: bool = True) -> None:
        super().__init__(opt, "MovingAverage")
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, Variable] | None = None
        self._sequential = sequential_update

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Any = None, name: str | None = None) -> Operation:
        """As the other's, then the averages move."""
        pairs = list(grads_and_vars)
        applied = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        trained = [v for g, v in pairs if g is not None]
        with stacks.get_default_graph().control_dependencies([applied] if self._sequential else []):
            moved = self._ema.apply(trained)
        self._swapped = {**(self._swapped or {}), **{v.op.name: self._ema.average(v) for v in trained}}
        return control_flow_ops.group(applied, moved, name="train_with_avg")

    def _find_swap(self, name, variable):
        average = (self._swapped or {}).get(name)
        if average is not None:
            return average
        inverse = {a.op.name: n for n, a in (self._swapped or {}).items()}
        return next(v for v in global_variables() if v.op.name == inverse[name]) if name in inverse else variable

    def swapping_saver(self, var_list: Sequence[Variable] | dict[str, Variable] | None = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """A Saver that writes averages under the names of their variables, and the variables under the names of the averages. RuntimeError before
        gradients were applied; ValueError where one of a pair is not saved."""
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        var_list = global_variables() if var_list is None else var_list
        wanted = dict(var_list) if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
        for variable, average in self._swapped.items():
            if (variable in wanted) != (average.op.name in wanted):
                raise ValueError(f"Variable to swap {variable} and its average {average.op.name} must both be in variables to save")
        return Saver({n: self._find_swap(n, v) for n, v in wanted.items()}, name=name, **kwargs)

