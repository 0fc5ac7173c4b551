"""What is in the folder of a saved model: its graphs, assets and what initialises it. saved_model and saved_model_loader load it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import protos
from troupe.saved_model_signatures import constants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from troupe.session import BaseSession
    from troupe.typing import Message


def read_saved_model(export_dir: str) -> Any:
    """The SavedModel of a folder. OSError where there is none, or a damaged one."""
    for name, parse in ((constants.SAVED_MODEL_FILENAME_PB, protos.SavedModel.FromString),
                        (constants.SAVED_MODEL_FILENAME_PBTXT, lambda data: protos.SavedModel.from_text(data.decode()))):
        path = os.path.join(export_dir, name)
        if os.path.exists(path):
            try:
                with open(path, "rb") as file:
                    return parse(file.read())
            except Exception as e:
                raise OSError(f"Cannot parse file {path}: {e}.") from None
    raise OSError(f"SavedModel file does not exist at: {export_dir}{os.sep}{{{constants.SAVED_MODEL_FILENAME_PBTXT}|"
                  f"{constants.SAVED_MODEL_FILENAME_PB}}}")


def contains_saved_model(export_dir: str | os.PathLike[str]) -> bool:
    """Whether a folder has a saved model."""
    names = (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.exists(os.path.join(os.fsdecode(export_dir), n)) for n in names)


maybe_saved_model_directory = contains_saved_model


def meta_graph_with_tags(model: Message, tags: Iterable[str]) -> Any:
    """The graph with just these tags. RuntimeError where there is none."""
    wanted = {tags} if isinstance(tags, str) else set(tags)
    found = [m for m in model.meta_graphs if set(m.meta_info_def.tags) == wanted]
    if not found:
        there = [sorted(m.meta_info_def.tags) for m in model.meta_graphs]
        raise RuntimeError(f"MetaGraphDef associated with tags {str(sorted(wanted))[1:-1]} could not be found in SavedModel, with available "
                           f"tags '{there}'. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
                           "`saved_model_cli`.")
    return found[0]


def asset_files(meta_graph: Message, export_dir: str) -> dict[str, str]:
    """{name of a tensor: the file that it is to name}."""
    assets = list(meta_graph.asset_file_def)
    if not assets and constants.ASSETS_KEY in list(meta_graph.collection_def.keys()):
        assets = [protos.AssetFileDef.FromString(a.value) for a in meta_graph.collection_def[constants.ASSETS_KEY].any_list.value]
    return {a.tensor_info.name: os.path.join(export_dir, constants.ASSETS_DIRECTORY, a.filename) for a in assets}


def initialise(sess: BaseSession, meta_graph: Message, feeds: Mapping[str, Any], prefix: str) -> None:
    """Runs what is to be run before all else, of the graph whose names begin with the prefix."""
    name = init_op_name(meta_graph)
    if name is not None:
        sess.run(sess.graph.as_graph_element(prefix + name), feed_dict=feeds)


def init_op_name(meta_graph: Message) -> str | None:
    """What is run before all else, by its name in the saved graph, or None. RuntimeError for several."""
    name = None
    if constants.INIT_OP_SIGNATURE_KEY in list(meta_graph.signature_def.keys()):
        outputs = meta_graph.signature_def[constants.INIT_OP_SIGNATURE_KEY].outputs
        name = outputs[constants.INIT_OP_SIGNATURE_KEY].name
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if name is None and key in list(meta_graph.collection_def.keys()):
            names = list(meta_graph.collection_def[key].node_list.value)
            if len(names) != 1:
                raise RuntimeError(f"Expected exactly one SavedModel init op. Found {len(names)}: {names}.")
            name = names[0]
    return name
