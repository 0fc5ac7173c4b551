"""Modules of TensorFlow 1 that programs import by their path: `from tensorflow.contrib import slim`, `from tensorflow.python.framework import ops`.
The names are those of this package; the modules are made when they are first imported."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import sys
import types
from typing import TYPE_CHECKING

from troupe.import_paths_later import LATER
from troupe.import_paths_modules import MODULES, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Path below the package: where its names are looked up, in this order, before `tf` itself. "." stands for a path of `tf`.
_OLDER = {
    "core.example": "", "core.framework": "", "core.protobuf": "", "core.util": "",
    "examples.tutorials.mnist.input_data": "mnist_data",
    "contrib.learn.datasets": "mnist_data",
    "contrib.learn.datasets.base": "mnist_data",
    "contrib.learn.datasets.mnist": "mnist_data",
    "contrib.learn.python.learn.datasets": "mnist_data",
    "contrib.learn.python.learn.datasets.base": "mnist_data",
    "contrib.learn.python.learn.datasets.mnist": "mnist_data",
    "contrib.eager.python": ".contrib.eager", "contrib.eager.python.tfe": ".contrib.eager",
    "contrib.framework.python.framework": ".contrib.framework",
    "contrib.framework.python.ops": ".contrib.framework",
    "contrib.framework.python.ops.arg_scope": ".contrib.framework",
    "contrib.framework.python.ops.variables": ".contrib.framework",
    "contrib.image.python.ops.image_ops": ".contrib.image",
    "contrib.layers.python.layers": ".contrib.layers",
    "contrib.layers.python.layers.initializers": ".contrib.layers",
    "contrib.layers.python.layers.layers": ".contrib.layers",
    "contrib.layers.python.layers.optimizers": ".contrib.layers",
    "contrib.layers.python.layers.regularizers": ".contrib.layers",
    "contrib.layers.python.layers.summaries": ".contrib.layers",
    "contrib.layers.python.layers.utils": ".contrib.layers.utils",
    "contrib.losses.python.losses.loss_ops": ".contrib.losses",
    "contrib.metrics.python.ops.metric_ops": ".contrib.metrics",
    "contrib.opt.python.training": ".contrib.opt",
    "contrib.opt.python.training.external_optimizer": ".contrib.opt",
    "contrib.slim.python.slim": ".contrib.slim",
    "contrib.slim.python.slim.evaluation": ".contrib.slim.evaluation",
    "contrib.slim.python.slim.learning": ".contrib.slim.learning",
    "contrib.slim.python.slim.queues": "contrib_slim_data",
    "contrib.slim.python.slim.data": "contrib_slim_data",
    "contrib.slim.python.slim.data.data_decoder": "contrib_slim_data",
    "contrib.slim.python.slim.data.dataset": "contrib_slim_data",
    "contrib.slim.python.slim.data.dataset_data_provider": "contrib_slim_data",
    "contrib.slim.python.slim.data.tfexample_decoder": "contrib_slim_data",
    "contrib.training.python.training.training": ".contrib.training",
    "python.client.device_lib": "device_lib",
    "python.client.session": "session fetches",
    "python.client.timeline": "timeline",
    "python.framework.common_shapes": "tensor_shape array_ops",
    "python.framework.constant_op": "constant_op",
    "python.framework.device": "device_spec",
    "python.framework.dtypes": "dtypes",
    "python.framework.errors": "errors",
    "python.framework.errors_impl": "errors",
    "python.framework.function": "function",
    "python.framework.graph_util": "graph_util",
    "python.framework.graph_util_impl": "graph_util",
    "python.framework.importer": "importer",
    "python.framework.meta_graph": "meta_graph_parts meta_graph",
    "python.framework.ops": "ops stacks tensor graph conversion composite gradient_rules op_statistics framework_names inner_names session",
    "python.framework.random_seed": "ops",
    "python.framework.smart_cond": "layer",
    "python.framework.sparse_tensor": "composite",
    "python.framework.tensor_shape": "tensor_shape",
    "python.framework.tensor_util": "tensor_util",
    "python.framework.versions": "versions",
    "python.layers": "layers layer",
    "python.layers.base": "layer layer_inputs layers",
    "python.layers.convolutional": "layers layers_conv second_names",
    "python.layers.core": "layers layers_core",
    "python.layers.layers": "layers",
    "python.layers.normalization": "layers layers_norm",
    "python.layers.pooling": "layers layers_pool",
    "python.layers.utils": "layer layers_conv",
    "python.lib.io": "file_io",
    "python.lib.io.file_io": "file_io",
    "python.lib.io.python_io": "python_io",
    "python.lib.io.tf_record": "record_io",
    "python.ops.array_ops": "array_ops gather_ops sort_ops special_math_ops quantize_ops",
    "python.ops.check_ops": "check_ops",
    "python.ops.clip_ops": "tensor_algebra special_math_ops",
    "python.ops.control_flow_ops": "control_flow_ops case_ops",
    "python.ops.ctc_ops": "nn",
    "python.ops.custom_gradient": "custom_gradients",
    "python.ops.data_flow_ops": "queues tensor_array_ops sort_ops accumulators staging",
    "python.ops.distributions": "distributions",
    "python.ops.embedding_ops": "nn_embedding",
    "python.ops.functional_ops": "functional_ops",
    "python.ops.gradients": "gradients", "python.ops.gradients_impl": "gradients",
    "python.ops.image_ops": ".image", "python.ops.image_ops_impl": ".image",
    "python.ops.init_ops": "initializers",
    "python.ops.io_ops": "string_ops readers saver",
    "python.ops.linalg_ops": "linalg_ops linalg_factors", "python.ops.linalg": ".linalg",
    "python.ops.linalg.linear_operator_addition": "linear_operator_util", "python.ops.linalg.linear_operator_util": "linear_operator_util",
    "python.ops.logging_ops": "logging_ops tensor_algebra",
    "python.ops.lookup_ops": "lookup contrib_lookup second_names",
    "python.ops.losses.losses": "losses", "python.ops.losses.losses_impl": "losses", "python.ops.losses.util": "losses",
    "python.ops.math_ops": "math_ops reductions special_math_ops second_names",
    "python.ops.metrics": "metrics", "python.ops.metrics_impl": "metrics metrics_base inner_names",
    "python.ops.parallel_for": "jacobians functional_ops more_ops", "python.ops.parallel_for.gradients": "jacobians",
    "python.ops.nn": "nn", "python.ops.nn_impl": "nn", "python.ops.nn_ops": "nn nn_conv nn_pool nn_backprop", "python.ops.standard_ops": "",
    "python.ops.parsing_ops": "parsing_ops string_ops",
    "python.ops.partitioned_variables": "partitioned_variables",
    "python.ops.random_ops": "random_ops special_math_ops",
    "python.ops.resource_variable_ops": "resource_variable",
    "python.ops.rnn": "rnn .contrib.rnn.python.ops.rnn", "python.ops.rnn_cell": "rnn_cell", "python.ops.rnn_cell_impl": "rnn_cell rnn_base rnn_wrappers",
    "python.ops.script_ops": "script_ops",
    "python.ops.sparse_ops": "sparse_ops sparse_shapes",
    "python.ops.spectral_ops": "spectral_ops",
    "python.ops.special_math_ops": "special_math_ops contractions",
    "python.ops.state_ops": "state_ops variables",
    "python.ops.string_ops": "string_ops",
    "python.ops.summary_ops": "summary",
    "python.ops.template": "toggles",
    "python.ops.tensor_array_ops": "tensor_array_ops",
    "python.ops.variable_scope": "variable_scope second_names", "python.ops.variables": "variables partitioned_variables",
    "python.ops.seq2seq": "seq2seq",
    "python.platform": "", "python.platform.app": ".app", "python.platform.flags": ".flags", "python.platform.gfile": ".gfile",
    "python.platform.googletest": "test", "python.platform.resource_loader": ".resource_loader", "python.platform.test": "test",
    "python.platform.tf_logging": ".logging",
    "python.saved_model": ".saved_model", "python.saved_model.builder": ".saved_model.builder", "python.saved_model.loader": ".saved_model.loader",
    "python.saved_model.main_op": ".saved_model.main_op",
    "python.saved_model.signature_constants": ".saved_model.signature_constants",
    "python.saved_model.signature_def_utils": ".saved_model.signature_def_utils",
    "python.saved_model.simple_save": ".saved_model", "python.saved_model.tag_constants": ".saved_model.tag_constants",
    "python.saved_model.utils": ".saved_model.utils",
    "python.summary.summary": "summary", "python.summary.summary_iterator": "event_writer", "python.summary.writer.writer": "event_writer summary",
    "python.tools.freeze_graph": "model_tools", "python.tools.inspect_checkpoint": "model_tools",
    "python.tools.optimize_for_inference_lib": "model_tools",
    "python.training": "train", "python.training.training": "train",
    "python.training.basic_session_run_hooks": "hooks", "python.training.session_run_hook": "session_run_hook",
    "python.training.checkpoint_management": "checkpoint_state", "python.training.checkpoint_utils": "checkpoint_reader checkpoint_init",
    "python.training.coordinator": "coordinator", "python.training.input": "input_pipeline",
    "python.training.learning_rate_decay": "learning_rates", "python.training.monitored_session": "monitored_session",
    "python.training.moving_averages": "moving_averages", "python.training.optimizer": "optimizer",
    "python.training.queue_runner": "queue_runner", "python.training.queue_runner_impl": "queue_runner",
    "python.training.saver": "saver checkpoint_state meta_graph", "python.training.session_manager": "session_manager",
    "python.training.slot_creator": "slot_creator", "python.training.summary_io": "event_writer summary",
    "python.training.supervisor": "supervisor", "python.training.training_util": "training_util",
    "python.pywrap_tensorflow": "pywrap checkpoint_reader event_writer", "python._pywrap_events_writer": "event_writer",
    "python.util.compat": ".compat", "python.util.nest": "contrib_nest nest", "python.util.deprecation": "deprecations",
    "python.pywrap_tensorflow_internal": "pywrap checkpoint_reader event_writer",
}
_OLDER.update({f"python.training.{name}": "optimizers" for name in (
    "adadelta", "adagrad", "adagrad_da", "adam", "ftrl", "gradient_descent", "momentum", "proximal_adagrad", "proximal_gradient_descent", "rmsprop")})
_OLDER.update(LATER)
_OLDER.update(MODULES)
for _path in SECOND:
    _OLDER[_path] += " second_names_later"
# Of the generated ones each function is an op, with its inputs and attrs in their order.
_GENERATED = "python.ops.gen_"
# Beside these, a message's file: core.framework.graph_pb2.
_MESSAGES = "_pb2"


class OlderModule(types.ModuleType):
    """A module under its path in TensorFlow 1: names are looked up in modules of this package, then in `tf`."""

    def __init__(self, path: str, find: Callable[[str], Any]) -> None:
        super().__init__(f"troupe.{path}", f"Names of TensorFlow 1's {path}.")
        self.__path__: list[str] = []
        self._find = find

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        path = f"{self.__name__.partition('.')[2]}.{name}"
        if _is_older(path):
            return importlib.import_module(f"troupe.{path}")
        try:
            return self.__dict__["_find"](name)
        except AttributeError:
            pass
        # Modules of others have those that they import themselves: python.ops.rnn has rnn_cell_impl.
        for folder in (path.rpartition(".")[0].rpartition(".")[0], "python.ops", "python.framework"):
            if path.startswith("python.") and f"{folder}.{name}" in _OLDER:
                return importlib.import_module(f"troupe.{folder}.{name}")
        raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")


def _is_older(path):
    return (path in _OLDER or path.startswith(_GENERATED) and path.count(".") == 2 or path.startswith("core.") and path.endswith(_MESSAGES)
            or any(p.startswith(path + ".") for p in _OLDER))


def attribute(path: str) -> Any:
    """What `tf.path` is. AttributeError where it is nothing."""
    return functools.reduce(getattr, filter(None, path.split(".")), importlib.import_module("troupe"))


def _finder(places, generated=False):
    def find(name):
        for place in places:
            module = attribute(place[1:]) if place.startswith(".") else importlib.import_module(f"troupe.{place}")
            if hasattr(module, name):
                return getattr(module, name)
        try:
            return attribute(name)
        except AttributeError:
            if not generated:
                raise
            return _generated(name)

    return find


def _message(name):
    from troupe import protos

    try:
        return getattr(protos, name)
    except AttributeError:
        pass
    from troupe import dtypes

    # types_pb2.DT_FLOAT and the like.
    if name.startswith("DT_"):
        return dtypes.as_dtype(name[3:].lower()).as_datatype_enum
    raise AttributeError(name)


def _generated(name):
    """The op of a name in small letters: "_relu_grad" is ReluGrad."""
    from troupe import _native, graph, raw_ops

    plain = name.lstrip("_").replace("_", "").lower()
    op_name = min((n for n in _native.op_names() if n.lower() == plain), default=None)
    if op_name is None:
        raise AttributeError(name)
    op_def = graph.OpDef(_native.op_def(op_name))
    attrs = [a for a in op_def.attrs if a[0] not in op_def.input_attrs]
    # Attrs without defaults come first.
    order = [*(a[0] for a in op_def.inputs), *(a[0] for a in attrs if a[2] is None), *(a[0] for a in attrs if a[2] is not None)]
    made = getattr(raw_ops, op_name)

    def function(*args, name=None, **kwargs):
        if len(args) > len(order):
            name, args = args[len(order)], args[:len(order)]
        return made(**dict(zip(order, args)), **kwargs, name=name)

    function.__name__, function.__doc__ = name, made.__doc__
    return function


def _module(path):
    """The module of a path, or None: a namespace of `tf`, or an older one."""
    if path.startswith(_GENERATED):
        return OlderModule(path, _generated)
    if path.startswith("core."):
        return OlderModule(path, _message) if _is_older(path) else None
    if path in _OLDER:
        # TensorFlow's modules of functions have the generated ones, too.
        return OlderModule(path, _finder(_OLDER[path].split(), generated=path.startswith("python.") and path.endswith("_ops")))
    if path == "compat.v2" or path.startswith("compat.v2."):
        found = attribute(path)
        return found if isinstance(found, types.ModuleType) else None
    from troupe import exports

    if exports.is_namespace(path):
        return attribute(path)
    return OlderModule(path, _finder([])) if _is_older(path) else None


class _Importer:
    """Finds what is no file of the package."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None) -> Any:
        package, _, below = fullname.partition(".")
        if package != "troupe" or not below:
            return None
        module = _module(below)
        return None if module is None else importlib.machinery.ModuleSpec(fullname, _Made(module), is_package=True)


class _Made:
    """Loads what is there already."""

    def __init__(self, module):
        self._module = module

    def create_module(self, spec: Any) -> types.ModuleType:
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: its names are looked up."""


def install() -> None:
    """Lets imports find them, after what is a file."""
    if not any(isinstance(f, _Importer) for f in sys.meta_path):
        sys.meta_path.append(_Importer())
