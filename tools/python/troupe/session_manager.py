"""Sessions whose variables have values: from a checkpoint, or their first ones."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from troupe import errors, stacks
from troupe.checkpoint_state import get_checkpoint_state
from troupe.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.graph import Graph
    from troupe.saver import Saver
    from troupe.tensor import Operation, Tensor
    from troupe.typing import FeedDict, Message


class SessionManager:
    """Makes sessions that are ready. `ready_op` gives the names of what is not."""

    def __init__(self, local_init_op: Operation | None = None, ready_op: Tensor | None = None, ready_for_local_init_op: Tensor | None = None,
                 graph: Graph | None = None, recovery_wait_secs: float = 30, local_init_run_options: Message | None = None,
                 local_init_feed_dict: FeedDict | None = None) -> None:
        self._graph = graph or stacks.get_default_graph()
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local, self._wait_secs = ready_for_local_init_op, recovery_wait_secs
        self._local_options, self._local_feeds = local_init_run_options, local_init_feed_dict

    def _restore(self, session, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs):
        """Whether a checkpoint was there."""
        if saver is None or not (checkpoint_dir or checkpoint_filename_with_path):
            return False
        if checkpoint_filename_with_path:
            saver.restore(session, checkpoint_filename_with_path)
            return True
        deadline = time.monotonic() + max_wait_secs
        state = get_checkpoint_state(checkpoint_dir)
        while state is None and wait_for_checkpoint and time.monotonic() < deadline:
            time.sleep(min(self._wait_secs, 1.0))
            state = get_checkpoint_state(checkpoint_dir)
        if state is None:
            return False
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    def prepare_session(self, master: str, init_op: Operation | Tensor | None = None, saver: Saver | None = None,
                        checkpoint_dir: str | os.PathLike[str] | None = None, checkpoint_filename_with_path: str | os.PathLike[str] | None = None,
                        wait_for_checkpoint: bool = False, max_wait_secs: float = 7200, config: Message | None = None,
                        init_feed_dict: FeedDict | None = None, init_fn: Callable[[Session], Any] | None = None) -> Session:
        """A session that was restored, or else initialised. RuntimeError where that does not make it ready."""
        session = Session(master, graph=self._graph, config=config)
        try:
            restored = self._restore(session, saver, checkpoint_dir and os.fsdecode(checkpoint_dir), checkpoint_filename_with_path,
                                     wait_for_checkpoint, max_wait_secs)
            if not restored:
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
                if init_op is not None:
                    session.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(session)
            ready, why = self._initialize_locally(session)
            if not ready:
                raise RuntimeError(f"Init operations did not make model ready for local_init.  Init op: {getattr(init_op, 'name', init_op)}, "
                                   f"init fn: {init_fn}, error: {why}")
            ready, why = self._is_ready(session, self._ready_op)
            if not ready:
                raise RuntimeError(f"Init operations did not make model ready.  Init op: {getattr(init_op, 'name', init_op)}, init fn: "
                                   f"{init_fn}, local_init_op: {getattr(self._local_init_op, 'name', None)}, error: {why}")
            return session
        except BaseException:
            session.close()
            raise

    def recover_session(self, master: str, saver: Saver | None = None, checkpoint_dir: str | os.PathLike[str] | None = None,
                        checkpoint_filename_with_path: str | os.PathLike[str] | None = None, wait_for_checkpoint: bool = False,
                        max_wait_secs: float = 7200, config: Message | None = None) -> tuple[Session, bool]:
        """(session, whether it is ready after a checkpoint was restored)."""
        session = Session(master, graph=self._graph, config=config)
        restored = self._restore(session, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs)
        if not restored:
            return session, False
        return session, self._initialize_locally(session)[0] and self._is_ready(session, self._ready_op)[0]

    def wait_for_session(self, master: str, config: Message | None = None, max_wait_secs: float = float("inf")) -> Session:
        """A session of a model that another process makes ready. DeadlineExceededError where that takes too long."""
        deadline = time.monotonic() + max_wait_secs
        while True:
            session = Session(master, graph=self._graph, config=config)
            ready, why = self._initialize_locally(session)
            if ready:
                ready, why = self._is_ready(session, self._ready_op)
            if ready:
                return session
            session.close()
            if time.monotonic() + self._wait_secs > deadline:
                raise errors.DeadlineExceededError(None, None, f"Session was not ready after waiting {max_wait_secs} secs: {why}")
            time.sleep(self._wait_secs)

    def _initialize_locally(self, session):
        ready, why = self._is_ready(session, self._ready_for_local)
        if ready and self._local_init_op is not None:
            session.run(self._local_init_op, feed_dict=self._local_feeds, options=self._local_options)
        return ready, why

    @staticmethod
    def _is_ready(session, op):
        """(whether it is, why not)."""
        if op is None:
            return True, None
        try:
            missing = session.run(op)
        except errors.FailedPreconditionError as e:
            return False, str(e)
        if missing is None or missing.size == 0:
            return True, None
        return False, "Variables not initialized: " + ", ".join(m.decode() for m in missing)
