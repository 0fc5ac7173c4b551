"""A trained graph goes into a file with its collections, comes out in another program, is used, fine-tuned, scoped and stripped."""

import os
import tempfile

import numpy as np
from program import show, tf

data = np.linspace(-1, 1, 10).astype(np.float32)[:, None]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "net")
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 1], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        with tf.variable_scope("net", initializer=tf.random_normal_initializer(seed=1)):
            hidden = tf.tanh(tf.matmul(x, tf.get_variable("w1", [1, 4])) + tf.get_variable("b1", [4]), name="hidden")
            out = tf.identity(tf.matmul(hidden, tf.get_variable("w2", [4, 1], use_resource=True)), name="out")
        loss = tf.reduce_mean(tf.squared_difference(out, y), name="loss")
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=tf.train.create_global_step(), name="train")
        loop = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), (0, tf.reduce_sum(out)), name="loop")[1]
        tf.add_to_collection("ends", out)
        tf.add_to_collection("ends", loss)
        tf.add_to_collection("numbers", 3)
        tf.add_to_collection("numbers", 4)
        tf.add_to_collection("texts", "hello")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(5):
                sess.run(train, {x: data, y: data ** 2})
            saver.save(sess, path)
            tip = tf.identity(loop, name="tip")
            show("first", sess.run([loss, tip], {x: data, y: data ** 2}))
        text = tf.train.export_meta_graph(os.path.join(folder, "graph.pbtxt"), as_text=True)
        show("exported", [text.meta_info_def.tensorflow_version != "", sorted(set(text.collection_def) - {"while_context"}), len(text.graph_def.node) == len(graph.get_operations())])

    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(sess, tf.train.latest_checkpoint(folder))
        out, loss = tf.get_collection("ends")
        feed = {"x:0": data, "y:0": data ** 2}
        show("again", sess.run([loss, "loop/Exit_1:0"], feed))
        sess.run("train", feed)
        show("trained", sess.run([loss, tf.train.get_global_step()], feed))
        show("collections", [tf.get_collection("numbers"), tf.get_collection("texts"), [v.op.name for v in tf.global_variables()]])
        top = tf.get_default_graph().get_tensor_by_name("net/hidden:0")
        head = tf.get_variable("head", [4, 2], initializer=tf.ones_initializer())
        new_loss = tf.reduce_mean(tf.square(tf.matmul(tf.stop_gradient(top), head)))
        tune = tf.train.GradientDescentOptimizer(0.1).minimize(new_loss, var_list=[head])
        sess.run(head.initializer)
        for _ in range(3):
            show("tuned", sess.run([new_loss, tune], feed)[0])
        slopes = tf.gradients(loss, tf.trainable_variables())
        show("slopes", [g is not None for g in slopes])
        show("slope", sess.run(slopes[0], feed))

    with tf.Graph().as_default(), tf.Session() as sess:
        given = tf.constant(data[:3])
        saver = tf.train.import_meta_graph(os.path.join(folder, "graph.pbtxt"), import_scope="copy", input_map={"x:0": given})
        saver = tf.train.Saver({v.op.name[len("copy/"):]: v for v in tf.global_variables()})
        saver.restore(sess, path)
        show("copy", sess.run("copy/net/out:0"))
        show("scoped", [v.name for v in tf.trainable_variables()])
        export = tf.train.export_meta_graph(export_scope="copy/net", clear_devices=True)
        show("exported", sorted(n.name for n in export.graph_def.node)[:4])
        try:
            tf.train.import_meta_graph(os.path.join(folder, "nothing.meta"))
        except (IOError, tf.errors.NotFoundError) as e:
            show("missing", isinstance(e, (IOError, tf.errors.NotFoundError)))
