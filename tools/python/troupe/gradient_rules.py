"""Rules for derivatives that are Python functions. The native library knows no Python: the graph is cut where such rules are, it
differentiates the pieces, and the rules are called in between."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import _native, op_call, protos
from troupe.composite import IndexedSlices
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.tensor import Operation
    from troupe.typing import Nest, TensorLike

_MARK = "_gradient_op_type"
# Of the process, by name; those names that are ops.
_rules = {}
_ruled_ops = set()
# Those of the native library that are the same for each op that they are put on.
_COMMON = {"Identity": lambda op, *derivatives: derivatives, "StopGradient": lambda op, *derivatives: [None] * len(op.inputs)}


class RegisterGradient:
    """`@tf.RegisterGradient("Name")` before a function of an operation and of the derivatives by each of its outputs, which gives those by each of
    its inputs: tensors, IndexedSlices or None. It is the rule of the op of that name, in place of the native library's, and of operations made
    inside `gradient_override_map({type: "Name"})`. KeyError for a name that has one, TypeError for what is no name."""

    __slots__ = ("_op_type",)

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function):
        _register(self._op_type, function)
        return function


def NotDifferentiable(op_type: str) -> None:  # noqa: N802, TensorFlow's name
    """Says that nothing flows back through operations of this type. KeyError and TypeError as RegisterGradient."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


NoGradient = no_gradient = NotDifferentiable


def _register(name, rule):
    if name in _rules or name in _COMMON:
        raise KeyError(f"Registering two gradient with name '{name}'!")
    _rules[name] = rule
    if _native.op_def(name) is not None:
        _ruled_ops.add(name)


def add_to_graph(graph: Graph, name: str, rule: Callable[..., Any]) -> None:
    """A rule for operations of one graph that are marked with this name; it ends with the graph."""
    graph.__dict__.setdefault("_gradient_rules", {})[name] = rule


def _comes_in(op):
    """Whether a value comes through it from outside into the branch or loop that operations are made in."""
    context = op._control_flow_context
    return context is not None and op in context.entrances and context.encloses(op.graph._get_control_flow_context())


def _rule_name(op):
    data = op.graph._native.attr(op._id, _MARK)
    if data is not None:
        return protos.AttrValue.FromString(data).s.decode()
    return op.type if _ruled_ops and op.type in _ruled_ops else None


def _rule_of(op):
    """LookupError for a name without a rule in Python."""
    name = _rule_name(op)
    for rules in (op.graph.__dict__.get("_gradient_rules", {}), _rules, _COMMON):
        if name in rules:
            return rules[name]
    raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type}): there is no `@tf.RegisterGradient({name!r})`, and "
                      "rules of the native library serve their own ops alone.")


class _Between:
    """The operations that `ys` depend on, and which of them depend on `xs`. Nothing is looked for behind `stops`."""

    def __init__(self, ys, xs, stops):
        self._xs, self._stops = set(xs), set(stops)
        self.operations = self._in_order([y.op for y in ys])
        self._dependent = set()
        found = -1
        # Once more where a loop leads back.
        while found != len(self._dependent):
            found = len(self._dependent)
            self._dependent.update(op for op in self.operations if op not in self._dependent and any(map(self._depends, op.inputs)))

    def _depends(self, tensor):
        return tensor in self._xs or tensor not in self._stops and tensor.op in self._dependent

    def _in_order(self, last):
        """Each behind those that it takes from."""
        order, seen = [], set()
        waiting = [(op, False) for op in last]
        while waiting:
            op, done = waiting.pop()
            if done:
                order.append(op)
            elif op not in seen:
                seen.add(op)
                waiting.append((op, True))
                waiting.extend((t.op, False) for t in op.inputs if t.op not in seen)
        return order

    def ruled(self):
        """Those with rules in Python that derivatives by `xs` go through, in order. ValueError for one inside a loop."""
        found = [op for op in self.operations if op in self._dependent and (_comes_in(op) or _rule_name(op) is not None)]
        for op in found:
            if not _comes_in(op) and op._control_flow_context is not None and op._control_flow_context.while_context() is not None:
                raise ValueError(f"Operation '{op.name}' (op type: {op.type}) is inside a loop, where rules in Python are not called.")
        return found


def ruled_operations(ys: Nest, xs: Nest, stops: Any) -> list[Operation]:
    """The operations between that have rules in Python, each behind those that it depends on."""
    graph = ys[0].graph if ys else None
    if graph is None or not _ruled_ops and graph._get_control_flow_context() is None and not _has_marks(graph):
        return []
    return _Between(ys, xs, stops).ruled()


def _has_marks(graph):
    """Whether an operation of it was made, or imported, with an override."""
    seen, found = graph.__dict__.get("_marks_seen", (0, False))
    if not found:
        operations = graph._operations[seen:]
        found = any(graph._native.attr(op._id, _MARK) is not None for op in operations)
        graph._marks_seen = seen + len(operations), found
    return found


@contextmanager
def waiting_for_nothing(graph: Graph) -> Iterator[None]:
    """Operations wait for none that they are told to wait for, but stay in the branch or loop that is being made."""
    context = graph._get_control_flow_context()
    with graph.control_dependencies(None):
        graph._set_control_flow_context(context)
        yield


@contextmanager
def cut(beyond: Any) -> Iterator[None]:
    """While it lasts, all that uses a tensor of `beyond` uses its stand-in; what is made meanwhile uses the tensor in the end, so that it has
    derivatives of its own."""
    for tensor, stand_in in beyond.items():
        _move_users(tensor, stand_in)
    try:
        yield
    finally:
        for tensor, stand_in in beyond.items():
            _move_users(stand_in, tensor)


def _move_users(tensor, other):
    for op in set(tensor.consumers()):
        if op is not other.op:
            for index, t in enumerate(op.inputs):
                if t is tensor:
                    op._update_input(index, other)


def stand_ins(graph: Graph, tensors: Sequence[TensorLike]) -> Any:
    """Tensors of the same values that have no derivative: {tensor: stand-in}."""
    context = graph._get_control_flow_context()
    # Not even for a turn of a loop to begin, whose condition may use them.
    with graph.as_default(), graph.control_dependencies(None):
        made = {t: op_call.call("StopGradient", None, input=t) for t in tensors}
    for t, stand_in in made.items():
        if context is not None and context.contains(t.op):
            context._adopt(stand_in.op)
    return made


class RuledGradients:
    """The derivatives of `ys` by `xs` piece by piece. `native(prefix, ys, xs, weights)` differentiates a piece."""

    def __init__(self, graph: Graph, prefix: str, ruled: Any, stops: Any, native: Any) -> None:
        self._graph, self._prefix, self._ruled, self._native = graph, prefix, ruled, native
        self._stops = set(stops)
        outputs = [t for op in ruled for t in op.outputs if not t.dtype._is_ref_dtype]
        self._beyond = stand_ins(graph, dict.fromkeys([*stops, *outputs]))
        self._targets = []
        # By tensor, what flows back to it.
        self._parts = {}

    def compute(self, ys: Nest, xs: Nest, weights: TensorLike | None) -> list[Any]:
        self._targets = list(dict.fromkeys([*xs, *(t for op in self._ruled for t in op.outputs if t not in self._stops)]))
        self._flow(self._prefix, ys, weights)
        for op in reversed(self._ruled):
            self._through(op)
        return [self._sum(x) for x in xs]

    def _flow(self, prefix, ys, weights):
        """Adds what flows back from `ys`, as far as the next rules."""
        beyond = self._beyond
        with cut(beyond):
            found = self._native(prefix, [beyond.get(y, y) for y in ys], [beyond.get(t, t) for t in self._targets], weights)
        for t, d in zip(self._targets, found):
            if d is not None:
                self._parts.setdefault(t, []).append(d)

    def _through(self, op):
        outputs = [None if t in self._stops else self._sum(t) for t in op.outputs]
        inputs = op.inputs
        if _comes_in(op):
            # The rule of a Switch or Enter is for those outside.
            made = [*(d for d in outputs if d is not None), *[None] * len(inputs)][:len(inputs)]
        else:
            rule = _rule_of(op)
            if rule is None or all(d is None for d in outputs):
                return
            made = self._call(rule, op, outputs)
        if len(made) != len(inputs):
            raise ValueError(f"Num gradients {len(made)} generated for op {op.node_def} do not match num inputs {len(inputs)}")
        pairs = [(t, d) for t, d in zip(inputs, made) if d is not None]
        # Of a resource it is the derivative by what it holds.
        for t, d in pairs:
            if t in self._targets and t.op.type == "VarHandleOp":
                self._parts.setdefault(t, []).append(d)
        pairs = [(t, _checked(op, i, t, d)) for i, (t, d) in enumerate(zip(inputs, made)) if d is not None and t.op.type != "VarHandleOp"]
        if pairs:
            self._flow(self._graph.unique_name(f"{self._prefix}/{op.name}_inputs"), [t for t, _ in pairs], [d for _, d in pairs])

    def _call(self, rule, op, derivatives):
        graph = self._graph
        with graph.as_default(), waiting_for_nothing(graph), graph.name_scope(f"{self._prefix}/{op.name}_grad"), graph._original_op(op):
            given = [op_call.call("ZerosLike", None, x=t) if d is None and t.dtype.is_floating | t.dtype.is_complex else d
                     for t, d in zip(op.outputs, derivatives)]
            made = rule(op, *given)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def _sum(self, tensor):
        parts = self._parts.get(tensor)
        if not parts:
            return None
        if len(parts) > 1:
            with self._graph.as_default(), waiting_for_nothing(self._graph), self._graph.name_scope(self._prefix + "/"):
                parts[:] = [_added(parts)]
        return parts[0]


def _added(parts):
    if any(not isinstance(p, IndexedSlices) for p in parts):
        return op_call.call("AddN", None, inputs=[convert_to_tensor(p) for p in parts])
    from troupe import array_ops

    return IndexedSlices(array_ops.concat([p.values for p in parts], 0), array_ops.concat([p.indices for p in parts], 0), parts[0].dense_shape)


def _checked(op, index, tensor, derivative):
    """The derivative by an input as a tensor. ValueError when it has another shape."""
    with op.graph.as_default():
        derivative = convert_to_tensor(derivative, tensor.dtype.base_dtype)
    if not derivative.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Incompatible shapes between op input and calculated input gradient. Forward operation: {op.name}. Input index: {index}. "
                         f"Original input shape: {tensor.shape}. Calculated input gradient shape: {derivative.shape}")
    return derivative
