"""Cosine transforms, and signals of their spectra."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, spectral_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.typing import DTypeLike, TensorLike


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _check(input, kind, n, axis, norm):
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if kind == 1 and input.shape.as_list()[-1] is not None and input.shape.as_list()[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(input: TensorLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,  # noqa: A002
        name: str | None = None) -> Tensor:
    """The cosine transform of the last dimension, of type 1 to 4, of `n` elements: cut off, or with zeros behind. ValueError for others."""
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transform(input, type, n, norm, name)


def idct(input: TensorLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,  # noqa: A002
         name: str | None = None) -> Tensor:
    """The inverse, but for the factor without norm "ortho"."""
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transform(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name)


def _length(x):
    return x.shape.as_list()[-1] or array_ops.shape(x)[-1]


def _sized(x, n):
    """The first `n` elements, with zeros behind where there are fewer."""
    if n is None:
        return x
    x = x[..., :n]
    padding = [[0, 0]] * (x.shape.rank - 1)
    made = array_ops.pad(x, array_ops.stack([*padding, [0, n - _length(x)]]))
    made.set_shape([*x.shape.as_list()[:-1], n])
    return made


def _turned(count, sign, dtype):
    """2 exp(sign * i pi k / (2 count)) for k = 0, 1, ..."""
    angle = math_ops.range(count) * (sign * math.pi * 0.5) / count
    return 2.0 * math_ops.exp(math_ops.complex(array_ops.zeros([], dtype), angle))


def _weights(first, others, size):
    return array_ops.pad(array_ops.expand_dims(first - others, 0), [[0, size - 1]]) + others


def _transform(x, kind, n, norm, name=None):
    with _scope(name, "dct"):
        x = _sized(x, n)
        size = _length(x)
        count = math_ops.cast(size, x.dtype)
        if kind == 1:
            return math_ops.real(spectral_ops.rfft(array_ops.concat([x, x[..., -2:0:-1]], -1)))
        if kind == 2:
            made = math_ops.real(spectral_ops.rfft(x, fft_length=[2 * size])[..., :size] * _turned(count, -1.0, x.dtype))
            if norm == "ortho":
                made = made * _weights(0.5 * math_ops.rsqrt(count), 0.5 * math_ops.rsqrt(count) * math.sqrt(2.0), size)
            return made
        if kind == 3:
            x = x * (_weights(math_ops.sqrt(count), math_ops.sqrt(count) * math.sqrt(0.5), size) if norm == "ortho" else count)
            turned = _turned(count, 1.0, x.dtype) * math_ops.complex(x, array_ops.zeros_like(x))
            return spectral_ops.irfft(turned, fft_length=[2 * size])[..., :size]
        made = _transform(x, 2, 2 * size, None)[..., 1::2]
        return made * (math.sqrt(0.5) * math_ops.rsqrt(count)) if norm == "ortho" else made


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Frames [..., frames, length] as one signal [..., length + frame_step * (frames - 1)]: where they overlap, their sum. ValueError for a step that
    is no integer."""
    with _scope(name, "overlap_and_add"):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = convert_to_tensor(frame_step, name="frame_step")
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        known = constant_value(step)
        step = step if known is None else int(known)
        frames, length = (d if d is not None else array_ops.shape(signal)[i - 2] for i, d in enumerate(signal.shape.as_list()[-2:]))
        outer = array_ops.shape(signal)[:-2]
        whole = lambda *dims: array_ops.concat([outer, array_ops.stack(list(dims))], 0)
        segments = -(-length // step)
        rank = signal.shape.rank
        padding = array_ops.stack([[0, 0]] * (rank - 2) + [[0, segments], [0, segments * step - length]])
        signal = array_ops.reshape(array_ops.pad(signal, padding), whole(frames + segments, segments, step))
        # Each segment a frame later than the one before.
        signal = array_ops.transpose(signal, [*range(rank - 2), rank - 1, rank - 2, rank])
        signal = array_ops.reshape(signal, whole((frames + segments) * segments, step))[..., :(frames + segments - 1) * segments, :]
        signal = math_ops.reduce_sum(array_ops.reshape(signal, whole(segments, frames + segments - 1, step)), -3)
        return array_ops.reshape(signal, whole((frames + segments - 1) * step))[..., :length + step * (frames - 1)]


def inverse_stft(stfts: TensorLike, frame_length: int, frame_step: TensorLike, fft_length: TensorLike | None = None,
                 window_fn: Callable[..., Tensor] | None = spectral_ops.hann_window, name: str | None = None) -> Tensor:
    """The signal of spectra [..., frames, bins]: each frame times the window, which is to be what inverse_stft_window_fn gives."""
    with _scope(name, "inverse_stft"):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        size = 1 << (int(frame_length) - 1).bit_length() if fft_length is None else fft_length
        frames = spectral_ops.irfft(stfts, [size])
        frames = _sized(frames, frame_length)
        if window_fn is not None:
            frames = frames * window_fn(frame_length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step: TensorLike, forward_window_fn: Callable[..., Tensor] = spectral_ops.hann_window,
                           name: str | None = None) -> Callable[..., Tensor]:
    """The window with which inverse_stft gives what stft was given with `forward_window_fn`."""
    def window(frame_length, dtype):
        with _scope(name, "inverse_stft_window_fn"):
            forward = forward_window_fn(frame_length, dtype=dtype)
            overlaps = -(-frame_length // frame_step)
            squares = array_ops.pad(math_ops.square(forward), [[0, overlaps * frame_step - frame_length]])
            total = math_ops.reduce_sum(array_ops.reshape(squares, [overlaps, frame_step]), 0, keepdims=True)
            total = array_ops.reshape(array_ops.tile(total, [overlaps, 1]), [-1])[:frame_length]
            return op_call.call("DivNoNan", None, x=forward, y=total)

    return window


def linear_to_mel_weight_matrix(num_mel_bins: int = 20, num_spectrogram_bins: int = 129, sample_rate: float = 8000, lower_edge_hertz: float = 125.0,
                                upper_edge_hertz: float = 3800.0, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """What linear spectra [..., num_spectrogram_bins] are multiplied with to be spectra on the mel scale: [num_spectrogram_bins, num_mel_bins].
    ValueError for edges that are not in order, or above half the sample rate."""
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0.0 or lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz} must be non-negative and below upper_edge_hertz {upper_edge_hertz}")
    if sample_rate <= 0.0 or upper_edge_hertz > sample_rate / 2:
        raise ValueError(f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got {upper_edge_hertz} for {sample_rate}")
    mel = lambda hertz: 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)
    bins = mel(np.linspace(0.0, sample_rate / 2.0, num_spectrogram_bins)[1:])[:, None]
    edges = np.linspace(mel(lower_edge_hertz), mel(upper_edge_hertz), num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    weights = np.maximum(0.0, np.minimum((bins - lower) / (center - lower), (upper - bins) / (upper - center)))
    return array_ops.constant(np.pad(weights, [[1, 0], [0, 0]]), dtype, name=name or "linear_to_mel_weight_matrix")


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Cepstral coefficients [..., bins] of logarithms of spectra on the mel scale. ValueError without bins."""
    with _scope(name, "mfccs_from_log_mel_spectrograms"):
        spectra = convert_to_tensor(log_mel_spectrograms)
        bins = spectra.shape.as_list()[-1]
        if bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {log_mel_spectrograms}")
        count = _length(spectra)
        return dct(spectra, type=2) * math_ops.rsqrt(math_ops.cast(count, spectra.dtype) * 2.0)
