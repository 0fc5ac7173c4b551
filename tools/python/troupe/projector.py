"""tf.contrib.tensorboard.plugins.projector: which variables TensorBoard shows as points, as the text file that it reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from troupe import file_io

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from troupe.event_writer import FileWriter
    from troupe.typing import Path


class _Repeated(list):
    """A field of several messages."""

    def __init__(self, kind: type) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **fields: Any) -> Any:
        """A new message at the end."""
        self.append(self._kind(**fields))
        return self[-1]


class _Message:
    """A message with the fields of `_defaults`: a default, a list for several values, or the class of an inner message. AttributeError and
    TypeError for others."""

    _defaults: dict[str, Any] = {}

    def __init__(self, **fields: Any) -> None:
        for name, default in self._defaults.items():
            if isinstance(default, list):
                default = _Repeated(default[0]) if default and issubclass(default[0], _Message) else []
            elif isinstance(default, type):
                default = default()
            object.__setattr__(self, name, default)
        for name, value in fields.items():
            current = getattr(self, name)
            if isinstance(current, list):
                current.extend(value)
            elif isinstance(current, _Message):
                object.__setattr__(self, name, value)
            else:
                setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"Protocol message {type(self).__name__} has no {name!r} field.")
        if not isinstance(self._defaults[name], str):
            raise AttributeError(f"Assignment not allowed to repeated or message field {name!r} of {type(self).__name__}.")
        if not isinstance(value, str):
            raise TypeError(f"Cannot set {type(self).__name__}.{name} to {value!r}: {type(value).__name__} has no text, expected: str")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        for name in self._defaults:
            value = getattr(self, name)
            for part in value if isinstance(value, list) else [value]:
                yield from _field(name, part)

    def CopyFrom(self, other: _Message) -> None:  # noqa: N802, protobuf's name
        """Becomes as another. TypeError for one of another class."""
        if type(other) is not type(self):
            raise TypeError(f"Parameter to CopyFrom() must be instance of same class: expected {type(self).__name__} got {type(other).__name__}.")
        self.__dict__.clear()
        self.__init__(**vars(other))  # type: ignore[misc]


def _field(name: str, value: Any) -> Iterable[str]:
    """The lines of protobuf's text format; none for what is not set."""
    if isinstance(value, _Message):
        inner = list(value._lines())
        return [f"{name} {{", *(f"  {line}" for line in inner), "}"] if inner or name == "embeddings" else []
    if isinstance(value, str):
        quoted = "".join(_ESCAPES.get(c, c) for c in value)
        return [f'{name}: "{quoted}"'] if value else []
    return [f"{name}: {int(value)}"]


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class SpriteMetadata(_Message):
    """One picture of all points' pictures, and the size of each."""

    _defaults = {"image_path": "", "single_image_dim": [int]}


class EmbeddingInfo(_Message):
    """A variable, and files that say what its rows are."""

    _defaults = {"tensor_name": "", "metadata_path": "", "bookmarks_path": "", "tensor_shape": [int], "sprite": SpriteMetadata, "tensor_path": ""}


class ProjectorConfig(_Message):
    """`config.embeddings.add()` for each variable."""

    _defaults = {"model_checkpoint_path": "", "embeddings": [EmbeddingInfo], "model_checkpoint_dir": ""}


def visualize_embeddings(summary_writer: FileWriter | Path, config: ProjectorConfig) -> None:
    """Writes projector_config.pbtxt into the folder of a writer of summaries. ValueError for one that does not tell its folder."""
    if isinstance(summary_writer, (str, bytes, os.PathLike)):
        folder = os.fsdecode(summary_writer)
    else:
        folder = getattr(summary_writer, "get_logdir", lambda: None)()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    file_io.MakeDirs(folder)
    with file_io.GFile(os.path.join(folder, "projector_config.pbtxt"), "w") as file:
        file.write(str(config))
