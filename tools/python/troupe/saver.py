"""Savers: values of variables in files, and from files."""

from __future__ import annotations

import glob
import os
import threading
import time
from typing import TYPE_CHECKING

from troupe import array_ops, errors, ops, progress, protos, stacks, tf_logging
from troupe.checkpoint_state import checkpoint_exists, remove_checkpoint, update_checkpoint_state
from troupe.ops import GraphKeys, get_collection, get_collection_ref
from troupe.saveable import SaverBuilder, saveables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, SupportsIndex

    from troupe.monitored_session import _MonitoredSession
    from troupe.session import BaseSession
    from troupe.tensor import Tensor
    from troupe.typing import Message
    from troupe.variables import Variable


def all_saveable_objects(scope: str | None = None) -> list[Any]:
    """What a saver saves when it is not told: global variables, and objects of the collection "saveable_objects"."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope) + get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


class Saver:
    """Saves variables as V2 checkpoints `<path>-<step>`, whatever `write_version` says, restores them, and deletes the oldest checkpoints but
    `max_to_keep`. `var_list`: a list of variables or {name in the checkpoint: variable}; all of them by default. ValueError for none, unless
    allow_empty."""

    def __init__(self, var_list: dict[str, Any] | Iterable[Any] | None = None, reshape: bool = False, sharded: bool = False,
                 max_to_keep: int | None = 5, keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None,
                 restore_sequentially: bool = False, saver_def: Message | None = None, builder: Any = None, defer_build: bool = False,
                 allow_empty: bool = False, write_version: int = 2, pad_step_number: bool = False, save_relative_paths: bool = False,
                 filename: str | None = None) -> None:
        if defer_build and var_list:
            raise ValueError("If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None.")
        _check_saver_def(saver_def)
        self._write_version = write_version
        self._var_list, self._reshape, self._sharded = var_list, reshape, sharded
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._name, self._sequentially, self._filename = name, restore_sequentially, filename
        self.saver_def, self._allow_empty = saver_def, allow_empty
        self._pad_step_number, self._relative_paths = pad_step_number, save_relative_paths
        self._is_built = self._is_empty = False
        # Who saves now and then and who saves at the end take turns: the state file names the later of their steps.
        self._turn = threading.RLock()
        if not defer_build:
            self.build()
        if saver_def is not None:
            self._max_to_keep, self._keep_hours = saver_def.max_to_keep, saver_def.keep_checkpoint_every_n_hours
        # (path, seconds since 1970) of those that may be deleted later, oldest first.
        self._checkpoints: list[Any] = []
        self._next_kept = time.time() + self._keep_hours * 3600
        self._last_preserved = None

    def build(self) -> None:
        """Makes its operations, if that was deferred."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is not None:
            if self._name:
                for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                    setattr(self.saver_def, field, f"{self._name}/{getattr(self.saver_def, field)}")
            return
        if self._var_list is None:
            self._var_list = all_saveable_objects()
        if not self._var_list:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._is_empty = True
            return
        self.saver_def = self._make_operations(saveables_of(self._var_list))

    def _make_operations(self, saveables):
        builder = SaverBuilder(saveables, self._sequentially, self._reshape)
        with ops.name_scope(self._name, "save"):
            prefix = array_ops.placeholder_with_default(self._filename or "model", shape=(), name="filename")
            prefix = array_ops.placeholder_with_default(prefix, shape=(), name="Const")
            if self._sharded:
                saved, restored = builder.save_sharded(prefix), builder.restore_sharded(prefix)
            else:
                saved, restored = builder.save(prefix, saveables), builder.restore(prefix, saveables)
        return protos.SaverDef(filename_tensor_name=prefix.name, save_tensor_name=saved.name, restore_op_name=restored.name,
                               max_to_keep=self._max_to_keep or 0, sharded=self._sharded, version=2,
                               keep_checkpoint_every_n_hours=self._keep_hours)

    def _check_built(self):
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")

    # What is on the disk.

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of checkpoints that are not deleted yet, oldest first."""
        return [path for path, _ in self._checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Iterable[str]) -> None:
        """Deprecated: the same without times. TypeError for what is no list."""
        if isinstance(last_checkpoints, str):
            raise TypeError(f"last_checkpoints must be a list of paths, not {last_checkpoints!r}")
        self._checkpoints = [(path, float("nan")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Iterable[tuple[str, float]]) -> None:
        """[(path, time)] of those that may be deleted, oldest first."""
        self._checkpoints = [tuple(pair) for pair in last_checkpoints_with_time]

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[str]) -> None:
        """Takes up those of these paths that are there, after a restart."""
        self._checkpoints = [(p, _time_of(p)) for p in checkpoint_paths if checkpoint_exists(p)]

    def _record(self, path, meta_graph_suffix):
        """Keeps a new checkpoint in mind, and deletes what is too old."""
        if not self._max_to_keep:
            return
        self._checkpoints = [pair for pair in self._checkpoints if pair[0] != path]
        self._checkpoints.append((path, time.time()))
        while len(self._checkpoints) > self._max_to_keep:
            old, written = self._checkpoints.pop(0)
            if written > self._next_kept:
                self._next_kept += self._keep_hours * 3600
                continue
            remove_checkpoint(old, meta_graph_suffix=meta_graph_suffix)

    # Saving and restoring.

    def save(self, sess: BaseSession | _MonitoredSession, save_path: str | os.PathLike[str],
             global_step: SupportsIndex | Tensor | Variable | None = None, latest_filename: str | None = None, meta_graph_suffix: str = "meta",
             write_meta_graph: bool = True, write_state: bool = True, strip_default_attrs: bool = False,
             save_debug_info: bool = False) -> str | None:
        """Writes a checkpoint; its path, with the step behind it. ValueError for a folder that is not there or a name that is the state
        file's, TypeError without a session."""
        self._check_built()
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = os.fsdecode(save_path)
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        if not hasattr(sess, "run"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if self._is_empty:
            return None
        if self._write_version != protos.SaverDef.V2:
            tf_logging.warning("Checkpoints are written in the second format only, although the Saver's write_version is %s.", self._write_version)
            self._write_version = protos.SaverDef.V2
        with self._turn:
            path = save_path if global_step is None else f"{save_path}-{self._step_text(sess, global_step)}"
            folder = os.path.dirname(save_path)
            try:
                written = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: path}).decode()
            except (errors.FailedPreconditionError, errors.NotFoundError) as e:
                if not os.path.isdir(folder or "."):
                    raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from e
                raise
            if write_state:
                self._record(path, meta_graph_suffix)
                update_checkpoint_state(folder or ".", written, self.last_checkpoints, latest_filename,
                                        save_relative_paths=self._relative_paths)
            if write_meta_graph:
                with sess.graph.as_default():
                    self.export_meta_graph(f"{path}.{meta_graph_suffix}", strip_default_attrs=strip_default_attrs)
            return written

    def _step_text(self, sess, global_step):
        if not isinstance(global_step, int) and not hasattr(global_step, "__index__"):
            from troupe.training_util import global_step as value_of

            global_step = value_of(sess, global_step)
        return f"{int(global_step):08d}" if self._pad_step_number else str(int(global_step))

    def restore(self, sess: BaseSession | _MonitoredSession, save_path: str | os.PathLike[str]) -> None:
        """Gives the variables the values of a checkpoint. ValueError where there is none, NotFoundError for names that it has not, and
        InvalidArgumentError for other shapes or types."""
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        save_path = os.fsdecode(save_path)
        if not checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        size = sum(os.path.getsize(path) for path in glob.glob(glob.escape(save_path) + ".data-*"))
        try:
            with progress.Reading(save_path, size):
                sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: save_path})
        except errors.NotFoundError as e:
            raise _explained(e, "a Variable name or other graph key that is missing") from None
        except errors.InvalidArgumentError as e:
            raise _explained(e, "a mismatch between the current graph and the graph") from None

    # Graphs.

    def as_saver_def(self) -> Any:
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A SaverDef, or None for a saver of another scope."""
        if export_scope is None:
            return self.saver_def
        names = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if not self.saver_def.restore_op_name.startswith(export_scope + "/"):
            return None
        made = protos.SaverDef.FromString(self.saver_def.SerializeToString())
        for field in names:
            setattr(made, field, getattr(made, field).removeprefix(export_scope + "/"))
        return made

    @staticmethod
    def from_proto(saver_def: Message, import_scope: str | None = None) -> Saver:
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(self, filename: str | os.PathLike[str] | None = None, collection_list: Sequence[str] | None = None, as_text: bool = False,
                          export_scope: str | None = None, clear_devices: bool = False, clear_extraneous_savers: bool = False,
                          strip_default_attrs: bool = False, save_debug_info: bool = False) -> Any:
        """The default graph, its collections and this saver as a MetaGraphDef, also in a file."""
        from troupe.meta_graph import export_meta_graph

        return export_meta_graph(filename=filename, graph_def=stacks.get_default_graph().as_graph_def(add_shapes=True),
                                 saver_def=self.saver_def, collection_list=collection_list, as_text=as_text, export_scope=export_scope,
                                 clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)


def _check_saver_def(saver_def):
    if saver_def is None:
        return
    if not hasattr(saver_def, "restore_op_name"):
        raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
    for field in ("save_tensor_name", "restore_op_name"):
        if not getattr(saver_def, field):
            raise ValueError(f"saver_def must specify the {field}: {saver_def}")


def _time_of(path):
    from troupe.checkpoint_state import get_checkpoint_mtimes

    return get_checkpoint_mtimes([path])[0]


def _explained(error, problem):
    return type(error)(error.node_def, error.op, f"Restoring from checkpoint failed. This is most likely due to {problem} from the "
                       f"checkpoint. Please ensure that you have not altered the graph expected based on the checkpoint. Original error:\n\n"
                       f"{error.message}")


def get_saver_or_default() -> Saver:
    """The saver of the collection "savers", or a new one that is put there. RuntimeError for several."""
    savers = get_collection_ref(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError("More than one item in collection {}. Please indicate which one to use by passing it to the constructor.".format(
            GraphKeys.SAVERS))
    if not savers:
        savers.append(Saver(sharded=True, allow_empty=True))
    return savers[0]
