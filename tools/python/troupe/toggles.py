"""What programs switch on and off at their beginning, templates of scopes, and old names of functions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from troupe import ops, stacks
from troupe import variables as _variables
from troupe.variable_scope import variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NoReturn

    from troupe.tensor import Operation
    from troupe.typing import CustomGetter, Message
    from troupe.variable_scope import VariableScope


def _nothing():
    """Nothing: it is so always here."""


disable_control_flow_v2 = disable_tensor_equality = disable_v2_tensorshape = _nothing
# In graphs tensors and variables are compared by identity all the same.
enable_tensor_equality = _nothing


def enable_resource_variables() -> None:
    """From now on variables are resource variables, unless they say use_resource=False."""
    _variables.Variable._resources = True


def disable_resource_variables() -> None:
    _variables.Variable._resources = False


def resource_variables_enabled() -> bool:
    return _variables.Variable._resources


def control_flow_v2_enabled() -> bool:
    return False


def executing_eagerly_outside_functions() -> bool:
    return False


def enable_eager_execution(config: Message | None = None, device_policy: Any = None, execution_mode: Any = None) -> NoReturn:
    """NotImplementedError: graphs are all that there is."""
    raise NotImplementedError("There is no eager execution")


enable_v2_behavior = enable_control_flow_v2 = enable_eager_execution


def initialize_variables(var_list: Sequence[_variables.Variable], name: str = "init") -> Operation:
    return _variables.variables_initializer(var_list, name)


def initialize_local_variables() -> Operation:
    return _variables.local_variables_initializer()


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value that a tensor has in every run, as an array, or None; what is no tensor is its own value. With `partial`, of what is packed of
    several tensors those that are known, and None for others."""
    from troupe.tensor import Tensor
    from troupe.tensor_util import constant_value, is_tensor

    if not isinstance(tensor, Tensor):
        return None if is_tensor(tensor) else tensor
    value = constant_value(tensor)
    if value is None and partial and tensor.op.type == "Pack" and tensor.op.get_attr("axis") == 0:
        return np.array([constant_value(t) for t in tensor.op.inputs], dtype=object)
    return value


def op_scope(values: Iterable[Any] | None, name: str | None, default_name: str | None = None) -> ops.name_scope:
    """An old order of name_scope's arguments."""
    return ops.name_scope(name, default_name, values)


class Template:
    """A function whose variables are made in its first call and used again in all others; see make_template."""

    _scope: VariableScope | None

    def __init__(self, name: str, function: Callable[..., Any], create_now: bool, unique_name: str | None,
                 custom_getter: CustomGetter | None) -> None:
        self._name, self._unique_name, self._function, self._getter = name, unique_name, function, custom_getter
        self._called, self._scope = False, None
        if create_now:
            self._open()

    def _open(self):
        with variable_scope(self._unique_name, self._name, custom_getter=self._getter) as scope:
            self._scope = scope

    def __call__(self, *args, **kwargs):
        if self._scope is None:
            with variable_scope(self._unique_name, self._name, custom_getter=self._getter) as scope:
                self._scope = scope
                return self._call(args, kwargs)
        with variable_scope(self._scope, reuse=self._called):
            return self._call(args, kwargs)

    def _call(self, args, kwargs):
        graph = stacks.get_default_graph()
        before = len(graph.get_collection_ref(ops.GraphKeys.TRAINABLE_VARIABLES))
        result = self._function(*args, **kwargs)
        if self._called and len(graph.get_collection_ref(ops.GraphKeys.TRAINABLE_VARIABLES)) != before:
            raise ValueError(f"New variable created when calling a template after the first time, perhaps you used tf.Variable when you "
                             f"meant tf.get_variable: {graph.get_collection_ref(ops.GraphKeys.TRAINABLE_VARIABLES)[before:]}")
        self._called = True
        return result

    @property
    def variable_scope(self) -> VariableScope | None:
        return self._scope

    @property
    def name(self) -> str:
        return self._name

    @property
    def variables(self) -> list[_variables.Variable]:
        """Its variables, the ones of scopes inside, too."""
        return stacks.get_default_graph().get_collection(ops.GraphKeys.GLOBAL_VARIABLES, self._scope.name + "/") if self._scope else []

    @property
    def trainable_variables(self) -> list[_variables.Variable]:
        return stacks.get_default_graph().get_collection(ops.GraphKeys.TRAINABLE_VARIABLES, self._scope.name + "/") if self._scope else []


def make_template(name_: str, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: str | None = None,
                  custom_getter_: CustomGetter | None = None, **kwargs: Any) -> Template:
    """A function that shares its variables between its calls: those that func_(**kwargs, ...) gets with tf.get_variable are made in the first
    call. ValueError when a later one makes others."""
    return Template(name_, functools.partial(func_, **kwargs) if kwargs else func_, create_scope_now_, unique_name_,  # type: ignore[arg-type]
                    custom_getter_)
