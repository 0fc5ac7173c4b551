"""Steps that are fed and fetched in several turns."""

import numpy as np
import pytest

import troupe as tf

X, Y, Z = 1, 2, 17


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def chain():
    """(a + b) and (a + b) * c."""
    a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
    first = tf.add(a, b)
    return a, b, c, first, tf.multiply(first, c)


def test_s388_a_chain_is_run_in_two_turns_and_again():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        first = session.partial_run(handle, r1, {a: X, b: Y})
        assert first == 3
        second = session.partial_run(handle, r2, {c: first * Z})
        assert second == 153
        # The step is over; another begins.
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        first = session.partial_run(handle, r1, {a: X, b: Y})
        second = session.partial_run(handle, r2, {c: 54.0})
        assert second == 162


def test_s389_a_step_that_is_not_finished_ends_with_its_session():
    a, b, c, r1, r2 = chain()
    session = tf.Session()
    handle = session.partial_run_setup([r1, r2], [a, b, c])
    assert session.partial_run(handle, r1, {a: X, b: Y}) == 3
    session.close()
    del session


def test_s390_two_steps_at_once_share_nothing():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        first = session.partial_run_setup([r1, r2], [a, b, c])
        second = session.partial_run_setup([r1, r2], [a, b, c])
        assert first != second
        assert session.partial_run(first, r1, {a: X, b: Y}) == 3
        assert session.partial_run(second, r1, {a: 10, b: 20}) == 30
        assert session.partial_run(second, r2, {c: 2}) == 60
        assert session.partial_run(first, r2, {c: 51}) == 153


def test_s391_a_chain_of_two_hundred_turns():
    inputs = [tf.placeholder(tf.float32, []) for _ in range(200)]
    total = inputs[0] + 1.0
    sums = [total]
    for x in inputs[1:]:
        total = total + x
        sums.append(total)
    with tf.Session() as session:
        handle = session.partial_run_setup(sums, inputs)
        for i, (x, s) in enumerate(zip(inputs, sums)):
            assert session.partial_run(handle, s, {x: 1.0}) == i + 2.0


def test_s392_a_run_before_is_another_step():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        assert session.run(r2, {a: X, b: Y, c: Z}) == 51
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        assert session.partial_run(handle, r1, {a: X, b: Y}) == 3
        assert session.run(r2, {a: X, b: Y, c: Z}) == 51
        assert session.partial_run(handle, r2, {c: 51}) == 153


def test_s393_a_placeholder_that_is_no_feed_of_the_setup_must_be_fed():
    a, b, c, r1, _ = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1], [a])
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
            session.partial_run(handle, r1, {a: X})


def test_s394_a_feed_that_the_setup_does_not_name_is_refused():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1], [a, b])
        with pytest.raises(tf.errors.InvalidArgumentError, match="was not specified in partial_run_setup."):
            session.partial_run(handle, r1, {a: X, b: Y, c: Z})


def test_s395_a_fetch_that_the_setup_does_not_name_is_refused():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1], [a, b, c])
        with pytest.raises(tf.errors.InvalidArgumentError, match="was not specified in partial_run_setup."):
            session.partial_run(handle, r2, {a: X, b: Y, c: Z})


def begun(session, a, b, c, r1, r2):
    handle = session.partial_run_setup([r1, r2], [a, b, c])
    assert session.partial_run(handle, r1, {a: X, b: Y}) == 3
    return handle


def test_s396_nothing_is_fed_twice():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = begun(session, a, b, c, r1, r2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="has already been fed."):
            session.partial_run(handle, r2, {a: X, c: Z})


def test_s397_nothing_is_fetched_twice():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = begun(session, a, b, c, r1, r2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="has already been fetched."):
            session.partial_run(handle, r1, {c: Z})


def test_s398_a_turn_may_feed_and_fetch_nothing():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        assert session.partial_run(handle, [], {a: X, b: Y}) == []
        assert session.partial_run(handle, [r1, r2], {c: Z}) == [3, 51]


def test_s398_a_setup_needs_something_to_fetch():
    a, b, c, r1, _ = chain()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="specify at least one target to fetch or execute"):
            session.partial_run_setup([], [a, b])


def test_s398_a_setup_needs_nothing_to_feed():
    one = tf.constant(1.0)
    with tf.Session() as session:
        handle = session.partial_run_setup([one + 2.0, one], [])
        handle_without = session.partial_run_setup([one])
        assert session.partial_run(handle_without, one) == 1.0
        assert handle != handle_without


def test_a_turn_takes_nests_and_no_operations():
    a, b, c, r1, r2 = chain()
    with tf.Session() as session:
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        with pytest.raises(RuntimeError, match="requires empty `target_list`"):
            session.partial_run(handle, r1.op)
        got = session.partial_run(handle, {"sum": (r1,)}, {a: X, b: Y})
        assert got == {"sum": (np.float32(3),)}
