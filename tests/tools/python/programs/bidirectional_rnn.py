"""A gated recurrent network in both directions over sequences of several lengths, as a loop over arrays of tensors."""

import numpy as np
from program import show, tf

random = np.random.RandomState(21)
batch, steps, depth, hidden = 5, 6, 3, 4
data = random.randn(batch, steps, depth).astype(np.float32)
sizes = np.array([6, 2, 4, 1, 3], np.int32)
answers = np.array([data[i, :n, 0].sum() > 0 for i, n in enumerate(sizes)], np.int64)

x = tf.placeholder(tf.float32, [None, steps, depth], name="x")
lengths = tf.placeholder(tf.int32, [None], name="lengths")
labels = tf.placeholder(tf.int64, [None], name="labels")


def gru(inputs, name):
    """All outputs [batch, steps, hidden] and the last state; after a sequence's end outputs are zero and the state stays."""
    with tf.variable_scope(name, initializer=tf.orthogonal_initializer(seed=len(name))):
        gates = tf.get_variable("gates", [depth + hidden, 2 * hidden])
        gates_bias = tf.get_variable("gates_bias", [2 * hidden], initializer=tf.ones_initializer())
        candidate = tf.get_variable("candidate", [depth + hidden, hidden])
    by_time = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(inputs, [1, 0, 2]))

    def step(t, h, outputs):
        at = by_time.read(t)
        reset, update = tf.split(tf.sigmoid(tf.matmul(tf.concat([at, h], 1), gates) + gates_bias), 2, axis=1)
        new = update * h + (1.0 - update) * tf.tanh(tf.matmul(tf.concat([at, reset * h], 1), candidate))
        alive = tf.tile(tf.expand_dims(t < lengths, 1), [1, hidden])
        return t + 1, tf.where(alive, new, h), outputs.write(t, tf.where(alive, new, tf.zeros_like(new)))

    zero = tf.zeros([tf.shape(inputs)[0], hidden])
    _, last, outputs = tf.while_loop(lambda t, *_: t < tf.reduce_max(lengths), step, (0, zero, tf.TensorArray(tf.float32, size=tf.reduce_max(lengths))),
                                     shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, hidden]), tf.TensorShape(None)))
    return tf.transpose(outputs.stack(), [1, 0, 2]), last


forward, forward_last = gru(x, "forward")
backward, backward_last = gru(tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=0), "backward")
both = tf.concat([forward, tf.reverse_sequence(backward, lengths, seq_axis=1, batch_axis=0)], 2)
logits = tf.matmul(tf.concat([forward_last, backward_last], 1), tf.get_variable("out", [2 * hidden, 2], initializer=tf.glorot_normal_initializer(seed=3)))
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
optimizer = tf.train.AdamOptimizer(0.05)
train = optimizer.minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: data, lengths: sizes, labels: answers}
    for _ in range(5):
        for _ in range(3):
            sess.run(train, feed)
        show("loss", sess.run(loss, feed))
    show("shape", sess.run(tf.shape(both), feed))
    show("outputs", sess.run(both, feed)[1:3])
    show("shorter", sess.run(tf.shape(both), {x: data[1:2], lengths: sizes[1:2]}))
show("variables", [(v.op.name, v.shape.as_list()) for v in tf.trainable_variables()])
show("static", [str(t.shape) for t in (forward, forward_last, both)])
