"""tf.metrics: numbers over many batches. Each function gives (value, update_op): the update takes one batch in and gives the value after it.
What they hold are local variables, in the collection METRIC_VARIABLES as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, reduce_mean, reduce_sum
from troupe.metrics_base import collected, matched, metric_variable
from troupe.metrics_counts import *  # noqa: F403, they are of this module
from troupe.metrics_ranked import *  # noqa: F403, they are of this module
from troupe.variable_scope import variable_scope
from troupe.weights import alike_ranks, broadcast_weights, weights_like

if TYPE_CHECKING:
    import typing
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


def _quotient(total, count, name):
    return math_ops.div_no_nan(total, op_call.call("Maximum", None, x=count, y=0), name=name)


def _mean(values, weights, shape, suffix, metrics_collections, updates_collections, name):
    """Of all values, where `shape` is []; or one for each element."""
    with variable_scope(name, "mean"):
        values = cast(values, dtypes.float32)
        shape = values.shape if shape is None else shape
        total, count = (metric_variable(shape, dtypes.float32, name=n + suffix) for n in ("total", "count"))
        one = suffix == ""
        number = cast(array_ops.size(values), dtypes.float32) if one else array_ops.ones_like(values)
        if weights is not None:
            weights = broadcast_weights(cast(weights_like(weights, values), dtypes.float32), values)
            values = op_call.call("Mul", None, x=values, y=weights)
            number = reduce_sum(weights) if one else op_call.call("Mul", None, x=number, y=weights)
        new_total = total.assign_add(reduce_sum(values) if one else values)
        with stacks.get_default_graph().control_dependencies([values]):
            new_count = count.assign_add(number)
        return collected(_quotient(total, count, "value"), _quotient(new_total, new_count, "update_op"), metrics_collections, updates_collections)


def mean(values: TensorLike, weights: TensorLike | None = None, metrics_collections: Sequence[str] | None = None,
         updates_collections: Sequence[str] | None = None, name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """The mean of all values, each as often as its weight says."""
    return _mean(values, weights, [], "", metrics_collections, updates_collections, name)


def mean_tensor(values: TensorLike, weights: TensorLike | None = None, metrics_collections: Sequence[str] | None = None,
                updates_collections: Sequence[str] | None = None, name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """The mean of each element by itself."""
    return _mean(values, weights, None, "_tensor", metrics_collections, updates_collections, name)


def accuracy(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, metrics_collections: Sequence[str] | None = None,
             updates_collections: Sequence[str] | None = None, name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """How many predictions are the labels, from 0 to 1."""
    predictions, labels, weights = matched(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    right = cast(op_call.call("Equal", None, x=predictions, y=labels), dtypes.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_absolute_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None,
                        metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                        name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    predictions, labels, weights = matched(predictions, labels, weights)
    return mean(math_ops.abs(predictions - labels), weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def mean_squared_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None,
                       metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                       name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    predictions, labels, weights = matched(predictions, labels, weights)
    error = op_call.call("SquaredDifference", None, x=labels, y=predictions)
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def root_mean_squared_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None,
                            metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                            name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    value, update = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return collected(op_call.call("Sqrt", None, x=value), op_call.call("Sqrt", None, x=update), metrics_collections, updates_collections)


def mean_relative_error(labels: TensorLike, predictions: TensorLike, normalizer: Callable[..., Any], weights: TensorLike | None = None,
                        metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                        name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """The mean of |labels - predictions| / normalizer; 0 where that is 0."""
    predictions, labels, weights = matched(predictions, labels, weights)
    normalizer, predictions = alike_ranks(normalizer, predictions)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    quotient = op_call.call("RealDiv", None, x=math_ops.abs(labels - predictions), y=normalizer)
    error = array_ops.where(op_call.call("Equal", None, x=normalizer, y=0.0), array_ops.zeros_like(labels), quotient)
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def mean_cosine_distance(labels: TensorLike, predictions: TensorLike, dim: int, weights: TensorLike | None = None,
                         metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                         name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """1 - the mean of labels predictions, of vectors in the dimension `dim` that are as long as 1."""
    predictions, labels, weights = matched(predictions, labels, weights)
    product = reduce_sum(op_call.call("Mul", None, x=predictions, y=labels), axis=[dim], keepdims=True)
    value, update = mean(product, weights, name=name or "mean_cosine_distance")
    return collected(1.0 - value, 1.0 - update, metrics_collections, updates_collections)


def percentage_below(values: TensorLike, threshold: TensorLike, weights: TensorLike | None = None, metrics_collections: Sequence[str] | None = None,
                     updates_collections: Sequence[str] | None = None, name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """How many values are below the threshold, from 0 to 1."""
    below = cast(op_call.call("Less", None, x=values, y=threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


def _flat(tensor):
    return array_ops.reshape(tensor, [-1]) if tensor is not None and tensor.shape.rank != 1 else tensor


def mean_per_class_accuracy(labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None,
                            metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
                            name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """The mean of the accuracies among the examples of each class."""
    with variable_scope(name, "mean_accuracy"):
        labels, predictions = _flat(cast(labels, dtypes.int64)), _flat(convert_to_tensor(predictions))
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, count = (metric_variable([num_classes], dtypes.float32, name=n) for n in ("total", "count"))
        right = cast(op_call.call("Equal", None, x=cast(predictions, dtypes.int64), y=labels), dtypes.float32)
        ones = array_ops.ones_like(right)
        if weights is not None:
            weights = cast(_flat(convert_to_tensor(weights)), dtypes.float32)
            right, ones = right * weights, ones * weights
        add = lambda variable, values: op_call.call("ScatterAdd", None, ref=variable._ref(), indices=labels, updates=values)
        new_total, new_count = add(total, ones), add(count, right)
        value = reduce_mean(_quotient(count, total, None), name="mean_accuracy")
        return collected(value, _quotient(new_count, new_total, "update_op"), metrics_collections, updates_collections)


def mean_iou(labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None,
             metrics_collections: Sequence[str] | None = None, updates_collections: Sequence[str] | None = None,
             name: str | None = None) -> typing.Tuple[Tensor, Tensor]:
    """The mean over classes of (examples that are of it and predicted so) / (those that are one of both). The update gives the matrix of
    counts, a row for each true class."""
    with variable_scope(name, "mean_iou"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes, num_classes], dtypes.float64, name="total_confusion_matrix")
        update = total.assign_add(confusion_matrix(_flat(labels), _flat(predictions), num_classes, dtypes.float64,
                                                   weights=None if weights is None else _flat(convert_to_tensor(weights))))
        counts = convert_to_tensor(total)
        both = cast(array_ops.diag_part(counts), dtypes.float32)
        union = cast(reduce_sum(counts, 0), dtypes.float32) + cast(reduce_sum(counts, 1), dtypes.float32) - both
        valid = reduce_sum(cast(op_call.call("NotEqual", None, x=union, y=0.0), dtypes.float32))
        ratio = both / array_ops.where(union > 0, union, array_ops.ones_like(union))
        value = array_ops.where(valid > 0, reduce_sum(ratio, name="mean_iou") / valid, array_ops.zeros_like(valid))
        return collected(value, update, metrics_collections, updates_collections)


def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int | None = None, dtype: DTypeLike = dtypes.int32,
                     name: str | None = None, weights: TensorLike | None = None) -> Tensor:
    """[classes, classes]: how often each class (row) was predicted as each (column), or the sum of weights."""
    with stacks.get_default_graph().name_scope(name or "confusion_matrix") as scope:
        labels, predictions = alike_ranks(labels, predictions)
        labels, predictions = cast(labels, dtypes.int64), cast(predictions, dtypes.int64)
        if num_classes is None:
            num_classes = op_call.call("Maximum", None, x=math_ops.reduce_max(labels), y=math_ops.reduce_max(predictions)) + 1
        size = cast(num_classes, dtypes.int64)
        values = array_ops.ones_like(predictions, dtype=dtype) if weights is None else cast(weights, dtype)
        return op_call.call("ScatterNd", scope, indices=array_ops.stack([labels, predictions], axis=1), updates=values,
                            shape=array_ops.stack([size, size]))
