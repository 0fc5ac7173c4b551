"""Functions as operations: what a Python function makes in a graph of its own becomes an op of the graphs that call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, op_call, protos, stacks
from troupe.conversion import convert_to_tensor
from troupe.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Defun:
    """Decorates a Python function of tensors of these types; a call makes one operation, and adds the function to the graph."""

    _made = 0

    def __init__(self, *input_types: Any, func_name: str | None = None, out_names: Sequence[Any] | None = None, **unused: Any) -> None:
        self._input_types = [dtypes.as_dtype(t) for t in input_types]
        self._name, self._out_names = func_name, out_names

    def __call__(self, function):
        return _Function(function, self._input_types, self._name, self._out_names)


class _Function:
    """A function with a body; its definition is made when it is first needed."""

    def __init__(self, function, input_types, name, out_names):
        self._python_function, self._input_types, self._out_names = function, input_types, out_names
        if name is None:
            Defun._made += 1
            name = f"{function.__name__}_{Defun._made}"
        self.name = name
        self._definition = None

    @property
    def definition(self):
        """Its FunctionDef."""
        if self._definition is None:
            self._definition = self._trace()
        return self._definition

    def _trace(self):
        graph = Graph()
        graph.building_function = True
        with graph.as_default():
            names = self._python_function.__code__.co_varnames
            inputs = [array_ops.placeholder(t, name=n) for t, n in zip(self._input_types, names)]
            given = self._python_function(*inputs)
            outputs = [] if given is None else [convert_to_tensor(t) for t in (given if isinstance(given, (list, tuple)) else [given])]
        data = graph._native.to_function(self.name, [t._as_tf_output() for t in inputs], [t._as_tf_output() for t in outputs],
                                         self._out_names or [])
        self._functions = [protos.FunctionDef.FromString(graph._native.function_def(n)) for n in graph._native.function_names()]
        return protos.FunctionDef.FromString(data)

    def add_to_graph(self, graph):
        if graph._is_function(self.name):
            return
        definition = self.definition
        for inner in self._functions:
            if not graph._is_function(inner.signature.name):
                graph._add_function(inner)
        graph._add_function(definition)

    def __call__(self, *args, name=None):
        graph = stacks.get_default_graph()
        self.add_to_graph(graph)
        op_def = graph._op_def(self.name)
        if len(args) != len(op_def.inputs):
            raise ValueError(f"Expected {len(op_def.inputs)} arguments, got {len(args)}: {args}")
        op = op_call.make_operation(self.name, name, {a[0]: v for a, v in zip(op_def.inputs, args)})
        return op_call.outputs_of(op, op_def)
