"""Summaries that operations write themselves: `tf.contrib.summary`. A step that runs them needs no FileWriter."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import array_ops, control_flow_ops, math_ops, op_call, ops, stacks, summary, training_util
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.dtypes import float32, int32, int64, string
from troupe.graph import Graph
from troupe.layer import smart_cond

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import Message, TensorLike

# Collections of summaries, and of what opens their files.
_SUMMARIES, _WRITERS = "_SUMMARY_V2", "_SUMMARY_WRITER_V2"
_DEFAULT_FLUSH_MILLIS = 2 * 60 * 1000


class _State(threading.local):
    """The writer of a thread, and whether its summaries are written: a value or a function of none."""

    writer: SummaryWriter | None = None
    recording: Any = False


_state = _State()


class SummaryWriter:
    """A file of events that operations write. It is opened by `summary_writer_initializer_op`. None of a folder: nothing is written."""

    def __init__(self, handle: Tensor | None, init_op: Operation | None) -> None:
        self._resource, self._init_op = handle, init_op

    def set_as_default(self) -> None:
        """What is written from now on in this thread goes there."""
        _state.writer = self if self._resource is not None else None

    @contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """What is made in the block is written there; at its end it is flushed when the flush runs."""
        before = _state.writer
        self.set_as_default()
        try:
            yield self
        finally:
            _state.writer = before

    def init(self) -> Operation:
        return control_flow_ops.no_op() if self._init_op is None else self._init_op

    def flush(self) -> Operation:
        return flush(self)

    def close(self) -> Operation:
        if self._resource is None:
            return control_flow_ops.no_op()
        with ops.control_dependencies([flush(self)]):
            return op_call.call("CloseSummaryWriter", None, writer=self._resource)


def create_file_writer(logdir: TensorLike | None, max_queue: TensorLike | None = None, flush_millis: TensorLike | None = None,
                       filename_suffix: TensorLike | None = None, name: str | None = None) -> SummaryWriter:
    """A writer of files in a folder. Those of the same name share one."""
    if logdir is None:
        return SummaryWriter(None, None)
    with ops.device("cpu:0"):
        shared = f"logdir:{logdir}" if name is None else name
        handle = op_call.call("SummaryWriter", None, shared_name=shared)
        init = op_call.call(
            "CreateSummaryFileWriter", None, writer=handle, logdir=convert_to_tensor(logdir, string),
            max_queue=convert_to_tensor(10 if max_queue is None else max_queue, int32),
            flush_millis=convert_to_tensor(_DEFAULT_FLUSH_MILLIS if flush_millis is None else flush_millis, int32),
            filename_suffix=convert_to_tensor(".v2" if filename_suffix is None else filename_suffix, string))
    ops.add_to_collection(_WRITERS, init)
    return SummaryWriter(handle, init)


create_summary_file_writer = create_file_writer


def summary_writer_initializer_op() -> list[Operation]:
    """What opens the files of all writers."""
    return ops.get_collection(_WRITERS)


def all_summary_ops() -> list[Tensor]:
    """All that writes summaries in the default graph."""
    return ops.get_collection(_SUMMARIES)


def initialize(graph: Graph | None = None, session: BaseSession | None = None) -> None:
    """Opens the files in a session, and writes a graph. RuntimeError without a default writer, ValueError without a session."""
    if _state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = stacks.get_default_session() if session is None else session
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        data = array_ops.placeholder(string)
        session.run(_graph(data, 0), {data: _bytes_of(graph)})


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Operation:
    """Puts on the disk what the writer has; the default one's where none is given."""
    writer = _state.writer if writer is None else writer
    if writer is None or writer._resource is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return op_call.call("FlushSummaryWriter", name, writer=writer._resource)


# When summaries are written.

@contextmanager
def _recording(condition):
    before = _state.recording
    _state.recording = condition
    try:
        yield
    finally:
        _state.recording = before


def always_record_summaries() -> Any:
    """What is made in the block is written whenever it runs."""
    return _recording(True)


def never_record_summaries() -> Any:
    return _recording(False)


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Any:
    """What is made in the block is written in steps whose number `n` divides."""
    step = training_util.get_or_create_global_step() if global_step is None else global_step
    with ops.device("cpu:0"):
        return _recording(math_ops.equal(math_ops.mod(convert_to_tensor(step), n), 0))


def should_record_summaries() -> Any:
    """Whether summaries are written here: a bool or a tensor."""
    return _state.recording() if callable(_state.recording) else _state.recording


# Summaries.

def _step(step):
    return math_ops.cast(convert_to_tensor(training_util.get_or_create_global_step() if step is None else step), int64)


def _written(name: str, tensor: Any, family: str | None, write: Callable[[Tensor, str, str], Operation]) -> Any:
    """What writes it if it is to be written: a tensor that says whether it was, or an operation where there is nothing to do."""
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()

    def record():
        with summary._scope(name, family, values=[tensor]) as (tag, scope):
            with ops.control_dependencies([write(writer._resource, tag, scope)]):
                return constant(True)

    with ops.device("cpu:0"):
        made = smart_cond(should_record_summaries(), record, lambda: constant(False), name="")
        ops.add_to_collection(_SUMMARIES, made)
    return made


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """A number. The step is the global one where none is given, as in all that follow."""
    return _written(name, tensor, family, lambda writer, tag, scope: op_call.call(
        "WriteScalarSummary", scope, writer=writer, step=_step(step), tag=tag, value=convert_to_tensor(tensor)))


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """How often values of a tensor are how large."""
    return _written(name, tensor, family, lambda writer, tag, scope: op_call.call(
        "WriteHistogramSummary", scope, writer=writer, step=_step(step), tag=tag, values=convert_to_tensor(tensor)))


def image(name: str, tensor: TensorLike, bad_color: TensorLike | None = None, max_images: int = 3, family: str | None = None,
          step: Any = None) -> Any:
    """Images [batch, height, width, channels]; those that are not numbers have `bad_color`, which is red."""
    return _written(name, tensor, family, lambda writer, tag, scope: op_call.call(
        "WriteImageSummary", scope, writer=writer, step=_step(step), tag=tag, tensor=convert_to_tensor(tensor),
        bad_color=constant([255, 0, 0, 255], "uint8") if bad_color is None else bad_color, max_images=max_images))


def audio(name: str, tensor: TensorLike, sample_rate: TensorLike, max_outputs: int, family: str | None = None, step: Any = None) -> Any:
    """Sounds [batch, frames, channels]."""
    return _written(name, tensor, family, lambda writer, tag, scope: op_call.call(
        "WriteAudioSummary", scope, writer=writer, step=_step(step), tag=tag, tensor=convert_to_tensor(tensor),
        sample_rate=convert_to_tensor(sample_rate, float32), max_outputs=max_outputs))


def generic(name: str, tensor: TensorLike, metadata: Message | TensorLike | None = None, family: str | None = None, step: Any = None) -> Any:
    """A tensor, and what plugins are told of it: a message or its bytes."""
    told = b"" if metadata is None else metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    return _written(name, tensor, family, lambda writer, tag, scope: op_call.call(
        "WriteSummary", scope, writer=writer, step=_step(step), tensor=convert_to_tensor(tensor), tag=tag, summary_metadata=told))


def graph(param: Graph | Message | Tensor, step: Any = None, name: str | None = None) -> Operation:
    """A graph, a GraphDef or a tensor of its bytes. TypeError for bytes, of which each step would have a copy."""
    if isinstance(param, (bytes, str)):
        raise TypeError("graph() needs a tf.Tensor or tf.Graph, not bytes: they are large, and would be part of each graph")
    return _graph(constant(_bytes_of(param)) if isinstance(param, Graph) or hasattr(param, "SerializeToString") else param, step, name)


def _graph(data, step, name=None):
    if _state.writer is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return op_call.call("WriteGraphSummary", name, writer=_state.writer._resource, step=_step(step),
                            tensor=convert_to_tensor(data, string))


def _bytes_of(made):
    return (made.as_graph_def(add_shapes=True) if isinstance(made, Graph) else made).SerializeToString()


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder of evaluations below that of a model."""
    import os

    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")
