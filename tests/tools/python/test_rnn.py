"""Recurrent networks, with TensorFlow's numbers."""

import pytest
from recorded import check, ramp

import troupe as tf

cells = tf.nn.rnn_cell


def total(results):
    """The sum of all squares, then each by itself."""
    made = leaves(results)
    return [tf.add_n([tf.reduce_sum(t * t) for t in made]), *made]


def leaves(value):
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def dynamic(cell, **others):
    return total(tf.nn.dynamic_rnn(cell, ramp(3, 4, 2), dtype=tf.float32, **others))


# Programs, and the marks of what they give and of the gradients.
NETWORKS = {
    "basic_rnn": (lambda: dynamic(cells.BasicRNNCell(5)), [2.10753, -13.5906, -0.947502, -28.4517, -100.2]),
    "basic_lstm": (lambda: dynamic(cells.BasicLSTMCell(5)), [0.189784, -1.81248, -2.46814, -1.16639, -4.21338, -9.17102]),
    "basic_lstm_with_one_state": (
        lambda: dynamic(cells.BasicLSTMCell(5, state_is_tuple=False)),
        [0.189784, -1.81248, -2.85267, -4.21338, -9.17102]),
    "lstm": (
        lambda: dynamic(cells.LSTMCell(5, use_peepholes=True, num_proj=3, cell_clip=0.5, proj_clip=0.4)),
        [0.169943, 3.77666, -1.96658, 1.37683, -3.99251, -7.19603, -0.00776916, -0.012846, -0.0102134, -0.361238]),
    "gru": (lambda: dynamic(cells.GRUCell(5)), [0.453846, -8.94506, -3.05144, -1.27018, -1.74702, -6.42249, -10.7485]),
    "gru_of_lengths": (
        lambda: dynamic(cells.GRUCell(5), sequence_length=[4, 2, 1]),
        [0.171627, -3.88681, -1.8986, -0.446067, -0.805805, -2.64044, -4.13113]),
    "gru_time_first": (
        lambda: dynamic(cells.GRUCell(5), time_major=True),
        [0.415273, -7.97579, -3.3636, -1.22361, -1.76963, -6.07428, -7.8695]),
    "multi": (
        lambda: dynamic(cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(4)])),
        [0.0694504, -0.396286, -0.745042, -0.377694, -0.138434, -2.26483, -5.46009, 0.00158851, -0.0354823, 0.0281339, -0.519288]),
    "dropout": (
        lambda: dynamic(cells.DropoutWrapper(cells.BasicLSTMCell(3), 0.7, 0.5, 0.5, seed=5), parallel_iterations=1),
        [0.389437, -1.28184, -0.133246, 0.276023, -2.39481, -6.26265]),
    "dropout_the_same_at_all_times": (
        lambda: dynamic(cells.DropoutWrapper(cells.BasicLSTMCell(3), 0.7, 0.5, 0.5, True, 2, tf.float32, 5)),
        [0.459721, -7.75047, -2.47351, -2.25435, -1.16787, -26.764]),
    "residual": (lambda: dynamic(cells.ResidualWrapper(cells.BasicRNNCell(2))), [5.31491, 38.3808, -3.73534, 40.5408, 17.6896]),
    "bidirectional": (
        lambda: total(tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(3), cells.BasicLSTMCell(3), ramp(3, 4, 2), [4, 2, 1], dtype=tf.float32)),
        [0.466601, -2.96721, 1.71088, -1.40686, 0.925541, 0.466599, -0.804887, -1.40838, -2.08727, -2.58889, 3.33206, 6.29303]),
    "static": (
        lambda: total(tf.nn.static_rnn(cells.BasicLSTMCell(3), tf.unstack(ramp(3, 4, 2), axis=1), dtype=tf.float32)),
        [0.0904716, -0.128544, -0.366674, -0.264565, -0.377694, -0.745042, -0.377694, -2.60991, -6.08566]),
    "static_of_lengths": (
        lambda: total(tf.nn.static_rnn(cells.GRUCell(3), tf.unstack(ramp(3, 4, 2), axis=1), None, tf.float32, [3, 2, 1])),
        [0.14293, -0.678374, -1.07384, -0.533846, 0.0, -1.63911, -0.582111, -1.04546, -2.08748, -2.44218]),
    "static_bidirectional": (
        lambda: total(tf.nn.static_bidirectional_rnn(
        cells.GRUCell(3), cells.GRUCell(3), tf.unstack(ramp(3, 4, 2), axis=1), dtype=tf.float32, sequence_length=[4, 2, 1])),
        [0.335607, -1.52867, -1.77516, -1.18663, -0.849396, -1.40686, -1.05421, -0.804887, -1.40838, -2.08727, -2.58889, -0.381392, -0.658782, -1.11733, -1.52215]),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_computes_what_tensorflow_computes(name):
    check(*NETWORKS[name])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_variables_have_the_names_of_tensorflow():
    dynamic(cells.MultiRNNCell([cells.LSTMCell(3, use_peepholes=True, num_proj=2), cells.GRUCell(2)]))
    lstm, gru = "rnn/multi_rnn_cell/cell_0/lstm_cell/", "rnn/multi_rnn_cell/cell_1/gru_cell/"
    assert [v.op.name for v in tf.global_variables()] == [
        *(lstm + n for n in ("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag", "projection/kernel")),
        *(gru + n for n in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"))]


def test_a_state_goes_from_one_run_to_the_next():
    x, cell = ramp(2, 4, 3), cells.BasicLSTMCell(2)
    whole, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    first, state = tf.nn.dynamic_rnn(cell, x[:, :2], initial_state=cell.zero_state(2, tf.float32))
    second, _ = tf.nn.dynamic_rnn(cell, x[:, 2:], initial_state=state)
    assert len(tf.global_variables()) == 2 and isinstance(state, cells.LSTMStateTuple) and whole.shape.as_list() == [2, 4, 2]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b = session.run([whole, tf.concat([first, second], 1)])
        assert abs(a - b).max() < 1e-6


def test_batch_and_time_may_be_unknown():
    x = tf.placeholder(tf.float32, [None, None, 2])
    y, state = tf.nn.dynamic_rnn(cells.GRUCell(3), x, tf.placeholder_with_default([1, 2], [None]), dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        out, last = session.run([y, state], {x: [[[1, 2], [3, 4]]] * 2})
        assert out.shape == (2, 2, 3) and (out[0, 1] == 0).all() and (last == [out[0, 0], out[1, 1]]).all()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape for Tensor rnn/sequence_length:0"):
            session.run(y, {x: [[[1, 2]]] * 3})


@pytest.mark.parametrize("call, error, text", [
    (lambda: tf.nn.dynamic_rnn(cells.GRUCell(3), ramp(1, 2, 2)), ValueError, "`dtype` must be specified"),
    (lambda: tf.nn.dynamic_rnn(3, ramp(1, 2, 2)), TypeError, "is not an RNNCell"),
    (lambda: tf.nn.dynamic_rnn(cells.GRUCell(3), tf.placeholder(tf.float32, [1, 2, None]), dtype=tf.float32), ValueError, "depth of inputs"),
    (lambda: tf.nn.static_rnn(cells.GRUCell(3), [], dtype=tf.float32), ValueError, "must not be empty"),
    (lambda: cells.MultiRNNCell([]), ValueError, "at least one cell"),
    (lambda: cells.DropoutWrapper(cells.GRUCell(3), 1.5), ValueError, "between 0 and 1"),
])
def test_wrong_arguments_are_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
