"""Losses, with TensorFlow's numbers."""

import numpy as np
import pytest
from recorded import check, ramp, weights

import troupe as tf

losses = tf.losses


def rows():
    return tf.constant([[1.0], [0.0], [2.0], [0.5]])


# Programs, and the marks of what they give and of the gradients.
LOSSES = {
    "absolute_difference": (lambda: losses.absolute_difference(ramp(4, 3), weights(4, 3)), [0.506731, -1.58333]),
    "mean_squared_error": (lambda: losses.mean_squared_error(ramp(4, 3), weights(4, 3), rows()), [0.314023, -0.965045]),
    "mean_squared_error_none": (
        lambda: losses.mean_squared_error(ramp(4, 3), weights(4, 3), rows(), reduction=losses.Reduction.NONE),
        [6.5009, -8.68541]),
    "mean_squared_error_sum": (
        lambda: losses.mean_squared_error(ramp(4, 3), weights(4, 3), rows(), reduction=losses.Reduction.SUM),
        [2.8262, -8.68541]),
    "mean_squared_error_mean": (
        lambda: losses.mean_squared_error(ramp(4, 3), weights(4, 3), rows(), reduction=losses.Reduction.MEAN),
        [0.269162, -0.827182]),
    "mean_squared_error_batch": (
        lambda: losses.mean_squared_error(ramp(4, 3), weights(4, 3), rows(), reduction="weighted_sum_over_batch_size"),
        [0.235517, -0.723784]),
    "mean_pairwise_squared_error": (lambda: losses.mean_pairwise_squared_error(ramp(4, 3), weights(4, 3), rows()), [2.11352, 8.12839]),
    "cosine_distance": (lambda: losses.cosine_distance(ramp(4, 3), weights(4, 3), axis=1), [0.970556, -3.8]),
    "hinge_loss": (lambda: losses.hinge_loss([[0.0, 1.0, 1.0]] * 4, weights(4, 3)), [1.34532, -1.08333]),
    "huber_loss": (lambda: losses.huber_loss(ramp(4, 3), 3 * weights(4, 3), delta=0.5), [0.533406, -1.70329]),
    "log_loss": (lambda: losses.log_loss(ramp(4, 3), tf.sigmoid(weights(4, 3))), [0.680606, 0.528568]),
    "sigmoid_cross_entropy": (lambda: losses.sigmoid_cross_entropy(ramp(4, 3), weights(4, 3), label_smoothing=0.1), [0.684974, 0.476068]),
    "softmax_cross_entropy": (
        lambda: losses.softmax_cross_entropy(ramp(4, 3), weights(4, 3), [1.0, 0.0, 3.0, 0.5], 0.1),
        [0.889669, 0.980701]),
    "sparse_softmax_cross_entropy": (
        lambda: losses.sparse_softmax_cross_entropy([[1], [2], [0], [0]], weights(4, 3), 0.5),
        [0.681088, -0.324104]),
}


@pytest.mark.parametrize("name", LOSSES)
def test_computes_what_tensorflow_computes(name):
    check(*LOSSES[name])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_losses_are_collected_and_summed():
    a = losses.mean_squared_error([1.0, 2.0], [2.0, 4.0])
    with tf.name_scope("inner"):
        b = losses.absolute_difference([1.0], [4.0])
    losses.hinge_loss([1.0], [0.0], loss_collection=None)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(10.0))
    assert losses.get_losses() == [a, b] and losses.get_losses("inner") == [b]
    with tf.Session() as session:
        assert session.run([losses.get_total_loss(), losses.get_total_loss(False)]) == [15.5, 5.5]


def test_weights_must_fit():
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        losses.mean_squared_error(ramp(2, 3), ramp(2, 3), tf.ones([3]))
    with pytest.raises(ValueError, match="Mismatch at dim 0"):
        losses.mean_squared_error(ramp(2, 3), ramp(2, 3), tf.ones([3, 1]))
    given = tf.placeholder(tf.float32)
    loss = losses.mean_squared_error(ramp(2, 3), ramp(2, 3) + 1, given)
    with tf.Session() as session:
        assert session.run(loss, {given: [[1], [0]]}) == pytest.approx(1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast"):
            session.run(loss, {given: [1, 1, 1]})


def test_an_unknown_reduction_is_a_value_error():
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        losses.mean_squared_error([1.0], [1.0], reduction="all")


@pytest.mark.parametrize("steps, batch", [(True, True), (True, False), (False, True), (False, False)])
def test_the_loss_of_sequences_is_averaged_over_what_it_is_asked_to(steps, batch):
    random = np.random.RandomState(0)
    logits, weight = random.rand(2, 3, 4), np.array([[1.0, 1.0, 0.0], [1.0, 0.5, 0.25]])
    targets = np.array([[0, 1, 2], [3, 0, 1]])
    log = logits - np.log(np.exp(logits).sum(2, keepdims=True))
    expected = -weight * np.take_along_axis(log, targets[..., None], 2)[..., 0]
    axes = tuple(a for a, averaged in ((0, batch), (1, steps)) if averaged)
    if axes:
        expected = expected.sum(axes) / weight.sum(axes)
    loss = tf.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weight), steps, batch)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(loss), expected)


def test_the_loss_of_sequences_checks_ranks():
    with pytest.raises(ValueError, match="Targets must be"):
        tf.seq2seq.sequence_loss(ramp(2, 3, 4), [1, 2], ramp(2, 3))
