"""GraphDefs for serving: parts of graphs, variables as constants, without what only training needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import protos, tensor_util
from troupe.importer import import_graph_def

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.tensor_shape import TensorShape
    from troupe.typing import Message

__all__ = ["convert_variables_to_constants", "extract_sub_graph", "import_graph_def", "must_run_on_cpu", "remove_training_nodes",
           "tensor_shape_from_node_def_name"]
_VARIABLES = ("Variable", "VariableV2", "AutoReloadVariable")
_PASSING = ("Identity", "Enter", "Switch", "ReadVariableOp", "ResourceGather")
# Dtypes.
_INT32, _STRING, _RESOURCE = 3, 7, 20


def _own(graph_def):
    """The message as one of this package."""
    return protos.GraphDef.FromString(graph_def.SerializeToString())


def _node_of(name) -> str:
    """The node of "^name" or "name:1"."""
    return name.removeprefix("^").partition(":")[0]


def _others(nodes, like):
    """A GraphDef of these nodes, with the functions and versions of another."""
    made = protos.GraphDef()
    made.node.extend(nodes)
    made.library.CopyFrom(like.library)
    made.versions.CopyFrom(like.versions)
    return made


def _needed(by_name, names) -> set[str]:
    """Nodes that these need, themselves among them."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_node_of(i) for i in by_name[name].input)
    return found


def extract_sub_graph(graph_def: Message, dest_nodes: Sequence[str]) -> Any:
    """The nodes that some nodes need, in their order. TypeError for a text instead of a list, and for what is no message;
    AssertionError for a name that is not there."""
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError("dest_nodes must be an iterable of strings.")
    if not hasattr(graph_def, "SerializeToString"):
        raise TypeError(f"graph_def must be a GraphDef, but got type {type(graph_def).__name__}.")
    graph_def = _own(graph_def)
    by_name = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    kept = _needed(by_name, dest_nodes)
    return _others([node for node in graph_def.node if node.name in kept], graph_def)


def convert_variables_to_constants(sess: BaseSession, input_graph_def: Message, output_node_names: Sequence[str],
                                   variable_names_whitelist: Sequence[str] | None = None,
                                   variable_names_blacklist: Sequence[str] | None = None) -> Any:
    """What the outputs need, with constants of the values that variables have in the session: all, or those of the first list, but for those of the
    second."""
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    wanted = lambda name: ((variable_names_whitelist is None or name in variable_names_whitelist)
                           and (variable_names_blacklist is None or name not in variable_names_blacklist))
    variables = [n for n in graph_def.node if n.op in (*_VARIABLES, "VarHandleOp") and wanted(n.name)]
    fetched = [_value_of(n, sess.graph) for n in variables]
    values = dict(zip([n.name for n in variables], sess.run(fetched))) if fetched else {}
    by_name = {n.name: n for n in graph_def.node}
    made = []
    for node in graph_def.node:
        source = by_name[_source(node.name, by_name)]
        if node.name in values:
            made.append(_constant(node.name, node.attr["dtype"].type, values[node.name]))
        elif source.op == "VarHandleOp" and source.name in values:
            made.extend(_of_value(node, source.attr["dtype"].type))
        else:
            made.append(node)
    return _others(made, graph_def)


def _value_of(node, graph):
    """What to fetch for a variable. ValueError for a handle that nothing reads."""
    if node.op != "VarHandleOp":
        return f"{node.name}:0"
    readers = [op for op in graph.get_operation_by_name(node.name).outputs[0].consumers() if op.type == "ReadVariableOp"]
    if not readers:
        raise ValueError(f"Nothing reads the variable {node.name}")
    return readers[0].outputs[0]


def _source(name, by_name):
    """The node that a value or handle comes from which this one passes on, or reads; itself where it does not."""
    while by_name[name].op in _PASSING and by_name[name].input:
        name = _node_of(by_name[name].input[0])
    return name


def _of_value(node, dtype):
    """The nodes for one that takes a handle, now that it gets a value of this type."""
    made = protos.NodeDef.FromString(node.SerializeToString())
    if node.op in ("ReadVariableOp", "ResourceGather"):
        made.ClearField("attr")
        if "_class" in node.attr:
            made.attr["_class"].CopyFrom(node.attr["_class"])
    if node.op == "ResourceGather":
        made.op = "GatherV2"
        axis = _constant(node.name + "/axis", _INT32, int(node.attr["batch_dims"].i))
        made.input.append(axis.name)
        made.attr["Tparams"].type, made.attr["Taxis"].type = dtype, _INT32
        for name in ("Tindices", "batch_dims"):
            made.attr[name].CopyFrom(node.attr[name])
        return [axis, made]
    if node.op == "ReadVariableOp":
        made.op = "Identity"
    if made.op in ("Identity", "Enter", "Switch") and (node.op == "ReadVariableOp" or node.attr["T"].type == _RESOURCE):
        made.attr["T"].type = dtype
    return [made]


def _constant(name, dtype, value):
    node = protos.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype
    node.attr["value"].tensor.CopyFrom(tensor_util.make_tensor_proto(value, dtype))
    return node


def remove_training_nodes(input_graph: Graph, protected_nodes: Sequence[str] | None = None) -> Any:
    """Without CheckNumerics, and without Identity and StopGradient where nothing waits for them and nothing is placed by them."""
    protected = set(protected_nodes or ())
    graph_def = _own(input_graph)
    removed = {n.name for n in graph_def.node if n.op == "CheckNumerics" and n.name not in protected}
    nodes = [n for n in graph_def.node if n.name not in removed]
    for node in nodes:
        _set_inputs(node, [i for i in node.input if i.removeprefix("^") not in removed])
    waited = {_node_of(i) for n in nodes for i in n.input if i.startswith("^")}
    placed = {c.decode().removeprefix("loc:@") for n in nodes if "_class" in n.attr for c in n.attr["_class"].list.s}
    spliced = {n.name: n.input[0] for n in nodes if n.op in ("Identity", "StopGradient") and n.name not in protected | waited | placed
               and not any(i.startswith("^") for i in n.input)}
    for node in nodes:
        _set_inputs(node, [_behind(i, spliced) for i in node.input])
    made = protos.GraphDef()
    made.node.extend([n for n in nodes if n.name not in spliced])
    return made


def _behind(name, spliced):
    while name.removeprefix("^") in spliced:
        name = spliced[name.removeprefix("^")]
    return name


def _set_inputs(node, inputs):
    node.ClearField("input")
    node.input.extend(inputs)


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation or NodeDef is one that GPUs have no kernel for: of texts and 32-bit integers, and variables if so."""
    node = getattr(node, "node_def", node)
    if pin_variables_on_cpu and node.op in _VARIABLES:
        return True
    if node.op == "Const":
        return node.attr["dtype"].type in (_STRING, _INT32)
    if node.op == "Cast":
        return node.attr["SrcT"].type == _INT32
    return node.op in ("DynamicStitch", "ParallelDynamicStitch") and node.attr["T"].type == _INT32


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The shape of "name" or "name:1"."""
    return graph.get_tensor_by_name(input_name if ":" in input_name else input_name + ":0").shape
