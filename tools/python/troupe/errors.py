"""What goes wrong, as exceptions: a class for each code."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from troupe import _native

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Operation
    from troupe.typing import Message


class OpError(Exception):
    """An error of a step or of the making of a graph; `op` and `node_def` are those that it names, or None."""

    def __init__(self, node_def: Message | None, op: Operation | None, message: str, error_code: int | None = None, *args: Any) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    @property
    def message(self) -> str:
        return self._message

    @property
    def op(self) -> Operation | None:
        return self._op

    @property
    def node_def(self) -> Any:
        return self._node_def

    @property
    def error_code(self) -> int:
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        return {}

    def __str__(self):
        if self._op is None:
            return self._message
        lines = [f"{self._message}\n\nOriginal stack trace for {self._op.name!r}:\n"]
        op = self._op
        lines.extend(op.traceback_text())
        while op._original_op is not None:
            op = op._original_op
            lines.append(f"\n...which was originally created as op {op.name!r}, defined at:\n")
            lines.extend(op.traceback_text())
        return "".join(lines)

    def __reduce__(self):
        return _rebuild, (type(self), self._message, self._error_code)


def _rebuild(cls, message, code):
    return cls(None, None, message) if cls is not OpError else cls(None, None, message, code)


OK = 0
_CLASSES = {}


def _error_class(code, name, doc):
    def __init__(self, node_def, op, message, *args):
        OpError.__init__(self, node_def, op, message, code)

    __init__.__qualname__ = f"{name}.__init__"
    cls = type(name, (OpError,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})
    _CLASSES[code] = cls
    return cls


CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

CancelledError = _error_class(CANCELLED, "CancelledError", "An operation or a step was cancelled.")
UnknownError = _error_class(UNKNOWN, "UnknownError", "An error without a code of its own.")
InvalidArgumentError = _error_class(INVALID_ARGUMENT, "InvalidArgumentError", "An operation received an invalid argument.")
DeadlineExceededError = _error_class(DEADLINE_EXCEEDED, "DeadlineExceededError", "A deadline came before the end.")
NotFoundError = _error_class(NOT_FOUND, "NotFoundError", "What was asked for was not found.")
AlreadyExistsError = _error_class(ALREADY_EXISTS, "AlreadyExistsError", "What was to be made is there already.")
PermissionDeniedError = _error_class(PERMISSION_DENIED, "PermissionDeniedError", "The caller may not do this.")
ResourceExhaustedError = _error_class(RESOURCE_EXHAUSTED, "ResourceExhaustedError", "Something, mostly memory, has run out.")
FailedPreconditionError = _error_class(
    FAILED_PRECONDITION, "FailedPreconditionError", "The system is not in a state for this; a variable has no value yet.")
AbortedError = _error_class(ABORTED, "AbortedError", "An operation was aborted.")
OutOfRangeError = _error_class(OUT_OF_RANGE, "OutOfRangeError", "Beyond the valid range; the end of the input.")
UnimplementedError = _error_class(UNIMPLEMENTED, "UnimplementedError", "An operation is not implemented.")
InternalError = _error_class(INTERNAL, "InternalError", "Something is broken.")
UnavailableError = _error_class(UNAVAILABLE, "UnavailableError", "The runtime is not there now.")
DataLossError = _error_class(DATA_LOSS, "DataLossError", "Data was lost or is corrupt.")
UnauthenticatedError = _error_class(UNAUTHENTICATED, "UnauthenticatedError", "The caller did not say who it is.")


class InaccessibleTensorError(ValueError):
    """A tensor of another graph, or of a function's body."""


class OperatorNotAllowedInGraphError(TypeError):
    """What a tensor without a value cannot do."""


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of a code. KeyError for one without."""
    return _CLASSES[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int | OpError:
    """The code of a class; an UnknownError, and a warning, for another class."""
    if cls not in _CLASSES.values():
        warnings.warn("Unknown class exception")
        return UnknownError(None, None, "Unknown class exception", None)
    return cls(None, None, "").error_code


def make_error(code: int, message: str) -> OpError:
    """What the native module raises for a status."""
    cls = _CLASSES.get(code)
    return cls(None, None, message) if cls is not None else OpError(None, None, message, code)


_native.set_error_factory(make_error)
