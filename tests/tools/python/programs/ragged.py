"""Rows of different lengths."""

import numpy as np
from program import show, tf

a = tf.ragged.constant([[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]])
nested = tf.ragged.constant([[[1, 2], []], [], [[3], [4, 5, 6], [7]]])
pairs = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
texts = tf.ragged.constant([["a", "bc"], [], ["d"]])
made = {
    "a": a, "nested": nested, "pairs": pairs, "texts": texts, "empty": tf.ragged.constant([[], []], tf.int32), "flat": tf.ragged.constant([1, 2]),
    "splits": tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 4, 4, 4]), "lengths": tf.RaggedTensor.from_row_lengths([3, 1, 4, 1], [1, 0, 3]),
    "starts": tf.RaggedTensor.from_row_starts([3, 1, 4, 1], [0, 2, 2]), "limits": tf.RaggedTensor.from_row_limits([3, 1, 4, 1], [1, 1, 4]),
    "ids": tf.RaggedTensor.from_value_rowids([3, 1, 4, 1], [0, 0, 2, 2], nrows=4), "ids to the last": tf.RaggedTensor.from_value_rowids([3, 1], [0, 2]),
    "nested splits": tf.RaggedTensor.from_nested_row_splits([3, 1, 4], [[0, 1, 2], [0, 1, 3]]), "nested lengths": tf.RaggedTensor.from_nested_row_lengths([3, 1, 4], [[2, 1], [1, 0, 2]]),
    "of tensor": tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]]), "without padding": tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], padding=0),
    "of lengths": tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], lengths=[1, 0, 3]),
    "of sparse": tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 3])),
    "sum": a + a, "scaled": 2.0 * a - 1.0, "less": a < 3.0, "negative": -nested, "root": tf.ragged.map_flat_values(tf.sqrt, a),
    "range": tf.ragged.range([3, 5, 2]), "ranges": tf.ragged.range([0, 5, 8], [3, 3, 12], [1, -1, 2]), "with": a.with_values([1, 2, 3, 4, 5, 6]),
    "rows": a[1:3], "one row": a[3], "nested row": nested[2], "last rows": a[2:], "inner lengths": nested.row_lengths(axis=2),
}
numbers = {
    "of a": [a.row_splits, a.row_lengths(), a.row_starts(), a.row_limits(), a.value_rowids(), a.nrows(), a.bounding_shape(), a.flat_values, a.bounding_shape(axis=1)],
    "of nested": [nested.nested_row_splits, nested.nested_row_lengths(), nested.bounding_shape(), nested.flat_values, nested.nested_value_rowids()],
    "tensors": [a.to_tensor(), a.to_tensor(default_value=-1.0), nested.to_tensor(), pairs.to_tensor(), texts.to_tensor(), a.to_tensor(shape=[None, 2]), texts.to_tensor("none")],
    "sparse": [list(a.to_sparse()[:]) if isinstance(a.to_sparse(), tuple) else [a.to_sparse().indices, a.to_sparse().values, a.to_sparse().dense_shape]],
    "segments": [tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]), tf.ragged.segment_ids_to_row_splits([0, 0, 2]), tf.ragged.segment_ids_to_row_splits([0, 2], num_segments=5)],
    "gradients": tf.gradients(tf.reduce_sum((a * a).to_tensor()), a.flat_values),
}
fed = tf.ragged.placeholder(tf.int32, 2, [])


def plain(value):
    return value.to_list() if hasattr(value, "to_list") else value


def failure(function):
    try:
        function()
    except (ValueError, TypeError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


with tf.Session() as session:
    for name, tensor in made.items():
        show(name, plain(session.run(tensor)))
    for name, tensors in numbers.items():
        show(name, session.run(tensors))
    show("static", [[str(t.dtype.name), t.ragged_rank] for t in (a, nested, pairs, texts)])
    show("shapes", [a.shape.as_list(), pairs.shape.as_list(), a.to_tensor(shape=[None, 2]).shape.as_list()])
    value = session.run(nested)
    show("value", [type(value).__name__, value.ragged_rank, value.flat_values, list(value.nested_row_splits), list(value.shape)])
    show("fed", plain(session.run(fed + 1, {fed: value})))
    show("value of lists", tf.ragged.constant_value([[1, 2], [3]]).to_list())
    bad = tf.placeholder_with_default(np.array([0, 3, 2], np.int64), [3])
    show("failures", [failure(f) for f in (
        lambda: session.run(tf.RaggedTensor.from_row_splits([1, 2], bad)), lambda: session.run(tf.RaggedTensor.from_row_lengths([1, 2], bad)),
        lambda: session.run(tf.RaggedTensor.from_value_rowids([1, 2, 3], bad)), lambda: tf.ragged.constant([1, [2]]),
        lambda: tf.RaggedTensor.from_tensor([[1]], lengths=[1], padding=0), lambda: tf.RaggedTensor.from_sparse([1]),
        lambda: session.run(tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], tf.placeholder_with_default([3], [1]), [1, 2]))))])
