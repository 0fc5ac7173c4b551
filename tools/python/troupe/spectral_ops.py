"""Fourier transforms and what signals are cut and weighted with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks, thin
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

thin.define(globals(), """
    fft(input) = FFT
    fft2d(input) = FFT2D
    fft3d(input) = FFT3D
    ifft(input) = IFFT
    ifft2d(input) = IFFT2D
    ifft3d(input) = IFFT3D
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _real(op_type, rank, inverse):
    """A transform from real numbers, or to them; shorter and longer inputs are cut, and filled up with zeros."""
    def transform(input_tensor, fft_length=None, name=None):
        with _scope(name or op_type.lower()) as scope:
            x = convert_to_tensor(input_tensor, None if inverse else None)
            sizes = _lengths(x, fft_length, rank, inverse)
            x = _fitted(x, sizes, rank, inverse)
            return op_call.call(op_type, scope, input=x, fft_length=sizes)

    transform.__name__ = transform.__qualname__ = op_type.lower()
    transform.__doc__ = f"The op {op_type} of the last dimensions, {rank} of them."
    return transform


def _lengths(x, fft_length, rank, inverse):
    if fft_length is not None:
        return convert_to_tensor(fft_length, dtypes.int32)
    known = x.shape[-rank:].as_list() if x.shape.rank is not None else [None]
    if None in known:
        sizes = array_ops.shape(x)[-rank:]
        if not inverse:
            return sizes
        last = math_ops.maximum(0, 2 * (sizes[-1:] - 1))
        return array_ops.concat([sizes[:-1], last], 0)
    if inverse:
        known[-1] = max(0, 2 * (known[-1] - 1))
    return constant(known, dtypes.int32)


def _fitted(x, sizes, rank, inverse):
    """Padded with zeros to what a transform of these sizes takes; the op itself cuts."""
    if x.shape.rank is None:
        return x
    wanted = [s for s in _constant(sizes)] if _constant(sizes) is not None else None
    known = x.shape[-rank:].as_list()
    if wanted is None or None in known:
        return x
    if inverse:
        wanted[-1] = wanted[-1] // 2 + 1 if wanted[-1] else 0
    more = [max(0, w - k) for w, k in zip(wanted, known)]
    if not any(more):
        return x
    return array_ops.pad(x, [[0, 0]] * (x.shape.rank - rank) + [[0, m] for m in more])


def _constant(tensor):
    from troupe.tensor_util import constant_value

    value = constant_value(tensor)
    return None if value is None else [int(v) for v in value]


rfft, rfft2d, rfft3d = _real("RFFT", 1, False), _real("RFFT2D", 2, False), _real("RFFT3D", 3, False)
irfft, irfft2d, irfft3d = _real("IRFFT", 1, True), _real("IRFFT2D", 2, True), _real("IRFFT3D", 3, True)


def _shift(name, sign):
    def shift(x, axes=None, name=None):
        with _scope(name or shift.__name__):
            x = convert_to_tensor(x)
            axes_ = list(range(x.shape.rank)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
            sizes = array_ops.shape(x)
            moved = [sizes[a] // 2 if sign > 0 else -(sizes[a] // 2) for a in axes_]
            return op_call.call("Roll", None, input=x, shift=array_ops.stack(moved), axis=axes_)

    shift.__name__ = shift.__qualname__ = name
    shift.__doc__ = "The frequency zero to the middle of these dimensions." if sign > 0 else "What fftshift moved, back again."
    return shift


fftshift, ifftshift = _shift("fftshift", 1), _shift("ifftshift", -1)


def _window(function_name, a):
    def window(window_length, periodic=True, dtype=dtypes.float32, name=None):
        with _scope(name or function_name):
            dtype_ = dtypes.as_dtype(dtype)
            length = convert_to_tensor(window_length, dtypes.int32, name="window_length")
            even = 1 - length % 2
            count = math_ops.cast(length + (even if periodic else 0) - 1, dtype_)
            count = math_ops.maximum(count, convert_to_tensor(1, dtype_))
            places = math_ops.cast(math_ops.range(length), dtype_)
            values = a - (1 - a) * math_ops.cos(2 * math.pi * places / count)
            return array_ops.where(array_ops.fill(array_ops.shape(values), math_ops.equal(length, 1)), array_ops.ones_like(values), values)

    window.__name__ = window.__qualname__ = function_name
    window.__doc__ = "The weights of a window of so many samples."
    return window


hann_window, hamming_window = _window("hann_window", 0.5), _window("hamming_window", 0.54)


def frame(signal: TensorLike, frame_length: int, frame_step: int | Tensor, pad_end: bool = False, pad_value: TensorLike = 0,
          axis: int = -1, name: str | None = None) -> Tensor:
    """Pieces of a signal of known rank in a new dimension after `axis`, one every `frame_step` samples."""
    with _scope(name or "frame"):
        signal = convert_to_tensor(signal, name="signal")
        rank, axis = signal.shape.rank, axis % signal.shape.rank
        size = array_ops.shape(signal)[axis]
        if pad_end:
            count = math_ops.maximum(0, -(-size // frame_step))
            missing = math_ops.maximum(0, frame_length + frame_step * (count - 1) - size)
            paddings = [array_ops.stack([0, missing]) if i == axis else constant([0, 0]) for i in range(rank)]
            signal = array_ops.pad(signal, array_ops.stack(paddings), constant_values=convert_to_tensor(pad_value, signal.dtype))
        else:
            count = math_ops.maximum(0, 1 + (size - frame_length) // frame_step)
        starts = array_ops.expand_dims(math_ops.range(count) * frame_step, 1)
        return array_ops.gather(signal, starts + np.arange(frame_length, dtype=np.int32)[None], axis=axis)


def stft(signals: TensorLike, frame_length: int, frame_step: int | Tensor, fft_length: int | Tensor | None = None,
         window_fn: Callable[..., Tensor] | None = hann_window, pad_end: bool = False, name: str | None = None) -> Tensor:
    """Transforms of pieces of signals: [..., pieces, frequencies], complex. `fft_length` is the next power of two of the length, if none is given."""
    with _scope(name or "stft"):
        signals = convert_to_tensor(signals, name="signals")
        pieces = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            pieces = pieces * window_fn(frame_length, dtype=pieces.dtype)
        return rfft(pieces, [2 ** math.ceil(math.log2(frame_length)) if fft_length is None else fft_length])
