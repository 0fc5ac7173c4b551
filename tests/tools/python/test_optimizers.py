"""What optimizers do to a variable in three steps: TensorFlow's numbers."""

import numpy as np
import pytest

import troupe as tf

train = tf.train

_MAKE = {
    "GradientDescent": lambda step: train.GradientDescentOptimizer(0.1),
    "Momentum": lambda step: train.MomentumOptimizer(0.1, 0.9),
    "Nesterov": lambda step: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adam": lambda step: train.AdamOptimizer(0.1),
    "RMSProp": lambda step: train.RMSPropOptimizer(0.1, momentum=0.5),
    "CenteredRMSProp": lambda step: train.RMSPropOptimizer(0.1, centered=True),
    "Adagrad": lambda step: train.AdagradOptimizer(0.1),
    "AdagradDA": lambda step: train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01),
    "Adadelta": lambda step: train.AdadeltaOptimizer(0.5),
    "Ftrl": lambda step: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "FtrlShrinkage": lambda step: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1, beta=0.2),
    "ProximalGradientDescent": lambda step: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
    "ProximalAdagrad": lambda step: train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
}

# The variable after three steps, as TensorFlow 2.21 leaves it.
_RECORDED = {
    ("GradientDescent", "dense"): [0.458, -1.729, 1.916, 0.09350001, -1, 2.645],
    ("GradientDescent", "sparse"): [0.9250001, -2.075, 3, 0.5, -1.45, 3.7],
    ("Momentum", "dense"): [-0.02799997, -1.486, 0.9439999, -0.271, -1, 1.43],
    ("Momentum", "sparse"): [0.85975, -2.14025, 3, 0.5, -1.8415, 3.439],
    ("Nesterov", "dense"): [-0.345358, -1.327321, 0.309284, -0.5090184, -1, 0.636605],
    ("Nesterov", "sparse"): [0.798775, -2.201225, 3, 0.5, -2.20735, 3.1951],
    ("Adam", "dense"): [0.7006245, -1.701587, 2.700275, 0.200904, -1, 3.700214],
    ("Adam", "sparse"): [0.7000013, -2.299999, 3, 0.5, -1.299999, 3.700001],
    ("RMSProp", "dense"): [0.3444228, -1.610422, 2.10112, -0.03941467, -1, 3.047625],
    ("RMSProp", "sparse"): [0.8837322, -2.116268, 3, 0.5, -1.579388, 3.575],
    ("CenteredRMSProp", "dense"): [0.5247234, -1.721537, 2.337994, 0.1115732, -1, 3.296066],
    ("CenteredRMSProp", "sparse"): [0.9170799, -2.08292, 3, 0.5, -1.420821, 3.693753],
    ("Adagrad", "dense"): [0.7777007, -1.787513, 2.774122, 0.2806082, -1, 3.773526],
    ("Adagrad", "sparse"): [0.8386527, -2.161347, 3, 0.5, -1.225099, 3.778851],
    ("AdagradDA", "dense"): [-0.1571373, -0.05842992, -0.1367646, -0.1636894, -0.1353638, -0.130743],
    ("AdagradDA", "sparse"): [-0.1342807, -0.1342807, 3, 0.5, -0.1707899, -0.1686847],
    ("Adadelta", "dense"): [0.9993216, -1.999322, 2.999321, 0.4993216, -1, 3.999321],
    ("Adadelta", "sparse"): [0.9993216, -2.000679, 3, 0.5, -1.000679, 3.999321],
    ("Ftrl", "dense"): [0.6248311, -1.24484, 2.538481, 0.1808674, -0.1592153, 3.521036],
    ("Ftrl", "sparse"): [0.05100953, -0.5843311, 3, 0.5, -1.015626, 2.561921],
    ("FtrlShrinkage", "dense"): [0.552555, -1.019532, 2.39036, 0.1495219, -0.1002338, 3.355593],
    ("FtrlShrinkage", "sparse"): [-0.004466882, -0.3185287, 3, 0.5, -0.8817928, 2.042434],
    ("ProximalGradientDescent", "dense"): [0.4519865, -1.716545, 1.901273, 0.08966474, -0.9919014, 2.625917],
    ("ProximalGradientDescent", "sparse"): [0.916335, -2.059762, 3, 0.5, -1.439242, 3.674304],
    ("ProximalAdagrad", "dense"): [0.774655, -1.777199, 2.77031, 0.2780723, -0.9798241, 3.769561],
    ("ProximalAdagrad", "sparse"): [0.8208404, -2.127971, 3, 0.5, -1.220151, 3.759666],
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _minimize(name, gradients, use_resource):
    v = tf.get_variable("v", initializer=np.array([[1, -2], [3, 0.5], [-1, 4]], np.float32), use_resource=use_resource)
    step = tf.train.get_or_create_global_step()
    optimizer = _MAKE[name](step)
    if gradients == "dense":
        return v, step, optimizer, optimizer.minimize(tf.reduce_sum(v * v * 0.5 + v), global_step=step)
    rows = tf.IndexedSlices(tf.constant([[0.5, -1.0], [0.25, 0.25], [1.0, 2.0]]), tf.constant([2, 0, 2]), tf.constant([3, 2]))
    return v, step, optimizer, optimizer.apply_gradients([(rows, v)], global_step=step)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name, gradients", list(_RECORDED))
def test_three_steps_give_the_recorded_values(name, gradients, use_resource):
    v, step, _, train_op = _minimize(name, gradients, use_resource)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train_op)
        np.testing.assert_allclose(session.run(v).ravel(), _RECORDED[name, gradients], rtol=3e-6, atol=1e-7)
        assert session.run(step) == 3


@pytest.mark.parametrize("name, variables, slots", [
    ("Momentum", ["v/Momentum"], ["momentum"]), ("Adam", ["beta1_power", "beta2_power", "v/Adam", "v/Adam_1"], ["m", "v"]),
    ("CenteredRMSProp", ["v/RMSProp", "v/RMSProp_1", "v/RMSProp_2"], ["mg", "momentum", "rms"]), ("Adagrad", ["v/Adagrad"], ["accumulator"]),
    ("Adadelta", ["v/Adadelta", "v/Adadelta_1"], ["accum", "accum_update"]), ("Ftrl", ["v/Ftrl", "v/Ftrl_1"], ["accum", "linear"])])
def test_slots_are_named_after_the_variable(name, variables, slots):
    v, step, optimizer, train_op = _minimize(name, "dense", use_resource=False)
    assert [x.op.name for x in tf.global_variables()] == ["v", "global_step", *variables]
    assert sorted(x.op.name for x in optimizer.variables()) == sorted(variables)
    assert optimizer.get_slot_names() == slots
    assert optimizer.get_slot(v, slots[0]).shape == v.shape
    assert train_op.name == optimizer.get_name()
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train_op]
    assert [x.op.name for x in tf.trainable_variables()] == ["v"]


def test_an_update_carries_the_name_of_its_variable(graph):
    _minimize("Adam", "dense", use_resource=False)
    update = graph.get_operation_by_name("Adam/update_v/ApplyAdam")
    assert update.colocation_groups() == [b"loc:@v"]
    assert graph.get_operation_by_name("v/Adam").colocation_groups() == [b"loc:@v"]


def test_gradients_can_be_changed_before_they_are_applied():
    v = tf.get_variable("v", initializer=[3.0, 4.0])
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    [(gradient, var)] = optimizer.compute_gradients(tf.reduce_sum(v * v) / 2)
    clipped, norm = tf.clip_by_global_norm([gradient], 1.0)
    train_op = optimizer.apply_gradients([(clipped[0], var)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(norm), 5.0)
        session.run(train_op)
        np.testing.assert_allclose(session.run(v), [2.4, 3.2], rtol=1e-6)


def test_a_constraint_is_applied_after_the_update():
    v = tf.get_variable("v", initializer=[1.0, -1.0], constraint=lambda x: tf.maximum(x, 0.0))
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(v * v))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        np.testing.assert_array_equal(session.run(v), [0.5, 0.0])


def test_an_optimizer_of_ones_own_is_called_for_each_variable():
    class Sign(tf.train.Optimizer):
        def __init__(self, rate):
            super().__init__(False, "Sign")
            self._rate = rate

        def _apply_dense(self, grad, var):
            return var.assign_sub(self._rate * tf.sign(grad)).op

        _resource_apply_dense = _apply_dense

    a, b = tf.get_variable("a", initializer=[2.0, -3.0]), tf.get_variable("b", initializer=1.0, use_resource=True)
    train_op = Sign(0.25).minimize(tf.reduce_sum(a * a) + b)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        np.testing.assert_array_equal(session.run(a), [1.75, -2.75])
        assert session.run(b) == 0.75


def test_errors_say_what_is_missing():
    v = tf.get_variable("v", initializer=[1.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.minimize(tf.constant(1.0), var_list=[v])
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="Invalid type"):
        optimizer.compute_gradients(tf.constant(1))
    with pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.compute_gradients(v, var_list=[])
    with pytest.raises(ValueError, match="must be positive"):
        tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0)
