"""Retraining: a frozen graph is imported, its bottleneck feeds new layers, which are frozen in turn; a picture is labelled by the file alone."""

import os
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(120)
folder = tempfile.mkdtemp()
frozen, labels_file, picture = (os.path.join(folder, n) for n in ("output_graph.pb", "labels.txt", "picture.jpg"))

with tf.Graph().as_default() as graph, tf.Session() as sess:
    image = tf.placeholder(tf.string, name="DecodeJpeg/contents")
    decoded = tf.image.decode_jpeg(image, channels=3, dct_method="INTEGER_ACCURATE", name="DecodeJpeg")
    resized = tf.image.resize_bilinear(tf.expand_dims(tf.cast(decoded, tf.float32), 0), [8, 8], name="ResizeBilinear")
    scaled = tf.multiply(tf.subtract(resized, [128.0]), [1.0 / 128.0], name="Mul")
    w = tf.Variable(random.randn(3, 3, 3, 5).astype(np.float32) * 0.2, name="conv/w")
    pool = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(scaled, w, [1, 2, 2, 1], "SAME")), [1, 2], keepdims=True, name="pool_3")
    tf.Variable(1.0, name="unused")
    sess.run(tf.global_variables_initializer())
    frozen_def = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["pool_3"])
    with tf.gfile.GFile(os.path.join(folder, "base.pb"), "wb") as f:
        f.write(frozen_def.SerializeToString())
    pixels = np.tile((np.arange(12) * 20).astype(np.uint8)[:, None, None], [1, 10, 3])
    with tf.gfile.FastGFile(picture, "wb") as f:
        f.write(sess.run(tf.image.encode_jpeg(tf.constant(pixels), quality=100)))
show("frozen", sorted(n.name for n in frozen_def.node if n.op == "Const"))


def create_inception_graph():
    with tf.Graph().as_default() as graph, tf.gfile.FastGFile(os.path.join(folder, "base.pb"), "rb") as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
        return graph, tf.import_graph_def(graph_def, name="", return_elements=["pool_3:0", "DecodeJpeg/contents:0", "ResizeBilinear:0"])


graph, (bottleneck, jpeg, resized) = create_inception_graph()
with graph.as_default():
    with tf.name_scope("input"):
        bottleneck_input = tf.placeholder_with_default(tf.reshape(bottleneck, [-1, 5]), shape=[None, 5], name="BottleneckInputPlaceholder")
        ground_truth = tf.placeholder(tf.int64, [None], name="GroundTruthInput")
    with tf.name_scope("final_training_ops"):
        with tf.name_scope("weights"):
            layer_weights = tf.Variable(tf.truncated_normal([5, 3], stddev=0.1, seed=1), name="final_weights")
        layer_biases = tf.Variable(tf.zeros([3]), name="final_biases")
        logits = tf.matmul(bottleneck_input, layer_weights) + layer_biases
    final_tensor = tf.nn.softmax(logits, name="final_result")
    loss = tf.losses.sparse_softmax_cross_entropy(ground_truth, logits)
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session(graph=graph) as sess:
        sess.run(tf.global_variables_initializer())
        data = tf.gfile.FastGFile(picture, "rb").read()
        values = np.squeeze(sess.run(bottleneck, {jpeg: data}))
        show("bottleneck", values)
        for _ in range(10):
            show("loss", sess.run([loss, train_step], {bottleneck_input: np.stack([values, -values, values * 0.5]), ground_truth: [2, 0, 2]})[0])
        output_graph_def = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["final_result"])
        with tf.gfile.FastGFile(frozen, "wb") as f:
            f.write(output_graph_def.SerializeToString())
        tf.train.write_graph(output_graph_def, folder, "output_graph.pbtxt", as_text=True)
        with tf.gfile.FastGFile(labels_file, "w") as f:
            f.write("\n".join(["rose", "tulip", "daisy"]) + "\n")

tf.reset_default_graph()
label_lines = [line.rstrip() for line in tf.gfile.GFile(labels_file)]
with tf.gfile.FastGFile(frozen, "rb") as f:
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(f.read())
    _ = tf.import_graph_def(graph_def, name="")
with tf.Session() as sess:
    softmax_tensor = sess.graph.get_tensor_by_name("final_result:0")
    predictions = sess.run(softmax_tensor, {"DecodeJpeg/contents:0": tf.gfile.FastGFile(picture, "rb").read()})
    for node_id in predictions[0].argsort()[-len(predictions[0]) :][::-1]:
        show(label_lines[node_id], predictions[0][node_id])
    array = random.rand(1, 8, 8, 3).astype(np.float32) * 255
    show("by array", sess.run("final_result:0", {"ResizeBilinear:0": array}))
with tf.Graph().as_default() as mapped:
    doubled = tf.placeholder(tf.float32, [1, 8, 8, 3], "doubled")
    (result,) = tf.import_graph_def(graph_def, input_map={"ResizeBilinear": doubled * 2.0}, return_elements=["final_result:0"], name="net")
    show("names", [result.name, sorted(op.name for op in mapped.get_operations() if op.type == "Placeholder")])
    with tf.Session() as sess:
        show("mapped", sess.run(result, {doubled: array / 2}))
text = tf.gfile.GFile(os.path.join(folder, "output_graph.pbtxt")).read()
show("text", ["final_result" in text, text.startswith("node {")])
