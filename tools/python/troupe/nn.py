"""tf.nn. Here are activations and what else is one op or little more; the modules of `_MODULES` have the others, and are imported when one of
their names is asked for."""

from __future__ import annotations

import importlib
import numbers
from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, errors, exports, op_call, stacks, tensor_util, thin
from troupe.conversion import convert_to_tensor
from troupe.math_ops import sigmoid, tanh  # noqa: F401, they are of this module, too
from troupe.tensor import Tensor
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from typing import NamedTuple

    from troupe.typing import AxisLike, DTypeLike, ShapeOrTensor, TensorLike
    from troupe.variables import Variable

    class _TopK(NamedTuple):
        values: Tensor
        indices: Tensor

_MODULES = ("nn_conv", "nn_pool", "nn_norm", "nn_loss", "nn_embedding", "nn_backprop", "nn_sparse", "quantize_ops", "rnn", "rnn_raw", "more_nn")

thin.define(globals(), """
    depth_to_space(input, block_size, name, data_format="NHWC") = DepthToSpace
    elu(features) = Elu
    in_top_k(predictions, targets, k) = InTopKV2
    l2_loss(t) = L2Loss
    lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5) = LRN
    relu(features) = Relu
    relu6(features) = Relu6
    selu(features) = Selu
    softplus(features) = Softplus
    softsign(features) = Softsign
    space_to_depth(input, block_size, name, data_format="NHWC") = SpaceToDepth
""")
local_response_normalization = lrn  # noqa: F821, of the table


def __getattr__(name: str) -> Any:
    if name == "rnn_cell":
        return importlib.import_module("troupe.rnn_cell")
    if name == "experimental":
        return exports.Namespace("nn.experimental")
    if not name.startswith("_"):
        for module in _MODULES:
            found = vars(importlib.import_module("troupe." + module)).get(name)
            if getattr(found, "__module__", "") == "troupe." + module:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'troupe.nn' has no attribute {name!r}")


def __dir__() -> list[str]:
    others = [(module, vars(importlib.import_module(module))) for module in map("troupe.".__add__, _MODULES)]
    return exports.listed(globals(), ["rnn_cell", *(n for m, names in others for n in names if getattr(names[n], "__module__", "") == m and n[0] != "_")])


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """Over the last dimension, or over `axis`."""
    return _over_axis("Softmax", logits, dim if axis is None else axis, name)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    return _over_axis("LogSoftmax", logits, dim if axis is None else axis, name)


def _over_axis(op_type, logits, axis, name):
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis is None or axis == -1 or rank is not None and axis == rank - 1:
        return op_call.call(op_type, name, logits=logits)
    if rank is None:
        raise ValueError("The rank of logits must be known for another axis than the last")
    order = list(range(rank))
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(None, None, f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in "
                                                      f"the input. Received: dim={axis}")
    order[axis], order[-1] = order[-1], order[axis]
    swapped = op_call.call(op_type, None, logits=array_ops.transpose(logits, order))
    return array_ops.transpose(swapped, order, name=name or "transpose")


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """value + bias, which is added to the channels: the last dimension, or the second of "NC..."."""
    if data_format is not None:
        if data_format.startswith("NC"):
            data_format = "NCHW"
        elif data_format.startswith("N") and data_format.endswith("C"):
            data_format = "NHWC"
        else:
            raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    with _scope(name, "BiasAdd") as scope:
        value = convert_to_tensor(value, name="input")
        return op_call.call("BiasAdd", scope, value=value, bias=convert_to_tensor(bias, value.dtype.base_dtype, name="bias"),
                            data_format=data_format or "NHWC")


def leaky_relu(features: TensorLike, alpha: TensorLike = 0.2, name: str | None = None) -> Tensor:
    with _scope(name, "LeakyRelu") as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = op_call.call("Cast", None, x=features, DstT=dtypes.float32)
        return op_call.call("LeakyRelu", scope, features=features, alpha=float(alpha))


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """relu of the features, then of their negatives, in the dimension `axis`."""
    with _scope(name, "CRelu") as scope:
        features = convert_to_tensor(features, name="features")
        return op_call.call("Relu", None, features=op_call.call("ConcatV2", scope, values=[features, -features], axis=axis))


def swish(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """x sigmoid(beta x)."""
    features = convert_to_tensor(features, name="features")
    beta = op_call.call("Cast", None, x=convert_to_tensor(beta, name="beta"), DstT=features.dtype.base_dtype)
    return features * op_call.call("Sigmoid", None, x=beta * features)


silu = swish


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """x @ weights + biases."""
    with _scope(name, "xw_plus_b") as scope:
        product = op_call.call("MatMul", None, a=convert_to_tensor(x, name="x"), b=convert_to_tensor(weights, name="weights"))
        return op_call.call("BiasAdd", scope, value=product, bias=convert_to_tensor(biases, name="biases"))


def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """relu(x @ weights + biases)."""
    with _scope(name, "relu_layer") as scope:
        return op_call.call("Relu", scope, features=xw_plus_b(x, weights, biases))


def top_k(input: TensorLike, k: TensorLike = 1, sorted: bool = True, index_type: DTypeLike = dtypes.int32, name: str | None = None) -> _TopK:
    """The `k` largest of each row, and where they are."""
    return op_call.call("TopKV2", name, input=input, k=k, sorted=sorted, index_type=index_type)


def l2_normalize(x: TensorLike, axis: AxisLike = None, epsilon: TensorLike = 1e-12, name: str | None = None, dim: AxisLike = None) -> Tensor:
    """Each vector in the dimensions `axis` as long as 1."""
    from troupe.math_ops import reduce_sum

    axis = dim if axis is None else axis
    with _scope(name, "l2_normalize") as scope:
        x = convert_to_tensor(x, name="x")
        total = reduce_sum(op_call.call("Square", None, x=x), axis, keepdims=True)
        return op_call.call("Mul", scope, x=x, y=op_call.call("Rsqrt", None, x=op_call.call("Maximum", None, x=total, y=epsilon)))


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """How many elements of a tensor are zero, from 0 to 1."""
    from troupe.math_ops import cast, count_nonzero

    with _scope(name, "zero_fraction"):
        value = convert_to_tensor(value, name="value")
        size = array_ops.size(value, out_type=dtypes.int64)
        zeros = size - count_nonzero(value, dtype=dtypes.int64)
        return op_call.call("Identity", "fraction", input=cast(zeros, dtypes.float32) / cast(size, dtypes.float32))


def dropout(x: TensorLike, keep_prob: float | Tensor | Variable | None = None, noise_shape: ShapeOrTensor = None, seed: int | None = None,
            name: str | None = None, rate: float | Tensor | Variable | None = None) -> Tensor:
    """Each element zero with probability `rate`, and the others larger by as much. `noise_shape` has 1 where elements share their fate.
    ValueError for a rate outside [0, 1), or none."""
    from troupe import random_ops

    if rate is not None and keep_prob is not None:
        raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
    if rate is None:
        if keep_prob is None:
            raise ValueError(f"`rate` must be provided. Received: rate={rate}")
        rate = 1.0 - keep_prob
    number = isinstance(rate, numbers.Real)
    if number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    with _scope(name, "dropout"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype!r}")
        if number and rate == 0:
            return x
        dtype = x.dtype.base_dtype
        if number:
            larger = op_call.call("Mul", None, x=x, y=convert_to_tensor(1 / (1 - rate), dtype))
        else:
            rate = op_call.call("Cast", "rate", x=rate, DstT=dtype) if rate.dtype.base_dtype is not dtype else convert_to_tensor(rate)
            larger = op_call.call("RealDiv", None, x=x, y=op_call.call("Sub", None, x=convert_to_tensor(1, dtype), y=rate))
        drawn = random_ops.random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=dtype)
        made = op_call.call("SelectV2", None, condition=drawn >= rate, t=larger, e=convert_to_tensor(0, dtype))
        made.set_shape(x.shape)
        return made


def _noise_shape(x, noise_shape):
    """The shape of what is drawn: that of x, also for dimensions that are None."""
    if noise_shape is None:
        return array_ops.shape(x)
    if isinstance(noise_shape, Tensor) or tensor_util.static_dims(noise_shape) is not None:
        return noise_shape
    if any(isinstance(d, Tensor) for d in noise_shape):
        return noise_shape
    asked, known = as_shape(noise_shape).as_list(), x.shape.as_list()
    return [k if a is None else a for a, k in zip(asked, known)]
