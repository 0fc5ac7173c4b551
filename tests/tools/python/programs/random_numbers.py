"""Random numbers of graph seeds and operation seeds, the same in every program."""

from program import show, tf

for graph_seed, op_seed in ((None, 3), (5, None), (5, 3), (0, 0)):
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        draws = [tf.random_normal([3], seed=op_seed), tf.random_uniform([2, 2], -1, 1, seed=op_seed), tf.truncated_normal([3], 1.0, 2.0, seed=op_seed),
                 tf.random_uniform([4], 0, 100, tf.int32, seed=op_seed), tf.random_shuffle([1, 2, 3, 4, 5], seed=op_seed),
                 tf.multinomial([[1.0, 2.0, 3.0]], 5, seed=op_seed), tf.random_gamma([2], 3.0, seed=op_seed)]
        matrices = [init([3, 2], tf.float32) for init in (tf.glorot_uniform_initializer(op_seed), tf.glorot_normal_initializer(op_seed),
                                                          tf.variance_scaling_initializer(2.0, seed=op_seed))]
        show("seeds", [t.op.type for t in draws])
        with tf.Session() as sess:
            show("first", sess.run(draws))
            show("second", sess.run(draws))
            show("matrices", sess.run(matrices))
        with tf.Session() as sess:
            show("again", sess.run(draws[0]))
show("get_seed", [tf.get_seed(None), tf.get_seed(4)])
