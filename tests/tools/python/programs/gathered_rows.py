"""Derivatives by what branches and loops gather from are rows, and optimizers move no others: each optimizer three steps, with both kinds of
variables, then three steps of the other branch."""

import numpy as np
from program import show, tf


def squares(v, rows):
    return tf.reduce_sum(tf.square(tf.gather(v, rows)))


def repeated(times, body):
    return tf.while_loop(lambda i, total: i < times, lambda i, total: (i + 1, total + body(i)), [0, 0.0])[1]


def nested(v):
    inner = lambda i, total: tf.while_loop(lambda j, _: j < 2, lambda j, t: (j + 1, t + squares(v, [i + j + 1])), [0, total])[1]
    return tf.while_loop(lambda i, _: i < 2, lambda i, total: (i + 1, inner(i, total)), [0, 0.0])[1]


LOSSES = {
    "a branch": lambda v, p: tf.cond(p, lambda: squares(v, [1, 1, 3]), lambda: 0.0),
    "both branches": lambda v, p: tf.cond(p, lambda: squares(v, [1, 1, 3]), lambda: tf.reduce_sum(tf.gather(v, [2]))),
    "twice in a branch": lambda v, p: tf.cond(p, lambda: squares(v, [1, 4]) + squares(v, [4, 2]), lambda: 0.0),
    "a branch and outside": lambda v, p: tf.cond(p, lambda: squares(v, [1, 3]), lambda: 0.0) + squares(v, [5]),
    "a branch of a branch": lambda v, p: tf.cond(p, lambda: tf.cond(v[0, 0] > -9.0, lambda: squares(v, [3]), lambda: 0.0), lambda: 1.0),
    "a branch's rows of a matrix": lambda v, p: tf.cond(p, lambda: squares(v, [[1, 3], [3, 2]]), lambda: 0.0),
    "what a branch gives": lambda v, p: squares(tf.cond(p, lambda: tf.identity(v), lambda: tf.zeros([6, 2])), [2, 3]),
    "all in a branch": lambda v, p: tf.cond(p, lambda: squares(v, [1]), lambda: tf.reduce_sum(v * v)),
    "a loop": lambda v, p: repeated(3, lambda i: squares(v, [i + 1, i + 2])),
    "twice in a loop": lambda v, p: repeated(3, lambda i: squares(v, [i + 1, i + 2]) + squares(v, [5])),
    "no turns": lambda v, p: repeated(3 * tf.cast(p, tf.int32), lambda i: squares(v, [i + 1, i + 2])),
    "a branch in a loop": lambda v, p: repeated(3, lambda i: tf.cond(i < 1, lambda: squares(v, [i + 1, i + 2]), lambda: 0.0)),
    "a loop in a loop": lambda v, p: nested(v),
    "a loop in a branch": lambda v, p: tf.cond(p, lambda: repeated(3, lambda i: squares(v, [i + 1, i + 2])), lambda: 0.0),
    "a loop and outside": lambda v, p: repeated(3, lambda i: squares(v, [i + 1])) + squares(v, [5, 1]),
    "all in a loop": lambda v, p: repeated(3, lambda i: squares(v, [i + 1]) + tf.reduce_sum(v)),
    "map_fn": lambda v, p: tf.reduce_sum(tf.map_fn(lambda i: tf.square(tf.gather(v, i)), tf.constant([2, 4]), dtype=tf.float32)),
    "int64 and int32": lambda v, p: tf.cond(p, lambda: squares(v, tf.constant([1], tf.int64)), lambda: squares(v, [2])) + squares(v, [4]),
    "embeddings": lambda v, p: tf.cond(p, lambda: tf.reduce_sum(tf.square(tf.nn.embedding_lookup(v, [1, 2, 1]))), lambda: 0.0),
}
OPTIMIZERS = {
    "Momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9), "Adam": lambda: tf.train.AdamOptimizer(0.1),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5), "Adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "Adadelta": lambda: tf.train.AdadeltaOptimizer(0.5), "Ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "ProximalAdagrad": lambda: tf.train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
    "ProximalGradientDescent": lambda: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
}


def steps(loss_of, optimizer, use_resource):
    with tf.Graph().as_default():
        first = np.arange(12, dtype=np.float32).reshape(6, 2) / 10 - 0.55
        v = tf.get_variable("v", initializer=first, use_resource=use_resource)
        p = tf.placeholder(tf.bool, [])
        loss = loss_of(v, p)
        gradient = tf.gradients(loss, v)[0]
        step = optimizer().minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            seen = []
            for taken in (True, False):
                seen.append(summed(gradient, lambda fetches: sess.run(fetches, {p: taken})))
                for _ in range(3):
                    sess.run(step, {p: taken})
                seen.append(sess.run(v))
        return type(gradient).__name__.replace("Symbolic", ""), seen


def summed(gradient, run):
    """Rows as (their numbers, sums of them)."""
    if isinstance(gradient, tf.Tensor):
        return run(gradient)
    indices, values = run([gradient.indices, gradient.values])
    whole = np.zeros([6, 2])
    np.add.at(whole, indices, values)
    return sorted(indices.tolist()), whole


for name, loss in LOSSES.items():
    for use_resource in (False, True):
        show(f"{name} {use_resource}", steps(loss, OPTIMIZERS["Momentum"], use_resource))
for name, optimizer in OPTIMIZERS.items():
    for kind in ("a branch", "twice in a loop"):
        show(f"{name}: {kind}", [steps(LOSSES[kind], optimizer, use_resource) for use_resource in (False, True)])
