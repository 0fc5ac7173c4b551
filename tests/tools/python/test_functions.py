"""Functions of tensors, against NumPy."""

import numpy as np
import pytest

import troupe as tf

A = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.25]])
B = A * 2.0 + 1.0
I = np.array([[1, 2, 3], [4, 5, 6]])  # noqa: E741


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


FUNCTIONS = {
    "arithmetic": (lambda a, b, i: [a + b, a - b, a * b, a / b, a // b, a % b, abs(a) ** b, -a, i // 2, i % 4, i / 2],
                   [A + B, A - B, A * B, A / B, A // B, A % B, abs(A) ** B, -A, I // 2, I % 4, I / 2]),
    "reflected": (lambda a, b, i: [1.0 + a, 1.0 - a, 2.0 * a, 1.0 / a, 7.0 // a, 7.0 % a, 2.0 ** a], [1 + A, 1 - A, 2 * A, 1 / A, 7 // A, 7 % A, 2 ** A]),
    "arrays_on_the_left": (lambda a, b, i: [A + a, A * b], [A + A, A * B]),
    "comparisons": (lambda a, b, i: [a < b, a <= b, a > 0.0, a >= 0.5, tf.equal(i, 2), tf.not_equal(i, 2)],
                    [A < B, A <= B, A > 0, A >= 0.5, I == 2, I != 2]),
    "logic": (lambda a, b, i: [(a > 0) & (b > 0), (a > 0) | (b > 0), (a > 0) ^ (b > 2), ~(a > 0), i & 3, i | 8, i ^ 1],
              [(A > 0) & (B > 0), (A > 0) | (B > 0), (A > 0) ^ (B > 2), ~(A > 0), I & 3, I | 8, I ^ 1]),
    "elementwise": (lambda a, b, i: [tf.exp(a), tf.log(abs(a)), tf.square(a), tf.sqrt(abs(a)), tf.tanh(a), tf.sin(a), tf.floor(a), tf.sign(a)],
                    [np.exp(A), np.log(abs(A)), A * A, np.sqrt(abs(A)), np.tanh(A), np.sin(A), np.floor(A), np.sign(A)]),
    "reductions": (lambda a, b, i: [tf.reduce_sum(a), tf.reduce_sum(a, 1), tf.reduce_mean(a, 0, keepdims=True), tf.reduce_max(a, [0, 1]), tf.reduce_prod(i, -1),
                                    tf.reduce_all(a > -2, 1), tf.reduce_any(a > 1.5), tf.reduce_logsumexp(a, 1), tf.count_nonzero(a > 0)],
                   [A.sum(), A.sum(1), A.mean(0, keepdims=True), A.max(), I.prod(-1), [True, True], True, np.log(np.exp(A).sum(1)), 4]),
    "products": (lambda a, b, i: [tf.matmul(a, b, transpose_b=True), tf.matmul([a, b], [b, a], transpose_a=True), a @ tf.transpose(b),
                                  tf.tensordot(a, b, [[0], [0]]), tf.tensordot(a, tf.transpose(b), 1), tf.einsum("ij,kj->ik", a, b), tf.einsum("ij,ij", a, b)],
                 [A @ B.T, np.stack([A.T @ B, B.T @ A]), A @ B.T, np.tensordot(A, B, [[0], [0]]), A @ B.T, A @ B.T, (A * B).sum()]),
    "shapes": (lambda a, b, i: [tf.reshape(a, [3, -1]), tf.transpose(a), tf.expand_dims(a, 1), tf.squeeze(tf.expand_dims(a, 0)), tf.shape(a), tf.size(a),
                                tf.rank(a), tf.tile(a, [2, 1]), tf.pad(a, [[1, 0], [0, 2]]), tf.reverse(a, [1]), tf.broadcast_to(a, [2, 2, 3])],
               [A.reshape(3, 2), A.T, A[:, None], A, [2, 3], 6, 2, np.tile(A, [2, 1]), np.pad(A, [[1, 0], [0, 2]]), A[:, ::-1], np.broadcast_to(A, [2, 2, 3])]),
    "joins": (lambda a, b, i: [tf.concat([a, b], 1), tf.concat([a], 0), tf.stack([a, b], 2), tf.stack([1, 2]), *tf.unstack(a), *tf.split(a, 3, 1), *tf.split(a, [1, 2], 1)],
              [np.concatenate([A, B], 1), A, np.stack([A, B], 2), [1, 2], *A, *np.split(A, 3, 1), *np.split(A, [1], 1)]),
    "choices": (lambda a, b, i: [tf.where(a > 0, a, b), tf.where(a > 0), tf.gather(a, [2, 0], axis=1), tf.boolean_mask(a, [False, True]), tf.boolean_mask(a, a > 0),
                                 tf.one_hot([0, 2], 3), tf.argmax(a, 1), tf.slice(a, [0, 1], [2, 2]), tf.gather_nd(a, [[1, 2]])],
                [np.where(A > 0, A, B), np.argwhere(A > 0), A[:, [2, 0]], A[[False, True]], A[A > 0], np.eye(3)[[0, 2]], A.argmax(1), A[0:2, 1:3], [A[1, 2]]]),
    "made": (lambda a, b, i: [tf.zeros([2, 3]), tf.ones_like(a), tf.fill([2], 3.0), tf.range(2, 9, 3), tf.range(3), tf.linspace(0.0, 1.0, 3), tf.eye(2), tf.eye(2, 3),
                              tf.sequence_mask([1, 3], 3), *tf.meshgrid([1, 2], [3, 4, 5])],
             [np.zeros([2, 3]), np.ones([2, 3]), [3, 3], [2, 5, 8], [0, 1, 2], [0, 0.5, 1], np.eye(2), np.eye(2, 3),
              [[True, False, False], [True, True, True]], *np.meshgrid([1, 2], [3, 4, 5])]),
    "running": (lambda a, b, i: [tf.cumsum(a, 1), tf.cumsum(a, 0, exclusive=True), tf.cumprod(i, 1)], [A.cumsum(1), [[0, 0, 0], A[0]], I.cumprod(1)]),
    "limits": (lambda a, b, i: [tf.clip_by_value(a, -1.0, 1.0), tf.clip_by_norm(a, 1.0), tf.norm(a), tf.norm(a, 1, axis=1), tf.norm(a, np.inf), tf.maximum(a, b)],
               [A.clip(-1, 1), A / np.linalg.norm(A), np.linalg.norm(A), abs(A).sum(1), abs(A).max(), np.maximum(A, B)]),
    "types": (lambda a, b, i: [tf.cast(a, tf.int32), tf.to_float(i), tf.saturate_cast(a * 100, tf.int8), tf.complex(a, b), tf.real(tf.complex(a, b))],
              [A.astype(int), I, np.clip(A * 100, -128, 127).astype(np.int8), A + 1j * B, A]),
    "networks": (lambda a, b, i: [tf.nn.relu(a), tf.nn.softmax(a), tf.nn.softmax(a, 0), tf.nn.bias_add(a, tf.constant([1.0, 2.0, 3.0], tf.float64)), tf.sigmoid(a), *tf.nn.moments(a, [0]),
                                  tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=a), tf.nn.l2_normalize(a, 1)],
                 [A.clip(0), softmax(A, 1), softmax(A, 0), A + [1, 2, 3], 1 / (1 + np.exp(-A)), A.mean(0), A.var(0),
                  -np.log(softmax(A, 1)[[0, 1], [0, 1]]), A / np.sqrt((A * A).sum(1, keepdims=True))]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_numpys(name):
    make, expected = FUNCTIONS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, i = tf.placeholder(tf.float64, [2, 3]), tf.placeholder(tf.float64, [2, 3]), tf.placeholder(tf.int64, [2, 3])
        tensors = make(a, b, i)
        assert len(tensors) == len(expected)
        got = session.run(tensors, {a: A, b: B, i: I})
    for tensor, value, wanted in zip(tensors, got, expected):
        np.testing.assert_allclose(value, wanted, rtol=1e-6, atol=1e-9, err_msg=tensor.name)
        assert np.shape(value) == np.shape(wanted) and tensor.shape.is_compatible_with(np.shape(wanted))


def test_norms_of_several_tensors_are_cut_together():
    with tf.Graph().as_default(), tf.Session() as session:
        (first, none, second), length = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
        assert none is None
        got = session.run([first, second, length])
    np.testing.assert_allclose([got[0][0], got[1][0], got[2]], [0.6, 0.8, 5.0], rtol=1e-6)


def test_what_is_printed_goes_to_stderr(capfd):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Print(tf.constant(2.0), [tf.constant([1, 2])], message="seen: ")
        assert session.run(x) == 2.0
        assert session.run(tf.as_string(tf.constant([1.5, 2.0]), precision=2)).tolist() == [b"1.50", b"2.00"]
    assert "seen: [1 2]" in capfd.readouterr().err
