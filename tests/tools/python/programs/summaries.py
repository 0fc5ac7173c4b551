"""What a training writes for TensorBoard, read back: scalars, histograms, images, texts, the graph, and metadata of a run."""

import glob
import os
import tempfile

import numpy as np
from program import show, tf

x = tf.placeholder(tf.float32, [None, 3], "x")
with tf.name_scope("layer"):
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(np.arange(6).reshape(3, 2) / 6.0))
    out = tf.matmul(x, w)
    tf.summary.histogram("weights", w)
    tf.summary.scalar("mean", tf.reduce_mean(out))
with tf.name_scope("layer"):
    tf.summary.scalar("deviation", tf.sqrt(tf.nn.moments(tf.reshape(out, [-1]), [0])[1]))
tf.summary.scalar("norm of w", tf.norm(w), collections=["other"])
tf.summary.image("picture", tf.reshape(tf.sigmoid(w), [1, 3, 2, 1]), max_outputs=1)
tf.summary.text("note", tf.constant(["first", "second"]))
merged = tf.summary.merge_all()
other = tf.summary.merge_all("other")
none = tf.summary.merge_all("nothing")
alone = tf.summary.merge([tf.summary.scalar("again", w[2, 1], family="family")])
grow = tf.assign_add(w, tf.ones_like(w))

with tempfile.TemporaryDirectory() as folder:
    with tf.Session() as sess, tf.summary.FileWriter(folder, sess.graph) as writer:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            writer.add_summary(sess.run(merged, {x: np.eye(3)}), step)
            sess.run(grow)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="by hand", simple_value=2.5)]), global_step=9)
        options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        sess.run(other, options=options, run_metadata=metadata)
        writer.add_run_metadata(metadata, "traced", 3)
        summary = tf.Summary()
        summary.ParseFromString(sess.run(alone))
        show("alone", [[v.tag, v.simple_value] for v in summary.value])
        writer.flush()
    files = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    show("files", len(files))
    for event in tf.train.summary_iterator(files[0]):
        for value in event.summary.value:
            if value.HasField("histo"):
                h = value.histo
                show("histogram", [event.step, value.tag, h.min, h.max, h.num, h.sum, h.sum_squares, len(h.bucket) == len(h.bucket_limit)])
            elif value.HasField("image"):
                show("image", [event.step, value.tag, value.image.height, value.image.width, value.image.colorspace,
                               value.image.encoded_image_string[1:4]])
            elif value.HasField("tensor"):
                show("tensor", [event.step, value.tag, list(tf.make_ndarray(value.tensor)), value.metadata.plugin_data.plugin_name])
            else:
                show("scalar", [event.step, value.tag, value.simple_value])
        kind = event.WhichOneof("what")
        if kind == "file_version":
            show("version", event.file_version)
        elif kind == "graph_def":
            graph_def = tf.GraphDef.FromString(event.graph_def)
            show("graph", sorted(n.name for n in graph_def.node if n.op.endswith("Summary") or n.op.startswith("TensorSummary")))
        elif kind == "tagged_run_metadata":
            kept = tf.RunMetadata.FromString(event.tagged_run_metadata.run_metadata)
            show("metadata", [event.tagged_run_metadata.tag, event.step, len(kept.step_stats.dev_stats) > 0])
show("merged", [none, merged.op.type, len(merged.op.inputs), [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)]])
