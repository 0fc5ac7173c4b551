"""A graph is built and run."""

import numpy as np
import pytest

import troupe as tf


def test_a_sum_of_a_feed_and_a_constant():
    x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None])
    total = tf.raw_ops.AddV2(x=x, y=3.0, name="total")
    with tf.Session() as session:
        value = session.run(total, {x: [1, 2]})
    assert value.dtype == np.float32
    np.testing.assert_array_equal(value, [4, 5])
    assert total.name == "total:0"
    assert [t.name for t in total.op.inputs] == ["Placeholder:0", "total/y:0"]


def test_an_error_names_the_line_that_made_the_operation():
    with tf.Graph().as_default():
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[2], name="unfed")
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(tf.raw_ops.Neg(x=x))
    assert raised.value.op is x.op
    assert raised.value.node_def.op == "Placeholder"
    assert "You must feed a value for placeholder tensor 'unfed'" in raised.value.message
    assert "test_first_steps.py" in str(raised.value)
