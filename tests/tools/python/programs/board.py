"""What programs write for TensorBoard: summaries of variables, pictures, sounds, texts, the graph, traces; and what is in the event files."""

import os
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(119)
folder = tempfile.mkdtemp()


def variable_summaries(var):
    with tf.name_scope("summaries"):
        mean = tf.reduce_mean(var)
        tf.summary.scalar("mean", mean)
        with tf.name_scope("stddev"):
            stddev = tf.sqrt(tf.reduce_mean(tf.square(var - mean)))
        tf.summary.scalar("stddev", stddev)
        tf.summary.scalar("max", tf.reduce_max(var))
        tf.summary.histogram("histogram", var)


def nn_layer(input_tensor, input_dim, output_dim, layer_name, act=tf.nn.relu):
    with tf.name_scope(layer_name):
        with tf.name_scope("weights"):
            weights = tf.Variable(tf.truncated_normal([input_dim, output_dim], stddev=0.1, seed=output_dim))
            variable_summaries(weights)
        with tf.name_scope("biases"):
            biases = tf.Variable(tf.constant(0.1, shape=[output_dim]))
            variable_summaries(biases)
        with tf.name_scope("Wx_plus_b"):
            preactivate = tf.matmul(input_tensor, weights) + biases
            tf.summary.histogram("pre_activations", preactivate)
        activations = act(preactivate, name="activation")
        tf.summary.histogram("activations", activations)
        return activations


with tf.name_scope("input"):
    x = tf.placeholder(tf.float32, [None, 16], name="x-input")
    y_ = tf.placeholder(tf.int64, [None], name="y-input")
with tf.name_scope("input_reshape"):
    tf.summary.image("input", tf.reshape(x, [-1, 4, 4, 1]), 2)
hidden1 = nn_layer(x, 16, 6, "layer1")
with tf.name_scope("dropout"):
    keep_prob = tf.placeholder(tf.float32)
    tf.summary.scalar("dropout_keep_probability", keep_prob)
    dropped = tf.nn.dropout(hidden1, keep_prob, seed=4)
y = nn_layer(dropped, 6, 3, "layer2", act=tf.identity)
with tf.name_scope("cross_entropy"):
    with tf.name_scope("total"):
        cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=y)
tf.summary.scalar("cross_entropy", cross_entropy)
with tf.name_scope("train"):
    train_step = tf.train.AdamOptimizer(0.01).minimize(cross_entropy)
with tf.name_scope("accuracy"):
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), y_), tf.float32))
tf.summary.scalar("accuracy", accuracy)
tf.summary.audio("tone", tf.reshape(x, [-1, 16])[:1], 8000.0, max_outputs=1)
tf.summary.text("note", tf.as_string(tf.shape(x)))
merged = tf.summary.merge_all()
embedding = tf.Variable(random.rand(5, 3).astype(np.float32), name="embedding")
sess = tf.InteractiveSession()
train_writer = tf.summary.FileWriter(os.path.join(folder, "train"), sess.graph)
test_writer = tf.summary.FileWriter(os.path.join(folder, "test"))
tf.global_variables_initializer().run()
for i in range(8):
    feed = {x: random.rand(6, 16), y_: random.randint(0, 3, 6), keep_prob: 0.9 if i % 2 else 1.0}
    if i % 4 == 0:
        summary, acc = sess.run([merged, accuracy], feed_dict=feed)
        test_writer.add_summary(summary, i)
        show("accuracy", acc)
    elif i == 7:
        run_options, run_metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        sess.run(train_step, feed_dict=feed, options=run_options, run_metadata=run_metadata)
        summary = sess.run(merged, feed_dict=feed)
        train_writer.add_run_metadata(run_metadata, "step%03d" % i)
        train_writer.add_summary(summary, i)
        show(
            "traced",
            [
                len(run_metadata.step_stats.dev_stats) > 0,
                any("MatMul" in n.node_name for d in run_metadata.step_stats.dev_stats for n in d.node_stats),
            ],
        )
    else:
        summary = sess.run(merged, feed_dict=feed)
        sess.run(train_step, feed_dict=feed)
        train_writer.add_summary(summary, i)
own = tf.Summary(value=[tf.Summary.Value(tag="own", simple_value=2.5)])
own.value.add(tag="second", simple_value=-1)
hist = tf.HistogramProto(min=0.0, max=3.0, num=4, sum=6.0, sum_squares=14.0)
hist.bucket_limit.append(1.0), hist.bucket_limit.append(4.0)
hist.bucket.extend([1, 3])
own.value.add(tag="histogram", histo=hist)
own.value.add(tag="picture", image=tf.Summary.Image(encoded_image_string=b"PNG", height=1, width=2))
train_writer.add_summary(own, global_step=9)
tf.train.Saver([embedding]).save(sess, os.path.join(folder, "model.ckpt"), 1)
train_writer.flush()
train_writer.close(), test_writer.close()
for kind in ("train", "test"):
    (name,) = tf.gfile.Glob(os.path.join(folder, kind, "*"))
    for event in tf.train.summary_iterator(name):
        if event.HasField("summary"):
            show("tags", [event.step, [v.tag for v in event.summary.value]])
            for v in event.summary.value:
                if v.HasField("simple_value"):
                    show(v.tag, v.simple_value)
                elif v.HasField("histo"):
                    show(
                        v.tag,
                        [v.histo.min, v.histo.max, v.histo.num, v.histo.sum, v.histo.sum_squares, len(v.histo.bucket), len(v.histo.bucket_limit)],
                    )
                elif v.HasField("image"):
                    show(v.tag, [v.image.height, v.image.width, v.image.colorspace])
                elif v.HasField("audio"):
                    show(v.tag, [v.audio.sample_rate, v.audio.num_channels, v.audio.length_frames, v.audio.content_type])
                elif v.HasField("tensor"):
                    show(v.tag, [list(v.tensor.string_val), v.metadata.plugin_data.plugin_name])
        elif event.HasField("graph_def"):
            show("graph", len(tf.GraphDef.FromString(event.graph_def).node) > 50)
        elif event.HasField("tagged_run_metadata"):
            show("metadata", event.tagged_run_metadata.tag)
        else:
            show("event", event.WhichOneof("what"))
sess.close()
