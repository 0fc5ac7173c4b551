"""Custom gradients: RegisterGradient + gradient_override_map, py_func with gradient (the famous gist), stop_gradient trick, flip gradient (DANN), straight-through."""

import numpy as np
from program import show, tf


def py_func(func, inp, Tout, stateful=True, name=None, grad=None):
    rnd_name = "PyFuncGrad" + str(np.random.RandomState(hash(name) % 1000).randint(0, 1e8))
    tf.RegisterGradient(rnd_name)(grad)
    g = tf.get_default_graph()
    with g.gradient_override_map({"PyFunc": rnd_name, "PyFuncStateless": rnd_name}):
        return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


def np_spiky(x):
    r = x % 1
    return r if r <= 0.5 else 0


def d_spiky(x):
    r = x % 1
    return 1 if r <= 0.5 else 0


np_spiky = np.vectorize(np_spiky)
d_spiky = np.vectorize(d_spiky)
np_d32 = lambda x: d_spiky(x).astype(np.float32)


def tf_d_spiky(x, name=None):
    with tf.name_scope(name, "d_spiky", [x]) as name:
        y = tf.py_func(np_d32, [x], [tf.float32], name=name, stateful=False)
        return y[0]


def spikygrad(op, grad):
    x = op.inputs[0]
    n_gr = tf_d_spiky(x)
    return grad * n_gr


np_s32 = lambda x: np_spiky(x).astype(np.float32)


def tf_spiky(x, name=None):
    with tf.name_scope(name, "spiky", [x]) as name:
        y = py_func(np_s32, [x], [tf.float32], name=name, grad=spikygrad)
        return y[0]


with tf.Session() as sess:
    x = tf.constant([0.2, 0.7, 1.2, 1.7])
    y = tf_spiky(x)
    tf.global_variables_initializer().run()
    show("spiky", [x.eval(), y.eval(), tf.gradients(y, [x])[0].eval()])


class FlipGradientBuilder(object):
    def __init__(self):
        self.num_calls = 0

    def __call__(self, x, l=1.0):
        grad_name = "FlipGradientOfGists%d" % self.num_calls

        @tf.RegisterGradient(grad_name)
        def _flip_gradients(op, grad):
            return [tf.negative(grad) * l]

        g = tf.get_default_graph()
        with g.gradient_override_map({"Identity": grad_name}):
            y = tf.identity(x)
        self.num_calls += 1
        return y


flip = FlipGradientBuilder()
x = tf.Variable([1.0, 2.0, -3.0])
l = tf.placeholder(tf.float32, [])
z = tf.reduce_sum(tf.square(flip(x * 2.0, l)))


@tf.RegisterGradient("GuidedReluOfGists")
def _GuidedReluGrad(op, grad):
    return tf.where(0.0 < grad, tf.nn.relu(grad) if False else grad * tf.cast(op.outputs[0] > 0, tf.float32), tf.zeros(tf.shape(grad)))


with tf.get_default_graph().gradient_override_map({"Relu": "GuidedReluOfGists"}):
    guided = tf.gradients(tf.nn.relu(x) * [1.0, -1.0, 1.0], x)[0]


@tf.RegisterGradient("QuantizeGradOfGists")
def quantize_grad(op, dy):
    return dy


def quantize(x, k=2):
    n = float(2**k - 1)
    with tf.get_default_graph().gradient_override_map({"Round": "QuantizeGradOfGists"}):
        return tf.round(x * n) / n


q = quantize(tf.clip_by_value(x * 0.3, 0, 1))
sign = x + tf.stop_gradient(tf.sign(x) - x)


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return tf.log(1 + e), grad


@tf.custom_gradient
def two(a, b):
    def grad(da, db):
        return da * b, db + da * a

    return (a * b, b + 0.0), grad


@tf.custom_gradient
def clip_grad(x):
    def grad(dy):
        return tf.clip_by_norm(dy, 0.5)

    return tf.identity(x), grad


ta, tb = two(x, x + 1.0)
W = tf.get_variable("W", [3, 3], initializer=tf.ones_initializer())


@tf.custom_gradient
def dense(x):
    y = tf.matmul(x[None], W)[0]

    def grad(dy, variables=None):
        return tf.linalg.matvec(W, dy), [tf.ones_like(v) * 7.0 for v in variables]

    return y, grad


dd = None
try:
    with tf.variable_scope("r", use_resource=True):
        WW = tf.get_variable("WW", [3, 3], initializer=tf.ones_initializer())

    @tf.custom_gradient
    def dense2(x):
        y = tf.matmul(x[None], WW)[0]

        def grad(dy, variables=None):
            return tf.linalg.matvec(WW, dy), [tf.ones_like(v) * 7.0 for v in variables]

        return y, grad

    dd = tf.gradients(dense2(x), [x, WW])
except Exception as e:
    show("dense", type(e).__name__ + str(e)[:80])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("flip", sess.run(tf.gradients(z, [x, l]), {l: 0.5}) if False else sess.run(tf.gradients(z, x), {l: 0.5}))
    show("guided", sess.run(guided))
    show("q", sess.run([q, tf.gradients(q, x)[0]]))
    show("sign", sess.run([sign, tf.gradients(sign, x)[0]]))
    show("log1pexp", sess.run([log1pexp(x * 100.0), tf.gradients(log1pexp(x * 100.0), x)[0]]))
    show("two", sess.run([ta, tb] + tf.gradients([ta, tb], [x])))
    show("clip", sess.run(tf.gradients(clip_grad(x) * 3.0, x)))
    if dd:
        show("dense", sess.run(dd))
    show("none", [g is None for g in tf.gradients(tf.stop_gradient(x), [x])])
    show("zero", sess.run(tf.gradients(tf.stop_gradient(x) + 1.0, [x], unconnected_gradients=tf.UnconnectedGradients.ZERO)))
    show("gradys", sess.run(tf.gradients([x * x, x * 3.0], x, grad_ys=[tf.ones([3]) * 2, None])))
    show("stop", sess.run(tf.gradients(x * x * 2.0, [x], stop_gradients=[x])))
    hv = tf.gradients(tf.gradients(tf.reduce_sum(x**4), x)[0] * tf.constant([1.0, 0.0, 2.0]), x)
    show("hvp", sess.run(hv))
    show("hess", sess.run(tf.hessians(tf.reduce_sum(x**3), x)))
for bad in (
    lambda: tf.RegisterGradient("GuidedReluOfGists")(lambda op, g: g),
    lambda: tf.RegisterGradient(3),
    lambda: tf.gradients(x, [tf.constant(1)], grad_ys=[1, 2]),
    lambda: tf.gradients(tf.constant(True), x),
):
    try:
        bad()
        show("bad", "none")
    except Exception as e:
        show("bad", type(e).__name__)
