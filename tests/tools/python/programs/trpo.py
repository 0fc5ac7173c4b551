"""Utilities of baselines: functions of placeholders, flat gradients and parameters, Fisher products by conjugate gradients."""

import numpy as np
from program import show, tf

random = np.random.RandomState(116)


def intprod(x):
    return int(np.prod(x))


def var_shape(x):
    out = x.get_shape().as_list()
    assert all(isinstance(a, int) for a in out), "shape function assumes that shape is fully known"
    return out


def flatgrad(loss, var_list, clip_norm=None):
    grads = tf.gradients(loss, var_list)
    if clip_norm is not None:
        grads = [tf.clip_by_norm(grad, clip_norm=clip_norm) for grad in grads]
    return tf.concat(
        axis=0, values=[tf.reshape(grad if grad is not None else tf.zeros_like(v), [intprod(var_shape(v))]) for v, grad in zip(var_list, grads)]
    )


class SetFromFlat(object):
    def __init__(self, var_list, dtype=tf.float32):
        shapes = list(map(var_shape, var_list))
        total_size = np.sum([intprod(shape) for shape in shapes])
        self.theta = theta = tf.placeholder(dtype, [total_size])
        start, assigns = 0, []
        for shape, v in zip(shapes, var_list):
            size = intprod(shape)
            assigns.append(tf.assign(v, tf.reshape(theta[start : start + size], shape)))
            start += size
        self.op = tf.group(*assigns)

    def __call__(self, theta):
        tf.get_default_session().run(self.op, feed_dict={self.theta: theta})


class GetFlat(object):
    def __init__(self, var_list):
        self.op = tf.concat(axis=0, values=[tf.reshape(v, [intprod(var_shape(v))]) for v in var_list])

    def __call__(self):
        return tf.get_default_session().run(self.op)


class function(object):
    def __init__(self, inputs, outputs, updates=()):
        self.inputs, self.outputs, self.update = inputs, list(outputs), tf.group(*updates)

    def __call__(self, *args):
        return tf.get_default_session().run(self.outputs + [self.update], feed_dict=dict(zip(self.inputs, args)))[:-1]


def ortho_init(scale=1.0):
    def _ortho_init(shape, dtype, partition_info=None):
        flat = tuple(shape)
        a = random.normal(0.0, 1.0, flat)
        u, _, v = np.linalg.svd(a, full_matrices=False)
        q = u if u.shape == flat else v
        return (scale * q[: shape[0], : shape[1]]).astype(np.float32)

    return _ortho_init


def fc(x, scope, nh, init_scale=1.0):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [x.get_shape()[1].value, nh], initializer=ortho_init(init_scale))
        return tf.matmul(x, w) + tf.get_variable("b", [nh], initializer=tf.constant_initializer(0.0))


class RunningMeanStd(object):
    def __init__(self, shape):
        self._sum, self._sumsq = (
            tf.get_variable(dtype=tf.float64, shape=shape, initializer=tf.constant_initializer(e), name=n, trainable=False)
            for e, n in ((0.0, "runningsum"), (1e-2, "runningsumsq"))
        )
        self._count = tf.get_variable(dtype=tf.float64, shape=(), initializer=tf.constant_initializer(1e-2), name="count", trainable=False)
        self.mean = tf.to_float(self._sum / self._count)
        self.std = tf.sqrt(tf.maximum(tf.to_float(self._sumsq / self._count) - tf.square(self.mean), 1e-2))
        new = [tf.placeholder(tf.float64, shape=s) for s in (shape, shape, [])]
        self.incfiltparams = function(new, [], updates=[tf.assign_add(v, n) for v, n in zip((self._sum, self._sumsq, self._count), new)])


class DiagGaussianPd(object):
    def __init__(self, flat):
        self.mean, self.logstd = tf.split(axis=len(flat.shape) - 1, num_or_size_splits=2, value=flat)
        self.std = tf.exp(self.logstd)

    def neglogp(self, x):
        return (
            0.5 * tf.reduce_sum(tf.square((x - self.mean) / self.std), axis=-1)
            + 0.5 * np.log(2.0 * np.pi) * tf.to_float(tf.shape(x)[-1])
            + tf.reduce_sum(self.logstd, axis=-1)
        )

    def kl(self, other):
        return tf.reduce_sum(
            other.logstd - self.logstd + (tf.square(self.std) + tf.square(self.mean - other.mean)) / (2.0 * tf.square(other.std)) - 0.5, axis=-1
        )


def policy(name, ob):
    with tf.variable_scope(name):
        rms = RunningMeanStd([3])
        obz = tf.clip_by_value((ob - rms.mean) / rms.std, -5.0, 5.0)
        h = tf.tanh(fc(obz, "fc1", 6, np.sqrt(2)))
        mean = fc(h, "pi", 2, 0.01)
        logstd = tf.get_variable(name="logstd", shape=[1, 2], initializer=tf.zeros_initializer())
        vpred = fc(h, "vf", 1)[:, 0]
        return (
            DiagGaussianPd(tf.concat([mean, mean * 0.0 + logstd], axis=1)),
            vpred,
            rms,
            tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=tf.get_variable_scope().name),
        )


def cg(f_Ax, b, cg_iters=5, residual_tol=1e-10):
    p, r, x = b.copy(), b.copy(), np.zeros_like(b)
    rdotr = r.dot(r)
    for _ in range(cg_iters):
        z = f_Ax(p)
        v = rdotr / p.dot(z)
        x += v * p
        r -= v * z
        newrdotr = r.dot(r)
        p = r + newrdotr / rdotr * p
        rdotr = newrdotr
        if rdotr < residual_tol:
            break
    return x


ob, ac, atarg, ret = (
    tf.placeholder(tf.float32, [None, 3], "ob"),
    tf.placeholder(tf.float32, [None, 2]),
    tf.placeholder(tf.float32, [None]),
    tf.placeholder(tf.float32, [None]),
)
pd, vpred, rms, all_vars = policy("pi", ob)
oldpd, _, _, old_vars = policy("oldpi", ob)
var_list = [v for v in all_vars if not v.name.split("/")[1].startswith("vf")]
vf_vars = [v for v in all_vars if "vf" in v.name]
meankl = tf.reduce_mean(oldpd.kl(pd))
ratio = tf.exp(oldpd.neglogp(ac) - pd.neglogp(ac))
surrgain = tf.reduce_mean(ratio * atarg)
klgrads = tf.gradients(meankl, var_list)
flat_tangent = tf.placeholder(dtype=tf.float32, shape=[None], name="flat_tan")
tangents, start = [], 0
for v in var_list:
    tangents.append(tf.reshape(flat_tangent[start : start + intprod(var_shape(v))], var_shape(v)))
    start += intprod(var_shape(v))
gvp = tf.add_n([tf.reduce_sum(g * tangent) for g, tangent in zip(klgrads, tangents)])
fvp = flatgrad(gvp, var_list)
get_flat, set_from_flat = GetFlat(var_list), SetFromFlat(var_list)
assign_old_eq_new = function([], [], updates=[tf.assign(o, n) for o, n in zip(old_vars, all_vars)])
compute_lossandgrad = function([ob, ac, atarg], [surrgain, flatgrad(surrgain, var_list)])
compute_losses, compute_fvp = function([ob, ac, atarg], [surrgain, meankl]), function([flat_tangent, ob], [fvp])
vferr = tf.reduce_mean(tf.square(vpred - ret))
vf_train = tf.train.AdamOptimizer(0.01, epsilon=1e-5).minimize(vferr, var_list=vf_vars)
show("variables", [v.name for v in all_vars + vf_vars])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        o = random.randn(20, 3)
        a = random.randn(20, 2)
        adv = (o[:, 0] * a[:, 0] + a[:, 1]).astype(np.float32)
        rms.incfiltparams(o.sum(0), np.square(o).sum(0), len(o))
        sess.run(
            [
                tf.assign(a_, b_)
                for a_, b_ in zip(
                    *(
                        [v for v in tf.global_variables() if v.name.startswith(n) and ("running" in v.name or "count" in v.name)]
                        for n in ("oldpi/", "pi/")
                    )
                )
            ]
        )
        assign_old_eq_new()
        gain, g = compute_lossandgrad(o, a, adv)
        direction = cg(lambda p: compute_fvp(p, o)[0] + 0.1 * p, g)
        before = get_flat()
        set_from_flat(before + 0.05 * direction)
        show("gains", [gain, float(np.linalg.norm(g))] + compute_losses(o, a, adv))
        show("values", sess.run([vferr, vf_train], {ob: o, ret: adv})[0])
    show("filter", sess.run([rms.mean, rms.std]))
