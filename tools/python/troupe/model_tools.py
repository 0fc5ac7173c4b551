"""What programs imported of tensorflow.python.tools: graphs with a checkpoint's values as one file, what a checkpoint holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from troupe import checkpoint_reader, file_io, graph_util, protos
from troupe.graph import Graph
from troupe.importer import import_graph_def
from troupe.meta_graph import import_meta_graph
from troupe.saver import Saver
from troupe.session import Session

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from troupe.typing import Message


def _read_graph(path, binary):
    with file_io.GFile(path, "rb") as f:
        data = f.read()
    return protos.GraphDef.FromString(data) if binary else protos.GraphDef.from_text(data.decode())


def _names(text):
    return [n for n in (text or "").replace(" ", "").split(",") if n]


def freeze_graph(input_graph: str | os.PathLike[str] | None, input_saver: str | None, input_binary: bool, input_checkpoint: str | None,
                 output_node_names: str, restore_op_name: str | None, filename_tensor_name: str | None, output_graph: str | os.PathLike[str],
                 clear_devices: bool, initializer_nodes: str | None, variable_names_whitelist: str = "", variable_names_denylist: str = "",
                 input_meta_graph: str | os.PathLike[str] | None = None, input_saved_model_dir: str | None = None,
                 saved_model_tags: str = "serve", checkpoint_version: int = 2, variable_names_blacklist: str = "") -> Any:
    """Writes the part of a graph that nodes ("a,b") need, with the values of a checkpoint for its variables, and gives it as a GraphDef. The graph is
    a file of a GraphDef, of a MetaGraphDef, or a saved model's folder. ValueError without one of these, without nodes, or without values."""
    outputs = _names(output_node_names)
    if not outputs:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    if input_saved_model_dir is None and not checkpoint_there(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    with Graph().as_default() as graph, Session(graph=graph) as session:
        if input_saved_model_dir:
            from troupe.saved_model import load

            load(session, _names(saved_model_tags), input_saved_model_dir)
        elif input_meta_graph:
            saver = import_meta_graph(str(input_meta_graph), clear_devices=clear_devices)
            saver.restore(session, input_checkpoint)
        elif input_graph:
            _restore(session, graph, _read_graph(input_graph, input_binary), input_checkpoint, clear_devices)
        else:
            raise ValueError("One of input_graph, input_meta_graph and input_saved_model_dir is needed.")
        if initializer_nodes:
            session.run(_names(initializer_nodes))
        made = graph_util.convert_variables_to_constants(session, graph.as_graph_def(), outputs, _names(variable_names_whitelist) or None,
                                                         _names(variable_names_denylist or variable_names_blacklist) or None)
    if output_graph:
        with file_io.GFile(output_graph, "wb") as f:
            f.write(made.SerializeToString())
    return made


def checkpoint_there(path: str | os.PathLike[str] | None) -> bool:
    """Whether there is a checkpoint of this prefix."""
    from troupe.checkpoint_state import checkpoint_exists

    return path is not None and checkpoint_exists(str(path))


def _restore(session, graph, graph_def, checkpoint, clear_devices):
    """The variables of an imported graph that the checkpoint knows."""
    if clear_devices:
        for node in graph_def.node:
            node.device = ""
    import_graph_def(graph_def, name="")
    reader = checkpoint_reader.NewCheckpointReader(checkpoint)
    known = {}
    for name in reader.get_variable_to_shape_map():
        try:
            known[name] = graph.get_tensor_by_name(name + ":0")
        except (KeyError, ValueError):
            # A variable that this graph has not.
            continue
    Saver(known).restore(session, checkpoint)


def print_tensors_in_checkpoint_file(file_name: str | os.PathLike[str], tensor_name: str | None, all_tensors: bool, all_tensor_names: bool = False,
                                     count_exclude_pattern: str = "") -> None:
    """Prints the names, types and shapes of a checkpoint's tensors; their values, where all or one are asked for."""
    reader = checkpoint_reader.NewCheckpointReader(file_name)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if all_tensors or all_tensor_names:
        for name in sorted(shapes):
            print(f"tensor: {name} ({types[name].name}) {list(shapes[name])}")
            if all_tensors:
                print(reader.get_tensor(name))
    elif not tensor_name:
        print("\n".join(f"{name} ({types[name].name}) {list(shapes[name])}" for name in sorted(shapes)))
    else:
        if not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        print(f"tensor: {tensor_name} ({types[tensor_name].name}) {list(shapes[tensor_name])}")
        print(reader.get_tensor(tensor_name))
    counted = [n for n in shapes if not (count_exclude_pattern and re.search(count_exclude_pattern, n))]
    print(f"# Total number of params: {sum(int(np.prod(shapes[n])) for n in counted)}")


def optimize_for_inference(input_graph_def: Message, input_node_names: Sequence[str], output_node_names: Sequence[str],
                           placeholder_type_enum: int | Sequence[int], toco_compatible: bool = False) -> Any:
    """The part of a GraphDef between its inputs, which become placeholders of these types, and its outputs, without what only training needs."""
    made = protos.GraphDef.FromString(input_graph_def.SerializeToString())
    types = list(placeholder_type_enum) if isinstance(placeholder_type_enum, (list, tuple)) else [placeholder_type_enum] * len(input_node_names)
    wanted = dict(zip(input_node_names, types))
    known = {n.name for n in made.node}
    missing = [n for n in wanted if n not in known]
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    for node in made.node:
        if node.name in wanted:
            shape = node.attr["shape"] if "shape" in node.attr else None
            replaced = protos.NodeDef(name=node.name, op="Placeholder", device=node.device)
            replaced.attr["dtype"].type = wanted[node.name]
            if shape is not None:
                replaced.attr["shape"].CopyFrom(shape)
            node.CopyFrom(replaced)
    return graph_util.remove_training_nodes(graph_util.extract_sub_graph(made, list(output_node_names)), list(output_node_names))
