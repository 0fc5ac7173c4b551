"""Training: `tf.train`. Each part is a module of its own."""

from troupe.learning_rates import (
    cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, linear_cosine_decay, natural_exp_decay, piecewise_constant,
    piecewise_constant_decay, polynomial_decay)
from troupe.moving_averages import ExponentialMovingAverage
from troupe.optimizer import Optimizer
from troupe.optimizers import (
    AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer, AdamOptimizer, FtrlOptimizer, GradientDescentOptimizer, MomentumOptimizer,
    ProximalAdagradOptimizer, ProximalGradientDescentOptimizer, RMSPropOptimizer)
from troupe.training_util import assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step
