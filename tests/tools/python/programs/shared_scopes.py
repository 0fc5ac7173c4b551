"""Sharing variables: reuse, AUTO_REUSE, custom getters (weight norm, EMA getter), regularizers collected, partitioners, templates, name scopes, device functions, collections, caching, default initialisers, dtype checks, losses collection."""

import functools
import numpy as np
from program import show, tf

tf.set_random_seed(1)


def linear(x, n, name, reuse=None):
    with tf.variable_scope(name, reuse=reuse):
        w = tf.get_variable(
            "w",
            [x.shape[-1], n],
            initializer=tf.variance_scaling_initializer(2.0, "fan_in", "normal", seed=1),
            regularizer=lambda t: 0.01 * tf.nn.l2_loss(t),
        )
        b = tf.get_variable("b", n, initializer=tf.zeros_initializer())
        return tf.nn.xw_plus_b(x, w, b, name="out")


x = tf.placeholder(tf.float32, [None, 4], "x")
y1 = linear(x, 3, "l")
y2 = linear(x, 3, "l", True)
y3 = linear(x, 3, "m", tf.AUTO_REUSE)
y4 = linear(x, 3, "m", tf.AUTO_REUSE)
show("outs", [t.name for t in (y1, y2, y3, y4)])
show("reg", [r.name for r in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
show("losses", tf.losses.get_regularization_loss().name)


def ema_getter(ema, getter, name, *args, **kw):
    v = getter(name, *args, **kw)
    a = ema.average(v)
    return a if a is not None else v


ema = tf.train.ExponentialMovingAverage(0.5)
ap = ema.apply([v for v in tf.trainable_variables() if v.op.name.startswith("l/")])
with tf.variable_scope(tf.get_variable_scope(), custom_getter=functools.partial(ema_getter, ema), reuse=True):
    ya = linear(x, 3, "l")


def wn_getter(getter, name, shape=None, *args, **kw):
    if name.endswith("w"):
        v = getter(name + "/v", shape, *args, **kw)
        g = getter(name + "/g", [int(shape[-1])], initializer=tf.ones_initializer())
        return tf.reshape(g, [1, -1]) * tf.nn.l2_normalize(v, 0)
    return getter(name, shape, *args, **kw)


with tf.variable_scope("wn", custom_getter=wn_getter):
    yw = linear(x, 2, "q")
tpl = tf.make_template("tpl", lambda z, k: tf.layers.dense(z, k, kernel_initializer=tf.ones_initializer(), name="d"), k=2, create_scope_now_=True)
t1, t2 = tpl(x), tpl(x * 2)
with tf.variable_scope(
    "p", partitioner=tf.min_max_variable_partitioner(max_partitions=2, min_slice_size=8), initializer=tf.constant_initializer(0.5), dtype=tf.float64
):
    pv = tf.get_variable("pv", [6, 2])
show("pv", [type(pv).__name__, [v.name for v in pv], str(pv.get_shape()), tf.convert_to_tensor(pv).name, pv.dtype.name])
with tf.variable_scope("a") as sa:
    with tf.variable_scope("b"):
        show("in", [tf.get_variable("c", []).name, tf.constant(1).name, tf.get_variable_scope().name, tf.get_variable_scope().original_name_scope])
with tf.variable_scope("z"):
    with tf.variable_scope(sa, reuse=True) as sb:
        show("jump", [sb.name, sb.reuse is True, tf.get_variable("b/c").name, tf.constant(1).name])
    with tf.variable_scope(sa, auxiliary_name_scope=False):
        show("aux", tf.constant(1).name)
with tf.name_scope("ns") as ns, tf.variable_scope(None, "dflt") as sd:
    show("dflt", [ns, sd.name, tf.get_variable("k", [1]).name, tf.Variable(1.0).name])
with tf.variable_scope(None, "dflt") as sd2:
    show("dflt2", sd2.name)
with tf.name_scope("ns"):
    show("ns", tf.identity(x).name)
with tf.name_scope("ns/"):
    show("ns/", tf.identity(x).name)
with tf.name_scope(None), tf.variable_scope("s", default_name="u", values=[x]):
    show("none", tf.identity(x, "i").name)
show(
    "types",
    [
        tf.get_variable("i%d" % i, initializer=v).dtype.name
        for i, v in enumerate((1, 1.0, np.float64(2), [True], tf.constant(2, tf.int64), np.arange(3), "txt"))
    ],
)
show("int", tf.get_variable("ii", [2], tf.int32).op.name)
show("cb", tf.get_variable("cb", initializer=lambda: tf.ones([2, 3])).shape.as_list())
show("unk", str(tf.get_variable("unk", initializer=tf.placeholder_with_default([1.0, 2.0], [None]), validate_shape=False).shape))
show(
    "trainable",
    [
        tf.get_variable("nt", [], trainable=False) in tf.trainable_variables(),
        tf.get_variable("col", [], collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES]) in tf.get_collection("mine"),
        [v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="a")],
        [v.name for v in tf.trainable_variables("l/.*w")],
    ],
)
w = tf.Variable(np.ones((2, 2)), dtype=tf.float32, name="w", expected_shape=[2, 2])
show(
    "w",
    (
        [
            w.name,
            w.op.type,
            w.initial_value.name,
            w.initializer.name,
            str(w),
            repr(w),
            w.get_shape().ndims,
            str(w.device),
            w.shape[0],
            isinstance(w.shape[0], tf.Dimension) if hasattr(tf, "Dimension") else True,
        ]
        if False
        else [w.name, w.op.type, w.initial_value.name, w.initializer.name, repr(w), w.get_shape().ndims]
    ),
)
show(
    "shapes",
    [
        str(x.shape),
        repr(x.shape[0]),
        repr(x.shape[1]),
        str(x.shape[1] * 2),
        x.shape[1] == 4,
        str(x.shape[0] + 1),
        x.shape.as_list(),
        x.get_shape()[1].value,
        x.shape.is_fully_defined(),
        str(x.shape.merge_with([3, None])),
        str(x.shape[1:]),
        str(tf.TensorShape(None).concatenate([2])),
        str(x.shape // 2) if False else "",
        int(x.shape[1]) // 2,
        repr(x.shape),
        x.shape.num_elements(),
        str(x.shape.with_rank(2)),
        len(x.shape),
        bool(x.shape),
        str(x),
        repr(y1),
        repr(x.op.type),
        x.shape == [None, 4],
        repr(x.dtype),
    ],
)
for bad in (
    lambda: linear(x, 3, "l"),
    lambda: linear(x, 4, "m", True),
    lambda: linear(x, 3, "new", True),
    lambda: tf.get_variable("nosh"),
    lambda: tf.get_variable("str", [2], tf.string),
    lambda: tf.get_variable("w2", [None, 3]),
    lambda: tf.get_variable("ini", [3], initializer=tf.ones([2])),
    lambda: tf.Variable(),
    lambda: tf.Variable(lambda: 1),
    lambda: tf.variable_scope(3).__enter__(),
    lambda: tf.name_scope("bad name").__enter__(),
    lambda: tf.constant(1, name="bad name"),
    lambda: tf.get_variable("d/", []),
    lambda: x.shape.merge_with([None, 5]),
    lambda: x.shape.assert_is_fully_defined(),
    lambda: int(x.shape[0]),
    lambda: x.set_shape([None, 3]),
    lambda: bool(x),
    lambda: [i for i in x],
    lambda: len(x),
    lambda: x + "a",
    lambda: tf.matmul(x, x),
    lambda: x[0, 0, 0],
    lambda: tf.concat([x, y1], 0),
    lambda: tf.constant([[1], [2, 3]]),
    lambda: tf.reshape(tf.ones([4]), [3]),
    lambda: if_x(x),
):
    try:
        q = bad()
        show("bad", "none")
    except Exception as e:
        show("bad", type(e).__name__)
with tf.Session() as sess:
    sess.run(tf.variables_initializer([v for v in tf.global_variables() if not v.op.name.startswith(("i", "unk", "z"))]))
    sess.run(ap)
    f = {x: np.arange(8.0).reshape(2, 4)}
    show("run", sess.run([tf.reduce_sum(t) for t in (t1, t2, yw)] + [tf.convert_to_tensor(pv)], f))
    sess.run(tf.trainable_variables("l/")[0].assign(tf.zeros([4, 3])))
    sess.run(ap)
    show("ema", [float(np.abs(v).sum()) > 0 for v in sess.run([y1, ya], f)])
