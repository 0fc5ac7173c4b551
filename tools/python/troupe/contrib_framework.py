"""More of tf.contrib.framework: variables of several kinds, values for them, shapes that must hold, marks of what is old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, checkpoint_reader, control_flow_ops, math_ops, ops, stacks
from troupe.array_ops import placeholder
from troupe.contrib_scopes import add_arg_scope
from troupe.conversion import convert_to_tensor
from troupe.ops import GraphKeys
from troupe.tensor_shape import as_shape
from troupe.tf_logging import get_logger
from troupe.weights import alike_ranks

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np

    from troupe.graph import Graph
    from troupe.session import BaseSession
    from troupe.tensor import Operation, Tensor
    from troupe.typing import ShapeLike, TensorLike
    from troupe.variables import Variable


@add_arg_scope
def global_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None) -> Variable:
    """A variable of the collection GLOBAL_VARIABLES that is not trained."""
    from troupe.variables import Variable

    return Variable(initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES], validate_shape=validate_shape, name=name,
                    use_resource=use_resource)


@add_arg_scope
def local_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None) -> Variable:
    """A variable of the collection LOCAL_VARIABLES that is not trained."""
    from troupe.variables import Variable

    return Variable(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=validate_shape, name=name,
                    use_resource=use_resource)


def add_model_variable(var: Variable) -> None:
    """Adds it to MODEL_VARIABLES, where it is not yet."""
    if not any(v is var for v in ops.get_collection(GraphKeys.MODEL_VARIABLES)):
        ops.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def assign_from_values(var_names_to_values: Mapping[str, np.ndarray]) -> tuple[Operation, dict[Tensor, Any]]:
    """(an operation that assigns arrays to variables by their names, what it is fed). ValueError for names of none."""
    assigns, feeds = [], {}
    for name, value in var_names_to_values.items():
        found = [v for v in ops.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.op.name == name]
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        fed = placeholder(found[0].dtype.base_dtype, found[0].shape, name="placeholder/" + name)
        assigns.append(found[0].assign(fed))
        feeds[fed] = value.reshape(found[0].shape.as_list())
    return control_flow_ops.group(*assigns), feeds


def assign_from_values_fn(var_names_to_values: Mapping[str, np.ndarray]) -> Callable[[BaseSession], Any]:
    """The same as a function of a session."""
    assign, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feeds)


def assign_from_checkpoint(model_path: str | os.PathLike[str], var_list: Sequence[Variable] | dict[str, Any],
                           ignore_missing_vars: bool = False) -> tuple[Operation, dict[Tensor, Any]]:
    """(an operation that assigns a checkpoint's values to variables, what it is fed): a list, or {name in the checkpoint: variable}. ValueError for
    names that it has not, unless they are to be ignored, and for other shapes."""
    grouped = dict(var_list) if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
    reader = checkpoint_reader.NewCheckpointReader(model_path)
    assigns, feeds = [], {}
    for name, var in grouped.items():
        if not reader.has_tensor(name):
            if ignore_missing_vars:
                get_logger().warning("Variable %s missing in checkpoint %s", name, model_path)
                continue
            raise ValueError(f"Checkpoint is missing variable [{name}]")
        value = reader.get_tensor(name)
        var = var[0] if isinstance(var, (list, tuple)) and len(var) == 1 else var
        if not var.shape.is_compatible_with(value.shape):
            raise ValueError(f"Total size of new array must be unchanged for {name}: variable has {var.shape}, checkpoint {list(value.shape)}")
        fed = placeholder(var.dtype.base_dtype, var.shape, name=f"checkpoint/{name}")
        assigns.append(var.assign(fed))
        feeds[fed] = value
    return control_flow_ops.group(*assigns), feeds


class VariableDeviceChooser:
    """A device function that goes round the tasks of a job."""

    def __init__(self, num_tasks: int = 0, job_name: str = "ps", device_type: str = "CPU", device_index: int = 0, replica: int | None = None) -> None:
        self._job, self._kind, self._index, self._replica = job_name, device_type, device_index, replica
        self._tasks, self._next = num_tasks, 0

    def __call__(self, op: Any) -> str:
        from troupe.device_spec import DeviceSpec

        task = None
        if self._tasks > 0:
            task, self._next = self._next, (self._next + 1) % self._tasks
        return DeviceSpec(job=self._job if self._tasks > 0 else None, task=task, replica=self._replica, device_type=self._kind,
                          device_index=self._index).to_string()


def assert_scalar_int(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The tensor. ValueError unless it is one integer of 32 or 64 bits."""
    with ops.name_scope(name, "assert_scalar_int", [tensor]):
        tensor = convert_to_tensor(tensor)
        if tensor.dtype.base_dtype.name not in ("int32", "int64"):
            raise ValueError(f"Expected int32 or int64 for tensor {tensor.name}, got {tensor.dtype.name}")
        check_ops.assert_scalar(tensor)
        return tensor


def with_shape(expected_shape: ShapeLike | Tensor, tensor: TensorLike) -> Tensor:
    """The tensor, with that shape; checked when it runs, where it is not known. ValueError where it is known to be another."""
    tensor = convert_to_tensor(tensor)
    if not hasattr(expected_shape, "op"):
        shape = as_shape(expected_shape)
        tensor.shape.assert_is_compatible_with(shape)
        if tensor.shape.is_fully_defined() or not shape.is_fully_defined():
            tensor.set_shape(shape)
            return tensor
        expected: Any = shape.as_list()
    else:
        expected = expected_shape
    same = check_ops.assert_equal(array_ops.shape(tensor), math_ops.cast(expected, "int32"),
                                  message=f"Wrong shape for {tensor.name} [expected] [actual].")
    with stacks.get_default_graph().control_dependencies([same]):
        made = control_flow_ops.identity_of(tensor)
    if not hasattr(expected_shape, "op"):
        made.set_shape(expected_shape)
    return made


def with_same_shape(expected_tensor: TensorLike, tensor: TensorLike) -> Tensor:
    """The tensor, with the shape of another."""
    expected = convert_to_tensor(expected_tensor)
    return with_shape(expected.shape if expected.shape.is_fully_defined() else array_ops.shape(expected), tensor)


def remove_squeezable_dimensions(predictions: TensorLike, labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(predictions, labels) of one rank, where one of them has a last dimension of 1 more."""
    with ops.name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        labels, predictions = alike_ranks(labels, predictions)
        return predictions, labels


def reduce_sum_n(tensors: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The sum of all elements of all tensors. ValueError for none."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with ops.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [math_ops.reduce_sum(t) for t in tensors]
        return math_ops.add_n(sums, name=scope) if len(sums) > 1 else sums[0]


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Graph | None = None) -> Graph:
    """The graph of inputs, or the default one. ValueError where they are of several."""
    found = graph
    for given in op_input_list:
        owner = getattr(given, "graph", None)
        if owner is None:
            continue
        if found is not None and owner is not found:
            raise ValueError(f"{given} must be from the same graph as the others.")
        found = owner
    return found or stacks.get_default_graph()


def get_name_scope() -> str:
    """The name scope that operations are made in."""
    with stacks.get_default_graph().name_scope("get_name_scope_probe") as scope:
        return scope.rstrip("/").rpartition("/")[0]


def zero_initializer(ref: Variable, use_locking: bool = True, name: str = "zero_initializer") -> Operation:
    """The operation that makes all of a variable 0."""
    return ref.assign(array_ops.zeros(ref.shape, ref.dtype.base_dtype), use_locking=use_locking).op
