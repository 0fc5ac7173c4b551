"""Decorators and helpers of `tensorflow.python.framework.test_util`. All is in graphs here: tests for both modes run in one."""

from __future__ import annotations

import functools
import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import array_ops, stacks, test_combinations
from troupe.graph import Graph
from troupe.test_case import TestCase
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from troupe.typing import Message

    Test = Callable[..., Any]

TensorFlowTestCase = TestCase


def _in_graph(function):
    """The test in a new graph."""
    @functools.wraps(function)
    def test(*args, **kwargs):
        with Graph().as_default():
            return function(*args, **kwargs)

    return test


def run_deprecated_v1(func: Any = None) -> Any:
    """Decorates a test, or a class: it runs as it is."""
    return (lambda f: f) if func is None else func


deprecated_graph_mode_only = run_all_in_deprecated_graph_mode_only = run_deprecated_v1
run_all_without_tensor_float_32 = run_without_tensor_float_32 = disable_xla = run_v1_only = lambda description: lambda f: f
no_xla_auto_jit = xla_allow_fallback = disable_asan = disable_msan = disable_tsan = disable_ubsan = disable_tfrt = disable_mlir_bridge = \
    run_all_without_tensor_float_32
disable_eager_op_as_function = run_all_without_tensor_float_32
also_run_as_tf_function = run_class_in_v1_v2 = py_func_if_in_function = disable_control_flow_v2 = run_deprecated_v1
build_as_function_and_v1_graph = _in_graph


def run_in_graph_and_eager_modes(func: Any = None, config: Message | None = None, use_gpu: bool = True,
                                 assert_no_eager_garbage: bool = False) -> Any:
    """Decorates a test: it runs with a session around it. ValueError for a class."""
    def decorated(f):
        if isinstance(f, type):
            raise ValueError("`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use `run_all_in_graph_and_eager_modes`?")

        @functools.wraps(f)
        def test(self, *args, **kwargs):
            with self.test_session(use_gpu=use_gpu, config=config):
                f(self, *args, **kwargs)

        return test

    return decorated if func is None else decorated(func)


def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """Decorates a class: each of its tests is decorated."""
    def decorated(cls):
        for name, value in list(vars(cls).items()):
            if callable(value) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorated


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """run_in_graph_and_eager_modes for all tests of a class."""
    return for_all_test_methods(run_in_graph_and_eager_modes)(cls)


def skip_if(condition: Any) -> Callable[[Test], Test]:
    """Decorates a test, which is not run where `condition`, a value or a function, is true."""
    def decorated(f):
        @functools.wraps(f)
        def test(self, *args, **kwargs):
            if condition() if callable(condition) else condition:
                self.skipTest("The condition of skip_if is true.")
            return f(self, *args, **kwargs)

        return test

    return decorated


@contextmanager
def skip_if_error(test_obj: TestCase, error_type: type[BaseException], messages: str | list[str] | None = None) -> Iterator[None]:
    """An error of this type, and with one of these texts, skips the test."""
    texts = [messages] if isinstance(messages, str) else messages
    try:
        yield
    except error_type as e:
        if texts and not any(text in str(e) for text in texts):
            raise
        test_obj.skipTest(f"Skipping error: {type(e)}: {e}")


def _needs_gpu(description):
    def decorated(f):
        from troupe.test import is_gpu_available

        return skip_if(lambda: not is_gpu_available())(f)

    return decorated(description) if callable(description) else decorated


run_gpu_only = run_cuda_only = run_gpu_or_tpu = _needs_gpu


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Decorates a test that TensorFlow 1 does not run: it is skipped."""
    decorated = skip_if(True)
    return decorated if func is None or isinstance(func, str) else decorated(func)


# Devices.

@contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """What is made in the block goes to the first GPU, or to the first CPU."""
    from troupe.test import is_gpu_available

    with stacks.get_default_graph().device("/device:GPU:0" if use_gpu and is_gpu_available() else "/device:CPU:0"):
        yield


def use_gpu() -> Any:
    return device(True)


force_gpu = use_gpu


def force_cpu() -> Any:
    return device(False)


def IsMklEnabled() -> bool:  # noqa: N802
    return False


def is_xla_enabled() -> bool:
    return False


is_mlir_bridge_enabled = is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = is_xla_enabled
IsBuiltWithROCm = IsBuiltWithXLA = IsBuiltWithNvcc = IsGoogleCudaEnabled = is_xla_enabled


# Graphs.

def assert_ops_in_graph(expected_ops: Mapping[str, str], graph: Graph) -> dict[str, Any]:
    """The nodes of these names. ValueError where one is not there or is another op."""
    found = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, node in found.items():
        if expected_ops[name] != node.op:
            raise ValueError(f"Expected op for node {name} is different. {expected_ops[name]} vs {node.op}")
    if found.keys() != set(expected_ops):
        raise ValueError(f"Not all expected ops are present. Expected {expected_ops.keys()}, found {found.keys()}")
    return found


def assert_meta_graph_protos_equal(tester: TestCase, a: Any, b: Any) -> None:
    """Their graphs, whose nodes may be in another order, and all else."""
    from troupe.test import assert_equal_graph_def

    assert_equal_graph_def(a.graph_def, b.graph_def)
    rest = [type(m).FromString(m.SerializeToString()) for m in (a, b)]
    for m in rest:
        m.ClearField("graph_def")
    tester.assertProtoEquals(*rest)


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """The node, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def set_producer_version(graph: Graph, producer_version: int) -> None:
    """The graph is as if it were made with this version of TensorFlow."""
    from troupe import importer, protos

    definition = protos.GraphDef()
    definition.versions.producer = producer_version
    with graph.as_default():
        importer.import_graph_def(definition)


def _permuted(value, order):
    """The dimensions of a tensor, or of the list of its shape, in this order."""
    return array_ops.transpose(value, order) if isinstance(value, Tensor) else [value[i] for i in order]


def NHWCToNCHW(input_tensor: Any) -> Any:  # noqa: N802
    """Channels before places. Of tensors and shapes of 3 to 5 dimensions."""
    rank = input_tensor.shape.ndims if isinstance(input_tensor, Tensor) else len(input_tensor)
    return _permuted(input_tensor, [0, rank - 1, *range(1, rank - 1)])


def NCHWToNHWC(input_tensor: Any) -> Any:  # noqa: N802
    """Channels behind places."""
    rank = input_tensor.shape.ndims if isinstance(input_tensor, Tensor) else len(input_tensor)
    return _permuted(input_tensor, [0, *range(2, rank), 1])


def generate_combinations_with_testcase_name(**kwargs: Iterable[Any]) -> list[dict[str, Any]]:
    """Parameters of all combinations, each with a name: for absl's `parameterized`."""
    made = []
    for values in itertools.product(*kwargs.values()):
        named = dict(zip(kwargs, values))
        made.append({**named, "testcase_name": test_combinations.case_name(named.items())})
    return made
