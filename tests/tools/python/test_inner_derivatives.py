"""Derivatives that are taken inside a branch, of loops outside of it: the loops keep what they need where they are. Numbers are TensorFlow's."""

import numpy as np
import pytest
import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def _value(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def _power(x, turns=3):
    return tf.while_loop(lambda i, y: i < turns, lambda i, y: (i + 1, y * x), [0, x])[1]


def _branch(function, other=lambda: 0.0, taken=True):
    return tf.cond(tf.placeholder_with_default(taken, []), function, other)


@pytest.mark.parametrize("taken,value", [(True, 32.0), (False, 0.0)])
def test_of_a_loop(taken, value):
    x = tf.constant(2.0)
    y = _power(x)
    assert _value(_branch(lambda: tf.gradients(y, x)[0], taken=taken)) == value


def test_of_a_loop_inside_of_the_branch():
    x = tf.constant(2.0)
    assert _value(_branch(lambda: tf.gradients(_power(x), x)[0])) == 32


def test_in_a_branch_of_a_branch():
    x = tf.constant(2.0)
    y = _power(x)
    assert _value(_branch(lambda: _branch(lambda: tf.gradients(y * x, x)[0]))) == 80


def test_in_both_branches_and_outside():
    x = tf.constant(2.0)
    y = _power(x)
    branches = [_branch(lambda: tf.gradients(y, x)[0], lambda: tf.gradients(y * y, x)[0], taken) for taken in (True, False)]
    assert _value([tf.gradients(y, x)[0], *branches, tf.gradients(y * 2.0, x)[0]]) == [32, 32, 1024, 64]


def test_of_a_loop_in_a_loop():
    x = tf.constant(1.1)
    y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * _power(x * y, 2)), [0, x])[1]
    np.testing.assert_allclose(_value(_branch(lambda: tf.gradients(y, x)[0])), 540.9317, rtol=1e-5)


@pytest.mark.parametrize("taken,value", [(True, 32.0), (False, 7.0)])
def test_of_a_loop_in_another_branch(taken, value):
    x = tf.constant(2.0)
    y = _branch(lambda: _power(x), lambda: x * 7, taken)
    assert _value(_branch(lambda: tf.gradients(y, x)[0])) == value


def test_of_branches_in_a_loop():
    x = tf.constant(2.0)
    y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.cond(i < 2, lambda: y * x, lambda: y + x)), [0, x])[1]
    assert _value(_branch(lambda: tf.gradients(y, x)[0])) == 14


def test_of_a_loop_in_the_same_body():
    x = tf.constant(2.0)

    def body(i, z):
        y = _power(x * z, 2)
        return i + 1, z + tf.cond(i < 1, lambda: tf.gradients(y, x)[0], lambda: 1.0)

    assert _value(tf.while_loop(lambda i, z: i < 2, body, [0, 1.0])[1]) == 14


def test_in_a_body_of_a_loop_outside_of_it():
    x = tf.constant(2.0)
    y = _power(x)
    for inside in (lambda i: tf.gradients(y, x)[0], lambda i: tf.cond(i < 1, lambda: tf.gradients(y, x)[0], lambda: 1.0)):
        with pytest.raises(ValueError, match="because they are in different while loops"):
            tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z + inside(i)), [0, 1.0])


def test_second_derivatives():
    x = tf.constant(2.0)
    y = _power(x)
    outside = tf.gradients(y, x)[0]
    assert _value([_branch(lambda: tf.gradients(outside, x)[0]), _branch(lambda: tf.gradients(tf.gradients(y, x)[0], x)[0])]) == [48, 48]


def test_of_an_imported_loop():
    with tf.Graph().as_default() as made:
        y = _power(tf.constant(2.0, name="x"))
    x, y = tf.import_graph_def(made.as_graph_def(), return_elements=["x:0", y.name], name="")
    assert _value(_branch(lambda: tf.gradients(y, x)[0])) == 32


def test_of_tensors_whose_shape_changes():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, tf.concat([tf.matmul(tf.tanh(y), x), y], 0)), [0, x],
                      shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])])[1]
    np.testing.assert_allclose(_value(_branch(lambda: tf.gradients(y, x)[0], lambda: x)), [[9.045179, 7.5028887], [6.997723, 6.9461994]], rtol=1e-5)


def test_of_arrays():
    x = tf.constant([1.0, 2.0, 3.0])
    y, z = tf.map_fn(lambda e: e * e * e, x), tf.scan(lambda a, e: a * e, x)
    assert _value(_branch(lambda: tf.gradients([y, z], x)[0], lambda: x)).tolist() == [12, 16, 29]


def test_of_gathered_rows():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * tf.gather(x, [i])), [0, tf.ones([1, 2])])[1]
    assert _value(_branch(lambda: tf.convert_to_tensor(tf.gradients(y, x)[0]), lambda: x)).tolist() == [[3, 4], [1, 2]]


def test_of_a_recurrent_network():
    x = tf.ones([2, 3, 4])
    with tf.variable_scope("r", initializer=tf.constant_initializer(0.1)):
        y, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), x, dtype=tf.float32, sequence_length=[2, 3])
    inside, outside = _value([_branch(lambda: tf.gradients(y, x)[0], lambda: x), tf.gradients(y, x)[0]])
    np.testing.assert_array_equal(inside, outside)


def test_a_step_of_training_in_a_branch():
    w = tf.get_variable("w", initializer=2.0)
    y = _power(w * 1.0)
    step = _branch(lambda: tf.group(tf.train.GradientDescentOptimizer(0.01).minimize(y)), tf.no_op)
    with tf.control_dependencies([step]):
        after = w + 0.0
    np.testing.assert_allclose(_value(after), 1.68, rtol=1e-6)
