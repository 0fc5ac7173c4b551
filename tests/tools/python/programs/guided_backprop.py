"""Guided backpropagation by gradient_override_map, class activation maps, occlusion, and a rule of the program's own for hard thresholds."""

import numpy as np
from program import show, tf

random = np.random.RandomState(111)


@tf.RegisterGradient("PositiveRelu")
def _guided(op, grad):
    return tf.where(0.0 < grad, tf.raw_ops.ReluGrad(gradients=grad, features=op.outputs[0]), tf.zeros_like(grad))


@tf.RegisterGradient("StraightThrough")
def _straight(op, grad):
    return [tf.clip_by_value(grad, -0.5, 0.5)]


def py_func(func, inp, Tout, stateful=True, name=None, grad=None):
    rnd_name = "PyFuncGrad" + str(random.randint(0, 1e8))
    tf.RegisterGradient(rnd_name)(grad)
    with tf.get_default_graph().gradient_override_map({"PyFunc": rnd_name, "PyFuncStateless": rnd_name}):
        return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


x = tf.placeholder(tf.float32, [None, 6, 6, 1])
w = tf.constant(random.randn(3, 3, 1, 4).astype(np.float32))
v = tf.constant(random.randn(4, 3).astype(np.float32))
graph = tf.get_default_graph()


def network(x):
    conv = tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"))
    return conv, tf.matmul(tf.reduce_mean(tf.nn.relu(conv - 0.3), [1, 2]), v)


_, plain = network(x)
with graph.gradient_override_map({"Relu": "PositiveRelu"}):
    conv, guided = network(x)
one_hot = tf.sparse_to_dense([1], [3], 1.0)
signal = tf.multiply(guided, one_hot)
grads = tf.gradients(tf.reduce_mean(signal), conv)[0]
norm_grads = tf.div(grads, tf.sqrt(tf.reduce_mean(tf.square(grads))) + tf.constant(1e-5))
cam = tf.nn.relu(tf.reduce_sum(conv * tf.reduce_mean(norm_grads, [1, 2], keepdims=True), -1, keep_dims=True))
cam = tf.image.resize_bilinear(cam, [9, 9])
with graph.gradient_override_map({"Sign": "StraightThrough"}):
    binary = tf.sign(x)
with graph.gradient_override_map({"Identity": "StraightThrough"}):
    same = tf.identity(x * 2.0)


def spiky(a):
    return np.where(a > 0, a - 0.1, 0.0).astype(np.float32)


spiked = py_func(spiky, [x], tf.float32, name="Spiky", grad=lambda op, grad: grad * tf.cast(op.inputs[0] > 0, tf.float32))
spiked.set_shape(x.shape)
data = random.randn(2, 6, 6, 1)
with tf.Session() as sess:
    for name, y in (("plain", plain[:, 1]), ("guided", guided[:, 1]), ("binary", binary), ("same", same), ("spiked", spiked * spiked)):
        show(name, sess.run(tf.reduce_sum(tf.gradients(y, x)[0], [2, 3]), {x: data}))
    show("cam", sess.run(tf.reduce_sum(cam, [2, 3]), {x: data}))
    show("map", sess.run(tf.reduce_max(tf.abs(tf.gradients(plain, x)[0]), 3)[0, 2], {x: data}))
