"""Sparse tensors: made, reduced, multiplied, cut and joined, and derivatives through them."""

import numpy as np
from program import show, tf

s = tf.SparseTensor([[0, 1], [1, 0], [2, 3]], [1.0, 2.0, 3.0], [3, 4])
r = tf.SparseTensor([[0, 1], [2, 2]], [5.0, -3.0], [3, 4])
dense = tf.constant(np.arange(8.0, dtype=np.float32).reshape(4, 2))
with tf.Session() as sess:
    def values(name, *sparse):
        show(name, [list(sess.run(x)) if isinstance(x, tf.SparseTensor) else sess.run(x) for x in sparse])

    values("dense", tf.sparse_tensor_to_dense(s), tf.sparse_to_dense([1, 3], [5], 7, -1), tf.sparse.to_dense(tf.sparse.from_dense([[0, 2], [3, 0]])))
    values("sum", tf.sparse_add(s, r), tf.sparse_add(s, r, threshold=2.5), tf.sparse_add(s, tf.ones([3, 4])), tf.sparse_maximum(s, r), tf.sparse_minimum(s, r))
    values("product", tf.sparse_tensor_dense_matmul(s, dense), tf.sparse_tensor_dense_matmul(s, tf.ones([3, 2]), adjoint_a=True))
    values("reduced", tf.sparse_reduce_sum(s), tf.sparse_reduce_sum(s, 1), tf.sparse_reduce_max(s, 0, keepdims=True), tf.sparse_reduce_sum_sparse(s, 0))
    values("shape", tf.sparse_reorder(s), tf.sparse_reshape(s, [4, 3]), tf.sparse_transpose(s), tf.sparse_slice(s, [1, 0], [2, 2]), tf.sparse.expand_dims(s, 1))
    values("parts", *tf.sparse_split(sp_input=s, num_split=2, axis=1), tf.sparse_concat(1, [s, r]), tf.sparse_retain(s, [True, False, True]))
    values("others", tf.sparse_softmax(s), *tf.sparse_fill_empty_rows(tf.sparse_slice(s, [0, 1], [3, 3]), 9.0), tf.sparse.eye(2, 3),
           tf.sparse_to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3),
           tf.edit_distance(tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]), tf.SparseTensor([[0, 0]], [1], [1, 1]), normalize=False))
    values("segments", tf.sparse_segment_sum(dense, [0, 1, 3], [0, 0, 1]), tf.sparse_segment_mean(dense, [0, 1], [0, 2], num_segments=4),
           tf.sparse_segment_sqrt_n(dense, [0, 1, 2], [0, 0, 1]))
    show("cast", list(sess.run(tf.cast(s, tf.int32))))
    show("gradient", sess.run(tf.gradients(tf.sparse_tensor_dense_matmul(s, dense), [dense, s.values])))
    slices = tf.sparse_mask(tf.IndexedSlices(dense, tf.constant([3, 1, 7, 5]), tf.constant([9, 2])), [1, 5])
    show("mask", [sess.run(slices.values), sess.run(slices.indices)])
    feed = tf.sparse_placeholder(tf.float32)
    show("fed", sess.run(tf.sparse_reduce_sum(feed), {feed: ([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])}))
show("static", [s.shape.as_list(), s.dtype.name, s.op.type])
