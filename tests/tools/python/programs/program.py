"""What the programs share: `tf`, which the environment variable TF_MODULE picks, and `show`, which prints a result as a line of JSON."""

import importlib
import json
import os

import numpy as np

tf = importlib.import_module(os.environ.get("TF_MODULE", "troupe"))
tf.disable_v2_behavior()


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    return value


def show(name, value):
    """Prints ["name", value]: numbers, texts and nests of these."""
    print(json.dumps([name, _plain(value)]))


def outcome(call):
    """What a call gives, if that is plain, else "made"; or the class of what it raises: the first of Python's own or of OpError's."""
    try:
        value = call()
    except Exception as e:
        return next(k.__name__ for k in type(e).__mro__ if k.__module__ == "builtins" or issubclass(k, tf.OpError))
    parts = value if isinstance(value, list) else [value]
    return value if all(isinstance(v, (str, int, type(None))) for v in parts) else "made"


def descend(loss, variables, rate):
    """An operation of one step of gradient descent, once all gradients and the loss are there."""
    gradients = tf.gradients(loss, variables)
    with tf.control_dependencies([loss, *gradients]):
        return tf.group(*[v.assign_sub(rate * g) for v, g in zip(variables, gradients)])
