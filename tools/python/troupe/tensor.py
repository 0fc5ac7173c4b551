"""Operations of a graph, and the tensors that they put out: what Python holds of them. The native graph knows the rest."""

from __future__ import annotations

import traceback as _traceback
from typing import TYPE_CHECKING, Any

from troupe import dtypes, errors, protos, stacks, tensor_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.graph import Graph
    from troupe.monitored_session import _MonitoredSession
    from troupe.operator_hints import Operators
    from troupe.session import BaseSession
    from troupe.typing import FeedDict, ShapeLike
else:
    # operators.add_to gives them.
    Operators = object


class Operation:
    """A node of a graph. Made by the graph; compared by identity."""

    __slots__ = ("graph", "_id", "_name", "_outputs", "_frames", "_original_op", "_control_flow_context", "__weakref__", "__dict__")

    def __init__(self, graph: Graph, number: int, output_types: Iterable[int], frames: Sequence[Any] = (),
                 original_op: Operation | None = None) -> None:
        self.graph = graph
        self._id = number
        self._name = graph._native.name(number)
        self._outputs = [Tensor(self, i, dtypes.of_number(t)) for i, t in enumerate(output_types)]
        self._frames = frames
        self._original_op = original_op
        self._control_flow_context = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def type(self) -> str:
        return self.graph._native.type(self._id)

    @property
    def outputs(self) -> list[Tensor]:
        return self._outputs

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        operations = self.graph._operations
        return tuple(operations[i]._outputs[index] for i, index in self.graph._native.inputs(self._id))

    @property
    def control_inputs(self) -> list[Operation]:
        return [self.graph._operations[i] for i in self.graph._native.control_inputs(self._id)]

    @property
    def _control_outputs(self):
        return [self.graph._operations[i] for i in self.graph._native.consumers(self._id, -1)]

    @property
    def device(self) -> str:
        return self.graph._native.device(self._id)

    def _set_device(self, device):
        self.graph._native.set_device(self._id, device.to_string() if hasattr(device, "to_string") else device or "")

    @property
    def node_def(self) -> Any:
        return protos.NodeDef.FromString(self.graph._native.node_def(self._id))

    @property
    def op_def(self) -> Any:
        return self.graph._op_def(self.type)

    def get_attr(self, name: str) -> Any:
        """The value of an attr: Python's, a DType, or a message. ValueError when there is none."""
        data = self.graph._native.attr(self._id, name)
        if data is None:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.")
        return _attr_value(protos.AttrValue.FromString(data))

    def _set_attr(self, name, value):
        """`value` is an AttrValue."""
        self.graph._native.set_attr(self._id, name, value.SerializeToString())

    def _clear_attr(self, name):
        self.graph._native.clear_attr(self._id, name)

    def _update_input(self, index, tensor):
        self.graph._native.update_input(self._id, index, (tensor.op._id, tensor._index))

    def _add_control_input(self, op):
        self.graph._native.add_control_input(self._id, op._id)

    def _add_control_inputs(self, ops):
        for op in ops:
            self._add_control_input(op)

    def _remove_all_control_inputs(self):
        self.graph._native.remove_control_inputs(self._id)

    def _get_control_flow_context(self):
        return self._control_flow_context

    def _set_control_flow_context(self, context):
        self._control_flow_context = context

    def colocation_groups(self) -> list[bytes]:
        """As bytes: b"loc:@x" for each operation that it must share a device with, itself if it says none."""
        own = [b"loc:@" + self._name.encode()]
        data = self.graph._native.attr(self._id, "_class")
        if data is None:
            return own
        groups = [g for g in protos.AttrValue.FromString(data).list.s if g.startswith(b"loc:@")]
        return groups or own

    @property
    def traceback(self) -> _traceback.StackSummary:
        """Where it was made: frames of the program, the outermost first."""
        return _traceback.StackSummary.from_list(
            [(code.co_filename, line, code.co_name, None) for code, line in reversed(self._frames)])

    def traceback_text(self) -> list[str]:
        return self.traceback.format()

    def run(self, feed_dict: FeedDict | None = None, session: BaseSession | _MonitoredSession | None = None) -> None:
        """Runs it in `session`, or in the default one."""
        _session_for(self.graph, session, "execute operation", "run").run(self, feed_dict)

    def values(self) -> tuple[Tensor, ...]:
        return tuple(self._outputs)

    def _as_graph_element(self):
        return self

    def __str__(self):
        return str(self.node_def)

    def __repr__(self):
        return f"<tf.Operation {self._name!r} type={self.type}>"


def _attr_value(attr):
    kind = attr.WhichOneof("value")
    if kind is None:
        return []
    value = getattr(attr, kind)
    if kind == "type":
        return dtypes.as_dtype(value)
    if kind != "list":
        return value
    for name, items in protos.list_fields(value):
        return [dtypes.as_dtype(x) for x in items] if name == "type" else list(items)
    return []


def _session_for(graph, session, what, call):
    """The session that `graph` is to be run in. ValueError when there is none, or one of another graph."""
    default = session is None
    if default:
        session = stacks.get_default_session()
        if session is None:
            raise ValueError(f"Cannot {what} using `{call}()`: No default session is registered. Use `with "
                             f"sess.as_default(){':' if call == 'run' else ''}` or pass an explicit session to `{call}(session=sess)`")
    if session.graph is not graph:
        subject = "operation's" if call == "run" else "tensor's"
        advice = f" Pass an explicit session to `{call}(session=sess)`." if default else ""
        raise ValueError(f"Cannot use the {'default' if default else 'given'} session to {what}: the {subject} graph is "
                         f"different from the session's graph.{advice}")
    return session


class Tensor(Operators):
    """An output of an operation. It holds no value: a session gives it one in each run. Compared by identity."""

    __slots__ = ("op", "_index", "dtype", "_name", "_fed_shape", "__weakref__", "__dict__")
    __array_priority__ = 100
    # The names of its operators, which `operators` gives it.
    OVERLOADABLE_OPERATORS: set[str] = set()

    def __init__(self, op: Operation, index: int, dtype: dtypes.DType) -> None:
        self.op = op
        self._index = index
        self.dtype = dtype
        self._name = f"{op._name}:{index}"
        # False: nobody has asked (feeds.py).
        self._fed_shape = False

    @property
    def graph(self) -> Graph:
        return self.op.graph

    @property
    def name(self) -> str:
        return self._name

    @property
    def value_index(self) -> int:
        return self._index

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape._of(self.op.graph._native.shape((self.op._id, self._index)))

    def get_shape(self) -> tensor_shape.TensorShape:
        return self.shape

    def _shape_tuple(self):
        shape = self.shape
        return None if shape.rank is None else tuple(shape.as_list())

    @property
    def ndim(self) -> int | None:
        return self.shape.rank

    def set_shape(self, shape: ShapeLike) -> None:
        """Says more of its shape; ValueError when it contradicts what is known."""
        shape = tensor_shape.as_shape(shape)
        try:
            self._fed_shape = False
            self.op.graph._native.set_shape((self.op._id, self._index), shape._native())
        except errors.InvalidArgumentError as e:
            raise ValueError(e.message) from None

    def consumers(self) -> list[Operation]:
        operations = self.op.graph._operations
        return [operations[i] for i in self.op.graph._native.consumers(self.op._id, self._index)]

    def eval(self, feed_dict: FeedDict | None = None, session: BaseSession | _MonitoredSession | None = None) -> Any:
        """Its value, of a step in `session` or in the default one."""
        return _session_for(self.graph, session, "evaluate tensor", "eval").run(self, feed_dict)

    def ref(self) -> Tensor:
        return self

    experimental_ref = ref

    def deref(self) -> Tensor:
        return self

    def _as_graph_element(self):
        return self

    def _as_tf_output(self):
        return self.op._id, self._index

    def __bool__(self):
        raise errors.OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the following resolutions to the problem: use "
            "`if t is not None:` instead of `if t:` to test if a tensor is defined, and tf.cond for what depends on its value.")

    __nonzero__ = __bool__

    def __len__(self):
        raise TypeError(f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than "
                        "`len(x)` for shape information.")

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
                                  "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported.")

    def __iter__(self):
        raise errors.OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed. You can attempt the following resolutions to the problem: use tf.unstack for "
            "its parts, and tf.while_loop for what is done with each.")

    def __copy__(self):
        return self

    def __str__(self):
        known = self.shape
        shape = "" if known.rank is None else f", shape={known}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __repr__(self):
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"
