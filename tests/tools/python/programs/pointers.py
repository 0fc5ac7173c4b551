"""A pointer network: a decoder that chooses places of its inputs, none of them twice, with masks that its loop carries."""

import numpy as np
from program import show, tf

batch, n, hidden = 8, 5, 10
random = np.random.RandomState(2)
points = random.rand(batch, n, 2).astype(np.float32)
order = points[:, :, 0].argsort(1)

init = tf.random_uniform_initializer(-0.3, 0.3, seed=12)
inputs = tf.placeholder(tf.float32, [batch, n, 2])
targets = tf.placeholder(tf.int32, [batch, n])
with tf.variable_scope("pointer", initializer=init):
    encoded, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(hidden), inputs, dtype=tf.float32, scope="encoder")
    cell = tf.nn.rnn_cell.LSTMCell(hidden)
    w1, w2 = (tf.get_variable(name, [hidden, hidden]) for name in ("W1", "W2"))
    v = tf.get_variable("v", [hidden])
    go = tf.get_variable("go", [1, 2])
    projected = tf.tensordot(encoded, w1, 1)

    def decode(feed):
        rows = tf.range(batch)

        def body(i, state, x, mask, logits_ta, chosen_ta):
            output, state = cell(x, state)
            scores = tf.reduce_sum(v * tf.tanh(projected + tf.expand_dims(tf.matmul(output, w2), 1)), 2) - 1e6 * mask
            chosen = tf.cast(tf.argmax(scores, 1), tf.int32)
            place = feed[:, i] if feed is not None else chosen
            x = tf.gather_nd(inputs, tf.stack([rows, place], 1))
            return (i + 1, state, x, mask + tf.one_hot(place, n), logits_ta.write(i, scores), chosen_ta.write(i, chosen))

        first = tf.tile(go, [batch, 1])
        made = tf.while_loop(lambda i, *_: i < n, body, [
            tf.constant(0), state, first, tf.zeros([batch, n]), tf.TensorArray(tf.float32, n), tf.TensorArray(tf.int32, n)])
        return tf.transpose(made[4].stack(), [1, 0, 2]), tf.transpose(made[5].stack())

    with tf.variable_scope("decoder"):
        logits, _ = decode(targets)
    with tf.variable_scope("decoder", reuse=True):
        _, chosen = decode(None)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
step = tf.Variable(0, trainable=False)
optimizer = tf.train.AdamOptimizer(tf.train.exponential_decay(1e-2, step, 50, 0.96))
gvs = [(tf.clip_by_norm(g, 2.0), var) for g, var in optimizer.compute_gradients(loss) if g is not None]
train = optimizer.apply_gradients(gvs, global_step=step)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    losses = []
    for _ in range(100):
        losses.append(float(sess.run([loss, train], {inputs: points, targets: order})[0]))
    show("losses", losses)
    show("chosen", sess.run(chosen, {inputs: points}))
    show("wanted", order)
    show("variables", sorted(v.name for v in tf.trainable_variables()))
