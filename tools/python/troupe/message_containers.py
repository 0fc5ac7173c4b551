"""What repeated fields and maps of messages can, as Python's lists and dictionaries do."""

from __future__ import annotations

import copy
from collections import abc

from troupe import _native


def _delete(self, at, delete=_native.Repeated.__delitem__):
    for i in sorted(range(*at.indices(len(self))), reverse=True) if isinstance(at, slice) else [at]:
        delete(self, i)


def _set(self, at, value, set_one=_native.Repeated.__setitem__):
    if not isinstance(at, slice):
        set_one(self, at, value)
        return
    values = list(self)
    values[at] = value
    del self[:]
    self.extend(values)


def _add(self, add=_native.Repeated.add, **fields):
    from troupe.protos import fill

    message = add(self)
    fill(message, fields)
    return message


def _insert(self, at, value):
    at = slice(at, None).indices(len(self))[0]
    self.append(value)
    behind = self[at:-1]
    if behind:
        last = self[-1]
        del self[at:]
        self.extend([last, *behind])


def _pop(self, at=-1):
    value = self[at]
    del self[at]
    return value


def _sort(self, key=None, reverse=False):
    self[:] = sorted(self, key=key, reverse=reverse)


def _equal(self, other):
    return list(self) == list(other) if isinstance(other, (list, tuple, _native.Repeated)) else NotImplemented


def _get(self, key, default=None):
    # Asking for a message that is not there would make it.
    return self[key] if key in self else default


def _reduce(self):
    from troupe.protos import message_from_bytes

    return message_from_bytes, (self._full_name(), self.SerializeToString())


def _take(self, key, *default):
    if key not in self:
        if default:
            return default[0]
        raise KeyError(key)
    # The map's memory is used again.
    value = copy.copy(self[key])
    del self[key]
    return value


def _clear(self):
    for key in list(self):
        del self[key]


def _append(self, value, append=_native.Repeated.append):
    try:
        append(self, value)
    except RuntimeError:
        raise TypeError(f"Parameter to append() is of another type: {value!r}") from None


def _representation(self):
    return repr(list(self))


_LIST = {"__delitem__": _delete, "__setitem__": _set, "add": _add, "append": _append, "clear": lambda self: _delete(self, slice(None)), "insert": _insert,
         "pop": _pop, "sort": _sort, "__eq__": _equal, "__hash__": None,
         "__iter__": abc.Sequence.__iter__, "__contains__": abc.Sequence.__contains__, "__reversed__": abc.Sequence.__reversed__,
         "index": abc.Sequence.index, "count": abc.Sequence.count, "remove": abc.MutableSequence.remove,
         "reverse": lambda self: _set(self, slice(None), self[::-1]), "MergeFrom": _native.Repeated.extend, "__repr__": _representation}
_MAP = {"get": _get, "items": abc.Mapping.items, "values": abc.Mapping.values, "clear": _clear, "pop": _take,
        "update": abc.MutableMapping.update, "__repr__": lambda self: repr(dict(self.items()))}


def complete() -> None:
    """Gives the native classes these methods, and messages copies and pickles."""
    for cls, methods, kind in ((_native.Repeated, _LIST, abc.MutableSequence), (_native.Map, _MAP, abc.MutableMapping)):
        for name, method in methods.items():
            setattr(cls, name, method)
        kind.register(cls)
    _native.Message.__reduce__ = _reduce
