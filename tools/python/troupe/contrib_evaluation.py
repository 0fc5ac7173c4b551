"""tf.contrib.slim.evaluation and tf.contrib.training: models that are judged by their checkpoints, once or as these come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from troupe import stacks, summary
from troupe.checkpoint_state import latest_checkpoint
from troupe.event_writer import FileWriterCache
from troupe.hooks import FinalOpsHook
from troupe.initializers import zeros_initializer
from troupe.monitored_session import ChiefSessionCreator, MonitoredSession, Scaffold
from troupe.ops import GraphKeys
from troupe.saver import Saver
from troupe.session_run_hook import SessionRunArgs, SessionRunHook
from troupe.tf_logging import get_logger
from troupe.training_util import get_or_create_global_step
from troupe.variable_scope import get_variable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from troupe.event_writer import FileWriter
    from troupe.session_run_hook import SessionRunContext, SessionRunValues
    from troupe.tensor import Tensor
    from troupe.typing import FeedDict, Fetches, Message
    from troupe.variables import Variable

_log = get_logger()
_USE_DEFAULT: Any = 0


def get_or_create_eval_step() -> Variable:
    """The local variable that counts evaluations. ValueError for several."""
    graph = stacks.get_default_graph()
    found = graph.get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    with graph.as_default(), graph.name_scope(None):
        return get_variable("eval_step", [], "int64", zeros_initializer(), trainable=False,
                            collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


class StopAfterNEvalsHook(SessionRunHook):
    """Stops after a number of evaluations; never for None."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._number, self._logs, self._done = num_evals, log_progress, None

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._done = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self._done})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        done = run_values.results["evals_completed"]
        if self._logs:
            _log.info("Evaluation [%d%s]", done, "" if self._number is None else f"/{self._number}")
        if self._number is not None and done >= self._number:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes the summaries when the session ends."""

    def __init__(self, log_dir: str | os.PathLike[str] | None = None, summary_writer: FileWriter | None = None,
                 summary_op: Tensor | None = None, replace_summary_op: bool = False, feed_dict: FeedDict | None = None) -> None:
        self._folder, self._writer, self._op, self._replaces, self._feeds = log_dir, summary_writer, summary_op, replace_summary_op, feed_dict
        self._step = None

    def begin(self) -> None:
        if self._replaces:
            self._op = None
        self._step = get_or_create_global_step()
        if self._op is None:
            self._op = summary.merge_all()

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)

    def end(self, session: Any) -> None:
        if self._op is None:
            return
        step, text = session.run([self._step, self._op], self._feeds)
        if self._writer:
            self._writer.add_summary(text, step)
            self._writer.flush()


def wait_for_new_checkpoint(checkpoint_dir: str | os.PathLike[str], last_checkpoint: str | None = None, seconds_to_sleep: float = 1,
                            timeout: float | None = None) -> str | None:
    """The path of another checkpoint than the last one, once there is one; None after `timeout` seconds."""
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            return found
        if until is not None and time.monotonic() + seconds_to_sleep > until:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(checkpoint_dir: str | os.PathLike[str], min_interval_secs: float = 0, timeout: float | None = None,
                         timeout_fn: Callable[[], bool] | None = None) -> Iterator[str]:
    """The paths of checkpoints as they come; ends when none came for `timeout` seconds, and `timeout_fn` says so where it is given."""
    last = None
    while True:
        last, before = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout), last
        if last is None:
            if timeout_fn is None or timeout_fn():
                return
            last = before
            continue
        start = time.monotonic()
        yield last
        rest = start + min_interval_secs - time.monotonic()
        if rest > 0:
            time.sleep(rest)


def _counted(eval_ops):
    """(what an evaluation runs, its number), with the counter of evaluations."""
    step = get_or_create_eval_step()
    done = step.assign_add(1)
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": done}, done
    others = list(eval_ops) if isinstance(eval_ops, (list, tuple)) else [] if eval_ops is None else [eval_ops]
    return [*others, done], done


def _with_count(eval_ops, hooks):
    """(what is run, hooks) for an evaluation; fetches are None when nothing says how often to run them."""
    fetches, done = _counted(eval_ops)
    hooks = list(hooks or ())
    counting = [hook for hook in hooks if isinstance(hook, StopAfterNEvalsHook)]
    for hook in counting:
        hook._set_evals_completed_tensor(done)
    get_or_create_global_step()
    return fetches if eval_ops is not None or counting else None, hooks


def _evaluated(path, master, scaffold, config, fetches, feed_dict, final, hooks):
    """The final values of one checkpoint, or of first values where there is none."""
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=path)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while fetches is not None and not session.should_stop():
            session.run(fetches, feed_dict)
    return final.final_ops_values


def evaluate_checkpoint(checkpoint_path: str | None, master: str = "", scaffold: Scaffold | None = None, eval_ops: Fetches = None,
                        feed_dict: FeedDict | None = None, final_ops: Fetches = None, final_ops_feed_dict: FeedDict | None = None,
                        hooks: Sequence[SessionRunHook] | None = None, config: Message | None = None) -> Any:
    """tf.contrib.training.evaluate_once: runs `eval_ops` until a hook stops it, then `final_ops`; gives the values of these."""
    fetches, hooks = _with_count(eval_ops, hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    return _evaluated(checkpoint_path, master, scaffold, config, fetches, feed_dict, final, hooks)


def evaluate_repeatedly(checkpoint_dir: str | os.PathLike[str], master: str = "", scaffold: Scaffold | None = None, eval_ops: Fetches = None,
                        feed_dict: FeedDict | None = None, final_ops: Fetches = None, final_ops_feed_dict: FeedDict | None = None,
                        eval_interval_secs: float = 60, hooks: Sequence[SessionRunHook] | None = None, config: Message | None = None,
                        max_number_of_evaluations: int | None = None, timeout: float | None = None,
                        timeout_fn: Callable[[], bool] | None = None) -> Any:
    """The same for each checkpoint that comes, so many times, or until none comes; gives the last values."""
    fetches, hooks = _with_count(eval_ops, hooks)
    values = None
    for number, path in enumerate(checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn), 1):
        final = FinalOpsHook(final_ops, final_ops_feed_dict)
        values = _evaluated(path, master, scaffold, config, fetches, feed_dict, final, hooks)
        if max_number_of_evaluations is not None and number >= max_number_of_evaluations:
            break
    return values


def _slim_arguments(initial_op, initial_op_feed_dict, variables_to_restore, summary_op, summary_op_feed_dict, logdir, num_evals, hooks):
    if summary_op is _USE_DEFAULT:
        summary_op = summary.merge_all()
    all_hooks = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        all_hooks.append(SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
    saver = None
    if variables_to_restore is not None:
        saver = Saver(variables_to_restore)
    return Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver), all_hooks + list(hooks or ())


def evaluate_once(master: str, checkpoint_path: str, logdir: str | os.PathLike[str], num_evals: int = 1, initial_op: Any = None,
                  initial_op_feed_dict: FeedDict | None = None, eval_op: Fetches = None, eval_op_feed_dict: FeedDict | None = None,
                  final_op: Fetches = None, final_op_feed_dict: FeedDict | None = None, summary_op: Tensor | None = _USE_DEFAULT,
                  summary_op_feed_dict: FeedDict | None = None, variables_to_restore: Sequence[Variable] | None = None,
                  session_config: Message | None = None, hooks: Sequence[SessionRunHook] | None = None) -> Any:
    """tf.contrib.slim.evaluation.evaluate_once: runs `eval_op` `num_evals` times with a checkpoint's values, writes the summaries into `logdir`, and
    gives the value of `final_op`."""
    scaffold, all_hooks = _slim_arguments(initial_op, initial_op_feed_dict, variables_to_restore, summary_op, summary_op_feed_dict, logdir,
                                          num_evals, hooks)
    return evaluate_checkpoint(checkpoint_path, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, all_hooks, session_config)


def evaluation_loop(master: str, checkpoint_dir: str | os.PathLike[str], logdir: str | os.PathLike[str], num_evals: int = 1, initial_op: Any = None,
                    initial_op_feed_dict: FeedDict | None = None, init_fn: Callable[..., Any] | None = None, eval_op: Fetches = None,
                    eval_op_feed_dict: FeedDict | None = None, final_op: Fetches = None, final_op_feed_dict: FeedDict | None = None,
                    summary_op: Tensor | None = _USE_DEFAULT, summary_op_feed_dict: FeedDict | None = None,
                    variables_to_restore: Sequence[Variable] | None = None, eval_interval_secs: float = 60,
                    max_number_of_evaluations: int | None = None, session_config: Message | None = None, timeout: float | None = None,
                    timeout_fn: Callable[[], bool] | None = None, hooks: Sequence[SessionRunHook] | None = None) -> Any:
    """tf.contrib.slim.evaluation.evaluation_loop: the same for each checkpoint that comes."""
    scaffold, all_hooks = _slim_arguments(initial_op, initial_op_feed_dict, variables_to_restore, summary_op, summary_op_feed_dict, logdir,
                                          num_evals, hooks)
    scaffold.init_fn = init_fn or scaffold.init_fn
    return evaluate_repeatedly(checkpoint_dir, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, eval_interval_secs,
                               all_hooks, session_config, max_number_of_evaluations, timeout, timeout_fn)


# As `tensorflow.python.training.evaluation` calls them.
_StopAfterNEvalsHook, _evaluate_once, _get_or_create_eval_step = StopAfterNEvalsHook, evaluate_checkpoint, get_or_create_eval_step
