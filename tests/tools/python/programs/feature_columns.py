"""Columns of features of all kinds: their specs, tensors, variables and weighted sums."""

import os
import tempfile

import numpy as np
from program import outcome, show, tf

fc = tf.feature_column
ones = tf.ones_initializer()
# Rows by number.
by_row = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.cast(tf.range(int(np.prod(shape))), dtype or tf.float32) / 10.0, shape)

folder = tempfile.mkdtemp()
vocabulary = os.path.join(folder, "words.txt")
with open(vocabulary, "w") as file:
    file.write("red\ngreen\nblue\n")

price = fc.numeric_column("price")
pair = fc.numeric_column("pair", shape=2, default_value=[1.0, 2.0], normalizer_fn=lambda x: (x - 1) * 2)
count = fc.numeric_column("count", dtype=tf.int64, default_value=3)
buckets = fc.bucketized_column(price, [1.0, 2.5])
two_buckets = fc.bucketized_column(pair, [0.0, 1.0, 4.0])
job = fc.categorical_column_with_vocabulary_list("job", ["cook", "smith", "judge"], num_oov_buckets=2)
level = fc.categorical_column_with_vocabulary_list("level", [7, 3, 5], default_value=1)
color = fc.categorical_column_with_vocabulary_file("color", vocabulary, num_oov_buckets=1)
first_colors = fc.categorical_column_with_vocabulary_file("color", vocabulary, vocabulary_size=2, default_value=0)
tag = fc.categorical_column_with_hash_bucket("tag", 6)
number = fc.categorical_column_with_hash_bucket("number", 5, dtype=tf.int32)
kind = fc.categorical_column_with_identity("kind", 4)
safe_kind = fc.categorical_column_with_identity("wild", 4, default_value=0)
weighted = fc.weighted_categorical_column(tag, "weight")
crossed = fc.crossed_column(["job", buckets, kind], 11)
nested = fc.crossed_column([fc.crossed_column(["job", "color"], 7, hash_key=5), level], 9)
everything = [price, pair, count, buckets, two_buckets, job, level, color, tag, number, kind, safe_kind, weighted, crossed, nested]
show("names", [c.name for c in everything])
show("repr", [repr(c) for c in (price, pair.shape, buckets, job, tag, kind, weighted)])
show("equal", [price == fc.numeric_column("price"), price == pair, hash(buckets) == hash(fc.bucketized_column(price, (1.0, 2.5)))])
spec = fc.make_parse_example_spec(everything)
show("spec", {k: [type(v).__name__, str(v.dtype), str(getattr(v, "shape", "")), str(getattr(v, "default_value", ""))] for k, v in sorted(spec.items())})

features = {
    "price": tf.constant([[0.5], [3.0], [1.0]]), "pair": tf.constant([[1.0, 0.0], [2.0, 3.5], [0.0, 1.0]]), "count": tf.constant([[1], [2], [3]], tf.int64),
    "job": tf.constant(["cook", "", "baker"]), "level": tf.constant([[7, 5], [3, -1], [4, 7]]),
    "color": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["blue", "red", "pink"], [3, 2]),
    "tag": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [3, 2]), "weight": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2.0, 0.5, -1.0], [3, 2]),
    "number": tf.constant([[4], [-1], [9]], tf.int32), "kind": tf.constant([[0, 3], [1, -1], [2, 2]], tf.int64), "wild": tf.constant([4, 2, -7], tf.int64),
}
shared = fc.shared_embedding_columns([kind, safe_kind], 2, combiner="sum", initializer=by_row)
dense = [price, pair, count, buckets, two_buckets, *map(fc.indicator_column, (job, level, color, tag, number, crossed)), fc.indicator_column(weighted),
         fc.embedding_column(job, 3, initializer=by_row), fc.embedding_column(color, 2, combiner="sqrtn", initializer=by_row, max_norm=0.3),
         fc.embedding_column(weighted, 2, initializer=by_row, trainable=False), *shared]
to_variables, to_tensors = {}, {}
layer = fc.input_layer(features, dense, cols_to_vars=to_variables, cols_to_output_tensors=to_tensors)
more = fc.input_layer(features, [price, fc.embedding_column(first_colors, 2, initializer=ones, use_safe_embedding_lookup=True), *shared])
sums_to_variables = {}
with tf.variable_scope("wide"):
    sums = fc.linear_model(features, [price, pair, buckets, two_buckets, job, color, kind, weighted, crossed, nested], units=2, cols_to_vars=sums_to_variables)
means = fc.linear_model(features, [tag, kind, price], sparse_combiner="mean", weight_collections=["mine"], trainable=False)
again = fc.linear_model(features, [price, tag])
show("shapes", [str(t.shape) for t in (layer, more, sums, means, again)])
show("variables", [[v.op.name, str(v.shape), v in tf.trainable_variables(), v in tf.model_variables()] for v in tf.global_variables()])
show("of columns", {c.name: [v.op.name for v in vs] for c, vs in to_variables.items()})
show("of sums", {getattr(c, "name", c): [v.op.name for v in vs] for c, vs in sums_to_variables.items()})
show("mine", [v.op.name for v in tf.get_collection("mine")])
ids = [tf.constant(np.arange(1.0, 1 + v.shape.num_elements()).reshape(v.shape.as_list()), tf.float32) for v in tf.global_variables()]
fill = tf.group(*[tf.assign(v, value * 0.25) for v, value in zip(tf.global_variables(), ids) if "weights" in v.op.name and "embedding" not in v.op.name])
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    show("layer", session.run(layer))
    show("parts", session.run({c.name: t for c, t in to_tensors.items()}))
    show("more", session.run(more))
    session.run(fill)
    show("sums", session.run([sums, means, again]))
    wrong = fc.input_layer({"kind": tf.constant([[5]], tf.int64)}, [fc.embedding_column(kind, 2, initializer=ones)])
    session.run(tf.global_variables_initializer())
    show("outside", outcome(lambda: session.run(wrong)))

show("failures", [outcome(f) for f in (
    lambda: fc.numeric_column("a", shape=0), lambda: fc.numeric_column("a", shape=[2.5]), lambda: fc.numeric_column(3),
    lambda: fc.numeric_column("a", dtype=tf.string), lambda: fc.numeric_column("a", default_value=[1.0, 2.0]), lambda: fc.numeric_column("a", default_value="b"),
    lambda: fc.numeric_column("a", dtype=tf.int32, default_value=1.5), lambda: fc.numeric_column("a", normalizer_fn=3),
    lambda: fc.bucketized_column(job, [1]), lambda: fc.bucketized_column(price, []), lambda: fc.bucketized_column(price, [2, 1]),
    lambda: fc.bucketized_column(fc.numeric_column("a", shape=[2, 2]), [1]), lambda: fc.categorical_column_with_hash_bucket("a", 0),
    lambda: fc.categorical_column_with_hash_bucket("a", 3, tf.float32), lambda: fc.categorical_column_with_vocabulary_list("a", []),
    lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]), lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], default_value=1, num_oov_buckets=1),
    lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], dtype=tf.int64), lambda: fc.categorical_column_with_vocabulary_file("a", "/nowhere/words"),
    lambda: fc.categorical_column_with_vocabulary_file("a", ""), lambda: fc.categorical_column_with_identity("a", 0),
    lambda: fc.categorical_column_with_identity("a", 3, default_value=3), lambda: fc.weighted_categorical_column(tag, "w", tf.string),
    lambda: fc.crossed_column(["a"], 3), lambda: fc.crossed_column(["a", tag], 3), lambda: fc.crossed_column(["a", 3], 3), lambda: fc.crossed_column(["a", "b"], 0),
    lambda: fc.indicator_column(price), lambda: fc.embedding_column(job, 0), lambda: fc.embedding_column(job, 2, initializer=3),
    lambda: fc.embedding_column(job, 2, ckpt_to_load_from="a"), lambda: fc.shared_embedding_columns([kind, job], 2),
    lambda: fc.shared_embedding_columns([kind, fc.categorical_column_with_identity("b", 5)], 2), lambda: fc.input_layer(features, [job]),
    lambda: fc.input_layer(features, []), lambda: fc.input_layer(features, [price, price, fc.numeric_column("price", shape=2)]),
    lambda: fc.input_layer({}, [price]), lambda: fc.input_layer({"price": tf.constant(1.0)}, [price]), lambda: fc.input_layer(features, {"a": price}),
    lambda: fc.input_layer(features, [3]), lambda: fc.linear_model(features, [fc.numeric_column("color")]),
    lambda: fc.make_parse_example_spec([price, fc.numeric_column("price", shape=2)]), lambda: fc.make_parse_example_spec([3]),
    lambda: fc.input_layer({"tag": features["number"]}, [fc.indicator_column(tag)]),
    lambda: fc.input_layer({"price": tf.ones([2, 1]), "pair": tf.ones([3, 2])}, [price, pair]))])
