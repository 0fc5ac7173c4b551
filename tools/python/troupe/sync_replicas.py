"""Training by several workers in step: a gradient is applied once enough of them have made theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, stacks
from troupe.accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from troupe.composite import IndexedSlices
from troupe.ops import GraphKeys
from troupe.optimizer import Optimizer
from troupe.queue_runner import QueueRunner
from troupe.queues import FIFOQueue
from troupe.session_manager import SessionManager
from troupe.session_run_hook import SessionRunHook
from troupe.tensor import Tensor
from troupe.variables import Variable, assign, global_variables, report_uninitialized_variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.moving_averages import ExponentialMovingAverage
    from troupe.tensor import Operation
    from troupe.typing import GradientsAndVariables


class SyncReplicasOptimizer(Optimizer):
    """An optimizer around another: it collects `replicas_to_aggregate` gradients of each variable, applies their mean once, then lets the
    workers, of whom there are `total_num_replicas`, go on by a token each. Gradients of steps that are over are dropped. The chief
    runs `get_chief_queue_runner()` after `chief_init_op` and `get_init_tokens_op()`; `make_session_run_hook` does all that."""

    _global_step: Any
    _tokens: Any
    _runner: Any

    def __init__(self, opt: Optimizer, replicas_to_aggregate: int, total_num_replicas: int | None = None,
                 variable_averages: ExponentialMovingAverage | None = None, variables_to_average: Sequence[Variable] | None = None,
                 use_locking: bool = False, name: str = "sync_replicas") -> None:
        super().__init__(use_locking, name)
        self._opt, self._needed = opt, replicas_to_aggregate
        self._total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._averages, self._averaged = variable_averages, variables_to_average
        self._global_step = self._tokens = self._runner = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Tensor | IndexedSlices | None, Variable]]:
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: GradientsAndVariables, global_step: Variable | Tensor | None = None,  # type: ignore[override]
                        name: str | None = None) -> Tensor:
        """The operation that a worker runs for a step. ValueError without variables or a global step."""
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        self._local_step = Variable(0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], dtype=global_step.dtype.base_dtype,
                                    name="sync_rep_local_step")
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        graph = stacks.get_default_graph()
        with graph.name_scope(self._name):
            applied, taken, accumulators = self._collect(grads_and_vars)
            with graph.device(global_step.device or None):
                with graph.name_scope(None):
                    update = self._opt.apply_gradients([(d, var) for d, (_, var) in zip(taken, grads_and_vars)], global_step)
                    step = self._in_step(update, applied)
            set_steps = [self._on(device, a.set_global_step, global_step, name="SetGlobalStep") for a, device in accumulators]
            self.chief_init_op = control_flow_ops.group(self.local_step_init_op, *set_steps)
        return step

    @staticmethod
    def _on(device, function, *args, **kwargs):
        with stacks.get_default_graph().device(device or None):
            return function(*args, **kwargs)

    def _collect(self, grads_and_vars):
        """(operations that add gradients, means of those added, [(accumulator, device)])."""
        applied, taken, accumulators = [], [], []
        for gradient, var in grads_and_vars:
            if gradient is None:
                taken.append(None)
                continue
            with stacks.get_default_graph().device(var.device or None):
                name = f"{var.name}/grad_accum"
                if isinstance(gradient, Tensor):
                    accumulator = ConditionalAccumulator(gradient.dtype, var.shape, shared_name=name)
                    applied.append(accumulator.apply_grad(gradient, self._local_step))
                    taken.append(accumulator.take_grad(self._needed))
                elif isinstance(gradient, IndexedSlices):
                    accumulator = SparseConditionalAccumulator(gradient.dtype, (), shared_name=name)
                    applied.append(accumulator.apply_indexed_slices_grad(gradient, self._local_step))
                    taken.append(accumulator.take_indexed_slices_grad(self._needed))
                else:
                    raise ValueError("Unknown grad type!")
            accumulators.append((accumulator, var.device))
        return applied, taken, accumulators

    def _in_step(self, update, applied):
        """The worker's step waits for a token, which the chief's queue runner hands out when the variables were updated."""
        graph, global_step = stacks.get_default_graph(), self._global_step
        self._tokens = FIFOQueue(-1, global_step.dtype.base_dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q")
        with graph.control_dependencies(applied):
            token = self._tokens.dequeue()
        step = assign(self._local_step, token)
        with graph.control_dependencies([update]):
            tokens = array_ops.fill([max(self._total, self._needed)], global_step)
            handed_out = self._tokens.enqueue_many((tokens,))
        if self._averages is not None:
            with graph.control_dependencies([handed_out]):
                handed_out = self._averages.apply(self._averaged)
        self._runner = QueueRunner(self._tokens, [handed_out])
        return step

    def _check_applied(self, message):
        if self._runner is None:
            raise ValueError(message)

    def get_chief_queue_runner(self) -> QueueRunner:
        self._check_applied("Should be called after apply_gradients().")
        return self._runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """The operation that lets workers begin: with as many tokens as gradients are needed, or these. ValueError for too few."""
        self._check_applied("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._needed - self._total
        if num_tokens == -1:
            num_tokens = self._needed
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return control_flow_ops.no_op(name="no_init_tokens")
        with stacks.get_default_graph().device(self._global_step.device or None):
            return self._tokens.enqueue_many((array_ops.fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        return _Hook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Variable | None:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        return self._opt.get_slot_names()

    def variables(self) -> list[Variable]:
        return self._opt.variables()


class _Hook(SessionRunHook):
    """Initialises a worker's step; as the chief, hands out tokens."""

    def __init__(self, optimizer, is_chief, num_tokens):
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens

    def begin(self):
        self._optimizer._check_applied("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        if self._is_chief:
            self._tokens = self._optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session, coord):
        init = self._optimizer.chief_init_op if self._is_chief else self._optimizer.local_step_init_op
        ready, why = SessionManager._is_ready(session, self._optimizer.ready_for_local_init_op)
        if not ready:
            raise RuntimeError("Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                               f"Init op: {init.name}, error: {why}")
        session.run(init)
        if self._is_chief:
            session.run(self._tokens)
            self._optimizer.get_chief_queue_runner().create_threads(session, coord=coord, daemon=True, start=True)
