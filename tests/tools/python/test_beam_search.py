"""Beam search of tf.contrib.seq2seq: what a search by NumPy over the same probabilities finds."""

import numpy as np
import pytest

import troupe as tf

seq2seq = tf.contrib.seq2seq
END, WORDS = 0, 5
random = np.random.RandomState(8)
# The logits of the next word after each.
NEXT = random.randn(WORDS, WORDS).astype("f") * 1.5


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


class Bigrams(tf.nn.rnn_cell.RNNCell):
    """Outputs depend on the last word alone; the state adds the words up."""

    state_size, output_size = 2, WORDS

    def call(self, inputs, state):
        words = tf.cast(inputs[:, 0], tf.int32)
        return tf.gather(tf.constant(NEXT), words), state + inputs


def search(start, beam, steps, weight=0.0):
    """[(words, log probability, score)] of the beams, the best first; the score is that of the last step."""
    logs = NEXT - np.log(np.exp(NEXT).sum(1, keepdims=True))
    beams = [((), 0.0, False, 0, 0.0)] + [((), -np.inf, True, 0, 0.0)] * (beam - 1)
    for _ in range(steps):
        if all(b[2] for b in beams):
            break
        found = []
        for i, (words, total, over, length, _) in enumerate(beams):
            for w in range(WORDS):
                if over:
                    candidate = total + (0.0 if w == END else np.finfo("f").min), length
                else:
                    candidate = total + logs[words[-1] if words else start][w], length + (w != END)
                penalty = ((5 + candidate[1]) / 6) ** weight
                found.append((-candidate[0] / penalty, i * WORDS + w, candidate))
        following = []
        for score, place, (total, _) in sorted(found, key=lambda f: f[:2])[:beam]:
            words, _, over, length, _ = beams[place // WORDS]
            w = place % WORDS
            following.append((words + (w,), total, over or w == END, length + (not over), -score))
        beams = following
    return [(words, total, score) for words, total, _, _, score in beams]


def decoded(starts, beam, steps, **others):
    embedding = tf.stack([tf.range(WORDS, dtype=tf.float32), tf.ones([WORDS])], 1)
    state = seq2seq.tile_batch(tf.zeros([len(starts), 2]), beam)
    decoder = seq2seq.BeamSearchDecoder(Bigrams(), embedding, starts, END, state, beam, **others)
    outputs, last, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    with tf.Session() as session:
        return session.run([outputs.predicted_ids, last.log_probs, last.lengths, last.cell_state, outputs.beam_search_decoder_output.scores, lengths])


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("beam", [1, 3])
def test_the_best_sequences_are_found(beam, weight):
    starts = [1, 3, 4]
    ids, logs, lengths, state, scores, _ = decoded(starts, beam, 6, length_penalty_weight=weight)
    assert ids.shape[0] == 3 and ids.shape[2] == beam
    for b, start in enumerate(starts):
        for k, (words, total, score) in enumerate(search(start, beam, 6, weight)):
            found = ids[b, :, k].tolist()
            end = found.index(END) + 1 if END in found else len(found)
            kept = list(words[:words.index(END) + 1]) if END in words else list(words)
            assert found[:end] == kept and all(w == END for w in found[end:]), (b, k)
            assert logs[b, k] == pytest.approx(total, rel=1e-4) and lengths[b, k] == len(kept)
            if len(words) == ids.shape[1]:
                assert scores[b, -1, k] == pytest.approx(score, rel=1e-4)
            # The state went with its beam: all inputs but the last word, added up, and so on to the last step.
            if end == len(found):
                assert state[b, k, 0] == sum([start, *kept[:-1]])
    assert (np.diff(scores[:, -1], axis=1) <= 1e-6).all()


def test_histories_of_alignments_are_put_in_the_order_of_the_beams():
    memory = tf.constant(random.randn(2, 3, 4).astype("f"))
    beam = 2
    mechanism = seq2seq.BahdanauAttention(4, seq2seq.tile_batch(memory, beam), seq2seq.tile_batch(tf.constant([3, 2]), beam))
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), mechanism, 4, alignment_history=True)
    first = cell.zero_state(2 * beam, tf.float32)
    table = tf.constant(random.randn(WORDS, 3).astype("f"))
    layer = tf.layers.Dense(WORDS, name="words")
    decoder = seq2seq.BeamSearchDecoder(cell, table, [1, 2], END, first, beam, layer, coverage_penalty_weight=0.3)
    outputs, last, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
    history = last.cell_state.alignment_history
    # Greedy decoding of the best sequence attends to the same.
    chosen = tf.placeholder(tf.int32, [2, None])
    with tf.variable_scope("decoder", reuse=True):
        inputs = tf.concat([tf.gather(table, [[1], [2]]), tf.gather(table, chosen[:, :-1])], 1)
        again = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicLSTMCell(4, reuse=True), mechanism, 4, alignment_history=True)
    assert isinstance(history, tf.Tensor) and history.shape.as_list() == [None, 4, 3]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ids, told, attended = session.run([outputs.predicted_ids, history, last.accumulated_attention_probs])
        rows = seq2seq.dynamic_decode(seq2seq.BasicDecoder(
            again, seq2seq.TrainingHelper(seq2seq.tile_batch(inputs, beam), [ids.shape[1]] * 4), again.zero_state(4, tf.float32), layer),
            scope=tf.VariableScope(True, "decoder"))[1].alignment_history.stack()
        wanted = session.run(rows, {chosen: ids[:, :, 0]})
    assert told.shape == (ids.shape[1], 4, 3) and attended.shape == (2, beam, 3)
    for b in range(2):
        end = ids[b, :, 0].tolist().index(END) + 1 if END in ids[b, :, 0] else ids.shape[1]
        np.testing.assert_allclose(told[:end, b * beam], wanted[:end, b * beam], rtol=1e-4, atol=1e-5)


def test_arrays_follow_the_beams():
    steps, parents = np.array([[[1, 2]], [[3, 4]], [[5, 6]]]), np.array([[[0, 0]], [[1, 0]], [[1, 0]]], "i")
    tree, short, broken = (seq2seq.gather_tree(steps.astype("i"), parents, [n], end) for n, end in ((3, 9), (2, 9), (3, 4)))
    array = seq2seq.gather_tree_from_array(tf.constant(steps.reshape(3, 1, 2, 1)), parents, [[3, 3]])
    with tf.Session() as session:
        made, along, few, over = session.run([tree, array, short, broken])
    assert few[:, 0].T.tolist() == [[2, 3, 9], [1, 4, 9]] and over[:, 0].T.tolist() == [[1, 4, 4], [2, 3, 6]]
    assert made[:, 0].T.tolist() == [[1, 4, 5], [2, 3, 6]] and along[:, 0, :, 0].T.tolist() == [[1, 4, 5], [2, 3, 6]]


def test_what_is_no_beam_search_is_refused():
    state = tf.zeros([2, 2])
    with pytest.raises(ValueError, match="start_tokens must be a vector"):
        seq2seq.BeamSearchDecoder(Bigrams(), tf.zeros([WORDS, 2]), 1, END, state, 1)
    with pytest.raises(ValueError, match="end_token must be a scalar"):
        seq2seq.BeamSearchDecoder(Bigrams(), tf.zeros([WORDS, 2]), [1, 1], [END], state, 1)
    with pytest.raises(TypeError, match="is not an RNNCell"):
        seq2seq.BeamSearchDecoder(None, tf.zeros([WORDS, 2]), [1, 1], END, state, 1)
