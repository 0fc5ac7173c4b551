"""Ways to run: callables, handles of tensors that stay, named feeds, several sessions, interactive ones, order by control inputs, threads."""

import threading

import numpy as np
from program import show, tf

x = tf.placeholder(tf.float32, [None], name="x")
scale = tf.placeholder_with_default(2.0, [], name="scale")
v = tf.get_variable("v", [], initializer=tf.constant_initializer(1.0), use_resource=True)
scaled = tf.multiply(x, scale, name="scaled")
add = v.assign_add(tf.reduce_sum(x))
with tf.control_dependencies([add]):
    after = tf.identity(v.read_value(), name="after")
with tf.control_dependencies([after]):
    double = v.assign(v.read_value() * 2.0)
ordered = tf.group(after, double)
log = tf.Variable(tf.constant("", tf.string), trainable=False)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    one = sess.make_callable(scaled, [x])
    two = sess.make_callable({"a": scaled, "b": [v, add]}, feed_list=[x, scale], accept_options=True)
    nothing = sess.make_callable(add.op, feed_list=["x:0"])
    constant = sess.make_callable(v)
    show("one", [one([1.0, 2.0]), one(np.arange(3))])
    show("nothing", nothing([1.0]))
    metadata = tf.RunMetadata()
    show("two", two([1.0], 3.0, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)["a"])
    show("traced", len(metadata.step_stats.dev_stats) > 0)
    show("constant", constant())
    for wrong in (lambda: one(), lambda: sess.make_callable(scaled, x), lambda: sess.make_callable("nothing:0"),
                  lambda: one("text"), lambda: one([[1.0]])):
        try:
            wrong()
            show("ran", None)
        except (TypeError, ValueError, tf.errors.InvalidArgumentError) as e:
            show("refused", [k.__name__ for k in (TypeError, ValueError, tf.errors.InvalidArgumentError) if isinstance(e, k)])

    show("ordered", sess.run([ordered, after], {x: [1.0, 1.0]})[1])
    show("v", v.eval())
    show("named", sess.run(["scaled:0", "after:0"], feed_dict={"x:0": [4.0], "scale:0": 0.5})[0])
    show("inner", sess.run(scaled + 1.0, {scaled: [10.0, 20.0]}))
    show("nest", sess.run({"list": [x, (scale,)], "again": {"x": x}}, {x: [1.0], scale: 7.0}))

    handle = sess.run(tf.get_session_handle(tf.constant([1.0, 2.0]) * 3.0))
    holder, kept = tf.get_session_tensor(handle.handle, tf.float32)
    show("kept", sess.run(kept + 1.0, {holder: handle.handle}))
    show("kept", handle.eval())
    handle.delete()

    sess.run(v.initializer)
    threads = [threading.Thread(target=lambda: [nothing([1.0]) for _ in range(25)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show("threads", v.eval())
    with tf.Session() as other:
        other.run(v.initializer)
        show("other", [other.run(v), v.eval(), sess.run(v)])
sess = tf.InteractiveSession()
v.initializer.run()
show("interactive", [scaled.eval({x: [3.0]}), after.eval({x: [1.0]}), tf.get_default_session() is sess])
sess.close()
try:
    v.eval(session=sess)
except RuntimeError as e:
    show("closed", type(e).__name__)
