"""A perceptron of three layers that learns XOR-like classes, with momentum made by hand of slots and control dependencies."""

import numpy as np
from program import show, tf

random = np.random.RandomState(2)
data = random.uniform(-1, 1, (64, 2)).astype(np.float32)
classes = (data[:, 0] * data[:, 1] > 0).astype(np.int64)


def layer(inputs, size, name, activation=None):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [inputs.shape[1].value, size], initializer=tf.glorot_uniform_initializer(seed=size))
        bias = tf.get_variable("bias", [size], initializer=tf.zeros_initializer())
        outputs = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
        return outputs if activation is None else activation(outputs)


def momentum(loss, rate, decay):
    updates = []
    variables = tf.trainable_variables()
    for v, g in zip(variables, tf.tuple(tf.gradients(loss, variables), control_inputs=[loss.op])):
        slot = tf.get_variable(v.op.name + "/Momentum", initializer=tf.zeros_like(v.initial_value), trainable=False)
        with tf.control_dependencies([tf.assign(slot, decay * slot + g)]):
            updates.append(tf.assign_sub(v, rate * slot.read_value()))
    return tf.group(*updates)


x = tf.placeholder(tf.float32, [None, 2])
labels = tf.placeholder(tf.int64, [None])
hidden = layer(layer(x, 8, "first", tf.nn.tanh), 6, "second", tf.nn.relu)
logits = layer(hidden, 2, "last")
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
correct = tf.nn.in_top_k(logits, labels, 1)
train = momentum(loss, 0.2, 0.9)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(25):
        show("loss", sess.run([loss, train], {x: data, labels: classes})[0])
    show("right", sess.run(tf.reduce_sum(tf.to_int32(correct)), {x: data, labels: classes}))
show("variables", [(v.name, v.shape.as_list()) for v in tf.global_variables()])
