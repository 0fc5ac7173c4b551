"""Questions to places in a text: characters by convolutions and highways, LSTMs, attention both ways between text and question, where the answer
begins and ends, the best pair of both, and an average of all weights for the test."""

import numpy as np
from program import show, tf

batch, context, question, word, hidden, vocab, chars, d = 6, 8, 4, 5, 5, 13, 9, 6
random = np.random.RandomState(15)
c_lengths, q_lengths = random.randint(5, context + 1, batch), random.randint(2, question + 1, batch)
c = np.where(np.arange(context) < c_lengths[:, None], random.randint(1, vocab, (batch, context)), 0)
q = np.where(np.arange(question) < q_lengths[:, None], random.randint(1, vocab, (batch, question)), 0)
ch, qh = random.randint(1, chars, (batch, context, word)) * (c > 0)[..., None], random.randint(1, chars, (batch, question, word)) * (q > 0)[..., None]
start = random.randint(0, 3, batch)
end = start + random.randint(0, 2, batch)


def highway(x, size, num_layers, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        for i in range(num_layers):
            T = tf.layers.dense(x, size, tf.sigmoid, name="gate_%d" % i, bias_initializer=tf.constant_initializer(-1.0))
            H = tf.layers.dense(x, size, tf.nn.relu, name="activation_%d" % i)
            x = H * T + x * (1.0 - T)
        return x


def softmax_mask(val, mask):
    return -1e30 * (1 - tf.cast(mask, tf.float32)) + val


graph = tf.Graph()
with graph.as_default():
    global_step = tf.get_variable("global_step", shape=[], dtype=tf.int32, initializer=tf.constant_initializer(0), trainable=False)
    cw, qw = tf.placeholder(tf.int32, [None, context]), tf.placeholder(tf.int32, [None, question])
    cc, qc = tf.placeholder(tf.int32, [None, context, word]), tf.placeholder(tf.int32, [None, question, word])
    y1, y2 = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    c_mask, q_mask = tf.cast(cw, tf.bool), tf.cast(qw, tf.bool)
    c_len, q_len = tf.reduce_sum(tf.cast(c_mask, tf.int32), axis=1), tf.reduce_sum(tf.cast(q_mask, tf.int32), axis=1)
    regularizer = lambda w: 1e-4 * tf.nn.l2_loss(w)
    with tf.variable_scope("model", initializer=tf.glorot_uniform_initializer(seed=2), regularizer=regularizer):
        with tf.variable_scope("emb"), tf.device("/cpu:0"):
            word_mat = tf.get_variable("word_mat", initializer=tf.constant(random.randn(vocab, d).astype(np.float32) * 0.3), trainable=False)
            char_mat = tf.get_variable("char_mat", [chars, 4])

        def embed(words, letters, length):
            e = tf.nn.embedding_lookup(char_mat, tf.reshape(letters, [-1, word]))
            e = tf.nn.relu(tf.layers.conv1d(e, 4, 3, padding="VALID", name="char_conv", reuse=tf.AUTO_REUSE))
            e = tf.reshape(tf.reduce_max(e, axis=1), [-1, length, 4])
            return highway(tf.concat([tf.nn.embedding_lookup(word_mat, words), e], axis=2), d + 4, 2, "highway")

        c_emb, q_emb = embed(cw, cc, context), embed(qw, qc, question)

        def encode(inputs, lengths, scope):
            with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
                cells = [tf.nn.rnn_cell.BasicLSTMCell(hidden) for _ in range(2)]
                outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, inputs, sequence_length=lengths, dtype=tf.float32)
                return tf.concat(outputs, 2)

        h, u = encode(c_emb, c_len, "encoding"), encode(q_emb, q_len, "encoding")
        with tf.variable_scope("attention"):
            w = tf.get_variable("w", [3, 2 * hidden])
            s = (tf.expand_dims(tf.reduce_sum(h * w[0], 2), 2) + tf.expand_dims(tf.reduce_sum(u * w[1], 2), 1)
                 + tf.einsum("bij,bkj->bik", h * w[2], u))
            s_ = tf.nn.softmax(softmax_mask(s, tf.expand_dims(q_mask, 1)))
            c2q = tf.matmul(s_, u)
            b = tf.nn.softmax(softmax_mask(tf.reduce_max(s, 2), c_mask))
            q2c = tf.tile(tf.matmul(tf.expand_dims(b, 1), h), [1, context, 1])
            g = tf.concat([h, c2q, h * c2q, h * q2c], 2)
        m = encode(g, c_len, "modeling")
        m2 = encode(tf.concat([m, g], 2), c_len, "end")
        logits1 = softmax_mask(tf.squeeze(tf.layers.dense(tf.concat([g, m], 2), 1, use_bias=False, name="p1"), -1), c_mask)
        logits2 = softmax_mask(tf.squeeze(tf.layers.dense(tf.concat([g, m2], 2), 1, use_bias=False, name="p2"), -1), c_mask)
    outer = tf.matmul(tf.expand_dims(tf.nn.softmax(logits1), axis=2), tf.expand_dims(tf.nn.softmax(logits2), axis=1))
    outer = tf.matrix_band_part(outer, 0, 3)
    yp1, yp2 = tf.argmax(tf.reduce_max(outer, axis=2), axis=1), tf.argmax(tf.reduce_max(outer, axis=1), axis=1)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits1, labels=y1)
                          + tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits2, labels=y2))
    loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    opt = tf.train.AdadeltaOptimizer(learning_rate=0.5, epsilon=1e-6)
    gradients, variables = zip(*opt.compute_gradients(loss))
    capped, _ = tf.clip_by_global_norm(gradients, 5.0)
    train = opt.apply_gradients(zip(capped, variables), global_step=global_step)
    var_ema = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        with tf.control_dependencies([var_ema.apply(tf.trainable_variables())]):
            loss_ = tf.identity(loss)
            shadows = [(v, var_ema.average(v)) for v in tf.trainable_variables()]
    assign_vars = [tf.assign(v, s) for v, s in shadows if s is not None]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {cw: c, qw: q, cc: ch, qc: qh, y1: start, y2: end}
        losses = []
        for _ in range(100):
            losses.append(float(sess.run([loss, train, loss_], feed)[0]))
        show("losses", losses)
        show("places", sess.run([yp1, yp2, global_step], feed))
        sess.run(assign_vars)
        show("averages", float(sess.run(loss, feed)))
        show("variables", [[v.name, v.shape.as_list()] for v in tf.trainable_variables()])
        show("penalties", len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
