"""Metrics of the k best predictions: labels are sets of classes, dense ([..., labels]) or sparse; or one class each, without that dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, nn, ops, sets, sparse_ops, weights as weighting
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, reduce_sum
from troupe.metrics_base import collected, metric_variable
from troupe.sparse_ops import convert_to_tensor_or_sparse_tensor
from troupe.stacks import get_default_graph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

__all__ = ["average_precision_at_k", "precision_at_k", "precision_at_top_k", "recall_at_k", "recall_at_top_k", "sparse_average_precision_at_k",
           "sparse_precision_at_k"]


def _named(kind, k, class_id=None):
    return f"{kind}_at_{'k' if k is None else k}" + ("" if class_id is None else f"_class{class_id}")


def _labels(labels, predictions):
    """Labels of the rank of the predictions. Of one less, each is a set of one."""
    labels = convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(labels, SparseTensor):
        rank, known = labels.dense_shape.shape.as_list()[0], labels.dense_shape.shape.is_fully_defined()
        if known and rank == predictions.shape.rank - 1:
            shape = array_ops.concat([labels.dense_shape, [1]], 0)
            return sparse_ops.sparse_reshape(labels, shape)
        return labels
    return array_ops.expand_dims(labels, -1) if labels.shape.rank == predictions.shape.rank - 1 else labels


def _of_class(ids, class_id):
    """The sets without other classes than this one."""
    if isinstance(ids, SparseTensor):
        return sparse_ops.sparse_retain(ids, math_ops.equal(ids.values, class_id))
    shape = array_ops.shape(ids, out_type=dtypes.int64)
    wanted = array_ops.fill(array_ops.concat([shape[:-1], [1]], 0), cast(class_id, ids.dtype))
    found = sets.intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, shape)


def _weighted(values, weights):
    if weights is None:
        return values
    with get_default_graph().control_dependencies(weighting.checked_broadcast(weights, values)):
        return values * cast(weights, dtypes.float64)


def _total(of_sets, weights, name):
    """(the sum over all batches, the same after this one) of the sizes of sets."""
    with ops.name_scope(name) as scope:
        values = _weighted(cast(sets.size(of_sets), dtypes.float64), weights)
        total = metric_variable([], dtypes.float64, name=scope)
        return convert_to_tensor(total), total.assign_add(reduce_sum(values))


def _share_at_top_k(kind, missed, labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name):
    """Of the predictions or of the labels (what is `missed`), how many are of both."""
    with ops.name_scope(name, _named(kind, k, class_id)) as scope:
        chosen = cast(convert_to_tensor(predictions_idx), dtypes.int64)
        labels = _labels(labels, chosen)
        if class_id is not None:
            labels, chosen = _of_class(labels, class_id), _of_class(chosen, class_id)
        right, right_now = _total(sets.intersection(chosen, labels), weights, _named("true_positive", k, class_id))
        wrong, wrong_now = _total(sets.difference(chosen, labels, aminusb=missed == "false_positive"), weights, _named(missed, k, class_id))
        update = math_ops.divide(right_now, right_now + wrong_now, name="update")
        return collected(math_ops.divide(right, right + wrong, name=scope), update, metrics_collections, updates_collections)


def recall_at_top_k(labels: TensorLike | SparseTensor, predictions_idx: TensorLike, k: int | None = None, class_id: int | None = None,
                    weights: TensorLike | None = None, metrics_collections: str | Iterable[str] | None = None,
                    updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """How many of the labels are among the classes [..., k]."""
    return _share_at_top_k("recall", "false_negative", labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections,
                           name)


def recall_at_k(labels: TensorLike | SparseTensor, predictions: TensorLike, k: int, class_id: int | None = None, weights: TensorLike | None = None,
                metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
                name: str | None = None) -> tuple[Tensor, Tensor]:
    """How many of the labels are among the k classes of the highest predictions [..., classes]."""
    with ops.name_scope(name, _named("recall", k, class_id)) as scope:
        return recall_at_top_k(labels, nn.top_k(predictions, k)[1], k, class_id, weights, metrics_collections, updates_collections, scope)


def precision_at_top_k(labels: TensorLike | SparseTensor, predictions_idx: TensorLike, k: int | None = None, class_id: int | None = None,
                       weights: TensorLike | None = None, metrics_collections: str | Iterable[str] | None = None,
                       updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """How many of the classes [..., k] are labels."""
    return _share_at_top_k("precision", "false_positive", labels, predictions_idx, k, class_id, weights, metrics_collections,
                           updates_collections, name)


def precision_at_k(labels: TensorLike | SparseTensor, predictions: TensorLike, k: int, class_id: int | None = None, weights: TensorLike | None = None,
                   metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
                   name: str | None = None) -> tuple[Tensor, Tensor]:
    """How many of the k classes of the highest predictions [..., classes] are labels."""
    with ops.name_scope(name, _named("precision", k, class_id)) as scope:
        return precision_at_top_k(labels, nn.top_k(predictions, k)[1], k, class_id, weights, metrics_collections, updates_collections, scope)


def _average_precision(labels, chosen, k):
    """For each set: the mean of the precisions at those of 1 to k where a label comes."""
    known = [cast(sets.size(sets.intersection(chosen[..., :i], labels)), dtypes.float64) for i in range(1, k + 1)]
    total = known[0]
    for i in range(1, k):
        total = total + (known[i] - known[i - 1]) * known[i] / (i + 1.0)
    if isinstance(labels, SparseTensor):
        relevant = sets.size(labels)
    else:
        relevant = reduce_sum(cast(math_ops.greater_equal(labels, 0), dtypes.int32), axis=-1)
    return math_ops.divide(total, cast(math_ops.minimum(relevant, k), dtypes.float64))


def _within(labels, classes):
    """The labels, -1 where they are no classes."""
    labels = convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(labels, SparseTensor):
        return SparseTensor(labels.indices, _within(labels.values, classes), labels.dense_shape)
    return array_ops.where_v2(math_ops.greater_equal(labels, cast(classes, labels.dtype)), -array_ops.ones_like(labels), labels)


def average_precision_at_k(labels: TensorLike | SparseTensor, predictions: TensorLike, k: int, weights: TensorLike | None = None,
                           metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
                           name: str | None = None) -> tuple[Tensor, Tensor]:
    """The mean of the precisions at each of the k highest predictions that is a label. ValueError for k less than one."""
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with ops.name_scope(name, _named("average_precision", k)) as scope:
        predictions = convert_to_tensor(predictions)
        labels = _within(labels, array_ops.shape(predictions)[-1])
        return average_precision_at_top_k(labels, nn.top_k(predictions, k)[1], weights, metrics_collections, updates_collections, scope)


def average_precision_at_top_k(labels: TensorLike | SparseTensor, predictions_idx: TensorLike, weights: TensorLike | None = None,
                               metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
                               name: str | None = None) -> tuple[Tensor, Tensor]:
    """The same of the classes [..., k] that were predicted, the best one first. ValueError when k is not known."""
    chosen = cast(convert_to_tensor(predictions_idx), dtypes.int64)
    k = None if chosen.shape.rank in (None, 0) else chosen.shape.as_list()[-1]
    if k is None:
        raise ValueError("The last dimension of predictions_idx must be set.")
    with ops.name_scope(name, _named("average_precision", k)) as scope:
        values = _average_precision(_labels(labels, chosen), chosen, k)
        number = cast(array_ops.size(values), dtypes.float64)
        if weights is not None:
            weights = weighting.broadcast_weights(cast(weights, dtypes.float64), values)
            values, number = values * weights, reduce_sum(weights)
        with ops.name_scope("max") as inner:
            most = metric_variable([], dtypes.float64, name=inner)
        with ops.name_scope("total") as inner:
            total = metric_variable([], dtypes.float64, name=inner)
        update = math_ops.div_no_nan(total.assign_add(reduce_sum(values)), most.assign_add(number), name=scope)
        return collected(math_ops.div_no_nan(total, most, name="mean"), update, metrics_collections, updates_collections)


sparse_precision_at_k, sparse_average_precision_at_k = precision_at_k, average_precision_at_k
