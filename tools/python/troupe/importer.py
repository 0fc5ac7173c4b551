"""Graphs from GraphDefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import _native, errors, stacks
from troupe.tensor import Operation, Tensor
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from troupe.typing import Message


def _output_name(name):
    """("x", 1) of "x:1", ("x", 0) of "x", ("x", -1) of "^x"."""
    if name.startswith("^"):
        return name[1:], -1
    op, _, index = name.partition(":")
    return op, int(index or 0)


def _bytes_of(graph_def):
    if isinstance(graph_def, bytes):
        return graph_def
    if not hasattr(graph_def, "SerializeToString"):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    if isinstance(graph_def, _native.Message) and graph_def._full_name() != "tensorflow.GraphDef":
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    return graph_def.SerializeToString()


def _prefix(graph, name):
    """The names of what is imported begin with it."""
    if name is not None and not name:
        return ""
    name = "import" if name is None else name
    return name[:-1] if name.endswith("/") else graph.unique_name(name)


def _input(graph, prefix, value):
    """What an input is to be, as a tensor or an operation of the graph."""
    if isinstance(value, (Tensor, Operation)):
        if graph.building_function:
            return graph.captured(value)
        if value.graph is not graph:
            raise ValueError(f"{value!r} of `input_map` is not of the graph that is imported into.")
        return value
    if not prefix:
        raise ValueError("tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try calling "
                         "tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def().")
    with graph.name_scope(prefix + "/"), graph.name_scope("_inputs"):
        return convert_to_tensor(value)


def import_graph_def(graph_def: Message, input_map: Mapping[str, Any] | None = None, return_elements: Sequence[Any] | None = None,
                     name: str | None = None, op_dict: Message | None = None, producer_op_list: Message | None = None) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph, names behind `name/`. `input_map`: tensors of this graph in the place of theirs;
    `return_elements`: names of theirs, whose tensors and operations are given back. ValueError for a graph that cannot be."""
    graph = stacks.get_default_graph()
    graph._check_not_finalized()
    data = _bytes_of(graph_def)
    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if not all(isinstance(k, (str, bytes)) for k in input_map or ()):
        raise TypeError(f"All keys for argument `input_map` must be strings. Obtained keys: {list(input_map or ())}")
    if not all(isinstance(e, (str, bytes)) for e in return_elements or ()):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}.")
    wanted = [e.decode() if isinstance(e, bytes) else e for e in return_elements or ()]
    prefix = _prefix(graph, name)
    mapped = {_output_name(k): _input(graph, prefix, t) for k, t in (input_map or {}).items()}
    options = {
        "prefix": prefix, "uniquify_names": True,
        "input_map": {k: (t._id, 0) if isinstance(t, Operation) else (t.op._id, t._index) for k, t in mapped.items()},
        "control_inputs": [op._id for op in graph._control_inputs_for(set())],
        "return_outputs": [_output_name(e) for e in wanted if ":" in e], "return_operations": [e for e in wanted if ":" not in e],
    }
    try:
        with graph._lock:
            outputs, operations, unused = graph._native.import_graph_def(data, options)
            first = len(graph._operations)
            graph._sync()
    except errors.InvalidArgumentError as e:
        raise ValueError(e.message) from None
    graph._apply_devices(first)
    if unused:
        names = ", ".join(f"{n}:{i}" if i >= 0 else f"^{n}" for n, i in unused)
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{names}]")
    if return_elements is None:
        return None
    tensors = iter([graph._operations[i]._outputs[k] for i, k in outputs])
    ops = iter([graph._operations[i] for i in operations])
    return [next(tensors) if ":" in e else next(ops) for e in wanted]
