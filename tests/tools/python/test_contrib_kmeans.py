"""tf.contrib.factorization.KMeans, beside NumPy."""

import numpy as np
import pytest

import troupe as tf

factorization = tf.contrib.factorization
MIDDLES = np.array([[5.0, 0.0], [0.0, 5.0], [-5.0, -5.0]], "f")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def rows(n=30):
    return np.repeat(MIDDLES, n // 3, 0) + np.random.RandomState(0).randn(n, 2).astype("f") * 0.3


@pytest.mark.parametrize("metric", ["squared_euclidean", "cosine"])
@pytest.mark.parametrize("first", ["kmeans_plus_plus", MIDDLES + 0.5, lambda x, k: x[::10]])
@pytest.mark.parametrize("by_batches", [False, True])
def test_clusters_are_found(metric, first, by_batches):
    data = rows()
    x = tf.placeholder(tf.float32, [None, 2])
    kmeans = factorization.KMeans(x, 3, first, metric, use_mini_batch=by_batches, random_seed=1)
    distances, nearest, scores, initialized, init_op, train_op = kmeans.training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer(), {x: data})
        assert not session.run(initialized)
        session.run(init_op, {x: data})
        assert session.run(initialized)
        before = session.run(tf.reduce_mean(scores[0]), {x: data})
        for _ in range(10):
            session.run(train_op, {x: data})
        session.run(init_op, {x: data[:3]})
        all_found, found, score = session.run([distances[0], nearest[0], scores[0]], {x: data})
        centers = session.run("kmeans/clusters:0")
    assert len(set(found)) == 3 and all(len(set(found[i : i + 10])) == 1 for i in (0, 10, 20))
    assert score.mean() <= before + 1e-5
    np.testing.assert_array_equal(found, all_found.argmin(1))
    if metric == "squared_euclidean":
        np.testing.assert_allclose(centers[found[::10]], data.reshape(3, 10, 2).mean(1), atol=1e-3 if not by_batches else 0.1)
        np.testing.assert_allclose(score, np.square(data - centers[found]).sum(1), rtol=1e-2, atol=1e-4)


def test_empty_clusters_stay_and_random_rows_are_centers():
    data = rows()
    kmeans = factorization.KMeans([tf.constant(data[:15]), tf.constant(data[15:])], 4, np.concatenate([MIDDLES, [[99.0, 99.0]]]).astype("f"))
    _, nearest, _, _, init_op, train_op = kmeans.training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init_op)
        session.run(train_op)
        centers = session.run("kmeans/clusters:0")
        assert centers[3].tolist() == [99, 99] and [len(n) for n in session.run(nearest)] == [15, 15]
    np.testing.assert_allclose(centers[:3], data.reshape(3, 10, 2).mean(1), rtol=1e-4)
    with tf.Graph().as_default(), tf.Session() as session:
        init_op = factorization.KMeans(tf.constant(data), 3).training_graph()[4]
        session.run(tf.global_variables_initializer())
        session.run(init_op)
        chosen = session.run("kmeans/clusters:0")
    assert all(any(np.array_equal(c, r) for r in data) for c in chosen)
    with pytest.raises(ValueError, match="Unsupported distance metric"):
        factorization.KMeans(tf.constant(data), 3, distance_metric="none")
