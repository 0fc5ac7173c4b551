"""Arithmetic: the functions and operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call, stacks, thin
from troupe.composite import IndexedSlices, SparseTensor
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor

thin.define(globals(), """
    acos(x) = Acos
    acosh(x) = Acosh
    add(x, y, name='Add') = AddV2
    angle(input) = Angle
    asin(x) = Asin
    asinh(x) = Asinh
    atan(x) = Atan
    atan2(y, x) = Atan2
    atanh(x) = Atanh
    bitcast(input, type) = Bitcast
    ceil(x) = Ceil
    cos(x) = Cos
    cosh(x) = Cosh
    cross(a, b) = Cross
    cumprod(x, axis=0, exclusive=False, reverse=False) = Cumprod
    cumsum(x, axis=0, exclusive=False, reverse=False) = Cumsum
    digamma(x) = Digamma
    equal(x, y) = Equal
    erf(x) = Erf
    erfc(x) = Erfc
    exp(x) = Exp
    expm1(x) = Expm1
    floor(x) = Floor
    floordiv(x, y, name='floordiv') = FloorDiv
    floormod(x, y) = FloorMod
    greater(x, y) = Greater
    greater_equal(x, y) = GreaterEqual
    imag(input) = Imag
    invert_permutation(x) = InvertPermutation
    is_finite(x) = IsFinite
    is_inf(x) = IsInf
    is_nan(x) = IsNan
    less(x, y) = Less
    less_equal(x, y) = LessEqual
    lgamma(x) = Lgamma
    log(x) = Log
    log1p(x) = Log1p
    logical_and(x, y) = LogicalAnd
    logical_not(x) = LogicalNot
    logical_or(x, y) = LogicalOr
    maximum(x, y) = Maximum
    minimum(x, y) = Minimum
    mod(x, y) = FloorMod
    multiply(x, y) = Mul
    negative(x) = Neg
    not_equal(x, y) = NotEqual
    pow(x, y) = Pow
    reciprocal(x) = Reciprocal
    rint(x) = Rint
    rsqrt(x) = Rsqrt
    segment_max(data, segment_ids) = SegmentMax
    segment_mean(data, segment_ids) = SegmentMean
    segment_min(data, segment_ids) = SegmentMin
    segment_sum(data, segment_ids) = SegmentSum
    sigmoid(x) = Sigmoid
    sign(x) = Sign
    sin(x) = Sin
    sinh(x) = Sinh
    sqrt(x) = Sqrt
    square(x) = Square
    squared_difference(x, y) = SquaredDifference
    subtract(x, y) = Sub
    tan(x) = Tan
    tanh(x) = Tanh
    truncatediv(x, y) = TruncateDiv
    truncatemod(x, y) = TruncateMod
    unsorted_segment_max(data, segment_ids, num_segments) = UnsortedSegmentMax
    unsorted_segment_sum(data, segment_ids, num_segments) = UnsortedSegmentSum
    zeta(x, q) = Zeta
""")

def abs(x: TensorLike, name: str | None = None) -> Any:
    """The size of each element, which is real."""
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
        return op_call.call("ComplexAbs", name, x=x, Tout=x.dtype.real_dtype)
    return op_call.call("Abs", name, x=x)


div_no_nan = lambda x, y, name=None: op_call.call("DivNoNan", name or "div_no_nan", x=x, y=y)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else op_call.call("Round", name, x=x)


def argmax(input: TensorLike, axis: int | Tensor | None = None, name: str | None = None, dimension: int | None = None,
           output_type: DTypeLike = dtypes.int64) -> Tensor:
    axis = dimension if axis is None else axis
    return op_call.call("ArgMax", name, input=input, dimension=0 if axis is None else axis, output_type=output_type)


def argmin(input: TensorLike, axis: int | Tensor | None = None, name: str | None = None, dimension: int | None = None,
           output_type: DTypeLike = dtypes.int64) -> Tensor:
    axis = dimension if axis is None else axis
    return op_call.call("ArgMin", name, input=input, dimension=0 if axis is None else axis, output_type=output_type)


def add_n(inputs: Sequence[TensorLike | IndexedSlices], name: str | None = None) -> Tensor:
    """The sum of tensors of one shape."""
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.")
    tensors = [convert_to_tensor(i) for i in inputs]
    if len(tensors) == 1:
        return op_call.call("Identity", name, input=tensors[0]) if name else tensors[0]
    return op_call.call("AddN", name, inputs=tensors)


def accumulate_n(inputs: Sequence[TensorLike], shape: ShapeLike = None, tensor_dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype. ValueError when they are not of these."""
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    tensors = [convert_to_tensor(i) for i in inputs]
    if any(t.dtype.base_dtype is not tensors[0].dtype.base_dtype for t in tensors):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not tensors[0].dtype.base_dtype:
        raise TypeError(f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {tensors[0].dtype.base_dtype}.")
    made = op_call.call("AddN", name, inputs=tensors)
    if shape is not None:
        made.set_shape(shape)
    return made


def cast(x: Any, dtype: DTypeLike, name: str | None = None) -> Any:
    """Of another type; a sparse tensor's values."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, SparseTensor):
        return SparseTensor(x.indices, cast(x.values, dtype, name), x.dense_shape)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, dtype, name), x.indices, x.dense_shape)
    with stacks.get_default_graph().name_scope(name or "Cast") as scope:
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype is dtype else op_call.call("Cast", scope, x=x, DstT=dtype)


def saturate_cast(value: Any, dtype: DTypeLike, name: str | None = None) -> Any:
    dtype = dtypes.as_dtype(dtype)
    value = convert_to_tensor(value)
    if value.dtype.min < dtype.min:
        value = op_call.call("Maximum", None, x=value, y=convert_to_tensor(dtype.min, value.dtype))
    if value.dtype.max > dtype.max:
        value = op_call.call("Minimum", None, x=value, y=convert_to_tensor(dtype.max, value.dtype))
    return cast(value, dtype, name=name or "saturate_cast")


def _define_casts():
    for name, dtype in (("float", "float32"), ("double", "float64"), ("int32", "int32"), ("int64", "int64"), ("bfloat16", "bfloat16"),
                        ("complex64", "complex64"), ("complex128", "complex128")):
        globals()["to_" + name] = _cast_to(dtype, "ToBFloat16" if name == "bfloat16" else "To" + name.capitalize())


def _cast_to(dtype, default_name):
    def function(x, name=default_name):
        return cast(x, dtype, name)

    return function


_define_casts()


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    types = {dtypes.float64: dtypes.complex128, dtypes.float32: dtypes.complex64}
    return op_call.call("Complex", name, real=real, imag=imag, Tout=types[real.dtype.base_dtype])


def real(input: TensorLike, name: str | None = None) -> Tensor:
    input = convert_to_tensor(input)
    if not input.dtype.is_complex:
        return input
    return op_call.call("Real", name, input=input, Tout=input.dtype.real_dtype)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    x = convert_to_tensor(x)
    return op_call.call("Conj", name, input=x) if x.dtype.is_complex else x


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    with stacks.get_default_graph().name_scope(name) as scope:
        both = op_call.call("LogicalAnd", None, x=x, y=y)
        return op_call.call("LogicalAnd", scope, x=op_call.call("LogicalOr", None, x=x, y=y), y=op_call.call("LogicalNot", None, x=both))


_TRUEDIV_TYPES = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32, dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64, dtypes.uint32: dtypes.float64, dtypes.uint64: dtypes.float64,
}


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Division that is exact: integers become floats first."""
    with stacks.get_default_graph().name_scope(name or "truediv") as scope:
        x = convert_to_tensor(x, name="x", preferred_dtype=getattr(y, "dtype", None) if not isinstance(x, Tensor) else None)
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        if x.dtype.base_dtype is not y.dtype.base_dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
        wider = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
        if wider is not None:
            x, y = cast(x, wider), cast(y, wider)
        return op_call.call("RealDiv", scope, x=x, y=y)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    return truediv(x, y, name)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Of integers, rounded down; of floats, exact."""
    with stacks.get_default_graph().name_scope(name or "div") as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype.base_dtype, name="y")
        exact = x.dtype.is_floating or x.dtype.is_complex
        return op_call.call("RealDiv" if exact else "FloorDiv", scope, x=x, y=y)


def matmul(a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False,
           a_is_sparse: bool = False, b_is_sparse: bool = False, name: str | None = None) -> Tensor:
    """The product of matrices, or of as many as the outer dimensions have."""
    if transpose_a and adjoint_a:
        raise ValueError("Only one of `transpose_a` and `adjoint_a` can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of `transpose_b` and `adjoint_b` can be True.")
    with stacks.get_default_graph().name_scope(name or "MatMul") as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
        if any(t.shape.rank is None or t.shape.rank > 2 for t in (a, b)) and not (a_is_sparse or b_is_sparse):
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            return op_call.call("BatchMatMulV2", scope, x=a, y=b, adj_x=adjoint_a, adj_y=adjoint_b)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        if a_is_sparse or b_is_sparse:
            return op_call.call("SparseMatMul", scope, a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b,
                                a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return op_call.call("MatMul", scope, a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b)


def range(start: TensorLike, limit: TensorLike | None = None, delta: TensorLike = 1, dtype: DTypeLike | None = None, name: str = "range") -> Tensor:
    """start, start + delta, ... up to `limit`, without it."""
    if limit is None:
        start, limit = 0, start
    with stacks.get_default_graph().name_scope(name) as scope:
        # Variables, and what else becomes a tensor by itself, have types of their own.
        values = [v if isinstance(v, (Tensor, int, float, np.ndarray, np.generic)) else convert_to_tensor(v) for v in (start, limit, delta)]
        if dtype is None:
            kinds = [convert_to_np_type(v) for v in values]
            order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
            dtype = max((k for k in kinds if k in order), key=order.index, default=dtypes.int32)
        tensors = [convert_to_tensor(v, dtype if not isinstance(v, Tensor) else None, name=n) for v, n in zip(values, ("start", "limit", "delta"))]
        start, limit, delta = (cast(t, dtype) for t in tensors)
        return op_call.call("Range", scope, start=start, limit=limit, delta=delta)


def convert_to_np_type(value: TensorLike) -> Any:
    """The dtype that a value would have as a tensor."""
    from troupe.constant_op import to_numpy

    return value.dtype.base_dtype if isinstance(value, Tensor) else dtypes.as_dtype(to_numpy(value).dtype)


def linspace(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` values at equal distances from `start` to `stop`; where these are tensors of one shape, in a new dimension `axis`."""
    start = convert_to_tensor(start, name="start")
    stop = convert_to_tensor(stop, start.dtype, name="stop")
    if start.dtype.is_integer:
        start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
    if start.shape.rank in (0, None) and stop.shape.rank in (0, None):
        return op_call.call("LinSpace", name or "LinSpace", start=start, stop=stop, num=num)
    with stacks.get_default_graph().name_scope(name or "linspace"):
        parts = op_call.call("LinSpace", None, start=0.0, stop=1.0, num=num)
        axis = axis + start.shape.rank + 1 if axis < 0 else axis
        parts = op_call.call("Reshape", None, tensor=cast(parts, start.dtype), shape=[1] * axis + [-1] + [1] * (start.shape.rank - axis))
        first, last = (op_call.call("ExpandDims", None, input=t, dim=axis) for t in (start, stop))
        return first * (1 - parts) + last * parts


lin_space = linspace


def bincount(arr: TensorLike, weights: TensorLike | None = None, minlength: TensorLike | None = None, maxlength: TensorLike | None = None,
             dtype: DTypeLike = dtypes.int32) -> Tensor:
    """How often each number from 0 on is in `arr`, or the sum of its weights."""
    with stacks.get_default_graph().name_scope("bincount"):
        arr = convert_to_tensor(arr, dtypes.int32, name="arr")
        size = reduce_max(arr) + 1
        if minlength is not None:
            size = op_call.call("Maximum", None, x=convert_to_tensor(minlength, dtypes.int32), y=size)
        if maxlength is not None:
            size = op_call.call("Minimum", None, x=convert_to_tensor(maxlength, dtypes.int32), y=size)
        weights = constant([], dtype) if weights is None else weights
        return op_call.call("Bincount", None, arr=arr, size=size, weights=weights)


from troupe.reductions import *  # noqa: E402, F403, they are of this module
from troupe.reductions import reduce_max  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.typing import DTypeLike, ShapeLike, TensorLike

__all__ = [name for name, value in globals().items() if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") in (
    __name__, "troupe.reductions")]
__all__.remove("convert_to_np_type")
