"""Random numbers that follow from a seed of two numbers alone."""

from troupe import dtypes, op_call, stacks
from troupe.conversion import convert_to_tensor


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _drawn(op_type, shape, seed, dtype):
    shape = convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name="shape")
    return op_call.call(op_type, None, shape=shape, seed=seed, dtype=dtype)


def _scaled(name, default, op_type, shape, seed, mean, stddev, dtype):
    dtype = dtypes.as_dtype(dtype)
    with _scope(name or default) as scope:
        mean, stddev = convert_to_tensor(mean, dtype, name="mean"), convert_to_tensor(stddev, dtype, name="stddev")
        return op_call.call("AddV2", scope, x=_drawn(op_type, shape, seed, dtype) * stddev, y=mean)


def stateless_random_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"):
    return _scaled(name, "stateless_random_normal", "StatelessRandomNormal", shape, seed, mean, stddev, dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None, alg="auto_select"):
    return _scaled(name, "stateless_truncated_normal", "StatelessTruncatedNormal", shape, seed, mean, stddev, dtype)


def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None, alg="auto_select"):
    """Numbers from `minval` to `maxval`, without it. ValueError for integers without `maxval`."""
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with _scope(name or "stateless_random_uniform") as scope:
        low, high = convert_to_tensor(minval, dtype, name="min"), convert_to_tensor(maxval, dtype, name="max")
        if dtype.is_integer:
            shape = convert_to_tensor(shape, dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name="shape")
            return op_call.call("StatelessRandomUniformInt", scope, shape=shape, seed=seed, minval=low, maxval=high)
        return op_call.call("AddV2", scope, x=_drawn("StatelessRandomUniform", shape, seed, dtype) * (high - low), y=low)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    with _scope(name or "stateless_multinomial"):
        return op_call.call("StatelessMultinomial", None, logits=logits, num_samples=num_samples, seed=seed, output_dtype=output_dtype)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    with _scope(name or "stateless_categorical"):
        return op_call.call("StatelessMultinomial", None, logits=logits, num_samples=num_samples, seed=seed, output_dtype=dtype)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Classes drawn by unnormalized logarithms of probabilities, [batch, num_samples]."""
    from troupe.random_ops import multinomial

    with _scope(name or "categorical"):
        return multinomial(logits, num_samples, seed, output_dtype=dtype)
