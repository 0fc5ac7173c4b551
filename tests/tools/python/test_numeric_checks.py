"""tf.debugging.enable_check_numerics."""

import numpy as np
import pytest
import troupe as tf


@pytest.fixture(autouse=True)
def checked():
    with tf.Graph().as_default():
        tf.debugging.enable_check_numerics()
        yield
        tf.debugging.disable_check_numerics()


def _run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@pytest.mark.parametrize("value,what", [(0.0, "Tensor had -Inf values"), (-1.0, "Tensor had NaN values")])
def test_an_operation_that_puts_out_none_fails(value, what):
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.log(x, name="y")
    z = tf.reshape(y + 1.0, [-1])
    assert y.name == "y/CheckNumericsV2:0" and y.op.inputs[0].name == "y:0"
    np.testing.assert_allclose(_run(z, {x: [1.0]}), [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as e:
        _run(z, {x: [value]})
    said = str(e.value)
    assert '!!! Detected Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1) !!!' in said and what in said
    assert 'Input tensor: Tensor("x:0", shape=(?,), dtype=float32)' in said and 'y = tf.log(x, name="y")' in said


def test_what_is_fed_is_checked():
    x = tf.placeholder(tf.float32, [])
    y = tf.exp(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Placeholder"'):
        _run(y, {x: float("nan")})


def test_branches_loops_and_variables_are_what_they_were():
    x = tf.placeholder(tf.float32, [])
    v, w = tf.Variable(3.0, use_resource=True), tf.Variable(4.0)
    values = [tf.cond(x > 0, lambda: x * 2, lambda: x), tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, 1.0])[1], v + w,
              tf.gradients(x * x * v, x)[0], tf.map_fn(lambda e: e * e, tf.ones([2]) * x)]
    found = _run(values, {x: 2.0})
    assert found[:4] == [4, 8, 7, 12] and found[4].tolist() == [4, 4]


def test_a_network_learns():
    x = tf.ones([2, 3, 4])
    y, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), x, dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(tf.layers.dense(y, 1) - 1.0))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(loss)
        for _ in range(5):
            session.run(step)
        assert session.run(loss) < first


def test_no_longer_once_it_is_disabled():
    tf.debugging.disable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert np.isnan(_run(tf.log(tf.constant(-1.0, name="c"))))
