"""Which branch or loop an operation is made in, as TensorFlow 1 has them: values from outside come in through Switch and Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import op_call
from troupe.loop_frames import parts_of_loops_outside
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.tensor import Operation


class ControlFlowContext:
    """A branch or a loop. While it is a graph's current one, `_prepare` goes over the inputs of each operation before it is made, and
    `_adopt` takes it in."""

    def __init__(self, graph: Graph, name: str) -> None:
        self._graph = graph
        self.name = name
        self.outer_context = graph._get_control_flow_context()
        # Tensors that are inside, and what stands inside for those that are not.
        self._inside = set()
        self._stand_ins = {}
        # Operations through which values come in.
        self.entrances = set()

    def Enter(self) -> None:
        self._graph._set_control_flow_context(self)

    def Exit(self) -> None:
        self._graph._set_control_flow_context(self.outer_context)

    __enter__ = Enter

    def __exit__(self, *unused):
        self.Exit()

    def encloses(self, context: ControlFlowContext | None) -> bool:
        """Whether a context is this one, or inside it."""
        while context is not None and context is not self:
            context = context.outer_context
        return context is self

    def contains(self, op: Operation) -> bool:
        """Whether an operation is in it, or in something inside it."""
        return self.encloses(output_context(op))

    def is_inside(self, tensor: Tensor) -> bool:
        return tensor in self._inside or self.contains(tensor.op)

    def add_value(self, tensor: Tensor) -> Tensor:
        """The tensor that stands for `tensor` inside."""
        stand_in = self._stand_ins.get(tensor)
        if stand_in is not None:
            return stand_in
        if self.is_inside(tensor):
            return tensor
        outer = tensor if self.outer_context is None else self.outer_context.add_value(tensor)
        with self._graph.control_dependencies(None):
            stand_in = self._bring_in(outer)
        self._own_entrance(stand_in.op)
        self.entrances.add(stand_in.op)
        self._stand_ins[tensor] = self._stand_ins[outer] = stand_in
        return stand_in

    def _own(self, op):
        """Takes in an operation that was made outside all contexts."""
        op._control_flow_context = self
        self._mark(op)

    def take_in(self, operations: Sequence[Operation]) -> None:
        """Takes in operations of the native library's, whose inputs may be outside. What enters the loops around, and loops of its own, it has
        made itself. What it added to loops outside stays in these. ValueError where nothing can be made of that."""
        made, loops = set(operations), self._loop_names()
        for op, loop in parts_of_loops_outside(self, operations).items():
            made.remove(op)
            if loop is not None:
                loop._own(op)
        operations = [op for op in operations if op in made]
        for op in operations:
            self._own(op)
        for op in operations:
            if op.type == "Enter" and op.get_attr("frame_name").decode() in loops:
                continue
            for index, tensor in enumerate(op.inputs):
                inside = self.add_value(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            if not op.control_inputs and all(_is_constant_enter(t.op) and t.op not in made for t in op.inputs):
                op._add_control_input(self.pivot_operation())

    def _loop_names(self):
        context, names = self, set()
        while context is not None:
            if context.while_context() is context:
                names.add(context.name)
            context = context.outer_context
        return names

    def _own_entrance(self, op):
        """The same of one through which a value comes in."""
        self._own(op)

    def _mark(self, op):
        context = self
        while context is not None:
            context._inside.update(op._outputs)
            context = context.outer_context
        if op.type not in ("Exit", "RefExit") or self.outer_context is not None:
            self._graph.prevent_fetching(op)

    def _add_values(self, inputs):
        return [[self.add_value(t) for t in i] if isinstance(i, list) else self.add_value(i) for i in inputs]

    def while_context(self) -> WhileContext | None:
        return None if self.outer_context is None else self.outer_context.while_context()


def output_context(op: Operation) -> ControlFlowContext | None:
    """The context that its outputs are in."""
    context = op._control_flow_context
    return context.outer_context if context is not None and op.type in ("Exit", "RefExit") else context


class CondContext(ControlFlowContext):
    """One branch of a condition."""

    def __init__(self, graph: Graph, name: str, pred: Tensor, pivot: Tensor, branch: int) -> None:
        super().__init__(graph, name)
        self.pred, self.pivot, self.branch = pred, pivot, branch
        self._inside.update((pred, pivot))

    def pivot_operation(self) -> Operation:
        return self.pivot.op

    def _bring_in(self, tensor):
        return switch(tensor, self.pred)[self.branch]

    def _prepare(self, op_type, inputs, control):
        inputs = self._add_values(inputs)
        inside = [op for op in control if self.contains(op)]
        if not inputs and not inside:
            inside = [self.pivot.op]
        return inputs, inside

    def _adopt(self, op):
        self._own(op)

    def result(self, value: Tensor) -> Tensor:
        """A result of the branch, which may be a tensor from outside."""
        return self.add_value(value)


class WhileContext(ControlFlowContext):
    """A loop."""

    def __init__(self, graph: Graph, name: str, parallel_iterations: int) -> None:
        super().__init__(graph, name)
        self._parallel_iterations = parallel_iterations
        self.pivot_for_pred = None
        self.pivot_for_body = None

    def while_context(self) -> WhileContext:
        return self

    def pivot_operation(self) -> Operation:
        return (self.pivot_for_body if self.pivot_for_body is not None else self.pivot_for_pred).op

    def _bring_in(self, tensor):
        return enter(tensor, self.name, True, self._parallel_iterations)

    def _own_entrance(self, op):
        """It waits for what all around it waits for, as far as that is outside the loop but in no other; what follows need not."""
        for waited in self._graph._control_inputs_for({op.inputs[0].op}):
            if self._may_wait_at_entrance(waited):
                op._add_control_input(waited)
        self._own(op)
        self._graph._record_in_controllers(op)

    def _may_wait_at_entrance(self, op):
        context, loop = self.outer_context, self.outer_context and self.outer_context.while_context()
        while context is not output_context(op):
            if context is None or context is loop:
                return False
            context = context.outer_context
        return True

    def _prepare(self, op_type, inputs, control):
        inputs = self._add_values(inputs)
        inside = [op for op in control if self.contains(op)]
        outside = [op for op in control if not self.contains(op) and op._outputs]
        flat = [t for i in inputs for t in (i if isinstance(i, list) else (i,))]
        # What has no inputs of this loop runs in it all the same.
        if not inside and all(_is_constant_enter(t.op) for t in flat) and op_type not in ("Enter", "RefEnter"):
            inside = [self.pivot_operation()]
        if outside:
            with self._graph.control_dependencies(None):
                self.Enter()
                inside = inside + [op_call.call("Identity", None, input=op._outputs[0]).op for op in outside]
        return inputs, inside

    def _adopt(self, op):
        self._own(op)
        for t in op._outputs:
            self._graph.prevent_feeding(t)


def _is_constant_enter(op):
    return op.type in ("Enter", "RefEnter") and op.get_attr("is_constant")


def switch(data: Tensor, pred: Tensor) -> tuple[Tensor, Tensor]:
    """(value where `pred` is false, where it is true); on the device of the data."""
    with data.graph.colocate_with(data.op, ignore_existing=True):
        made = op_call.call("RefSwitch" if data.dtype._is_ref_dtype else "Switch", "Switch", data=data, pred=pred)
    return made[0], made[1]


def enter(data: Tensor, frame: str, is_constant: bool, parallel_iterations: int, name: str | None = None,
          use_input_shape: bool = True) -> Tensor:
    made = op_call.call("RefEnter" if data.dtype._is_ref_dtype else "Enter", name, data=data, frame_name=frame, is_constant=is_constant,
                        parallel_iterations=parallel_iterations)
    if use_input_shape:
        made.set_shape(data.shape)
    return made


def merge(inputs: Sequence[Tensor], name: str | None = None) -> Any:
    op_type = "RefMerge" if all(isinstance(i, Tensor) and i.dtype._is_ref_dtype for i in inputs) else "Merge"
    return op_call.call(op_type, name or "Merge", inputs=inputs)
