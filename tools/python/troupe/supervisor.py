"""The Supervisor: a session that is initialised or restored, with threads that save, summarise and fill queues."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import control_flow_ops, dtypes, errors, lookup, meta_graph, protos, stacks, summary
from troupe.coordinator import Coordinator, LooperThread
from troupe.event_writer import FileWriter
from troupe.ops import GraphKeys
from troupe.saver import Saver
from troupe.session_manager import SessionManager
from troupe.tf_logging import get_logger
from troupe.training_util import global_step as read_global_step
from troupe.variables import (
    global_variables, global_variables_initializer, local_variables_initializer, report_uninitialized_variables)

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from troupe.graph import Graph
    from troupe.queue_runner import QueueRunner
    from troupe.session import BaseSession, Session
    from troupe.tensor import Operation, Tensor
    from troupe.typing import FeedDict, Message
    from troupe.variables import Variable

_log = get_logger()
_DEFAULT: Any = 0


def _first_of(key, make):
    """The first item of a collection, or one that is made and put there."""
    graph = stacks.get_default_graph()
    found = graph.get_collection(key)
    if found:
        return found[0]
    made = make()
    if made is not None:
        graph.add_to_collection(key, made)
    return made


def _step_by_name():
    try:
        found = stacks.get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if found.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return found
    _log.warning("Found 'global_step' is not an int type: %s", found.dtype)
    return None


class Supervisor:
    """Of a graph, which it finalizes. What is not given is found in the graph's collections, or made; None is left out. The chief restores the
    newest checkpoint of `logdir`, or else runs `init_op` and `init_fn(session)`, saves each `save_model_secs`, writes summaries each
    `save_summaries_secs`; others wait until the model is ready. ValueError where a variable of another than the chief has no device."""

    USE_DEFAULT = _DEFAULT

    def __init__(self, graph: Graph | None = None, ready_op: Tensor | None = _DEFAULT, ready_for_local_init_op: Tensor | None = _DEFAULT,
                 is_chief: bool = True, init_op: Operation | Tensor | None = _DEFAULT, init_feed_dict: FeedDict | None = None,
                 local_init_op: Operation | None = _DEFAULT, logdir: str | os.PathLike[str] | None = None, summary_op: Tensor | None = _DEFAULT,
                 saver: Saver | None = _DEFAULT, global_step: Tensor | Variable | None = _DEFAULT, save_summaries_secs: float | None = 120,
                 save_model_secs: float | None = 600, recovery_wait_secs: float = 30, stop_grace_secs: float = 120,
                 checkpoint_basename: str = "model.ckpt", session_manager: SessionManager | None = None,
                 summary_writer: FileWriter | None = _DEFAULT, init_fn: Callable[[Session], Any] | None = None,
                 local_init_run_options: Message | None = None) -> None:
        self._graph = graph = graph or stacks.get_default_graph()
        given = lambda value, key, make: _first_of(key, make) if value is _DEFAULT else value
        with graph.as_default():
            self.ready_op = given(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self.ready_for_local_init_op = given(ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None)
            self.init_op = given(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = given(local_init_op, GraphKeys.LOCAL_INIT_OP,
                                        lambda: control_flow_ops.group(local_variables_initializer(), lookup.tables_initializer()))
            self.saver = given(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
            self.summary_op = given(summary_op, GraphKeys.SUMMARY_OP, summary.merge_all)
            self.global_step = given(global_step, GraphKeys.GLOBAL_STEP, _step_by_name)
        self.init_feed_dict, self.is_chief, self.coord = init_feed_dict, is_chief, Coordinator()
        self._init_fn, self._grace_secs, self._graph_written = init_fn, stop_grace_secs, False
        self._logdir = self.save_path = self.summary_writer = self.save_summaries_secs = self.save_model_secs = None
        if is_chief:
            self._logdir, self.save_summaries_secs, self.save_model_secs = logdir and os.fsdecode(logdir), save_summaries_secs, save_model_secs
            if logdir:
                self.save_path = os.path.join(logdir, checkpoint_basename)
            self.summary_writer = (FileWriter(logdir) if logdir else None) if summary_writer is _DEFAULT else summary_writer
        self.session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self.ready_op, ready_for_local_init_op=self.ready_for_local_init_op, graph=graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        self._check_devices()
        graph.finalize()

    def _check_devices(self):
        for op in () if self.is_chief else self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

    # Sessions.

    def prepare_or_wait_for_session(self, master: str = "", config: Message | None = None, wait_for_checkpoint: bool = False,
                                    max_wait_secs: float = 7200, start_standard_services: bool = True) -> Session:
        """A session that is ready; with the services and the queue runners of the graph, unless they are not to be started."""
        self.coord.clear_stop()
        if self.summary_writer:
            self.summary_writer.reopen()
        if self.is_chief:
            session = self.session_manager.prepare_session(
                master, init_op=self.init_op, saver=self.saver, checkpoint_dir=self._logdir, wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs, config=config, init_feed_dict=self.init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(session)
        else:
            session = self.session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    @contextmanager
    def managed_session(self, master: str = "", config: Message | None = None, start_standard_services: bool = True,
                        close_summary_writer: bool = True) -> Iterator[Session]:
        """A session for a `with` block, which closes it and stops all threads. What is raised in it, or by a thread, is raised behind it, but for
        the end of input."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        except Exception as e:  # noqa: BLE001, stop raises it
            self.request_stop(e)
        finally:
            try:
                # Threads that wait for queues end when their session does.
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    def _write_graph(self):
        definition = self._graph.as_graph_def(add_shapes=True)
        if self._logdir:
            meta_graph.write_graph(definition, self._logdir, "graph.pbtxt")
        if self.summary_writer and not self._graph_written:
            self.summary_writer.add_graph(self._graph)
            self.summary_writer.add_meta_graph(meta_graph.export_meta_graph(graph=self._graph, graph_def=definition,
                                                                            saver_def=self.saver.saver_def if self.saver else None))
            self._graph_written = True

    # Threads.

    def start_standard_services(self, sess: BaseSession) -> list[LooperThread] | None:
        """The threads that save, summarise and count steps; none without a directory. RuntimeError where it is not the chief."""
        if not self.is_chief:
            raise RuntimeError("Only chief supervisor can start standard services. Because only chief supervisors can write events.")
        if not self._logdir:
            _log.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self.global_step is not None and self.summary_writer:
            self._log_session(protos.SessionLog.START, read_global_step(sess, self.global_step))
        threads: list[LooperThread] = []
        if self.save_summaries_secs and self.summary_writer:
            if self.summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self.global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self.saver and self.save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def _log_session(self, status, step=None, **fields):
        self.summary_writer.add_session_log(protos.SessionLog(status=status, **fields), step)

    def start_queue_runners(self, sess: BaseSession, queue_runners: Sequence[QueueRunner] | None = None) -> list[threading.Thread]:
        runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        return [t for r in runners for t in r.create_threads(sess, coord=self.coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs: float | None, target: Callable[..., Any], args: Sequence[Any] | None = None,
             kwargs: Mapping[str, Any] | None = None) -> LooperThread:
        """A thread that calls `target` each so many seconds, or all the time for None, until it is to stop."""
        looper = LooperThread(self.coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def stop(self, threads: Sequence[threading.Thread] | None = None, close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """Ends the threads and waits for them; raises what one of them raised."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._grace_secs, ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer:
                self._log_session(protos.SessionLog.STOP)
                self.summary_writer.close()
                self._graph_written = False

    Loop, Stop = loop, stop

    def request_stop(self, ex: Any = None) -> None:
        self.coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        return self.coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        return self.coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        self.coord.wait_for_stop()

    RequestStop, ShouldStop, StopOnException, WaitForStop = request_stop, should_stop, stop_on_exception, wait_for_stop

    def summary_computed(self, sess: BaseSession, summary: Message | bytes, global_step: int | None = None) -> None:
        """Writes a Summary, of this step or of the global one. RuntimeError without a writer."""
        if not self.summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = read_global_step(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed


def basic_train_loop(supervisor: Supervisor, train_step_fn: Callable[..., Any], args: Sequence[Any] | None = None,
                     kwargs: Mapping[str, Any] | None = None, master: str = "") -> None:
    """Calls `train_step_fn(session, *args, **kwargs)` in a managed session until the supervisor is to stop; again from the beginning after AbortedError."""
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except errors.AbortedError:
            _log.info("The session was aborted: another is made")


class SVSummaryThread(LooperThread):
    """Writes the summaries."""

    def __init__(self, sv: Supervisor, sess: BaseSession) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._session = sv, sess

    def run_loop(self) -> None:
        found = self._session.run({"summary": self._sv.summary_op, **({} if self._sv.global_step is None else {"step": self._sv.global_step})})
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(found["summary"], found.get("step"))


class SVStepCounterThread(LooperThread):
    """Writes how many steps there were a second."""

    def __init__(self, sv: Supervisor, sess: BaseSession, step_counter: Tensor | Variable | None = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._session = sv, sess
        self._counter = sv.global_step if step_counter is None else step_counter
        self._last_time, self._last_step = 0.0, 0

    def start_loop(self) -> None:
        self._last_time, self._last_step = time.monotonic(), read_global_step(self._session, self._counter)

    def run_loop(self) -> None:
        now, step = time.monotonic(), read_global_step(self._session, self._counter)
        elapsed, added = now - self._last_time, step - self._last_step
        self._last_time, self._last_step = now, step
        rate = added / elapsed if elapsed > 0 else float("inf")
        tag = f"{self._counter.op.name}/sec"
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(protos.Summary(value=[protos.Summary.Value(tag=tag, simple_value=rate)]), step)
        _log.info("%s: %g", tag, rate)


class SVTimerCheckpointThread(LooperThread):
    """Saves the model."""

    def __init__(self, sv: Supervisor, sess: BaseSession) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv, self._session = sv, sess

    def run_loop(self) -> None:
        _log.info("Saving checkpoint to path %s", self._sv.save_path)
        self._sv.saver.save(self._session, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            step = read_global_step(self._session, self._sv.global_step)
            self._sv._log_session(protos.SessionLog.CHECKPOINT, step, checkpoint_path=self._sv.save_path)
