"""tf.contrib.legacy_seq2seq, and labels, words and points that programs of sequences had beside it."""

import copy
import itertools
import os

import numpy as np
import pytest

import troupe as tf

legacy = tf.contrib.legacy_seq2seq
random = np.random.RandomState(4)
ENCODER, DECODER = random.randint(0, 6, (4, 3)), random.randint(0, 7, (3, 3))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def begun():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def values(fetches, feed=None):
    with begun() as session:
        return session.run(fetches, feed)


def names():
    return [v.op.name for v in tf.global_variables()]


def fed():
    return [[tf.constant(step) for step in steps] for steps in (ENCODER, DECODER)]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_a_decoder_attends_to_what_was_read():
    memory, first = random.randn(3, 5, 4).astype("f"), random.randn(3, 6).astype("f")
    inputs = random.randn(2, 3, 2).astype("f")
    cell = tf.nn.rnn_cell.BasicRNNCell(6)
    outputs, state = legacy.attention_decoder([tf.constant(i) for i in inputs], tf.constant(first), tf.constant(memory), cell, output_size=3,
                                              num_heads=2, initial_state_attention=True)
    got, last, v = values([outputs, state, {n.op.name.partition("/")[2]: n for n in tf.global_variables()}])
    assert set(v) == {"AttnW_0", "AttnV_0", "AttnW_1", "AttnV_1", "kernel", "bias", "basic_rnn_cell/kernel", "basic_rnn_cell/bias",
                      *(f"{s}/{p}" for s in ("Attention_0", "Attention_1", "AttnOutputProjection") for p in ("kernel", "bias"))}
    linear = lambda scope, *args: np.concatenate(args, 1) @ v[scope + "kernel"] + v[scope + "bias"]

    def attend(query):
        made = []
        for a in range(2):
            y = linear(f"Attention_{a}/", query)[:, None]
            weights = softmax((v[f"AttnV_{a}"] * np.tanh(memory @ v[f"AttnW_{a}"][0, 0] + y)).sum(-1))
            made.append(np.einsum("bt,btd->bd", weights, memory))
        return made

    state, attended = first, attend(first)
    for x, output in zip(inputs, got):
        state = np.tanh(linear("basic_rnn_cell/", linear("", x, *attended), state))
        attended = attend(state)
        np.testing.assert_allclose(output, linear("AttnOutputProjection/", state, *attended), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last, state, rtol=1e-4, atol=1e-5)
    for bad, message in (((([], None, tf.constant(memory), cell)), "at least 1 input"),
                         (([tf.ones([3, 2])], None, tf.placeholder(tf.float32, [3, 5, None]), cell), "must be known")):
        with pytest.raises(ValueError, match=message):
            legacy.attention_decoder(*bad)
    with pytest.raises(ValueError, match="less than 1 heads"):
        legacy.attention_decoder([tf.ones([3, 2])], None, tf.constant(memory), cell, num_heads=0)


MODELS = {
    "embedding_rnn_seq2seq": lambda e, d, **o: legacy.embedding_rnn_seq2seq(e, d, tf.nn.rnn_cell.GRUCell(5), 6, 7, 4, **o),
    "embedding_tied_rnn_seq2seq": lambda e, d, **o: legacy.embedding_tied_rnn_seq2seq(e, d, tf.nn.rnn_cell.GRUCell(5), 7, 4, **o),
    "embedding_attention_seq2seq": lambda e, d, **o: legacy.embedding_attention_seq2seq(
        e, d, tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(5) for _ in range(2)]), 6, 7, 4, **o),
}
# As checkpoints of 1.15 have them.
NAMES = {
    "embedding_rnn_seq2seq": [
        "rnn/embedding_wrapper/embedding", "rnn/embedding_wrapper/gru_cell/gates/kernel", "embedding_rnn_decoder/embedding",
        "embedding_rnn_decoder/rnn_decoder/output_projection_wrapper/gru_cell/gates/kernel",
        "embedding_rnn_decoder/rnn_decoder/output_projection_wrapper/kernel"],
    "embedding_tied_rnn_seq2seq": [
        "embedding", "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/output_projection_wrapper/gru_cell/gates/kernel",
        "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/output_projection_wrapper/kernel"],
    "embedding_attention_seq2seq": [
        "rnn/embedding_wrapper/embedding", "rnn/embedding_wrapper/multi_rnn_cell/cell_0/basic_lstm_cell/kernel",
        "embedding_attention_decoder/embedding", "embedding_attention_decoder/attention_decoder/AttnW_0",
        "embedding_attention_decoder/attention_decoder/kernel",
        "embedding_attention_decoder/attention_decoder/output_projection_wrapper/multi_rnn_cell/cell_0/basic_lstm_cell/kernel",
        "embedding_attention_decoder/attention_decoder/AttnOutputProjection/kernel"],
}


@pytest.mark.parametrize("model", MODELS)
def test_models_of_words_train_and_feed_themselves_where_a_tensor_says_so(model):
    encoder, decoder = fed()
    feed = tf.placeholder(tf.bool, [])
    outputs, state = MODELS[model](encoder, decoder, feed_previous=feed)
    with tf.variable_scope("", reuse=True):
        given, state_given = MODELS[model](encoder, decoder)
        own, _ = MODELS[model](encoder, decoder, feed_previous=True)
        # What it would be fed: its largest outputs.
        largest = [decoder[0], *[tf.cast(tf.argmax(o, 1), tf.int32) for o in own[:-1]]]
        again, _ = MODELS[model](encoder, largest)
    assert [n for n in names() if n.partition("/")[2] in NAMES[model]] == [f"{model}/{n}" for n in NAMES[model]], names()
    loss = legacy.sequence_loss(given, decoder, [tf.ones([3])] * 3)
    train = tf.train.AdamOptimizer(0.03).minimize(loss)
    with begun() as session:
        for which, wanted in ((False, given), (True, own)):
            got, other = session.run([outputs, wanted], {feed: which})
            np.testing.assert_allclose(got, other, rtol=1e-5, atol=1e-6)
        got, other = session.run([own, again])
        np.testing.assert_allclose(got, other, rtol=1e-5, atol=1e-6)
        tf.contrib.framework.nest.assert_same_structure(state, state_given)
        first = session.run(loss)
        for _ in range(60):
            session.run(train)
        assert session.run(loss) < 0.3 * first and outputs[0].shape.as_list()[-1] == 7


def test_outputs_are_projected_by_the_program_with_sampled_losses():
    encoder, decoder = fed()
    w, b = tf.get_variable("proj_w", [7, 5]), tf.get_variable("proj_b", [7])
    outputs, _ = legacy.embedding_attention_seq2seq(encoder, decoder, tf.nn.rnn_cell.GRUCell(5), 6, 7, 4, output_projection=(tf.transpose(w), b),
                                                    feed_previous=True)
    sampled = lambda labels, logits: tf.nn.sampled_softmax_loss(w, b, tf.reshape(labels, [-1, 1]), logits, 4, 7)
    loss = legacy.sequence_loss(outputs, decoder, [tf.ones([3])] * 3, softmax_loss_function=sampled)
    assert outputs[0].shape.as_list() == [3, 5] and np.isfinite(values(loss))
    with pytest.raises(ValueError):
        legacy.embedding_rnn_decoder(decoder, tf.zeros([3, 5]), tf.nn.rnn_cell.GRUCell(5), 7, 4, output_projection=(w, b), feed_previous=True)


def test_several_decoders_of_one_encoder():
    encoder, decoder = fed()
    cells = {"a": tf.nn.rnn_cell.GRUCell(5), "b": tf.nn.rnn_cell.GRUCell(5)}
    outputs, states = legacy.one2many_rnn_seq2seq(encoder, {"a": decoder, "b": decoder[:2]}, tf.nn.rnn_cell.GRUCell(5), cells, 6, {"a": 7, "b": 8}, 4)
    got = values(outputs)
    assert [len(got["a"]), len(got["b"])] == [3, 2] and got["b"][0].shape == (3, 8) and set(states) == {"a", "b"}
    assert "one2many_rnn_seq2seq/one2many_decoder_b/embedding_rnn_decoder/embedding" in names()


def test_buckets_share_variables():
    inputs, labels, weights = ([tf.placeholder(t, [None], f"{n}{i}") for i in range(4)] for n, t in (("x", tf.int32), ("y", tf.int32), ("w", tf.float32)))
    model = lambda e, d: legacy.embedding_attention_seq2seq(e, d, tf.nn.rnn_cell.GRUCell(5), 6, 6, 4)
    outputs, losses = legacy.model_with_buckets(inputs, labels, labels[1:], weights, [(2, 2), (4, 3)], model)
    _, each = legacy.model_with_buckets(inputs, labels, labels[1:], weights, [(2, 2)], lambda e, d: (outputs[0], None), per_example_loss=True)
    assert [len(o) for o in outputs] == [2, 3] and len(names()) == len(set(names())) == 20
    feed = {p: random.randint(0, 6, 3) for p in inputs + labels}
    feed.update({w: np.ones(3, "f") for w in weights})
    got, mine = values([losses[0], each[0]], {p: v for p, v in feed.items() if p.op.name[1] in "012"})
    assert mine.mean() == pytest.approx(got, rel=1e-5)
    with pytest.raises(ValueError, match=r"Length of encoder_inputs \(4\) must be at least that of last bucket \(5\)"):
        legacy.model_with_buckets(inputs, labels, labels, weights, [(5, 3)], model)


def test_copies_of_cells_have_the_variables_that_were_there():
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(5)])
    unused, zero = copy.deepcopy(cell), cell.zero_state(3, tf.float32)
    first, _ = cell(tf.ones([3, 2]), zero)
    second, _ = copy.deepcopy(cell)(tf.ones([3, 2]), zero)
    assert len(names()) == 2
    with tf.variable_scope("other"):
        third, _ = unused(tf.ones([3, 2]), zero)
    a, b, c = values([first, second, third])
    np.testing.assert_array_equal(a, b)
    assert len(names()) == 4 and not np.allclose(a, c)


def test_the_best_labels_are_found_in_the_graph():
    crf = tf.contrib.crf
    scores, transitions = random.randn(4, 5, 3).astype("f"), random.randn(3, 3).astype("f")
    lengths = np.array([5, 2, 1, 3])
    lone = crf.crf_decode(tf.constant(scores[:, :1]), tf.constant(transitions), [1, 1, 1, 1])
    (tags, best), (one, _) = values([crf.crf_decode(tf.constant(scores), tf.constant(transitions), lengths), lone])
    for i, length in enumerate(lengths):
        path, score = crf.viterbi_decode(scores[i, :length], transitions)
        assert tags[i, :length].tolist() == path and not tags[i, length:].any() and best[i] == pytest.approx(score, rel=1e-5)
    assert one[:, 0].tolist() == scores[:, 0].argmax(1).tolist()


def test_sequences_of_several_labels_are_summed():
    crf = tf.contrib.crf
    scores, transitions = random.randn(2, 3, 3).astype("f"), random.randn(3, 3).astype("f")
    allowed = random.rand(2, 3, 3) < 0.6
    allowed[:, :, 0] = True
    got, none = values([crf.crf_multitag_sequence_score(tf.constant(scores), tf.constant(allowed), [3, 2], tf.constant(transitions)),
                        crf.crf_log_norm(tf.constant(scores), [0, 0], tf.constant(transitions))])
    for i, length in enumerate((3, 2)):
        paths = [p for p in itertools.product(range(3), repeat=length) if all(allowed[i, t, l] for t, l in enumerate(p))]
        sums = [sum(scores[i, t, l] for t, l in enumerate(p)) + sum(transitions[a, b] for a, b in zip(p, p[1:])) for p in paths]
        assert got[i] == pytest.approx(np.log(np.exp(sums).sum()), rel=1e-4)
    assert none.tolist() == [0, 0]


def test_texts_become_numbers_of_words(tmp_path):
    learn = tf.contrib.learn.preprocessing
    texts = ["the cat sat on the mat", "the Dog sat", "a cat's"]
    processor = learn.VocabularyProcessor(4)
    rows = np.array(list(processor.fit_transform(texts)))
    assert rows.tolist() == [[1, 2, 3, 4], [1, 6, 3, 0], [7, 8, 0, 0]] and rows.dtype == np.int64 and len(processor.vocabulary_) == 9
    assert list(processor.transform(["the bird sat"]))[0].tolist() == [1, 0, 3, 0]
    assert list(processor.reverse(rows[:1])) == ["the cat sat on"] and processor.vocabulary_._mapping["mat"] == 5
    processor.save(str(tmp_path / "vocab"))
    again = learn.VocabularyProcessor.restore(str(tmp_path / "vocab"))
    assert np.array(list(again.transform(texts))).tolist() == rows.tolist()
    often = learn.VocabularyProcessor(3, min_frequency=1)
    assert np.array(list(often.fit_transform(texts))).tolist() == [[1, 0, 2], [1, 0, 2], [0, 0, 0]]
    assert list(learn.ByteProcessor(4).transform(["ab", "abcdef"]))[0].tolist() == [97, 98, 0, 0]
    with pytest.raises(ValueError, match="support_reverse"):
        learn.CategoricalVocabulary(support_reverse=False).reverse(0)


def test_variables_are_shown_as_points(tmp_path):
    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name, embedding.metadata_path = "words:0", 'a "file".tsv'
    embedding.sprite.image_path = "sprite.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    writer = tf.summary.FileWriter(str(tmp_path))
    projector.visualize_embeddings(writer, config)
    writer.close()
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        'embeddings {\n  tensor_name: "words:0"\n  metadata_path: "a \\"file\\".tsv"\n  sprite {\n    image_path: "sprite.png"\n'
        "    single_image_dim: 28\n    single_image_dim: 28\n  }\n}\n")
    assert os.path.exists(tmp_path) and config == config
    with pytest.raises(AttributeError, match="no 'tensor' field"):
        embedding.tensor = "x"
    with pytest.raises(TypeError, match="Cannot set EmbeddingInfo.tensor_name"):
        embedding.tensor_name = 3
