"""tf.contrib.metrics and tf.contrib.slim.metrics: tf.metrics with predictions before labels, under streaming names, and dicts of them."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING

from troupe import array_ops, math_ops, metrics, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.metrics_base import collected, matched, metric_variable
from troupe.variable_scope import variable_scope
from troupe.weights import broadcast_weights, weights_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def _streaming(function):
    """A function of tf.metrics whose first arguments are predictions and labels."""
    parameters = list(inspect.signature(function).parameters.values())
    order = [parameters[1], parameters[0], *parameters[2:]] if parameters[0].name == "labels" else parameters
    signature = inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in order])

    @functools.wraps(function)
    def streaming(*args, **kwargs):
        return function(**signature.bind(*args, **kwargs).arguments)

    streaming.__signature__ = signature  # type: ignore[attr-defined]
    streaming.__name__ = f"streaming_{function.__name__}"
    return streaming


streaming_accuracy, streaming_auc = _streaming(metrics.accuracy), _streaming(metrics.auc)
streaming_precision, streaming_recall = _streaming(metrics.precision), _streaming(metrics.recall)
streaming_true_positives, streaming_true_negatives = _streaming(metrics.true_positives), _streaming(metrics.true_negatives)
streaming_false_positives, streaming_false_negatives = _streaming(metrics.false_positives), _streaming(metrics.false_negatives)
streaming_true_positives_at_thresholds = _streaming(metrics.true_positives_at_thresholds)
streaming_true_negatives_at_thresholds = _streaming(metrics.true_negatives_at_thresholds)
streaming_false_positives_at_thresholds = _streaming(metrics.false_positives_at_thresholds)
streaming_false_negatives_at_thresholds = _streaming(metrics.false_negatives_at_thresholds)
streaming_precision_at_thresholds = _streaming(metrics.precision_at_thresholds)
streaming_recall_at_thresholds = _streaming(metrics.recall_at_thresholds)
streaming_mean, streaming_mean_tensor = _streaming(metrics.mean), _streaming(metrics.mean_tensor)
streaming_mean_absolute_error, streaming_mean_squared_error = _streaming(metrics.mean_absolute_error), _streaming(metrics.mean_squared_error)
streaming_root_mean_squared_error = _streaming(metrics.root_mean_squared_error)
streaming_mean_relative_error = _streaming(metrics.mean_relative_error)
streaming_mean_cosine_distance, streaming_mean_iou = _streaming(metrics.mean_cosine_distance), _streaming(metrics.mean_iou)
streaming_percentage_less = _streaming(metrics.percentage_below)
streaming_sensitivity_at_specificity = _streaming(metrics.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _streaming(metrics.specificity_at_sensitivity)
streaming_sparse_recall_at_k, streaming_sparse_precision_at_k = _streaming(metrics.recall_at_k), _streaming(metrics.precision_at_k)
streaming_sparse_average_precision_at_k = _streaming(metrics.average_precision_at_k)


def streaming_recall_at_k(predictions: TensorLike, labels: TensorLike, k: int, weights: TensorLike | None = None,
                          metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                          name: str | None = None) -> tuple[Tensor, Tensor]:
    """How many labels [batch] are among the k classes of the highest predictions [batch, classes]."""
    from troupe import nn

    within = math_ops.cast(nn.in_top_k(predictions, labels, k), "float32")
    return metrics.mean(within, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")


def streaming_covariance(predictions: TensorLike, labels: TensorLike, weights: TensorLike | None = None,
                         metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                         name: str | None = None) -> tuple[Tensor, Tensor]:
    """The covariance of predictions and labels, over one less than their number (or than the sum of weights)."""
    with variable_scope(name, "covariance", [predictions, labels, weights]):
        predictions, labels, weights = matched(predictions, labels, weights)
        new = lambda n: metric_variable([], "float32", name=n)
        count, mean_p, mean_l, comoment = new("count"), new("mean_prediction"), new("mean_label"), new("comoment")
        if weights is None:
            added = math_ops.cast(array_ops.size(labels), "float32")
            w = array_ops.ones_like(labels)
        else:
            w = broadcast_weights(math_ops.cast(weights_like(weights, labels), "float32"), labels)
            added = math_ops.reduce_sum(w)
        share = math_ops.div_no_nan(added, count + added)
        batch_p, batch_l = (math_ops.div_no_nan(math_ops.reduce_sum(x * w), added) for x in (predictions, labels))
        step_p, step_l = (batch_p - mean_p) * share, (batch_l - mean_l) * share
        old_l = convert_to_tensor(mean_l)
        of_batch = math_ops.reduce_sum((predictions - batch_p) * (labels - batch_l) * w)
        grown = of_batch + (batch_p - mean_p) * (batch_l - old_l) * (count * share)
        with stacks.get_default_graph().control_dependencies([grown, step_p, step_l]):
            updates = [comoment.assign_add(grown), mean_p.assign_add(step_p), mean_l.assign_add(step_l)]
        with stacks.get_default_graph().control_dependencies(updates):
            new_count = count.assign_add(added)
        value = math_ops.div_no_nan(convert_to_tensor(comoment), math_ops.maximum(count - 1, 0), name="value")
        update = math_ops.div_no_nan(updates[0], math_ops.maximum(new_count - 1, 0), name="update_op")
        return collected(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(predictions: TensorLike, labels: TensorLike, weights: TensorLike | None = None,
                                  metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                                  name: str | None = None) -> tuple[Tensor, Tensor]:
    """The correlation of predictions and labels, from -1 to 1."""
    with variable_scope(name, "pearson_r", [predictions, labels, weights]):
        both = streaming_covariance(predictions, labels, weights, name="covariance")
        of_p = streaming_covariance(predictions, predictions, weights, name="variance_predictions")
        of_l = streaming_covariance(labels, labels, weights, name="variance_labels")
        made = [math_ops.div_no_nan(c, math_ops.sqrt(p) * math_ops.sqrt(l), name=n)
                for c, p, l, n in zip(both, of_p, of_l, ("pearson_r", "update_op"))]
        return collected(made[0], made[1], metrics_collections, updates_collections)


def accuracy(predictions: TensorLike, labels: TensorLike, weights: TensorLike | None = None, name: str | None = None) -> Tensor:
    """How many predictions of one batch are the labels, from 0 to 1. ValueError for floating point and different types."""
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    if labels.dtype.is_floating or labels.dtype.base_dtype != predictions.dtype.base_dtype:
        raise ValueError(f"Labels should have int, bool or string dtype, and that of predictions; got {labels.dtype.name} and "
                         f"{predictions.dtype.name}")
    from troupe import ops

    with ops.name_scope(name, "accuracy", [predictions, labels]):
        right = math_ops.cast(op_call.call("Equal", None, x=predictions, y=labels), "float32")
        if weights is None:
            return math_ops.reduce_mean(right)
        weights = math_ops.cast(weights, "float32")
        return math_ops.reduce_sum(right * weights) / math_ops.reduce_sum(array_ops.ones_like(right) * weights)


def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int | None = None, dtype: Any = "int32", name: str | None = None,
                     weights: TensorLike | None = None) -> Tensor:
    """Counts [true class, predicted class]."""
    return metrics.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)


def aggregate_metrics(*value_update_tuples: tuple[Tensor, Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """The values, and the updates, of several metrics. ValueError for none."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, tuple[Tensor, Tensor]]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """{name: value} and {name: update} of {name: (value, update)}."""
    return {n: v for n, (v, _) in names_to_tuples.items()}, {n: u for n, (_, u) in names_to_tuples.items()}
