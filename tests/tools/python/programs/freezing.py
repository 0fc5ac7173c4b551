"""Frozen graphs, readers of files, quantised numbers, derivatives as functions, embeddings of wrong ids, cosine transforms."""

import os
import tempfile

import numpy as np
from program import show, tf

util = tf.graph_util
random = np.random.RandomState(3)


def failure(function):
    try:
        function()
    except (ValueError, TypeError, AssertionError, NotImplementedError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


# Frozen graphs.
for use_resource in (False, True):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]), use_resource=use_resource)
        b = tf.get_variable("b", [2], initializer=tf.ones_initializer(), use_resource=use_resource)
        table = tf.get_variable("table", [3, 2], initializer=tf.ones_initializer(), use_resource=use_resource)
        with tf.control_dependencies([tf.check_numerics(x, "bad")]):
            h = tf.identity(tf.matmul(x, w)) + b
        out = tf.add(h, tf.gather(table, [2]), name="out")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(out))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train, {x: [[1.0, 1.0]]})
            before = session.run(out, {x: [[1.0, 2.0]]})
            frozen = util.convert_variables_to_constants(session, graph.as_graph_def(), ["out"])
            half = util.convert_variables_to_constants(session, graph.as_graph_def(), ["out"], variable_names_blacklist=["b"])
    small = util.remove_training_nodes(frozen, protected_nodes=["out"])
    show("kinds", [sorted({n.op for n in frozen.node}), sorted({n.op for n in small.node}), sorted(n.name for n in half.node if "Var" in n.op)])
    with tf.Graph().as_default(), tf.Session() as session:
        results = [tf.import_graph_def(g, name=n, return_elements=["out:0"])[0] for n, g in (("frozen", frozen), ("small", small))]
        show("frozen", [before, *session.run(results, {"frozen/x:0": [[1.0, 2.0]], "small/x:0": [[1.0, 2.0]]})])
with tf.Graph().as_default() as graph:
    a = tf.constant([1, 2], name="a")
    c = tf.identity(tf.add(a, a, name="sum"), name="c")
    with tf.control_dependencies([c]):
        d = tf.constant(3.0, name="d")
    tf.constant(1.0, name="apart")
    definition = graph.as_graph_def()
    show("parts", [[n.name for n in util.extract_sub_graph(definition, names).node] for names in (["sum"], ["d"], ["apart", "a"])])
    show("places", [util.must_run_on_cpu(o) for o in graph.get_operations()] + [str(util.tensor_shape_from_node_def_name(graph, "c"))])
    show("missing", [failure(lambda: util.extract_sub_graph(definition, ["z"])), failure(lambda: util.extract_sub_graph(definition, "sum"))])

# Readers.
folder = tempfile.mkdtemp()
files = {name: os.path.join(folder, name) for name in ("lines", "records", "fixed")}
with open(files["lines"], "w") as f:
    f.write("head\none\ntwo\n")
with open(files["fixed"], "wb") as f:
    f.write(b"HaabbccF")
with tf.python_io.TFRecordWriter(files["records"], tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)) as writer:
    for record in (b"r1", b"r2", b"r3"):
        writer.write(record)
readers = {
    "lines": tf.TextLineReader(skip_header_lines=1), "fixed": tf.FixedLengthRecordReader(2, header_bytes=1, footer_bytes=1),
    "records": tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)),
}
made = {}
for name, reader in readers.items():
    queue = tf.FIFOQueue(4, tf.string, shapes=[[]])
    fill = [queue.enqueue([files[name]]), queue.close()]
    made[name] = (fill, reader.read(queue), reader.num_records_produced(), reader.num_work_units_completed(), reader.read_up_to(queue, 5))
whole, same = tf.WholeFileReader(), tf.IdentityReader()
queue = tf.FIFOQueue(4, tf.string, shapes=[[]])
other = tf.FIFOQueue(4, tf.string, shapes=[[]])
with tf.Session() as session:
    for name, (fill, read, produced, completed, rest) in made.items():
        for op in fill:
            session.run(op)
        first, more = session.run(read), session.run(rest)
        show(name, [[os.path.basename(first[0].decode()), first[1]], [[os.path.basename(k.decode()) for k in more[0]], list(more[1])],
                    session.run([produced, completed]), failure(lambda read=read: session.run(read))])
    session.run([queue.enqueue([files["lines"]]), other.enqueue(["work"])])
    show("whole", [session.run(whole.read(queue))[1], list(session.run(same.read(other))), whole.supports_serialize])

# Numbers.
x = tf.constant(random.uniform(-2, 2, (2, 4)).astype(np.float32))
image, kernel = tf.constant(random.randn(1, 4, 4, 2).astype(np.float32)), tf.constant(random.randn(2, 2, 2, 3).astype(np.float32))
outer, deep = tf.constant(random.randn(1, 4, 4, 3).astype(np.float32)), tf.constant(random.randn(1, 4, 4, 4).astype(np.float32))
quantized = tf.quantize(x, -2.0, 2.0, tf.quint8)
ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [2, 1]], tf.constant([1, -1, 0, 2], tf.int64), [4, 2])
weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [2, 1]], [1.0, 2.0, -1.0, 3.0], [4, 2])
rows = tf.constant(random.randn(3, 2).astype(np.float32))
signal = tf.constant(random.randn(2, 24).astype(np.float32))
spectra = tf.signal.stft(signal, 8, 4)
numbers = {
    "fake": [tf.fake_quant_with_min_max_args(x, -1.0, 1.0), tf.fake_quant_with_min_max_vars(x, -1.0, 1.5, num_bits=4),
             tf.fake_quant_with_min_max_vars_per_channel(x, [-1.0] * 4, [1.0, 0.5, 2.0, 1.0]), *tf.gradients(tf.fake_quant_with_min_max_args(x, -1.0, 1.0), x)],
    "quantized": [tf.cast(quantized[0], tf.int32), tf.dequantize(quantized[0], quantized[1], quantized[2]),
                  tf.quantization.quantize_and_dequantize(x, -1.0, 1.0, range_given=True)],
    "convolutions": [tf.nn.conv2d_backprop_input([1, 4, 4, 2], kernel, outer, [1, 1, 1, 1], "SAME"), tf.nn.conv2d_backprop_filter(image, [2, 2, 2, 3], outer, [1, 1, 1, 1], "SAME"),
                     tf.nn.depthwise_conv2d_native_backprop_input([1, 4, 4, 2], kernel[..., :2], deep, [1, 1, 1, 1], "SAME"),
                     tf.nn.depthwise_conv2d_backprop_filter(image, [2, 2, 2, 2], deep, [1, 1, 1, 1], "SAME")],
    "safe": [tf.nn.safe_embedding_lookup_sparse(rows, ids), tf.nn.safe_embedding_lookup_sparse([rows], ids, weights), tf.nn.safe_embedding_lookup_sparse(rows, ids, default_id=2),
             tf.nn.safe_embedding_lookup_sparse(rows, ids, weights, combiner="sum"), tf.nn.safe_embedding_lookup_sparse([rows[:2], rows[2:]], ids, combiner="sqrtn")],
    "cosines": [tf.signal.dct(x, type=t, norm=n) for t, n in ((1, None), (2, None), (2, "ortho"), (3, None), (3, "ortho"), (4, None), (4, "ortho"))]
               + [tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho"), tf.signal.dct(x, n=3), tf.signal.dct(x, n=6), tf.spectral.dct(x), tf.signal.idct(x, type=1), tf.signal.idct(x, type=4)],
    "frames": [tf.signal.overlap_and_add(tf.reshape(tf.range(12.0), [3, 4]), 2), tf.signal.overlap_and_add(tf.reshape(tf.range(24.0), [2, 3, 4]), 3),
               tf.signal.overlap_and_add(tf.reshape(tf.range(12.0), [3, 4]), 4), tf.signal.inverse_stft(spectra, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4)),
               tf.signal.inverse_stft(spectra, 8, 4), tf.signal.inverse_stft_window_fn(3)(8, tf.float32)],
    "mel": [tf.signal.linear_to_mel_weight_matrix(4, 9, 8000.0, 100.0, 3000.0), tf.signal.mfccs_from_log_mel_spectrograms(x)],
}
with tf.Session() as session:
    for name, tensors in numbers.items():
        show(name, session.run(tensors))
show("versions", [tf.VERSION.split(".")[:2], tf.__version__.split(".")[:2], tf.version.VERSION == tf.VERSION, tf.GRAPH_DEF_VERSION])
show("failures", [failure(f) for f in (
    lambda: tf.signal.dct(x, axis=0), lambda: tf.signal.dct(x, type=5), lambda: tf.signal.dct(x, type=1, norm="ortho"), lambda: tf.signal.dct(x, norm="other"),
    lambda: tf.signal.dct(x, n=0), lambda: tf.signal.overlap_and_add(x, 1.5), lambda: tf.signal.linear_to_mel_weight_matrix(0),
    lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0), lambda: tf.nn.safe_embedding_lookup_sparse(None, ids))])
