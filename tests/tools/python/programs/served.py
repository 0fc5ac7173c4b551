"""A model that is exported with signatures, found again by tags and keys, and asked by a fresh session; simple_save; assets."""

import os
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(121)
folder = tempfile.mkdtemp()
export_path = os.path.join(tf.compat.as_bytes(folder), tf.compat.as_bytes(str(1)))
words = os.path.join(folder, "words.txt")
with open(words, "w") as f:
    f.write("cat\ndog\nbird\n")

sess = tf.InteractiveSession()
serialized = tf.placeholder(tf.string, name="tf_example")
examples = tf.parse_example(serialized, {"x": tf.FixedLenFeature(shape=[4], dtype=tf.float32)})
x = tf.identity(examples["x"], name="x")
w = tf.Variable(tf.constant(random.rand(4, 3).astype(np.float32)), name="w")
b = tf.Variable(tf.zeros([3], name="b"))
y = tf.nn.softmax(tf.matmul(x, w) + b, name="y")
values, indices = tf.nn.top_k(y, 2)
asset = tf.constant(words, name="asset")
tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
table = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer(asset, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), "UNK"
)
prediction_classes = table.lookup(tf.to_int64(indices))
sess.run(tf.global_variables_initializer())
builder = tf.saved_model.builder.SavedModelBuilder(export_path)
info = tf.saved_model.utils.build_tensor_info
constants = tf.saved_model.signature_constants
classification = tf.saved_model.signature_def_utils.build_signature_def(
    inputs={constants.CLASSIFY_INPUTS: info(serialized)},
    outputs={constants.CLASSIFY_OUTPUT_CLASSES: info(prediction_classes), constants.CLASSIFY_OUTPUT_SCORES: info(values)},
    method_name=constants.CLASSIFY_METHOD_NAME,
)
prediction = tf.saved_model.signature_def_utils.build_signature_def(
    inputs={"images": info(x)}, outputs={"scores": info(y)}, method_name=constants.PREDICT_METHOD_NAME
)
builder.add_meta_graph_and_variables(
    sess,
    [tf.saved_model.tag_constants.SERVING],
    signature_def_map={"predict_images": prediction, constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: classification},
    main_op=tf.tables_initializer(),
    assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
    strip_default_attrs=True,
)
builder.save()
show("files", sorted(os.path.join(os.path.basename(d), f).split(".")[0] for d, _, fs in os.walk(tf.compat.as_str(export_path)) for f in fs))
data = random.rand(2, 4).astype(np.float32)
show("before", sess.run(y, {x: data}))
tf.saved_model.simple_save(sess, os.path.join(folder, "simple"), inputs={"x": x}, outputs={"y": y, "top": values})
sess.close()

with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], tf.compat.as_str(export_path))
    signature = meta.signature_def
    show("signatures", {k: [s.method_name, sorted(s.inputs), sorted(s.outputs)] for k, s in sorted(signature.items())})
    x_name, y_name = signature["predict_images"].inputs["images"].name, signature["predict_images"].outputs["scores"].name
    show(
        "shape",
        [[d.size for d in signature["predict_images"].outputs["scores"].tensor_shape.dim], signature["predict_images"].inputs["images"].dtype],
    )
    show("after", sess.run(sess.graph.get_tensor_by_name(y_name), {sess.graph.get_tensor_by_name(x_name): data}))
    made = [
        tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=row))})).SerializeToString()
        for row in data
    ]
    out = signature[constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY].outputs
    show("classes", sess.run([out["classes"].name, out["scores"].name], {"tf_example:0": made}))
with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.load(sess, ["serve"], os.path.join(folder, "simple"))
    default = meta.signature_def["serving_default"]
    show("simple", [sorted(default.outputs), default.method_name, sess.run(default.outputs["top"].name, {default.inputs["x"].name: data})])
    show("variables", [v.name for v in tf.global_variables()])
show("there", [tf.saved_model.loader.maybe_saved_model_directory(os.path.join(folder, "simple")), tf.saved_model.maybe_saved_model_directory(folder)])
