"""What a MetaGraphDef says of the ops of its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_def_registry, protos

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import Message


def ops_used_by_graph_def(graph_def: Message) -> set[str]:
    """The ops of its nodes, and of the functions that these call, but not the functions."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    used: set[str] = set()
    waiting = [n.op for n in graph_def.node]
    while waiting:
        op = waiting.pop()
        if op not in used:
            used.add(op)
            if op in functions:
                waiting.extend(n.op for n in functions[op].node_def)
    return used - set(functions)


def stripped_op_list_for_graph(graph_def: Message) -> Any:
    """An OpList of the ops that a graph uses, by their names. RuntimeError for those that nobody knows."""
    ops = {name: op_def_registry.get(name) for name in sorted(ops_used_by_graph_def(graph_def))}
    unknown = [name for name, op in ops.items() if op is None]
    if unknown:
        raise RuntimeError(f"The following ops are used by the graph, but are not registered: {', '.join(unknown)}")
    made = protos.OpList()
    made.op.extend(list(ops.values()))
    return made


def strip_default_attrs(graph_def: Message) -> None:
    """Takes attrs from the nodes, also those of functions, that have the values which their ops have by default: programs older than such an attr
    can read the graph then."""
    functions = {f.signature.name for f in graph_def.library.function}
    defaults: dict[str, dict[str, bytes]] = {}
    for nodes in (graph_def.node, *(f.node_def for f in graph_def.library.function)):
        for node in nodes:
            if node.op in functions:
                continue
            if node.op not in defaults:
                op = op_def_registry.get(node.op)
                defaults[node.op] = {a.name: a.default_value.SerializeToString() for a in (op.attr if op else ()) if a.HasField("default_value")}
            for name, value in defaults[node.op].items():
                if name in node.attr and node.attr[name].SerializeToString() == value:
                    del node.attr[name]
