"""cond, case, where and assertions; what runs in branches and what does not."""

from program import show, tf

x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
doubled = tf.cond(x > 0, lambda: x * 2.0, lambda: -x, name="choice")
nest = tf.cond(x < 1, lambda: {"a": x, "b": (x + 1, [x * 2])}, lambda: {"a": 2 * x, "b": (x, [x])})
counted = tf.cond(tf.less(x, 5.0), lambda: tf.assign_add(v, 1.0), lambda: tf.assign_add(v, 10.0))
nested = tf.cond(x > 0, lambda: tf.cond(x > 10, lambda: tf.constant("large"), lambda: tf.constant("small")), lambda: tf.constant("negative"))
piecewise = tf.case([(x < 0, lambda: tf.constant(-1.0)), (x < 1, lambda: x), (x < 2, lambda: x * x)], default=lambda: tf.constant(4.0))
only = tf.case({x < 0: lambda: tf.constant("a"), x > 3: lambda: tf.constant("b")}, default=lambda: tf.constant("c"), exclusive=True)
overlap = tf.case([(x > 0, lambda: tf.constant(1)), (x > 1, lambda: tf.constant(2))], default=lambda: tf.constant(3), exclusive=True)
slopes = tf.gradients([doubled, piecewise], x)[0]
with tf.control_dependencies([tf.assert_less(x, 100.0, message="too much"), tf.assert_rank(x, 0)]):
    checked = tf.identity(x)
with tf.control_dependencies([tf.Assert(x > -50.0, ["too little:", x])]):
    root = tf.sqrt(tf.abs(checked))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (-3.0, 0.5, 1.5, 12.0):
        feed = {x: value}
        show("branches", sess.run([doubled, nested, piecewise, only, slopes, root], feed))
        show("nest", sess.run(nest, feed))
        show("counted", sess.run(counted, feed))
    for fetch, value in ((root, 200.0), (root, -60.0), (overlap, 2.0)):
        try:
            show("passed", sess.run(fetch, {x: value}))
        except tf.errors.InvalidArgumentError as e:
            show("failed", [type(e).__name__, e.op.type, e.op.name] + [t for t in ("too much", "too little", "Condition x < y did not hold", "exclusive")
                                                                      if t in str(e)])
    show("where", sess.run([tf.where([True, False, True]), tf.where([[True], [False]], [[1], [2]], [[3], [4]])]))
for make in (lambda: tf.cond(True, lambda: 1, lambda: 2), lambda: tf.cond(x > 0, lambda: 1, 2), lambda: tf.cond(x > 0, lambda: 1, lambda: 1.0),
             lambda: tf.assert_rank(x, 1), lambda: tf.assert_equal(1, 2), lambda: bool(x > 0), lambda: tf.cond(x > 0, lambda: (x, x), lambda: x)):
    try:
        make()
        show("made", None)
    except (TypeError, ValueError, tf.errors.InvalidArgumentError) as e:
        show("refused", [k.__name__ for k in (TypeError, ValueError, tf.errors.InvalidArgumentError) if isinstance(e, k)])
