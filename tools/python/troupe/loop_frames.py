"""Which loops operations run in, as the graph itself tells: what enters and leaves them, whoever made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.control_flow_context import ControlFlowContext, WhileContext
    from troupe.tensor import Operation, Tensor

Frames = tuple[str, ...]
_ENTERS, _EXITS, _LATER = ("Enter", "RefEnter"), ("Exit", "RefExit"), ("NextIteration", "RefNextIteration")


class LoopFrames:
    """Finds them, and remembers what it found: it is for graphs that do not change meanwhile."""

    def __init__(self) -> None:
        self._known: dict[Operation, Frames] = {}

    def of_outputs(self, op: Operation) -> Frames:
        """The names of the loops that its outputs are in, the outermost first."""
        known, chain = self._known, []
        while op is not None and op not in known:
            # What is met again is known to be in no loop, for want of anything better.
            known[op] = ()
            chain.append((op, self._source(op)))
            op = chain[-1][1]
        for following, source in reversed(chain):
            frames = () if source is None else known[source]
            if following.type in _ENTERS:
                frames = (*frames, following.get_attr("frame_name").decode())
            elif following.type in _EXITS:
                frames = frames[:-1]
            known[following] = frames
        return known[chain[0][0] if chain else op]

    def of(self, op: Operation) -> Frames:
        """Those that it runs in itself: what leaves a loop is still in it."""
        return self.of_outputs(op.inputs[0].op) if op.type in _EXITS else self.of_outputs(op)

    @staticmethod
    def _source(op):
        """An operation before it that runs where it does."""
        inputs = [t.op for t in op.inputs]
        if len(inputs) > 1 and inputs[0].type in _LATER:
            return inputs[1]
        return inputs[0] if inputs else next(iter(op.control_inputs), None)


def parts_of_loops_outside(context: ControlFlowContext, operations: Sequence[Operation]) -> dict[Operation, WhileContext | None]:
    """Which of new operations, the derivatives' that were asked for inside `context`, are parts of loops outside of it: those that count turns and
    keep values for the derivatives, and what they begin with. They stay there; to each its loop, None where that has no context. ValueError inside
    another loop than those are in: what was kept can be taken once."""
    made, frames, outside, loops = set(operations), LoopFrames(), set(), {}
    around = _loops_around(context)
    for t in (t for op in operations for t in op.inputs):
        if t.op in made or context.is_inside(t):
            continue
        found = frames.of_outputs(t.op)
        beyond = [found[:i] for i in range(1, len(found) + 1) if found[:i] != around[:i]]
        if beyond:
            if found[:len(around)] != around:
                raise ValueError(f"Cannot use '{t.op.name}' for derivatives inside '{context.name}' because they are in different while loops.")
            outside.update(beyond)
            loops.update(_loops_by_name(t))
    if not outside:
        return {}
    parts = {op: frames.of(op) for op in operations}
    parts = {op: f for op, f in parts.items() if any(f[:i] in outside for i in range(1, len(f) + 1))}
    kept = {op: loops.get(f[-1]) for op, f in parts.items()}
    waiting = list(parts)
    while waiting:
        for before in [t.op for t in waiting[-1].inputs] + waiting.pop().control_inputs:
            if before in made and before not in kept:
                kept[before] = None
                waiting.append(before)
    return kept


def _loops_around(context):
    names = []
    while context is not None:
        if context.while_context() is context:
            names.append(context.name)
        context = context.outer_context
    return tuple(reversed(names))


def _loops_by_name(tensor: Tensor):
    """The contexts of loops around it, by their names."""
    context, found = tensor.op._control_flow_context, {}
    while context is not None:
        if context.while_context() is context:
            found[context.name] = context
        context = context.outer_context
    return found
