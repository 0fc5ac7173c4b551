"""Learning rates, global steps and moving averages."""

import numpy as np
import pytest

import troupe as tf

train = tf.train

# TensorFlow 2.21's rates at the steps 0, 1, 3, 5 and 9.
_RATES = [
    (lambda s: train.exponential_decay(0.1, s, 4, 0.5), [0.1, 0.08408964, 0.05946035, 0.04204482, 0.02102241]),
    (lambda s: train.exponential_decay(0.1, s, 4, 0.5, staircase=True), [0.1, 0.1, 0.1, 0.05, 0.025]),
    (lambda s: train.natural_exp_decay(0.1, s, 4, 0.5), [0.1, 0.08824969, 0.06872893, 0.05352614, 0.03246525]),
    (lambda s: train.inverse_time_decay(0.1, s, 4, 0.5), [0.1, 0.08888889, 0.07272727, 0.06153846, 0.04705882]),
    (lambda s: train.polynomial_decay(0.1, s, 8, 0.01, power=2.0), [0.1, 0.07890625, 0.04515625, 0.02265625, 0.01]),
    (lambda s: train.polynomial_decay(0.1, s, 4, 0.01, cycle=True), [0.1, 0.0775, 0.0325, 0.04375, 0.0325]),
    (lambda s: train.piecewise_constant(s, [2, 8], [0.1, 0.01, 0.001]), [0.1, 0.1, 0.01, 0.01, 0.001]),
    (lambda s: train.cosine_decay(0.1, s, 8, 0.1), [0.1, 0.09657458, 0.07222076, 0.03777924, 0.01]),
    (lambda s: train.cosine_decay_restarts(0.1, s, 3, t_mul=1.5, m_mul=0.5), [0.1, 0.075, 0.05, 0.0293412, 0.02207555]),
    (lambda s: train.linear_cosine_decay(0.1, s, 8), [0.1001, 0.08426972, 0.04330885, 0.01167468, 0.0001]),
]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("make, recorded", _RATES)
def test_a_rate_falls_as_recorded(make, recorded):
    step = tf.placeholder(tf.int64, [])
    rate = make(step)
    with tf.Session() as session:
        np.testing.assert_allclose([session.run(rate, {step: s}) for s in (0, 1, 3, 5, 9)], recorded, rtol=1e-5)


def test_a_rate_has_the_name_of_its_scope():
    assert train.exponential_decay(0.1, tf.constant(1), 4, 0.5).name == "ExponentialDecay:0"
    assert train.polynomial_decay(0.1, tf.constant(1), 4, name="rate").name == "rate:0"
    with pytest.raises(ValueError, match="global_step is required"):
        train.exponential_decay(0.1, None, 4, 0.5)


def test_there_is_one_global_step():
    assert train.get_global_step() is None
    step = train.get_or_create_global_step()
    assert step is train.get_or_create_global_step() and step is train.get_global_step()
    assert step.name == "global_step:0" and step.dtype.base_dtype is tf.int64
    assert tf.trainable_variables() == []
    with pytest.raises(ValueError, match="already exists"):
        train.create_global_step()
    with tf.Session() as session:
        session.run(step.initializer)
        session.run(step.assign_add(4))
        assert train.global_step(session, step) == 4


def test_a_global_step_is_an_integer():
    tf.Variable(1.0, name="global_step")
    with pytest.raises(TypeError, match="does not have integer type"):
        train.get_global_step()


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_shadow_moves_towards_its_variable(use_resource):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=use_resource)
    step = train.get_or_create_global_step()
    average = train.ExponentialMovingAverage(0.9, num_updates=step)
    moved = average.apply([v])
    assert average.average_name(v) == "v/ExponentialMovingAverage"
    assert sorted(average.variables_to_restore()) == ["global_step", "v/ExponentialMovingAverage"]
    assert tf.moving_average_variables() == [v]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        v.load([2.0, 6.0], session)
        session.run(moved)
        # The decay of step 0 is a tenth.
        np.testing.assert_allclose(session.run(average.average(v)), [1.9, 5.6], rtol=1e-6)
        session.run(step.assign(1000))
        session.run(moved)
        np.testing.assert_allclose(session.run(average.average(v)), [1.91, 5.64], rtol=1e-6)


def test_the_average_of_a_tensor_is_debiased():
    x = tf.placeholder(tf.float32, [2], name="x")
    average = train.ExponentialMovingAverage(0.5, zero_debias=True)
    moved = average.apply([x])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(moved, {x: [1, 2]})
        np.testing.assert_allclose(session.run(average.average(x)), [1, 2])
        session.run(moved, {x: [4, 2]})
        np.testing.assert_allclose(session.run(average.average(x)), [3, 2])
    assert [v.op.name for v in tf.global_variables()] == [f"x/ExponentialMovingAverage{n}" for n in ("", "/biased", "/local_step")]


def test_only_floats_have_averages():
    with pytest.raises(TypeError, match="must be half, float, or double"):
        train.ExponentialMovingAverage(0.9).apply([tf.get_variable("n", initializer=1)])
