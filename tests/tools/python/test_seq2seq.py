"""Decoders, helpers and attention of tf.contrib.seq2seq: what the papers' equations give, by NumPy, and the names that TensorFlow 1.15 gave."""

import numpy as np
import pytest

import troupe as tf

seq2seq = tf.contrib.seq2seq
random = np.random.RandomState(5)
MEMORY, LENGTHS = random.randn(3, 4, 5).astype("f"), np.array([4, 2, 3])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def begun():
    session = tf.Session()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    return session


def values(fetches, feed=None):
    with begun() as session:
        return session.run(fetches, feed)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def named():
    """{name: value} of all variables, once they are drawn."""
    return {v.op.name: v for v in tf.global_variables()}


def masked(scores):
    return np.where(np.arange(4) < LENGTHS[:, None], scores, -np.inf)


MEMORY_MASKED = MEMORY * (np.arange(4) < LENGTHS[:, None])[..., None]


@pytest.mark.parametrize("normalize", [False, True])
def test_additive_attention_weighs_a_memory(normalize):
    query = random.randn(3, 6).astype("f")
    mechanism = seq2seq.BahdanauAttention(7, tf.constant(MEMORY), LENGTHS, normalize=normalize)
    alignments, state = mechanism(tf.constant(query), mechanism.initial_state(3, tf.float32))
    got, same, variables = values([alignments, state, named()])
    names = ["memory_layer/kernel", "bahdanau_attention/query_layer/kernel", "bahdanau_attention/attention_v"]
    names += ["bahdanau_attention/attention_g", "bahdanau_attention/attention_b"] if normalize else []
    assert list(variables) == names
    keys, query = MEMORY_MASKED @ variables[names[0]], query @ variables[names[1]]
    v = variables[names[2]]
    if normalize:
        assert variables[names[3]] == pytest.approx(np.sqrt(1 / 7))
        v = variables[names[3]] * v / np.linalg.norm(v)
    np.testing.assert_allclose(got, softmax(masked((v * np.tanh(keys + query[:, None])).sum(-1))), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(got, same)


@pytest.mark.parametrize("scale", [False, True])
def test_multiplicative_attention_weighs_a_memory(scale):
    query = random.randn(3, 6).astype("f")
    mechanism = seq2seq.LuongAttention(6, tf.constant(MEMORY), LENGTHS, scale=scale)
    alignments, _ = mechanism(tf.constant(query), mechanism.initial_state(3, tf.float32))
    with begun() as session:
        if scale:
            named()["luong_attention/attention_g"].load(2.5, session)
        got, variables = session.run([alignments, named()])
    assert list(variables) == ["memory_layer/kernel"] + ["luong_attention/attention_g"] * scale
    scores = np.einsum("btd,bd->bt", MEMORY_MASKED @ variables["memory_layer/kernel"], query) * (2.5 if scale else 1)
    np.testing.assert_allclose(got, softmax(masked(scores)), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="Incompatible or unknown inner dimensions"):
        mechanism(tf.ones([3, 5]), None)


def monotonic(choose, before):
    """The recursion of Raffel et al. 2017, one step of the memory after the other."""
    made = np.zeros_like(choose)
    for b in range(len(choose)):
        q = 0.0
        for j in range(choose.shape[1]):
            q = (1 - choose[b, j - 1] if j else 1.0) * q + before[b, j]
            made[b, j] = choose[b, j] * q
    return made


def test_monotonic_attention_follows_its_recursion():
    choose, before = random.rand(3, 4).astype("f") * 0.8 + 0.1, softmax(random.randn(3, 4)).astype("f")
    hard = (choose > 0.5).astype("f")
    first = np.eye(4, dtype="f")[[0, 1, 3]]
    got = values([seq2seq.monotonic_attention(choose, before, mode) for mode in ("recursive", "parallel")]
                 + [seq2seq.monotonic_attention(hard, first, "hard"), seq2seq.safe_cumprod(tf.constant([[0.5, 0.0, 0.2]]), axis=1)])
    np.testing.assert_allclose(got[0], monotonic(choose, before), rtol=1e-5)
    np.testing.assert_allclose(got[1], monotonic(choose, before), rtol=1e-4)
    np.testing.assert_array_equal(got[2], monotonic(hard, first))
    np.testing.assert_allclose(got[3], [[0.5, 0, 0]], atol=1e-30)
    with pytest.raises(ValueError, match="mode must be"):
        seq2seq.monotonic_attention(choose, before, "soft")


@pytest.mark.parametrize("kind", ["Bahdanau", "Luong"])
def test_monotonic_mechanisms_begin_at_the_first_step_and_have_a_bias(kind):
    mechanism = getattr(seq2seq, kind + "MonotonicAttention")(6, tf.constant(MEMORY), score_bias_init=-1.0)
    first = mechanism.initial_state(3, tf.float32)
    alignments, _ = mechanism(tf.constant(random.randn(3, 6).astype("f")), first)
    begin, got, variables = values([first, alignments, named()])
    assert begin.tolist() == [[1, 0, 0, 0]] * 3 and (got >= 0).all() and (got.sum(1) <= 1.0001).all()
    assert variables[f"{kind.lower()}_monotonic_attention/attention_score_bias"] == -1.0


def lstm(x, c, h, kernel, bias):
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


INPUTS = random.randn(3, 3, 2).astype("f")


def attended(cell_type=tf.nn.rnn_cell.BasicLSTMCell, **others):
    mechanism = seq2seq.LuongAttention(6, tf.constant(MEMORY), LENGTHS)
    return seq2seq.AttentionWrapper(cell_type(6), mechanism, attention_layer_size=4, **others)


def test_a_wrapped_cell_sees_what_it_attended_to():
    cell = attended(alignment_history=True)
    helper = seq2seq.TrainingHelper(tf.constant(INPUTS), [3, 2, 3])
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32), tf.layers.Dense(9, use_bias=False, name="projection"))
    outputs, state, lengths = seq2seq.dynamic_decode(decoder)
    assert outputs.rnn_output.shape.as_list() == [3, None, 9] and isinstance(state, seq2seq.AttentionWrapperState)
    got, last, history, steps, v = values([outputs, state.cell_state, state.alignment_history.stack(), lengths, named()])
    scope = "decoder/attention_wrapper/"
    assert list(v) == ["memory_layer/kernel", scope + "basic_lstm_cell/kernel", scope + "basic_lstm_cell/bias", scope + "attention_layer/kernel",
                       "decoder/projection/kernel"]
    c, h, attention, keys = np.zeros((3, 6)), np.zeros((3, 6)), np.zeros((3, 4)), MEMORY_MASKED @ v["memory_layer/kernel"]
    for t in range(3):
        c, h = lstm(np.concatenate([INPUTS[:, t], attention], 1), c, h, v[scope + "basic_lstm_cell/kernel"], v[scope + "basic_lstm_cell/bias"])
        weights = softmax(masked(np.einsum("btd,bd->bt", keys, h)))
        attention = np.concatenate([h, np.einsum("bt,btd->bd", weights, MEMORY_MASKED)], 1) @ v[scope + "attention_layer/kernel"]
        logits = attention @ v["decoder/projection/kernel"]
        np.testing.assert_allclose(got.rnn_output[:, t], logits, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(got.sample_id[:, t], logits.argmax(1))
        np.testing.assert_allclose(history[t], weights, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(last.c, c, rtol=1e-4, atol=1e-5)
    assert steps.tolist() == [3, 2, 3]


def test_finished_sequences_stay_as_they_are_where_it_is_asked_for():
    cell = tf.nn.rnn_cell.GRUCell(4)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(tf.constant(INPUTS), [3, 1, 2]), cell.zero_state(3, tf.float32))
    outputs, state, _ = seq2seq.dynamic_decode(decoder, impute_finished=True, output_time_major=True)
    whole, last = tf.nn.dynamic_rnn(cell, tf.constant(INPUTS), [3, 1, 2], dtype=tf.float32, scope="decoder", time_major=False)
    got, ours, wanted, theirs = values([outputs.rnn_output, state, whole, last])
    np.testing.assert_allclose(got, wanted.transpose(1, 0, 2), rtol=1e-6)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert [v.op.name for v in tf.global_variables()][0] == "decoder/gru_cell/gates/kernel" and len(tf.global_variables()) == 4


def test_a_wrapped_cell_goes_over_a_sequence_and_keeps_its_alignments():
    outputs, state = tf.nn.dynamic_rnn(attended(alignment_history=True), tf.constant(INPUTS), [3, 1, 2], dtype=tf.float32)
    got, history, last, time = values([outputs, state.alignment_history.stack(), state.attention, state.time])
    assert history.shape == (3, 3, 4) and time == 3 and not got[1, 1:].any()
    np.testing.assert_array_equal(got[[0, 1, 2], [2, 0, 1]], last)


def test_several_mechanisms_and_states_that_are_cloned():
    with tf.variable_scope("m"):
        mechanisms = [seq2seq.LuongAttention(6, tf.constant(MEMORY)), seq2seq.BahdanauAttention(5, tf.constant(MEMORY[:, :3]))]
    first = tf.ones([3, 6])
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(6), mechanisms, attention_layer_size=[2, 3], output_attention=False)
    state = cell.zero_state(3, tf.float32).clone(cell_state=first)
    assert cell.output_size == 6 and cell.state_size.attention == 5 and cell.state_size.alignments == (4, 3)
    output, state = cell(tf.constant(INPUTS[:, 0]), state)
    output, state = cell(tf.constant(INPUTS[:, 1]), state)
    got = values([output, *state.alignments, state.attention, state.time])
    assert [g.shape for g in got[:4]] == [(3, 6), (3, 4), (3, 3), (3, 5)] and got[4] == 2
    assert [v.op.name for v in tf.global_variables() if "attention_layer" in v.op.name] == [
        "attention_wrapper/attention_layer/kernel", "attention_wrapper/attention_layer_1/kernel"]
    with pytest.raises(ValueError):
        state.clone(cell_state=tf.ones([3, 7]))
    with pytest.raises(TypeError, match="attention_mechanism must be"):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(6), tf.constant(1))
    with pytest.raises(ValueError, match="exactly one integer per attention_mechanism"):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(6), mechanisms, attention_layer_size=2)


def test_a_memory_of_another_batch_is_refused():
    cell = attended(tf.nn.rnn_cell.GRUCell)
    rows = tf.placeholder(tf.int32, [])
    with begun() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Non-matching batch sizes"):
        session.run(cell.zero_state(rows, tf.float32).cell_state, {rows: 6})


EMBEDDING = random.randn(5, 2).astype("f")


class Fixed(tf.nn.rnn_cell.RNNCell):
    """Its state counts the steps, its outputs are rows of a table: [steps, batch, classes]."""

    def __init__(self, table):
        super().__init__()
        self._table = table

    state_size = property(lambda self: 1)
    output_size = property(lambda self: self._table.shape[2])

    def call(self, inputs, state):
        return tf.gather(tf.constant(self._table), tf.cast(state[0, 0], tf.int32)), state + 1


def test_greedy_decoding_ends_at_the_end_or_after_the_most_steps():
    table = np.zeros((6, 2, 5), "f")
    for step, (a, b) in enumerate([(3, 2), (1, 4), (4, 4), (4, 1), (0, 0), (0, 0)]):
        table[step, 0, a] = table[step, 1, b] = 1
    cell = Fixed(table)
    helper = seq2seq.GreedyEmbeddingHelper(tf.constant(EMBEDDING), tf.fill([2], 0), 1)
    decode = lambda **others: seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)), **others)
    (outputs, _, lengths), (short, _, few) = decode(), decode(maximum_iterations=2)
    ids, n, short_ids, m = values([outputs.sample_id, lengths, short.sample_id, few])
    assert ids.tolist() == [[3, 1, 4, 4], [2, 4, 4, 1]] and n.tolist() == [2, 4]
    assert short_ids.tolist() == [[3, 1], [2, 4]] and m.tolist() == [2, 2]
    for tokens, end, message in (([[1]], 1, "start_tokens must be a vector"), ([1], [1], "end_token must be a scalar")):
        with pytest.raises(ValueError, match=message):
            seq2seq.GreedyEmbeddingHelper(tf.constant(EMBEDDING), tokens, end)


def test_samples_are_drawn_by_the_outputs():
    table = np.tile(np.log(np.array([0.5, 0.25, 0.25, 1e-20, 1e-20], "f")), (3, 400, 1))
    cell = Fixed(table)
    decode = lambda helper: seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(400, tf.float32)), maximum_iterations=3)[0]
    warm = seq2seq.SampleEmbeddingHelper(lambda ids: tf.gather(EMBEDDING, ids), tf.fill([400], 0), 4, seed=1)
    cold = seq2seq.SampleEmbeddingHelper(EMBEDDING, tf.fill([400], 0), 4, softmax_temperature=0.01, seed=1)
    drawn, sure = values([decode(warm).sample_id, decode(cold).sample_id])
    assert np.bincount(drawn.ravel(), minlength=5) / 1200 == pytest.approx([0.5, 0.25, 0.25, 0, 0], abs=0.06)
    assert (sure == 0).all()


@pytest.mark.parametrize("probability, drawn", [(0.0, False), (1.0, True)])
def test_scheduled_helpers_feed_what_was_given_with_a_probability(probability, drawn):
    table = np.full((3, 3, 5), -50, "f")
    table[:, :, 4] = 50
    cell = Fixed(table)
    seen = []

    class Watched(tf.nn.rnn_cell.RNNCell):
        state_size, output_size = 1, 5

        def call(self, inputs, state):
            seen.append(inputs)
            return cell(inputs, state)[0] + 0 * tf.reduce_sum(inputs), state + 1

    make = lambda: seq2seq.ScheduledEmbeddingTrainingHelper(tf.constant(INPUTS), [3, 3, 2], EMBEDDING, probability, seed=1, scheduling_seed=2)
    helper, other = make(), make()
    finished, inputs, _ = other.next_inputs(tf.constant(0), None, None, other.sample(tf.constant(0), tf.constant(table[0]), None))
    outputs, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(Watched(), helper, tf.zeros([3, 1])))
    got, over, ids = values([inputs, finished, outputs.sample_id])
    np.testing.assert_allclose(got, np.tile(EMBEDDING[4], (3, 1)) if drawn else INPUTS[:, 1], rtol=1e-6)
    assert over.tolist() == [False] * 3 and ids.tolist() == [[4 if drawn else -1] * 3] * 3 and len(seen) == 1


@pytest.mark.parametrize("probability, drawn", [(0.0, False), (1.0, True)])
def test_scheduled_outputs_are_inputs_beside_what_is_auxiliary(probability, drawn):
    auxiliary = random.randn(3, 3, 1).astype("f")
    helper = seq2seq.ScheduledOutputTrainingHelper(tf.constant(INPUTS), [3, 3, 3], probability, next_inputs_fn=lambda o: o[:, :2],
                                                   auxiliary_inputs=tf.constant(auxiliary))
    outputs = random.randn(3, 4).astype("f")
    samples = helper.sample(tf.constant(0), tf.constant(outputs), None)
    _, inputs, _ = helper.next_inputs(tf.constant(0), tf.constant(outputs), None, samples)
    got, chosen = values([inputs, samples])
    np.testing.assert_allclose(got, np.concatenate([outputs[:, :2] if drawn else INPUTS[:, 1], auxiliary[:, 1]], 1), rtol=1e-6)
    assert chosen.tolist() == [int(drawn)] * 3
    with pytest.raises(ValueError, match="either a scalar or a vector"):
        seq2seq.ScheduledOutputTrainingHelper(tf.constant(INPUTS), [3, 3, 3], [[0.5]])


def test_functions_of_the_program_are_helpers():
    cell = Fixed(np.arange(24, dtype="f").reshape(4, 2, 3))
    custom = seq2seq.CustomHelper(
        lambda: (tf.constant([False, False]), tf.zeros([2, 3])), lambda time, outputs, state: tf.cast(outputs[:, 0], tf.int32) + time,
        lambda time, outputs, state, sample_ids: (sample_ids > 11, outputs, state))
    with pytest.raises(ValueError, match="before initialize"):
        custom.batch_size
    inference = seq2seq.InferenceHelper(lambda outputs: outputs * 2, [3], tf.float32, tf.zeros([2, 3]), lambda samples: samples[:, 0] > 20)
    made = [seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, tf.zeros([2, 1]))) for helper in (custom, inference)]
    (a, n), (b, m) = values([(outputs.sample_id, lengths) for outputs, _, lengths in made])
    assert a.tolist() == [[0, 7, 14], [3, 10, 17]] and n.tolist() == [3, 3]
    assert b[0, :, 0].tolist() == [0, 12, 24] and b[1, :, 0].tolist() == [6, 18, 30] and m.tolist() == [3, 3]


def test_other_decoders_and_helpers_are_refused():
    cell = tf.nn.rnn_cell.GRUCell(4)
    with pytest.raises(TypeError, match="Expected decoder to be type Decoder"):
        seq2seq.dynamic_decode(cell)
    with pytest.raises(TypeError, match="helper must be a Helper"):
        seq2seq.BasicDecoder(cell, cell, None)
    with pytest.raises(ValueError, match="sequence_length to be a vector"):
        seq2seq.TrainingHelper(tf.constant(INPUTS), 3)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(tf.constant(INPUTS), [3, 3, 3]), cell.zero_state(3, tf.float32))
    with pytest.raises(ValueError, match="maximum_iterations must be a scalar"):
        seq2seq.dynamic_decode(decoder, maximum_iterations=[2])


def test_hardmax_and_tiled_batches():
    got = values([seq2seq.hardmax([[1.0, 3.0, 2.0]]), seq2seq.tile_batch({"a": tf.constant([[1, 2], [3, 4]])}, 2)["a"]])
    assert got[0].tolist() == [[0, 1, 0]] and got[1].tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
    with pytest.raises(ValueError, match="at least rank 1"):
        seq2seq.tile_batch(tf.constant(1), 2)


def test_gradients_through_a_decoder_are_those_of_differences():
    cell = attended(tf.nn.rnn_cell.GRUCell)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(tf.constant(INPUTS), [3, 2, 3]), cell.zero_state(3, tf.float32))
    outputs, _, _ = seq2seq.dynamic_decode(decoder, impute_finished=True)
    loss = tf.reduce_sum(tf.square(outputs.rnn_output))
    variables = tf.trainable_variables()
    assert len(variables) == 6
    gradients = tf.gradients(loss, variables)
    with begun() as session:
        for variable, gradient in zip(variables, session.run(gradients)):
            value, direction = session.run(variable), np.random.RandomState(1).randn(*variable.shape.as_list()).astype("f")
            ends = []
            for sign in (1, -1):
                variable.load(value + sign * 1e-2 * direction, session)
                ends.append(session.run(loss))
            variable.load(value, session)
            assert (ends[0] - ends[1]) / 2e-2 == pytest.approx((gradient * direction).sum(), rel=2e-2, abs=2e-3), variable.op.name
