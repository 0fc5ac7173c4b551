"""More of `tensorflow.python.framework.test_util`: decorators of modes that there are not, what must not remain behind a test, layouts in fours."""

from __future__ import annotations

import functools
import gc
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import array_ops, errors, math_ops, test_tools, tf_logging
from troupe.session import Session
from troupe.tensor import Tensor
from troupe.test import assert_equal_graph_def

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from troupe.typing import Message, TensorLike


def _as_it_is(test: Any) -> Any:
    """Decorates a test of a mode that there is not: it runs as it is."""
    return test


add_graph_building_optimization_tests = disable_cudnn_autotune = enable_c_shapes = enable_eager_op_as_function = _as_it_is
enable_graph_building_optimization = enable_nested_function_shape_inference = enable_output_all_intermediates = _as_it_is
enable_quantized_dtypes_training = run_in_async_and_sync_mode = run_in_v1_v2 = with_c_shapes = with_control_flow_v2 = _as_it_is


def enable_tf_xla_constant_folding(description: str) -> Callable[[Any], Any]:
    """Decorates a test, which runs as it is."""
    return _as_it_is


def set_xla_env_flag(flag: str = "") -> Callable[[Any], Any]:
    """Decorates a test: XLA_FLAGS has this flag, too, while it runs."""
    def decorated(f):
        @functools.wraps(f)
        def test(*args, **kwargs):
            before = os.environ.get("XLA_FLAGS")
            os.environ["XLA_FLAGS"] = flag if before is None else f"{before} {flag}"
            try:
                return f(*args, **kwargs)
            finally:
                if before is None:
                    del os.environ["XLA_FLAGS"]
                else:
                    os.environ["XLA_FLAGS"] = before

        return test

    return decorated


def with_forward_compatibility_horizons(*horizons: Any) -> Callable[[Any], Any]:
    """Decorates a test: it runs once for each of these days (year, month, day), or None for today."""
    def decorated(f):
        @functools.wraps(f)
        def test(*args, **kwargs):
            from troupe import forward_compat

            for horizon in horizons:
                if horizon is None:
                    f(*args, **kwargs)
                else:
                    with forward_compat.forward_compatibility_horizon(*horizon):
                        f(*args, **kwargs)

        return test

    return decorated


def _tensors():
    gc.collect()
    return sum(isinstance(o, Tensor) for o in gc.get_objects())


def assert_no_new_tensors(f: Any) -> Any:
    """Decorates a test: AssertionError when tensors of its graph remain behind it."""
    @functools.wraps(f)
    def test(self, **kwargs):
        from troupe.graph import Graph

        before = _tensors()
        with Graph().as_default():
            result = f(self, **kwargs)
        # What runs still may hold some for a moment.
        for _ in range(100):
            after = _tensors()
            if after <= before:
                return result
            time.sleep(0.01)
        raise AssertionError(f"{after - before} Tensors not deallocated after test")

    return test


def assert_no_garbage_created(f: Any) -> Any:
    """Decorates a test: AssertionError when it leaves objects that only a search for circles finds."""
    @functools.wraps(f)
    def test(self, **kwargs):
        gc.collect()
        flags, before = gc.get_debug(), len(gc.garbage)
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            result = f(self, **kwargs)
            gc.collect()
            left = gc.garbage[before:]
            self.assertFalse(left, f"{len(left)} objects are in circles: {[type(o).__name__ for o in left[:10]]}")
        finally:
            gc.set_debug(flags)
            del gc.garbage[before:]
        return result

    return test


@contextmanager
def deterministic_ops() -> Iterator[None]:
    """The block, as it is: there is no switch between kernels that add in one order and others."""
    yield


@contextmanager
def run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """Functions are graphs, whatever is asked for."""
    yield


def sync_devices() -> None:
    """Nothing runs behind a session's back."""


def IsCPUTargetAvailable(target: str) -> bool:  # noqa: N802
    """Whether the library is built for this kind of processor."""
    return test_tools.is_cpu_target_available(target)


def GpuSupportsHalfMatMulAndConv() -> bool:  # noqa: N802
    from troupe import test

    return test.is_gpu_available()


def InstallStackTraceHandler() -> None:  # noqa: N802
    """Python says where it is when the process dies."""
    import faulthandler

    faulthandler.enable()


def pick_unused_port() -> int:
    """A port that nobody has."""
    return test_tools._ports(1)[0]


def assert_equal_graph_def_v1(actual: Message, expected: Message, checkpoint_v2: bool = False, hash_table_shared_name: bool = False) -> None:
    """AssertionError for graphs that are not the same, whatever the order of their nodes."""
    assert_equal_graph_def(actual, expected)


def assert_equal_graph_def_v2(expected: Message, actual: Message) -> None:
    """The same, the one that is wanted first."""
    assert_equal_graph_def(actual, expected)


def matmul_without_tf32(a: TensorLike, b: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """A product in full floats, as all are."""
    return math_ops.matmul(a, b, *args, **kwargs)


def NHWCToNCHW_VECT_C(input_shape_or_tensor: Any) -> Any:  # noqa: N802
    """[N, H, W, C] as [N, C/4, H, W, 4]: a shape, or a tensor. ValueError for numbers of channels that four does not divide."""
    is_tensor = isinstance(input_shape_or_tensor, Tensor)
    shape = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
    if shape[-1] % 4:
        raise ValueError("Last dimension of input must be evenly divisible by 4 to convert to NCHW_VECT_C.")
    apart = [*shape[:-1], shape[-1] // 4, 4]
    order = [0, len(shape) - 1, *range(1, len(shape) - 1), len(shape)]
    return array_ops.transpose(array_ops.reshape(input_shape_or_tensor, apart), order) if is_tensor else [apart[i] for i in order]


def NCHW_VECT_CToNHWC(input_shape_or_tensor: Any) -> Any:  # noqa: N802
    """The same backwards."""
    is_tensor = isinstance(input_shape_or_tensor, Tensor)
    shape = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
    if shape[-1] != 4:
        raise ValueError("Last dimension of NCHW_VECT_C must be 4.")
    order = [0, *range(2, len(shape) - 1), 1, len(shape) - 1]
    moved = [shape[i] for i in order]
    together = [*moved[:-2], moved[-2] * 4]
    return array_ops.reshape(array_ops.transpose(input_shape_or_tensor, order), together) if is_tensor else together


class CapturedWrites:
    """What was written to a stream meanwhile."""

    def __init__(self, capture_location: str) -> None:
        self.capture_location = capture_location

    def contents(self) -> str:
        with open(self.capture_location, encoding="utf-8", errors="replace") as file:
            return file.read()


class ErrorLoggingSession(Session):
    """A session whose errors go to the log, too, before a test looks at them."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().run(*args, **kwargs)
        except Exception as e:
            # The end of what is read is no error.
            if not isinstance(e, errors.OutOfRangeError):
                tf_logging.error(str(e))
            raise
