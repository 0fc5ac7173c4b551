"""`tf.test`: test cases, derivatives by differences, what this build has."""

from __future__ import annotations

import os
import sys
import unittest
from typing import TYPE_CHECKING, Any, overload
from unittest import mock

import numpy as np

from troupe import array_ops, stacks
from troupe.gradients import gradients
from troupe.test_case import TestCase, get_temp_dir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import ArrayLike, FeedDict, Fetches, Message

__all__ = ["TestCase", "assert_equal_graph_def", "compute_gradient", "compute_gradient_error", "get_temp_dir",
           "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_gpu_available",
           "main", "mock", "test_src_dir_path"]


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the program, or its measurements (`benchmark`), and ends the process."""
    from troupe.app_flags import FLAGS, read_command_line

    argv = list(sys.argv if argv is None else argv)
    filters = [a for a in argv if a.startswith(("--benchmark_filter=", "-benchmark_filter="))]
    if filters:
        from troupe.benchmark import run_benchmarks

        FLAGS([a for a in argv if a not in filters[:1]], known_only=True)
        run_benchmarks(filters[0].partition("=")[2])
        sys.exit(0)
    unittest.main(argv=read_command_line(argv))


@overload
def compute_gradient(x: Tensor, x_shape: Sequence[int], y: Tensor, y_shape: Sequence[int], x_init_value: ArrayLike | None = None,
                     delta: float = 1e-3, init_targets: Fetches = None, extra_feed_dict: FeedDict | None = None) -> tuple[np.ndarray, np.ndarray]: ...
@overload
def compute_gradient(x: list[Tensor], x_shape: Sequence[Sequence[int]], y: Tensor, y_shape: Sequence[int],
                     x_init_value: Sequence[ArrayLike] | None = None, delta: float = 1e-3, init_targets: Fetches = None,
                     extra_feed_dict: FeedDict | None = None) -> list[tuple[np.ndarray, np.ndarray]]: ...
def compute_gradient(x: Tensor | list[Tensor], x_shape: Sequence[Any], y: Tensor, y_shape: Sequence[int], x_init_value: Any = None,
                     delta: float = 1e-3, init_targets: Fetches = None, extra_feed_dict: FeedDict | None = None) -> Any:
    """(theoretical, numerical) Jacobians of `y` by `x`, matrices of [elements of x, elements of y], in the default session; for a list of tensors
    and shapes a list of pairs. The second is from differences of 2 `delta`. `init_targets` is run first."""
    session = stacks.get_default_session()
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            session.run(target)
    several = isinstance(x, list)
    xs, shapes = (x, x_shape) if several else ([x], [x_shape])  # type: ignore[list-item]
    starts = [None] * len(xs) if x_init_value is None else x_init_value if several else [x_init_value]
    starts = [np.random.random_sample(s).astype(t.dtype.as_numpy_dtype) if v is None else np.array(v) for t, s, v in zip(xs, shapes, starts)]
    feeds = {**(extra_feed_dict or {}), **dict(zip(xs, starts))}
    weights = array_ops.placeholder(y.dtype, y_shape)
    derivatives = gradients(y, xs, weights)
    found = [(_theoretical(session, d, weights, v, feeds), _numerical(session, t, y, v, feeds, delta)) for t, d, v in zip(xs, derivatives, starts)]
    return found if several else found[0]


def compute_gradient_error(x: Tensor | list[Tensor], x_shape: Sequence[Any], y: Tensor, y_shape: Sequence[int], x_init_value: Any = None,
                           delta: float = 1e-3, init_targets: Fetches = None, extra_feed_dict: FeedDict | None = None) -> float:
    """The largest difference between both."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    return max(float(np.max(np.abs(a - b), initial=0.0)) for a, b in (found if isinstance(found, list) else [found]))


def _theoretical(session, derivative, weights, start, feeds):
    count = int(np.prod(weights.shape.as_list()))
    jacobian = np.zeros((start.size, count), start.dtype)
    for column in range(count if derivative is not None else 0):
        one = np.zeros(count, start.dtype)
        one[column] = 1
        rows = session.run(derivative, {**feeds, weights: one.reshape(weights.shape.as_list())})
        if hasattr(rows, "dense_shape"):
            np.add.at(jacobian[:, column].reshape(start.shape), rows.indices, rows.values)
        else:
            jacobian[:, column] = np.ravel(rows)
    return jacobian


def _numerical(session, x, y, start, feeds, delta):
    columns = []
    for i in range(start.size):
        ends = []
        for step in (delta, -delta):
            moved = start.copy()
            moved.flat[i] += step
            ends.append(np.ravel(session.run(y, {**feeds, x: moved})).astype(np.float64))
        columns.append((ends[0] - ends[1]) / (2 * delta))
    return np.array(columns).reshape(start.size, -1).astype(start.dtype)


def assert_equal_graph_def(actual: Message, expected: Message) -> None:
    """AssertionError where nodes differ; their order does not count."""
    by_name = [{node.name: node for node in g.node} for g in (actual, expected)]  # type: ignore[attr-defined]
    missing = sorted(by_name[0].keys() ^ by_name[1].keys())
    if missing:
        raise AssertionError(f"Nodes of only one of the graphs: {missing}")
    for name, node in by_name[0].items():
        if node != by_name[1][name]:
            raise AssertionError(f"Node {name} differs:\n{node}\n{by_name[1][name]}")


def test_src_dir_path(relative_path: str) -> str:
    """A path beside the program."""
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


def gpu_device_name() -> str:
    """Of the first GPU of a session; empty without one."""
    from troupe.session import Session

    with Session() as session:
        return next((d.name.partition("/task:0")[2] for d in session.list_devices() if d.device_type == "GPU"), "")


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    return bool(gpu_device_name())


def is_built_with_cuda() -> bool:
    return False


def is_built_with_rocm() -> bool:
    return False


def is_built_with_gpu_support() -> bool:
    return False


def is_built_with_xla() -> bool:
    return False


def __getattr__(name: str) -> Any:
    """What fewer tests take."""
    if name == "Benchmark":
        from troupe.benchmark import Benchmark

        return Benchmark
    if name in ("StubOutForTesting", "benchmark_config", "create_local_cluster", "disable_with_predicate", "is_cpu_target_available", "with_eager_op_as_function"):
        from troupe import test_tools

        return getattr(test_tools, name)
    raise AttributeError(f"module 'troupe.test' has no attribute {name!r}")
