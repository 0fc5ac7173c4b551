"""tf.contrib.slim.learning and tf.contrib.training: programs that train until a number of steps."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from troupe import control_flow_ops, lookup, math_ops, protos, stacks, summary
from troupe.composite import IndexedSlices
from troupe.event_writer import FileWriter
from troupe.monitored_session import MonitoredTrainingSession
from troupe.ops import control_dependencies, name_scope
from troupe.saver import Saver
from troupe.supervisor import Supervisor
from troupe.tensor_algebra import clip_by_norm, global_norm
from troupe.tf_logging import get_logger
from troupe.training_util import get_or_create_global_step
from troupe.variables import global_variables_initializer, local_variables_initializer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from troupe.monitored_session import Scaffold
    from troupe.session import BaseSession, Session
    from troupe.session_run_hook import SessionRunHook
    from troupe.sync_replicas import SyncReplicasOptimizer
    from troupe.tensor import Operation, Tensor
    from troupe.typing import FeedDict, GradientsAndVariables, Message, TensorLike
    from troupe.graph import Graph
    from troupe.variables import Variable

_log = get_logger()
_USE_DEFAULT: Any = 0


def _values(gradient):
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def clip_gradient_norms(gradients_to_variables: GradientsAndVariables, max_norm: float) -> list[tuple[Any, Variable]]:
    """Each gradient at most so long."""
    made = []
    for gradient, variable in gradients_to_variables:
        if isinstance(gradient, IndexedSlices):
            gradient = IndexedSlices(clip_by_norm(gradient.values, max_norm), gradient.indices, gradient.dense_shape)
        elif gradient is not None:
            gradient = clip_by_norm(gradient, max_norm)
        made.append((gradient, variable))
    return made


def clip_gradient_norms_fn(max_norm: float) -> Callable[[GradientsAndVariables], list[tuple[Any, Variable]]]:
    """A `transform_grads_fn` of it."""
    return lambda gradients: clip_gradient_norms(gradients, max_norm)


def multiply_gradients(grads_and_vars: GradientsAndVariables, gradient_multipliers: Mapping[Any, TensorLike]) -> list[tuple[Any, Variable]]:
    """Gradients times the numbers of {variable or name: number}. ValueError for no numbers, no dict, or a gradient that is None."""
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    made = []
    for gradient, variable in grads_and_vars:
        factor = next((gradient_multipliers[k] for k in (variable, variable.op.name) if k in gradient_multipliers), None)
        if factor is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = math_ops.cast(factor, _values(gradient).dtype)
            if isinstance(gradient, IndexedSlices):
                gradient = IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
            else:
                gradient *= factor
        made.append((gradient, variable))
    return made


def add_gradients_summaries(grads_and_vars: GradientsAndVariables) -> list[Tensor]:
    """A histogram of each gradient, and its length."""
    made = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            _log.info("Var %s has no gradient", variable.op.name)
            continue
        made.append(summary.histogram(f"{variable.op.name}/gradient", _values(gradient)))
        made.append(summary.scalar(f"{variable.op.name}/gradient_norm", global_norm([_values(gradient)])))
    return made


def train_step(sess: BaseSession, train_op: Tensor, global_step: Tensor | Variable, train_step_kwargs: Mapping[str, Any]) -> tuple[Any, bool]:
    """One step: (the loss, whether to stop). `train_step_kwargs` may have the tensors "should_log", "should_stop" and "should_trace", and
    the folder "logdir"."""
    start = time.monotonic()
    options = metadata = None
    if "should_trace" in train_step_kwargs and sess.run(train_step_kwargs["should_trace"]):
        options, metadata = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE), protos.RunMetadata()
    total_loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    if metadata is not None:
        _write_trace(metadata, train_step_kwargs, step)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        _log.info("global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, time.monotonic() - start)
    stop = bool(sess.run(train_step_kwargs["should_stop"])) if "should_stop" in train_step_kwargs else False
    return total_loss, stop


def _write_trace(metadata, kwargs, step):
    from troupe.timeline import Timeline

    if "logdir" not in kwargs:
        raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
    with open(os.path.join(kwargs["logdir"], f"tf_trace-{step}.json"), "w") as f:
        f.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
    if kwargs.get("summary_writer"):
        kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")


def train(train_op: Tensor | None, logdir: str | os.PathLike[str] | None, train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
          train_step_kwargs: Mapping[str, Any] = _USE_DEFAULT, log_every_n_steps: int = 1, graph: Graph | None = None, master: str = "",
          is_chief: bool = True, global_step: Tensor | Variable | None = None, number_of_steps: int | None = None,
          init_op: Operation | None = _USE_DEFAULT, init_feed_dict: FeedDict | None = None, local_init_op: Operation | None = _USE_DEFAULT,
          init_fn: Callable[[Session], Any] | None = None, ready_op: Tensor | None = _USE_DEFAULT, summary_op: Tensor | None = _USE_DEFAULT,
          save_summaries_secs: float | None = 600, summary_writer: FileWriter | None = _USE_DEFAULT, startup_delay_steps: int = 0,
          saver: Saver | None = None, save_interval_secs: float | None = 600, sync_optimizer: SyncReplicasOptimizer | None = None,
          session_config: Message | None = None, session_wrapper: Callable[[Session], Any] | None = None, trace_every_n_steps: int | None = None,
          ignore_live_threads: bool = False) -> Any:
    """Runs `train_op` until `number_of_steps` (or without end), with a Supervisor of the folder; gives the last loss. ValueError for no `train_op`,
    and for what needs a folder without one."""
    _check_arguments(train_op, logdir, trace_every_n_steps, summary_writer, number_of_steps)
    graph = graph or stacks.get_default_graph()
    with graph.as_default():
        global_step = get_or_create_global_step() if global_step is None else global_step
        saver = saver or Saver()
        wanted = lambda value, make: make() if value is _USE_DEFAULT else value
        if sync_optimizer is not None:
            sync_optimizer = list(sync_optimizer) if isinstance(sync_optimizer, (list, tuple)) else [sync_optimizer]
        with name_scope("init_ops"):
            init_op = wanted(init_op, global_variables_initializer)
            if local_init_op is _USE_DEFAULT:
                local_init_op = control_flow_ops.group(local_variables_initializer(), lookup.tables_initializer())
            for optimizer in sync_optimizer or ():
                with control_dependencies([local_init_op] if local_init_op is not None else []):
                    local_init_op = optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
        summary_op = wanted(summary_op, summary.merge_all)
        summary_writer = wanted(summary_writer, lambda: FileWriter(logdir) if logdir and summary_op is not None else None)
        kwargs = train_step_kwargs
        if kwargs is _USE_DEFAULT:
            kwargs = _conditions(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir, summary_writer)
        runners = [optimizer.get_chief_queue_runner() for optimizer in sync_optimizer or () if is_chief]
    supervisor = Supervisor(graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op, init_feed_dict=init_feed_dict,
                            local_init_op=local_init_op, ready_op=Supervisor.USE_DEFAULT if ready_op is _USE_DEFAULT else ready_op,
                            summary_op=summary_op, summary_writer=summary_writer, global_step=global_step, saver=saver,
                            save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs, init_fn=init_fn)
    loss = None
    with supervisor.managed_session(master, config=session_config, start_standard_services=False) as session:
        running = session if session_wrapper is None else session_wrapper(session)
        if is_chief and logdir:
            supervisor.start_standard_services(session)
        elif startup_delay_steps > 0:
            _wait_for_step(session, global_step, min(startup_delay_steps, number_of_steps or startup_delay_steps))
        supervisor.start_queue_runners(session)
        if runners:
            supervisor.start_queue_runners(session, runners)
            for optimizer in sync_optimizer:
                session.run(optimizer.get_init_tokens_op())
        _log.info("Starting Session.")
        while not supervisor.should_stop():
            loss, stop = train_step_fn(running, train_op, global_step, kwargs)
            if stop:
                _log.info("Stopping Training.")
                supervisor.request_stop()
        if logdir and supervisor.is_chief:
            _log.info("Finished training! Saving model to disk.")
            supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
    return loss


def _check_arguments(train_op, logdir, trace_every_n_steps, summary_writer, number_of_steps):
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if summary_writer not in (_USE_DEFAULT, None):
            raise ValueError("Cannot provide summary_writer if logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _conditions(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir, summary_writer):
    """What `train_step` looks at, as tensors."""
    with name_scope("train_step"):
        kwargs: dict[str, Any] = {}
        if number_of_steps:
            kwargs["should_stop"] = math_ops.greater_equal(global_step, number_of_steps)
        if log_every_n_steps > 0:
            kwargs["should_log"] = math_ops.equal(math_ops.mod(global_step, log_every_n_steps), 0)
        if trace_every_n_steps is not None:
            kwargs["should_trace"] = math_ops.equal(math_ops.mod(global_step, trace_every_n_steps), 0)
            kwargs.update(logdir=logdir, summary_writer=summary_writer)
        return kwargs


def _wait_for_step(session, global_step, step):
    """Until other workers have come so far."""
    while session.run(global_step) < step:
        time.sleep(1.0)


def monitored_train(train_op: Tensor, logdir: str | os.PathLike[str] | None, master: str = "", is_chief: bool = True,
                    scaffold: Scaffold | None = None, hooks: Sequence[SessionRunHook] | None = None,
                    chief_only_hooks: Sequence[SessionRunHook] | None = None, save_checkpoint_secs: float | None = 600,
                    save_summaries_steps: int | None = 100, config: Message | None = None, max_wait_secs: float = 7200,
                    run_metadata: Message | None = None) -> Any:
    """tf.contrib.training.train: runs `train_op` in a MonitoredTrainingSession until a hook stops it; gives the last loss. ValueError where
    checkpoints or summaries are wanted, or no hooks are there, without a folder."""
    if logdir is None and is_chief and (save_summaries_steps or save_checkpoint_secs):
        raise ValueError("logdir cannot be None when save_summaries_steps or save_checkpoint_secs is not None")
    loss = None
    with MonitoredTrainingSession(master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks,
                                  chief_only_hooks=chief_only_hooks, save_checkpoint_secs=save_checkpoint_secs,
                                  save_summaries_steps=save_summaries_steps, config=config, max_wait_secs=max_wait_secs) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
