"""Sessions that initialise, restore and save by themselves, and call hooks around their runs."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, errors, lookup, protos, stacks, summary
from troupe.coordinator import Coordinator
from troupe.hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from troupe.ops import GraphKeys, get_collection
from troupe.queue_runner import start_queue_runners
from troupe.saver import get_saver_or_default
from troupe.session_manager import SessionManager
from troupe.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunValues
from troupe.variables import (
    global_variables, global_variables_initializer, local_variables_initializer, report_uninitialized_variables)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from types import TracebackType
    from typing import NoReturn

    from typing_extensions import Self

    from troupe.graph import Graph
    from troupe.saver import Saver
    from troupe.session import Session
    from troupe.session_run_hook import SessionRunHook
    from troupe.tensor import Operation, Tensor
    from troupe.typing import FeedDict, Fetches, Message, Path

# What a lost peer raises: the session is made anew.
_LOST = (errors.AbortedError, errors.UnavailableError)
USE_DEFAULT: Any = object()


def _collected(key, make):
    """The item of a collection, or one that is made and put there. RuntimeError for several."""
    graph = stacks.get_default_graph()
    found = graph.get_collection(key)
    if len(found) > 1:
        raise RuntimeError(f"More than one item in the collection '{key}'. Please indicate which one to use by passing it to the "
                           "tf.Scaffold constructor as: tf.Scaffold(...)")
    if found:
        return found[0]
    made = make()
    if made is not None:
        graph.add_to_collection(key, made)
    return made


class Scaffold:
    """The parts of a graph that training needs beside the model: initialisation, summaries, a saver. What is not given is made by
    `finalize`."""

    init_op: Operation | Tensor | None
    init_feed_dict: FeedDict | None
    ready_op: Tensor | None
    ready_for_local_init_op: Tensor | None
    local_init_op: Operation | Tensor | None
    local_init_feed_dict: FeedDict | None
    summary_op: Tensor | None
    saver: Saver | None

    def __init__(self, init_op: Operation | Tensor | None = None, init_feed_dict: FeedDict | None = None,
                 init_fn: Callable[[Scaffold, Session], Any] | None = None, ready_op: Tensor | None = None,
                 ready_for_local_init_op: Tensor | None = None, local_init_op: Operation | Tensor | None = None, summary_op: Tensor | None = None,
                 saver: Saver | None = None, copy_from_scaffold: Scaffold | None = None, local_init_feed_dict: FeedDict | None = None) -> None:
        given = {"init_op": init_op, "init_feed_dict": init_feed_dict, "ready_op": ready_op,
                 "ready_for_local_init_op": ready_for_local_init_op, "local_init_op": local_init_op, "summary_op": summary_op, "saver": saver,
                 "local_init_feed_dict": local_init_feed_dict}
        for name, value in given.items():
            if value is None and copy_from_scaffold is not None:
                value = getattr(copy_from_scaffold, name)
            setattr(self, name, value)
        self._user_init_fn: Any = init_fn or (copy_from_scaffold._user_init_fn if copy_from_scaffold is not None else None)
        self.init_fn = (lambda session: self._user_init_fn(self, session)) if self._user_init_fn else None

    @staticmethod
    def default_local_init_op() -> Operation:
        return control_flow_ops.group(local_variables_initializer(), lookup.tables_initializer())

    @staticmethod
    def get_or_default(arg_name: str, collection_key: Hashable, default_constructor: Callable[[], Any]) -> Any:
        return _collected(collection_key, default_constructor)

    def finalize(self) -> Scaffold:
        """Makes what was not given. Returns itself."""
        if self.init_op is None:
            self.init_op = _collected(GraphKeys.INIT_OP, lambda: control_flow_ops.group(global_variables_initializer()))
        if self.ready_op is None:
            self.ready_op = _collected(GraphKeys.READY_OP, lambda: array_ops.concat([report_uninitialized_variables()], 0))
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = _collected(GraphKeys.READY_FOR_LOCAL_INIT_OP,
                                                      lambda: report_uninitialized_variables(global_variables()))
        if self.local_init_op is None:
            self.local_init_op = _collected(GraphKeys.LOCAL_INIT_OP, self.default_local_init_op)
        if self.summary_op is None:
            self.summary_op = _collected(GraphKeys.SUMMARY_OP, summary.merge_all)
        if self.saver is None:
            self.saver = get_saver_or_default()
        self.saver.build()
        return self


class SessionCreator:
    """What makes sessions."""

    def create_session(self) -> Session:
        raise NotImplementedError("create_session is not implemented.")


class _ScaffoldedCreator(SessionCreator):
    def __init__(self, scaffold: Scaffold | None, master: str, config: Message | None) -> None:
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config

    def _manager(self):
        """Of the graph, which is finalized from now on."""
        self._scaffold.finalize()
        graph = stacks.get_default_graph()
        graph.finalize()
        return SessionManager(local_init_op=self._scaffold.local_init_op, local_init_feed_dict=self._scaffold.local_init_feed_dict,
                              ready_op=self._scaffold.ready_op, ready_for_local_init_op=self._scaffold.ready_for_local_init_op, graph=graph)


class ChiefSessionCreator(_ScaffoldedCreator):
    """Restores the last checkpoint, or initialises."""

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Message | None = None, checkpoint_dir: Path | None = None,
                 checkpoint_filename_with_path: Path | None = None) -> None:
        super().__init__(scaffold, master, config)
        self._folder, self._file = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        part = self._scaffold
        manager = self._manager()
        return manager.prepare_session(self._master, saver=part.saver, checkpoint_dir=self._folder, checkpoint_filename_with_path=self._file,
                                       config=self._config, init_op=part.init_op, init_feed_dict=part.init_feed_dict, init_fn=part.init_fn)


class WorkerSessionCreator(_ScaffoldedCreator):
    """Waits until the chief has initialised."""

    def __init__(self, scaffold: Scaffold | None = None, master: str = "", config: Message | None = None, max_wait_secs: float = 30 * 60) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Session:
        return self._manager().wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


class _Running:
    """A session with its threads, and whether a hook has asked to stop."""

    def __init__(self, creator, hooks, grace_secs):
        self.session = creator.create_session()
        self.stop_requested = False
        self._hooks, self._grace_secs = hooks, grace_secs
        self.coord = Coordinator(clean_stop_exception_types=(type(None),))
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.session, coord=self.coord)
        for hook in hooks:
            hook.after_create_session(self.session, self.coord)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        # One for all hooks: each sees whether one before it has asked for the end.
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        asked, feeds = {"caller": fetches}, dict(feed_dict or {})
        options = protos.RunOptions() if options is None else protos.RunOptions.FromString(options.SerializeToString())
        for i, hook in enumerate(self._hooks):
            wanted = hook.before_run(context)
            if wanted is None:
                continue
            if wanted.fetches is not None:
                asked[str(i)] = wanted.fetches
            for tensor, value in (wanted.feed_dict or {}).items():
                if tensor in feeds:
                    raise RuntimeError(f"Same tensor is fed by two hooks or by user and hook: {tensor}")
                feeds[tensor] = value
            if wanted.options is not None:
                options.MergeFrom(wanted.options)
        plain = not options.SerializeToString() and run_metadata is None
        metadata = None if plain else run_metadata if run_metadata is not None else protos.RunMetadata()
        got = self.session.run(asked, feeds, options=None if plain else options, run_metadata=metadata)
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(got.get(str(i)), options, metadata))
        self.stop_requested = self.stop_requested or context.stop_requested
        return got["caller"]

    def guarded_run(self, *args, **kwargs):
        """The same; what a thread stopped with counts for more than what followed from it."""
        try:
            return self.run(*args, **kwargs)
        except _LOST:
            raise
        except Exception:
            original = sys.exc_info()
            self.coord.raise_requested_exception()
            raise original[1]

    def close(self):
        self.coord.request_stop()
        try:
            self.coord.join(stop_grace_period_secs=self._grace_secs, ignore_live_threads=True)
        finally:
            self.session.close()


class _StepContext:
    """What a function of `run_step_fn` is given."""

    def __init__(self, session: Session, run_with_hooks_fn: Callable[..., Any]) -> None:
        self.session, self.run_with_hooks = session, run_with_hooks_fn

    def request_stop(self) -> NoReturn:
        """Ends the training: raises StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _MonitoredSession:
    """What both kinds of monitored sessions share."""

    StepContext = _StepContext
    _recovers = True

    def __init__(self, session_creator: SessionCreator | None = None, hooks: Iterable[SessionRunHook] | None = None,
                 stop_grace_period_secs: float = 120) -> None:
        self._graph_was_finalized = stacks.get_default_graph().finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._grace_secs = stop_grace_period_secs
        self._closed = False
        self._running: _Running | None = None
        self._start()

    def _start(self):
        """Makes the session, again and again where a peer is lost meanwhile."""
        while True:
            try:
                self._running = _Running(self._creator, self._hooks, self._grace_secs)
                return
            except _LOST:
                if not self._recovers:
                    raise

    @property
    def graph(self) -> Graph | None:
        """The graph, or None once it is closed."""
        return None if self._running is None else self._running.session.graph

    def run(self, fetches: Fetches, feed_dict: FeedDict | None = None, options: Message | None = None, run_metadata: Message | None = None) -> Any:
        """As a session's, with the hooks around it. RuntimeError once it is closed."""
        return self._repeated(lambda running: running.guarded_run(fetches, feed_dict, options, run_metadata))

    def _repeated(self, function):
        while True:
            self._check_open()
            if self._running is None:
                self._start()
            try:
                return function(self._running)
            except _LOST:
                if not self._recovers:
                    raise
                lost, self._running = self._running, None
                try:
                    lost.close()
                except Exception:  # noqa: S110, what it says of the loss was raised already
                    pass

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function of a step context (and `self`), which runs what it likes, with and without hooks. ValueError for another
        signature."""
        names = list(inspect.signature(step_fn).parameters)
        if names not in (["step_context"], ["self", "step_context"]):
            raise ValueError(f"`step_fn` may either have one `step_context` argument, or two, `self` and `step_context`. Got {names}")
        arguments = (self,) if names[0] == "self" else ()
        try:
            return self._repeated(lambda running: step_fn(*arguments, _StepContext(running.session, running.guarded_run)))
        except StopIteration:
            if self._running is not None:
                self._running.stop_requested = True
            return None

    def _check_open(self):
        if self._closed:
            raise RuntimeError("Run called even after should_stop requested.")

    def should_stop(self) -> bool:
        """Whether a hook or a thread has asked for it, or it is closed."""
        running = self._running
        return self._closed or running is not None and (running.stop_requested or running.coord.should_stop())

    def raw_session(self) -> Session | None:
        """The session beneath, or None once it is closed."""
        return None if self._running is None else self._running.session

    # By this name programs of TensorFlow 1 reach it.
    _tf_sess = raw_session

    def close(self) -> None:
        self._close(None)

    def _close(self, exception_type):
        if self._closed:
            return
        try:
            if exception_type is None and self._running is not None:
                for hook in self._hooks:
                    hook.end(self._running.session)
        finally:
            running, self._running, self._closed = self._running, None, True
            try:
                if running is not None:
                    running.close()
            finally:
                if not self._graph_was_finalized:
                    stacks.get_default_graph()._unsafe_unfinalize()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exception_type: type[BaseException] | None, exception_value: BaseException | None, traceback: TracebackType | None) -> bool:
        # The end of the input is an end like any other.
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None


class MonitoredSession(_MonitoredSession):
    """A session with hooks, which is made anew, from the last checkpoint, when a peer is lost."""


class SingularMonitoredSession(_MonitoredSession):
    """The same that is never made anew, and can be a default session."""

    _recovers = False

    def __init__(self, hooks: Iterable[SessionRunHook] | None = None, scaffold: Scaffold | None = None, master: str = "",
                 config: Message | None = None, checkpoint_dir: Path | None = None, stop_grace_period_secs: float = 120,
                 checkpoint_filename_with_path: Path | None = None) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, stop_grace_period_secs)


def MonitoredTrainingSession(master: str = "", is_chief: bool = True, checkpoint_dir: Path | None = None, scaffold: Scaffold | None = None,
                             hooks: Iterable[SessionRunHook] | None = None, chief_only_hooks: Iterable[SessionRunHook] | None = None,
                             save_checkpoint_secs: float | None = USE_DEFAULT, save_summaries_steps: int | None = USE_DEFAULT,
                             save_summaries_secs: float | None = USE_DEFAULT, config: Message | None = None, stop_grace_period_secs: float = 120,
                             log_step_count_steps: int | None = 100, max_wait_secs: float = 7200, save_checkpoint_steps: int | None = USE_DEFAULT,
                             summary_dir: Path | None = None, save_graph_def: bool = True) -> MonitoredSession:
    """A MonitoredSession for training: with a folder, checkpoints every 600 seconds and summaries every 100 steps unless told otherwise."""
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps = 100
    if save_checkpoint_secs is USE_DEFAULT and save_checkpoint_steps is USE_DEFAULT:
        save_checkpoint_secs = 600
    given = lambda value: None if value is USE_DEFAULT else value
    summary_steps, summary_secs = given(save_summaries_steps), given(save_summaries_secs)
    checkpoint_steps, checkpoint_secs = given(save_checkpoint_steps), given(save_checkpoint_secs)
    scaffold = scaffold or Scaffold()
    hooks = list(hooks or ())
    if not is_chief:
        creator: SessionCreator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (summary_steps or 0) > 0 or (summary_secs or 0) > 0:
            all_hooks.append(SummarySaverHook(scaffold=scaffold, save_steps=summary_steps, save_secs=summary_secs, output_dir=summary_dir))
    if checkpoint_dir and ((checkpoint_secs or 0) > 0 or (checkpoint_steps or 0) > 0):
        all_hooks.append(CheckpointSaverHook(checkpoint_dir, save_steps=checkpoint_steps, save_secs=checkpoint_secs, scaffold=scaffold,
                                             save_graph_def=save_graph_def))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir=checkpoint_dir)
    return MonitoredSession(creator, all_hooks + hooks, stop_grace_period_secs)
