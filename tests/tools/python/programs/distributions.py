"""What distributions tell of values and of themselves, how far two are apart, and samples with seeds."""

import numpy as np
from program import outcome, show, tf

D = tf.distributions
tf.set_random_seed(5)
made = {
    "normal": (D.Normal(loc=[0.0, 1.0], scale=[1.0, 2.0]), [0.5, -3.0]),
    "uniform": (D.Uniform(0.0, [2.0, 3.0]), [1.0, 2.5]),
    "gamma": (D.Gamma([2.0, 0.5], 3.0), [0.5, 1.5]),
    "beta": (D.Beta(2.0, [3.0, 4.0]), [0.4, 0.9]),
    "exponential": (D.Exponential([1.5]), [0.3]),
    "laplace": (D.Laplace(0.0, [2.0, 1.0]), [0.5, -0.5]),
    "student": (D.StudentT([3.0, 5.0], 0.0, 1.0), [0.7, -2.0]),
    "bernoulli": (D.Bernoulli(probs=[0.3, 0.6]), [1, 0]),
    "categorical": (D.Categorical(logits=[[0.1, 0.9, 0.3], [1.0, 1.0, 1.0]]), [0, 2]),
    "dirichlet": (D.Dirichlet([1.0, 2.0, 3.0]), [0.2, 0.3, 0.5]),
    "multinomial": (D.Multinomial(4.0, probs=[0.2, 0.3, 0.5]), [1.0, 1.0, 2.0]),
    "both": (D.DirichletMultinomial(4.0, [1.0, 2.0, 3.0]), [1.0, 1.0, 2.0]),
}
of_values = ("log_prob", "prob", "log_cdf", "cdf", "survival_function", "log_survival_function")
of_all = ("entropy", "mean", "mode", "variance", "stddev", "covariance")

with tf.Session() as session:
    for name, (distribution, value) in made.items():
        show(name, [repr(distribution), str(distribution), repr(distribution.reparameterization_type)])
        for method in of_values + of_all:
            try:
                told = getattr(distribution, method)(*[tf.constant(value)] * (method in of_values))
            except NotImplementedError:
                show(method, "none")
            else:
                show(method, session.run(told))
        samples = distribution.sample([3, 2], seed=7)
        show("samples", [samples.shape.as_list(), samples.op.name, session.run(samples)])
    show("far right", session.run([made["normal"][0].log_cdf([30.0, -90.0]), made["normal"][0].quantile([0.1, 0.9])]))
    show("unseeded", session.run([d.sample() for d, _ in made.values()]))
    pairs = [(D.Normal(0.0, 1.0), D.Normal([1.0, 2.0], 2.0)), (D.Gamma(1.0, 2.0), D.Gamma(2.0, 3.0)), (D.Beta(1.0, 2.0), D.Beta(3.0, 4.0)),
             (D.Bernoulli(probs=0.2), D.Bernoulli(logits=0.3)), (D.Categorical([0.1, 0.2]), D.Categorical([0.3, 0.0])),
             (D.Dirichlet([1.0, 2.0]), D.Dirichlet([2.0, 2.0]))]
    show("divergences", session.run([D.kl_divergence(a, b) for a, b in pairs] + [a.cross_entropy(b) for a, b in pairs]))
    loc, n = tf.constant(1.0), tf.placeholder(tf.int32, [None])
    normal = D.Normal(loc, tf.constant(2.0))
    show("derivatives", session.run(tf.gradients([normal.sample(4, seed=1), normal.log_prob(0.5), normal.entropy()], normal.parameters["loc"])))
    show("shapes", session.run([normal.batch_shape_tensor(), normal.event_shape_tensor(), normal.is_scalar_event(), normal.sample(n, seed=2)],
                               {n: [2, 2]}))
    show("probs", session.run(D.Categorical(probs=[[0.2, 0.8]]).log_prob([[1], [0]])))
    show("copy", [normal.copy(loc=3.0).parameters["loc"], sorted(normal.parameters), D.Normal.param_shapes([2])["loc"].shape.as_list()])
    show("checked", outcome(lambda: session.run(D.Normal(0.0, np.float32(-1.0), validate_args=True).mean())))
    show("no mode", outcome(lambda: session.run(D.Gamma(0.5, 1.0, allow_nan_stats=False).mode())))
show("neither", outcome(lambda: D.Bernoulli()))
show("integers", outcome(lambda: D.Categorical(logits=[1, 2])))
show("unlike", outcome(lambda: D.Normal(tf.constant(1.0), tf.constant(1.0, tf.float64))))
show("unknown", outcome(lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Uniform())))
show("matrix", outcome(lambda: D.Normal(0.0, 1.0).sample([[1]])))


class Fixed(D.Distribution):
    """All at one place."""

    def __init__(self, at):
        super().__init__(dtype=tf.float32, reparameterization_type=D.NOT_REPARAMETERIZED, validate_args=False, allow_nan_stats=True)
        self.at = at

    def _mean(self):
        return tf.constant(self.at)


@D.RegisterKL(Fixed, D.Normal)
def _fixed(a, b, name=None):
    return -b.log_prob(a.at)


with tf.Session() as session:
    show("own", session.run([Fixed(2.0).mean(), D.kl_divergence(Fixed(2.0), D.Normal(0.0, 1.0))]))
show("own", [outcome(lambda: Fixed(1.0).entropy()), outcome(lambda: D.RegisterKL(Fixed, D.Normal)(_fixed))])
