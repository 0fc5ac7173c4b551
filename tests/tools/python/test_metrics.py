"""Metrics over batches: TensorFlow's numbers, and where they are kept."""

import numpy as np
import pytest

import troupe as tf

metrics = tf.metrics
LABELS = np.array([0, 0, 1, 1, 0, 1])
SCORES = np.array([0.1, 0.6, 0.35, 0.8, 0.4, 0.9], np.float32)
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0, 0.25, 1.5], np.float32)
TRUE, SEEN = np.array([0, 1, 2, 2, 1, 0]), np.array([0, 2, 2, 1, 1, 0])

# name: (what it is called with, what the first update gives, what the value is after the second).
CASES = {
    "mean": (dict(values=SCORES), 0.525, 0.525),
    "mean 2": (dict(values=SCORES, weights=WEIGHTS), 0.536, 0.536),
    "mean_tensor": (dict(values=SCORES, weights=WEIGHTS), [0.1, 0.6, 0.35, 0.8, 0.4, 0.8999999], [0.1, 0.6, 0.35, 0.8, 0.4, 0.8999999]),
    "accuracy": (dict(labels=TRUE, predictions=SEEN), 0.6666667, 0.6666667),
    "accuracy 2": (dict(labels=TRUE, predictions=SEEN, weights=WEIGHTS), 0.76, 0.76),
    "mean_absolute_error": (dict(labels=WEIGHTS, predictions=SCORES), 0.6000001, 0.6000001),
    "mean_squared_error": (dict(labels=WEIGHTS, predictions=SCORES, weights=WEIGHTS), 1.0953, 1.0953),
    "root_mean_squared_error": (dict(labels=WEIGHTS, predictions=SCORES), 0.8129165, 0.8129165),
    "mean_relative_error": (dict(labels=SCORES, predictions=WEIGHTS, normalizer=WEIGHTS), 0.5208333, 0.5208333),
    "mean_cosine_distance": (dict(labels=SCORES[:, None], predictions=WEIGHTS[:, None], dim=1), 0.4416667, 0.4416667),
    "percentage_below": (dict(values=SCORES, threshold=0.5), 0.5, 0.5),
    "mean_per_class_accuracy": (dict(labels=TRUE, predictions=SEEN, num_classes=3), [1.0, 0.5, 0.5], 0.6666667),
    "mean_iou": (dict(labels=TRUE, predictions=SEEN, num_classes=3), [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]], 0.5555556),
    "mean_iou 2": (
        dict(labels=TRUE, predictions=SEEN, num_classes=3, weights=WEIGHTS),
        [[2.5, 0.0, 0.0], [0.0, 0.25, 0.5], [0.0, 1.0, 2.0]], 0.5714286),
    "true_positives": (dict(labels=LABELS, predictions=SCORES > 0.5), 2.0, 4.0),
    "true_positives 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 2.5, 5.0),
    "true_positives_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [4.5, 2.5], [9.0, 5.0]),
    "false_positives": (dict(labels=LABELS, predictions=SCORES > 0.5), 1.0, 2.0),
    "false_positives 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 0.5, 1.0),
    "false_positives_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [0.75, 0.5], [1.5, 1.0]),
    "true_negatives": (dict(labels=LABELS, predictions=SCORES > 0.5), 2.0, 4.0),
    "true_negatives 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 1.25, 2.5),
    "true_negatives_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [1.0, 1.25], [2.0, 2.5]),
    "false_negatives": (dict(labels=LABELS, predictions=SCORES > 0.5), 1.0, 2.0),
    "false_negatives 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 2.0, 4.0),
    "false_negatives_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [0.0, 2.0], [0.0, 4.0]),
    "precision": (dict(labels=LABELS, predictions=SCORES > 0.5), 0.6666667, 0.6666667),
    "precision 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 0.8333333, 0.8333333),
    "precision_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [0.8571429, 0.8333333], [0.8571429, 0.8333333]),
    "recall": (dict(labels=LABELS, predictions=SCORES > 0.5), 0.6666667, 0.6666667),
    "recall 2": (dict(labels=LABELS, predictions=SCORES > 0.5, weights=WEIGHTS), 0.5555556, 0.5555556),
    "recall_at_thresholds": (
        dict(labels=LABELS, predictions=SCORES, thresholds=[0.2, 0.5], weights=WEIGHTS),
        [1.0, 0.5555556], [1.0, 0.5555556]),
    "auc": (dict(labels=LABELS, predictions=SCORES), 0.7777776, 0.7777777),
    "auc 2": (dict(labels=LABELS, predictions=SCORES, weights=WEIGHTS, num_thresholds=50), 0.8095235, 0.8095236),
    "auc 3": (dict(labels=LABELS, predictions=SCORES, curve="PR", summation_method="careful_interpolation"), 0.8512377, 0.8512377),
    "auc 4": (dict(labels=LABELS, predictions=SCORES, summation_method="minoring"), 0.7777776, 0.7777777),
    "auc 5": (dict(labels=LABELS, predictions=SCORES, summation_method="majoring", thresholds=[0.3, 0.7]), 0.9999997, 0.9999998),
    "auc 6": (dict(labels=LABELS, predictions=SCORES, curve="PR"), 0.8499997, 0.8499999),
    "sensitivity_at_specificity": (dict(labels=LABELS, predictions=SCORES, specificity=0.5), 1.0, 1.0),
    "specificity_at_sensitivity": (dict(labels=LABELS, predictions=SCORES, sensitivity=0.5, weights=WEIGHTS), 0.9999999, 1.0),
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(function, given):
    """What the first update gives, and the value after the second."""
    value, update = function(**{k: tf.constant(v) if isinstance(v, np.ndarray) else v for k, v in given.items()})
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        first = session.run(update)
        session.run(update)
        return first, session.run(value)


@pytest.mark.parametrize("case", CASES)
def test_computes_what_tensorflow_computes(case):
    given, first, value = CASES[case]
    found = run(getattr(metrics, case.split(" ")[0]), given)
    np.testing.assert_allclose(found[0], first, rtol=1e-5)
    np.testing.assert_allclose(found[1], value, rtol=1e-5)


def test_what_is_counted_is_in_local_variables():
    metrics.mean([1.0], name="m", metrics_collections=["values"], updates_collections=["updates"])
    metrics.precision([True], [True])
    metrics.mean([1.0])
    names = [v.op.name for v in tf.local_variables()]
    assert names == ["m/total", "m/count", "precision/true_positives/count", "precision/false_positives/count", "mean/total", "mean/count"]
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables() and not tf.global_variables()
    assert [tf.get_collection(c)[0].op.name for c in ("values", "updates")] == ["m/value", "m/update_op"]


def test_a_mean_goes_over_batches():
    x = tf.placeholder(tf.float32, [None])
    value, update = metrics.mean(x)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0
        assert [session.run(update, {x: batch}) for batch in ([1, 2, 3], [6])] == [2, 3]
        assert session.run(value) == 3


def test_ranks_may_differ_by_one():
    assert run(metrics.accuracy, dict(labels=LABELS[:, None], predictions=LABELS, weights=WEIGHTS[:, None])) == (1, 1)


def test_scores_must_be_probabilities():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
        run(metrics.auc, dict(labels=LABELS, predictions=2 * SCORES))


@pytest.mark.parametrize("call, text", [
    (lambda: metrics.auc(LABELS, SCORES, curve="X"), "either ROC or PR"),
    (lambda: metrics.auc(LABELS, SCORES, summation_method="X"), "summation_method"),
    (lambda: metrics.sensitivity_at_specificity(LABELS, SCORES, 2), "range"),
    (lambda: metrics.accuracy(LABELS, LABELS[:3]), "incompatible"),
    (lambda: metrics.mean([1.0, 2.0], [1.0, 2.0, 3.0]), "weights can not be broadcast"),
])
def test_wrong_arguments_are_value_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_a_confusion_matrix_counts_pairs():
    with tf.Session() as session:
        assert session.run(tf.confusion_matrix(TRUE, SEEN)).tolist() == [[2, 0, 0], [0, 1, 1], [0, 1, 1]]
        assert session.run(tf.confusion_matrix([0, 1], [1, 1], 3, tf.float32, weights=[0.5, 2.0])).tolist() == [[0, 0.5, 0], [0, 2, 0], [0, 0, 0]]
