"""Messages compared: `tensorflow.python.util.protobuf.compare`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import _native, protos

if TYPE_CHECKING:
    from typing import Any

# Longer texts are compared as lines.
_LONG = 1 << 16


def isClose(x: float, y: float, relative_tolerance: float) -> bool:  # noqa: N802
    """Whether two numbers differ by no more than this part of the greater; infinities only from one another, NaN never from NaN."""
    import math

    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) == math.isnan(y)
    if math.isinf(x) or math.isinf(y):
        return x == y
    return abs(x - y) <= relative_tolerance * max(abs(x), abs(y))


def assertProtoEqual(self: Any, a: Any, b: Any, check_initialized: bool = True, normalize_numbers: bool = False,  # noqa: N802
                     msg: str | None = None, relative_tolerance: float | None = None) -> None:
    """In a test, that two messages are equal; the first may be the text of one. `normalize_numbers` rounds both in place, to 6 places;
    with a tolerance what is as close counts as equal."""
    if isinstance(a, str):
        a = type(b).from_text(a)
    if normalize_numbers:
        NormalizeNumberFields(a)
        NormalizeNumberFields(b)
    if relative_tolerance is not None:
        a = _closer(self, a, b, relative_tolerance)
    left, right = str(a), str(b)
    if len(left) < _LONG and len(right) < _LONG:
        self.assertMultiLineEqual(left, right, msg=msg)
    else:
        difference = "".join(difflib.unified_diff(left.splitlines(True), right.splitlines(True)))
        if difference:
            self.fail(f"{msg} :\n{difference}")
    if a != b:
        self.fail(msg or "The messages differ")


def _closer(self, a, b, tolerance):
    """A copy of `a` with the numbers of `b` where they are close. Fails where they are not."""
    made = type(a)()
    made.CopyFrom(a)
    _replace(self, made, b, tolerance)
    return made


def _replace(self, a, b, tolerance):
    others = dict(protos.list_fields(b))
    for name, value in protos.list_fields(a):
        other = others.get(name)
        if other is None:
            continue
        if isinstance(value, _native.Message):
            _replace(self, value, other, tolerance)
        elif isinstance(value, Mapping) or isinstance(value, _native.Map):
            for key in value:
                if key in other and isinstance(value[key], _native.Message):
                    _replace(self, value[key], other[key], tolerance)
        elif isinstance(value, float):
            if not isClose(value, other, tolerance):
                self.fail(f"{name}: {value} differs from {other} by more than {tolerance} of it")
            setattr(a, name, other)
        elif _is_repeated(value):
            _replace_items(self, name, value, other, tolerance)


def _replace_items(self, name, values, others, tolerance):
    if len(values) != len(others):
        return
    for index, (value, other) in enumerate(zip(list(values), list(others))):
        if isinstance(value, _native.Message):
            _replace(self, values[index], other, tolerance)
        elif isinstance(value, float):
            if not isClose(value, other, tolerance):
                self.fail(f"{name}[{index}]: {value} differs from {other} by more than {tolerance} of it")
            values[index] = other


def NormalizeNumberFields(pb: Any) -> Any:  # noqa: N802
    """Rounds the floats of a message, in place."""
    for name, value in protos.list_fields(pb):
        if isinstance(value, _native.Message):
            NormalizeNumberFields(value)
        elif isinstance(value, _native.Map):
            for key in value:
                if isinstance(value[key], _native.Message):
                    NormalizeNumberFields(value[key])
        elif isinstance(value, float):
            setattr(pb, name, round(value, 6))
        elif _is_repeated(value):
            for index, item in enumerate(list(value)):
                if isinstance(item, _native.Message):
                    NormalizeNumberFields(value[index])
                elif isinstance(item, float):
                    value[index] = round(item, 6)
    return pb


def _is_repeated(value):
    return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__")


def ProtoEq(a: Any, b: Any) -> bool:  # noqa: N802
    """Whether two messages, or two values of their fields, are equal: what is set counts, and the order of what is repeated."""
    a, b = _formed(a), _formed(b)
    if not isinstance(a, dict) or not isinstance(b, dict):
        return bool(a == b)
    return a.keys() == b.keys() and all(ProtoEq(a[k], b[k]) for k in a)


def _formed(value):
    if isinstance(value, _native.Message):
        return dict(protos.list_fields(value))
    if isinstance(value, (Mapping, _native.Map)):
        return {k: value[k] for k in value}
    return dict(enumerate(value)) if _is_repeated(value) else value


class ProtoAssertions:
    """For a test case that compares messages."""

    def assertProtoEqual(self, *args: Any, **kwargs: Any) -> None:  # noqa: N802
        assertProtoEqual(self, *args, **kwargs)
