"""Summaries that the graph writes itself: `tf.contrib.summary`, `tensorflow.python.ops.summary_ops_v2`.

    with tf.contrib.summary.create_file_writer(logdir).as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", loss)
    with tf.Session() as session:
        tf.contrib.summary.initialize(session=session)
        session.run([train, tf.contrib.summary.all_summary_ops()])

Which writer there is, and whether summaries are written, is of the thread that builds the graph."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import array_ops, control_flow_ops, deprecations, dtypes, math_ops, op_call, ops, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.layer import smart_cond, smart_constant
from troupe.summary import _scope
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.tensor import Operation
    from troupe.typing import Message, TensorLike

# Collections: the operations that make writers, and those that write.
_WRITERS, _SUMMARIES = "_SUMMARY_WRITER_V2", "_SUMMARY_V2"


class _State(threading.local):
    writer: SummaryWriter | None = None
    # A bool, a tensor, or a function that gives one; None: nobody has said.
    recording: Any = None
    step: Any = None


_state = _State()


class SummaryWriter:
    """A file of events that operations write to. Its file is made by `init()`, once for each session's devices."""

    def __init__(self, resource: Tensor, make: Callable[[Tensor], Operation]) -> None:
        self._resource, self._make = resource, make
        ops.add_to_collection(_WRITERS, self.init())

    def set_as_default(self, step: Any = None) -> None:
        """Summaries that this thread makes from now on go here; and are of this step, if one is given."""
        _state.writer = self
        if step is not None:
            _state.step = step

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """The same inside a block, which ends with what was written being sent to the file, where nothing waits for a run."""
        before = _state.writer, _state.step
        self.set_as_default(step)
        try:
            yield self
        finally:
            _state.writer, _state.step = before

    def init(self) -> Operation:
        """The operation that makes the file."""
        with ops.device("cpu:0"):
            return self._make(self._resource)

    def flush(self) -> Operation:
        """The operation that sends all that was written to the file."""
        with ops.device("cpu:0"):
            return op_call.call("FlushSummaryWriter", None, writer=self._resource)

    def close(self) -> Operation:
        """The operation that does so and lets go of the file."""
        with ops.control_dependencies([self.flush()]), ops.device("cpu:0"):
            return op_call.call("CloseSummaryWriter", None, writer=self._resource)


class _NoWriter(SummaryWriter):
    """Writes nothing, and leaves the thread's writer as it is."""

    def __init__(self) -> None:
        pass

    def set_as_default(self, step: Any = None) -> None:
        pass

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        yield self

    def init(self) -> Any:
        return None

    flush = close = init


def create_file_writer(logdir: str | os.PathLike[str] | None, max_queue: TensorLike | None = None, flush_millis: TensorLike | None = None,
                       filename_suffix: TensorLike | None = None, name: str | None = None) -> SummaryWriter:
    """A writer of a file in a folder, or, without one, of nothing. It sends events on when there are more than `max_queue` (10), or each
    `flush_millis` (120,000). Writers of one name are one."""
    if logdir is None:
        return _NoWriter()
    folder = os.fsdecode(logdir)
    with ops.device("cpu:0"):
        max_queue = constant(10) if max_queue is None else max_queue
        flush_millis = constant(2 * 60 * 1000) if flush_millis is None else flush_millis
        suffix = constant(".v2") if filename_suffix is None else filename_suffix
        resource = op_call.call("SummaryWriter", None, shared_name=f"logdir:{folder}" if name is None else name)
        return SummaryWriter(resource, lambda r: op_call.call("CreateSummaryFileWriter", None, writer=r, logdir=folder, max_queue=max_queue,
                                                              flush_millis=flush_millis, filename_suffix=suffix))


@deprecations.deprecated(None, "Renamed to create_file_writer().")
def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """The older name."""
    return create_file_writer(*args, **kwargs)


def create_noop_writer() -> SummaryWriter:
    """A writer of nothing."""
    return _NoWriter()


def has_default_writer() -> bool:
    return _state.writer is not None


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Summaries made inside are written when this holds: a bool, a tensor, or a function that gives one."""
    before = _state.recording
    _state.recording = condition
    try:
        yield
    finally:
        _state.recording = before


def always_record_summaries() -> AbstractContextManager[None]:
    return record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    return record_if(False)


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> AbstractContextManager[None]:
    """Summaries made inside are written in steps that `n` divides."""
    from troupe import training_util

    global_step = training_util.get_or_create_global_step() if global_step is None else global_step
    with ops.device("cpu:0"):
        return record_if(math_ops.equal(global_step % n, 0))


def _recorded(default: bool) -> Any:
    if _state.writer is None:
        return False
    condition = _state.recording() if callable(_state.recording) else _state.recording
    if condition is None:
        return default
    known = smart_constant(condition)
    return convert_to_tensor(condition) if known is None else known


def should_record_summaries() -> Tensor:
    """Whether summaries are written here, as a tensor. Where nobody has said so, they are not (`tf.contrib.summary`)."""
    return convert_to_tensor(_recorded(default=False))


def is_recording_summaries() -> Any:
    """What was said of it: False where nothing was, or there is no writer."""
    return False if _state.writer is None or _state.recording is None else _state.recording


def get_step() -> Any:
    """The step of summaries of this thread that name none, or None."""
    return _state.step


def set_step(step: Any) -> None:
    _state.step = step


def _checked(step):
    if step is None:
        from troupe import training_util

        return training_util.get_or_create_global_step()
    step = convert_to_tensor(step, dtypes.int64)
    if step.shape.num_elements() != 1:
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {step.shape}.")
    return step


def _written(name, tensor, family, step, write):
    """`write(writer's resource, step, tag, tensor, scope)` where summaries are recorded: a tensor that is True when it was written."""
    if step is not None:
        step = _checked(step)
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()
    around = stacks.get_default_graph().get_name_scope()

    def record():
        with ops.name_scope(around + "/" if around else ""), _scope(name, family, values=[tensor]) as (tag, scope):
            with ops.control_dependencies([write(writer._resource, _checked(step), tag, array_ops.identity(tensor), scope)]):
                return constant(True)

    with ops.device("cpu:0"):
        made = smart_cond(_recorded(default=False), record, lambda: constant(False), name="")
        ops.add_to_collection(_SUMMARIES, made)
    return made


def generic(name: str, tensor: TensorLike, metadata: Message | bytes | None = None, family: str | None = None, step: Any = None) -> Any:
    """Writes a tensor of any kind, with a SummaryMetadata."""
    serialized = b"" if metadata is None else metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    return _written(name, tensor, family, step, lambda writer, step, tag, value, scope: op_call.call(
        "WriteSummary", scope, writer=writer, step=step, tensor=value, tag=tag, summary_metadata=serialized))


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Writes a number. Its step is the global step unless one is given."""
    return _written(name, tensor, family, step, lambda writer, step, tag, value, scope: op_call.call(
        "WriteScalarSummary", scope, writer=writer, step=step, tag=tag, value=value))


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Writes how often values of a tensor are how large."""
    return _written(name, tensor, family, step, lambda writer, step, tag, value, scope: op_call.call(
        "WriteHistogramSummary", scope, writer=writer, step=step, tag=tag, values=value))


def image(name: str, tensor: TensorLike, bad_color: TensorLike | None = None, max_images: int = 3, family: str | None = None,
          step: Any = None) -> Any:
    """Writes images [batch, height, width, 1, 3 or 4 channels], at most `max_images`; pixels that are no numbers are red unless a color is given."""
    return _written(name, tensor, family, step, lambda writer, step, tag, value, scope: op_call.call(
        "WriteImageSummary", scope, writer=writer, step=step, tag=tag, tensor=value, max_images=max_images,
        bad_color=constant([255, 0, 0, 255], dtypes.uint8) if bad_color is None else bad_color))


def audio(name: str, tensor: TensorLike, sample_rate: TensorLike, max_outputs: int, family: str | None = None, step: Any = None) -> Any:
    """Writes sounds [batch, frames] or [batch, frames, channels], at most `max_outputs`."""
    return _written(name, tensor, family, step, lambda writer, step, tag, value, scope: op_call.call(
        "WriteAudioSummary", scope, writer=writer, step=step, tag=tag, tensor=value, sample_rate=sample_rate, max_outputs=max_outputs))


def graph(param: Tensor, step: Any = None, name: str | None = None) -> Operation:
    """Writes a GraphDef, whatever was said of recording. TypeError for what is no tensor: see `initialize`."""
    if not isinstance(param, Tensor):
        raise TypeError("graph() needs a argument `param` to be tf.Tensor (e.g. tf.placeholder) in graph mode, but received "
                        f"param={param} of type {type(param).__name__}.")
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return op_call.call("WriteGraphSummary", name, writer=writer._resource, step=_checked(step), tensor=array_ops.identity(param))


def import_event(tensor: TensorLike, name: str | None = None) -> Operation:
    """Writes an Event as it is. RuntimeError where there is no writer."""
    if _state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    return op_call.call("ImportEvent", name, writer=_state.writer._resource, event=tensor)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Operation:
    """The operation that sends what a writer, or this thread's, has to its file. ValueError for what is no writer."""
    writer = _state.writer if writer is None else writer
    if writer is None:
        return control_flow_ops.no_op()
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    return writer.flush()


def all_summary_ops() -> list[Any]:
    """What this graph writes summaries with."""
    return ops.get_collection(_SUMMARIES)


all_v2_summary_ops = all_summary_ops


def summary_writer_initializer_op() -> list[Operation]:
    """The operations that make the files of this graph's writers."""
    return ops.get_collection(_WRITERS)


def initialize(graph: Graph | Message | None = None, session: BaseSession | None = None) -> None:
    """Makes the files of the graph's writers, and writes a graph, if there is one, into this thread's. RuntimeError without a writer,
    ValueError without a session."""
    if _state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = session or stacks.get_default_session()
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        graph_def = graph.as_graph_def(add_shapes=True) if hasattr(graph, "as_graph_def") else graph
        text = array_ops.placeholder(dtypes.string)
        session.run(globals()["graph"](text, 0), {text: graph_def.SerializeToString()})


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder of an evaluation's events."""
    return os.path.join(model_dir, "eval" if not name else "eval_" + name)
