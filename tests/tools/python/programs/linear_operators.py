"""Linear operators of all kinds, exponentials of matrices, three diagonals, conjugate gradients."""

import numpy as np
from program import outcome, show, tf

linalg = tf.linalg
random = np.random.RandomState(2)
square = random.normal(size=(2, 3, 3)).astype(np.float32) + 3 * np.eye(3, dtype=np.float32)
tall = random.normal(size=(3, 2)).astype(np.float32)
positive = (np.einsum("bij,bkj->bik", square, square) + np.eye(3)).astype(np.float32)
x = random.normal(size=(3, 2)).astype(np.float32)
diagonal = np.array([2.0, -1.0, 0.5], np.float32)
complex_diagonal = np.array([1 + 1j, 2 - 1j, -1 + 0.5j], np.complex64)
full = linalg.LinearOperatorFullMatrix
dense = full(square, is_non_singular=True)
definite = full(positive, is_self_adjoint=True, is_positive_definite=True)
diag = linalg.LinearOperatorDiag(diagonal, is_non_singular=True)
operators = {
    "full": dense, "definite": definite, "diag": diag, "complex": linalg.LinearOperatorDiag(complex_diagonal), "triangular": linalg.LinearOperatorLowerTriangular(square),
    "identity": linalg.LinearOperatorIdentity(3), "identities": linalg.LinearOperatorIdentity(3, batch_shape=[2]), "scaled": linalg.LinearOperatorScaledIdentity(3, 2.5),
    "scaled batch": linalg.LinearOperatorScaledIdentity(3, [2.0, -3.0]), "composed": linalg.LinearOperatorComposition([dense, diag]),
    "inverted": linalg.LinearOperatorInversion(dense), "adjoint": linalg.LinearOperatorAdjoint(dense),
    "tridiag": linalg.LinearOperatorTridiag([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.5, 0.5]]),
    "permutation": linalg.LinearOperatorPermutation([2, 0, 1]), "householder": linalg.LinearOperatorHouseholder([1.0, 2.0, 2.0]),
    "low rank": linalg.LinearOperatorLowRankUpdate(linalg.LinearOperatorDiag([3.0, 4.0, 5.0], is_positive_definite=True), tall, diag_update=[1.0, 2.0], is_diag_update_positive=True),
    "toeplitz": linalg.LinearOperatorToeplitz([4.0, 1.0, 2.0], [4.0, 0.5, -1.0]),
    "circulant": linalg.LinearOperatorCirculant(np.array([4.0, 1 + 1j, 1 - 1j], np.complex64), input_output_dtype=tf.float32),
}
blocks = {
    "blocks": linalg.LinearOperatorBlockDiag([full(square[0]), linalg.LinearOperatorDiag([2.0, 3.0])]),
    "lower blocks": linalg.LinearOperatorBlockLowerTriangular([[full(square[1])], [full(tall.T), linalg.LinearOperatorDiag([2.0, 3.0])]]),
    "kronecker": linalg.LinearOperatorKronecker([full([[2.0, 1.0], [0.5, 3.0]]), full([[1.0, 2.0], [3.0, 5.0]])]),
    "circulant 2d": linalg.LinearOperatorCirculant2D([[3.0, 1.0], [2.0, 0.5]], input_output_dtype=tf.float32),
}


def about(operator, vectors):
    cast = tf.cast(vectors, operator.dtype)
    made = [operator.to_dense(), operator.matmul(cast), operator.matmul(cast, adjoint=True), operator.matvec(cast[:, 0]), operator.solve(cast), operator.solve(cast, adjoint=True),
            operator.solvevec(cast[:, 1]), operator.determinant(), operator.log_abs_determinant(), operator.diag_part(), operator.trace(), operator.shape_tensor(),
            operator.add_to_tensor(tf.ones_like(operator.to_dense())), operator.matmul(tf.transpose(cast, conjugate=True), adjoint_arg=True),
            operator.inverse().to_dense()]
    adjoint = operator.adjoint().to_dense()
    made.append(adjoint if operator.dtype.is_complex else tf.cast(adjoint, operator.dtype))
    return [tf.stack([tf.real(t), tf.imag(t)]) if t.dtype.is_complex else t for t in made]


known = lambda o: [str(o.shape), o.dtype.name, o.is_square, o.is_non_singular, o.is_self_adjoint, o.is_positive_definite, o.tensor_rank, str(o.batch_shape), str(o.domain_dimension)]
show("known", {name: known(o) for name, o in {**operators, **blocks}.items()})
with tf.Session() as session:
    for name, operator in operators.items():
        show(name, session.run(about(operator, tf.constant(x))))
    five, four = tf.constant(random.normal(size=(5, 2)).astype(np.float32)), tf.constant(random.normal(size=(4, 2)).astype(np.float32))
    for name, operator in blocks.items():
        show(name, session.run(about(operator, five if "blocks" in name else four)))
    show("products", [session.run((a @ b).to_dense()) for a, b in ((diag, diag), (dense, diag), (operators["identity"], dense), (operators["scaled"], diag))])
    show("quotients", [session.run(dense.solve(diag).to_dense()), session.run(diag.solve(diag).to_dense())])
    show("choleskys", [session.run(o.cholesky().to_dense()) for o in (definite, operators["identity"], linalg.LinearOperatorDiag([4.0, 9.0], is_positive_definite=True))])
    show("eigenvalues", [session.run(o.eigvals()) for o in (definite, linalg.LinearOperatorDiag([3.0, 1.0]))])
    show("conditions", session.run([dense.cond(), definite.cond(), diag.cond()]))
    show("zeros", session.run([linalg.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).matmul(tf.constant(x)), linalg.LinearOperatorZeros(2).to_dense()]))
    show("not square", session.run([full(tall).matmul(tf.constant(x[:2])), full(tall).matvec(tf.constant(x[0])), full(tall).shape_tensor()]))
    session.run([dense.assert_non_singular(), definite.assert_positive_definite(), definite.assert_self_adjoint(), diag.assert_non_singular()])
    show("checks", [outcome(lambda: session.run(check())) for check in (
        full([[1.0, 2.0], [2.0, 4.0]]).assert_non_singular, dense.assert_self_adjoint, linalg.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite,
        linalg.LinearOperatorDiag([1.0, 0.0]).assert_non_singular)])
    rhs = random.normal(size=(2, 3)).astype(np.float32)
    state = linalg.experimental.conjugate_gradient(definite, tf.constant(rhs), tol=1e-6)
    with_conditioner = linalg.experimental.conjugate_gradient(definite, tf.constant(rhs), preconditioner=linalg.LinearOperatorDiag(1 / positive[:, range(3), range(3)]), max_iter=2)
    show("gradients", session.run([state.x, with_conditioner.x, with_conditioner.i]))
    gradient = tf.gradients(tf.reduce_sum(dense.solve(tf.constant(x)) ** 2) + dense.log_abs_determinant()[0], dense.matrix if hasattr(dense, "matrix") else dense.to_dense())
    show("derivative", session.run(gradient))
    matrices = [square * 0.3, square * 4, np.zeros((2, 2), np.float32), square.astype(np.float64), (0.4 * square + 0.2j * positive).astype(np.complex64)[0]]
    exponentials = [linalg.expm(m) for m in matrices]
    show("exponentials", [session.run(tf.stack([tf.real(t), tf.imag(t)]) if t.dtype.is_complex else t) for t in exponentials[:1] + exponentials[2:]])
    show("large", session.run(exponentials[1] / tf.reduce_max(exponentials[1])))
    variable = tf.constant(square[0] * 0.5)
    show("exponential's derivative", session.run(tf.gradients(tf.reduce_sum(linalg.expm(variable) * tf.constant(square[1])), variable)))
    above, main, below = random.normal(size=4).astype(np.float32), 3 + random.normal(size=4).astype(np.float32), random.normal(size=4).astype(np.float32)
    right = random.normal(size=(4, 2)).astype(np.float32)
    whole = np.diag(main) + np.diag(above[:3], 1) + np.diag(below[1:], -1)
    show("three diagonals", session.run([linalg.tridiagonal_solve(tf.constant(np.stack([above, main, below])), tf.constant(right)), linalg.tridiagonal_solve([tf.constant(d) for d in (above, main, below)], tf.constant(right[:, 0]), "sequence"),
                                         linalg.tridiagonal_solve([tf.constant(above[:3]), tf.constant(main), tf.constant(below[1:])], tf.constant(right), "sequence"),
                                         linalg.tridiagonal_solve(tf.constant(whole.astype(np.float32)), tf.constant(right.T.copy()), "matrix", transpose_rhs=True)]))
    values = linalg.eigh_tridiagonal(main, above[:3])
    show("eigenvalues of three diagonals", session.run([values, linalg.eigh_tridiagonal(main, above[:3], select="i", select_range=[1, 2])]))
show("failures", [outcome(f) for f in (
    lambda: full(3.0), lambda: full(tall, is_non_singular=True, is_square=False), lambda: linalg.LinearOperatorIdentity(-1), lambda: linalg.LinearOperatorIdentity(2, is_square=False),
    lambda: linalg.LinearOperatorDiag([1.0], is_self_adjoint=False), lambda: linalg.LinearOperatorComposition([]), lambda: linalg.LinearOperatorZeros(2, is_non_singular=True),
    lambda: linalg.LinearOperatorPermutation([0.5]), lambda: full(tall).determinant(), lambda: full(tall).solve(x), lambda: full(tall).inverse(), lambda: dense.cholesky(),
    lambda: dense.eigvals(), lambda: dense.matmul(np.ones((3, 1), np.float64)), lambda: dense.matmul(tall.T.copy()), lambda: full(square, is_non_singular=False).solve(x),
    lambda: linalg.LinearOperatorInversion(full(tall, is_square=False)), lambda: linalg.experimental.conjugate_gradient(dense, rhs), lambda: linalg.expm(np.eye(2, dtype=np.int32)),
    lambda: linalg.tridiagonal_solve(tf.ones((3, 4)), tf.ones((4, 1)), "other"),
    lambda: linalg.eigh_tridiagonal([1.0, 2.0], tf.constant([1.0], tf.float64)), lambda: linalg.LinearOperatorBlockLowerTriangular([[dense], [dense]]))])
