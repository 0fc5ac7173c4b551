"""Pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.nn_conv import one_of, padding_attrs, sequence_for
from troupe.ops import get_seed
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple

    from troupe.typing import DTypeLike, TensorLike

    class _MaxPoolWithArgmax(NamedTuple):
        output: Tensor
        argmax: Tensor

    class _FractionalPool(NamedTuple):
        output: Tensor
        row_pooling_sequence: Tensor
        col_pooling_sequence: Tensor


def _pool(op_type: str, argument: str, n: int, value, ksize, strides, padding, data_format: str, name) -> Tensor:
    first = data_format.startswith("NC")
    return op_call.call(op_type, name, **{argument: value}, ksize=sequence_for(ksize, n, first, "ksize"),
                        strides=sequence_for(strides, n, first, "strides"),
                        **(padding_attrs(padding) if op_type == "MaxPool" else {"padding": padding}), data_format=data_format)


def max_pool(value: TensorLike | None = None, ksize: int | Sequence[int] | None = None, strides: int | Sequence[int] | None = None,
             padding: str | Sequence[Sequence[int]] | None = None, data_format: str | None = "NHWC", name: str | None = None,
             input: TensorLike | None = None) -> Tensor:
    """The greatest of each window of [batch, height, width, channels]."""
    value = one_of(input, "input", value, "value")
    with stacks.get_default_graph().name_scope(name or "MaxPool") as scope:
        return _pool("MaxPool", "input", 2, value, ksize, strides, padding, data_format or "NHWC", scope)


def avg_pool(value: TensorLike | None = None, ksize: int | Sequence[int] | None = None, strides: int | Sequence[int] | None = None,
             padding: str | None = None, data_format: str | None = "NHWC", name: str | None = None, input: TensorLike | None = None) -> Tensor:
    """The mean of each window."""
    value = one_of(input, "input", value, "value")
    with stacks.get_default_graph().name_scope(name or "AvgPool") as scope:
        return _pool("AvgPool", "value", 2, convert_to_tensor(value, name="value"), ksize, strides, padding, data_format or "NHWC", scope)


avg_pool2d = avg_pool


def max_pool2d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str | Sequence[Sequence[int]],
               data_format: str | None = "NHWC", name: str | None = None) -> Tensor:
    return max_pool(input, ksize, strides, padding, data_format, name)


def max_pool3d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str | None = "NDHWC",
               name: str | None = None) -> Tensor:
    return _pool("MaxPool3D", "input", 3, input, ksize, strides, padding, data_format or "NDHWC", name or "MaxPool3D")


def avg_pool3d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str | None = "NDHWC",
               name: str | None = None) -> Tensor:
    return _pool("AvgPool3D", "input", 3, input, ksize, strides, padding, data_format or "NDHWC", name or "AvgPool3D")


def _of_one_dimension(function, default: str, input, ksize, strides, padding, data_format: str, name) -> Tensor:
    """By a window of height 1, whatever the format."""
    first = data_format.startswith("NC")
    dim = 2 if first else 1
    sizes = lambda value, what: _insert_one(sequence_for(value, 1, first, what), dim)
    with stacks.get_default_graph().name_scope(name or default):
        made = function(array_ops.expand_dims(input, dim), sizes(ksize, "ksize"), sizes(strides, "strides"), padding,
                        "NCHW" if first else "NHWC")
        return array_ops.squeeze(made, [dim])


def _insert_one(sizes: list[int], at: int) -> list[int]:
    return [*sizes[:at], 1, *sizes[at:]]


def max_pool1d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str = "NWC",
               name: str | None = None) -> Tensor:
    """[batch, width, channels]."""
    return _of_one_dimension(max_pool, "max_pool1d", input, ksize, strides, padding, data_format, name)


def avg_pool1d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str = "NWC",
               name: str | None = None) -> Tensor:
    return _of_one_dimension(avg_pool, "avg_pool1d", input, ksize, strides, padding, data_format, name)


def pool(input: TensorLike, window_shape: Sequence[int], pooling_type: str, padding: str, dilation_rate: Sequence[int] | None = None,
         strides: Sequence[int] | None = None, name: str | None = None, data_format: str | None = None,
         dilations: Sequence[int] | None = None) -> Tensor:
    """"MAX" or "AVG" pooling of as many dimensions as `window_shape` has. ValueError for dilations, which no op has."""
    n = len(window_shape)
    rates = one_of(dilations, "dilations", dilation_rate, "dilation_rate")
    if rates is not None and any(r != 1 for r in rates):
        raise ValueError(f"Pooling with dilations is not supported. Received: dilations={list(rates)}")
    functions = {("MAX", 1): max_pool1d, ("MAX", 2): max_pool, ("MAX", 3): max_pool3d,
                 ("AVG", 1): avg_pool1d, ("AVG", 2): avg_pool, ("AVG", 3): avg_pool3d}
    if (pooling_type, n) not in functions:
        raise ValueError(f"{n}-D {pooling_type} pooling is not supported.")
    formats = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
    with stacks.get_default_graph().name_scope(name or f"{pooling_type.lower()}_pool") as scope:
        return functions[pooling_type, n](convert_to_tensor(input, name="input"), list(window_shape), [1] * n if strides is None else list(strides), padding,
                                          data_format or formats[n], name=scope)


def max_pool_with_argmax(input: TensorLike, ksize: Sequence[int], strides: Sequence[int], padding: str, data_format: str = "NHWC",
                         Targmax: DTypeLike | None = None, name: str | None = None, output_dtype: DTypeLike | None = None,
                         include_batch_in_index: bool = False) -> _MaxPoolWithArgmax:
    """(the greatest of each window, where it is in the flat image)."""
    return op_call.call("MaxPoolWithArgmax", name, input=input, ksize=list(ksize), strides=list(strides), padding=padding,
                        Targmax=one_of(output_dtype, "output_dtype", Targmax, "Targmax"), include_batch_in_index=include_batch_in_index)


def _fractional(op_type, value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name):
    if seed and not deterministic:
        seed, seed2 = get_seed(seed)
        deterministic = True
    return op_call.call(op_type, name, value=value, pooling_ratio=list(pooling_ratio), pseudo_random=pseudo_random, overlapping=overlapping,
                        deterministic=deterministic, seed=seed, seed2=seed2)


def fractional_max_pool(value: TensorLike, pooling_ratio: Sequence[float], pseudo_random: bool = False, overlapping: bool = False,
                        deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None) -> _FractionalPool:
    """(pooled, where rows begin, where columns begin) with windows of random sizes."""
    return _fractional("FractionalMaxPool", value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name)


def fractional_avg_pool(value: TensorLike, pooling_ratio: Sequence[float], pseudo_random: bool = False, overlapping: bool = False,
                        deterministic: bool = False, seed: int = 0, seed2: int = 0, name: str | None = None) -> _FractionalPool:
    return _fractional("FractionalAvgPool", value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name)
