"""Saved models step by step: `tensorflow.python.saved_model.loader_impl` and `tensorflow.python.tools.saved_model_utils`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import saved_model, saved_model_files, stacks
from troupe.checkpoint_state import checkpoint_exists
from troupe.meta_graph import import_meta_graph_with_return_elements
from troupe.saved_model_files import contains_saved_model, maybe_saved_model_directory
from troupe.saved_model_signatures import constants

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from troupe.graph import Graph
    from troupe.saver import Saver
    from troupe.session import BaseSession
    from troupe.typing import Message

__all__ = ("SavedModelLoader", "contains_saved_model", "get_asset_tensors", "get_init_op", "get_meta_graph_def", "get_saved_model_tag_sets",
           "get_train_op", "maybe_saved_model_directory", "parse_saved_model", "read_saved_model")


def parse_saved_model(export_dir: str | os.PathLike[str]) -> Any:
    """The SavedModel of a folder. OSError where there is none, or a damaged one."""
    return saved_model_files.read_saved_model(os.fsdecode(export_dir))


read_saved_model = parse_saved_model


def get_saved_model_tag_sets(saved_model_dir: str | os.PathLike[str]) -> list[list[str]]:
    """The tags of each of its graphs."""
    return [list(m.meta_info_def.tags) for m in parse_saved_model(saved_model_dir).meta_graphs]


def get_meta_graph_def(saved_model_dir: str | os.PathLike[str], tag_set: str) -> Any:
    """Its graph with these tags, which have commas between them. RuntimeError where there is none."""
    return saved_model_files.meta_graph_with_tags(parse_saved_model(saved_model_dir), [t for t in tag_set.split(",") if t])


def get_asset_tensors(export_dir: str | os.PathLike[str], meta_graph_def_to_load: Message, import_scope: str | None = None) -> dict[str, bytes]:
    """{name of a tensor: the file that it is to name}."""
    prefix = f"{import_scope}/" if import_scope else ""
    files = saved_model_files.asset_files(meta_graph_def_to_load, os.fsdecode(export_dir))
    return {prefix + name: os.fsencode(path) for name, path in files.items()}


def get_init_op(meta_graph_def: Message, import_scope: str | None = None) -> Any:
    """What is run before all else, in the default graph that has been loaded, or None. RuntimeError for several."""
    name = saved_model_files.init_op_name(meta_graph_def)
    return None if name is None else _element(name, import_scope)


def get_train_op(meta_graph_def: Message, import_scope: str | None = None) -> Any:
    """What trains the model, in the default graph that has been loaded, or None."""
    key = "__saved_model_train_op"
    if key in list(meta_graph_def.signature_def.keys()):
        return _element(meta_graph_def.signature_def[key].outputs[key].name, import_scope)
    key = "saved_model_train_op"
    if key in list(meta_graph_def.collection_def.keys()):
        return stacks.get_default_graph().get_collection(key)[0]
    return None


def _element(name, scope):
    return stacks.get_default_graph().as_graph_element(f"{scope}/{name}" if scope else name)


class SavedModelLoader:
    """A saved model whose graph, values and initialisation can be had one by one."""

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        self._export_dir = os.fsdecode(export_dir)
        self._saved_model = parse_saved_model(self._export_dir)

    @property
    def export_dir(self) -> str:
        return self._export_dir

    @property
    def variables_path(self) -> bytes:
        """The checkpoint of its variables, without the ends of its files' names."""
        return os.fsencode(os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME))

    @property
    def saved_model(self) -> Any:
        """The message."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> Any:
        """Its graph with just these tags. RuntimeError where there is none."""
        return saved_model_files.meta_graph_with_tags(self._saved_model, tags)

    def load_graph(self, graph: Graph, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any) -> Any:
        """Adds it to a graph; (its saver, the elements that `return_elements` names)."""
        with graph.as_default():
            return import_meta_graph_with_return_elements(self.get_meta_graph_def_from_tags(tags), import_scope=import_scope, **saver_kwargs)

    def restore_variables(self, sess: BaseSession, saver: Saver | None, import_scope: str | None = None) -> None:
        """Gives the variables their values. ValueError without a saver when there are values."""
        path = os.fsdecode(self.variables_path)
        if not checkpoint_exists(path):
            return
        if saver is None:
            raise ValueError(f"No saver to restore variables from {path}")
        saver.restore(sess, path)

    def run_init_ops(self, sess: BaseSession, tags: Iterable[str], import_scope: str | None = None) -> None:
        """Runs what is run before all else."""
        prefix = f"{import_scope}/" if import_scope else ""
        meta_graph = self.get_meta_graph_def_from_tags(tags)
        saved_model_files.initialise(sess, meta_graph, get_asset_tensors(self._export_dir, meta_graph, import_scope), prefix)

    def load(self, sess: BaseSession, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any) -> Any:
        """All three; the MetaGraphDef."""
        return saved_model.load(sess, tags, self._export_dir, import_scope, **saver_kwargs)
