"""Assertions about plain values that tests take from absl's test cases."""

from __future__ import annotations

import contextlib
import re
import threading
import unittest
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troupe import errors
from troupe.test_files import TestFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class CheckedThread:
    """A thread whose error is raised where it is joined."""

    def __init__(self, target: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None) -> None:
        self._call = (target, tuple(args or ()), dict(kwargs or {}))
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as e:
            self._error = e

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Waits. What the function raised is raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def is_alive(self) -> bool:
        return self._thread.is_alive()


class PlainAssertions(TestFiles, unittest.TestCase):
    """What is compared are values of Python."""

    def checkedThread(self, target: Callable[..., Any], args: Sequence[Any] | None = None,  # noqa: N802
                      kwargs: dict[str, Any] | None = None) -> CheckedThread:
        """A thread, not yet started, whose errors `join` raises."""
        return CheckedThread(target, args, kwargs)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:  # noqa: N802
        """minv <= value <= maxv."""
        self.assertTrue(minv <= value <= maxv, msg or f'"{value!r}" unexpectedly not between "{minv!r}" and "{maxv!r}"')

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:  # noqa: N802
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertNotStartsWith(self, actual: str, unexpected_start: str, msg: str | None = None) -> None:  # noqa: N802
        self.assertFalse(actual.startswith(unexpected_start), msg or f"{actual!r} does start with {unexpected_start!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:  # noqa: N802
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} does not end with {expected_end!r}")

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: str | None = None) -> None:  # noqa: N802
        self.assertFalse(actual.endswith(unexpected_end), msg or f"{actual!r} does end with {unexpected_end!r}")

    def assertContainsSubset(self, expected_subset: Iterable[Any], actual_set: Iterable[Any], msg: str | None = None) -> None:  # noqa: N802
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, msg or f"Missing elements {missing}")

    def assertNoCommonElements(self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None) -> None:  # noqa: N802
        common = set(expected_seq) & set(actual_seq)
        self.assertFalse(common, msg or f"Common elements {common}")

    def assertSameElements(self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None) -> None:  # noqa: N802
        """The same set of elements, in any order and number."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsInOrder(self, strings: Sequence[str], target: str, msg: str | None = None) -> None:  # noqa: N802
        """Each is in the text, behind the one before."""
        end = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, end)
            self.assertGreaterEqual(found, 0, msg or f"Did not find {text!r} after position {end} of {target!r}")
            end = found + len(text)

    def assertSequenceStartsWith(self, prefix: Sequence[Any], whole: Sequence[Any], msg: str | None = None) -> None:  # noqa: N802
        self.assertEqual(list(prefix), list(whole[:len(prefix)]), msg)

    def assertSequenceAlmostEqual(self, expected_seq: Sequence[float], actual_seq: Sequence[float], places: int | None = None,  # noqa: N802
                                  msg: str | None = None, delta: float | None = None) -> None:
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for a, b in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(a, b, places=places, msg=msg, delta=delta)

    def assertDictAlmostEqual(self, expected: Mapping[Any, float], actual: Mapping[Any, float], places: int | None = None,  # noqa: N802
                              msg: str | None = None, delta: float | None = None) -> None:
        self.assertEqual(expected.keys(), actual.keys(), msg)
        for key, value in expected.items():
            self.assertAlmostEqual(value, actual[key], places=places, msg=msg or f"at {key!r}", delta=delta)

    def assertIsSubclass(self, cls: type, superclass: type, msg: str | None = None) -> None:  # noqa: N802
        self.assertTrue(issubclass(cls, superclass), msg or f"{cls!r} is no subclass of {superclass!r}")

    def assertTotallyOrdered(self, *groups: Iterable[Any]) -> None:  # noqa: N802
        """Elements of one group are equal, and less than those of later ones."""
        ranked = [(i, value) for i, group in enumerate(groups) for value in group]
        for i, a in ranked:
            for j, b in ranked:
                self.assertEqual((a < b, a <= b, a == b, a != b, a >= b, a > b), (i < j, i <= j, i == j, i != j, i >= j, i > j), f"{a!r} and {b!r}")

    def assertRegexMatch(self, actual_str: str, regexes: Sequence[str], message: str | None = None) -> None:  # noqa: N802
        """One of the expressions is found in the text."""
        self.assertTrue(any(re.search(r, actual_str) for r in regexes), message or f"{actual_str!r} matches none of {regexes!r}")

    def assertSameStructure(self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None) -> None:  # noqa: N802
        """Nests of the same types and values."""
        self.assertEqual(isinstance(a, Mapping), isinstance(b, Mapping), msg or f"{aname} is a {type(a)} but {bname} is a {type(b)}")
        if isinstance(a, Mapping):
            self.assertEqual(a.keys(), b.keys(), msg or f"Keys of {aname} and {bname}")
            for key in a:
                self.assertSameStructure(a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]", msg)
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            self.assertEqual(len(a), len(b), msg or f"Lengths of {aname} and {bname}")
            for i, (x, y) in enumerate(zip(a, b)):
                self.assertSameStructure(x, y, f"{aname}[{i}]", f"{bname}[{i}]", msg)
        else:
            self.assertEqual(a, b, msg or f"{aname} is {a!r} but {bname} is {b!r}")

    @contextlib.contextmanager
    def assertRaisesWithLiteralMatch(self, expected_exception: type[BaseException], expected_exception_message: str) -> Iterator[None]:  # noqa: N802
        """An error whose text is just this."""
        with self.assertRaises(expected_exception) as raised:
            yield
        self.assertEqual(expected_exception_message, str(raised.exception))

    def assertRaisesIncompatibleShapesError(  # noqa: N802
            self, exception_type: type[BaseException] = errors.InvalidArgumentError) -> contextlib.AbstractContextManager[Any]:
        """An error of shapes that do not go together."""
        return self.assertRaisesRegex(exception_type, "Incompatible shapes|Dimensions must be equal|required broadcastable shapes")
