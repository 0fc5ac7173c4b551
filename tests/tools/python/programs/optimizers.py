"""One problem for each optimizer, dense and with slices of an embedding."""

import numpy as np
from program import show, tf

MAKERS = {"sgd": lambda: tf.train.GradientDescentOptimizer(0.1), "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
          "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), "adagrad": lambda: tf.train.AdagradOptimizer(0.3),
          "adam": lambda: tf.train.AdamOptimizer(0.1), "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
          "adadelta": lambda: tf.train.AdadeltaOptimizer(1.0), "ftrl": lambda: tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.01)}
for name, make in MAKERS.items():
    with tf.Graph().as_default():
        table = tf.Variable(np.arange(8.0).reshape(4, 2) / 8, dtype=tf.float32, name="table")
        w = tf.Variable([[1.0], [-1.0]], name="w", use_resource=True)
        rows = tf.nn.embedding_lookup(table, [0, 2, 2])
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - [[1.0], [0.0], [2.0]]))
        train = make().minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(4):
                sess.run(train)
            show(name, sess.run([loss, table, w]))
            show("slots", sorted(v.name for v in tf.global_variables()))
