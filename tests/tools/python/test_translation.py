"""A whole program of translation with tf.contrib.seq2seq: one graph trains and writes a checkpoint, others decode with it."""

import numpy as np
import pytest

import troupe as tf

seq2seq, rnn = tf.contrib.seq2seq, tf.contrib.rnn
PAD, SOS, EOS, WORDS, UNITS, BEAM = 0, 1, 2, 10, 12, 3
random = np.random.RandomState(0)
LENGTHS = random.randint(2, 5, 8)
SOURCE = np.where(np.arange(4) < LENGTHS[:, None], random.randint(3, WORDS, (8, 4)), PAD)
INPUTS, OUTPUTS = np.concatenate([np.full((8, 1), SOS), SOURCE], 1), np.concatenate([SOURCE, np.zeros((8, 1), int)], 1)
OUTPUTS[np.arange(8), LENGTHS] = EOS


class Model:
    def __init__(self, mode, mechanism):
        self.source, self.lengths = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None])
        self.inputs, self.outputs = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
        with tf.variable_scope("dynamic_seq2seq", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=1)):
            with tf.variable_scope("embeddings"):
                self.encoder, self.decoder = (tf.get_variable(n, [WORDS, 8]) for n in ("encoder", "decoder"))
            with tf.variable_scope("encoder"):
                cells = [rnn.BasicLSTMCell(UNITS // 2) for _ in range(2)]
                memory, states = tf.nn.bidirectional_dynamic_rnn(*cells, tf.nn.embedding_lookup(self.encoder, self.source),
                                                                 sequence_length=self.lengths, dtype=tf.float32)
                state = rnn.LSTMStateTuple(tf.concat([s.c for s in states], 1), tf.concat([s.h for s in states], 1))
            with tf.variable_scope("decoder") as scope:
                self._decode(mode, mechanism, tf.concat(memory, 2), state, scope)
        self.saver = tf.train.Saver(tf.trainable_variables())

    def _decode(self, mode, mechanism, memory, state, scope):
        lengths, batch = self.lengths, tf.size(self.lengths)
        if mode == "beam":
            memory, lengths, state = seq2seq.tile_batch((memory, lengths, state), BEAM)
            batch *= BEAM
        cell = rnn.MultiRNNCell([rnn.DropoutWrapper(rnn.LSTMCell(UNITS)), rnn.ResidualWrapper(rnn.LSTMCell(UNITS))])
        cell = seq2seq.AttentionWrapper(cell, mechanism(UNITS, memory, lengths), attention_layer_size=UNITS, name="attention",
                                        alignment_history=mode == "greedy")
        first = cell.zero_state(batch, tf.float32).clone(cell_state=(state, state))
        layer = tf.layers.Dense(WORDS, use_bias=False, name="output_projection")
        if mode == "train":
            helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(self.decoder, self.inputs), self.lengths + 1)
            made, _, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, first), swap_memory=True, scope=scope)
            mask = tf.sequence_mask(self.lengths + 1, tf.shape(self.outputs)[1], dtype=tf.float32)
            self.loss = seq2seq.sequence_loss(layer(made.rnn_output), self.outputs, mask)
            variables = tf.trainable_variables()
            clipped, _ = tf.clip_by_global_norm(tf.gradients(self.loss, variables), 5.0)
            self.train = tf.train.AdamOptimizer(0.03).apply_gradients(zip(clipped, variables))
            return
        starts = tf.fill([tf.size(self.lengths)], SOS)
        if mode == "beam":
            decoder = seq2seq.BeamSearchDecoder(cell, self.decoder, starts, EOS, first, BEAM, output_layer=layer, length_penalty_weight=1.0)
        else:
            decoder = seq2seq.BasicDecoder(cell, seq2seq.GreedyEmbeddingHelper(self.decoder, starts, EOS), first, output_layer=layer)
        made, self.state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=2 * tf.reduce_max(self.lengths), scope=scope)
        self.ids = made.predicted_ids[:, :, 0] if mode == "beam" else made.sample_id


# What a checkpoint of TensorFlow 1.15's program has.
NAMES = ["embeddings/encoder", "embeddings/decoder", *(f"encoder/bidirectional_rnn/{d}/basic_lstm_cell/{p}" for d in ("fw", "bw") for p in ("kernel", "bias")),
         "decoder/memory_layer/kernel", *(f"decoder/attention/multi_rnn_cell/cell_{i}/lstm_cell/{p}" for i in (0, 1) for p in ("kernel", "bias"))]


@pytest.mark.parametrize("mechanism, own", [
    (seq2seq.LuongAttention, []), (lambda *a: seq2seq.BahdanauAttention(*a, normalize=True), ["attention_v", "attention_g", "attention_b"])])
def test_what_was_trained_is_decoded_by_another_graph(mechanism, own, tmp_path):
    feed = lambda m: {m.source: SOURCE, m.lengths: LENGTHS}
    with tf.Graph().as_default(), tf.Session() as session:
        model = Model("train", mechanism)
        session.run(tf.global_variables_initializer())
        for _ in range(80):
            loss, _ = session.run([model.loss, model.train], {**feed(model), model.inputs: INPUTS, model.outputs: OUTPUTS})
        path = model.saver.save(session, str(tmp_path / "translate.ckpt"), global_step=80)
        assert loss < 0.1
    scope = "dynamic_seq2seq/decoder/attention/"
    inner = [f"{scope}bahdanau_attention/{n}" for n in ("query_layer/kernel", *own)] if own else []
    assert {n for n, _ in tf.train.list_variables(path)} == {
        *(f"dynamic_seq2seq/{n}" for n in NAMES), *inner, scope + "attention_layer/kernel", "dynamic_seq2seq/decoder/output_projection/kernel"}
    for mode in ("greedy", "beam"):
        with tf.Graph().as_default(), tf.Session() as session:
            model = Model(mode, mechanism)
            model.saver.restore(session, path)
            ids = session.run(model.ids, feed(model))
            assert all(ids[i, :n + 1].tolist() == [*SOURCE[i, :n], EOS] for i, n in enumerate(LENGTHS))
            if mode == "greedy":
                alignments = session.run(model.state.alignment_history.stack(), feed(model))
                # Behind the ends nothing is attended to.
                assert alignments.shape[1:] == (8, 4) and not alignments[:, np.arange(4) >= LENGTHS[:, None]].any()
