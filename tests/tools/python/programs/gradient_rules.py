"""Derivatives by rules of the program's own: custom_gradient, RegisterGradient, gradient_override_map."""

from program import show, tf

graph = tf.get_default_graph()


@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, derivative):
    return tf.where(0.0 < derivative, tf.raw_ops.ReluGrad(gradients=derivative, features=op.outputs[0]), tf.zeros_like(derivative))


@tf.RegisterGradient("Triple")
def triple(op, derivative):
    return 3.0 * derivative * op.inputs[0]


@tf.RegisterGradient("SwappedParts")
def swapped_parts(op, first, second):
    return tf.stack([second, first])


tf.NoGradient("Nothing")

x = tf.constant([1.0, -2.0, 3.0])
v = tf.Variable([2.0, 3.0, 4.0])
r = tf.get_variable("r", [3], initializer=tf.ones_initializer(), use_resource=True)
table = tf.get_variable("table", [5, 2], initializer=tf.ones_initializer())
flag = tf.placeholder_with_default(True, [])
with graph.gradient_override_map({"Relu": "GuidedRelu", "Sign": "Identity", "Square": "Triple", "Tanh": "Triple"}):
    h = tf.nn.relu(x * v)
    signed = tf.sign(h * r) * h
    squares = tf.square(signed) + tf.square(tf.square(v))
    rows = tf.tanh(tf.gather(table, [1, 3, 1]))
    branch = tf.cond(flag, lambda: tf.tanh(v), lambda: 2 * v)
with graph.gradient_override_map({"Unpack": "SwappedParts"}):
    first, second = tf.unstack(v[:2])
with graph.gradient_override_map({"Identity": "Nothing"}):
    nothing = tf.identity(x)
total = tf.reduce_sum(squares * [1.0, 2.0, -1.0])
by_all = tf.gradients(total, [x, v, r, signed, h])
by_rows = tf.gradients(rows, table)[0]


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.log(1 + e), lambda derivative: derivative * (1 - 1 / (1 + e))


@tf.custom_gradient
def scaled(x, y):
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0), use_resource=True)

    def derivatives(of_first, of_second, variables):
        return (of_first * variables[0] * 10.0, of_second * 100.0), [tf.reduce_sum(of_first * x) * 7.0]

    return (x * w, y + 1.0), derivatives


@tf.recompute_grad
def block(x):
    with tf.variable_scope("block", reuse=tf.AUTO_REUSE, use_resource=True):
        return tf.matmul(tf.tanh(x), tf.get_variable("k", [2, 2], initializer=tf.constant_initializer(0.5)))


stable = log1pexp(tf.constant([1.0, 100.0]) * x[:2])
by_stable = tf.gradients(stable, x)[0]
pair = scaled(x, 2 * x)
w = [u for u in tf.global_variables() if u.op.name == "w"][0]
blocks = block(block(tf.constant([[0.1, 0.2]])))
k = [u for u in tf.global_variables() if u.op.name == "block/k"][0]
passed = tf.grad_pass_through(tf.floor)(1.5 * x)
made = {
    "guided": by_all, "second": tf.gradients(by_all[1], v), "rows": [by_rows.values, by_rows.indices], "swapped": tf.gradients(first, v),
    "stopped": tf.gradients([total, h], [x, v], grad_ys=[2.0, [1.0, 1.0, 1.0]], stop_gradients=[signed]),
    "stable": [stable, by_stable, tf.gradients(by_stable, x)[0]], "variables": tf.gradients(pair, [x, w]), "recomputed": [blocks, *tf.gradients(blocks, k)],
    "passed": [passed, *tf.gradients(passed, x)],
}
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(pair[0]) + tf.reduce_sum(blocks))
by_branch = tf.gradients(branch, v)[0]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, tensors in made.items():
        show(name, session.run(tensors))
    show("branches", [session.run(by_branch), session.run(by_branch, {flag: False})])
    session.run(train)
    show("trained", session.run([w, k]))
show("nothing", [g is None for g in tf.gradients(nothing, x)])
show("names", [stable.op.type, stable.op.name, pair[1].name])


def failure(function):
    try:
        function()
    except (LookupError, TypeError, ValueError) as e:
        return type(e).__name__
    return None


@tf.custom_gradient
def of_reference_variable(x):
    return x * tf.get_variable("reference", [], use_resource=False), lambda derivative: derivative


@tf.RegisterGradient("TwoOfOne")
def two_of_one(op, derivative):
    return derivative, derivative


@tf.RegisterGradient("WrongShape")
def wrong_shape(op, derivative):
    return tf.ones([7])


def overridden(name):
    with graph.gradient_override_map({"Square": name}):
        y = tf.square(x)
    return lambda: tf.gradients(y, x)


show("failures", [failure(f) for f in (
    lambda: of_reference_variable(x), overridden("NobodyKnowsIt"), overridden("TwoOfOne"), overridden("WrongShape"),
    lambda: tf.RegisterGradient("Triple")(triple), lambda: tf.RegisterGradient(3), lambda: log1pexp(x=x))])
