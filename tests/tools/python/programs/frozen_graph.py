"""A graph whose variables become constants, that goes into one file, and comes back as a function of its inputs."""

import os
import tempfile

import numpy as np
from program import show, tf

x = tf.placeholder(tf.float32, [None, 3], name="input")
keep = tf.placeholder_with_default(1.0, [], name="keep")
words = tf.placeholder_with_default([0, 2], [None], name="words")
tf.set_random_seed(9)
w = tf.get_variable("w", [3, 2], initializer=tf.glorot_uniform_initializer())
b = tf.get_variable("b", initializer=tf.constant([0.1, -0.1]), use_resource=True)
table = tf.get_variable("table", initializer=np.arange(8, dtype=np.float32).reshape(4, 2), use_resource=True)
frozen = tf.get_variable("frozen", initializer=3.0)
hidden = tf.nn.relu(tf.check_numerics(tf.matmul(x, w) + b, "bad", name="checked"), name="hidden")
looked = tf.nn.embedding_lookup(table, words, name="looked")
scaled = tf.cond(keep > 0.5, lambda: hidden * frozen, lambda: hidden + w[0], name="scaled")
looped = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v + b), (0, scaled))[1]
output = tf.add(tf.identity(looped), tf.reduce_sum(looked), name="output")
loss = tf.reduce_mean(tf.square(output), name="loss")
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
data = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]], np.float32)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train, {x: data})
    wanted = sess.run(output, {x: data})
    show("wanted", wanted)
    graph_def = tf.get_default_graph().as_graph_def()
    constant = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["output"])
    some = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["output"], variable_names_whitelist=["w", "frozen"])
    others = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["output"], variable_names_blacklist=["frozen"])
part = tf.graph_util.extract_sub_graph(graph_def, ["checked"])
small = tf.graph_util.remove_training_nodes(constant, protected_nodes=["output", "checked"])


def kinds(graph):
    return sorted({n.op for n in graph.node} & {"VariableV2", "VarHandleOp", "ReadVariableOp", "ResourceGather", "GatherV2", "CheckNumerics", "Assign",
                                               "ApplyGradientDescent"})


show("kinds", [kinds(g) for g in (constant, some, others, part, small)])
show("part", sorted(n.name for n in part.node if n.op in ("VariableV2", "VarHandleOp", "Placeholder", "MatMul")))
show("smaller", len(small.node) < len(constant.node) < len(graph_def.node))
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "frozen.pb")
    with open(file, "wb") as f:
        f.write(constant.SerializeToString())
    for source in (open(file, "rb").read(), small.SerializeToString()):
        with tf.Graph().as_default() as graph:
            loaded = tf.GraphDef()
            loaded.ParseFromString(source)
            image, out = tf.import_graph_def(loaded, return_elements=["input:0", "output:0"], name="prefix")
            with tf.Session(graph=graph) as sess:
                show("same", bool(np.allclose(sess.run(out, {image: data}), wanted)))
                show("other", sess.run(out, {image: data, "prefix/words:0": [1, 1, 3]}))
                show("low", sess.run("prefix/output:0", {"prefix/input:0": data[:1], "prefix/keep:0": 0.1}))
                show("slope", sess.run(tf.gradients(graph.get_tensor_by_name("prefix/hidden:0"), image), {image: data}))
            show("operations", len(tf.global_variables()))
for attempt in (lambda: tf.graph_util.extract_sub_graph(graph_def, "checked"), lambda: tf.graph_util.extract_sub_graph({}, ["checked"]),
                lambda: tf.graph_util.extract_sub_graph(graph_def, ["nothing"])):
    try:
        attempt()
    except (TypeError, AssertionError) as e:
        show("refused", type(e).__name__)
show("cpu", [tf.graph_util.must_run_on_cpu(tf.constant(v).op) for v in (1, 1.0, "a")] + [tf.graph_util.must_run_on_cpu(w.op, pin_variables_on_cpu=True)])
show("shape", str(tf.graph_util.tensor_shape_from_node_def_name(tf.get_default_graph(), "input")))
