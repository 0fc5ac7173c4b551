"""What runs of a session feed, fetch and target; and which of its fetches show what the step made of a variable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from troupe import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from troupe.graph import Operation
    from troupe.tensor import Tensor

# Their outputs lie in their inputs' memory.
_SAME_MEMORY = frozenset(["ExpandDims", "Identity", "Reshape", "Snapshot", "Squeeze", "StopGradient"])
_VARIABLES = frozenset(["Variable", "VariableV2"])
# What changes the reference variable that is its first input or, for some Apply ops, one of its others.
_WRITER = re.compile(r"(Assign|AssignAdd|AssignSub|CountUpTo|StridedSliceAssign|Scatter\w+|Apply\w+|SparseApply\w+)$")


class Signature:
    """What runs of one kind feed, fetch and target. Its second run compiles it."""

    __slots__ = ("native", "callable", "has_run", "has_work", "places", "reads")

    def __init__(self, fed: Sequence[Tensor], tensors: Sequence[Tensor], targets: Sequence[Operation]) -> None:
        self.native = _native.Signature([t.name for t in fed], [t.dtype.base_dtype.as_datatype_enum for t in fed],
                                        [t.name for t in tensors], [op.name for op in targets])
        self.callable: Any = None
        self.has_run = False
        self.has_work = bool(tensors or targets)
        # Which fetches are what variables are after the step, and what reads these.
        self.places: list[int] = []
        self.reads: Signature | None = None

    def look_for_updates(self, fed: Collection[Tensor], tensors: Sequence[Tensor], targets: Sequence[Operation]) -> Signature:
        """Finds the fetches of reference variables that the step itself changes."""
        updated = _updated(fed, tensors, targets)
        if updated:
            self.places = list(updated)
            self.reads = Signature((), list(updated.values()), ())
        return self

    def after_step(self, fetched: list[Any], run: Callable[[Signature], list[Any]]) -> list[Any]:
        """What was fetched, with what `run` says that the variables are now."""
        assert self.reads is not None
        fetched = list(fetched)
        for place, value in zip(self.places, run(self.reads)):
            before = fetched[place]
            if np.size(value) == np.size(before):
                fetched[place] = np.reshape(value, np.shape(before)) if np.shape(value) != np.shape(before) else value
        return fetched


def _updated(fed, tensors, targets):
    """{place of a fetch: the variable's tensor} of fetches that are a reference variable's memory and that the step changes."""
    found = {}
    for place, tensor in enumerate(tensors):
        if tensor.dtype._is_ref_dtype or tensor.op.type in _SAME_MEMORY:
            variable, on_the_way = _memory_of(tensor, fed)
            if variable is not None:
                found[place] = variable, on_the_way
    if not found:
        return {}
    writers = _writers(fed, tensors, targets)
    return {place: variable for place, (variable, on_the_way) in found.items() if writers.get(variable, set()) - on_the_way}


def _memory_of(tensor, fed):
    """(the variable in whose memory a tensor lies, or None; the operations on the way that change it)."""
    writers = set()
    while tensor not in fed:
        op = tensor.op
        if op.type in _VARIABLES:
            return tensor, writers
        if tensor.dtype._is_ref_dtype and _WRITER.match(op.type):
            writers.add(op)
        elif op.type not in _SAME_MEMORY:
            break
        tensor = op.inputs[0]
    return None, writers


def _writers(fed, tensors, targets):
    """{tensor of a variable: operations that change it} of all that a step runs."""
    writers = {}
    waiting = [t.op for t in tensors if t not in fed] + list(targets)
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        inputs = op.inputs
        if _WRITER.match(op.type):
            for variable in (_memory_of(t, fed)[0] for t in inputs if t.dtype._is_ref_dtype):
                if variable is not None:
                    writers.setdefault(variable, set()).add(op)
        for before in [t.op for t in inputs if t not in fed] + list(op.control_inputs):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return writers
