"""Checkpoints that are kept and dropped, and restored into graphs that have changed: fewer variables, new ones, other names."""

import os
import re
import tempfile

import numpy as np
from program import show, tf


def layer(name, rows, columns, value):
    with tf.variable_scope(name):
        return tf.get_variable("kernel", [rows, columns], initializer=tf.constant_initializer(value)), tf.get_variable("bias", [columns], tf.float64,
                                                                                                                  initializer=tf.ones_initializer())


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.ckpt")
    first = tf.Graph()
    with first.as_default():
        (kernel, bias), (out, _) = layer("dense", 2, 3, 0.5), layer("out", 3, 1, 2.0)
        count = tf.Variable(0, name="count", trainable=False)
        more = tf.group(kernel.assign_add(tf.ones([2, 3])), count.assign_add(1))
        saver = tf.train.Saver(max_to_keep=2, keep_checkpoint_every_n_hours=1000.0)
        chosen = tf.train.Saver({"renamed/kernel": kernel, "renamed/count": count}, max_to_keep=0)
        sharded = tf.train.Saver(sharded=True)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(4):
                sess.run(more)
                show("saved", os.path.basename(saver.save(sess, path, global_step=count, write_meta_graph=step == 3)))
                show("kept", [os.path.basename(p) for p in saver.last_checkpoints])
            show("chosen", os.path.basename(chosen.save(sess, os.path.join(folder, "chosen"), latest_filename="others", write_meta_graph=False)))
            show("sharded", os.path.basename(sharded.save(sess, os.path.join(folder, "sharded"), write_state=False, write_meta_graph=False)))
    show("files", sorted(f for f in os.listdir(folder)))
    state = tf.train.get_checkpoint_state(folder)
    show("state", [os.path.basename(state.model_checkpoint_path), [os.path.basename(p) for p in state.all_model_checkpoint_paths]])
    show("latest", [os.path.basename(tf.train.latest_checkpoint(folder, f) or "none") for f in (None, "others", "missing")])
    show("exists", [tf.train.checkpoint_exists(path), tf.train.checkpoint_exists(path + "-4"), tf.train.checkpoint_exists(os.path.join(folder, "nothing"))])
    show("listed", tf.train.list_variables(path + "-4"))
    reader = tf.train.NewCheckpointReader(path + "-4")
    show("reader", [reader.has_tensor("dense/kernel"), reader.has_tensor("none"), reader.get_tensor("count"), sorted(reader.get_variable_to_shape_map())])

    with tf.Graph().as_default():
        kernel, bias = layer("dense", 2, 3, 0.0)
        extra = tf.get_variable("extra", [2], initializer=tf.constant_initializer(7.0))
        partial = tf.train.Saver([v for v in tf.global_variables() if v.op.name != "extra"])
        with tf.Session() as sess:
            sess.run(tf.variables_initializer([extra]))
            partial.restore(sess, tf.train.latest_checkpoint(folder))
            show("partial", sess.run([kernel, bias, extra]))
            partial.restore(sess, os.path.join(folder, "sharded"))
            for source, attempt in (("missing", tf.train.Saver()), ("nowhere", partial)):
                try:
                    attempt.restore(sess, path + "-4" if source == "missing" else os.path.join(folder, "nothing"))
                except (ValueError, tf.errors.NotFoundError) as e:
                    show(source, [k.__name__ for k in (ValueError, tf.errors.NotFoundError) if isinstance(e, k)] + re.findall("Key extra not found in checkpoint", str(e)))
    with tf.Graph().as_default():
        other = tf.get_variable("other/kernel", [2, 3])
        wrong = tf.get_variable("dense/kernel", [3, 2])
        with tf.Session() as sess:
            tf.train.Saver({"dense/kernel": other}).restore(sess, path + "-3")
            show("other", sess.run(other))
            try:
                tf.train.Saver([wrong]).restore(sess, path + "-4")
            except (tf.errors.InvalidArgumentError, ValueError) as e:
                show("wrong", ["Assign requires shapes of both tensors to match" in str(e), "lhs shape= [3,2] rhs shape= [2,3]" in str(e)])
        tf.train.init_from_checkpoint(os.path.join(folder, "chosen"), {"renamed/": "other/"})
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            show("from", sess.run(other))
    with tf.Graph().as_default(), tf.Session() as sess:
        again = tf.train.import_meta_graph(path + "-4.meta", clear_devices=True)
        again.restore(sess, path + "-4")
        show("meta", [[v.op.name for v in tf.trainable_variables()], sess.run(["count:0", "dense/kernel:0"])])
    again = tf.train.Saver([tf.Variable(np.zeros(2), name="v")], max_to_keep=1, name="mine")
    again.recover_last_checkpoints([path + "-3", path + "-4", path + "-1"])
    show("recovered", [os.path.basename(p) for p in again.last_checkpoints])
    show("def", [again.as_saver_def().max_to_keep, again.as_saver_def().filename_tensor_name, again.as_saver_def().restore_op_name])
