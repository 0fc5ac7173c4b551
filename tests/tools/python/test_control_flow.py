"""Branches, loops, orders and derivatives."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed_dict=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed_dict)


def test_only_the_branch_that_is_taken_runs():
    counts = [tf.Variable(0, name=n) for n in ("taken", "other")]
    p = tf.placeholder(tf.bool, [])
    result = tf.cond(p, lambda: counts[0].assign_add(1) + 10, lambda: counts[1].assign_add(1) + 20)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(result, {p: True}) == 11
        assert session.run(result, {p: False}) == 21
        assert session.run(result, {p: False}) == 22
        assert session.run(counts) == [1, 2]


def test_a_branch_gives_nests_outer_tensors_and_operations():
    p = tf.placeholder(tf.bool, [])
    a, b = tf.constant(1.0), tf.constant(2.0)
    result = tf.cond(p, lambda: {"x": a, "y": (b, tf.no_op())}, lambda: {"x": b, "y": (a * 5.0, tf.no_op())})
    with tf.Session() as session:
        assert session.run(result, {p: True})["x"] == 1.0
        assert session.run(result["y"][0], {p: False}) == 5.0
        assert session.run(result["y"][1], {p: False}) == False  # noqa: E712, which branch it was


def test_branches_must_be_alike():
    p = tf.placeholder(tf.bool, [])
    with pytest.raises(ValueError, match="must have the same type"):
        tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1.0))
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.cond(p, lambda: (tf.constant(1), tf.constant(1)), lambda: tf.constant(1))
    with pytest.raises(TypeError, match="pred' must not be a Python bool"):
        tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(1))
    with pytest.raises(ValueError, match="must have return values"):
        tf.cond(p, lambda: None, lambda: None)


def test_what_is_inside_a_branch_cannot_be_fetched():
    inside = []
    p = tf.placeholder(tf.bool, [])
    tf.cond(p, lambda: inside.append(tf.constant(1.0) + 1.0) or inside[0], lambda: tf.constant(2.0))
    with tf.Session() as session, pytest.raises(ValueError, match="has been marked as not fetchable"):
        session.run(inside[0], {p: True})


def test_the_first_true_case_counts():
    x = tf.placeholder(tf.int32, [])
    result = tf.case([(x < 0, lambda: tf.constant(-1)), (x < 10, lambda: tf.constant(1))], default=lambda: tf.constant(10))
    with tf.Session() as session:
        assert [session.run(result, {x: v}) for v in (-5, 5, 50)] == [-1, 1, 10]
    both = tf.case({x < 5: lambda: tf.constant(1), x < 10: lambda: tf.constant(2)}, default=lambda: tf.constant(3), exclusive=True)
    with tf.Session() as session:
        assert session.run(both, {x: 7}) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions .* evaluated as True"):
            session.run(both, {x: 1})


def test_a_loop_uses_and_changes_what_is_outside():
    limit, step = tf.placeholder(tf.int32, []), tf.constant(2)
    total = tf.Variable(0)
    i, values = tf.while_loop(lambda i, v: i < limit, lambda i, v: (i + step, {"sum": v["sum"] + i, "last": tf.identity(i)}),
                              [0, {"sum": tf.constant(0), "last": tf.constant(-1)}])
    with tf.control_dependencies([i]):
        stored = total.assign(values["sum"])
    got = run([i, values, stored], {limit: 7})
    assert got == [8, {"sum": 12, "last": 6}, 12]


def test_a_loop_ends_after_so_many_iterations():
    assert run(tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=3)) == 3
    assert run(tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x * 3.0), [0, 1.0], maximum_iterations=5)) == (2, 9.0)


def test_a_loop_keeps_types_and_shapes():
    with pytest.raises(ValueError, match="enters the loop with shape \\(1,\\), but has shape \\(2,\\) after one iteration"):
        tf.while_loop(lambda x: tf.reduce_sum(x) < 5.0, lambda x: tf.ones([2]), [tf.zeros([1])])
    with pytest.raises(TypeError, match="enters the loop with type int32, but has type float32 after one iteration"):
        tf.while_loop(lambda x: x < 5, lambda x: tf.cast(x, tf.float32), [0])
    grown = tf.while_loop(lambda x: tf.size(x) < 8, lambda x: tf.concat([x, x], 0), [tf.ones([1])], shape_invariants=[tf.TensorShape([None])])
    assert grown.shape.as_list() == [None]
    assert run(grown).tolist() == [1.0] * 8


def test_a_loop_waits_for_what_is_around_it():
    v = tf.Variable(0, use_resource=True)
    with tf.control_dependencies([v.assign(5)]):
        i = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.identity(v)])
        j = tf.while_loop(lambda j: j < 10, lambda j: j + v, [0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(i) == 5
        assert session.run(v) == 5
        assert session.run(j) == 10


def test_loops_are_nested_in_loops_and_branches():
    def inner(i):
        return tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j * i), [0, 0])[1]

    i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, tf.cond(i > 2, lambda: s + inner(i), lambda: s + 1)), [0, 0])
    expected = 0
    for k in range(5):
        expected = expected + sum(j * k for j in range(k)) if k > 2 else expected + 1
    assert run(total) == expected


def test_an_assertion_fails_with_its_data():
    x = tf.placeholder(tf.int32, [])
    with tf.control_dependencies([tf.Assert(x > 0, ["not positive:", x])]):
        y = tf.identity(x)
    with tf.Session() as session:
        assert session.run(y, {x: 1}) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not positive:"):
            session.run(y, {x: -3})


def test_a_group_waits_for_all():
    v, w = tf.Variable(0), tf.Variable(0)
    both = tf.group(v.assign(1), [w.assign(2)])
    a, b = tf.tuple([v.assign_add(10), w.assign_add(10)], control_inputs=[both])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(both) is None
        assert session.run([v, w]) == [1, 2]
        session.run([a, b])
    with pytest.raises(TypeError, match="'inputs' should be zero or more"):
        tf.group(3)


def numeric(fetch, x, at, session, feeds):
    """The derivative by central differences."""
    found = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        for sign in (1, -1):
            moved = at.copy()
            moved[index] += sign * 1e-4
            found[index] += sign * session.run(fetch, {**feeds, x: moved})
    return found / 2e-4


@pytest.mark.parametrize("make", [
    lambda x, p: tf.reduce_sum(x * x * 3.0),
    lambda x, p: tf.reduce_sum(tf.matmul(x, x, transpose_b=True)[0]),
    lambda x, p: tf.reduce_sum(tf.cond(p, lambda: x * x, lambda: tf.sin(x))),
    lambda x, p: tf.reduce_sum(tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x + 1.0), [0, x])[1]),
    lambda x, p: tf.reduce_logsumexp(tf.concat([x, tf.transpose(tf.transpose(x)) * 2.0], 0)),
    lambda x, p: tf.reduce_sum(tf.gather(x, [1, 1, 0]) * [[1.0], [2.0], [3.0]]),
])
@pytest.mark.parametrize("pred", [True, False])
def test_derivatives_are_those_of_differences(make, pred):
    x, p = tf.placeholder(tf.float64, [2, 2]), tf.placeholder(tf.bool, [])
    with tf.Session() as session:
        y = make(x, p)
        gradient = tf.convert_to_tensor(tf.gradients(y, x)[0])
        at = np.array([[0.5, 1.0], [-0.3, 0.8]])
        np.testing.assert_allclose(session.run(gradient, {x: at, p: pred}), numeric(y, x, at, session, {p: pred}), atol=1e-6)


def test_derivatives_by_variables_of_both_kinds():
    for use_resource in (False, True):
        v = tf.Variable([1.0, 2.0], use_resource=use_resource)
        other = tf.Variable(1.0, use_resource=use_resource)
        gradient, none = tf.gradients(tf.reduce_sum(v * v), [v, other])
        assert none is None
        assert run(gradient).tolist() == [2.0, 4.0]
        zero = tf.gradients(v, other, unconnected_gradients=tf.UnconnectedGradients.ZERO)[0]
        assert run(zero) == 0.0


def test_derivatives_are_weighted_and_stopped():
    x = tf.constant([1.0, 2.0])
    y = x * 3.0
    z = y * y
    assert run(tf.gradients(z, x, grad_ys=[[1.0, 10.0]]))[0].tolist() == [18.0, 360.0]
    assert tf.gradients(z, x, stop_gradients=[y]) == [None]
    assert run(tf.gradients([y, z], [x, y]))[1].tolist() == [7.0, 13.0]
    with pytest.raises(ValueError, match="Length mismatch. Passed 2 grad_ys for 1 ys"):
        tf.gradients(z, x, grad_ys=[None, None])


def test_a_derivative_may_be_partial(graph):
    a = tf.constant(2.0)
    b = a * 3.0
    y = a * b
    before = graph.as_graph_def()
    assert run(tf.gradients(y, [a, b], stop_gradients=[a, b])) == [6.0, 2.0]
    assert run(tf.gradients(y, [a, b])) == [12.0, 2.0]
    assert run(y) == 12.0
    after = {n.name: [i.partition(":")[0] for i in n.input] for n in graph.as_graph_def().node}
    assert all(after[n.name] == list(n.input) for n in before.node)


def test_an_op_without_a_rule_is_named():
    images = tf.ones([1, 2, 2, 3])
    with pytest.raises(LookupError, match="No gradient defined for op: AdjustContrastv2$"):
        tf.gradients(tf.raw_ops.AdjustContrastv2(images=images, contrast_factor=2.0), images)


def test_second_derivatives():
    x = tf.constant([1.0, 2.0])
    hessian, = tf.hessians(tf.reduce_sum(x * x * x), x)
    assert run(hessian).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_scopes_and_devices_of_groups_and_branches(graph):
    with tf.device("/cpu:0"):
        a = tf.constant(1.0)
    with tf.device("/cpu:1"):
        b = tf.constant(2.0)
    grouped = tf.group(a, b, name="all")
    assert grouped.name == "all" and sorted((op.device, [c.name for c in op.control_inputs]) for op in grouped.control_inputs) == [
        ("/device:CPU:0", [a.op.name]), ("/device:CPU:1", [b.op.name])]
    alone = tf.group(a)
    assert alone.device == "/device:CPU:0" and alone.control_inputs == [a.op]
    result = tf.cond(tf.placeholder(tf.bool, []), lambda: a, lambda: b, name="choice")
    assert result.name == "choice/Merge:0"


def test_a_loop_gives_back_the_nest_that_it_got():
    single = tf.while_loop(lambda x: x < 3, lambda x: x + 1, [0])
    assert isinstance(single, tf.Tensor)
    assert isinstance(tf.while_loop(lambda x: x < 3, lambda x: x + 1, [0], return_same_structure=True), list)
    first, second = tf.while_loop(lambda x, y: x < 3, lambda x, y: (x + 1, (y[0] * 2, y[1])), [0, (1, 5)])
    assert run([single, first, second]) == [3, 3, (8, 5)]


def test_what_waits_inside_a_loop_waits_in_each_iteration():
    v = tf.Variable(0)
    ready = tf.constant(1.0)

    def body(i):
        with tf.control_dependencies([v.assign_add(1), ready]):
            return i + 1

    i = tf.while_loop(lambda i: i < 4, body, [0])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(i) == 4
        assert session.run(v) == 4


def test_names_of_what_waits(graph):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    first, second = tf.tuple([a, b], name="both")
    assert (first.name, second.name) == ("both/control_dependency:0", "both/control_dependency_1:0")
    assert tf.Assert(a < b, ["no"], name="check").name == "check/Assert"
    assert tf.Assert(a < b, ["no", a], name="of_floats").name == "of_floats/AssertGuard/Merge"


@pytest.mark.parametrize("kind", ["plain", "weights", "loop", "branch", "rule", "slices", "several"])
def test_derivatives_wait_for_what_the_block_says(kind):
    v, n = tf.Variable([1.0, 2.0]), tf.Variable(0, trainable=False)
    weights, wanted = None, [2.0, 4.0]
    if kind == "loop":
        loss = tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x * v), (0, tf.ones([2])))[1]
    elif kind == "branch":
        loss = tf.cond(tf.reduce_sum(v) > 0, lambda: v * v, lambda: v)
    elif kind == "rule":
        squared = tf.custom_gradient(lambda x: (x * x, lambda d: d * 2.0 * x))
        loss = squared(v)
    elif kind == "slices":
        loss, wanted = tf.gather(v, [1, 1]), [1.0, 1.0]
    else:
        loss = v * v
    if kind == "weights":
        weights, wanted = tf.constant([3.0, 5.0]), [6.0, 20.0]
    # What is waited for may need the loss itself.
    update = n.assign_add(tf.cast(tf.size(loss), tf.int32))
    ys = [loss, tf.reduce_sum(loss)] if kind == "several" else loss
    with tf.control_dependencies([update]):
        d = tf.gradients(ys, v, grad_ys=weights)[0]
    if kind == "several":
        wanted = [4.0, 8.0]
    after = tf.convert_to_tensor(d.values if kind == "slices" else d) * 1.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(after).tolist() == wanted and session.run(n) == 2


def test_updates_before_derivatives_are_made_though_gradients_are_applied_outside():
    v = tf.Variable(3.0)
    loss = tf.square(v)
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([average.apply([loss])]):
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run([v, average.average(loss)]) == [0.0, 4.5]


def test_derivatives_in_a_loop_wait_for_what_is_in_it():
    n = tf.Variable(0, use_resource=True)

    def body(i, x):
        with tf.control_dependencies([n.assign_add(1)]):
            return i + 1, x + tf.gradients(x * x, x)[0]

    _, x = tf.while_loop(lambda i, x: i < 3, body, (0, 1.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(x) == 27.0 and session.run(n) == 3


def _three_sines(x, w):
    return tf.while_loop(lambda j, a: j < 3, lambda j, a: (j + 1, tf.sin(a * w)), (0, x))[1]


def _two_steps(x, derivative):
    """x <- x + derivative(x), twice."""
    return tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + derivative(v)), (0, x))[1]


def test_derivatives_in_a_loop_go_through_loops_inside():
    # As TensorFlow says.
    x = tf.constant(0.5, tf.float64)
    w = tf.constant(1.1, tf.float64)
    by_value = _two_steps(x, lambda v: tf.gradients(_three_sines(v, tf.constant(1.1, tf.float64)), v)[0])
    by_invariant = _two_steps(x, lambda v: tf.gradients(_three_sines(v, w), w)[0])
    assert run([by_value, by_invariant]) == pytest.approx([1.3407470146962004, 2.3309896198390057], rel=1e-12)


def test_derivatives_in_a_loop_go_on_around_it():
    x = tf.constant(0.5, tf.float64)
    w = tf.constant(0.1, tf.float64)
    around = tf.exp(w)
    assert run(_two_steps(x, lambda v: tf.gradients(_three_sines(v, around), w)[0])) == pytest.approx(2.3927236560007734, rel=1e-12)


def test_derivatives_in_a_loop_are_of_one_iteration():
    x = tf.placeholder(tf.float64, [], name="start")
    with pytest.raises(ValueError, match="Cannot compute gradient inside while loop with respect to op 'start'"):
        _two_steps(x, lambda v: tf.gradients(tf.sin(v), x)[0])
