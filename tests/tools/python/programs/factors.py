"""Matrices by their factors; texts and bytes; training by a loop of the supervisor."""

import pathlib

import numpy as np
from program import show, tf

random = np.random.RandomState(6)
a = tf.constant(random.randn(2, 3, 3))
tall = tf.constant(random.randn(4, 3).astype(np.float32))
lower_upper, perm = tf.linalg.lu(a)
flat_lu, flat_perm = tf.linalg.lu(a[0])
rhs = tf.constant(random.randn(2, 3, 2))
low = tf.matmul(tall[:, :1], tall[:, 1:2], transpose_b=True)
made = {
    "solved": [tf.linalg.lu_solve(lower_upper, perm, rhs), tf.linalg.lu_solve(flat_lu, flat_perm, rhs[0]), tf.linalg.lu_solve(lower_upper, perm, rhs[:1])],
    "inverse": [tf.linalg.lu_matrix_inverse(lower_upper, perm), tf.linalg.lu_matrix_inverse(flat_lu, flat_perm)],
    "again": [tf.linalg.lu_reconstruct(lower_upper, perm) - a, tf.linalg.lu_reconstruct(flat_lu, flat_perm) - a[0]],
    "pinv": [tf.linalg.pinv(a), tf.linalg.pinv(tall), tf.linalg.pinv(low), tf.linalg.pinv(tall, rcond=0.5)],
    "rank": [tf.linalg.matrix_rank(a), tf.linalg.matrix_rank(tall), tf.linalg.matrix_rank(low), tf.linalg.matrix_rank(tall, tol=100.0)],
}
with tf.Session() as session:
    for name, tensors in made.items():
        show(name, session.run(tensors))
show("shapes", [tf.linalg.pinv(tall).shape.as_list(), tf.linalg.lu_reconstruct(lower_upper, perm).shape.as_list()])


def failure(function):
    try:
        function()
    except TypeError as e:
        return type(e).__name__
    return None


compat = tf.compat
show("texts", [compat.as_bytes("\u00e9").hex(), compat.as_text(b"\xc3\xa9"), compat.as_str("a"), compat.as_str_any(3), compat.as_str_any(b"b"), compat.path_to_str(pathlib.Path("a/b")),
               compat.path_to_str("c"), failure(lambda: compat.as_bytes(3)), failure(lambda: compat.as_text(3)), isinstance(3, compat.integral_types),
               isinstance(np.float32(1), compat.real_types), compat.v1.constant(1).dtype.name])
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    supervisor = tf.train.Supervisor(logdir=None, summary_op=None)
    seen = []

    def train_step(session, limit, name=None):
        seen.append([int(session.run(count)), name])
        if len(seen) == 2:
            raise tf.errors.AbortedError(None, None, "again")
        if len(seen) == limit:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, train_step, args=[4], kwargs={"name": "n"})
    show("looped", seen)
