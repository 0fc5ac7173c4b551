"""Functions of datasets that carry a state from element to element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, nest
from troupe.captured_function import CapturedFunction
from troupe.dataset_specs import shape_of, structure_of, type_of
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.dataset_ops import Dataset
    from troupe.typing import Nest, TensorLike


def common_shape(a: TensorShape, b: TensorShape) -> TensorShape:
    """The shape that both are, with None where they differ."""
    if a.rank is None or a.rank != b.rank:
        return TensorShape(None)
    return as_shape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


def with_state(function: Callable[[Any, Any], Any], state: tuple[Nest, Nest], element: tuple[Nest, Nest], name: str,
               new_state_of: Callable[[Any], Any], what: str) -> tuple[CapturedFunction, Nest]:
    """(a function of (state, element), the shapes that states have in every turn): both by their types and shapes. TypeError where the new state, which
    `new_state_of` takes from what it gives, has other types."""
    types, flat_shapes = state[0], [as_shape(s) for s in nest.flatten_shapes(state[1])]
    while True:
        shapes = nest.pack_sequence_as(types, flat_shapes)
        made = CapturedFunction(function, (types, element[0]), (shapes, element[1]), name)
        new = nest.flatten(new_state_of(made.result))
        if [type_of(t) for t in new] != nest.flatten(types):
            raise TypeError(f"Invalid `{what}`. The element types for the new state must match the initial state. Expected {nest.flatten(types)}; got "
                            f"{[type_of(t) for t in new]}.")
        common = [common_shape(a, shape_of(t)) for a, t in zip(flat_shapes, new)]
        if all(a.rank == b.rank and (a.rank is None or a.as_list() == b.as_list()) for a, b in zip(common, flat_shapes)):
            return made, shapes
        flat_shapes = common


class Reducer:
    """What group_by_reducer does with the elements of one key: `init_func` gives the first state of a key, `reduce_func` the next of (state, element),
    `finalize_func` the result of the last."""

    def __init__(self, init_func: Callable[[Any], Any], reduce_func: Callable[[Any, Any], Any], finalize_func: Callable[..., Any]) -> None:
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[[Any], Any]:
        return self._init_func

    @property
    def reduce_func(self) -> Callable[[Any, Any], Any]:
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        return self._finalize_func


def group_by_reducer(key_func: Callable[..., TensorLike], reducer: Reducer) -> Callable[[Dataset], Dataset]:
    """For each int64 key that `key_func` gives elements, what the reducer makes of them, in the order in which keys came. ValueError for other keys."""
    return lambda dataset: _group_by_reducer(dataset, key_func, reducer)


def _group_by_reducer(dataset, key_func, reducer):
    key = dataset._function(key_func, "group_by_reducer_key")
    if nest.is_nested(key.result) or type_of(key.result) is not dtypes.int64 or key.result.shape.rank not in (0, None):
        types, shapes = structure_of(key.result)
        raise ValueError("Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but instead `key_func` has output "
                         f"types={types} and shapes={shapes}.")
    init = CapturedFunction(reducer.init_func, dtypes.int64, TensorShape([]), "Dataset_group_by_reducer_init")
    reduce, shapes = with_state(reducer.reduce_func, structure_of(init.result), (dataset._types, dataset._shapes), "Dataset_group_by_reducer_reduce",
                                lambda result: result, "reducer")
    last = CapturedFunction(reducer.finalize_func, structure_of(init.result)[0], shapes, "Dataset_group_by_reducer_finalize")
    parts = {"key": key, "init": init, "reduce": reduce, "finalize": last}
    return dataset._like("GroupByReducerDataset", *structure_of(last.result), **{f"{n}_func": f for n, f in parts.items()},
                         **{f"{n}_func_other_arguments": f.arguments() for n, f in parts.items()})
