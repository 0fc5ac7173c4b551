"""Saver life: max_to_keep, keep_checkpoint_every_n_hours, partial restore by scope, rename, latest_checkpoint, inspect, save_relative_paths, import_meta_graph with clear_devices."""

import os, tempfile, glob
import numpy as np
from program import show, tf

d = tempfile.mkdtemp()
ck = os.path.join(d, "model.ckpt")
tf.set_random_seed(5)
with tf.device("/cpu:0"), tf.variable_scope("encoder"):
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(np.arange(6.0).reshape(3, 2)))
    b = tf.get_variable("b", [2], initializer=tf.ones_initializer())
with tf.variable_scope("decoder"):
    v = tf.get_variable(
        "v",
        shape=(2, 1),
        initializer=tf.contrib.layers.xavier_initializer() if hasattr(tf, "contrib") and False else tf.glorot_uniform_initializer(seed=3),
    )
gs = tf.Variable(0, name="global_step", trainable=False, dtype=tf.int64)
inc = tf.assign_add(gs, 1, name="inc")
x = tf.placeholder(tf.float32, [None, 3], name="x")
out = tf.identity(tf.matmul(tf.matmul(x, w) + b, v), name="out")
tf.add_to_collection("out", out)
tf.add_to_collection("x", x)
saver = tf.train.Saver(max_to_keep=3, keep_checkpoint_every_n_hours=2, save_relative_paths=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        sess.run(inc)
        p = saver.save(sess, ck, global_step=gs, write_meta_graph=(i == 4))
        show("saved", [os.path.basename(p), [os.path.basename(c) for c in saver.last_checkpoints]])
    expected = sess.run(out, {x: [[1, 2, 3]]})
    show("out", expected)
    p2 = saver.save(sess, os.path.join(d, "final"), latest_filename="best")
    show("nostate", os.path.exists(os.path.join(d, "best")))
show("files", sorted(os.path.basename(f) for f in glob.glob(ck + "*")))
state = tf.train.get_checkpoint_state(d)
show("state", [os.path.basename(state.model_checkpoint_path), [os.path.basename(q) for q in state.all_model_checkpoint_paths]])
show("text", open(os.path.join(d, "checkpoint")).read())
show(
    "latest",
    [
        os.path.basename(tf.train.latest_checkpoint(d)),
        os.path.basename(tf.train.latest_checkpoint(d, "best")),
        tf.train.latest_checkpoint("/nonexistent"),
    ],
)
show("exists", [tf.train.checkpoint_exists(ck + "-5"), tf.train.checkpoint_exists(ck + "-1")])
latest = tf.train.latest_checkpoint(d)
show("list", tf.train.list_variables(latest))
r = tf.train.NewCheckpointReader(latest)
show(
    "reader",
    [
        sorted(r.get_variable_to_shape_map().items()),
        r.get_tensor("encoder/b"),
        r.has_tensor("nope"),
        {k: t.name for k, t in r.get_variable_to_dtype_map().items()},
    ],
)
show("debug", sorted(r.debug_string().decode().split("\n")))
# another program
with tf.Graph().as_default() as g, tf.Session(graph=g) as sess:
    s2 = tf.train.import_meta_graph(latest + ".meta", clear_devices=True)
    s2.restore(sess, latest)
    (o,) = tf.get_collection("out")
    xx = tf.get_collection("x")[0]
    show("again", sess.run(o, {xx: [[1, 2, 3]]}))
    show("devices", [op.device for op in g.get_operations() if op.type.startswith("Variable")])
    show("vars", [(q.name, q.trainable if hasattr(q, "trainable") else None) for q in tf.global_variables()])
    show("by name", sess.run("out:0", {"x:0": np.ones((1, 3))}))
with tf.Graph().as_default() as g:
    with tf.variable_scope("net/encoder"):
        w2 = tf.get_variable("w", [3, 2])
        b2 = tf.get_variable("b", [2])
    extra = tf.get_variable("extra", [2], initializer=tf.zeros_initializer())
    s3 = tf.train.Saver({v.op.name[len("net/") :]: v for v in tf.global_variables("net")})
    with tf.Session() as sess:
        sess.run(extra.initializer)
        s3.restore(sess, latest)
        show("renamed", sess.run([w2, b2, extra]))
        show("uninit", sess.run(tf.report_uninitialized_variables()))
    for bad in (
        lambda: tf.train.Saver([extra]).restore(tf.Session(), latest),
        lambda: tf.train.Saver([w2]).restore(tf.Session(), os.path.join(d, "nothere")),
        lambda: tf.train.Saver([]),
        lambda: tf.train.Saver({"encoder/w": b2}).restore(tf.Session(), latest),
        lambda: tf.train.Saver([w2, w2]),
        lambda: tf.train.Saver().restore(tf.Session(), None),
    ):
        try:
            bad()
            show("bad", "none")
        except Exception as e:
            show("bad", type(e).__name__)
    tf.train.init_from_checkpoint(latest, {"encoder/": "net/encoder/"})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show("init_from", sess.run([w2, b2]))
