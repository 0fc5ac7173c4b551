"""tf.contrib.opt, beside the formulas of its optimizers in NumPy; paths of differential equations."""

import numpy as np
import pytest

import troupe as tf

opt = tf.contrib.opt
START = np.array([1.0, -2.0, 3.0], "f")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def path(optimizer, steps=3, use_resource=False, rows=None, **kwargs):
    """The variable after each step on the sum of squares, or of those of some rows."""
    w = tf.get_variable("w", initializer=START, use_resource=use_resource)
    loss = tf.reduce_sum(tf.square(w if rows is None else tf.gather(w, rows)))
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(loss, global_step=step, **kwargs)
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(train)
            found.append(session.run(w))
    return np.stack(found)


def adam(steps, rate=0.1, decay=0.0, nesterov=False, most=False, rows=slice(None)):
    w, m, v, found = START.astype(float), np.zeros(3), np.zeros(3), []
    for t in range(1, steps + 1):
        g = 2 * w[rows]
        w = w * (1 - decay)
        m[rows] = 0.9 * m[rows] + 0.1 * g
        v[rows] = np.maximum(0.999 * v[rows], np.abs(g)) if most else 0.999 * v[rows] + 0.001 * g * g
        step = 0.9 * m[rows] + 0.1 * g if nesterov else m[rows]
        if most:
            w[rows] -= rate / (1 - 0.9 ** t) * step / (v[rows] + 1e-8)
        else:
            w[rows] -= rate * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * step / (np.sqrt(v[rows]) + 1e-8)
        found.append(w.copy())
    return np.stack(found)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("make, formula", [
    (lambda: opt.AdamWOptimizer(0.01, 0.1), dict(decay=0.01)), (lambda: opt.NadamOptimizer(0.1), dict(nesterov=True)),
    (lambda: opt.AdaMaxOptimizer(0.1), dict(most=True)), (lambda: opt.LazyAdamOptimizer(0.1), {})])
def test_kin_of_adam_follow_their_formulas(make, formula, use_resource):
    np.testing.assert_allclose(path(make(), use_resource=use_resource), adam(3, **formula), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make, formula", [
    (lambda: opt.LazyAdamOptimizer(0.1), {}), (lambda: opt.AdaMaxOptimizer(0.1), dict(most=True)),
    (lambda: opt.NadamOptimizer(0.1), dict(nesterov=True))])
def test_rows_alone_move(make, formula):
    rows = [0, 2]
    np.testing.assert_allclose(path(make(), rows=rows), adam(3, rows=rows, **formula), rtol=1e-4, atol=1e-5)


def test_only_some_variables_decay_and_classes_are_extended():
    w = START.astype(float)
    wanted = []
    for _ in range(2):
        w = w * 0.9 - 0.1 * 2 * w
        wanted.append(w)
    decaying = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
    np.testing.assert_allclose(path(decaying(0.1, learning_rate=0.1), 2), wanted, rtol=1e-5)
    with tf.Graph().as_default():
        plain = path(opt.MomentumWOptimizer(0.5, 0.1, 0.0), 2, decay_var_list=[])
    np.testing.assert_allclose(plain, [START * 0.8, START * 0.64], rtol=1e-5)


def test_signs_scale_steps():
    grown = START * (1 - 0.1 * np.e * 2)
    np.testing.assert_allclose(path(opt.PowerSignOptimizer(0.1), 1)[0], grown, rtol=1e-5)
    with tf.Graph().as_default():
        decay = lambda step: 1.0 - tf.cast(step, tf.float32) / 2.0
        np.testing.assert_allclose(path(opt.AddSignOptimizer(0.1, sign_decay_fn=decay), 2), [START * 0.6, START * 0.6 * (1 - 0.2 * 1.5)], rtol=1e-5)


def test_layers_have_their_own_rates():
    norm = np.linalg.norm(START)
    g = 2 * START + 0.01 * START
    trust = 0.1 * norm / (2 * norm + 0.01 * norm)
    np.testing.assert_allclose(path(opt.LARSOptimizer(1.0, 0.0, 0.01, 0.1), 1)[0], START - trust * g, rtol=1e-5)


def test_variables_are_clipped_after_steps():
    w = tf.get_variable("w", initializer=[[3.0, 4.0], [0.3, 0.4]])
    clipped = opt.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.0), {w: [1]}, 1.0)
    train = clipped.minimize(tf.reduce_sum(w))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(w), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)


def test_averages_are_saved_as_the_variables(tmp_path):
    w = tf.get_variable("w", initializer=1.0)
    averaged = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), average_decay=0.5)
    with pytest.raises(RuntimeError, match="Must call apply_gradients"):
        averaged.swapping_saver()
    train = averaged.minimize(tf.square(w - 2.0) / 2)
    saver = averaged.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        now = session.run(w)
        path = saver.save(session, str(tmp_path / "model"))
    reader = tf.train.NewCheckpointReader(path)
    assert now == 1.5 and reader.get_tensor("w") == 1.25 and reader.get_tensor("w/ExponentialMovingAverage") == 1.5


class _Newton(opt.ExternalOptimizerInterface):
    """Of quadratic losses by their curvature 2: one step is enough."""

    def _minimize(self, initial_val, loss_grad_func, step_callback, packed_bounds, **others):
        loss, gradient = loss_grad_func(initial_val)
        found = initial_val - gradient / 2.0
        if packed_bounds is not None:
            found = np.clip(found, *np.transpose(packed_bounds))
        step_callback(found)
        return found


def test_optimizers_outside_the_graph_set_variables():
    a, b = tf.get_variable("a", initializer=[1.0, 2.0]), tf.get_variable("b", initializer=5.0)
    goal = tf.placeholder(tf.float32)
    loss = tf.reduce_sum(tf.square(a - goal)) + tf.square(b + 1.0)
    seen, steps = [], []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        _Newton(loss, var_to_bounds={b: (0.0, np.inf)}).minimize(session, {goal: 3.0}, fetches=[loss, b], loss_callback=lambda *f: seen.append(f),
                                                                 step_callback=steps.append)
        np.testing.assert_allclose(session.run(a), [3, 3])
        assert session.run(b) == 0.0 and seen == [(41.0, 5.0)] and len(steps) == 1
        with pytest.raises(NotImplementedError, match="implement the _minimize"):
            opt.ExternalOptimizerInterface(loss).minimize(session, {goal: 3.0})


def test_scipy_minimises_with_bounds_and_constraints():
    pytest.importorskip("scipy")
    x = tf.get_variable("x", initializer=[7.0, 7.0])
    loss = tf.reduce_sum(tf.square(x))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        opt.ScipyOptimizerInterface(loss, options={"maxiter": 100}).minimize(session)
        np.testing.assert_allclose(session.run(x), [0, 0], atol=1e-4)
        session.run(x.assign([7.0, 7.0]))
        opt.ScipyOptimizerInterface(loss, equalities=[x[0] - 1.0], inequalities=[x[1] - 2.0], method="SLSQP").minimize(session)
        np.testing.assert_allclose(session.run(x), [1, 2], atol=1e-4)
        session.run(x.assign([7.0, 7.0]))
        opt.ScipyOptimizerInterface(loss, var_to_bounds={x: ([1, 2], np.inf)}).minimize(session)
        np.testing.assert_allclose(session.run(x), [1, 2], atol=1e-4)
        with pytest.raises(ValueError, match="'jac' is set automatically"):
            opt.ScipyOptimizerInterface(loss, jac=False).minimize(session)


def test_paths_of_differential_equations():
    odeint, fixed = tf.contrib.integrate.odeint, tf.contrib.integrate.odeint_fixed
    times = np.array([0.0, 0.5, 1.0, 3.0])
    turn = tf.constant([[0.0, 1.0], [-1.0, 0.0]], tf.float64)
    start = tf.constant([[1.0, 0.0]], tf.float64)
    func = lambda y, t: tf.matmul(y, turn)
    y, info = odeint(func, start, times, full_output=True)
    rate = tf.get_variable("rate", initializer=np.float32(0.7))
    grown = fixed(lambda y, t: rate * y, tf.constant(1.0), np.linspace(0, 1, 6).astype("f"))
    by_steps = fixed(lambda y, t: tf.cast(t, tf.float64) * 2, tf.constant(0.0, tf.float64), times, dt=0.2, method="midpoint")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, told = session.run([y, info])
        np.testing.assert_allclose(found[:, 0], np.stack([np.cos(times), np.sin(times)], 1), atol=1e-6)
        assert told["num_func_evals"] == 1 + 6 * told["num_steps"] and told["num_steps"] >= 3
        value, slope = session.run([grown[-1], tf.gradients(grown[-1], rate)[0]])
        assert value == pytest.approx(np.exp(0.7), rel=1e-4) and slope == pytest.approx(np.exp(0.7), rel=1e-3)
        np.testing.assert_allclose(session.run(by_steps), times ** 2, atol=1e-9)
        with pytest.raises(tf.errors.InvalidArgumentError, match="max_num_steps exceeded"):
            session.run(odeint(func, start, times, options={"max_num_steps": 1}))
        with pytest.raises(tf.errors.InvalidArgumentError, match="monotonic increasing"):
            session.run(odeint(func, start, times[::-1].copy()))
    with pytest.raises(ValueError, match="invalid method"):
        odeint(func, start, times, method="euler")


def test_gradients_are_clipped_together():
    w = tf.get_variable("w", initializer=START)
    pairs, norm = opt.clip_gradients_by_global_norm([(tf.constant([3.0, 4.0]), w), (None, w)], 1.0)
    with tf.Session() as session:
        assert session.run([pairs[0][0], norm])[1] == 5.0 and session.run(pairs[0][0]) == pytest.approx([0.6, 0.8])
    assert pairs[1][0] is None and pairs[0][1] is w
    decay = opt.get_linear_decay_fn(4)
    with tf.Session() as session:
        assert session.run([decay(0), decay(3), decay(9)]) == [1.0, 0.25, 0.0]
