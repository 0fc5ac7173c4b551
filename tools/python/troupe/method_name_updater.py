"""`tf.saved_model.signature_def_utils.MethodNameUpdater`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe.checkpoint_state import write_whole
from troupe.saved_model_files import read_saved_model
from troupe.saved_model_signatures import constants
from troupe.tf_logging import info

if TYPE_CHECKING:
    from collections.abc import Sequence


class MethodNameUpdater:
    """Changes the names of methods in the signatures of a saved model: `replace_method_name`, then `save`. OSError where there is no model, or a
    damaged one."""

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        self._folder = os.fsdecode(export_dir)
        self._model = read_saved_model(self._folder)

    def replace_method_name(self, signature_key: str, method_name: str, tags: str | Sequence[str] | None = None) -> None:
        """The method of the signature of this name, in the graph with these very tags, or in all. ValueError where a graph has no such signature, or
        none has these tags."""
        for what, value in (("signature_key", signature_key), ("method_name", method_name)):
            if not value:
                raise ValueError(f"`{what}` must be defined.")
        wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
        graphs = [g for g in self._model.meta_graphs if wanted is None or wanted == set(g.meta_info_def.tags)]
        if not graphs:
            raise ValueError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel. This means either you specified invalid "
                             "tags or your SavedModel does not have a MetaGraphDef with the specified tags.")
        for graph in graphs:
            if signature_key not in graph.signature_def:
                raise ValueError(f"MetaGraphDef associated with tags {tags} does not have a signature_def with key: '{signature_key}'. This means "
                                 "either you specified the wrong signature key or forgot to put the signature_def with the corresponding key in your "
                                 "SavedModel.")
            graph.signature_def[signature_key].method_name = method_name

    def save(self, new_export_dir: str | os.PathLike[str] | None = None) -> None:
        """Writes the model over the one that was read, or into a folder that is there; as text where it was text."""
        folder = os.fsdecode(new_export_dir) if new_export_dir else self._folder
        as_text = os.path.exists(os.path.join(self._folder, constants.SAVED_MODEL_FILENAME_PBTXT))
        path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB)
        write_whole(path, str(self._model).encode() if as_text else self._model.SerializeToString())
        info("SavedModel written to: %s", path)
