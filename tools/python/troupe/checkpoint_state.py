"""The file `checkpoint` of a folder: which checkpoints are there, and which is the last."""

from __future__ import annotations

import glob
import os
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINE = re.compile(r'\s*(\w+):\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))\s*$')


@dataclass
class CheckpointState:
    """What the file says: paths without the endings of files, oldest first; times in seconds since 1970."""

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self):
        lines = [f'model_checkpoint_path: "{_escaped(self.model_checkpoint_path)}"']
        lines += [f'all_model_checkpoint_paths: "{_escaped(p)}"' for p in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {t!r}" for t in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "CheckpointState":
        """ValueError for what is no such file."""
        state = cls()
        for line in filter(str.strip, text.splitlines()):
            match = _LINE.match(line)
            if match is None or not hasattr(state, match.group(1)):
                raise ValueError(f"not a line of a checkpoint state: {line!r}")
            name, quoted, number = match.groups()
            value = float(number) if quoted is None else quoted.encode().decode("unicode_escape").encode("latin1").decode()
            if isinstance(getattr(state, name), list):
                getattr(state, name).append(value)
            else:
                setattr(state, name, value)
        return state


def _escaped(text):
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in text.encode())


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file that others see only whole."""
    beside = f"{path}.tmp{os.getpid()}"
    with open(beside, "wb") as file:
        file.write(data)
    os.replace(beside, path)


def _state_file(checkpoint_dir, latest_filename):
    return os.path.join(checkpoint_dir, latest_filename or "checkpoint")


def generate_checkpoint_state_proto(save_dir: str | os.PathLike[str], model_checkpoint_path: str,
                                    all_model_checkpoint_paths: Sequence[str] | None = None,
                                    all_model_checkpoint_timestamps: Sequence[float] | None = None,
                                    last_preserved_timestamp: float | None = None) -> CheckpointState:
    """The state with these checkpoints, the last of which is `model_checkpoint_path`; paths are relative to a relative `save_dir`."""
    paths = list(all_model_checkpoint_paths or [])
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(paths):
        raise ValueError(f"Checkpoint timestamps, if provided, must match checkpoint paths ({len(times)} timestamps, {len(paths)} paths)")
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
        if times:
            times.append(time.time())
    if not os.path.isabs(save_dir):
        paths = [os.path.relpath(p, save_dir) if not os.path.isabs(p) else p for p in paths]
        if not os.path.isabs(model_checkpoint_path):
            model_checkpoint_path = os.path.relpath(model_checkpoint_path, save_dir)
    return CheckpointState(model_checkpoint_path, paths, times, last_preserved_timestamp or 0.0)


def update_checkpoint_state(save_dir: str | os.PathLike[str], model_checkpoint_path: str, all_model_checkpoint_paths: Sequence[str] | None = None,
                            latest_filename: str | None = None, all_model_checkpoint_timestamps: Sequence[float] | None = None,
                            last_preserved_timestamp: float | None = None, save_relative_paths: bool = False) -> None:
    """Writes the file of `save_dir`. RuntimeError where it would be the checkpoint itself."""
    if save_relative_paths:
        relative = lambda p: os.path.relpath(p, save_dir) if os.path.isabs(p) else p
        model_checkpoint_path = relative(model_checkpoint_path)
        all_model_checkpoint_paths = [relative(p) for p in all_model_checkpoint_paths or []]
    path = _state_file(save_dir, latest_filename)
    if path == model_checkpoint_path:
        raise RuntimeError(f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a different save "
                           "path.")
    state = generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps,
                                            last_preserved_timestamp)
    write_whole(path, str(state).encode())


def get_checkpoint_state(checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None) -> CheckpointState | None:
    """The state of a folder, with paths that can be opened; None where there is no file, or no readable one."""
    checkpoint_dir = os.fsdecode(checkpoint_dir)
    try:
        with open(_state_file(checkpoint_dir, latest_filename)) as file:
            state = CheckpointState.from_text(file.read())
    except (OSError, ValueError):
        return None
    if not state.model_checkpoint_path:
        return None
    whole = lambda p: p if os.path.isabs(p) else os.path.join(checkpoint_dir, p)
    state.model_checkpoint_path = whole(state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [whole(p) for p in state.all_model_checkpoint_paths]
    return state


def latest_checkpoint(checkpoint_dir: str | os.PathLike[str], latest_filename: str | None = None) -> str | None:
    """The path of a folder's last checkpoint, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    return state.model_checkpoint_path if checkpoint_exists(state.model_checkpoint_path) else None


def checkpoint_exists(checkpoint_prefix: str | os.PathLike[str]) -> bool:
    """True when there is a checkpoint of this path, of the second format or the first."""
    prefix = glob.escape(os.fsdecode(checkpoint_prefix))
    return bool(glob.glob(prefix + ".index") or glob.glob(prefix) or glob.glob(prefix + "-?????-of-?????"))


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str]) -> list[float]:
    """When each checkpoint that is there was written, in seconds since 1970."""
    times = []
    for prefix in checkpoint_prefixes:
        escaped = glob.escape(prefix)
        found = glob.glob(escaped + ".index") or glob.glob(escaped) or glob.glob(escaped + "-?????-of-?????")
        if found:
            times.append(max(os.path.getmtime(f) for f in found))
    return times


def remove_checkpoint(checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta") -> None:
    """Deletes the files of a checkpoint."""
    escaped = glob.escape(checkpoint_prefix)
    meta = re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_prefix) + "." + meta_graph_suffix
    for path in [*glob.glob(escaped + ".index"), *glob.glob(escaped + ".data-?????-of-?????"), *glob.glob(glob.escape(meta))]:
        os.remove(path)
    if checkpoint_format_version == 1:
        for path in glob.glob(escaped):
            os.remove(path)
