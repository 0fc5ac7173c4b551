"""Which session is the default, and for how long."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def product():
    return tf.matmul(tf.constant(6.0, shape=[1, 1]), tf.constant(7.0, shape=[1, 1]), name="product")


def test_s365_without_a_default_session_there_is_nothing_to_run_in():
    c = product()
    with pytest.raises(ValueError, match="Cannot evaluate tensor using `eval\\(\\)`: No default session is registered"):
        c.eval()
    with pytest.raises(ValueError, match="Cannot execute operation using `run\\(\\)`: No default session is registered"):
        c.op.run()
    with tf.Session(graph=tf.Graph()) as other:
        with pytest.raises(ValueError, match="Cannot use the default session to evaluate tensor"):
            c.eval()
        with pytest.raises(ValueError, match="Cannot use the given session to execute operation"):
            c.op.run(session=other)


def test_s366_an_interactive_session_is_the_default_until_it_is_closed():
    session = tf.InteractiveSession()
    try:
        assert product().eval() == 42.0
        assert tf.get_default_session() is session
    finally:
        session.close()
    assert tf.get_default_session() is None


def test_s366_a_second_interactive_session_is_warned_of(recwarn):
    first = tf.InteractiveSession()
    assert not recwarn.list
    with pytest.warns(UserWarning, match="An interactive session is already active"):
        second = tf.InteractiveSession()
    second.close()
    first.close()
    tf.InteractiveSession().close()
    assert not recwarn.list


def test_s366_what_is_not_run_need_not_be_placed_in_an_interactive_session():
    session = tf.InteractiveSession()
    try:
        with tf.device("/device:GPU:0"):
            bad = tf.constant(1.0, shape=[1, 2])
        good = tf.constant(1.0, shape=[1, 2])
        np.testing.assert_array_equal(good.eval(), [[1, 1]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:0"):
            bad.eval()
    finally:
        session.close()
    with tf.Session() as plain, pytest.raises(tf.errors.InvalidArgumentError, match="GPU:0"):
        plain.run(good)


def test_s379_blocks_end_in_the_order_in_which_they_began():
    first, second = tf.Session().as_default(), tf.Session().as_default()
    first.__enter__()
    second.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    from troupe import stacks

    stacks.sessions.stack.clear()


def test_s379_interactive_sessions_may_end_in_any_order():
    with pytest.warns(UserWarning):
        first, second = tf.InteractiveSession(), tf.InteractiveSession()
    first.close()
    assert tf.get_default_session() is second
    second.close()
    assert tf.get_default_session() is None


def test_s379_as_default_leaves_the_session_open():
    c = product()
    session = tf.Session()
    for _ in range(2):
        with session.as_default() as same:
            assert same is session and tf.get_default_session() is session
            assert c.eval() == 42.0
    assert tf.get_default_session() is None
    assert session.run(c) == 42.0


def test_s379_a_session_is_entered_once_at_a_time():
    session = tf.Session()
    with session:
        with pytest.raises(RuntimeError, match="Session context managers are not re-entrant"):
            session.__enter__()
