"""Documents to classes: words to sentences and sentences to documents, each by a GRU in both directions and attention to a vector that is learnt;
the shapes of what is fed are known at run time only."""

import numpy as np
from program import show, tf

vocab, classes, emb, hidden, ctx = 14, 2, 6, 5, 4
random = np.random.RandomState(13)
docs = random.randint(1, vocab, (8, 3, 5))
sentence_lengths = random.randint(1, 4, 8)
word_lengths = random.randint(2, 6, (8, 3))
docs[np.arange(5)[None, None, :] >= word_lengths[:, :, None]] = 0
labels = (docs[:, 0, 0] > 7).astype(int)


def task_specific_attention(inputs, output_size, initializer=tf.glorot_uniform_initializer(seed=3), activation_fn=tf.tanh, scope=None):
    assert len(inputs.get_shape()) == 3 and inputs.get_shape()[-1].value is not None
    with tf.variable_scope(scope or "attention") as scope:
        context = tf.get_variable(name="attention_context_vector", shape=[output_size], initializer=initializer, dtype=tf.float32)
        projection = tf.layers.dense(inputs, output_size, activation=activation_fn, name="projection",
                                     kernel_initializer=tf.glorot_uniform_initializer(seed=4))
        vector_attn = tf.reduce_sum(tf.multiply(projection, context), axis=2, keepdims=True)
        return tf.reduce_sum(tf.multiply(inputs, tf.nn.softmax(vector_attn, axis=1)), axis=1)


def both_ways(inputs, lengths, scope):
    with tf.variable_scope(scope, initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=6)) as scope:
        (fw, bw), _ = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.GRUCell(hidden), tf.nn.rnn_cell.GRUCell(hidden), inputs, lengths,
                                                      dtype=tf.float32, swap_memory=True, scope=scope)
        return tf.concat((fw, bw), 2)


with tf.variable_scope("tcm") as scope:
    inputs = tf.placeholder(shape=(None, None, None), dtype=tf.int32, name="inputs")
    words = tf.placeholder(shape=(None, None), dtype=tf.int32, name="word_lengths")
    sentences = tf.placeholder(shape=(None,), dtype=tf.int32, name="sentence_lengths")
    wanted = tf.placeholder(shape=(None,), dtype=tf.int32, name="labels")
    document_size, sentence_size, word_size = tf.unstack(tf.shape(inputs))
    matrix = tf.get_variable("embedding_matrix", [vocab, emb], initializer=tf.random_normal_initializer(stddev=0.5, seed=1))
    embedded = tf.nn.embedding_lookup(matrix, inputs)
    with tf.variable_scope("word"):
        level = tf.reshape(embedded, [document_size * sentence_size, word_size, emb])
        encoded = both_ways(level, tf.reshape(words, [document_size * sentence_size]), "rnn")
        with tf.variable_scope("attention") as scope:
            level = task_specific_attention(encoded, ctx, scope=scope)
    with tf.variable_scope("sentence"):
        level = tf.reshape(level, [document_size, sentence_size, 2 * hidden])
        encoded = both_ways(level, sentences, "rnn")
        with tf.variable_scope("attention") as scope:
            level = task_specific_attention(encoded, ctx, scope=scope)
    with tf.variable_scope("classifier"):
        logits = tf.layers.dense(level, classes, kernel_initializer=tf.glorot_uniform_initializer(seed=9))
        prediction = tf.argmax(logits, axis=-1)
with tf.variable_scope("train"):
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits)
    loss = tf.reduce_mean(cross_entropy)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, wanted, 1), tf.float32))
    global_step = tf.Variable(0, name="global_step", trainable=False)
    tvars = tf.trainable_variables()
    grads, global_norm = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5.0)
    tf.summary.scalar("global_grad_norm", global_norm)
    train = tf.train.AdamOptimizer(1e-2).apply_gradients(zip(grads, tvars), name="train_op", global_step=global_step)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    fd = {inputs: docs, words: word_lengths, sentences: sentence_lengths, wanted: labels}
    losses = []
    for _ in range(100):
        losses.append(float(s.run([train, loss, global_norm], fd)[1]))
    show("losses", losses)
    show("accuracy", s.run([accuracy, prediction, global_step], fd))
    show("step and shapes", [[v.name, v.shape.as_list()] for v in tvars])
