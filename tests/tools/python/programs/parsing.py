"""Example and SequenceExample messages, and sparse tensors as messages."""

import numpy as np
from program import show, tf


def feature(value):
    if isinstance(value[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
    if isinstance(value[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=value))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=value))


def example(**values):
    return tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in values.items()})).SerializeToString()


def sequence(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: feature(v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list={k: tf.train.FeatureList(feature=[feature(v) for v in vs]) for k, vs in lists.items()}),
    ).SerializeToString()


examples = [
    example(age=[29], words=[b"a", b"b"], scores=[1.5, 2.5], pair=[0.5, 1.0], at=[3, 0], weight=[5.0, 2.0], row=[1, 0]),
    example(age=[31], words=[b"c"], pair=[2.0, 4.0], at=[1], weight=[7.0], row=[2]),
    example(age=[7], scores=[0.25], pair=[0.0, 1.0]),
]
features = {
    "age": tf.FixedLenFeature([], tf.int64), "pair": tf.FixedLenFeature([2], tf.float32), "missing": tf.FixedLenFeature([2], tf.int64, [7, 8]),
    "text": tf.FixedLenFeature([], tf.string, "none"), "words": tf.VarLenFeature(tf.string), "scores": tf.FixedLenSequenceFeature([], tf.float32, True),
    "padded": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True, default_value=-1.0),
    "placed": tf.SparseFeature("at", "weight", tf.float32, 5), "grid": tf.SparseFeature(["row", "at"], "weight", tf.float32, [3, 5]),
}
parsed = tf.parse_example(tf.constant(examples), features)
single = tf.parse_single_example(tf.constant(examples[0]), features)
fed = tf.placeholder(tf.string)
lengths = {"length": tf.FixedLenFeature([], tf.int64)}
lists = {"tokens": tf.FixedLenSequenceFeature([], tf.int64), "vectors": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
         "names": tf.VarLenFeature(tf.string)}
sequences = [
    sequence({"length": [2]}, {"tokens": [[4], [5]], "vectors": [[1.0, 2.0], [3.0, 4.0]], "names": [[b"x", b"y"], [b"z"]]}),
    sequence({"length": [1]}, {"tokens": [[6]]}),
]
of_one = tf.parse_single_sequence_example(tf.constant(sequences[0]), lengths, lists)
of_all = tf.io.parse_sequence_example(tf.constant(sequences), lengths, lists)
a = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 2.0, 3.0], [3, 4])
serialized = tf.serialize_many_sparse(a)
back = tf.deserialize_many_sparse(serialized, tf.float32, rank=1)
one = tf.deserialize_many_sparse(tf.stack([tf.serialize_sparse(tf.sparse_slice(a, [0, 0], [1, 4]))]), tf.float32)
reset = [tf.sparse_reset_shape(a), tf.sparse_reset_shape(a, [5, 6])]


def plain(value):
    """Nests of arrays; sparse values as lists."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return [value.indices, value.values, value.dense_shape]
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def failure(function):
    try:
        function()
    except (ValueError, TypeError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


with tf.Session() as session:
    for name, tensors in (("batch", parsed), ("single", single), ("one", list(of_one)), ("all", list(of_all)), ("back", back), ("row", one), ("reset", reset)):
        show(name, plain(session.run(tensors)))
    show("static", {k: str(v.shape) for k, v in sorted(parsed.items()) if not hasattr(v, "indices")})
    show("static single", {k: str(v.shape) for k, v in sorted(single.items()) if not hasattr(v, "indices")})
    show("static lists", [{k: str(v.shape) for k, v in sorted(part.items()) if not hasattr(v, "indices")} for part in of_all])
    show("ops", sorted({op.type for op in tf.get_default_graph().get_operations() if "Parse" in op.type}))
    show("fed", session.run(tf.parse_example(fed, {"age": features["age"]}), {fed: examples[:2]}))
    from_fed = tf.parse_single_example(fed, {"age": features["age"]})["age"]
    show("fed single", session.run(from_fed, {fed: examples[2]}))
    required = tf.parse_example(tf.constant(examples), {"words": tf.FixedLenFeature([1], tf.string)})
    wrong = tf.parse_example(tf.constant(examples), {"age": tf.VarLenFeature(tf.float32)})
    show("failures", [failure(f) for f in (
        lambda: session.run(required), lambda: session.run(wrong), lambda: session.run(tf.parse_example([b"\x0f"], {"age": features["age"]})),
        lambda: tf.parse_example(examples, {}), lambda: tf.parse_example(examples, {"a": tf.FixedLenFeature([None], tf.int64)}),
        lambda: tf.parse_example(examples, {"a": tf.FixedLenFeature([2, None], tf.int64)}), lambda: tf.parse_example(examples, {"a": 3}),
        lambda: tf.parse_example(examples, {"a": tf.FixedLenSequenceFeature([], tf.int64)}), lambda: tf.parse_single_example(examples, features),
        lambda: tf.parse_example(examples, {"a": tf.SparseFeature("b", "c", tf.float32, 3), "b": tf.FixedLenFeature([], tf.int64)}),
        lambda: tf.parse_single_sequence_example(sequences[0]), lambda: tf.sparse_reset_shape(a, [2, 2]),
        lambda: tf.sparse_merge(a, a, [3, 4]))])
