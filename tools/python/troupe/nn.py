"""Functions of neural networks that are one op or little more."""

from troupe import array_ops, dtypes, op_call, stacks, thin
from troupe.conversion import convert_to_tensor
from troupe.math_ops import sigmoid, tanh  # noqa: F401, they are of this module, too

thin.define(globals(), """
    elu(features) = Elu
    l2_loss(t) = L2Loss
    relu(features) = Relu
    relu6(features) = Relu6
    selu(features) = Selu
    softplus(features) = Softplus
    softsign(features) = Softsign
    in_top_k(predictions, targets, k) = InTopKV2
    lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5) = LRN
""")


def softmax(logits, axis=None, name=None, dim=None):
    """Over the last dimension, or over `axis`."""
    return _over_axis("Softmax", logits, dim if axis is None else axis, name)


def log_softmax(logits, axis=None, name=None, dim=None):
    return _over_axis("LogSoftmax", logits, dim if axis is None else axis, name)


def _over_axis(op_type, logits, axis, name):
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis is None or axis == -1 or rank is not None and axis == rank - 1:
        return op_call.call(op_type, name, logits=logits)
    if rank is None:
        raise ValueError("The rank of logits must be known for another axis than the last")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    with stacks.get_default_graph().name_scope(name or op_type.lower()):
        swapped = op_call.call(op_type, None, logits=array_ops.transpose(logits, order))
        return array_ops.transpose(swapped, order)


def bias_add(value, bias, data_format=None, name=None):
    formats = {"N...C": "NHWC", "NC...": "NCHW", None: "NHWC"}
    return op_call.call("BiasAdd", name, value=value, bias=bias, data_format=formats.get(data_format, data_format))


def leaky_relu(features, alpha=0.2, name=None):
    return op_call.call("LeakyRelu", name, features=features, alpha=alpha)


def top_k(input, k=1, sorted=True, name=None):
    """The `k` largest of each row, and where they are."""
    return op_call.call("TopKV2", name, input=input, k=k, sorted=sorted)


def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC", dilations=(1, 1, 1, 1), name=None, filters=None):
    filter = filters if filter is None else filter
    return op_call.call("Conv2D", name, input=input, filter=filter, strides=_four(strides), padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
                        data_format=data_format, dilations=list(dilations))


def _four(sizes):
    sizes = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
    return [1, sizes[0], sizes[-1], 1] if len(sizes) < 4 else sizes


def max_pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
    value = input if value is None else value
    return op_call.call("MaxPool", name, input=value, ksize=_four(ksize), strides=_four(strides), padding=padding, data_format=data_format)


def avg_pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC", name=None, input=None):
    value = input if value is None else value
    return op_call.call("AvgPool", name, value=value, ksize=_four(ksize), strides=_four(strides), padding=padding, data_format=data_format)


def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """The cross entropy of each row of `logits`, with respect to probabilities."""
    with stacks.get_default_graph().name_scope(name or "softmax_cross_entropy_with_logits"):
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, logits.dtype, name="labels")
        shape = array_ops.shape(logits)
        classes = shape[-1]
        flat = array_ops.stack([-1, classes])
        loss, _ = op_call.call("SoftmaxCrossEntropyWithLogits", None, features=array_ops.reshape(logits, flat), labels=array_ops.reshape(labels, flat))
        return array_ops.reshape(loss, shape[:-1])


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The same with respect to class numbers."""
    loss, _ = op_call.call("SparseSoftmaxCrossEntropyWithLogits", name, features=logits, labels=labels)
    return loss


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow."""
    with stacks.get_default_graph().name_scope(name or "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, logits.dtype, name="labels")
        zeros = array_ops.zeros_like(logits)
        positive = logits >= zeros
        larger = array_ops.where(positive, logits, zeros)
        negative = array_ops.where(positive, -logits, logits)
        return op_call.call("AddV2", scope, x=larger - logits * labels, y=op_call.call("Log1p", None, x=op_call.call("Exp", None, x=negative)))


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    from troupe.math_ops import reduce_sum

    axis = dim if axis is None else axis
    with stacks.get_default_graph().name_scope(name or "l2_normalize") as scope:
        x = convert_to_tensor(x)
        total = reduce_sum(op_call.call("Square", None, x=x), axis, keepdims=True)
        return op_call.call("Mul", scope, x=x, y=op_call.call("Rsqrt", None, x=op_call.call("Maximum", None, x=total, y=epsilon)))


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over these dimensions."""
    from troupe.math_ops import reduce_mean

    keep = bool(keepdims if keep_dims is None else keep_dims)
    with stacks.get_default_graph().name_scope(name or "moments"):
        x = convert_to_tensor(x)
        y = op_call.call("Cast", None, x=x, DstT=dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = reduce_mean(y, axes, keepdims=True)
        variance = reduce_mean(op_call.call("SquaredDifference", None, x=y, y=op_call.call("StopGradient", None, input=mean)), axes, keepdims=keep)
        if not keep:
            mean = array_ops.squeeze(mean, axes)
        return mean, variance


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Each element zero with probability `rate`, and the others larger by as much."""
    from troupe import random_ops

    if rate is None:
        if keep_prob is None:
            raise ValueError("You must provide a rate to dropout.")
        rate = 1 - keep_prob
    with stacks.get_default_graph().name_scope(name or "dropout"):
        x = convert_to_tensor(x)
        shape = array_ops.shape(x) if noise_shape is None else noise_shape
        drawn = random_ops.random_uniform(shape, seed=seed, dtype=x.dtype)
        kept = op_call.call("GreaterEqual", None, x=drawn, y=rate)
        return x * (1 / (1 - rate)) * op_call.call("Cast", None, x=kept, DstT=x.dtype)


def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """The rows of `params` with these numbers."""
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise NotImplementedError("embedding_lookup over several partitions")
        params = params[0]
    if max_norm is not None:
        raise NotImplementedError("embedding_lookup with max_norm")
    with stacks.get_default_graph().name_scope(name or "embedding_lookup"):
        return array_ops.gather(params, ids)
