"""Operations, scopes, variables, graphs and savers that are made or used as they should not be."""

import numpy as np
from program import outcome, show, tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
r = tf.get_variable("r", [2], use_resource=True, initializer=tf.zeros_initializer())
graph = tf.get_default_graph()
with tf.Graph().as_default() as other:
    foreign = tf.constant(1.0, name="foreign")
    foreign_variable = tf.get_variable("v", [2])


def enter(manager):
    with manager:
        return "entered"


def reuse(scope, **how):
    with tf.variable_scope(scope, **how):
        return tf.get_variable("v", [2]).name


def finalized(make):
    with tf.Graph().as_default() as g:
        tf.constant(1.0)
        g.finalize()
        make()


CASES = {
    "constants": [
        lambda: tf.constant(None), lambda: tf.constant([None, 1]), lambda: tf.constant(object()), lambda: tf.constant([1, "a"]),
        lambda: tf.constant("a", tf.float32), lambda: tf.constant(1.5, tf.int32), lambda: tf.constant([1, 2], shape=[3]),
        lambda: tf.constant([1, 2, 3], shape=[2]), lambda: tf.constant(1, shape=[2, -1]), lambda: tf.constant(2**40), lambda: tf.constant(2**70),
        lambda: tf.constant([[1], [1, 2]]), lambda: tf.constant({1: 2}), lambda: tf.constant({1}), lambda: tf.constant(1, "float33"),
        lambda: tf.constant(1, None).dtype.name, lambda: tf.constant(1j, tf.float32), lambda: tf.constant(True, tf.float32),
        lambda: tf.constant(1, tf.bool), lambda: tf.constant(tf.constant(1)), lambda: tf.constant(-1, tf.uint8),
        lambda: tf.constant(b"\xff").dtype.name, lambda: tf.constant(np.array([object()])), lambda: tf.constant((n for n in range(2))),
        lambda: tf.constant(np.float64(1)).dtype.name, lambda: tf.constant(1, name=3), lambda: tf.constant(1, name="a b"),
        lambda: tf.constant(1, name="/a"), lambda: tf.constant(np.zeros((2, 0))).shape.as_list(), lambda: tf.constant([]).dtype.name,
        lambda: tf.constant([[], []]).shape.as_list()],
    "placeholders": [
        lambda: tf.placeholder(), lambda: tf.placeholder(3).dtype.name, lambda: tf.placeholder("flt"), lambda: tf.placeholder(None),
        lambda: tf.placeholder(tf.float32, "a"), lambda: tf.placeholder(tf.float32, 3).shape.as_list(), lambda: tf.placeholder(tf.float32, [-2]),
        lambda: tf.placeholder(tf.float32, [1.5]), lambda: tf.placeholder(tf.float32, [2**62]).shape.as_list(),
        lambda: tf.placeholder(tf.float32, [[1]]), lambda: tf.placeholder(np.float32).dtype.name, lambda: tf.placeholder(float).dtype.name,
        lambda: tf.placeholder(object), lambda: tf.placeholder_with_default([1.0], [2])],
    "operations": [
        lambda: tf.add(x, foreign), lambda: tf.add(1, "a"), lambda: tf.add([1], [1.0]), lambda: tf.matmul(x, [1.0]), lambda: tf.matmul(x, x),
        lambda: tf.reshape(x, "a"), lambda: tf.reshape([1, 2, 3], [2, 2]), lambda: tf.reshape([1, 2], [-1, -1]), lambda: tf.concat([], 0),
        lambda: tf.concat([x, x], 2), lambda: tf.concat([x, [1.0]], 0), lambda: tf.concat(x, 0) is not None, lambda: tf.stack([]),
        lambda: tf.stack([x, v]), lambda: tf.split([1, 2, 3], 2), lambda: tf.split(x, 0), lambda: tf.split(x, "a"), lambda: tf.unstack(x),
        lambda: tf.transpose(x, [0]), lambda: tf.transpose(x, [0, 0]), lambda: tf.reduce_sum(x, 5), lambda: tf.reduce_sum(x, "a"),
        lambda: tf.reduce_sum("a"), lambda: tf.one_hot([1.0], 2), lambda: tf.gather([1, 2], 1.5), lambda: tf.slice([1, 2], [0], [5]),
        lambda: tf.squeeze(x, [1]), lambda: tf.expand_dims(x, 5), lambda: tf.tile(x, [1]), lambda: tf.cast("a", tf.float32),
        lambda: tf.cast(x, "nothing"), lambda: tf.add_n([]), lambda: tf.add_n([x, v]), lambda: tf.add_n(x), lambda: tf.range(0, 5, 0),
        lambda: tf.fill([-1], 0), lambda: tf.zeros([-1]), lambda: tf.zeros("a"), lambda: tf.nn.conv2d(x, x, [1, 1, 1, 1], "SAME"),
        lambda: tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "OTHER"), lambda: tf.nn.softmax(x, 7),
        lambda: tf.nn.dropout(x, 0.0), lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1.0], logits=x),
        lambda: tf.nn.softmax_cross_entropy_with_logits_v2(x, x), lambda: tf.nn.embedding_lookup([], [1]), lambda: tf.nn.top_k(1.0),
        lambda: tf.identity(None), lambda: tf.group(3), lambda: tf.group("a"), lambda: tf.tuple([]), lambda: tf.tuple([None]),
        lambda: tf.Print(x, None), lambda: tf.Assert(True, None), lambda: tf.clip_by_global_norm(x, 1.0), lambda: tf.gradients([], [x]),
        lambda: tf.gradients(x, foreign), lambda: tf.gradients(x, "x:0"), lambda: tf.gradients(x, [x], [1.0, 2.0]),
        lambda: tf.gradients(tf.constant("a"), x)],
    "control": [
        lambda: tf.cond(None, lambda: 1, lambda: 2), lambda: tf.cond(x > 0, 1, 2), lambda: tf.cond(x[0, 0] > 0, lambda: x, lambda: (x, x)),
        lambda: tf.cond(x[0, 0] > 0, lambda: None, lambda: x), lambda: tf.cond(x[0, 0] > 0, lambda: 1, lambda: "a"),
        lambda: tf.cond(x[0, 0] > 0, lambda y: y, lambda: x), lambda: tf.while_loop(None, lambda i: i, [0]),
        lambda: tf.while_loop(lambda i: i < 1, None, [0]), lambda: tf.while_loop(lambda i: i < 1, lambda i: i, []),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: (i, i), [0]), lambda: tf.while_loop(lambda i: i, lambda i: i, [0]),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: tf.tile(i, [2]), [[0]]), lambda: tf.while_loop(lambda i, j: i < 1, lambda i: i, [0]),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [0], parallel_iterations=-1),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: i, [0], shape_invariants=[tf.TensorShape([2])]), lambda: tf.case([]), lambda: tf.case(3),
        lambda: tf.case([(True, lambda: 1)]), lambda: tf.map_fn(lambda a: a, 3.0), lambda: tf.map_fn(lambda a: a, []),
        lambda: tf.TensorArray("a", 3), lambda: tf.TensorArray(tf.float32, "a"), lambda: tf.TensorArray(tf.float32, 2).write("a", 1.0),
        lambda: enter(tf.control_dependencies(3)), lambda: enter(tf.control_dependencies([3])), lambda: enter(tf.control_dependencies([foreign])),
        lambda: enter(tf.control_dependencies(["nothing"])), lambda: enter(tf.control_dependencies([]))],
    "scopes": [
        lambda: enter(tf.name_scope(3)), lambda: enter(tf.name_scope("a b")), lambda: enter(tf.name_scope(None)), lambda: enter(tf.name_scope("")),
        lambda: enter(graph.name_scope("_a")), lambda: enter(tf.device(3)), lambda: enter(tf.device("nowhere:0")),
        lambda: enter(tf.device("/cpu:a")), lambda: enter(tf.device("/cpu:0/cpu:1")), lambda: enter(tf.device(None)),
        lambda: enter(tf.variable_scope(None)), lambda: enter(tf.variable_scope(3)), lambda: enter(tf.variable_scope("a", reuse="yes")),
        lambda: enter(tf.colocate_with("nothing")), lambda: enter(tf.colocate_with(None)), lambda: enter(tf.container(3)),
        lambda: enter(graph.gradient_override_map(3)), lambda: enter(graph.gradient_override_map({"a": 3})), lambda: enter(tf.Session)],
    "variables": [
        lambda: tf.Variable(), lambda: tf.Variable(None), lambda: tf.Variable("a", dtype=tf.float32), lambda: tf.Variable(x),
        lambda: tf.Variable(x, validate_shape=False).shape.ndims, lambda: tf.Variable(lambda: None), lambda: tf.Variable(lambda y: y),
        lambda: tf.Variable(1.0, collections=3), lambda: tf.Variable(1.0, collections="a"), lambda: tf.Variable(1.0, trainable="yes") is not None,
        lambda: tf.get_variable("v", [2]), lambda: tf.get_variable("v", [3]), lambda: tf.get_variable("w"), lambda: tf.get_variable("w", "a"),
        lambda: tf.get_variable("w", [None]), lambda: tf.get_variable("w", [2], "a"), lambda: tf.get_variable(3, [2]),
        lambda: tf.get_variable("", [2]), lambda: tf.get_variable("w", [2], initializer=3),
        lambda: tf.get_variable("w", [2], initializer=tf.ones([3])), lambda: tf.get_variable("w", initializer=tf.ones_initializer()),
        lambda: tf.get_variable("a b", [2]), lambda: tf.get_variable("w2", [2], tf.string), lambda: reuse("", reuse=True),
        lambda: reuse("new", reuse=True), lambda: reuse(tf.get_variable_scope(), reuse=True), lambda: v.assign([1.0]), lambda: r.assign([1.0]),
        lambda: v.assign("a"), lambda: v.assign(foreign), lambda: v.assign_add([1]), lambda: tf.scatter_update(v, "a", 1.0),
        lambda: v.set_shape([3]), lambda: v + foreign_variable, lambda: v[0].assign(1.0) is not None, lambda: v["a"], lambda: [n for n in v],
        lambda: len(v), lambda: v.initialized_value() is not None, lambda: tf.variables_initializer([3]), lambda: tf.variables_initializer(None),
        lambda: tf.global_variables(3)],
    "graphs": [
        lambda: finalized(lambda: tf.constant(1)), lambda: finalized(lambda: tf.add_to_collection("a", 1)),
        lambda: finalized(lambda: tf.get_variable("a", [1])), lambda: finalized(lambda: tf.get_default_graph().finalize()),
        lambda: graph.get_tensor_by_name("x"), lambda: graph.get_tensor_by_name("x:1"), lambda: graph.get_tensor_by_name(3),
        lambda: graph.get_tensor_by_name("nothing:0"), lambda: graph.get_operation_by_name("x:0"), lambda: graph.get_operation_by_name("nothing"),
        lambda: graph.get_operation_by_name(None), lambda: graph.as_graph_element(3), lambda: graph.as_graph_element(foreign),
        lambda: graph.as_graph_element("x", allow_operation=False), lambda: graph.as_graph_element(x, allow_tensor=False),
        lambda: graph.unique_name(3), lambda: tf.import_graph_def(3), lambda: tf.import_graph_def(None),
        lambda: tf.import_graph_def(tf.GraphDef(), input_map={"x:0": x}), lambda: tf.import_graph_def(tf.GraphDef(), return_elements=["a"]),
        lambda: tf.import_graph_def(tf.GraphDef(), input_map=3), lambda: tf.import_graph_def(tf.GraphDef(node=[tf.NodeDef(name="a", op="Nothing")])),
        lambda: tf.import_graph_def(tf.GraphDef(node=[tf.NodeDef(name="a b", op="NoOp")])),
        lambda: tf.import_graph_def(tf.GraphDef(node=[tf.NodeDef(name="a", op="Add", input=["b", "c"])])),
        lambda: tf.import_graph_def(tf.GraphDef(node=[tf.NodeDef(name="a", op="NoOp"), tf.NodeDef(name="a", op="NoOp")])),
        lambda: tf.get_collection(3), lambda: tf.get_collection([]), lambda: tf.add_to_collection("a", None) is None,
        lambda: tf.reset_default_graph() if graph is None else None, lambda: tf.set_random_seed("a"), lambda: enter(tf.Graph().as_default()),
        lambda: x.op.get_attr("nothing"), lambda: x.op.inputs[0], lambda: x.op.outputs[1], lambda: x.op.run(feed_dict=3), lambda: x.consumers()[:0]],
    "training": [
        lambda: tf.train.Saver(3), lambda: tf.train.Saver({"a": 3}), lambda: tf.train.Saver([v, v]), lambda: tf.train.Saver([v, foreign_variable]),
        lambda: tf.train.GradientDescentOptimizer(0.1).minimize(3), lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)),
        lambda: tf.train.GradientDescentOptimizer(0.1).minimize(v[0], var_list=[]),
        lambda: tf.train.GradientDescentOptimizer(0.1).minimize(v[0], var_list=[x]),
        lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients([]),
        lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients([(None, v)]),
        lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.ones([3]), v)]),
        lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients(3), lambda: tf.train.AdamOptimizer().get_slot(v, "m"),
        lambda: tf.train.ExponentialMovingAverage(0.9).apply([x > 0]), lambda: tf.train.ExponentialMovingAverage(0.9).average(v),
        lambda: tf.train.global_step(tf.Session(), 3), lambda: tf.train.piecewise_constant(tf.constant(1), [1, 2], [0.1]),
        lambda: tf.train.exponential_decay(0.1, None, 1, 0.5), lambda: tf.train.batch([], 1), lambda: tf.train.batch([x], 0),
        lambda: tf.train.string_input_producer([]), lambda: tf.FIFOQueue("a", tf.float32), lambda: tf.FIFOQueue(1, []),
        lambda: tf.FIFOQueue(1, [tf.float32]).enqueue("a"), lambda: tf.FIFOQueue(1, [tf.float32]).dequeue_many(2),
        lambda: tf.train.latest_checkpoint(3), lambda: tf.train.latest_checkpoint("/nowhere"), lambda: tf.train.NewCheckpointReader("/nowhere/x"),
        lambda: tf.summary.scalar(3, 1.0), lambda: tf.summary.scalar("a", [1.0]) is not None, lambda: tf.summary.merge([]) is not None,
        lambda: tf.summary.image("a", x), lambda: tf.metrics.accuracy([1], [[1]]), lambda: tf.losses.mean_squared_error([1.0], [1.0, 2.0]),
        lambda: tf.losses.mean_squared_error(None, [1.0]), lambda: tf.data.Dataset.from_tensor_slices([]),
        lambda: tf.data.Dataset.from_tensor_slices(1.0), lambda: tf.data.Dataset.range(), lambda: tf.data.Dataset.range(3).batch("a"),
        lambda: tf.data.Dataset.range(3).filter(lambda n: n), lambda: tf.lookup.StaticHashTable(3, 0)],
}
for kind, calls in CASES.items():
    for number, call in enumerate(calls):
        show(f"{kind} {number}", outcome(call))
with tf.Session() as sess:
    sess.run(tf.variables_initializer([v, r]))
    show("still there", sess.run([v, r]))
