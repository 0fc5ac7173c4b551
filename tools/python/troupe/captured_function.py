"""Functions that datasets call: a Python function of nests of tensors, whose body may use tensors from outside."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import array_ops, nest, op_call, protos, stacks
from troupe.composite import Composite, parts_of
from troupe.conversion import convert_to_tensor
from troupe.dataset_specs import composite_of, element_of, is_composite, wire, wire_shapes, wire_types
from troupe.graph import Graph
from troupe.resource_variable import ResourceVariable
from troupe.tensor import Tensor
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from troupe.typing import Nest

_numbers = itertools.count()


class FunctionGraph(Graph):
    """The body of a function. A tensor of another graph that an operation of it uses becomes an input of the function."""

    def __init__(self, outer: Graph) -> None:
        super().__init__()
        self.building_function = True
        self.outer_graph = outer
        self.seed = outer.seed
        self.captures: dict[Any, Tensor] = {}

    def _capture(self, value):
        if isinstance(value, Composite) and not isinstance(value, Tensor):
            return type(value)(*map(self.captured, parts_of(value)))
        if is_composite(value):
            return type(value)(self.captured(value.values), self.captured(value.row_splits))
        if isinstance(value, ResourceVariable):
            return op_call.call("ReadVariableOp", None, resource=self._input_for(value.handle), dtype=value.dtype)
        # A reference variable's value is what it is when the iterator begins.
        return self._input_for(value._snapshot if isinstance(value, Variable) else value)

    def _input_for(self, tensor):
        found = self.captures.get(tensor)
        if found is None:
            if isinstance(self.outer_graph, FunctionGraph):
                self.outer_graph.captured(tensor)
            with self.as_default(), self.control_dependencies(None), self.name_scope(None):
                found = array_ops.placeholder(tensor.dtype.base_dtype, tensor.shape)
            self.captures[tensor] = found
        return found


def normalized(structure: Nest, numbers: Iterator[int] | None = None) -> Nest:
    """A nest of tuples and dictionaries with tensors as leaves, or sparse or ragged ones; lists become tensors, named by `numbers`."""
    from troupe.dataset_ops import Dataset

    graph = stacks.get_default_graph()
    if is_composite(structure):
        made = composite_of(structure)
        return graph.captured(made) if graph.building_function else made
    if isinstance(structure, Mapping):
        return type(structure)((k, normalized(v, numbers)) for k, v in structure.items())
    if isinstance(structure, tuple):
        parts = [normalized(p, numbers) for p in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    if isinstance(structure, Dataset):
        return structure
    tensor = convert_to_tensor(structure, name=None if numbers is None else f"component_{next(numbers)}")
    return graph.captured(tensor) if graph.building_function else tensor


class CapturedFunction:
    """A Python function traced with elements of these types and shapes. `result`: what it gave, in its graph; `captures`: the tensors from
    outside that it is to be called with, behind the element's."""

    def __init__(self, function: Callable[..., Any], types: Nest, shapes: Nest, name: str) -> None:
        outer = stacks.get_default_graph()
        graph = self._graph = FunctionGraph(outer)
        with graph.as_default():
            inputs = [array_ops.placeholder(t, s, name="args") for t, s in zip(wire_types(types), wire_shapes(types, shapes))]
            arguments = element_of(types, inputs, shapes)
            unpacked = isinstance(arguments, tuple) and not hasattr(arguments, "_fields")
            self.result = normalized_result(function(*arguments) if unpacked else function(arguments))
            outputs = [wire(t) for t in nest.flatten(self.result)]
        self.captures = list(graph.captures)
        inputs = inputs + list(graph.captures.values())
        self.name = f"{name}_{next(_numbers)}"
        data = graph._native.to_function(self.name, [t._as_tf_output() for t in inputs], [t._as_tf_output() for t in outputs], [])
        self._definition = protos.FunctionDef.FromString(data)
        self._inner = [protos.FunctionDef.FromString(graph._native.function_def(n)) for n in graph._native.function_names()]

    def add_to_graph(self, graph: Graph) -> None:
        """Adds it, and the functions that it calls, to the library of a graph."""
        for definition in [*self._inner, self._definition]:
            if not graph._is_function(definition.signature.name):
                graph._add_function(definition)

    def arguments(self) -> list[Tensor]:
        """The tensors to call it with behind the element's: of the graph that is the default now."""
        graph = stacks.get_default_graph()
        return [graph.captured(t) for t in self.captures] if graph.building_function else list(self.captures)


def normalized_result(result: Nest) -> Nest:
    """What a function gave: a list stands for a tuple."""
    return normalized(tuple(result) if isinstance(result, list) else result)
