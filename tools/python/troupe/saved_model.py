"""Saved models: graphs with signatures, values and assets in a folder. `tf.saved_model`."""

from __future__ import annotations

import os
import shutil
import types
from typing import TYPE_CHECKING

from troupe import protos, stacks
from troupe.checkpoint_state import checkpoint_exists, write_whole
from troupe.meta_graph import create_meta_graph_def, import_scoped_meta_graph
from troupe.method_name_updater import MethodNameUpdater
from troupe.saved_model_files import (
    asset_files, contains_saved_model, initialise, maybe_saved_model_directory, meta_graph_with_tags, read_saved_model)
from troupe.saved_model_signatures import (
    build_signature_def, build_tensor_info, classification_signature_def, constants, get_tensor_from_tensor_info, is_valid_signature,
    predict_signature_def, regression_signature_def, signature_constants, tag_constants)
from troupe.saver import Saver, all_saveable_objects
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from troupe.composite import SparseTensor
    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import Message

_ASSET_TYPE = "type.googleapis.com/tensorflow.AssetFileDef"


class SavedModelBuilder:
    """Writes a saved model into a new folder: the variables with the first graph, then others, told apart by their tags. AssertionError for
    a folder with something in it."""

    def __init__(self, export_dir: str | os.PathLike[str]) -> None:
        self._folder = os.fsdecode(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(f"Export directory {self._folder} already exists, and isn't empty. Please choose a different export "
                                 "directory, or delete all the contents of the specified directory.")
        os.makedirs(self._folder, exist_ok=True)
        self._model = protos.SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(self, sess: BaseSession, tags: Iterable[str], signature_def_map: Mapping[str, Message] | None = None,
                                     assets_collection: Iterable[Tensor] | None = None, legacy_init_op: Operation | None = None,
                                     clear_devices: bool = False, main_op: Operation | None = None, strip_default_attrs: bool = False,
                                     saver: Saver | None = None) -> None:
        """The graph of a session, with the values of its variables. AssertionError the second time, for which there is `add_meta_graph`."""
        if self._has_saved_variables:
            raise AssertionError("Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                                 "instead.")
        with sess.graph.as_default():
            folder = os.path.join(self._folder, constants.VARIABLES_DIRECTORY)
            os.makedirs(folder, exist_ok=True)
            saver = saver or self._saver()
            saver.save(sess, os.path.join(folder, constants.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
            self._add(tags, signature_def_map, assets_collection, main_op if main_op is not None else legacy_init_op, clear_devices,
                      strip_default_attrs, saver)
        self._has_saved_variables = True

    def add_meta_graph(self, tags: Iterable[str], signature_def_map: Mapping[str, Message] | None = None,
                       assets_collection: Iterable[Tensor] | None = None, legacy_init_op: Operation | None = None, clear_devices: bool = False,
                       main_op: Operation | None = None, strip_default_attrs: bool = False, saver: Saver | None = None) -> None:
        """The default graph, which uses the variables of the first."""
        if not self._has_saved_variables:
            raise AssertionError("Graph state including variables and assets has not been saved yet. Please invoke "
                                 "`add_meta_graph_and_variables()` first.")
        self._add(tags, signature_def_map, assets_collection, main_op if main_op is not None else legacy_init_op, clear_devices,
                  strip_default_attrs, saver or self._saver())

    @staticmethod
    def _saver():
        return Saver(all_saveable_objects(), sharded=True, allow_empty=True)

    def _add(self, tags, signatures, assets, main_op, clear_devices, strip_default_attrs, saver):
        for key, signature in (signatures or {}).items():
            _check_signature(key, signature)
        made = create_meta_graph_def(saver_def=saver.saver_def, clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        made.meta_info_def.tags.extend(list(tags))
        for key, signature in (signatures or {}).items():
            made.signature_def[key].CopyFrom(signature)
        if main_op is not None:
            made.collection_def[constants.MAIN_OP_KEY].node_list.value.append(main_op.name)
        for tensor in assets or ():
            self._add_asset(made, tensor)
        self._model.meta_graphs.add().CopyFrom(made)

    def _add_asset(self, meta_graph, tensor):
        """Copies the file that a constant names. ValueError for what is no such tensor."""
        value = constant_value(tensor)
        if value is None or not value:
            raise ValueError(f"Invalid asset filepath tensor: {tensor}.")
        path = (value.item() if hasattr(value, "item") else value).decode()
        folder = os.path.join(self._folder, constants.ASSETS_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        shutil.copyfile(path, os.path.join(folder, os.path.basename(path)))
        asset = protos.AssetFileDef(filename=os.path.basename(path))
        asset.tensor_info.name = tensor.name
        meta_graph.asset_file_def.add().CopyFrom(asset)
        item = meta_graph.collection_def[constants.ASSETS_KEY].any_list.value.add()
        item.type_url, item.value = _ASSET_TYPE, asset.SerializeToString()

    def save(self, as_text: bool = False) -> bytes:
        """Writes the model; the path of its file."""
        name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._folder, name)
        write_whole(path, str(self._model).encode() if as_text else self._model.SerializeToString())
        return path.encode()


def _check_signature(key, signature):
    for infos in (signature.inputs, signature.outputs):
        for name in infos.keys():
            if infos[name].WhichOneof("encoding") is None:
                raise AssertionError(f"Invalid `SignatureDef` {key}: the tensor {name} has no name. Please use `build_tensor_info`.")


Builder = SavedModelBuilder


def simple_save(session: BaseSession, export_dir: str | os.PathLike[str], inputs: Mapping[str, Tensor | SparseTensor],
                outputs: Mapping[str, Tensor | SparseTensor], legacy_init_op: Operation | None = None) -> None:
    """Saves a session's graph for serving, with one signature of {name: tensor} to {name: tensor}."""
    from troupe.ops import GraphKeys, get_collection

    made = SavedModelBuilder(export_dir)
    with session.graph.as_default():
        signatures = {signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)}
        made.add_meta_graph_and_variables(session, [tag_constants.SERVING], signatures, get_collection(GraphKeys.ASSET_FILEPATHS),
                                          main_op=legacy_init_op, clear_devices=True)
    made.save()


def load(sess: BaseSession, tags: Iterable[str], export_dir: str | os.PathLike[str], import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Adds the graph with just these tags to the session's, gives its variables their values and runs its initialisation; the MetaGraphDef.
    RuntimeError where no graph has the tags."""
    export_dir = os.fsdecode(export_dir)
    meta_graph = meta_graph_with_tags(read_saved_model(export_dir), tags)
    with sess.graph.as_default():
        _, _, scope = import_scoped_meta_graph(meta_graph, graph=sess.graph, import_scope=import_scope)
        prefix = scope + "/" if scope else ""
        _restore(sess, meta_graph, export_dir, scope, saver_kwargs)
        initialise(sess, meta_graph, {prefix + name: path for name, path in asset_files(meta_graph, export_dir).items()}, prefix)
    return meta_graph


def _restore(sess, meta_graph, export_dir, scope, saver_kwargs):
    values = os.path.join(export_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    if not checkpoint_exists(values):
        return
    if meta_graph.HasField("saver_def"):
        saver = Saver(saver_def=protos.SaverDef.FromString(meta_graph.saver_def.SerializeToString()), name=scope, **saver_kwargs)
    else:
        saver = Saver(all_saveable_objects(scope=scope), **saver_kwargs)
    saver.restore(sess, values)


loader = types.SimpleNamespace(load=load, maybe_saved_model_directory=maybe_saved_model_directory)
builder = types.SimpleNamespace(SavedModelBuilder=SavedModelBuilder)


def _main_op() -> Operation:
    """The operation that initializes all variables and tables."""
    from troupe.control_flow_ops import group
    from troupe.lookup import tables_initializer
    from troupe.variables import global_variables_initializer, local_variables_initializer

    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name: str) -> Operation:
    """The same, and then an operation by its name, which restores."""
    from troupe.control_flow_ops import group, no_op

    graph = stacks.get_default_graph()
    with graph.control_dependencies([_main_op()]):
        with graph.control_dependencies([graph.get_operation_by_name(restore_op_name)]):
            return group(no_op())


main_op = types.SimpleNamespace(main_op=_main_op, main_op_with_restore=main_op_with_restore)
signature_def_utils = types.SimpleNamespace(
    MethodNameUpdater=MethodNameUpdater, is_valid_signature=is_valid_signature,
    build_signature_def=build_signature_def, classification_signature_def=classification_signature_def,
    predict_signature_def=predict_signature_def, regression_signature_def=regression_signature_def)
utils = types.SimpleNamespace(build_tensor_info=build_tensor_info, get_tensor_from_tensor_info=get_tensor_from_tensor_info)

# Each name of these classes is one of the module, too.
globals().update({name: value for names in (constants, signature_constants, tag_constants) for name, value in vars(names).items() if name.isupper()})
