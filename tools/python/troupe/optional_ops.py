"""Elements of datasets that may not be there: what an iterator gives at its end, instead of an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import nest, op_call, stacks
from troupe.captured_function import normalized
from troupe.dataset_specs import element_of, structure_of, wire, wire_shapes, wire_types
from troupe.type_specs import spec_of, types_and_shapes

if TYPE_CHECKING:
    from typing import Any

    from troupe.dataset_iterators import Iterator
    from troupe.tensor import Tensor
    from troupe.typing import Nest


class Optional:
    """A value, or none: `has_value` and `get_value` say so in steps."""

    def __init__(self, variant: Tensor, types: Nest, shapes: Nest) -> None:
        self._tensor, self._types, self._shapes = variant, types, shapes

    @staticmethod
    def empty(element_spec: Nest) -> Optional:
        """Without a value of this kind."""
        return Optional(op_call.call("OptionalNone", None), *types_and_shapes(element_spec))

    @staticmethod
    def none_from_structure(element_spec: Nest) -> Optional:
        """The same: an older name."""
        return Optional.empty(element_spec)

    @staticmethod
    def from_value(value: Nest) -> Optional:
        """With a nest of tensors as its value."""
        with stacks.get_default_graph().name_scope("optional") as scope:
            with stacks.get_default_graph().name_scope("value"):
                made = normalized(value)
                parts = [wire(t) for t in nest.flatten(made)]
            return Optional(op_call.call("OptionalFromValue", scope, components=parts), *structure_of(made))

    @property
    def element_spec(self) -> Any:
        """What the value is like, as a nest of tf.TensorSpec and its like."""
        return nest.pack_sequence_as(self._types, map(spec_of, nest.flatten(self._types), nest.flatten_shapes(self._shapes)))

    @property
    def value_structure(self) -> Any:
        return self.element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is one: a boolean scalar."""
        with stacks.get_default_graph().colocate_with(self._tensor):
            return op_call.call("OptionalHasValue", name, optional=self._tensor)

    def get_value(self, name: str | None = None) -> Any:
        """The value. InvalidArgumentError from the step where there is none."""
        with stacks.get_default_graph().name_scope(name or "OptionalGetValue") as scope:
            with stacks.get_default_graph().colocate_with(self._tensor):
                made = op_call.call("OptionalGetValue", scope, optional=self._tensor, output_types=wire_types(self._types),
                                    output_shapes=wire_shapes(self._types, self._shapes))
            return element_of(self._types, made, self._shapes)


def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element of an iterator, which has no value at the end."""
    return iterator.get_next_as_optional()
