"""Transforms of several dimensions of any choice, cosine transforms of overlapping pieces, and their windows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.dct_ops import dct, overlap_and_add
from troupe.spectral_ops import frame
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _length(window_length, dtype):
    if not dtype.is_floating:
        raise ValueError(f"A window's dtype must be a floating point type. Got: {dtype!r}")
    length = convert_to_tensor(window_length, dtypes.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length


def kaiser_window(window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The weights of a Kaiser window of so many samples."""
    dtype = dtypes.as_dtype(dtype)
    with _scope(name, "kaiser_window"):
        length = _length(window_length, dtype)
        if constant_value(length) == 1:
            return array_ops.ones([1], dtype)
        half = (math_ops.cast(length, dtype) - 1) / 2
        places = (math_ops.cast(math_ops.range(length), dtype) - half) / half
        beta = convert_to_tensor(beta, dtype)
        roots = beta * math_ops.sqrt(math_ops.maximum(1 - math_ops.square(places), convert_to_tensor(0, dtype)))
        bessel = lambda x: op_call.call("BesselI0e", None, x=x)
        return math_ops.exp(roots - beta) * (bessel(roots) / bessel(beta))


def kaiser_bessel_derived_window(window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The weights of a window whose squares add up to one where it overlaps itself by half, made of a Kaiser window."""
    dtype = dtypes.as_dtype(dtype)
    with _scope(name, "kaiser_bessel_derived_window"):
        sums = math_ops.cumsum(kaiser_window(_length(window_length, dtype) // 2 + 1, beta, dtype))
        half = math_ops.sqrt(sums[:-1] / sums[-1])
        return array_ops.concat([half, array_ops.reverse(half, [0])], 0)


def vorbis_window(window_length: TensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The weights of the window of Vorbis, whose squares add up to one where it overlaps itself by half."""
    dtype = dtypes.as_dtype(dtype)
    with _scope(name, "vorbis_window"):
        length = _length(window_length, dtype)
        places = math_ops.cast(math_ops.range(length), dtype)
        inner = math_ops.sin(math.pi / math_ops.cast(length, dtype) * (places + 0.5))
        return math_ops.sin(math.pi / 2 * math_ops.square(inner))


def mdct(signals: TensorLike, frame_length: TensorLike, window_fn: Callable[..., Tensor] | None = vorbis_window, pad_end: bool = False,
         norm: str | None = None, name: str | None = None) -> Tensor:
    """The modified cosine transform of pieces of signals [..., samples], each overlapping the next by half: [..., pieces, frame_length / 2]. ValueError for
    lengths that are no multiples of 4."""
    with _scope(name, "mdct"):
        signals = convert_to_tensor(signals, name="signals")
        length = convert_to_tensor(frame_length, name="frame_length")
        known = constant_value(length)
        if known is not None and known % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        pieces = frame(signals, length if known is None else int(known), length // 2 if known is None else int(known) // 2, pad_end=pad_end)
        pieces = pieces * (1 / np.sqrt(2) if window_fn is None else window_fn(length, dtype=pieces.dtype))
        a, b, c, d = array_ops.split(pieces, 4, axis=-1)
        return dct(array_ops.concat([-array_ops.reverse(c, [-1]) - d, a - array_ops.reverse(b, [-1])], -1), type=4, norm=norm)


def inverse_mdct(mdcts: TensorLike, window_fn: Callable[..., Tensor] | None = vorbis_window, norm: str | None = None, name: str | None = None) -> Tensor:
    """The signals of what mdct gave, but for their ends. ValueError for other norms than None and "ortho"."""
    with _scope(name, "inverse_mdct"):
        mdcts = convert_to_tensor(mdcts, name="mdcts")
        half = mdcts.shape[-1].value or array_ops.shape(mdcts)[-1]
        if norm not in (None, "ortho"):
            raise ValueError(f"norm must be one of {{None, 'ortho'}}. Received: {norm}")
        made = dct(mdcts, type=4, norm=norm)
        if norm is None:
            made = made * (0.5 / math_ops.cast(half, mdcts.dtype))
        first, second = array_ops.split(made, 2, axis=-1)
        pieces = array_ops.concat([second, -array_ops.reverse(second, [-1]), -array_ops.reverse(first, [-1]), -first], -1)
        pieces = pieces * (1 / np.sqrt(2) if window_fn is None else window_fn(2 * half, dtype=mdcts.dtype))
        return overlap_and_add(pieces, half)


def _transform(op_type, from_real, to_real):
    inverse = op_type.startswith("I")

    def transform(input_tensor, fft_length=None, axes=None, norm=None, name=None):
        with _scope(name, op_type.lower()) as scope:
            x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32 if from_real else dtypes.complex64)
            if from_real and x.dtype not in (dtypes.float32, dtypes.float64):
                raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
            if not from_real and not x.dtype.is_complex:
                raise ValueError(f"{op_type} requires tf.complex64 or tf.complex128 inputs, got: {x}")
            axes = convert_to_tensor(np.arange(x.shape.rank, dtype=np.int32) if axes is None else axes, dtypes.int32)
            sizes = _sizes(x, to_real) if fft_length is None else convert_to_tensor(fft_length, dtypes.int32)
            x = _padded(x, sizes, to_real)
            if norm not in (None, "backward", "forward", "ortho"):
                raise ValueError(f'norm must be "backward", "forward" or "ortho". Received: {norm}')
            if norm in ("forward", "ortho"):
                count = math_ops.cast(math_ops.reduce_prod(sizes), x.dtype.real_dtype)
                count = math_ops.cast(count if norm == "forward" else math_ops.sqrt(count), x.dtype)
                x = x * count if inverse else x / count
            more = {"Tcomplex": dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128} if from_real else {}
            if to_real:
                more = {"Treal": x.dtype.real_dtype}
            made = op_call.call(op_type, scope, input=x, fft_length=sizes, axes=axes, **more)
            made.set_shape(_result_shape(x.shape, constant_value(sizes), constant_value(axes), from_real))
            return made

    transform.__name__ = transform.__qualname__ = op_type.lower()
    transform.__doc__ = f"The op {op_type} of the dimensions `axes`, all by default; shorter inputs are filled up with zeros to `fft_length`."
    return transform


def _result_shape(shape, sizes, axes, from_real):
    """Of the input's, with what is known of the lengths at their dimensions."""
    dims = shape.as_list()
    if axes is None or sizes is None:
        return [None] * len(dims)
    for axis, size in zip(axes, sizes):
        dims[axis] = int(size)
    if from_real:
        dims[axes[-1]] = dims[axes[-1]] // 2 + 1
    return dims


def _sizes(x, to_real):
    known = x.shape.as_list()
    if None in known:
        sizes = array_ops.shape(x)
        return array_ops.concat([sizes[:-1], math_ops.maximum(0, 2 * (sizes[-1:] - 1))], 0) if to_real else sizes
    return convert_to_tensor([*known[:-1], max(0, 2 * (known[-1] - 1))] if to_real else known, dtypes.int32)


def _padded(x, sizes, to_real):
    """Filled up with zeros behind, in the last dimensions."""
    count = sizes.shape.as_list()[0]
    if to_real:
        sizes = array_ops.concat([sizes[:-1], sizes[-1:] // 2 + 1], 0)
    missing = math_ops.maximum(0, sizes - array_ops.shape(x)[-count:])
    missing = array_ops.concat([array_ops.zeros([x.shape.rank - count], dtypes.int32), missing], 0)
    return array_ops.pad(x, array_ops.stack([array_ops.zeros_like(missing), missing], axis=1))


fftnd, ifftnd = _transform("FFTND", False, False), _transform("IFFTND", False, False)
rfftnd, irfftnd = _transform("RFFTND", True, False), _transform("IRFFTND", False, True)
