"""Derivatives as programs write them that were eager once: `tf.GradientTape` in a graph."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import nest, stacks
from troupe.gradients import UnconnectedGradients, gradients

if TYPE_CHECKING:
    from collections.abc import Iterator

    from troupe.variables import Variable


class GradientTape:
    """`with tf.GradientTape() as tape:`, then `tape.gradient(y, xs)`. In a graph all operations are known anyway: what is watched makes no difference. RuntimeError for a
    second derivative of a tape that is not persistent."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent, self._watches_variables = persistent, watch_accessed_variables
        self._begun: int | None = None
        self._end: int | None = None
        self._used = False

    def __enter__(self):
        self._begun, self._end = len(stacks.get_default_graph().get_operations()), None
        return self

    def __exit__(self, *exc):
        self._end = len(stacks.get_default_graph().get_operations())

    def watch(self, tensor: Any) -> None:
        """Nothing: all operations are known."""

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Nothing: all operations are known. tf.stop_gradient ends a derivative."""
        yield

    def reset(self) -> None:
        """Begins again."""
        self._begun, self._used = len(stacks.get_default_graph().get_operations()), False

    def watched_variables(self) -> tuple[Variable, ...]:
        """The trainable variables that operations of the block read, in the order of their making."""
        from troupe.variables import trainable_variables

        operations = stacks.get_default_graph().get_operations()[self._begun:self._end]
        read = {t.op.name for op in operations for t in op.inputs}
        return tuple(v for v in trainable_variables() if v.op.name in read or any(name.startswith(v.op.name + "/read") or name.startswith(v.op.name + "/Read")
                                                                                 for name in read))

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivatives of the sum of `target`, a tensor or a nest of them, by `sources`, in their nest; None where it does not depend on one."""
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        self._used = True
        flat = nest.flatten(sources)
        weights = None if output_gradients is None else nest.flatten(output_gradients)
        made = gradients(nest.flatten(target), flat, weights, unconnected_gradients=unconnected_gradients)
        return nest.pack_sequence_as(sources, made) if nest.is_nested(sources) else made[0]
