"""Errors: their classes, codes, operations and phrases; what is still usable afterwards."""

import numpy as np
from program import show, tf

x = tf.placeholder(tf.float32, name="x")
product = tf.matmul(x, x, name="product")
divided = tf.constant(6) // tf.placeholder_with_default(0, [], name="zero")
checked = tf.check_numerics(tf.log(tf.reshape(x, [-1])), "not finite", name="checked")
gathered = tf.gather([1, 2, 3], tf.placeholder_with_default(5, [], name="at"), name="gathered")
reshaped = tf.reshape(x, [7], name="reshaped")
unset = tf.Variable(1.0, name="unset")

with tf.Session() as sess:
    for name, fetch, feed in (("shapes", product, {x: np.ones([2, 3])}), ("zero", divided, {}), ("numerics", checked, {x: [-1.0]}),
                              ("bounds", gathered, {}), ("reshape", reshaped, {x: [1.0]}), ("unset", unset + 1.0, {}), ("unfed", x * 2.0, {}),
                              ("fine", product, {x: np.eye(2) * 3})):
        try:
            show(name, sess.run(fetch, feed))
        except tf.errors.OpError as e:
            phrases = ("not finite", "Division by zero", "Integer division by zero", "uninitialized", "must feed a value for placeholder tensor",
                       "indices = 5 is not in [0, 3)", "Matrix size-incompatible", "Input to reshape is a tensor with 1 values")
            show(name, [type(e).__name__, e.error_code, e.op.type, e.node_def.name.split("_")[0], [p for p in phrases if p in e.message]])
for attempt in (lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), lambda: tf.constant(1) + tf.constant(1.0), lambda: tf.reshape(tf.ones([6]), [4]),
                lambda: tf.constant("a") * 2, lambda: tf.ones([2]) + tf.ones([3]), lambda: tf.get_variable("x"), lambda: tf.placeholder("nothing"),
                lambda: tf.gradients(tf.constant(1.0), 3), lambda: tf.name_scope("bad name!").__enter__(), lambda: tf.constant([[1, 2], [3]]),
                lambda: tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0), lambda: tf.constant(300, tf.uint8), lambda: tf.constant(1.5, tf.int32),
                lambda: tf.Session().run(x), lambda: next(iter(x)), lambda: len(x), lambda: tf.squeeze(tf.ones([2]), [0]),
                lambda: tf.convert_to_tensor(tf.constant(1), tf.float32), lambda: tf.constant(1).eval()):
    try:
        attempt()
        show("made", None)
    except (ValueError, TypeError, tf.errors.OpError) as e:
        show("refused", [k.__name__ for k in (ValueError, TypeError, tf.errors.InvalidArgumentError, tf.errors.OpError) if isinstance(e, k)])
show("classes", [[k.__name__, c] for c, k in sorted((c, tf.errors.exception_type_from_error_code(c)) for c in range(1, 17))])
