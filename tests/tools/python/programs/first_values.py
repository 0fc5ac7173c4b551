"""Variables whose first values are made of other variables: one operation initialises all, in whatever order."""

from program import outcome, show, tf


def together(make, times=5):
    """The values of all variables after one operation has initialised them, the same each time; and names of operations that were made for it."""
    with tf.Graph().as_default() as graph:
        make()
        init = tf.global_variables_initializer()
        values = []
        for _ in range(times):
            with tf.Session() as sess:
                sess.run(init)
                values.append(sess.run(tf.global_variables()))
        assert all(repr(v) == repr(values[0]) for v in values)
        return values[0], sorted(v.initializer.name for v in tf.global_variables()), [v.initializer.inputs[1].name for v in tf.global_variables()]


def branches():
    a = tf.Variable(1.5, name="a")
    tf.Variable(a.initialized_value() * 2, name="b")


def scoped():
    with tf.variable_scope("s"):
        a = tf.get_variable("a", initializer=[1.5, 2.0])
        with tf.variable_scope("t"):
            tf.get_variable("b", initializer=a * 2)


def several():
    a = tf.Variable(1.5, name="a")
    shared = a * 2
    for name in ("b", "c"):
        tf.Variable(shared, name=name)
    tf.Variable(a, name="d")
    tf.Variable(tf.stack([a, 1.0, a + 1]), name="e")


def colocated():
    a = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="a")
    with tf.device("/cpu:0"):
        tf.Variable(tf.matmul(a, a), name="b")


show("twice another", together(lambda: tf.Variable(tf.Variable(1.5, name="a") * 2, name="b")))
show("of a function", together(lambda: tf.Variable((lambda a: lambda: a * 2 + a)(tf.Variable(1.5, name="a")), name="b")))
show("a resource of another", together(lambda: tf.Variable(tf.Variable(1.5, name="a") * 2, name="b", use_resource=True)))
show("initialized_value", together(branches))
show("in scopes", together(scoped))
show("several", together(several))
show("on a device", together(colocated))
show("not in a collection", together(lambda: tf.Variable(tf.Variable(1.5, name="a", collections=["mine"]).initialized_value() + 1, name="b")))
show("of a local one", together(lambda: tf.Variable(tf.Variable(1.5, name="a", collections=[tf.GraphKeys.LOCAL_VARIABLES]) * 2, name="b")))
with tf.Graph().as_default(), tf.Session() as session:
    a = tf.Variable(1.5, name="a")
    b = tf.Variable(a * 2, name="b")
    session.run(a.initializer)
    session.run(a.assign(5.0))
    session.run(b.initializer)
    show("what it has by then", session.run([a, b]))
    session.run(b.initializer, {b.initializer.inputs[1]: 7.0})
    show("fed", session.run(b))
    b.load(8.0, session)
    show("loaded", session.run(b))
    show("initial value", [b.initial_value.name, outcome(lambda: session.run(b.initial_value).tolist())])
