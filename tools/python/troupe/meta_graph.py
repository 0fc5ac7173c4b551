"""Graphs with their collections, as MetaGraphDefs."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from troupe import framework_names, meta_graph_ops, protos, stacks
from troupe.checkpoint_state import write_whole
from troupe.importer import import_graph_def
from troupe.ops import GraphKeys
from troupe.tensor import Operation, Tensor
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.typing import Message, Path

# Before the names of inputs that are outside of what was exported, which a collection holds.
_UNBOUND, _UNBOUND_INPUTS = "$unbound_inputs_", "unbound_inputs"

_log = logging.getLogger("troupe")

_VARIABLES = {GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MODEL_VARIABLES,
              GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES, GraphKeys.CONCATENATED_VARIABLES,
              GraphKeys.TRAINABLE_RESOURCE_VARIABLES, GraphKeys.GLOBAL_STEP, "biases", "weights"}


def _converters():
    """{collection: (message class, from_proto)} of those whose items are messages."""
    from troupe.queue_runner import QueueRunner
    from troupe.saver import Saver

    found = {key: (protos.VariableDef, Variable.from_proto) for key in _VARIABLES}
    found[GraphKeys.QUEUE_RUNNERS] = (protos.QueueRunnerDef, QueueRunner.from_proto)
    found[GraphKeys.SAVERS] = (protos.SaverDef, Saver.from_proto)
    return found


def _converter(key, converters):
    """Those that the program registered come first."""
    registered = framework_names.proto_functions(key)
    if registered is not None and registered.from_proto is not None and registered.proto_type is not None:
        return registered.proto_type, registered.from_proto
    return converters.get(key)


def _fill(target, key, items, export_scope):
    """Puts the items of a collection into a CollectionDef. TypeError for those that have no place in one."""
    to_proto = framework_names.get_to_proto_function(key)
    if to_proto is not None:
        messages = [to_proto(i, export_scope=export_scope) for i in items]
        target.bytes_list.value.extend([m.SerializeToString() for m in messages if m is not None])
    elif all(hasattr(i, "to_proto") for i in items):
        messages = [i.to_proto(export_scope=export_scope) for i in items]
        target.bytes_list.value.extend([m.SerializeToString() for m in messages if m is not None])
    elif all(isinstance(i, (str, bytes)) for i in items):
        target.bytes_list.value.extend([i.encode() if isinstance(i, str) else i for i in items])
    elif all(isinstance(i, (Tensor, Operation)) for i in items):
        target.node_list.value.extend([_without(i.name, export_scope) for i in items if _inside(i.name, export_scope)])
    elif all(isinstance(i, int) and not isinstance(i, bool) for i in items):
        target.int64_list.value.extend(items)
    elif all(isinstance(i, float) for i in items):
        target.float_list.value.extend(items)
    elif all(hasattr(i, "SerializeToString") for i in items):
        target.bytes_list.value.extend([i.SerializeToString() for i in items])
    else:
        raise TypeError(f"items of type {type(items[0]).__name__}")


def _inside(name, scope):
    return not scope or name.startswith(scope + "/")


def _without(name, scope):
    return name[len(scope) + 1:] if scope else name


def _scoped(graph_def, scope, clear_devices, unbound):
    """The nodes of a scope, with names and inputs as they are inside it. Inputs from outside get a name of their own, which `unbound` takes up."""
    made = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        if not _inside(node.name, scope):
            continue
        copy = made.node.add()
        copy.CopyFrom(node)
        if clear_devices:
            copy.device = ""
        if scope:
            copy.name = _without(node.name, scope)
            _move_inputs(copy, node, scope, unbound)
    return made


def _move_inputs(copy, node, scope, unbound):
    inputs = []
    for name in node.input:
        bare = name.lstrip("^")
        inputs.append(name[:len(name) - len(bare)] + (_without(bare, scope) if _inside(bare, scope) else _UNBOUND + bare))
        if not _inside(bare, scope):
            unbound.append(inputs[-1])
    copy.input[:] = inputs
    if "_class" in copy.attr:
        groups = [g.decode().removeprefix("loc:@") for g in copy.attr["_class"].list.s]
        copy.attr["_class"].list.s[:] = [f"loc:@{_without(g, scope)}".encode() for g in groups if _inside(g, scope)]


def create_meta_graph_def(meta_info_def: Message | None = None, graph_def: Message | None = None, saver_def: Message | None = None,
                          collection_list: Sequence[Any] | None = None, graph: Graph | None = None, export_scope: str | None = None,
                          clear_devices: bool = False, strip_default_attrs: bool = False) -> Any:
    """The graph, its collections, the ops that it uses and a saver as a MetaGraphDef. What a collection holds that has no place there is left
    out, and the log says so. RuntimeError for ops that nobody knows."""
    graph = graph or stacks.get_default_graph()
    made = protos.MetaGraphDef()
    if meta_info_def is not None:
        made.meta_info_def.CopyFrom(meta_info_def)
    if graph_def is None:
        graph_def = graph.as_graph_def(add_shapes=True)
    if export_scope or clear_devices:
        unbound = []
        graph_def = _scoped(graph_def, export_scope, clear_devices, unbound)
        graph.clear_collection(_UNBOUND_INPUTS)
        for name in unbound:
            graph.add_to_collection(_UNBOUND_INPUTS, name)
    made.graph_def.CopyFrom(graph_def)
    if not made.meta_info_def.stripped_op_list.op:
        made.meta_info_def.stripped_op_list.CopyFrom(meta_graph_ops.stripped_op_list_for_graph(made.graph_def))
    if strip_default_attrs:
        meta_graph_ops.strip_default_attrs(made.graph_def)
        made.meta_info_def.stripped_default_attrs = True
    made.meta_info_def.tensorflow_version = made.meta_info_def.tensorflow_version or "1.15.0"
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        if not isinstance(key, str) or key.startswith("__"):
            continue
        fill_collection(made, key, graph.get_collection(key), export_scope)
    if saver_def is not None:
        made.saver_def.CopyFrom(saver_def)
    return made


def fill_collection(made: Message, key: str, items: Sequence[Any], export_scope: str | None) -> None:
    """Puts items of a collection that are in a scope into a MetaGraphDef; says in the log what has no place there."""
    if export_scope:
        items = [i for i in items if not hasattr(i, "name") or _inside(i.name, export_scope)]
    if not items:
        return
    collection = protos.CollectionDef()
    try:
        _fill(collection, key, items, export_scope)
    except (TypeError, ValueError, AttributeError) as e:
        _log.warning("Collection %s is left out of the exported graph: %s", key, e)
        return
    made.collection_def[key].CopyFrom(collection)


def export_meta_graph(filename: Path | None = None, meta_info_def: Message | None = None, graph_def: Message | None = None,
                      saver_def: Message | None = None, collection_list: Sequence[Any] | None = None, as_text: bool = False,
                      graph: Graph | None = None, export_scope: str | None = None, clear_devices: bool = False,
                      clear_extraneous_savers: bool = False, strip_default_attrs: bool = False, save_debug_info: bool = False, **unused: Any) -> Any:
    """The same, also written to a file."""
    made = create_meta_graph_def(meta_info_def, graph_def, saver_def, collection_list, graph, export_scope, clear_devices, strip_default_attrs)
    if filename is not None:
        filename = os.fsdecode(filename)
        os.makedirs(os.path.dirname(os.path.abspath(filename)), exist_ok=True)
        write_whole(filename, str(made).encode() if as_text else made.SerializeToString())
    return made


def read_meta_graph_file(filename: Path) -> Any:
    """The MetaGraphDef of a file, of bytes or text. OSError for one that is not there or is something else."""
    with open(filename, "rb") as file:
        data = file.read()
    try:
        return protos.MetaGraphDef.FromString(data)
    except Exception:
        try:
            return protos.MetaGraphDef.from_text(data.decode())
        except Exception as e:
            raise OSError(f"Cannot parse file {filename}: {e}.") from None


def write_graph(graph_or_graph_def: Message, logdir: Path, name: str, as_text: bool = True) -> str:
    """Writes a GraphDef to a file; its path."""
    graph_def = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    logdir = os.fsdecode(logdir)
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    write_whole(path, str(graph_def).encode() if as_text else graph_def.SerializeToString())
    return path


def _items(kind, collection, graph, scope, converter, variables):
    prefix = scope + "/" if scope else ""
    if kind == "node_list":
        return [graph.as_graph_element(prefix + name) for name in collection.node_list.value]
    values = list(getattr(collection, kind).value)
    if kind == "float_list":
        return [float(v) for v in values]
    if kind == "int64_list":
        return [int(v) for v in values]
    if converter is None:
        return values
    message, from_proto = converter
    made = []
    for value in values:
        # A variable of several collections is one variable.
        if message is not protos.VariableDef or value not in variables:
            variables[value] = from_proto(message.FromString(value), import_scope=scope)
        made.append(variables[value])
    return made


def import_scoped_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False, graph: Graph | None = None, import_scope: str | None = None,
                             input_map: Mapping[str, Any] | None = None, return_elements: Sequence[Any] | None = None,
                             restore_collections_predicate: Callable[..., Any] = lambda key: True) -> Any:
    """Adds the graph to `graph`, names behind `import_scope`, and its collections; (MetaGraphDef, elements that `return_elements` names, the
    scope that it has)."""
    meta_graph = meta_graph_or_file if hasattr(meta_graph_or_file, "graph_def") else read_meta_graph_file(os.fsdecode(meta_graph_or_file))
    graph = graph or stacks.get_default_graph()
    graph_def = meta_graph.graph_def
    outside = [name.decode() for name in meta_graph.collection_def[_UNBOUND_INPUTS].bytes_list.value] if (
        _UNBOUND_INPUTS in meta_graph.collection_def) else []
    if outside and (not input_map or sorted(set(outside)) != sorted(input_map)):
        raise ValueError(f"Graph contains unbound inputs: {', '.join(outside)}. Must provide these inputs through input_map.")
    if clear_devices:
        graph_def = _scoped(graph_def, None, True, [])
    with graph.as_default():
        scope = ""
        if import_scope:
            with graph.name_scope(import_scope) as made:
                scope = made[:-1]
        elements = import_graph_def(graph_def, name=scope + "/" if scope else "", input_map=input_map, return_elements=return_elements)
        converters, variables = _converters(), {}
        for key in sorted(meta_graph.collection_def.keys()):
            if key == _UNBOUND_INPUTS or not restore_collections_predicate(key):
                continue
            collection = meta_graph.collection_def[key]
            kind = collection.WhichOneof("kind")
            if kind is None or kind == "any_list":
                # Assets of a saved model, which its loader reads.
                continue
            for item in _items(kind, collection, graph, scope, _converter(key, converters), variables):
                graph.add_to_collection(key, item)
    return meta_graph, elements, scope


def import_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any) -> Any:
    """Adds the graph of a MetaGraphDef or its file to the default graph, with its collections; its saver, or one for the variables, or None
    where there are none. `input_map` as for import_graph_def."""
    return import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_meta_graph_with_return_elements(meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None,
                                           return_elements: Sequence[Any] | None = None, **kwargs: Any) -> Any:
    """The same with what `return_elements` names."""
    from troupe.saver import Saver, all_saveable_objects

    meta_graph, elements, scope = import_scoped_meta_graph(meta_graph_or_file, clear_devices, None, import_scope,
                                                           return_elements=return_elements, **kwargs)
    if meta_graph.HasField("saver_def"):
        return Saver(saver_def=protos.SaverDef.FromString(meta_graph.saver_def.SerializeToString()), name=scope), elements
    return (Saver() if all_saveable_objects(scope=scope) else None), elements
