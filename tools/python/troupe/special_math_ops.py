"""Arithmetic that few programs need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks, thin
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from typing import Any

    from troupe.composite import IndexedSlices
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike

thin.define(globals(), """
    arg_max(input, dimension, output_type=None) = ArgMax
    arg_min(input, dimension, output_type=None) = ArgMin
    bessel_i0(x) = BesselI0
    bessel_i0e(x) = BesselI0e
    bessel_i1(x) = BesselI1
    bessel_i1e(x) = BesselI1e
    bessel_j0(x) = BesselJ0
    bessel_j1(x) = BesselJ1
    bessel_k0(x) = BesselK0
    bessel_k0e(x) = BesselK0e
    bessel_k1(x) = BesselK1
    bessel_k1e(x) = BesselK1e
    bessel_y0(x) = BesselY0
    bessel_y1(x) = BesselY1
    betainc(a, b, x) = Betainc
    bitwise_and(x, y) = BitwiseAnd
    bitwise_or(x, y) = BitwiseOr
    bitwise_xor(x, y) = BitwiseXor
    cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False) = CumulativeLogsumexp
    dawsn(x) = Dawsn
    erfinv(x) = Erfinv
    expint(x) = Expint
    floor_div(x, y) = FloorDiv
    fresnel_cos(x) = FresnelCos
    fresnel_sin(x) = FresnelSin
    igamma(a, x) = Igamma
    igammac(a, x) = Igammac
    invert(x) = Invert
    left_shift(x, y) = LeftShift
    multiply_no_nan(x, y) = MulNoNan
    ndtri(x) = Ndtri
    nextafter(x1, x2) = NextAfter
    polygamma(a, x) = Polygamma
    realdiv(x, y) = RealDiv
    right_shift(x, y) = RightShift
    segment_prod(data, segment_ids) = SegmentProd
    sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False) = SparseMatMul
    spence(x) = Spence
    unsorted_segment_min(data, segment_ids, num_segments) = UnsortedSegmentMin
    unsorted_segment_prod(data, segment_ids, num_segments) = UnsortedSegmentProd
    xdivy(x, y) = Xdivy
    xlog1py(x, y) = Xlog1py
    xlogy(x, y) = Xlogy
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 for 0."""
    with _scope(name or "reciprocal_no_nan") as scope:
        x = convert_to_tensor(x, name="x")
        return op_call.call("DivNoNan", scope, x=constant(1, x.dtype.base_dtype), y=x)


def scalar_mul(scalar: TensorLike, x: TensorLike | IndexedSlices, name: str | None = None) -> Any:
    """A number times a tensor, or times the values of IndexedSlices. ValueError for what is no scalar."""
    from troupe.composite import IndexedSlices

    dtype = x.values.dtype if isinstance(x, IndexedSlices) else convert_to_tensor(x).dtype
    scalar = convert_to_tensor(scalar, dtype.base_dtype, name="scalar")
    if scalar.shape.rank not in (None, 0):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(op_call.call("Mul", name, x=scalar, y=x.values), x.indices, x.dense_shape)
    return op_call.call("Mul", name, x=scalar, y=x)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "LogSigmoid") as scope:
        return op_call.call("Neg", scope, x=op_call.call("Softplus", None, features=-convert_to_tensor(x, name="x")))


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the beta function over the last dimension."""
    with _scope(name or "lbeta"):
        x = convert_to_tensor(x, name="x")
        return math_ops.reduce_sum(math_ops.lgamma(x), -1) - math_ops.lgamma(math_ops.reduce_sum(x, -1))


def polyval(coeffs: list[Any], x: TensorLike, name: str | None = None) -> Tensor:
    """A polynomial of these coefficients, the highest power's first."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with _scope(name or "polyval"):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return array_ops.zeros_like(x, name=name)
        coeffs = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        p = coeffs[0]
        for c in coeffs[1:]:
            p = c + p * x
        return p


def _segment_counts(data, segment_ids, num_segments):
    """How many rows each segment has, at least one, to divide rows by."""
    ids = convert_to_tensor(segment_ids)
    ones = array_ops.ones_like(array_ops.reshape(ids, [-1]), dtype=data.dtype)
    counts = op_call.call("UnsortedSegmentSum", None, data=ones, segment_ids=array_ops.reshape(ids, [-1]), num_segments=num_segments)
    rest = data.shape.rank - ids.shape.rank
    counts = array_ops.reshape(counts, array_ops.concat([array_ops.reshape(num_segments, [1]), [1] * rest], 0)) if rest else counts
    return math_ops.maximum(counts, convert_to_tensor(1, data.dtype))


def unsorted_segment_mean(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "UnsortedSegmentMean"):
        data = convert_to_tensor(data)
        total = op_call.call("UnsortedSegmentSum", None, data=data, segment_ids=segment_ids, num_segments=num_segments)
        return total / _segment_counts(data, segment_ids, num_segments)


def unsorted_segment_sqrt_n(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
    """Sums over the square roots of how many they are."""
    with _scope(name or "UnsortedSegmentSqrtN"):
        data = convert_to_tensor(data)
        total = op_call.call("UnsortedSegmentSum", None, data=data, segment_ids=segment_ids, num_segments=num_segments)
        return total / math_ops.sqrt(_segment_counts(data, segment_ids, num_segments))


def histogram_fixed_width_bins(values: TensorLike, value_range: TensorLike, nbins: TensorLike = 100, dtype: DTypeLike = dtypes.int32,
                               name: str | None = None) -> Tensor:
    """The number of the bin that each value is in; those outside are in the first and last."""
    with _scope(name or "histogram_fixed_width_bins"):
        values = convert_to_tensor(values, name="values")
        flat = array_ops.reshape(values, [-1])
        value_range = convert_to_tensor(value_range, values.dtype, name="value_range")
        nbins = convert_to_tensor(nbins, dtypes.int32, name="nbins")
        scaled = math_ops.truediv(flat - value_range[0], value_range[1] - value_range[0])
        bins = math_ops.floor(math_ops.cast(nbins, values.dtype) * scaled)
        bins = op_call.call("ClipByValue", None, t=bins, clip_value_min=constant(0, bins.dtype), clip_value_max=math_ops.cast(nbins - 1, values.dtype))
        return array_ops.reshape(math_ops.cast(bins, dtype), array_ops.shape(values))


def histogram_fixed_width(values: TensorLike, value_range: TensorLike, nbins: TensorLike = 100, dtype: DTypeLike = dtypes.int32,
                          name: str | None = None) -> Tensor:
    made = op_call.call("HistogramFixedWidth", name or "histogram_fixed_width", values=values, value_range=value_range, nbins=nbins, dtype=dtype)
    known = constant_value(made.op.inputs[2])
    made.set_shape([None if known is None else int(known)])
    return made


def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """As it is, or shorter, so that its length over its size is `clip_norm`."""
    with _scope(name or "clip_by_average_norm") as scope:
        t = convert_to_tensor(t, name="t")
        count = math_ops.cast(array_ops.size(t), t.dtype)
        inverse = math_ops.rsqrt(math_ops.reduce_sum(t * t, math_ops.range(array_ops.rank(t))))
        return op_call.call("Mul", scope, x=t * clip_norm, y=math_ops.minimum(inverse * count, constant(1.0, t.dtype) / clip_norm))


def random_crop(value: TensorLike, size: ShapeOrTensor, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of this size from a random place."""
    from troupe import random_ops
    from troupe.control_flow_ops import Assert, with_dependencies

    with _scope(name or "random_crop") as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        shape = array_ops.shape(value)
        check = Assert(math_ops.reduce_all(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_ops.random_uniform(array_ops.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return array_ops.slice(value, offset, size, name=scope)


def random_poisson(lam: TensorLike, shape: ShapeOrTensor, dtype: DTypeLike = dtypes.float32, seed: int | None = None,
                   name: str | None = None) -> Tensor:
    """Numbers of events at these rates."""
    from troupe.ops import get_seed

    with _scope(name or "random_poisson"):
        seed1, seed2 = get_seed(seed)
        lam = lam if hasattr(lam, "op") else np.asarray(lam, np.float32)
        return op_call.call("RandomPoissonV2", None, shape=convert_to_tensor(shape, dtypes.int32, name="shape"), rate=lam, dtype=dtype,
                            seed=seed1 or 0, seed2=seed2 or 0)
