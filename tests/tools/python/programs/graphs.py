"""Several graphs with sessions of their own; names, collections, imports, and what belongs to which."""

from program import show, tf

first, second = tf.Graph(), tf.Graph()
with first.as_default():
    x = tf.placeholder(tf.float32, [2], name="x")
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    y = tf.multiply(x, v, name="y")
    tf.add_to_collection("ends", y)
    first_init = tf.global_variables_initializer()
with second.as_default():
    tf.set_random_seed(1)
    noise = tf.random_normal([3], seed=2)
    with tf.name_scope("scope") as scope:
        c = tf.constant(3, name="c")
        inner = tf.constant(4, name="c")
    imported, = tf.import_graph_def(first.as_graph_def(), {"x:0": tf.constant([5.0, 6.0])}, ["y:0"], name="copy")
    again = tf.import_graph_def(first.as_graph_def(), return_elements=["y"])[0]

one, two = tf.Session(graph=first), tf.Session(graph=second)
one.run(first_init)
show("y", one.run(y, {x: [3.0, 4.0]}))
show("names", one.run("y:0", {"x:0": [1.0, 1.0]}))
show("noise", two.run(noise))
show("noise", two.run(noise))
with tf.Session(graph=second) as three:
    show("noise", three.run(noise))
show("scopes", [scope, c.name, inner.name, imported.name, again.name, first.get_collection("ends")[0].name])
for what in (lambda: two.run(y), lambda: one.run(y), lambda: two.run(imported), lambda: one.run("z:0"), lambda: y + c):
    try:
        what()
    except (ValueError, tf.errors.OpError, TypeError) as e:
        show("error", next(k.__name__ for k in (tf.errors.FailedPreconditionError, tf.errors.InvalidArgumentError, ValueError) if isinstance(e, k)))
with two.as_default(), second.as_default():
    two.run(second.get_operation_by_name("copy/v/Assign"))
    show("imported", imported.eval())
show("placeholders", [op.name for op in second.get_operations() if op.type == "Placeholder"])
show("element", [first.as_graph_element("y").type, first.get_tensor_by_name("y:0") is y, c.graph is second, first.finalized])
first.finalize()
try:
    with first.as_default():
        tf.constant(1)
except RuntimeError as e:
    show("finalized", str(e))
one.close()
try:
    one.run(y, {x: [0, 0]})
except RuntimeError as e:
    show("closed", str(e))
