"""Values that stay in their session when their step has ended, and handles that feed them to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.dtypes import DType
    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import DTypeLike, TensorLike


class TensorHandle:
    """A value that its session keeps. Its text is fed for the placeholder of get_session_tensor; it may be fed itself for any tensor, too.
    `eval` fetches it, `delete` frees it."""

    def __init__(self, handle: bytes, dtype: DType, session: BaseSession) -> None:
        self._handle, self._dtype, self._session = handle, dtype, session
        self._deleted = False

    @property
    def handle(self) -> str:
        """The handle as text, which get_session_tensor takes."""
        return self._handle.decode()

    @property
    def dtype(self) -> DType:
        return self._dtype

    def eval(self) -> Any:
        """The value."""
        holder, reader = _reader(self._session.graph, self._dtype)
        return self._session.run(reader, {holder: self._handle})

    def delete(self) -> None:
        """Frees the value. Twice is none the worse."""
        if not self._deleted:
            self._deleted = True
            holder, deleter = _deleter(self._session.graph)
            self._session.run(deleter, {holder: self._handle})

    def get_raw_handle(self) -> bytes:
        """Who has it frees the value himself."""
        self._deleted = True
        return self._handle

    def __str__(self):
        return self.handle


def get_session_handle(data: TensorLike, name: str | None = None) -> Tensor:
    """The handle of `data`, which the session keeps once this is fetched; fetched, it is a TensorHandle."""
    data = convert_to_tensor(data)
    with stacks.get_default_graph().colocate_with(data.op):
        return op_call.call("GetSessionHandle", name, value=data)


def wrap(tensor: Tensor, value: bytes, session: BaseSession) -> TensorHandle:
    """What a handle is when it is fetched."""
    return TensorHandle(value, tensor.op.inputs[0].dtype.base_dtype, session)


def get_session_tensor(handle: TensorHandle | str | bytes | None, dtype: DTypeLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(placeholder, tensor): the tensor has the value of the handle that is fed for the placeholder."""
    with stacks.get_default_graph().name_scope(name or "get_session_tensor"):
        holder = array_ops.placeholder(dtypes.string, [])
        return holder, op_call.call("GetSessionTensor", None, handle=holder, dtype=dtype)


def delete_session_tensor(handle: TensorHandle | str | bytes | None, name: str | None = None) -> tuple[Tensor, Operation]:
    """(placeholder, operation): the operation frees the value of the handle that is fed."""
    with stacks.get_default_graph().name_scope(name or "delete_session_tensor"):
        holder = array_ops.placeholder(dtypes.string, [])
        return holder, op_call.call("DeleteSessionTensor", None, handle=holder)


def _kept(graph, key, make):
    """A reader or deleter of the graph, made once."""
    made = graph.__dict__.setdefault("_handle_operations", {})
    if key not in made:
        with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
            made[key] = make()
    return made[key]


def _reader(graph, dtype):
    return _kept(graph, dtype, lambda: get_session_tensor(None, dtype))


def _deleter(graph):
    return _kept(graph, None, lambda: delete_session_tensor(None))
