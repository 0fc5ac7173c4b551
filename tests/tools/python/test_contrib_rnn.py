"""Cells of tf.contrib.rnn: their equations by NumPy, and the names of variables in TensorFlow 1.15's checkpoints."""

import numpy as np
import pytest

import troupe as tf

rnn = tf.contrib.rnn
random = np.random.RandomState(6)
X = random.randn(3, 4, 2).astype("f")
LENGTHS = np.array([4, 2, 1])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def drawn():
    """A session whose variables are drawn, biases too."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    for v in tf.global_variables():
        v.load(np.random.RandomState(len(v.op.name)).uniform(-0.5, 0.5, v.shape.as_list()).astype("f"), session)
    return session


def names():
    return [v.op.name for v in tf.global_variables()]


def run(fetches):
    with drawn() as session:
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normed(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12) + beta


def step(cell, state):
    """What a cell gives for X's first step and this state."""
    return cell(tf.constant(X[:, 0]), state)


C, H = random.randn(3, 5).astype("f"), random.randn(3, 5).astype("f")
STATE = lambda: rnn.LSTMStateTuple(tf.constant(C), tf.constant(H))


def test_a_cell_with_normalized_layers():
    (output, state), v = run(step(rnn.LayerNormBasicLSTMCell(5), STATE()))
    scope = "layer_norm_basic_lstm_cell/"
    assert set(v) == {scope + "kernel", *(f"{scope}{n}/{p}" for n in ("input", "transform", "forget", "output", "state") for p in ("gamma", "beta"))}
    gates = np.split(np.concatenate([X[:, 0], H], 1) @ v[scope + "kernel"], 4, 1)
    norm = lambda x, n: normed(x, v[f"{scope}{n}/gamma"], v[f"{scope}{n}/beta"])
    i, j, f, o = (norm(g, n) for g, n in zip(gates, ("input", "transform", "forget", "output")))
    c = norm(C * sigmoid(f + 1) + sigmoid(i) * np.tanh(j), "state")
    np.testing.assert_allclose(state.c, c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, np.tanh(c) * sigmoid(o), rtol=1e-4, atol=1e-5)


def test_a_cell_with_normalized_layers_in_a_loop_starts_at_gain_one():
    cell = rnn.LayerNormBasicLSTMCell(5, dropout_keep_prob=0.5, dropout_prob_seed=1)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    gradients = tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        gain, shift = ([v for v in tf.global_variables() if v.op.name.endswith(n)] for n in ("gamma", "beta"))
        assert (np.array(session.run(gain)) == 1).all() and (np.array(session.run(shift)) == 0).all()
        assert all(np.isfinite(g).all() and np.any(g) for g in session.run(gradients))


@pytest.mark.parametrize("peepholes", [False, True])
def test_a_cell_that_forgets_what_it_takes_in(peepholes):
    (output, state), v = run(step(rnn.CoupledInputForgetGateLSTMCell(5, use_peepholes=peepholes), STATE()))
    scope = "coupled_input_forget_gate_lstm_cell/"
    assert set(v) == {scope + n for n in ("W_0", "B", *(("W_F_diag", "W_O_diag") if peepholes else ()))}
    j, f, o = np.split(np.concatenate([X[:, 0], H], 1) @ v[scope + "W_0"] + v[scope + "B"], 3, 1)
    f = sigmoid(f + 1 + (v[scope + "W_F_diag"] * C if peepholes else 0))
    c = f * C + (1 - f) * np.tanh(j)
    h = sigmoid(o + (v[scope + "W_O_diag"] * c if peepholes else 0)) * np.tanh(c)
    np.testing.assert_allclose([output, state.c], [h, c], rtol=1e-4, atol=1e-5)


def test_a_cell_of_times():
    many = np.random.RandomState(2)
    times, X0, C, H = (many.randn(90, n).astype("f") for n in (1, 2, 5, 5))
    cell = rnn.PhasedLSTMCell(5, use_peepholes=True)
    (output, state), v = run(cell((tf.constant(times), tf.constant(X0)), rnn.LSTMStateTuple(tf.constant(C), tf.constant(H))))
    part = lambda n, *values: np.concatenate(values, 1) @ v[f"phased_lstm_cell/{n}/kernel"] + v[f"phased_lstm_cell/{n}/bias"]
    take, keep = np.split(sigmoid(part("mask_gates", X0, H, C)), 2, 1)
    new_c = C * keep + take * np.tanh(part("new_input", X0, H))
    new_h = np.tanh(new_c) * sigmoid(part("output_gate", X0, H, new_c))
    period, phase, ratio = (v["phased_lstm_cell/" + n] for n in ("period", "phase", "ratio_on"))
    cycle = np.mod(times - phase, period) / period
    k = np.where(cycle < 0.5 * ratio, 2 * cycle / ratio, np.where(cycle < ratio, 2 - 2 * cycle / ratio, 0.001 * cycle))
    np.testing.assert_allclose([state.c, output], [k * new_c + (1 - k) * C, k * new_h + (1 - k) * H], rtol=1e-4, atol=1e-5)


def test_first_periods_and_phases_are_within_their_limits():
    cell = rnn.PhasedLSTMCell(50, period_init_min=2.0, period_init_max=8.0)
    cell((tf.ones([1, 1]), tf.ones([1, 2])), cell.zero_state(1, tf.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        v = session.run({v.op.name.rpartition("/")[2]: v for v in tf.global_variables()})
    assert (v["period"] >= 2).all() and (v["period"] <= 8).all() and v["period"].std() > 1
    assert (v["phase"] >= 0).all() and (v["phase"] <= v["period"]).all() and (v["ratio_on"] == np.float32(0.1)).all()


def test_a_cell_of_convolutions():
    pictures, places = random.randn(2, 3, 5, 4, 1).astype("f"), [5, 4, 1]
    cell = rnn.Conv2DLSTMCell(input_shape=places, output_channels=3, kernel_shape=[3, 3])
    assert cell.output_size.as_list() == [5, 4, 3]
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(pictures), dtype=tf.float32)
    kernel, biases = (tf.get_default_graph().get_tensor_by_name(f"rnn/conv_2d_lstm_cell/{n}:0") for n in ("kernel", "biases"))
    c = h = tf.zeros([2, 5, 4, 3])
    for t in range(3):
        i, j, f, o = tf.split(tf.nn.conv2d(tf.concat([pictures[:, t], h], 3), kernel, [1, 1, 1, 1], "SAME") + biases, 4, 3)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
    (got, last, wanted, wanted_c), _ = run([outputs[:, -1], state.c, h, c])
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(last, wanted_c, rtol=1e-4, atol=1e-6)
    assert names() == ["rnn/conv_2d_lstm_cell/kernel", "rnn/conv_2d_lstm_cell/biases"]
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.ConvLSTMCell(1, [5, 4, 1], 3, [3])


def test_cells_with_other_gates():
    x, h = X[:, 0], H
    ugrnn = rnn.UGRNNCell(5)(tf.constant(x), tf.constant(h))
    sru = rnn.SRUCell(5)(tf.constant(x), tf.constant(h))
    ind = rnn.IndRNNCell(5)(tf.constant(x), tf.constant(h))
    (one, two, three), v = run([ugrnn, sru, ind])
    g, c = np.split(np.concatenate([x, h], 1) @ v["ugrnn_cell/kernel"] + v["ugrnn_cell/bias"], 2, 1)
    g = sigmoid(g + 1)
    np.testing.assert_allclose(one[0], g * h + (1 - g) * np.tanh(c), rtol=1e-4, atol=1e-6)
    new, f, r, carried = np.split(x @ v["sru_cell/kernel"], 4, 1)
    f, r = np.split(sigmoid(np.concatenate([f, r], 1) + v["sru_cell/bias"]), 2, 1)
    c = f * h + (1 - f) * new
    np.testing.assert_allclose(two, [r * np.tanh(c) + (1 - r) * carried, c], rtol=1e-4, atol=1e-6)
    wanted = np.tanh(x @ v["ind_rnn_cell/kernel_w"] + h * v["ind_rnn_cell/kernel_u"] + v["ind_rnn_cell/bias"])
    np.testing.assert_allclose(three[0], wanted, rtol=1e-4, atol=1e-6)


def test_the_cell_of_a_search():
    (output, state), v = run(rnn.NASCell(5, num_proj=3)(tf.constant(X[:, 0]), rnn.LSTMStateTuple(tf.constant(C), tf.constant(H[:, :3]))))
    assert sorted(v) == [f"nas_cell/{n}" for n in ("kernel", "projection_weights", "recurrent_kernel")]
    m, x = np.split(H[:, :3] @ v["nas_cell/recurrent_kernel"], 8, 1), np.split(X[:, 0] @ v["nas_cell/kernel"], 8, 1)
    s, t, r = sigmoid, np.tanh, lambda a: np.maximum(a, 0)
    a = t(s(x[0] + m[0]) * r(x[1] + m[1]))
    b = t(s(x[2] + m[2]) + r(x[3] * m[3]))
    d = t(t(x[4] + m[4]) * s(x[5] + m[5]))
    e = s(t(x[6] + m[6]) + s(x[7] + m[7]))
    c = t(a + C) * b
    np.testing.assert_allclose(state.c, c, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(output, t(c * t(d + e)) @ v["nas_cell/projection_weights"], rtol=1e-4, atol=1e-6)


def test_blocks_are_the_plain_cells():
    outputs = []
    for scope, block, plain in (("a", rnn.LSTMBlockCell(5), rnn.BasicLSTMCell(5, name="lstm_cell")),
                                ("b", rnn.LSTMBlockCell(5, use_peephole=True, cell_clip=0.3), rnn.LSTMCell(5, use_peepholes=True, cell_clip=0.3)),
                                ("c", rnn.GRUBlockCellV2(5), rnn.GRUCell(5))):
        for cell, reuse in ((block, None), (plain, True)):
            with tf.variable_scope(scope, reuse=reuse):
                outputs.append(tf.nn.dynamic_rnn(cell, tf.constant(X), LENGTHS, dtype=tf.float32)[0])
    rnn.GRUBlockCell(5)(tf.constant(X[:, 0]), tf.constant(H))
    got, _ = run(outputs)
    for block, plain in zip(got[::2], got[1::2]):
        np.testing.assert_allclose(block, plain, rtol=1e-5, atol=1e-6)
    assert names()[2:7] == [f"b/rnn/lstm_cell/{n}" for n in ("kernel", "bias", "w_i_diag", "w_f_diag", "w_o_diag")]
    assert names()[-4:] == ["gru_cell/w_ru", "gru_cell/b_ru", "gru_cell/w_c", "gru_cell/b_c"]
    with pytest.raises(ValueError, match="Exactly one of num_units or cell_size"):
        rnn.GRUBlockCell()


def test_whole_sequences_are_one_op_with_its_derivatives():
    x = tf.constant(X.transpose(1, 0, 2))
    made = []
    for lengths in (None, LENGTHS):
        fused, (c, h) = rnn.LSTMBlockFusedCell(5, name="lstm_cell", reuse=tf.AUTO_REUSE)(x, dtype=tf.float32, sequence_length=lengths)
        plain = rnn.FusedRNNCellAdaptor(rnn.BasicLSTMCell(5, name="lstm_cell", reuse=True), use_dynamic_rnn=True)
        with tf.variable_scope(tf.VariableScope(True, "")):
            outputs, last = plain(x, dtype=tf.float32, sequence_length=lengths, scope=tf.VariableScope(True, ""))
        variables = tf.trainable_variables()
        made.append([[fused, c, h, *tf.gradients(tf.reduce_sum(fused * fused) + tf.reduce_sum(c * h), variables)],
                     [outputs, *last, *tf.gradients(tf.reduce_sum(outputs * outputs) + tf.reduce_sum(last[0] * last[1]), variables)]])
    got, _ = run(made)
    assert names() == ["lstm_cell/kernel", "lstm_cell/bias"]
    for ours, theirs in got:
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_sequences_are_read_from_their_ends():
    x = tf.constant(X.transpose(1, 0, 2))
    forward = rnn.FusedRNNCellAdaptor(rnn.GRUCell(5), use_dynamic_rnn=True)
    turned, state = rnn.TimeReversedFusedRNN(forward)(x, dtype=tf.float32, sequence_length=LENGTHS)
    outputs, _ = rnn.TimeReversedFusedRNN(rnn.LSTMBlockFusedCell(5))(x, dtype=tf.float32)
    rnn.LSTMBlockFusedCell(5)(outputs, dtype=tf.float32)
    assert names()[-4:] == [f"lstm_fused_cell{n}/{p}" for n in ("", "_1") for p in ("kernel", "bias")]
    both, states = tf.nn.bidirectional_dynamic_rnn(rnn.GRUCell(5), rnn.GRUCell(5), x, LENGTHS, dtype=tf.float32, time_major=True)
    with drawn() as session:
        kernels = {v.op.name: v for v in tf.global_variables()}
        for name in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"):
            own = next(n for n in kernels if n.startswith("rnn/") and n.endswith(name))
            kernels[f"bidirectional_rnn/bw/gru_cell/{name}"].load(session.run(kernels[own]), session)
        a, b, c, d = session.run([turned, both[1], state, states[1]])
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(c, d, rtol=1e-5, atol=1e-6)


def test_projections_embeddings_and_highways_stand_around_cells():
    ids = tf.constant([1, 0, 2])
    zero = rnn.GRUCell(5).zero_state(3, tf.float32)
    embedded = rnn.EmbeddingWrapper(rnn.GRUCell(5), 4, 6)(ids, zero)
    projected = rnn.OutputProjectionWrapper(rnn.GRUCell(5), 3)(tf.constant(X[:, 0]), zero)
    inner = rnn.InputProjectionWrapper(rnn.GRUCell(5), 7, activation="relu")(tf.constant(X[:, 0]), zero)
    with tf.variable_scope("high"):
        carried = rnn.HighwayWrapper(rnn.GRUCell(2), couple_carry_transform_gates=False)(tf.constant(X[:, 0]), tf.zeros([3, 2]))
    with tf.variable_scope("high", reuse=True):
        plain = rnn.GRUCell(2)(tf.constant(X[:, 0]), tf.zeros([3, 2]))
    (e, p, i, got, h), v = run([embedded, projected, inner, carried, plain])
    assert e[0].shape == (3, 5) and p[0].shape == (3, 3) and i[0].shape == (3, 5)
    assert "embedding_wrapper/embedding" in v and "output_projection_wrapper/gru_cell/gates/kernel" in v and v["input_projection_wrapper/kernel"].shape == (2, 7)
    np.testing.assert_allclose(p[0], p[1] @ v["output_projection_wrapper/kernel"] + v["output_projection_wrapper/bias"], rtol=1e-4, atol=1e-6)
    gate = lambda n: sigmoid(X[:, 0] @ v[f"high/{n}_w"] + v[f"high/{n}_b"])
    np.testing.assert_allclose(got[0], X[:, 0] * gate("carry") + h[0] * gate("transform"), rtol=1e-4, atol=1e-6)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run({v.op.name: v for v in tf.global_variables()})
    assert (first["high/carry_b"] == 1).all() and (first["high/transform_b"] == -1).all() and np.abs(first["embedding_wrapper/embedding"]).max() > 1
    for bad in (lambda: rnn.EmbeddingWrapper(rnn.GRUCell(5), 0, 6), lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(5), 0)):
        with pytest.raises(ValueError, match="must be > 0"):
            bad()


def test_a_cell_attends_to_its_outputs_before():
    cell = rnn.AttentionCellWrapper(rnn.BasicLSTMCell(5), attn_length=3, attn_size=4, attn_vec_size=6)
    assert cell.output_size == 4 and cell.state_size == ((5, 5), 4, 12)
    attention, before = random.randn(3, 4).astype("f"), random.randn(3, 12).astype("f")
    (output, state), v = run(cell(tf.constant(X[:, 0]), (STATE(), tf.constant(attention), tf.constant(before))))
    v = {name.partition("/")[2]: value for name, value in v.items()}
    linear = lambda scope, *values: np.concatenate(values, 1) @ v[scope + "kernel"] + v[scope + "bias"]
    i, j, f, o = np.split(linear("basic_lstm_cell/", linear("", X[:, 0], attention), H), 4, 1)
    c = C * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    memory = before.reshape(3, 3, 4)
    scores = (v["attention/attn_v"] * np.tanh(memory @ v["attention/attn_w"][0, 0] + linear("attention/", c, h)[:, None])).sum(-1)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    attended = np.einsum("bt,btd->bd", weights, memory)
    wanted = linear("attn_output_projection/", h, attended)
    np.testing.assert_allclose(output, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state[1], attended, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state[2], np.concatenate([memory[:, 1:], wanted[:, None]], 1).reshape(3, 12), rtol=1e-4, atol=1e-5)
    outputs, _ = tf.nn.static_rnn(cell, [tf.constant(X[:, t]) for t in range(4)], dtype=tf.float32)
    assert len(outputs) == 4 and len(tf.global_variables()) == 10
    with pytest.raises(ValueError, match="attn_length should be greater than zero"):
        rnn.AttentionCellWrapper(rnn.GRUCell(5), 0)


def test_lists_of_steps_go_both_ways_in_layers():
    steps = [tf.constant(X[:, t]) for t in range(4)]
    cells = lambda: [rnn.GRUCell(5), rnn.GRUCell(6)]
    outputs, forward, backward = rnn.stack_bidirectional_rnn(cells(), cells(), steps, dtype=tf.float32)
    with tf.variable_scope("", reuse=True):
        whole, _, _ = rnn.stack_bidirectional_dynamic_rnn(cells(), cells(), tf.constant(X), dtype=tf.float32)
    (a, b), _ = run([tf.stack(outputs, 1), whole])
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert len(forward) == len(backward) == 2 and len(names()) == 16
    with pytest.raises(ValueError, match="one per layer"):
        rnn.stack_bidirectional_rnn(cells(), cells(), steps, initial_states_fw=[None], dtype=tf.float32)


def test_states_are_kept_by_what_saves_them():
    class Saver:
        def __init__(self):
            self.kept = {n: tf.get_variable(n, [3, 5], initializer=tf.zeros_initializer(), trainable=False) for n in "ch"}

        def state(self, name):
            return tf.identity(self.kept[name])

        def save_state(self, name, value):
            return self.kept[name].assign(value)

    steps = [tf.constant(X[:, t]) for t in range(2)]
    outputs, state = rnn.static_state_saving_rnn(rnn.BasicLSTMCell(5), steps, Saver(), ("c", "h"))
    with tf.variable_scope("", reuse=True):
        whole, _ = tf.nn.static_rnn(rnn.BasicLSTMCell(5), steps * 2, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(outputs[-1])
        a, b = session.run([outputs[-1], whole[-1]])
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert rnn.static_state_saving_rnn is tf.nn.static_state_saving_rnn
    with pytest.raises(ValueError, match="`state_name` should be the same type as `cell.state_size`"):
        rnn.static_state_saving_rnn(rnn.BasicLSTMCell(5), steps, None, "c")
    with pytest.raises(ValueError, match="Number of elements in argument `state_name` and `cell.state_size` are mismatched"):
        rnn.static_state_saving_rnn(rnn.BasicLSTMCell(5), steps, None, ("c", "h", "i"))
