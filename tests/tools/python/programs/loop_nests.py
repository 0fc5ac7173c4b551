"""while_loop algorithms: Newton, bisection, collatz over batch, beam search with TensorArrays and shape invariants, nested structures, Dijkstra."""

import collections
import numpy as np
from program import show, tf

tf.set_random_seed(11)
State = collections.namedtuple("State", ["x", "fx", "it"])
f = lambda x: tf.pow(x, 3) - 2 * x - 5


def body(s):
    dfx = tf.gradients(s.fx, s.x)[0] if False else 3 * tf.square(s.x) - 2
    x = s.x - s.fx / dfx
    return [State(x, f(x), s.it + 1)]


x0 = tf.constant(2.0, tf.float64)
newton = tf.while_loop(lambda s: tf.logical_and(tf.abs(s.fx) > 1e-10, s.it < 50), body, [State(x0, f(x0), tf.constant(0))])
newton = newton[0]
show("type", [type(newton).__name__, list(newton._fields)])
lo, hi = tf.zeros([5]), tf.ones([5]) * 10
targets = tf.constant([2.0, 3.0, 5.0, 7.0, 50.0])
bis = tf.while_loop(
    lambda i, lo, hi: i < 40,
    lambda i, lo, hi: (i + 1,) + (lambda mid, up: (tf.where(up, mid, lo), tf.where(up, hi, mid)))((lo + hi) / 2, tf.square((lo + hi) / 2) < targets),
    (0, lo, hi),
    parallel_iterations=1,
    back_prop=False,
    name="bisect",
)
d = tf.while_loop(
    cond=lambda n, steps: tf.reduce_any(n > 1),
    body=lambda n, steps: (tf.where(n > 1, tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1), n), steps + tf.cast(n > 1, tf.int32)),
    loop_vars=[tf.range(1, 11), tf.zeros([10], tf.int32)],
)
V, K, T = 6, 3, 4
trans = tf.constant(np.log(np.random.RandomState(3).dirichlet(np.ones(V), V)), tf.float32)


def step(t, seqs, scores, ta):
    last = seqs[:, -1]
    cand = tf.expand_dims(scores, 1) + tf.gather(trans, last)
    flat = tf.reshape(cand, [-1])
    best, idx = tf.nn.top_k(flat, K)
    beam, word = tf.div(idx, V), tf.mod(idx, V)
    seqs = tf.concat([tf.gather(seqs, beam), tf.expand_dims(word, 1)], 1)
    return t + 1, seqs, best, ta.write(t, beam)


init_scores = tf.constant([0.0] + [-1e9] * (K - 1))
ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False, infer_shape=False, element_shape=[K])
_, seqs, scores, ta = tf.while_loop(
    lambda t, *_: tf.less(t, T),
    step,
    [tf.constant(0), tf.zeros([K, 1], tf.int32), init_scores, ta],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([K, None]), tf.TensorShape([K]), tf.TensorShape(None)],
)
show("static", [str(seqs.shape), str(scores.shape)])
parents = ta.stack()
W = tf.constant([[0, 4, 1, 1e9], [4, 0, 2, 5], [1, 2, 0, 8], [1e9, 5, 8, 0]], tf.float32)


def relax(dist, visited):
    u = tf.argmin(tf.where(visited, tf.fill([4], 1e9), dist), output_type=tf.int32)
    visited = tf.logical_or(visited, tf.cast(tf.one_hot(u, 4), tf.bool))
    return tf.minimum(dist, tf.gather(dist, u) + tf.gather(W, u)), visited


dist, _ = tf.while_loop(lambda d_, v: tf.logical_not(tf.reduce_all(v)), relax, [tf.constant([0.0, 1e9, 1e9, 1e9]), tf.fill([4], False)])
w = tf.Variable(tf.ones([2, 2]) * 0.5)


def rec(i, h, acc):
    return i + 1, tf.tanh(tf.matmul(h, w) + 0.1), acc + [tf.reduce_sum(h)] if False else acc + tf.reduce_sum(h)


_, h, acc = tf.while_loop(lambda i, h, a: i < 5, rec, (0, tf.ones([1, 2]), 0.0), swap_memory=True, maximum_iterations=4)
grad = tf.gradients(acc + tf.reduce_sum(h), [w])


def outer(i, tot):
    inner = tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + tf.cast(j * i, tf.float32) * w[0, 0]), [tf.constant(0), tf.constant(0.0)])
    return i + 1, tot + inner[1]


nested = tf.while_loop(lambda i, t: i < 5, outer, [tf.constant(0), tf.constant(0.0)])
dic = tf.while_loop(
    lambda d_: d_["n"] < 10,
    lambda d_: [{"n": d_["n"] + 3, "l": [d_["l"][0] * 2, (d_["l"][1][0] + 1.0,)]}],
    [{"n": tf.constant(1), "l": [tf.constant(1), (tf.constant(2.0),)]}],
)


def cond_in(i, x):
    return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: x * 2, lambda: tf.case([(i > 2, lambda: x + 10.0)], default=lambda: x - 1.0))


mixed = tf.while_loop(lambda i, x: i < 6, cond_in, [tf.constant(0), w[0, 1]])
ntest = tf.Variable(0)
with tf.control_dependencies(
    [tf.while_loop(lambda i: i < 7, lambda i: tf.tuple([i + 1], control_inputs=[ntest.assign_add(2)])[0], [tf.constant(0)])]
):
    nread = tf.identity(ntest.read_value() if hasattr(ntest, "read_value") else ntest)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("newton", sess.run(newton))
    show("bisect", sess.run(bis))
    show("collatz", sess.run(d))
    show("beam", sess.run([seqs, scores, parents, ta.size()]))
    show("dijkstra", sess.run(dist))
    show("rec", sess.run([h, acc, grad]))
    show("nested", sess.run([nested, tf.gradients(nested[1], w)[0]]))
    r = sess.run(dic)
    show("dict", r)
    show("mixed", sess.run([mixed, tf.gradients(mixed[1], w)]))
    show("count", sess.run(nread))
for bad in (
    lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]),
    lambda: tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [tf.ones([2])]),
    lambda: tf.while_loop(3, lambda x: x, [1]),
    lambda: tf.while_loop(lambda x: x < 2, lambda x: x, []),
):
    try:
        bad()
        show("bad", "none")
    except Exception as e:
        show("bad", type(e).__name__)
