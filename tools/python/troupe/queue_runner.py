"""Threads that fill queues."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING, Any

from troupe import errors, protos, stacks
from troupe.ops import GraphKeys, add_to_collection, get_collection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.coordinator import Coordinator
    from troupe.monitored_session import _MonitoredSession
    from troupe.queues import QueueBase
    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import Message
    from troupe.variables import Variable

_log = logging.getLogger("troupe")


class QueueRunner:
    """A queue, and the operations that fill it, each of which a thread runs until the queue is closed; then the last closes the queue."""

    def __init__(self, queue: QueueBase | None = None, enqueue_ops: Sequence[Operation | Tensor | Variable] | None = None,
                 close_op: Operation | None = None, cancel_op: Operation | None = None,
                 queue_closed_exception_types: Sequence[type[Exception]] | None = None,
                 queue_runner_def: Message | None = None, import_scope: str | None = None) -> None:
        self._queue_closed_types = tuple(queue_closed_exception_types or (errors.OutOfRangeError,))
        if queue_runner_def is not None:
            self._from_proto(queue_runner_def, import_scope)
        else:
            if queue is None or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            self._queue, self._enqueue_ops = queue, list(enqueue_ops)
            self._close_op = queue.close() if close_op is None else close_op
            self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._lock = threading.Lock()
        # How many threads of a session run.
        self._runs: weakref.WeakKeyDictionary[BaseSession, int] = weakref.WeakKeyDictionary()
        self._raised: list[Exception] = []

    def _from_proto(self, def_, import_scope):
        graph = stacks.get_default_graph()
        prefix = import_scope + "/" if import_scope else ""
        element = lambda name: graph.as_graph_element(prefix + name)
        self._queue = element(def_.queue_name)
        self._enqueue_ops = [element(n) for n in def_.enqueue_op_name]
        self._close_op, self._cancel_op = element(def_.close_op_name), element(def_.cancel_op_name)
        types = [errors.exception_type_from_error_code(code) for code in def_.queue_closed_exception_types]
        self._queue_closed_types = tuple(types) or (errors.OutOfRangeError,)

    @property
    def queue(self) -> QueueBase | None:
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation | None:
        return self._close_op

    @property
    def cancel_op(self) -> Operation | None:
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[Exception], ...]:
        return self._queue_closed_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What its threads stopped with, where no coordinator was told."""
        return self._raised

    @property
    def name(self) -> str:
        return self._queue.name

    def _run(self, sess, enqueue_op, coord=None):
        counted = True
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._queue_closed_types:
                    counted = False
                    self._ended(sess)
                    return
        except Exception as e:
            if coord is not None:
                coord.request_stop(e)
                return
            _log.error("Exception in QueueRunner: %s", e)
            with self._lock:
                self._raised.append(e)
            raise
        finally:
            if counted:
                with self._lock:
                    self._runs[sess] -= 1

    def _ended(self, sess):
        """A thread is at the end of its input; the last one closes the queue."""
        with self._lock:
            self._runs[sess] -= 1
            if self._runs[sess] > 0:
                return
        try:
            sess.run(self._close_op)
        except Exception as e:
            _log.debug("Ignored exception: %s", e)

    def _close_on_stop(self, sess, cancel_op, coord):
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except Exception as e:
            _log.debug("Ignored exception: %s", e)

    def create_threads(self, sess: BaseSession | _MonitoredSession, coord: Coordinator | None = None, daemon: bool = False,
                       start: bool = False) -> list[threading.Thread]:
        """The threads for a session; none where it has them already. With a coordinator, one more, which cancels them when it stops.
        RuntimeError is the coordinator's."""
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._raised = []
        name = lambda what: f"QueueRunnerThread-{self.name}-{what}"
        threads = [threading.Thread(target=self._run, args=(sess, op, coord), name=name(getattr(op, "name", op))) for op in self._enqueue_ops]
        if coord is not None:
            threads.append(threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord), name=name("close_on_stop")))
        for t in threads:
            if coord is not None:
                coord.register_thread(t)
            t.daemon = daemon or t.daemon
            if start:
                t.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A QueueRunnerDef, or None for one of another scope."""
        prefix = export_scope + "/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None
        return protos.QueueRunnerDef(
            queue_name=self.name.removeprefix(prefix), enqueue_op_name=[op.name.removeprefix(prefix) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(prefix), cancel_op_name=self._cancel_op.name.removeprefix(prefix),
            queue_closed_exception_types=[errors.error_code_from_exception_type(t) for t in self._queue_closed_types])

    @staticmethod
    def from_proto(queue_runner_def: Message, import_scope: str | None = None) -> QueueRunner:
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Puts it where start_queue_runners finds it."""
    add_to_collection(collection, qr)


def start_queue_runners(sess: BaseSession | _MonitoredSession | None = None, coord: Coordinator | None = None, daemon: bool = True, start: bool = True,
                        collection: str = GraphKeys.QUEUE_RUNNERS) -> list[threading.Thread]:
    """The threads of all queue runners of the graph, for the default session. ValueError without a session."""
    sess = sess or stacks.get_default_session()
    if sess is None:
        raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an explicit "
                         "session to tf.start_queue_runners(sess=sess)")
    if not hasattr(sess, "run"):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        return [t for qr in get_collection(collection) for t in qr.create_threads(sess, coord=coord, daemon=daemon, start=start)]
