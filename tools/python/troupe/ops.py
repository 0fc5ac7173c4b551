"""The scopes of the default graph as functions of the package, and collections' names."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troupe import stacks
from troupe.composite import is_composite
from troupe.tensor import Operation, Tensor

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from troupe.graph import Graph
    from troupe.typing import ControlInput, DeviceLike


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


def graph_of(values: Iterable[Any] | None) -> Graph:
    """The graph that the first tensor among them is of, or the default one. ValueError for two graphs."""
    default = stacks.get_default_graph()
    if default.building_function:
        # What is of other graphs becomes an input of the function.
        return default
    first = None
    for value in values or ():
        if not isinstance(value, (Tensor, Operation)) and not hasattr(value, "_as_graph_element") and not is_composite(value):
            continue
        if first is None:
            first = value
        elif value.graph is not first.graph:
            raise ValueError(f"{value} must be from the same graph as {first} (graphs are {value.graph} and {first.graph}).")
    return default if first is None else first.graph


class name_scope:
    """`with tf.name_scope(name):` or `with tf.name_scope(name, "Default", [inputs]) as scope:`."""

    def __init__(self, name: str | None, default_name: str | None = None, values: Iterable[Any] | None = None, skip_on_eager: bool = True) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` for name_scope must be a string, got {type(name).__name__}")
        self._name = default_name if name is None else name
        if self._name is None and values is not None:
            raise ValueError("At least one of name (None) and default_name (None) must be provided.")
        self._values = values
        self._blocks: list[Any] = []

    @property
    def name(self) -> str | None:
        return self._name

    def __enter__(self) -> str:
        graph = graph_of(self._values)
        default = graph.as_default()
        scope = graph.name_scope(self._name)
        default.__enter__()
        try:
            text = scope.__enter__()
        except BaseException:
            default.__exit__(None, None, None)
            raise
        self._blocks.append((default, scope))
        return text

    def __exit__(self, *exc: Any) -> None:
        default, scope = self._blocks.pop()
        try:
            scope.__exit__(*exc)
        finally:
            default.__exit__(*exc)


def device(device_name_or_function: DeviceLike) -> AbstractContextManager[None]:
    return stacks.get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs: Iterable[ControlInput] | None) -> AbstractContextManager[None]:
    return stacks.get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: ControlInput | None, ignore_existing: bool = False) -> AbstractContextManager[None]:
    return stacks.get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> AbstractContextManager[str]:
    return stacks.get_default_graph().container(container_name)


def add_to_collection(name: Hashable, value: Any) -> None:
    stacks.get_default_graph().add_to_collection(name, value)


def add_to_collections(names: str | Iterable[Hashable], value: Any) -> None:
    stacks.get_default_graph().add_to_collections(names, value)


def get_collection(key: Hashable, scope: str | None = None) -> list[Any]:
    return stacks.get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Hashable) -> list[Any]:
    return stacks.get_default_graph().get_collection_ref(key)


def get_all_collection_keys() -> list[str]:
    return stacks.get_default_graph().get_all_collection_keys()


def set_random_seed(seed: int | None) -> None:
    """The seed of the default graph: with it, random operations that have none are numbered, and so repeat what they draw."""
    stacks.get_default_graph().seed = seed


_DEFAULT_SEED = 87654321
_MOST = 2**31 - 1


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """(graph's seed, operation's seed) for a random operation; (None, None) when neither is given."""
    graph = stacks.get_default_graph()
    if graph.seed is None and op_seed is None:
        return None, None
    if op_seed is None:
        op_seed = graph._next_seed()
    seeds = (_DEFAULT_SEED if graph.seed is None else graph.seed) % _MOST, op_seed % _MOST
    # Both zero would mean that none is given.
    return (0, _MOST) if seeds == (0, 0) else seeds


@contextmanager
def init_scope() -> Iterator[None]:
    """Outside all control inputs and branches."""
    with control_dependencies(None):
        yield
