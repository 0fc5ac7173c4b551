"""Variable scopes: reuse, names, initializers, regularizers, custom getters, partially known shapes, and what is refused."""

from program import show, tf


def dense(x, size):
    w = tf.get_variable("w", [x.shape[-1].value, size])
    return tf.matmul(x, w)


x = tf.ones([2, 3])
with tf.variable_scope("a", initializer=tf.constant_initializer(0.5), regularizer=lambda w: 0.1 * tf.reduce_sum(w)) as a:
    y = dense(x, 4)
    with tf.variable_scope("b"):
        z = dense(y, 2)
        local = tf.get_variable("local", [1], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
with tf.variable_scope(a, reuse=True):
    again = dense(x, 4)
    same = tf.get_variable("b/w")
with tf.variable_scope("shared", reuse=tf.AUTO_REUSE):
    s1 = tf.get_variable("s", initializer=tf.constant([1.0, 2.0]))
    s2 = tf.get_variable("s", initializer=tf.constant([1.0, 2.0]))
with tf.variable_scope(None, default_name="unit"):
    u1 = tf.get_variable("u", [2], dtype=tf.float64, initializer=tf.ones_initializer())
with tf.variable_scope(None, default_name="unit"):
    u2 = tf.get_variable("u", [], dtype=tf.int32, initializer=tf.zeros_initializer())


def frozen(getter, name, *args, **kwargs):
    kwargs["trainable"] = False
    return getter(name + "_frozen", *args, **kwargs)


with tf.variable_scope("custom", custom_getter=frozen):
    c = tf.get_variable("c", [2], initializer=tf.random_uniform_initializer(seed=4))
with tf.name_scope("only_ops"):
    d = tf.get_variable("d", [1], initializer=tf.zeros_initializer())
    e = tf.Variable([1.0], name="e")
    e2 = tf.Variable([1.0], name="e")

show("variables", [v.name for v in tf.global_variables()])
show("trainable", [v.name for v in tf.trainable_variables()])
show("local", [v.name for v in tf.local_variables()])
show("ops", [t.op.name for t in (y, z, again)] + [a.name, a.original_name_scope])
show("same", [s1 is s2, same is not None, len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))])
with tf.Session() as sess:
    try:
        sess.run(z)
    except tf.errors.FailedPreconditionError as error:
        show("uninitialized", "uninitialized" in str(error).lower())
    show("missing", sorted(n.decode() for n in sess.run(tf.report_uninitialized_variables())))
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    show("values", sess.run([y, z, again, same, u1, u2, c, s1, local]))
    show("losses", sess.run(tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))))


def get(scope, name, reuse, *args, **kwargs):
    with tf.variable_scope(scope, reuse=reuse):
        return tf.get_variable(name, *args, **kwargs)


for attempt in (lambda: get("a", "w", None, [3, 4]), lambda: get("a", "w", True, [3, 5]), lambda: get("a", "q", True, [1]),
                lambda: get("a", "w", True, [3, 4], tf.int32), lambda: get("new", "n", None), lambda: get("new", "n", None, [None, 2])):
    try:
        attempt()
        show("got", None)
    except ValueError as error:
        show("refused", [k for k in ("already exists", "does not exist", "found existing variable", "must be fully defined", "dtype") if k in str(error)])
