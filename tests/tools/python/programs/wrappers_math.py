"""Functions of tf, tf.math, tf.linalg and their like, of fixed numbers."""

import numpy as np
from program import show, tf

random = np.random.RandomState(9)
a = tf.constant(random.uniform(0.1, 0.9, (2, 3)).astype(np.float32))
m = tf.constant(random.randn(2, 3, 3))
spd = tf.matmul(m, m, transpose_b=True) + tf.eye(3, batch_shape=[2], dtype=tf.float64)
i = tf.constant([[5, 3, 1], [6, 2, 4]])
rhs = tf.constant(random.randn(2, 3, 1))
shown = {
    "special": [tf.igamma(a, 0.5), tf.igammac(a, 0.5), tf.betainc(a, a, 0.3), tf.polygamma(1.0, a), tf.zeta(2.0 + a, 1.0), tf.lbeta(a),
                tf.math.erfinv(a), tf.math.ndtri(a), tf.math.xlogy(a, a), tf.math.xlog1py(a, a), tf.math.bessel_i0e(a), tf.math.special.bessel_j0(a),
                tf.math.reciprocal_no_nan([0.0, 2.0]), tf.math.multiply_no_nan([np.nan, 2.0], [0.0, 2.0]), tf.math.divide_no_nan(1.0, [0.0, 2.0]),
                tf.math.nextafter([1.0], [2.0]) - 1.0, tf.math.polyval([1.0, 2.0, 3.0], a), tf.log_sigmoid(a), tf.math.cumulative_logsumexp(a, 1)],
    "reductions": [tf.math.reduce_variance(a, 0), tf.math.reduce_std(a), tf.math.zero_fraction([0.0, 1.0, 0.0]), tf.math.l2_normalize(a, 1),
                   tf.unsorted_segment_mean(a, [1, 1], 3), tf.unsorted_segment_sqrt_n(a, [0, 0], 2), tf.segment_prod(a, [0, 0]),
                   tf.unsorted_segment_min(i, [0, 0], 1), tf.scalar_mul(2.0, a), tf.histogram_fixed_width([0.1, 0.5, 2.0], [0.0, 1.0], 4),
                   tf.histogram_fixed_width_bins([0.1, 0.5, 2.0, -1.0], [0.0, 1.0], 4), tf.confusion_matrix([1, 2, 1], [1, 0, 1]),
                   tf.confusion_matrix([0, 1], [1, 1], 3, tf.float32, weights=[0.5, 2.0]), tf.clip_by_average_norm(a, 0.1), tf.bincount([1, 1, 3])],
    "linalg": [tf.matrix_diag([[1.0, 2.0]]), tf.matrix_diag_part(m), tf.matrix_set_diag(m, rhs[..., 0]), tf.abs([3 + 4j]),tf.cholesky(spd), tf.matrix_determinant(m), tf.matrix_inverse(spd), tf.matrix_solve(m, rhs), tf.cholesky_solve(tf.cholesky(spd), rhs),
               tf.matrix_triangular_solve(tf.cholesky(spd), rhs), tf.matrix_solve_ls(m, rhs), tf.self_adjoint_eigvals(spd), tf.svd(m, compute_uv=False),
               tf.trace(m), tf.linalg.logdet(spd), tf.linalg.slogdet(m), tf.linalg.adjoint(m), tf.linalg.matvec(m, rhs[..., 0]), tf.linalg.band_part(m, 0, 1),
               tf.linalg.normalize(a, axis=1), tf.linalg.diag([[1.0, 2.0]], k=1), tf.linalg.diag_part(m, k=(-1, 0)), tf.linalg.set_diag(m, rhs[..., 0]),
               tf.linalg.norm(m, axis=[1, 2]), tf.linalg.einsum("bij,bjk->bik", m, rhs), tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
               tf.abs(tf.qr(spd)[1]), tf.linalg.sqrtm(spd), tf.linalg.tensordot(m, rhs, [[2], [1]])],
    "orders": [tf.sort(i), tf.sort(a, 0, "DESCENDING"), tf.argsort(i, direction="DESCENDING"), tf.argsort([3, 1, 3, 1], stable=True),
               tf.searchsorted([1, 3, 5], [0, 3, 6]), tf.searchsorted([[1.0, 2.0]], [[2.0, 0.5]], side="right"), tf.roll(i, [1, 2], [0, 1]),
               tf.repeat([1, 2, 3], [2, 0, 1]), tf.repeat(i, 2, axis=1), tf.batch_gather(i, [[2, 0], [1, 1]]), tf.sort([-128, 127, 0]),
               *tf.dynamic_partition([1, 2, 3, 4], [0, 1, 0, 1], 2), tf.dynamic_stitch([[0, 2], [1]], [[[1], [3]], [[2]]]),
               tf.space_to_batch(tf.reshape(tf.range(4), [1, 2, 2, 1]), [[0, 0], [0, 0]], 2), tf.reverse_v2(i, [0]), tf.manip.reshape(i, [3, 2]),
               tf.gather_nd(i, [[2], [0]], batch_dims=1), tf.gather_nd(m, [[[0, 1]], [[2, 2]]], batch_dims=1), tf.gather_nd(i, [[1, 2]]),
               tf.reverse_sequence(i, [2, 3], 1, 0), tf.reverse_sequence(i, [1, 2, 1], seq_dim=0, batch_dim=1), tf.accumulate_n([i, i]),
               *tf.setdiff1d([1, 2, 3], [2])],
    "bits": [tf.bitwise.bitwise_and(i, 3), tf.bitwise.bitwise_or(i, 8), tf.bitwise.bitwise_xor(i, 1), tf.bitwise.left_shift(i, 2), tf.bitwise.right_shift(i, 1),
             tf.bitwise.invert(i)],
    "signals": [tf.abs(tf.fft(tf.complex(a, a))), tf.abs(tf.signal.rfft(a)), tf.signal.irfft(tf.signal.rfft(a, [4])), tf.abs(tf.signal.rfft(a, [8])),
                tf.abs(tf.signal.rfft2d(a)), tf.signal.hann_window(5), tf.signal.hamming_window(4, periodic=False), tf.signal.hann_window(1),
                tf.signal.frame(tf.range(7), 3, 2), tf.signal.frame(tf.range(8), 3, 2, pad_end=True), tf.abs(tf.signal.stft(tf.sin(tf.range(16.0)), 8, 4)),
                tf.signal.fftshift([1, 2, 3, 4, 5]), tf.signal.ifftshift([1, 2, 3, 4, 5])],
    "sets": [tf.sets.size(tf.sets.intersection([[1, 2], [3, 4]], [[2, 5], [4, 3]])), tf.sparse_tensor_to_dense(tf.sets.union([[1, 2]], [[2, 3]])),
             tf.sparse.to_dense(tf.sets.difference([[1, 2]], [[2, 3]])), tf.sparse.to_dense(tf.sets.difference([[1, 2]], [[2, 3]], aminusb=False))],
    "seeded": [tf.random.stateless_normal([3], [1, 2]), tf.random.stateless_uniform([2], [1, 2], 1.0, 3.0), tf.random.stateless_uniform([4], [3, 4], 0, 9, tf.int32),
               tf.random.stateless_truncated_normal([2], [5, 6]), tf.random.normal([2], seed=3), tf.random_crop(i, [1, 2], seed=4),
               tf.random.categorical([[0.1, 2.0]], 4, seed=5), tf.random_poisson([2.0, 5.0], [3], seed=6)],
}
with tf.Session() as sess:
    for name, tensors in shown.items():
        show(name, sess.run(tensors))
        show("shapes", [t.shape.as_list() for t in tensors if not isinstance(t, tuple) and t.shape.is_fully_defined()][:3])
    show("gradients", sess.run(tf.gradients([tf.cholesky(spd), tf.matrix_inverse(spd), tf.matrix_solve(m, rhs), tf.linalg.logdet(spd)], m)))
