"""Checkpoints of objects by the names that they have in each other: `tf.train.Checkpoint`, and a manager of several."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, ops, stacks
from troupe.checkpoint_reader import load_checkpoint
from troupe.checkpoint_state import get_checkpoint_state, remove_checkpoint, update_checkpoint_state
from troupe.layer import Layer
from troupe.optimizer import Optimizer
from troupe.saveable import SaveableObject, SaveSpec
from troupe.saver import Saver
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.session import BaseSession

_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE = "VARIABLE_VALUE"


def _session(session):
    session = session or stacks.get_default_session()
    if session is None:
        raise RuntimeError("Checkpoints are written and read in a session: give one, or make one the default.")
    return session


class CheckpointOptions:
    """Kept for who asks: where and how files are written follows from the session."""

    def __init__(self, experimental_io_device: str | None = None, experimental_enable_async_checkpoint: bool = False,
                 experimental_write_callbacks: Any = None, enable_async: bool = False, experimental_skip_slot_variables: bool = False,
                 experimental_sharding_callback: Any = None) -> None:
        self.experimental_io_device, self.experimental_enable_async_checkpoint = experimental_io_device, experimental_enable_async_checkpoint
        self.experimental_write_callbacks, self.enable_async = experimental_write_callbacks, enable_async
        self.experimental_skip_slot_variables, self.experimental_sharding_callback = experimental_skip_slot_variables, experimental_sharding_callback


# What objects are made of.


def _children(value):
    """(name, object) of what an object is made of. ValueError for what cannot be in a checkpoint."""
    if isinstance(value, Checkpoint):
        return [*sorted(value._objects.items()), *([] if value._counter is None else [("save_counter", value._counter)])]
    if isinstance(value, Variable):
        return []
    if isinstance(value, Optimizer):
        graph = stacks.get_default_graph()
        return sorted((name, v) for (name, owner), v in value._non_slots.items() if owner is graph)
    if isinstance(value, Layer):
        return sorted((name, v) for name, v in vars(value).items() if isinstance(v, (Variable, Layer)))
    if isinstance(value, dict):
        return sorted((str(name), v) for name, v in value.items())
    if isinstance(value, (list, tuple)):
        return [(str(i), v) for i, v in enumerate(value)]
    raise ValueError(f"`Checkpoint` was expecting {value!r} to be a trackable object (a variable, an optimizer, a layer, another Checkpoint, or a list or "
                     f"dictionary of these), but got an object of type {type(value)}.")


def _escaped(name):
    return name.replace(".", "..").replace("/", ".S")


class _Graph:
    """The objects that are reached from one, nearest first, each with its path; variables with their keys."""

    def __init__(self, root):
        self.nodes, self.children, self.paths = [root], [], [""]
        number = {id(root): 0}
        for node, path in zip(self.nodes, self.paths):
            found = []
            for name, child in _children(node):
                if id(child) not in number:
                    number[id(child)] = len(self.nodes)
                    self.nodes.append(child)
                    self.paths.append(f"{path}/{_escaped(name)}" if path else _escaped(name))
                found.append((number[id(child)], name))
            self.children.append(found)
        self.variables = {f"{path}/.ATTRIBUTES/{_VALUE}": node for node, path in zip(self.nodes, self.paths) if isinstance(node, Variable)}
        self.slots = []
        self._add_slots()

    def _add_slots(self):
        """What optimizers keep of variables that are here, too."""
        known = [(i, v) for i, v in enumerate(self.nodes) if isinstance(v, Variable)]
        for at, optimizer in [(i, n) for i, n in enumerate(self.nodes) if isinstance(n, Optimizer)]:
            for original, variable in known:
                for name in optimizer.get_slot_names():
                    slot = optimizer.get_slot(variable, name)
                    if slot is None:
                        continue
                    self.slots.append((at, original, name, len(self.nodes)))
                    self.nodes.append(slot)
                    self.children.append([])
                    self.paths.append(f"{self.paths[original]}/.OPTIMIZER_SLOT/{self.paths[at]}/{_escaped(name)}")
                    self.variables[f"{self.paths[-1]}/.ATTRIBUTES/{_VALUE}"] = slot

    def serialized(self):
        """A TrackableObjectGraph, in protobuf's wire format."""
        return b"".join(_field(1, self._node(i)) for i in range(len(self.nodes)))

    def _node(self, i):
        made = b"".join(_field(1, _number(1, child) + _field(2, name.encode())) for child, name in self.children[i])
        if isinstance(self.nodes[i], Variable):
            key = f"{self.paths[i]}/.ATTRIBUTES/{_VALUE}"
            made += _field(2, _field(1, _VALUE.encode()) + _field(2, self.nodes[i].op.name.encode()) + _field(3, key.encode()))
        for at, original, name, slot in self.slots:
            if at == i:
                made += _field(3, _number(1, original) + _field(2, name.encode()) + _number(3, slot))
        return made + _field(5, b"\x08\x01")


def _varint(value):
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def _number(field, value):
    # What is zero is not written.
    return _varint(field << 3) + _varint(value) if value else b""


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


class _GraphSaveable(SaveableObject):
    """The description of the objects, which is written beside them and never restored."""

    def __init__(self, data):
        text = array_ops.constant(data, dtypes.string)
        super().__init__(text, [SaveSpec(text, "", _GRAPH_KEY)], _GRAPH_KEY)

    def restore(self, restored_tensors, restored_shapes):
        from troupe.control_flow_ops import no_op

        return no_op()


class Checkpoint:
    """Objects by names: variables, optimizers, layers, other Checkpoints, lists and dictionaries. `save` writes their values in a session, `restore` finds them again by
    the names that objects have in each other, whatever their variables are called. ValueError for other objects."""

    def __init__(self, **kwargs: Any) -> None:
        self._objects = dict(kwargs)
        self._counter: Variable | None = None
        self._savers: dict[Any, Saver] = {}
        for value in kwargs.values():
            _children(value)

    def __getattr__(self, name):
        objects = self.__dict__.get("_objects", {})
        if name not in objects:
            raise AttributeError(f"The Checkpoint has no object {name!r}")
        return objects[name]

    def __setattr__(self, name, value):
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            _children(value)
            self._objects[name] = value

    @property
    def save_counter(self) -> Variable:
        """How often it was saved: an int64 variable."""
        if self._counter is None:
            with ops.init_scope():
                self._counter = Variable(0, trainable=False, name="save_counter", dtype=dtypes.int64)
        return self._counter

    def _saver(self, variables, data=None):
        """A saver of {key: variable}, and of a description; one for the same ones."""
        key = tuple(sorted((k, id(v)) for k, v in variables.items())), data
        if key not in self._savers:
            given: dict[str, Any] = dict(variables)
            if data is not None:
                given[_GRAPH_KEY] = _GraphSaveable(data)
            self._savers[key] = Saver(given, max_to_keep=None)
        return self._savers[key]

    def write(self, file_prefix: str | os.PathLike[str], session: BaseSession | None = None, options: CheckpointOptions | None = None) -> str:
        """Writes the values into files that begin so; gives the prefix. RuntimeError without a session."""
        graph = _Graph(self)
        saver = self._saver(graph.variables, graph.serialized())
        return saver.save(_session(session), os.fspath(file_prefix), write_meta_graph=False, write_state=False)

    def save(self, file_prefix: str | os.PathLike[str], session: BaseSession | None = None, options: CheckpointOptions | None = None) -> str:
        """The same as `<prefix>-<number>`, the next of `save_counter`, which is the folder's last checkpoint then."""
        session = _session(session)
        counter = self.save_counter
        if not session.run(_is_initialized(counter)):
            session.run(counter.initializer)
        number = int(session.run(counter.assign_add(1)))
        path = self.write(f"{os.fspath(file_prefix)}-{number}", session)
        update_checkpoint_state(os.path.dirname(path), path, [path], save_relative_paths=True)
        return path

    def read(self, save_path: str | os.PathLike[str], options: CheckpointOptions | None = None) -> CheckpointStatus:
        """What restores the values of files; objects may be made before it runs. NotFoundError without files."""
        return CheckpointStatus(self, os.fspath(save_path))

    def restore(self, save_path: str | os.PathLike[str] | None, options: CheckpointOptions | None = None) -> CheckpointStatus:
        """The same; without a path there is only what initializes."""
        if save_path is None:
            return CheckpointStatus(self, None)
        return self.read(save_path)


def _is_initialized(variable):
    from troupe.variables import is_variable_initialized

    return is_variable_initialized(variable)


class CheckpointStatus:
    """What of a checkpoint belongs to which variable. It looks when it is asked: objects may be made meanwhile."""

    def __init__(self, checkpoint: Checkpoint, path: str | None) -> None:
        self._checkpoint, self._path = checkpoint, path
        self._keys = set() if path is None else set(load_checkpoint(path).get_variable_to_shape_map())
        self._by_objects = _GRAPH_KEY in self._keys

    def _found(self):
        """{key: variable} of what is there, and the variables that are not."""
        variables = _Graph(self._checkpoint).variables
        if self._keys and not self._by_objects:
            # Written by a Saver: by the variables' own names.
            variables = {v.op.name: v for v in variables.values()}
        return {k: v for k, v in variables.items() if k in self._keys}, [v for k, v in variables.items() if k not in self._keys]

    def assert_consumed(self) -> CheckpointStatus:
        """AssertionError unless each value of the checkpoint belongs to a variable, and each variable has one."""
        found, missing = self._found()
        missing = [v for v in missing if v is not self._checkpoint._counter]
        unused = self._keys - set(found) - {_GRAPH_KEY, f"save_counter/.ATTRIBUTES/{_VALUE}"}
        if unused and self._by_objects:
            raise AssertionError(f"Unresolved object in checkpoint: {', '.join(sorted(unused))}")
        if missing:
            raise AssertionError(f"Object not assigned a value from checkpoint: {', '.join(v.name for v in missing)}")
        return self

    def assert_existing_objects_matched(self) -> CheckpointStatus:
        """AssertionError unless each variable has a value."""
        missing = [v for v in self._found()[1] if v is not self._checkpoint._counter]
        if missing:
            raise AssertionError(f"Object not assigned a value from checkpoint: {', '.join(v.name for v in missing)}")
        return self

    def assert_nontrivial_match(self) -> CheckpointStatus:
        """AssertionError unless a variable beside `save_counter` has a value."""
        if not any(v is not self._checkpoint._counter for v in self._found()[0].values()):
            raise AssertionError("Nothing except the root object matches a checkpointed value.")
        return self

    def expect_partial(self) -> CheckpointStatus:
        return self

    def run_restore_ops(self, session: BaseSession | None = None) -> None:
        """Restores what belongs to a variable. RuntimeError without a session."""
        found, _ = self._found()
        if found:
            self._checkpoint._saver(found).restore(_session(session), self._path)

    def initialize_or_restore(self, session: BaseSession | None = None) -> None:
        """The same; other variables that have no value are initialized."""
        session = _session(session)
        _, missing = self._found()
        unset = [v for v in missing if not session.run(_is_initialized(v))]
        session.run([v.initializer for v in unset])
        self.run_restore_ops(session)


class CheckpointManager:
    """The checkpoints of a folder, of which the last `max_to_keep` are kept, and one each `keep_checkpoint_every_n_hours`. ValueError for none to keep, and for an interval
    without a step counter."""

    def __init__(self, checkpoint: Checkpoint, directory: str | os.PathLike[str], max_to_keep: int | None, keep_checkpoint_every_n_hours: float | None = None,
                 checkpoint_name: str = "ckpt", step_counter: Variable | None = None, checkpoint_interval: int | None = None,
                 init_fn: Callable[[], Any] | None = None, last_checkpoint_step: int | None = None) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory, self._max_to_keep = checkpoint, os.fspath(directory), max_to_keep
        self._hours, self._prefix = keep_checkpoint_every_n_hours, os.path.join(self._directory, checkpoint_name)
        self._counter, self._interval, self._init_fn, self._last_step = step_counter, checkpoint_interval, init_fn, last_checkpoint_step
        state = get_checkpoint_state(self._directory)
        self._preserved = time.time()
        # Paths and times of those that may be deleted later.
        self._kept: dict[str, float] = {}
        self._latest = None
        if state is not None:
            self._latest = state.model_checkpoint_path or None
            self._preserved = state.last_preserved_timestamp or self._preserved
            times = state.all_model_checkpoint_timestamps or [time.time()] * len(state.all_model_checkpoint_paths)
            self._kept = dict(zip(state.all_model_checkpoint_paths, times))

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        return self._interval

    @property
    def checkpoint(self) -> Checkpoint:
        return self._checkpoint

    @property
    def latest_checkpoint(self) -> str | None:
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """Paths, oldest first."""
        return list(self._kept)

    def save(self, checkpoint_number: int | None = None, check_interval: bool = True, options: CheckpointOptions | None = None,
             session: BaseSession | None = None) -> str | None:
        """Saves, and deletes what is too old; None where the step counter has not gone on far enough. RuntimeError without a session."""
        session = _session(session)
        step = None if self._interval is None else int(session.run(self._counter))  # type: ignore[arg-type]
        if step is not None and check_interval and self._last_step is not None and step - self._last_step < self._interval:  # type: ignore[operator]
            return None
        if checkpoint_number is None:
            path = self._checkpoint.save(self._prefix, session)
        else:
            path = self._checkpoint.write(f"{self._prefix}-{int(session.run(checkpoint_number) if isinstance(checkpoint_number, Variable) else checkpoint_number)}",
                                          session)
        self._last_step = step
        self._kept.pop(path, None)
        self._kept[path], self._latest = time.time(), path
        self._sweep()
        update_checkpoint_state(self._directory, path, self.checkpoints, all_model_checkpoint_timestamps=list(self._kept.values()),
                                last_preserved_timestamp=self._preserved, save_relative_paths=True)
        return path

    def _sweep(self):
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, made = next(iter(self._kept.items()))
            del self._kept[path]
            if self._hours is not None and made - self._hours * 3600 >= self._preserved:
                self._preserved = made
            else:
                remove_checkpoint(path)

    def restore_or_initialize(self, session: BaseSession | None = None) -> str | None:
        """Restores the last checkpoint, or runs `init_fn` where there is none; gives its path."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest).run_restore_ops(session)
        elif self._init_fn is not None:
            self._init_fn()
        return self._latest

