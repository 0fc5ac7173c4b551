"""Iterators: what steps get the elements of datasets from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, nest, op_call, protos, stacks
from troupe.conversion import convert_to_tensor
from troupe.dataset_ops import Elements
from troupe.dataset_specs import element_of, types_with_classes, wire_shapes, wire_types
from troupe.graph import Graph
from troupe.importer import import_graph_def
from troupe.ops import get_seed
from troupe.saveable import SaveableObject, SaveSpec
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.dataset_ops import Dataset
    from troupe.optional_ops import Optional
    from troupe.tensor import Operation, Tensor
    from troupe.typing import Nest, TensorLike


class Iterator(Elements):
    """A place in a dataset; `get_next` gives the element there in each step. OutOfRangeError at the end, FailedPreconditionError before
    `initializer` has run."""

    def __init__(self, iterator_resource: Tensor, initializer: Operation | None, output_types: Nest, output_shapes: Nest,
                 output_classes: Nest = None) -> None:
        self._resource, self._initializer = iterator_resource, initializer
        self._types, self._shapes = output_types, output_shapes
        self._handle = op_call.call("IteratorToStringHandle", None, resource_handle=iterator_resource)

    def __repr__(self):
        return f"<Iterator shapes: {self._shapes}, types: {self._types}>"

    @staticmethod
    def from_structure(output_types: Nest, output_shapes: Nest = None, shared_name: str | None = None, output_classes: Nest = None) -> Iterator:
        """An iterator of no dataset yet, for those whose elements are of these types and shapes: see `make_initializer`."""
        types = types_with_classes(output_types, output_classes)
        shapes = _normal_shapes(types, output_shapes)
        handle = op_call.call("IteratorV2", None, container="", shared_name=shared_name or "", **_flat(types, shapes))
        return Iterator(handle, None, types, shapes)

    @staticmethod
    def from_string_handle(string_handle: TensorLike, output_types: Nest, output_shapes: Nest = None, output_classes: Nest = None) -> Iterator:
        """The iterator that a string from `string_handle` names; it may be fed."""
        types = types_with_classes(output_types, output_classes)
        shapes = _normal_shapes(types, output_shapes)
        handle = convert_to_tensor(string_handle, dtypes.string)
        return Iterator(op_call.call("IteratorFromStringHandleV2", None, string_handle=handle, **_flat(types, shapes)), None, types, shapes)

    @property
    def initializer(self) -> Operation:
        """The operation that begins at the first element. ValueError where there is none."""
        if self._initializer is None:
            raise ValueError("The iterator does not have an initializer. This means it was likely created using "
                             "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                             "`tf.data.Dataset.make_initializable_iterator()` instead.")
        return self._initializer

    def make_initializer(self, dataset: Dataset, name: str | None = None) -> Operation:
        """The operation that begins at a dataset's first element. TypeError for one of other elements."""
        with stacks.get_default_graph().name_scope(name or "make_initializer") as scope:
            if nest.flatten(dataset._types) != nest.flatten(self._types):
                raise TypeError(f"Expected output types {self._types!r} but got dataset with output types {dataset._types!r}.")
            for mine, others in zip(nest.flatten_shapes(self._shapes), nest.flatten_shapes(dataset._shapes)):
                if not as_shape(mine).is_compatible_with(as_shape(others)):
                    raise TypeError(f"Expected output shapes compatible with {self._shapes!r} but got dataset with output shapes "
                                    f"{dataset._shapes!r}.")
            with stacks.get_default_graph().colocate_with(self._resource):
                return op_call.call("MakeIterator", scope, dataset=dataset._variant, iterator=self._resource)

    def get_next(self, name: str | None = None) -> Any:
        """The element of the step, which goes on to the next."""
        op = op_call.make_operation("IteratorGetNext", name, dict(iterator=self._resource, **_flat(self._types, self._shapes)))
        return element_of(self._types, op.outputs, self._shapes)

    def get_next_as_optional(self) -> Optional:
        """The element of the step, which goes on to the next; without a value at the end."""
        from troupe.optional_ops import Optional

        with stacks.get_default_graph().colocate_with(self._resource):
            made = op_call.call("IteratorGetNextAsOptional", None, iterator=self._resource, **_flat(self._types, self._shapes))
        return Optional(made, self._types, self._shapes)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string that names the iterator in its session."""
        return self._handle if name is None else op_call.call("IteratorToStringHandle", name, resource_handle=self._resource)


class IteratorSaveable(SaveableObject):
    """The place of an iterator, for savers."""

    def __init__(self, resource: Tensor, policy: int) -> None:
        self._resource = resource
        state = op_call.call("SerializeIterator", None, resource_handle=resource, external_state_policy=policy)
        super().__init__(resource, [SaveSpec(state, "", resource.name + "_STATE")], resource.name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None) -> Operation:
        with stacks.get_default_graph().colocate_with(self._resource):
            return op_call.call("DeserializeIterator", None, resource_handle=self._resource, serialized=restored_tensors[0])


def _flat(types, shapes):
    return {"output_types": wire_types(types), "output_shapes": wire_shapes(types, shapes)}


def _normal_shapes(types, shapes):
    """Shapes in the nest of the types; unknown ones by default."""
    if shapes is None:
        return nest.pack_sequence_as(types, [TensorShape(None) for _ in nest.flatten(types)])
    return nest.pack_sequence_as(types, [as_shape(s) for s in nest.flatten_shapes(shapes)])


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """An iterator of a dataset that its `initializer` begins. Placeholders may be fed to that."""
    with stacks.get_default_graph().colocate_with(dataset._variant):
        handle = op_call.call("IteratorV2", None, container="", shared_name=shared_name or "", **dataset._flat())
        begin = op_call.call("MakeIterator", None, dataset=dataset._variant, iterator=handle)
    return Iterator(handle, begin, dataset._types, dataset._shapes)


class _Factory:
    """The function that makes a dataset, of the operations that made it in its graph."""

    _made = 0

    def __init__(self, dataset):
        graph_def = self._needed(dataset._variant.op)
        _Factory._made += 1
        self.name = f"_make_dataset_{_Factory._made}"
        graph = Graph()
        with graph.as_default():
            result, = import_graph_def(graph_def, name="", return_elements=[dataset._variant.name])
            data = graph._native.to_function(self.name, [], [result._as_tf_output()], [])
        self._definitions = [*graph_def.library.function, protos.FunctionDef.FromString(data)]

    @staticmethod
    def _needed(last):
        """A GraphDef of an operation and all before it. ValueError where one of them belongs to a session."""
        seen, waiting = {last}, [last]
        while waiting:
            op = waiting.pop()
            kind = "a placeholder" if op.type in ("Placeholder", "PlaceholderV2") else None
            if kind is None and op.graph._op_def(op.type).is_stateful and op.outputs[0].dtype is not dtypes.variant:
                kind = "a stateful node"
            if kind:
                raise ValueError("Failed to create a one-shot iterator for a dataset. `Dataset.make_initializable_iterator()` is more "
                                 f"suitable. Original error: Cannot capture {kind} (name:{op.name}, type:{op.type}) by value.")
            for before in [t.op for t in op.inputs] + list(op.control_inputs):
                if before not in seen:
                    seen.add(before)
                    waiting.append(before)
        whole = last.graph.as_graph_def()
        names = {op.name for op in seen}
        made = protos.GraphDef(versions=whole.versions, library=whole.library)
        made.node.extend([n for n in whole.node if n.name in names])
        return made

    def add_to_graph(self, graph):
        for definition in self._definitions:
            if not graph._is_function(definition.signature.name):
                graph._add_function(definition)


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """An iterator that begins by itself. ValueError for a dataset that needs placeholders, variables or tables."""
    # TensorFlow takes a seed for its function here, so that those of later operations are one further.
    get_seed(None)
    handle = op_call.call("OneShotIterator", None, dataset_factory=_Factory(dataset), container="", shared_name="", **dataset._flat())
    return Iterator(handle, None, dataset._types, dataset._shapes)
