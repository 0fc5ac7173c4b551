"""Protocol buffers: a class for each message, made when it is first asked for.

    config = protos.ConfigProto(allow_soft_placement=True)
    config.graph_options.infer_shapes = True
    graph_def = protos.GraphDef.FromString(data)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import _native, message_containers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from troupe.typing import Message

message_containers.complete()
_PACKAGE = "tensorflow."
_classes: dict[str, type[Any]] = {}


def fill(message: Message, values: Mapping[str, Any]) -> None:
    """Sets the fields of a message from {name: value}, where messages, lists and dictionaries fill theirs."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, _native.Message):
            getattr(message, name).CopyFrom(value)
            continue
        if isinstance(value, dict):
            target = getattr(message, name)
            if isinstance(target, _native.Map):
                for key, item in value.items():
                    _set_item(target, key, item)
            else:
                fill(target, value)
        elif isinstance(value, (list, tuple)) or hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)


def _set_item(target, key, item):
    if isinstance(item, _native.Message):
        target[key].CopyFrom(item)
    else:
        target[key] = item


def _methods(full_name):
    """What a class of messages has beside its fields."""

    def __init__(self, *args, **fields):
        if args:
            raise TypeError("No positional arguments allowed")
        _native.Message.__init__(self, full_name)
        unknown = fields.keys() - set(self._fields)
        if unknown:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{min(unknown)}" field.')
        fill(self, fields)

    @classmethod
    def from_bytes(cls, data):
        message = cls()
        message.ParseFromString(data)
        return message

    @classmethod
    def from_text(cls, text):
        message = cls()
        message._parse_text(text)
        return message

    return {"__init__": __init__, "FromString": from_bytes, "from_text": from_text, "__hash__": None, "__module__": __name__}


def message_class(full_name: str) -> type[Any]:
    """The class of "tensorflow.GraphDef"; nested ones and the values of its enums are attributes."""
    cls = _classes.get(full_name)
    if cls is not None:
        return cls
    nested, fields = _native.describe_message(full_name)
    body = _methods(full_name)
    body.update({name: number for name, number in _native.enum_values(full_name).items()})
    body["_fields"] = tuple(fields)
    cls = type(full_name.rsplit(".", 1)[1], (_native.Message,), body)
    _classes[full_name] = cls
    for name in nested:
        setattr(cls, name, message_class(full_name + "." + name))
    return cls


def message_from_bytes(full_name: str, data: bytes) -> Any:
    """A message by its name, from its bytes: what copies and pickles are made by."""
    return message_class(full_name).FromString(data)


def list_fields(message: Any) -> list[tuple[str, Any]]:
    """(name, value) of the fields that are set."""
    return [(name, getattr(message, name)) for name in message._set_fields()]


def serialize(message: Message | bytes | None, what: str, kind: str) -> bytes:
    """The bytes of a message of any making, or bytes themselves. TypeError for anything else, naming the argument."""
    if message is None:
        return b""
    if isinstance(message, bytes):
        return message
    if isinstance(message, _native.Message) and message._full_name() != _PACKAGE + kind or not hasattr(message, "SerializeToString"):
        raise TypeError(f"Argument `{what}` must be a tf.{kind}, but got \"{type(message).__name__}\"")
    return message.SerializeToString()


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return message_class(_PACKAGE + name)
    except KeyError:
        raise AttributeError(f"There is no message {_PACKAGE}{name}") from None
