"""Layers: TensorFlow's numbers, and the names and collections of what they make."""

import numpy as np
import pytest
from recorded import check, ramp

import troupe as tf

layers = tf.layers

# Programs, and the marks of what they give and of the gradients.
LAYERS = {
    "dense": (
        lambda: layers.dense(layers.dense(ramp(2, 3), 4, activation=tf.nn.relu), 2, name="out"),
        [-1.68497, -9.51994, -8.1381, 6.01987, 6.0]),
    "dense_of_three_dimensions": (lambda: layers.dense(ramp(2, 3, 4), 5), [-12.9458, 126.1, 90.0]),
    "conv1d": (lambda: layers.conv1d(ramp(1, 5, 2), 3, 3), [1.36735, 60.4, 18.0]),
    "conv2d": (lambda: layers.conv2d(ramp(1, 7, 7, 2), 3, 3, strides=2, padding="same", activation=tf.nn.relu), [20.3512, 483.3, 51.0]),
    "conv2d_with_gaps": (lambda: layers.conv2d(ramp(1, 7, 7, 2), 3, 3, dilation_rate=2), [8.49458, 567.9, 54.0]),
    "conv3d": (lambda: layers.conv3d(ramp(1, 4, 4, 4, 2), 3, 2), [31.4781, 1534.5, 162.0]),
    "conv2d_transpose": (lambda: layers.conv2d_transpose(ramp(1, 4, 4, 2), 3, 3, strides=2), [11.7174, 949.4, 486.0]),
    "conv2d_transpose_same": (lambda: layers.conv2d_transpose(ramp(1, 4, 4, 2), 3, 3, strides=2, padding="same"), [1.42388, 816.3, 384.0]),
    "conv3d_transpose": (lambda: layers.conv3d_transpose(ramp(1, 3, 3, 3, 2), 3, 2, strides=2), [25.9429, 1483.5, 1296.0]),
    "separable_conv1d": (lambda: layers.separable_conv1d(ramp(1, 5, 2), 3, 3), [1.49837, -9.33193, -8.1674, 18.0]),
    "separable_conv2d": (lambda: layers.separable_conv2d(ramp(1, 5, 5, 2), 3, 3, depth_multiplier=2), [15.8005, -130.174, -24.9797, 54.0]),
    "pooling1d": (lambda: layers.max_pooling1d(layers.average_pooling1d(ramp(1, 5, 2), 2, 1), 2, 2), [3.6]),
    "pooling2d": (lambda: layers.max_pooling2d(layers.average_pooling2d(ramp(1, 5, 5, 2), 2, 1), 2, 2), [10.55]),
    "pooling3d": (lambda: layers.max_pooling3d(layers.average_pooling3d(ramp(1, 5, 5, 5, 2), 2, 1), 2, 2), [19.9125]),
    "dropout": (lambda: layers.dropout(layers.flatten(ramp(2, 5, 2)), 0.3, training=True), [28.0]),
    "dropout_when_not_training": (lambda: layers.dropout(ramp(2, 5, 2), 0.3), [29.4]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_computes_what_tensorflow_computes(name):
    check(*LAYERS[name])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_variables_are_in_a_scope_of_each_layer(graph):
    x = layers.dense(ramp(2, 3), 3)
    x = layers.dense(x, 3, activation=tf.nn.relu)
    with tf.variable_scope("inner"):
        x = layers.dense(x, 3, use_bias=False)
    layers.dense(x, 3, name="named")
    assert [v.name for v in tf.global_variables()] == [
        "dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0", "inner/dense/kernel:0", "named/kernel:0", "named/bias:0"]
    assert {"dense/MatMul", "dense/BiasAdd", "dense_1/Relu", "inner/dense/MatMul"} <= {o.name for o in graph.get_operations()}


def test_a_layer_uses_its_variables_again():
    layer = layers.Dense(3)
    with pytest.raises(ValueError, match="not been used yet"):
        layer.scope_name
    layer(layer(ramp(2, 3)))
    assert layer.scope_name == "dense" and len(tf.global_variables()) == 2 and layer.count_params() == 12
    assert layer.trainable_weights == tf.trainable_variables() == [layer.kernel, layer.bias]


def test_reuse_shares_variables_by_name():
    layers.dense(ramp(2, 3), 3, name="a")
    with pytest.raises(ValueError, match="already exists"):
        layers.dense(ramp(2, 3), 3, name="a")
    layers.dense(ramp(2, 3), 3, name="a", reuse=True)
    with pytest.raises(ValueError, match="does not exist"):
        layers.dense(ramp(2, 3), 3, name="b", reuse=True)
    assert len(tf.global_variables()) == 2


def test_regularizers_are_losses_once():
    half = lambda v: 0.5 * tf.reduce_sum(v * v)
    for reuse in (None, True):
        layers.dense(ramp(2, 3), 2, kernel_initializer=tf.ones_initializer(), kernel_regularizer=half, name="a", reuse=reuse)
    with tf.variable_scope("scope", regularizer=half):
        layers.dense(ramp(2, 3), 2, kernel_initializer="ones", use_bias=False)
    found = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert [t.op.name.split("/Regularizer")[0] for t in found] == ["a/kernel", "scope/dense/kernel"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found) == [3.0, 3.0] and session.run(tf.losses.get_regularization_loss()) == 6.0


@pytest.mark.parametrize("shape, axis, fused", [((4, 3), -1, None), ((2, 3, 3, 5), -1, None), ((2, 3, 3, 5), -1, False), ((2, 3, 3, 5), 1, False)])
def test_batch_normalization_moves_towards_the_moments_of_batches(shape, axis, fused):
    x = np.random.RandomState(0).rand(*shape).astype(np.float32)
    training = tf.placeholder(tf.bool)
    y = layers.batch_normalization(tf.constant(x), axis, momentum=0.9, training=training, fused=fused)
    names = ["gamma", "beta", "moving_mean", "moving_variance"]
    assert [v.op.name for v in tf.global_variables()] == ["batch_normalization/" + n for n in names]
    assert [v.op.name for v in tf.trainable_variables()] == ["batch_normalization/gamma", "batch_normalization/beta"]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    moving = tf.global_variables()[2:]
    others = tuple(i for i in range(len(shape)) if i != axis % len(shape))
    mean, variance = (f(x, others, keepdims=True) for f in (np.mean, np.var))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, {training: False}), x / np.sqrt(1.001), rtol=1e-4)
        out, _ = session.run([y, updates], {training: True})
        np.testing.assert_allclose(out, (x - mean) / np.sqrt(variance + 1e-3), rtol=1e-3, atol=1e-4)
        count = x.size / mean.size
        unbiased = count / (count - 1) if len(shape) == 4 and fused is None else 1
        expected = 0.1 * mean.ravel(), 0.9 + 0.1 * variance.ravel() * unbiased
        for found, wanted in zip(session.run(moving), expected):
            np.testing.assert_allclose(found, wanted, rtol=1e-4)
        session.run(updates, {training: False})
        np.testing.assert_allclose(session.run(moving)[0], expected[0], rtol=1e-4)


def test_batch_normalization_has_gradients():
    x = tf.constant(np.random.RandomState(0).rand(4, 2).astype(np.float32))
    y = layers.batch_normalization(x, training=True)
    by_gamma, by_beta, by_x = tf.gradients(tf.reduce_sum(y * y), tf.trainable_variables() + [x])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        out, g, b, d = session.run([y, by_gamma, by_beta, by_x])
        np.testing.assert_allclose(g, 2 * (out * out).sum(0), rtol=1e-4)
        np.testing.assert_allclose(b, 2 * out.sum(0), atol=1e-4)
        np.testing.assert_allclose(d.sum(0), [0, 0], atol=1e-3)


def test_dropout_follows_a_placeholder():
    training = tf.placeholder_with_default(False, [])
    y = layers.dropout(tf.ones([1000]), 0.5, training=training)
    with tf.Session() as session:
        assert (session.run(y) == 1).all()
        dropped = session.run(y, {training: True})
    assert set(np.unique(dropped)) == {0.0, 2.0} and 350 < (dropped == 0).sum() < 650


@pytest.mark.parametrize("call, text", [
    (lambda: layers.dense(ramp(3), 2), "expected min_ndim=2, found ndim=1"),
    (lambda: layers.conv2d(ramp(2, 3, 3), 2, 2), "expected ndim=4, found ndim=3"),
    (lambda: layers.dense(tf.placeholder(tf.float32, [2, None]), 2), "should be defined"),
    (lambda: layers.conv2d(ramp(1, 3, 3, 1), 2, (1, 2, 3)), "tuple of 2 integers"),
    (lambda: layers.conv2d(ramp(1, 3, 3, 1), 2, 2, padding="full"), "padding"),
    (lambda: layers.dropout(ramp(3), 2.0), "between 0 and 1"),
])
def test_wrong_arguments_are_value_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_a_kernel_in_parts_is_regularised_by_parts_and_used_as_a_whole():
    with tf.Graph().as_default():
        with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
            layer = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer(), kernel_regularizer=tf.nn.l2_loss)
            out = layer(tf.ones([2, 5]))
        assert [w.name for w in layer.trainable_weights] == [f"net/dense/{n}/part_{i}:0" for n in ("kernel", "bias") for i in (0, 1)]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(out), np.full((2, 3), 5.0))
            assert session.run(tf.losses.get_regularization_losses()) == [4.5, 3.0]


def test_updates_are_operations_whatever_tells_of_training():
    for training in (True, tf.placeholder(tf.bool, [])):
        tf.layers.batch_normalization(tf.ones([2, 3]), training=training)
        tf.layers.batch_normalization(tf.ones([2, 4, 4, 3]), training=training)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == 8 and all(isinstance(u, tf.Operation) for u in updates)
    assert [u.name for u in updates][:4] == ["batch_normalization/AssignMovingAvg", "batch_normalization/AssignMovingAvg_1",
                                             "batch_normalization_1/AssignMovingAvg", "batch_normalization_1/AssignMovingAvg_1"]


def test_pictures_of_doubles_are_normalized_without_the_fused_op():
    x = np.random.RandomState(0).rand(2, 3, 3, 2)
    y = tf.layers.batch_normalization(tf.constant(x), training=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        made = session.run(y)
    np.testing.assert_allclose(made, (x - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + 1e-3), rtol=1e-6)
    assert made.dtype == np.float64
