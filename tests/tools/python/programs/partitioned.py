"""Variables in parts: partitioners, what is made of them, training, checkpoints."""

import os
import tempfile

import numpy as np
from program import show, tf

tf.set_random_seed(5)
graph = tf.get_default_graph()
sizes = tf.TensorShape([10, 4])
show("partitioners", [
    tf.fixed_size_partitioner(3)(sizes), tf.fixed_size_partitioner(20, axis=1)(sizes), tf.variable_axis_size_partitioner(40)(sizes, tf.float32),
    tf.variable_axis_size_partitioner(5, max_shards=7)(sizes, tf.float64), tf.variable_axis_size_partitioner(64, axis=1)(sizes, tf.string),
    tf.min_max_variable_partitioner(8, min_slice_size=30)(sizes, tf.float32), tf.min_max_variable_partitioner(3, min_slice_size=1)(sizes, tf.int64)])

with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(3)):
    table = tf.get_variable("table", [10, 4])
    scalar = tf.get_variable("scalar", [], initializer=tf.zeros_initializer())
    fixed = tf.get_variable("fixed", [5], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0][:1]), regularizer=tf.nn.l2_loss)
    sliced = tf.get_variable("sliced", initializer=tf.constant(np.arange(8.0, dtype=np.float32)), use_resource=True)
    eye = tf.get_variable("eye", [4, 4], initializer=tf.initializers.identity())
with tf.variable_scope("model", reuse=True):
    same = tf.get_variable("table", [10, 4])
pieces = tf.create_partitioned_variables([4, 6], [1, 2], tf.ones_initializer(), name="pieces")
rows = tf.nn.embedding_lookup(table, [0, 9, 4, 3, 9], partition_strategy="div")
by_mod = tf.nn.embedding_lookup(table, [0, 9, 4, 3])
sparse = tf.nn.embedding_lookup_sparse(table, tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [9, 1, 4], [3, 2]), None, "div", combiner="sum")
loss = tf.reduce_sum(tf.square(rows)) + tf.reduce_sum(sliced)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
show("variables", sorted([v.name, v.shape.as_list()] for v in tf.global_variables()))
show("collections", [[v.op.name for v in tf.trainable_variables()], [t.name for t in tf.losses.get_regularization_losses()]])
show("whole", [type(table).__name__, table.name, table.shape.as_list(), table.dtype.name, len(table), same is table, [p.name for p in pieces]])
show("slices", [[v._get_save_slice_info().spec, v._get_save_slice_info().full_name] for v in table])
show("slots", sorted(v._get_save_slice_info().spec + " " + v._get_save_slice_info().full_name for v in tf.global_variables()
                     if "/Adam" in v.op.name and v._get_save_slice_info()))
as_tensor = tf.convert_to_tensor(table)
show("names", [as_tensor.name, as_tensor.op.inputs[0].op.name, list(as_tensor.shape.as_list())])
changes = [tf.group(*[a.op for a in fixed.assign_add(tf.range(5.0))]), tf.group(*[a.op for a in eye.assign(eye.as_tensor() * 3.0)])]
saver = tf.train.Saver()
values = {"table": as_tensor, "rows": rows, "mod": by_mod, "sparse": sparse, "fixed": fixed.as_tensor(), "sliced": sliced.as_tensor(),
          "eye": eye.as_tensor(), "scalar": scalar}
path = os.path.join(tempfile.mkdtemp(), "model")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, tensor in values.items():
        show(name, session.run(tensor))
    session.run(changes)
    session.run(train)
    after = session.run([as_tensor, fixed.as_tensor(), eye.as_tensor(), sliced.as_tensor()])
    show("after", after)
    saver.save(session, path)
reader = tf.train.load_checkpoint(path)
show("saved", sorted([n, s] for n, s in reader.get_variable_to_shape_map().items()))
show("read", [reader.get_tensor("model/table"), reader.get_tensor("model/fixed"), reader.get_tensor("model/table/Adam")])
definition = tf.train.export_meta_graph()

# As a whole, and in other parts.
with tf.Graph().as_default():
    whole = tf.get_variable("model/table", [10, 4])
    with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(2, axis=1)):
        halves = tf.get_variable("eye", [4, 4])
    saver = tf.train.Saver()
    with tf.Session() as session:
        saver.restore(session, path)
        show("restored", session.run([whole, halves.as_tensor()]))
with tf.Graph().as_default():
    tf.train.import_meta_graph(definition)
    again = tf.global_variables()
    show("imported", sorted(v._get_save_slice_info().spec for v in again if v._get_save_slice_info()))
with tf.Graph().as_default():
    with tf.variable_scope("new", partitioner=tf.fixed_size_partitioner(4)):
        initialized = tf.get_variable("table", [10, 4])
    tf.train.init_from_checkpoint(path, {"model/": "new/"})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        show("initialized", session.run(initialized.as_tensor()))


def failure(function):
    try:
        function()
    except (ValueError, TypeError, NotImplementedError) as e:
        return type(e).__name__
    return None


with tf.Graph().as_default():
    two = tf.fixed_size_partitioner(2)
    tf.get_variable("plain", [4])
    tf.get_variable("parts", [4], partitioner=two)
    reused = lambda **given: lambda: _reused(**given)

    def _reused(**given):
        with tf.variable_scope("", reuse=True):
            tf.get_variable("parts", **given)

    show("failures", [failure(f) for f in (
        lambda: tf.get_variable("plain", [4], partitioner=two), lambda: tf.get_variable("parts", [4]), lambda: tf.get_variable("parts", [4], partitioner=two),
        reused(shape=[5]), reused(shape=[4], dtype=tf.int32), reused(shape=[4], partitioner=tf.fixed_size_partitioner(4)),
        lambda: tf.get_variable("both", [4, 4], partitioner=lambda **unused: [2, 2]), lambda: tf.get_variable("none", [4], partitioner=lambda **unused: [0]),
        lambda: tf.get_variable("rank", [4], partitioner=lambda **unused: [2, 1]), lambda: tf.get_variable("list", [4], partitioner=lambda **unused: 2),
        lambda: tf.get_variable("call", [4], partitioner=2), lambda: tf.get_variable("unknown", [None, 4], partitioner=two),
        lambda: tf.variable_axis_size_partitioner(0), lambda: tf.min_max_variable_partitioner(axis=2)(tf.TensorShape([4]), tf.float32),
        lambda: tf.create_partitioned_variables([4], [1, 2], tf.zeros_initializer()))])
