"""Hooks that most programs of training have."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING

import numpy as np

from troupe import nest, protos, stacks
from troupe.checkpoint_state import write_whole
from troupe.event_writer import FileWriterCache
from troupe.meta_graph import create_meta_graph_def
from troupe.ops import GraphKeys, get_collection
from troupe.session_run_hook import SessionRunArgs, SessionRunHook
from troupe.training_util import get_global_step, step_before_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.coordinator import Coordinator
    from troupe.event_writer import FileWriter
    from troupe.monitored_session import Scaffold
    from troupe.saver import Saver
    from troupe.session import BaseSession
    from troupe.session_run_hook import SessionRunContext, SessionRunValues
    from troupe.tensor import Tensor
    from troupe.typing import FeedDict, Path

_log = logging.getLogger("troupe")


def _one_of(secs, steps, what):
    if (secs is None) == (steps is None):
        raise ValueError(f"exactly one of {what} must be provided.")


def _needed_step(what):
    if get_global_step() is None:
        raise RuntimeError(f"Global step should be created to use {what}.")
    return step_before_run()


class SecondOrStepTimer:
    """Says when it is time: after some seconds, or some steps."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        self.reset()
        self._secs, self._steps = every_secs, every_steps
        if self._secs is None and self._steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if self._secs is not None and self._steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")

    def reset(self) -> None:
        self._last_step = self._last_time = None

    def should_trigger_for_step(self, step: int) -> bool:
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._secs is not None:
            return time.time() >= self._last_time + self._secs
        return step >= self._last_step + self._steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """(seconds, steps) since the last time, or (None, None)."""
        now = time.time()
        passed = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_time, self._last_step = now, step
        return passed

    def last_triggered_step(self) -> int | None:
        return self._last_step


class LoggingTensorHook(SessionRunHook):
    """Logs values every some steps or seconds, or at the end. `tensors`: {tag: tensor or name} or a list."""

    def __init__(self, tensors: Mapping[str, Tensor | str] | Sequence[Tensor | str], every_n_iter: int | None = None, every_n_secs: float | None = None, at_end: bool = False,
                 formatter: Callable[[dict[str, Any]], str] | None = None) -> None:
        if not at_end or every_n_iter is not None or every_n_secs is not None:
            _one_of(every_n_iter, every_n_secs, "every_n_iter and every_n_secs")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if not isinstance(tensors, dict):
            tensors = {getattr(t, "name", t): t for t in tensors}
        self._tensors, self._tags = tensors, list(tensors)
        self._formatter, self._at_end = formatter, at_end
        periodic = every_n_iter is not None or every_n_secs is not None
        self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter) if periodic else None

    def begin(self) -> None:
        if self._timer is not None:
            self._timer.reset()
        self._steps = 0
        graph = stacks.get_default_graph()
        self._current = {tag: graph.as_graph_element(t) for tag, t in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._now = self._timer is not None and self._timer.should_trigger_for_step(self._steps)
        return SessionRunArgs(self._current) if self._now else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._now:
            self._write(run_values.results)
        self._steps += 1

    def end(self, session: BaseSession) -> None:
        if self._at_end:
            self._write(session.run(self._current))

    def _write(self, values):
        passed, _ = self._timer.update_last_triggered_step(self._steps) if self._timer is not None else (None, None)
        if self._formatter:
            _log.info("%s", self._formatter(values))
            return
        text = ", ".join(f"{tag} = {values[tag]}" for tag in self._tags)
        _log.info("%s%s", text, "" if passed is None else f" ({passed:.3f} sec)")


class _StepHook(SessionRunHook):
    """A hook that looks at the global step after each run: `self._step`, which begin() sets."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def _due(self, run_context, run_values):
        """The step after the run when `self._timer` waits for it, else None. What was fetched may be the step before, so it is asked again."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return None
        step = run_context.session.run(self._step)
        return step if self._timer.should_trigger_for_step(step) else None


class StopAtStepHook(_StepHook):
    """Stops at a step, or so many steps after the first."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        _one_of(num_steps, last_step, "num_steps and last_step")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StopAtStepHook.")

    def after_create_session(self, session: BaseSession, coord: Coordinator) -> None:
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The value that was fetched may be the one before the step.
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class CheckpointSaverListener:
    """What is called around the saving of checkpoints."""

    def begin(self) -> None:
        """Once, with the hook's."""

    def before_save(self, session: BaseSession, global_step_value: int) -> None:
        """Before each."""

    def after_save(self, session: BaseSession, global_step_value: int) -> bool | None:
        """After each; true ends the training."""

    def end(self, session: BaseSession, global_step_value: int) -> None:
        """Once, after the last."""


class CheckpointSaverHook(_StepHook):
    """Saves checkpoints every some steps or seconds, at the first step and at the end."""

    def __init__(self, checkpoint_dir: Path, save_secs: float | None = None, save_steps: int | None = None, saver: Saver | None = None,
                 checkpoint_basename: str = "model.ckpt", scaffold: Scaffold | None = None, listeners: Sequence[CheckpointSaverListener] | None = None,
                 save_graph_def: bool = True) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold, self._folder = saver, scaffold, os.fsdecode(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners, self._save_graph_def = list(listeners or ()), save_graph_def

    def begin(self) -> None:
        self._writer = FileWriterCache.get(self._folder)
        self._step = _needed_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: BaseSession, coord: Coordinator) -> None:
        step = session.run(self._step)
        graph = stacks.get_default_graph()
        if self._save_graph_def:
            os.makedirs(self._folder, exist_ok=True)
            write_whole(os.path.join(self._folder, "graph.pbtxt"), str(graph.as_graph_def(add_shapes=True)).encode())
        saver = self._get_saver()
        self._writer.add_graph(graph)
        self._writer.add_meta_graph(create_meta_graph_def(graph_def=graph.as_graph_def(add_shapes=True),
                                                          saver_def=saver.saver_def if saver else None))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = self._due(run_context, run_values)
        if step is not None:
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: BaseSession) -> None:
        last = session.run(self._step)
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session, step):
        """True when a listener ends the training."""
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._path, global_step=int(step), write_meta_graph=self._save_graph_def)
        self._writer.add_session_log(protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._path), step)
        return any([listener.after_save(session, step) for listener in self._listeners])

    def _get_saver(self):
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(f"{'No' if not savers else 'More than one'} item in collection {GraphKeys.SAVERS}. Please add a saver to the "
                               "collection or provide a saver or scaffold.")
        self._saver = savers[0]
        return self._saver


class StepCounterHook(_StepHook):
    """Counts steps per second, into the log and an event file."""

    def __init__(self, every_n_steps: int = 100, every_n_secs: float | None = None, output_dir: Path | None = None,
                 summary_writer: FileWriter | None = None) -> None:
        _one_of(every_n_steps, every_n_secs, "every_n_steps and every_n_secs")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._writer, self._folder = summary_writer, output_dir

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = _needed_step("StepCounterHook")
        self._tag = get_global_step().op.name + "/sec"

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = self._due(run_context, run_values)
        if step is None:
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds is not None:
            self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = float(elapsed_steps) / max(elapsed_time, 1e-9)
        if self._writer is not None:
            self._writer.add_summary(protos.Summary(value=[protos.Summary.Value(tag=self._tag, simple_value=rate)]), global_step)
        _log.info("%s: %g", self._tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops, or raises NanLossDuringTrainingError, when the loss is no number."""

    def __init__(self, loss_tensor: Tensor | str, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not np.isnan(run_values.results):
            return
        if self._fail:
            _log.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        _log.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class SummarySaverHook(SessionRunHook):
    """Writes summaries every some steps or seconds."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None, output_dir: Path | None = None,
                 summary_writer: FileWriter | None = None, scaffold: Scaffold | None = None, summary_op: Tensor | str | Sequence[Tensor | str] | None = None) -> None:
        _one_of(scaffold, summary_op, "scaffold or summary_op")
        self._summary_op, self._writer, self._folder, self._scaffold = summary_op, summary_writer, output_dir, scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next_step, self._step = None, _needed_step("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._now = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        wanted = {"global_step": self._step}
        summary = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if self._now and summary is not None:
            wanted["summary"] = nest.flatten([summary])
        return SessionRunArgs(wanted)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._writer is None:
            return
        # It was read before the step was counted.
        step = run_context.session.run(self._step) if self._now else run_values.results["global_step"] + 1
        if self._next_step is None:
            self._writer.add_session_log(protos.SessionLog(status=protos.SessionLog.START), step)
        if self._now:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: BaseSession | None = None) -> None:
        if self._writer is not None:
            self._writer.flush()


class GlobalStepWaiterHook(SessionRunHook):
    """Waits with the first run until the global step is as large."""

    def __init__(self, wait_until_step: int) -> None:
        self._until, self._waited = wait_until_step, False

    def begin(self) -> None:
        self._step = _needed_step("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        while not self._waited and self._until > 0 and run_context.session.run(self._step) < self._until:
            time.sleep(0.5)
        self._waited = True


class FinalOpsHook(SessionRunHook):
    """Runs something at the end, and keeps its values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: FeedDict | None = None) -> None:
        self._final_ops, self._feeds, self._values = final_ops, final_ops_feed_dict, None

    @property
    def final_ops_values(self) -> Any:
        return self._values

    def end(self, session: BaseSession) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function gives."""

    def __init__(self, feed_fn: Callable[[], FeedDict]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
