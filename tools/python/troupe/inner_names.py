"""Functions that TensorFlow keeps to itself, and that packages call by the paths of its modules nonetheless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import metrics_counts, metrics_ranked, ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.math_ops import div_no_nan
from troupe.metrics_base import matched
from troupe.weights import alike_ranks, weights_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from troupe.graph import Graph
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

_SHORT = {"true_positives": "tp", "false_negatives": "fn", "true_negatives": "tn", "false_positives": "fp"}
_streaming_sparse_average_precision_at_top_k = metrics_ranked.average_precision_at_top_k


def _get_graph_from_inputs(op_input_list: Iterable[Any], graph: Graph | None = None) -> Graph:
    """The graph that all of them are of, or the default one. ValueError for two graphs, or another one than `graph`."""
    inputs = list(op_input_list)
    if graph is not None:
        stranger = next((v for v in inputs if getattr(v, "graph", graph) is not graph), None)
        if stranger is not None:
            raise ValueError(f"{stranger} is not from the passed-in graph.")
        return graph
    return ops.graph_of(inputs)


def _remove_squeezable_dimensions(predictions: TensorLike, labels: TensorLike | None, weights: TensorLike | None) -> Any:
    """(predictions, labels, weights) of ranks that fit; labels and weights may be None."""
    if labels is not None:
        return matched(predictions, labels, weights)
    predictions = convert_to_tensor(predictions)
    return predictions, None, None if weights is None else weights_like(weights, predictions)


def remove_squeezable_dimensions(labels: TensorLike, predictions: TensorLike, expected_rank_diff: int = 0, name: str | None = None
                                 ) -> tuple[Tensor, Tensor]:
    """Both without the last dimension of the one that has one too much."""
    with ops.name_scope(name):
        return alike_ranks(labels, predictions, expected_rank_diff)


def _confusion_matrix_at_thresholds(labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None,
                                    includes: Iterable[str] | None = None) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """({"tp": counts, ...}, the same after the update) of "tp", "fn", "tn" and "fp", or those that are asked for. ValueError for others."""
    wanted = tuple(_SHORT.values()) if includes is None else tuple(includes)
    for name in wanted:
        if name not in _SHORT.values():
            raise ValueError(f"Invalid key: {name}")
    values, updates = metrics_counts.counts_at(labels, predictions, thresholds, weights, [k for k, short in _SHORT.items() if short in wanted])
    return {_SHORT[k]: v for k, v in values.items()}, {_SHORT[k]: v for k, v in updates.items()}


def _safe_scalar_div(numerator: TensorLike, denominator: TensorLike, name: str) -> Tensor:
    """0 where the denominator is 0."""
    return div_no_nan(numerator, denominator, name=name)


def _aggregate_variable(v: Any, collections: str | Iterable[str] | None) -> Tensor:
    """What a variable is over all replicas, of which there is one."""
    return _aggregate_across_replicas(collections, lambda _, variable: convert_to_tensor(variable), v)


def _aggregate_across_replicas(metrics_collections: str | Iterable[str] | None, metric_value_fn: Callable[..., Tensor], *args: Any) -> Tensor:
    value = metric_value_fn(None, *args)
    if metrics_collections:
        stacks.get_default_graph().add_to_collections(metrics_collections, value)
    return value
