"""Metrics that count right and wrong answers, alone or at many thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.control_flow_ops import Assert
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, reduce_all, reduce_sum
from troupe.metrics_base import collected, matched, metric_variable
from troupe.variable_scope import variable_scope
from troupe.weights import broadcast_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

__all__ = ["auc", "false_negatives", "false_negatives_at_thresholds", "false_positives", "false_positives_at_thresholds", "precision",
           "precision_at_thresholds", "recall", "recall_at_thresholds", "sensitivity_at_specificity", "specificity_at_sensitivity",
           "true_negatives", "true_negatives_at_thresholds", "true_positives", "true_positives_at_thresholds"]

# What is counted: (is the label true, is the prediction).
_KINDS = {"true_positives": (True, True), "false_negatives": (True, False), "true_negatives": (False, False), "false_positives": (False, True)}


def _and(x, y):
    return op_call.call("LogicalAnd", None, x=x, y=y)


def _is(value, wanted: bool):
    return value if wanted else op_call.call("LogicalNot", None, x=value)


def _counter(kind: str):
    label, prediction = _KINDS[kind]

    def count(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, metrics_collections: str | Iterable[str] | None = None,
              updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
        with variable_scope(name, kind):
            predictions, labels, weights = matched(cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights)
            values = _and(_is(labels, label), _is(predictions, prediction))
            total = metric_variable([], dtypes.float32, name="count")
            values = cast(values, dtypes.float32)
            if weights is not None:
                values = op_call.call("Mul", None, x=values, y=cast(weights, dtypes.float32))
            return collected(convert_to_tensor(total), total.assign_add(reduce_sum(values)), metrics_collections, updates_collections)

    count.__name__ = count.__qualname__ = kind
    count.__doc__ = f"How many labels are {label} and predicted {prediction}, or the sum of their weights."
    return count


true_positives, false_negatives = _counter("true_positives"), _counter("false_negatives")
true_negatives, false_positives = _counter("true_negatives"), _counter("false_positives")


def _ratio_of(name: str, other):
    """True positives by all that are or seem positive."""

    def metric(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, metrics_collections: str | Iterable[str] | None = None,
               updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
        with variable_scope(name, metric.__name__):
            predictions, labels, weights = matched(cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights)
            right, new_right = true_positives(labels, predictions, weights)
            wrong, new_wrong = other(labels, predictions, weights)

            def ratio(right, wrong, name):
                every = right + wrong
                return array_ops.where(every > 0, right / every, array_ops.zeros_like(every), name)

            return collected(ratio(right, wrong, "value"), ratio(new_right, new_wrong, "update_op"), metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = name
    return metric


precision = _ratio_of("precision", false_positives)
precision.__doc__ = "How many of the examples that were predicted are so, from 0 to 1."
recall = _ratio_of("recall", false_negatives)
recall.__doc__ = "How many of the examples that are so were predicted, from 0 to 1."


# At thresholds.


def _checked_probabilities(predictions):
    """They must be from 0 to 1 when they are computed."""
    fine = reduce_all(_and(predictions >= 0.0, predictions <= 1.0))
    with stacks.get_default_graph().control_dependencies([Assert(fine, ["predictions must be in [0, 1]", predictions])]):
        return op_call.call("Identity", None, input=predictions)


def counts_at(labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float], weights: TensorLike | None,
              kinds: Iterable[str]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """({kind: variable [thresholds]}, {kind: the same after the update}) of predictions above each threshold."""
    predictions = _checked_probabilities(cast(predictions, dtypes.float32))
    predictions, labels, weights = matched(predictions, cast(labels, dtypes.bool_), weights)
    count = len(thresholds)
    flat = array_ops.reshape(predictions, [1, -1])
    positive = flat > array_ops.constant([[t] for t in thresholds], dtypes.float32)
    true = array_ops.tile(array_ops.reshape(labels, [1, -1]), [count, 1])
    if weights is not None:
        weights = array_ops.reshape(broadcast_weights(cast(weights, dtypes.float32), predictions), [1, -1])
    values, updates = {}, {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        variable = metric_variable([count], dtypes.float32, name=kind)
        found = cast(_and(_is(true, label), _is(positive, prediction)), dtypes.float32)
        values[kind] = convert_to_tensor(variable)
        updates[kind] = variable.assign_add(reduce_sum(found if weights is None else found * weights, 1))
    return values, updates


def _number_of_counts(number, labels, predictions, thresholds, weights, metrics_collections, updates_collections, kinds=_KINDS):
    """The metric `number(counts, name)` of the counts at these thresholds: its value, and its value after the update."""
    values, updates = counts_at(labels, predictions, thresholds, weights, kinds)
    return collected(number(values, "value"), number(updates, "update_op"), metrics_collections, updates_collections)


def _counter_at(kind: str):
    def count(labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None,
              metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
              name: str | None = None) -> tuple[Tensor, Tensor]:
        with variable_scope(name, kind):
            values, updates = counts_at(labels, predictions, thresholds, weights, (kind,))
            return collected(values[kind], updates[kind], metrics_collections, updates_collections)

    count.__name__ = count.__qualname__ = kind + "_at_thresholds"
    count.__doc__ = f"The {kind.replace('_', ' ')} where predictions above each threshold are positive: [thresholds]."
    return count


true_positives_at_thresholds, false_negatives_at_thresholds = _counter_at("true_positives"), _counter_at("false_negatives")
true_negatives_at_thresholds, false_positives_at_thresholds = _counter_at("true_negatives"), _counter_at("false_positives")
_EPSILON = 1e-7


def _ratio_at(name: str, other: str):
    def metric(labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None,
               metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None,
               name: str | None = None) -> tuple[Tensor, Tensor]:
        with variable_scope(name, metric.__name__):
            ratio = lambda c, what: op_call.call("RealDiv", f"{short}_{what}", x=c["true_positives"], y=_EPSILON + c["true_positives"] + c[other])
            return _number_of_counts(ratio, labels, predictions, thresholds, weights, metrics_collections, updates_collections,
                                     ("true_positives", other))

    short = name.split("_")[0]
    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = f"The {short} where predictions above each threshold are positive: [thresholds]."
    return metric


precision_at_thresholds = _ratio_at("precision_at_thresholds", "false_positives")
recall_at_thresholds = _ratio_at("recall_at_thresholds", "false_negatives")


def _even_thresholds(count: int) -> list[float]:
    return [0.0 - _EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0 + _EPSILON]


def auc(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, num_thresholds: int = 200,
        metrics_collections: str | Iterable[str] | None = None, updates_collections: str | Iterable[str] | None = None, curve: str = "ROC",
        name: str | None = None, summation_method: str = "trapezoidal", thresholds: Sequence[float] | None = None) -> tuple[Tensor, Tensor]:
    """The area under the curve of true over false positives ("ROC") or of precision over recall ("PR"), by its height at many thresholds.
    ValueError for other curves and sums."""
    with variable_scope(name, "auc"):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if summation_method not in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
            raise ValueError(f"Invalid summation_method: {summation_method} summation_method should be 'trapezoidal', 'careful_interpolation', "
                             "'minoring', or 'majoring'.")
        levels = _even_thresholds(num_thresholds) if thresholds is None else [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        careful = curve == "PR" and summation_method == "careful_interpolation"
        area = _careful_area if careful else lambda c, what: _area(c, curve, summation_method, what)
        return _number_of_counts(area, labels, predictions, levels, weights, metrics_collections, updates_collections)


def _area(c, curve, summation_method, name):
    tp, fn, tn, fp = c["true_positives"], c["false_negatives"], c["true_negatives"], c["false_positives"]
    tiny = 1.0e-6
    recalled = (tp + tiny) / (tp + fn + tiny)
    x, y = (fp / (fp + tn + tiny), recalled) if curve == "ROC" else (recalled, (tp + tiny) / (tp + fp + tiny))
    left, right = y[:-1], y[1:]
    if summation_method == "minoring":
        height = op_call.call("Minimum", None, x=left, y=right)
    elif summation_method == "majoring":
        height = op_call.call("Maximum", None, x=left, y=right)
    else:
        height = (left + right) / 2.0
    return reduce_sum((x[:-1] - x[1:]) * height, name=name)


def _careful_area(c, name):
    """Davis and Goadrich's: true positives between two thresholds are linear in all that seem positive."""
    tp, fn, fp = c["true_positives"], c["false_negatives"], c["false_positives"]
    gained, p = tp[:-1] - tp[1:], tp + fp
    most = lambda x: op_call.call("Maximum", None, x=x, y=0)
    slope = math_ops.div_no_nan(gained, most(p[:-1] - p[1:]), name="prec_slope")
    intercept = tp[1:] - slope * p[1:]
    ratio = array_ops.where(_and(p[:-1] > 0, p[1:] > 0), math_ops.div_no_nan(p[:-1], most(p[1:]), name="recall_relative_ratio"),
                            array_ops.ones_like(p[1:]))
    area = slope * (gained + intercept * op_call.call("Log", None, x=ratio))
    return reduce_sum(math_ops.div_no_nan(area, most(tp[1:] + fn[1:]), name="pr_auc_increment"), name="interpolate_pr_auc")


def sensitivity_at_specificity(labels: TensorLike, predictions: TensorLike, specificity: float, weights: TensorLike | None = None,
                               num_thresholds: int = 200, metrics_collections: str | Iterable[str] | None = None,
                               updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The recall at the threshold where the specificity is nearest to this one. ValueError for one outside [0, 1]."""
    if not 0 <= specificity <= 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")
    with variable_scope(name, "sensitivity_at_specificity"):
        def at_best(c, name):
            tn, tp, fn = c["true_negatives"], c["true_positives"], c["false_negatives"]
            distance = math_ops.abs(tn / (tn + c["false_positives"] + _EPSILON) - specificity)
            best = cast(math_ops.argmin(distance, 0), dtypes.int32)
            return op_call.call("RealDiv", name, x=tp[best], y=tp[best] + fn[best] + _EPSILON)

        levels = _even_thresholds(num_thresholds)
        return _number_of_counts(at_best, labels, predictions, levels, weights, metrics_collections, updates_collections)


def specificity_at_sensitivity(labels: TensorLike, predictions: TensorLike, sensitivity: float, weights: TensorLike | None = None,
                               num_thresholds: int = 200, metrics_collections: str | Iterable[str] | None = None,
                               updates_collections: str | Iterable[str] | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The specificity at the highest threshold among those where the recall is nearest to this one. ValueError for one outside [0, 1]."""
    if not 0 <= sensitivity <= 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")
    with variable_scope(name, "specificity_at_sensitivity"):
        def at_best(c, name):
            tn, tp, fp = c["true_negatives"], c["true_positives"], c["false_positives"]
            distance = math_ops.abs(tp / (tp + c["false_negatives"] + _EPSILON) - sensitivity)
            nearest = cast(op_call.call("Equal", None, x=distance, y=math_ops.reduce_min(distance)), dtypes.int64)
            place = cast(math_ops.argmax(math_ops.cumsum(nearest), 0), dtypes.int32)
            return op_call.call("RealDiv", name, x=tn[place], y=tn[place] + fp[place] + _EPSILON)

        levels = _even_thresholds(num_thresholds)
        return _number_of_counts(at_best, labels, predictions, levels, weights, metrics_collections, updates_collections)
