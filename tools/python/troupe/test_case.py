"""Assertions about tensors: `tf.test.TestCase`."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import errors, nest, ops, stacks
from troupe.composite import IndexedSlicesValue, SparseTensorValue
from troupe.graph import Graph
from troupe.plain_assertions import PlainAssertions
from troupe.session import Session
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
    from contextlib import AbstractContextManager

    from troupe.device_spec import DeviceSpec
    from troupe.typing import ArrayLike, DTypeLike, Fetches, Message

_temp_dir = None


def get_temp_dir() -> str:
    """A directory of this process, which is removed when it ends."""
    global _temp_dir
    if _temp_dir is None:
        import atexit

        _temp_dir = tempfile.mkdtemp(prefix=os.path.basename(sys.argv[0] or "test"))
        atexit.register(shutil.rmtree, _temp_dir, ignore_errors=True)
    return _temp_dir


def _placed(graph, anywhere):
    return contextlib.nullcontext() if anywhere else graph.device("/device:CPU:0")


class TestCase(PlainAssertions):
    """Each test begins with an empty default graph and the same seeds. What is compared may be a tensor, which is run in the session around it."""

    _SEED = 87654321

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803, unittest's name
        super().__init__(methodName)
        self._sessions: dict[Graph, Any] = {}
        self._directory: str | None = None

    def setUp(self) -> None:
        super().setUp()
        random.seed(self._SEED)
        np.random.seed(self._SEED)
        stacks.reset_default_graph()
        ops.set_random_seed(self._SEED)

    def tearDown(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions = {}
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A directory of this test."""
        if self._directory is None:
            self._directory = tempfile.mkdtemp(dir=get_temp_dir())
        return self._directory

    # Sessions.

    @contextlib.contextmanager
    def session(self, graph: Graph | None = None, config: Message | None = None, use_gpu: bool = True, force_gpu: bool = False) -> Iterator[Session]:
        """A new one, the default in the block, of the default graph or this one. Without `use_gpu`, what the block makes is for the CPU."""
        with Graph.as_default(graph) if graph is not None else contextlib.nullcontext(), Session(graph=graph, config=config) as session:
            with _placed(session.graph, use_gpu or force_gpu):
                yield session

    @contextlib.contextmanager
    def cached_session(self, graph: Graph | None = None, config: Message | None = None, use_gpu: bool = True,
                       force_gpu: bool = False) -> Iterator[Session]:
        """The same in each block of a test that says the same graph, so that variables keep their values. ValueError for another config."""
        graph = graph or stacks.get_default_graph()
        session = self._sessions.get(graph)
        if session is None:
            session = self._sessions[graph] = Session(graph=graph, config=config)
            session._test_config = None if config is None else config.SerializeToString()  # type: ignore[attr-defined]
        elif config is not None and session._test_config != config.SerializeToString():
            raise ValueError("The config of cached_session differs from that of the cached session.")
        with graph.as_default(), session.as_default(), _placed(graph, use_gpu or force_gpu):
            yield session

    def test_session(self, graph: Graph | None = None, config: Message | None = None, use_gpu: bool = True,
                     force_gpu: bool = False) -> AbstractContextManager[Session]:
        """As cached_session. What looks for tests finds it, too."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.cached_session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Fetches) -> Any:
        """The values of a nest of tensors, from the default session, or a session of its own."""
        session = stacks.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as cached:
            return cached.run(tensors)

    def _values(self, value):
        if isinstance(value, dict):
            return {k: self._values(v) for k, v in value.items()}
        if isinstance(value, (IndexedSlicesValue, SparseTensorValue)):
            return value
        if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) or hasattr(v, "_as_graph_element") for v in nest.flatten(value)):
            return type(value)(*map(self._values, value)) if hasattr(value, "_fields") else type(value)(map(self._values, value))
        return self.evaluate(value) if isinstance(value, Tensor) or hasattr(value, "_as_graph_element") else value

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both as values, when both are tensors; else as they are."""
        return self.evaluate((a, b)) if isinstance(a, Tensor) and isinstance(b, Tensor) else (a, b)

    def _array(self, value):
        value = self._values(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    # Arrays.

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        """Of the same shape and elements; NaNs are alike."""
        a, b = self._array(a), self._array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        if not np.all(same):
            where = np.argwhere(~np.atleast_1d(same))
            self.fail(f"{msg or 'a and b differ'}: {len(where)} elements, the first at {where[0].tolist()}:\n{a}\n{b}")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:  # noqa: N802
        """|a - b| <= atol + rtol * |b| in nests of arrays of the same structure."""
        self._assert_close(self._values(a), self._values(b), rtol, atol, msg or "", "")

    def _assert_close(self, a, b, rtol, atol, msg, path):
        fields = lambda v: v._asdict() if hasattr(v, "_asdict") else v
        a, b = fields(a), fields(b)
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertTrue(isinstance(a, dict) and isinstance(b, dict), f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
            self.assertEqual(sorted(a), sorted(b), f"mismatched keys: a{path} has keys {list(a)}, but b{path} has keys {list(b)}. {msg}")
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")
            return
        if isinstance(a, (list, tuple)):
            try:
                a, b = np.array(a), np.array(b)
                ragged = a.dtype == object
            except ValueError:
                ragged = True
            if ragged:
                self.assertEqual(len(a), len(b), f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)}. {msg}")
                for i, (x, y) in enumerate(zip(a, b)):
                    self._assert_close(x, y, rtol, atol, msg, f"{path}[{i}]")
                return
        a, b = np.asarray(a), np.asarray(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch{path}: expected {a.shape}, got {b.shape}. {msg}")
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"Mismatched value: a{path} is different from b{path}. {msg}", equal_nan=True)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:  # noqa: N802
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def assertAllCloseAccordingToType(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, float_rtol: float = 1e-6,  # noqa: N802
                                      float_atol: float = 1e-6, half_rtol: float = 1e-3, half_atol: float = 1e-3,
                                      bfloat16_rtol: float = 1e-2, bfloat16_atol: float = 1e-2, msg: str | None = None) -> None:
        """assertAllClose, with the bounds of the narrowest type of both."""
        a, b = self._array(a), self._array(b)
        names = {a.dtype.name, b.dtype.name}
        for kinds, wider_r, wider_a in (({"float32", "complex64"}, float_rtol, float_atol), ({"float16"}, half_rtol, half_atol),
                                        ({"bfloat16"}, bfloat16_rtol, bfloat16_atol)):
            if names & kinds:
                rtol, atol = max(rtol, wider_r), max(atol, wider_a)
        if "bfloat16" in names:
            a, b = a.astype(np.float32), b.astype(np.float32)
        self.assertAllClose(a, b, rtol, atol, msg)

    def _all(self, values, test, what):
        values = self._array(values)
        if not np.all(test(values)):
            self.fail(f"Not all elements are {what}: {values}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        self._all(a, lambda v: v > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        self._all(a, lambda v: v >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        self._all(a, lambda v: v < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802
        self._all(a, lambda v: v <= comparison_target, f"<= {comparison_target}")

    def assertAllInSet(self, target: Any, expected_set: Iterable[Any]) -> None:  # noqa: N802
        self._all(target, lambda v: np.isin(v, list(expected_set)), f"in {expected_set}")

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any, open_lower_bound: bool = False,  # noqa: N802
                         open_upper_bound: bool = False) -> None:
        self._all(target, lambda v: (v > lower_bound if open_lower_bound else v >= lower_bound)
                  & (v < upper_bound if open_upper_bound else v <= upper_bound), f"in {lower_bound} to {upper_bound}")

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:  # noqa: N802
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err}{f' ({msg})' if msg is not None else ''}")

    def assertArrayNear(self, farray1: Sequence[float] | np.ndarray, farray2: Sequence[float] | np.ndarray, err: float,  # noqa: N802
                        msg: str | None = None) -> None:
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: ArrayLike, ndarray2: ArrayLike, err: float, msg: str | None = None) -> None:  # noqa: N802
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertTrue(distance < err, f"{ndarray1} is further than {err} from {ndarray2}. {msg or ''}")

    def assertShapeEqual(self, input_a: np.ndarray | Tensor, input_b: np.ndarray | Tensor, msg: str | None = None) -> None:  # noqa: N802
        """Arrays and tensors, of which only the static shape counts."""
        shape = lambda v: list(v.shape.as_list() if isinstance(v, Tensor) else v.shape)
        self.assertEqual(shape(input_a), shape(input_b), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: DTypeLike) -> None:  # noqa: N802
        self.assertEqual(np.dtype(self._array(target).dtype),
                         np.dtype(getattr(expected_dtype, "as_numpy_dtype", expected_dtype)))  # type: ignore[arg-type]

    def assertDeviceEqual(self, device1: str | DeviceSpec | None, device2: str | DeviceSpec | None, msg: str | None = None) -> None:  # noqa: N802
        from troupe.device_spec import canonical

        text = lambda d: canonical(d.to_string() if hasattr(d, "to_string") else d or "")
        self.assertEqual(text(device1), text(device2), msg)

    def assertEmpty(self, container: Sized, msg: str | None = None) -> None:  # noqa: N802
        self.assertEqual(len(container), 0, msg or f"{container!r} has length of {len(container)}.")

    def assertNotEmpty(self, container: Sized, msg: str | None = None) -> None:  # noqa: N802
        self.assertGreater(len(container), 0, msg or f"{container!r} has length of 0.")

    def assertLen(self, container: Sized, expected_len: int, msg: str | None = None) -> None:  # noqa: N802
        self.assertEqual(len(container), expected_len, msg or f"{container!r} has length of {len(container)}, expected {expected_len}.")

    def assertItemsEqual(self, first: Iterable[Any], second: Iterable[Any], msg: str | None = None) -> None:  # noqa: N802
        self.assertCountEqual(first, second, msg)

    # Messages.

    def assertProtoEquals(self, expected_message_maybe_ascii: Message | str | bytes, validate_message: Message,  # noqa: N802
                          msg: str | None = None) -> None:
        """Of the same fields; the first may be the text of a message of this package."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = type(validate_message).from_text(expected)  # type: ignore[attr-defined]
        if expected != validate_message:
            self.assertMultiLineEqual(str(expected), str(validate_message), msg)
            self.fail(msg or "The messages differ")

    def assertProtoEqualsVersion(self, expected: str, actual: Message, producer: int | None = None, min_consumer: int | None = None,  # noqa: N802
                                 msg: str | None = None) -> None:
        """The text of a GraphDef, which says nothing of the versions: those are these, this package's unless told."""
        from troupe import versions

        producer = versions.GRAPH_DEF_VERSION if producer is None else producer
        least = versions.GRAPH_DEF_VERSION_MIN_CONSUMER if min_consumer is None else min_consumer
        self.assertProtoEquals(f"versions {{ producer: {producer} {f'min_consumer: {least}' if least else ''} }}\n{expected}", actual, msg)

    # Errors.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: type[BaseException] | tuple[type[BaseException], ...],  # noqa: N802
                                       expected_err_re_or_predicate: str | re.Pattern[str] | Callable[[Any], Any]) -> Iterator[None]:
        """An exception of which the predicate is true, or whose text has what the expression says."""
        wanted = expected_err_re_or_predicate
        try:
            yield
        except exception_type as e:
            text = f"{e.message}\nCaused by op: {e.op!r}" if isinstance(e, errors.OpError) else str(e)
            if not (wanted(e) if callable(wanted) else re.search(wanted, text)):
                raise AssertionError(f"Exception of type {type(e)}: {text}, expected {wanted}") from e
        else:
            self.fail(f"{exception_type} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: str | re.Pattern[str] | Callable[[Any], Any]  # noqa: N802
                            ) -> AbstractContextManager[None]:
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)
