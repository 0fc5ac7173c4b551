"""Graphs with their collections as `tensorflow.python.framework.meta_graph` gives and takes them: parts below a scope, copies, the ops that are used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import framework_names, meta_graph, protos, stacks
from troupe.meta_graph_ops import ops_used_by_graph_def, stripped_op_list_for_graph
from troupe.ops import GraphKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.typing import Message
    from troupe.variables import Variable


def add_collection_def(meta_graph_def: Message, key: str, graph: Graph | None = None, export_scope: str | None = None,
                       exclude_nodes: Sequence[str] | None = None, override_contents: Sequence[Any] | None = None) -> None:
    """Puts a collection of a graph, or other items, into a MetaGraphDef. What has no place there is left out, and the log says so."""
    if graph is not None and not hasattr(graph, "get_collection_ref"):
        raise TypeError(f"graph must be of type Graph. Received type: {type(graph)}.")
    items = (graph or stacks.get_default_graph()).get_collection(key) if override_contents is None else list(override_contents)
    items = [i for i in items if not (exclude_nodes and getattr(i, "name", None) in exclude_nodes)]
    meta_graph.fill_collection(meta_graph_def, key, items, export_scope)


def _variables(graph, scope):
    prefix = f"{scope}/" if scope else ""
    return {framework_names.strip_name_scope(v.name, scope): v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if v.name.startswith(prefix)}


def export_scoped_meta_graph(filename: str | os.PathLike[str] | None = None, graph_def: Message | None = None, graph: Graph | None = None,
                             export_scope: str | None = None, as_text: bool = False, unbound_inputs_col_name: str = "unbound_inputs",
                             clear_devices: bool = False, saver_def: Message | None = None, clear_extraneous_savers: bool = False,
                             strip_default_attrs: bool = False, save_debug_info: bool = False,
                             **kwargs: Any) -> tuple[Any, dict[str, Variable]]:
    """(the graph, or what is below a scope, as a MetaGraphDef, its variables by their names there). ValueError where there is no graph."""
    graph = graph or stacks.get_default_graph()
    if graph_def is not None and export_scope:
        raise ValueError(f"export_scope must be None when graph_def is given: {export_scope}")
    made = meta_graph.create_meta_graph_def(graph_def=graph_def, graph=graph, export_scope=export_scope, clear_devices=clear_devices,
                                            saver_def=saver_def, strip_default_attrs=strip_default_attrs, **kwargs)
    if filename is not None:
        folder, name = os.path.split(os.fsdecode(filename))
        meta_graph.write_graph(made, folder or ".", name, as_text)
    return made, _variables(graph, export_scope)


def import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file: Any, clear_devices: bool = False, graph: Graph | None = None, import_scope: str | None = None,
        input_map: Mapping[str, Any] | None = None, unbound_inputs_col_name: str = "unbound_inputs",
        restore_collections_predicate: Callable[..., Any] = lambda key: True,
        return_elements: Sequence[str] | None = None) -> tuple[dict[str, Variable], Any]:
    """Adds it to a graph, below a scope; (its variables by their names without that, the elements that were asked for)."""
    graph = graph or stacks.get_default_graph()
    _, elements, scope = meta_graph.import_scoped_meta_graph(
        meta_graph_or_file, clear_devices=clear_devices, graph=graph, import_scope=import_scope, input_map=input_map,
        return_elements=return_elements, restore_collections_predicate=restore_collections_predicate)
    return _variables(graph, scope), elements


def import_scoped_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False, graph: Graph | None = None, import_scope: str | None = None,
                             input_map: Mapping[str, Any] | None = None, unbound_inputs_col_name: str = "unbound_inputs",
                             restore_collections_predicate: Callable[..., Any] = lambda key: True) -> dict[str, Variable]:
    """The same, without the elements."""
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, graph, import_scope, input_map, unbound_inputs_col_name, restore_collections_predicate)[0]


def copy_scoped_meta_graph(from_scope: str, to_scope: str, from_graph: Graph | None = None, to_graph: Graph | None = None) -> dict[str, Variable]:
    """What is below a scope of a graph once more, below another of the same, or in another graph; the variables there. ValueError for the same scope of
    the same graph."""
    from_graph, to_graph = from_graph or stacks.get_default_graph(), to_graph or stacks.get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError("'from_scope' and 'to_scope' need to be different when performing copy in the same graph. Received: "
                         f"'from_graph': {from_graph}, 'to_graph': {to_graph}, 'from_scope': {from_scope}, 'to_scope': {to_scope}.")
    made, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(made, graph=to_graph, import_scope=to_scope)
