"""tf.contrib.distributions: densities and moments beside formulas, samples beside their moments."""

import math

import numpy as np
import pytest

import troupe as tf

ds = tf.contrib.distributions


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def values(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def normal_density(x, mean, covariance):
    d = x - mean
    return -0.5 * (d @ np.linalg.inv(covariance) @ d + np.log(np.linalg.det(covariance)) + len(x) * np.log(2 * np.pi))


@pytest.mark.parametrize(
    "make, covariance",
    [
        (lambda mean: ds.MultivariateNormalDiag(mean, [1.0, 2.0]), [[1, 0], [0, 4]]),
        (lambda mean: ds.MultivariateNormalDiag(mean, scale_identity_multiplier=3.0), [[9, 0], [0, 9]]),
        (lambda mean: ds.MultivariateNormalTriL(mean, [[1.0, 7.0], [0.5, 2.0]]), [[1, 0.5], [0.5, 4.25]]),
        (lambda mean: ds.MultivariateNormalFullCovariance(mean, [[2.0, 0.3], [0.3, 1.0]]), [[2, 0.3], [0.3, 1]]),
        (lambda mean: ds.MultivariateNormalDiagWithSoftplusScale(mean, [math.log(math.e - 1), 0.0]), [[1, 0], [0, math.log(2) ** 2]]),
    ],
)
def test_normal_vectors(make, covariance):
    mean, x, covariance = np.array([1.0, -1.0], "f"), np.array([[0.5, 0.5], [2.0, 0.0]], "f"), np.array(covariance, float)
    one = make(tf.constant(mean))
    assert one.batch_shape == [] and one.event_shape == [2]
    density, entropy, samples, spread, variance = values(
        [one.log_prob(x), one.entropy(), one.sample(20000, seed=1), one.covariance(), one.variance()]
    )
    np.testing.assert_allclose(density, [normal_density(row, mean, covariance) for row in x], rtol=1e-4)
    assert entropy == pytest.approx(0.5 * np.log(np.linalg.det(2 * np.pi * np.e * covariance)), rel=1e-4)
    np.testing.assert_allclose(samples.mean(0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(samples.T), covariance, atol=0.25)
    np.testing.assert_allclose(spread, covariance, rtol=1e-5)
    np.testing.assert_allclose(variance, np.diag(covariance), rtol=1e-5)


def test_batches_of_vectors_and_how_far_they_are_apart():
    a = ds.MultivariateNormalDiag(tf.constant([[0.0, 1.0], [2.0, 3.0]]), tf.constant([[1.0, 2.0], [0.5, 1.0]]))
    b = ds.MultivariateNormalTriL(tf.constant([1.0, 1.0]), tf.constant([[2.0, 0.0], [1.0, 1.5]]))
    assert a.batch_shape == [2] and a.sample([3]).shape == [3, 2, 2] and a.log_prob(tf.zeros([5, 2, 2])).shape == [5, 2]
    told = values([ds.kl_divergence(a, b), a.kl_divergence(a), b.kl_divergence(b)])
    second = np.array([[4, 2], [2, 3.25]])
    for i, (mean, scale) in enumerate((([0, 1], [1, 2]), ([2, 3], [0.5, 1]))):
        first, apart = np.diag(np.square(scale)), np.array([1, 1]) - mean
        wanted = 0.5 * (
            np.trace(np.linalg.inv(second) @ first) + apart @ np.linalg.inv(second) @ apart - 2 + np.log(np.linalg.det(second) / np.linalg.det(first))
        )
        assert told[0][i] == pytest.approx(wanted, rel=1e-4)
    np.testing.assert_allclose([*told[1], told[2]], 0, atol=1e-5)
    with pytest.raises(ValueError, match="Must pass scale_tril"):
        ds.MultivariateNormalTriL([1.0])


def test_choices_as_vectors():
    p = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], "f")
    hot, soft = ds.OneHotCategorical(probs=p), ds.RelaxedOneHotCategorical(0.5, probs=p)
    samples, density, entropy, mode, smooth, far = values(
        [
            hot.sample(8000, seed=1),
            hot.log_prob([[0, 1, 0], [1, 0, 0]]),
            hot.entropy(),
            hot.mode(),
            soft.sample(4000, seed=2),
            hot.kl_divergence(ds.OneHotCategorical(probs=p[::-1].copy())),
        ]
    )
    assert samples.shape == (8000, 2, 3) and (samples.sum(-1) == 1).all()
    np.testing.assert_allclose(samples.mean(0), p, atol=0.03)
    np.testing.assert_allclose(density, np.log([0.3, 0.6]), rtol=1e-5)
    np.testing.assert_allclose(entropy, -(p * np.log(p)).sum(-1), rtol=1e-5)
    np.testing.assert_allclose(far, (p * np.log(p / p[::-1])).sum(-1), rtol=1e-4)
    assert mode.tolist() == [[0, 0, 1], [1, 0, 0]]
    np.testing.assert_allclose(smooth.sum(-1), 1, rtol=1e-4)
    np.testing.assert_allclose(np.eye(3)[smooth.argmax(-1)].mean(0), p, atol=0.04)
    logits = tf.constant(np.log(p))
    sample = ds.RelaxedOneHotCategorical(0.7, logits).sample(seed=3)
    assert np.abs(values(tf.gradients(sample[:, 0], logits)[0])).max() > 1e-3


def test_relaxed_densities_integrate_to_one():
    x = np.linspace(1e-4, 1 - 1e-4, 20001)
    yes = ds.RelaxedBernoulli(tf.constant(0.8, tf.float64), probs=tf.constant(0.3, tf.float64))
    pair = ds.RelaxedOneHotCategorical(tf.constant(0.8, tf.float64), probs=tf.constant([0.3, 0.7], tf.float64))
    one, two, samples = values([yes.prob(x), pair.prob(np.stack([x, 1 - x], 1)), yes.sample(4000, seed=1)])
    for density in (one, two):
        assert np.sum((density[1:] + density[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=2e-2)
    np.testing.assert_allclose(one, two, rtol=1e-5)
    assert (samples > 0.5).mean() == pytest.approx(0.3, abs=0.03)


_NUMBERS = [
    (ds.Logistic, (1.0, 2.0), lambda z: np.exp(-z) / (1 + np.exp(-z)) ** 2),
    (ds.Gumbel, (1.0, 2.0), lambda z: np.exp(-z - np.exp(-z))),
    (ds.Cauchy, (1.0, 2.0), lambda z: 1 / np.pi / (1 + z * z)),
    (ds.HalfNormal, (2.0,), lambda z: np.sqrt(2 / np.pi) * np.exp(-z * z / 2) * (z >= 0)),
]


@pytest.mark.parametrize("kind, arguments, density", _NUMBERS)
def test_numbers_have_their_densities(kind, arguments, density):
    one = kind(*arguments)
    x = np.array([-1.0, 0.5, 3.0], "f")
    z = (x - (arguments[0] if len(arguments) == 2 else 0)) / arguments[-1]
    told, samples, whole = values([one.prob(x), one.sample(20000, seed=1), one.cdf(x)])
    np.testing.assert_allclose(told, density(z) / arguments[-1], rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(whole, [(samples <= v).mean() for v in x], atol=0.02)
    if kind is not ds.Cauchy:
        np.testing.assert_allclose(values([one.mean(), one.stddev()]), [samples.mean(), samples.std()], atol=0.1)


def test_counts_have_their_probabilities():
    k = np.arange(4, dtype="f")
    of, few, wait = ds.Poisson(rate=2.0), ds.Binomial(3.0, probs=0.4), ds.Geometric(probs=0.3)
    told = values(
        [
            of.prob(k),
            few.prob(k),
            wait.prob(k),
            of.cdf(k),
            ds.Poisson(log_rate=math.log(2.0)).prob(k),
            wait.mean(),
            few.variance(),
            of.kl_divergence(ds.Poisson(3.0)),
            wait.sample(8000, seed=1),
            of.sample(8000, seed=1),
        ]
    )
    factorial = np.array([1, 1, 2, 6])
    poisson = np.exp(-2.0) * 2.0**k / factorial
    np.testing.assert_allclose(told[0], poisson, rtol=1e-4)
    np.testing.assert_allclose(told[1], np.array([1, 3, 3, 1]) * 0.4**k * 0.6 ** (3 - k), rtol=1e-4)
    np.testing.assert_allclose(told[2], 0.3 * 0.7**k, rtol=1e-4)
    np.testing.assert_allclose(told[3], poisson.cumsum(), rtol=1e-4)
    np.testing.assert_allclose(told[4], poisson, rtol=1e-4)
    assert told[5] == pytest.approx(7 / 3) and told[6] == pytest.approx(0.72) and told[7] == pytest.approx(2 * np.log(2 / 3) + 1, rel=1e-4)
    assert told[8].mean() == pytest.approx(7 / 3, abs=0.1) and told[9].mean() == pytest.approx(2, abs=0.1)
    with pytest.raises(ValueError, match="exactly one of `rate` and `log_rate`"):
        ds.Poisson()


def test_mixtures():
    weights, means, scales = [0.3, 0.7], [-1.0, 2.0], [0.5, 1.0]
    same = ds.MixtureSameFamily(ds.Categorical(probs=weights), ds.Normal(means, scales))
    several = ds.Mixture(ds.Categorical(probs=weights), [ds.Normal(m, s) for m, s in zip(means, scales)])
    x = np.array([-1.0, 0.0, 2.5], "f")
    wanted = sum(w / s / np.sqrt(2 * np.pi) * np.exp(-0.5 * ((x - m) / s) ** 2) for w, m, s in zip(weights, means, scales))
    spread = sum(w * (s * s + m * m) for w, m, s in zip(weights, means, scales)) - 1.1**2
    for one in (same, several):
        density, mean, stddev, samples = values([one.prob(x), one.mean(), one.stddev(), one.sample(20000, seed=1)])
        np.testing.assert_allclose(density, wanted, rtol=1e-4)
        assert mean == pytest.approx(1.1, rel=1e-5) and stddev == pytest.approx(np.sqrt(spread), rel=1e-5)
        assert samples.mean() == pytest.approx(1.1, abs=0.05) and samples.std() == pytest.approx(np.sqrt(spread), abs=0.05)
    vectors = ds.MixtureSameFamily(
        ds.Categorical(logits=[0.0, 0.0, 0.0]), ds.MultivariateNormalDiag(tf.constant([[0.0, 0], [5, 5], [9, 0]]), tf.ones([3, 2]))
    )
    assert vectors.event_shape == [2] and vectors.sample(4).shape == [4, 2]
    assert values(vectors.log_prob([0.0, 0.0])) == pytest.approx(-np.log(3 * 2 * np.pi), rel=1e-4)
    with pytest.raises(ValueError, match="3 components, but 2 choices"):
        ds.Mixture(ds.Categorical(probs=weights), [ds.Normal(0.0, 1.0)] * 3)


def test_batches_are_events():
    one = ds.Independent(ds.Normal(tf.zeros([4, 3]), tf.ones([3])), 1)
    x = np.random.RandomState(0).randn(4, 3).astype("f")
    assert one.batch_shape == [4] and one.event_shape == [3] and one.sample(2).shape == [2, 4, 3]
    told, far = values([one.log_prob(x), ds.kl_divergence(one, ds.Independent(ds.Normal(tf.ones([4, 3]), tf.ones([3])), 1))])
    np.testing.assert_allclose(told, -0.5 * (x * x + np.log(2 * np.pi)).sum(-1), rtol=1e-4)
    np.testing.assert_allclose(far, 1.5, rtol=1e-5)
    with pytest.raises(ValueError, match="cannot exceed"):
        ds.Independent(ds.Normal(0.0, 1.0), 1)


def test_what_is_no_chance():
    one = ds.Deterministic([1.0, 2.0], atol=0.1)
    told = values([one.sample(3), one.prob([1.05, 3.0]), one.cdf([0.0, 2.0]), ds.NormalWithSoftplusScale(0.0, 0.0).stddev()])
    assert told[0].tolist() == [[1, 2]] * 3 and told[1].tolist() == [1, 0] and told[2].tolist() == [0, 1] and told[3] == pytest.approx(math.log(2))
