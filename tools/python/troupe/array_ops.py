"""Shapes, parts and joins of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import dtypes, op_call, stacks, tensor_shape, tensor_util, thin
from troupe.composite import IndexedSlices, SparseTensor
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor, register_tensor_conversion_function
from troupe.nest import sequence_leaves
from troupe.tensor import Tensor
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor_shape import TensorShape
    from troupe.typing import DTypeLike, ShapeLike, ShapeOrTensor, TensorLike
    from troupe.variables import Variable

thin.define(globals(), """
    batch_to_space_nd(input, block_shape, crops) = BatchToSpaceND
    broadcast_dynamic_shape(shape_x:s0, shape_y:s1) = BroadcastArgs
    broadcast_to(input, shape) = BroadcastTo
    check_numerics(tensor, message) = CheckNumerics
    depth_to_space(input, block_size, name, data_format="NHWC") = DepthToSpace
    diag(diagonal) = Diag
    diag_part(input) = DiagPart
    fill(dims, value) = Fill
    guarantee_const(input) = GuaranteeConst
    identity(input) = Identity
    identity_n(input) = IdentityN
    matrix_band_part(input, num_lower, num_upper) = MatrixBandPart
    reshape(tensor, shape) = Reshape
    reverse(tensor, axis) = ReverseV2
    scatter_nd(indices, updates, shape, bad_indices_policy="") = ScatterNd
    setdiff1d(x, y, index_dtype:out_idx=None) = ListDiff
    slice(input_:input, begin, size) = Slice
    space_to_batch_nd(input, block_shape, paddings) = SpaceToBatchND
    space_to_depth(input, block_size, name, data_format="NHWC") = SpaceToDepth
    stop_gradient(input) = StopGradient
    tensor_scatter_add(tensor, indices, updates, bad_indices_policy="") = TensorScatterAdd
    tensor_scatter_update(tensor, indices, updates) = TensorScatterUpdate
    tile(input, multiples) = Tile
    unique(x, out_idx=None) = Unique
    unique_with_counts(x, out_idx=None) = UniqueWithCounts
    unravel_index(indices, dims) = UnravelIndex
""")


def _graph():
    return stacks.get_default_graph()


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> Tensor:
    """A tensor that must be fed."""
    return op_call.call("Placeholder", name, dtype=dtype, shape=shape)


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """A tensor that may be fed."""
    return op_call.call("PlaceholderWithDefault", name, input=input, shape=shape)


def sparse_placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor that must be fed."""
    rank = None if shape is None else as_shape(shape).rank
    base = (name + "/") if name is not None else None
    indices = placeholder(dtypes.int64, [None, rank], base and base + "indices")
    values = placeholder(dtype, [None], base and base + "values")
    if shape is not None and as_shape(shape).is_fully_defined():
        dense_shape = constant(np.array(as_shape(shape).as_list(), np.int64), name=base and base + "shape" or "Const")
    else:
        dense_shape = placeholder(dtypes.int64, [rank], base and base + "shape")
    return SparseTensor(indices, values, dense_shape)


def shape(input: TensorLike | SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.int32, optimize: bool = True) -> Tensor:
    """The shape as a tensor; a constant when it is known."""
    if isinstance(input, SparseTensor):
        return op_call.call("Cast", name, x=input.dense_shape, DstT=out_type)
    with _graph().name_scope(name or "Shape") as scope:
        input = convert_to_tensor(input)
        known = input.shape
        if optimize and known.is_fully_defined():
            return constant(np.array(known.as_list(), dtypes.as_dtype(out_type)._np), out_type, name=scope)
        return op_call.call("Shape", scope, input=input, out_type=out_type)


def shape_n(input: Sequence[TensorLike], out_type: DTypeLike = dtypes.int32, name: str | None = None) -> list[Tensor]:
    return op_call.call("ShapeN", name, input=input, out_type=out_type)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    with _graph().name_scope(name or "Size") as scope:
        input = convert_to_tensor(input)
        count = input.shape.num_elements()
        if count is not None:
            return constant(count, out_type, name=scope)
        return op_call.call("Size", scope, input=input, out_type=out_type)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    with _graph().name_scope(name or "Rank") as scope:
        input = convert_to_tensor(input)
        known = input.shape.rank
        return op_call.call("Rank", scope, input=input) if known is None else constant(known, dtypes.int32, name=scope)


def expand_dims(input: TensorLike, axis: TensorLike | None = None, name: str | None = None, dim: TensorLike | None = None) -> Tensor:
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return op_call.call("ExpandDims", name, input=input, dim=axis)


def squeeze(input: TensorLike, axis: int | Sequence[int] | None = None, name: str | None = None,
            squeeze_dims: int | Sequence[int] | None = None) -> Tensor:
    axis = squeeze_dims if axis is None else axis
    axis = [] if axis is None else [axis] if not isinstance(axis, (list, tuple)) else list(axis)
    return op_call.call("Squeeze", name, input=input, squeeze_dims=axis)


def transpose(a: TensorLike, perm: TensorLike | None = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """Dimensions in another order; without `perm`, the reverse one."""
    with _graph().name_scope(name) as scope:
        a = convert_to_tensor(a, name="a")
        if perm is None:
            known = a.shape.rank
            if known is None:
                count = op_call.call("Rank", None, input=a)
                perm = count - 1 - op_call.call("Range", None, start=0, limit=count, delta=1)
            else:
                perm = np.arange(known - 1, -1, -1, dtype=np.int32)
        return op_call.call("ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose", scope, x=a, perm=perm)


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    a = convert_to_tensor(a)
    count = a.shape.rank
    return transpose(a, [*range(count - 2), count - 1, count - 2], name, conjugate)


def concat(values: Sequence[TensorLike] | TensorLike, axis: TensorLike, name: str = "concat") -> Tensor:
    """One after the other in the dimension `axis`."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with _graph().name_scope(name) as scope:
            convert_to_tensor(axis, dtypes.int32, name="concat_dim").shape.assert_has_rank(0)
            return op_call.call("Identity", scope + name.split("/")[-1] if scope else name, input=values[0])
    return op_call.call("ConcatV2", name, values=values, axis=axis)


def stack(values: Sequence[TensorLike] | np.ndarray | Tensor, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape as parts of one with a new dimension `axis`."""
    if axis == 0:
        try:
            if isinstance(values, Tensor) or not any(isinstance(v, Tensor) for v in sequence_leaves(values)):
                return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass
    return op_call.call("Pack", name, values=list(values), axis=axis)


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The parts of a tensor in the dimension `axis`."""
    value = convert_to_tensor(value)
    if num is None:
        known = value.shape
        if known.rank is not None and not -known.rank <= axis < known.rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-known.rank}, {known.rank})")
        num = None if known.rank is None else known.as_list()[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {known}")
    return op_call.call("Unpack", name, value=value, num=num, axis=axis)


def split(value: TensorLike, num_or_size_splits: int | Sequence[Any] | np.ndarray | Tensor, axis: TensorLike = 0, num: int | None = None,
          name: str = "split") -> list[Tensor]:
    """Parts in the dimension `axis`: so many, or of these sizes."""
    if not isinstance(num_or_size_splits, (list, tuple, Tensor, np.ndarray)):
        return op_call.call("Split", name, split_dim=axis, num_split=int(num_or_size_splits), value=value)
    sizes = convert_to_tensor(num_or_size_splits)
    if num is None:
        num = sizes.shape.as_list()[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
    return op_call.call("SplitV", name, value=value, size_splits=sizes, split_dim=axis, num_split=num)


def _filled(value, dims, dtype, name):
    dtype = dtypes.as_dtype(dtype).base_dtype
    value = {dtypes.bool_: bool(value), dtypes.string: ""}.get(dtype, value)
    with _graph().name_scope(name) as scope:
        if not isinstance(dims, Tensor):
            static = tensor_util.static_dims(dims)
            if static is not None and int(np.prod(static, dtype=np.int64)) < 1000:
                return constant(value, dtype, static, name=scope)
            dims = convert_to_tensor(dims if static is None else np.array(static, np.int32), name="shape_as_tensor")
        return op_call.call("Fill", scope, dims=dims, value=constant(value, dtype, name="Const"))


def zeros(shape: ShapeOrTensor, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    return _filled(0, shape, dtype, name or "zeros")


def ones(shape: ShapeOrTensor, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    return _filled(1, shape, dtype, name or "ones")


def zeros_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    with _graph().name_scope(name or "zeros_like") as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dtype = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        if optimize and tensor.shape.is_fully_defined() and dtype is not dtypes.variant:
            return zeros(tensor.shape, dtype, name=scope)
        if dtype is not tensor.dtype.base_dtype and dtype is not dtypes.variant:
            return zeros(shape(tensor, optimize=optimize), dtype, name=scope)
        return op_call.call("ZerosLike", scope, x=tensor)


def ones_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    with _graph().name_scope(name or "ones_like") as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dims = shape(tensor, optimize=optimize)
        made = ones(dims, tensor.dtype.base_dtype if dtype is None else dtype, name=scope)
        made.set_shape(tensor.shape)
        return made


def gather(params: TensorLike, indices: TensorLike, validate_indices: bool | None = None, name: str | None = None,
           axis: TensorLike | None = None, batch_dims: int = 0) -> Tensor:
    """The parts of `params` at `indices` in the dimension `axis`."""
    axis = batch_dims if axis is None else axis
    if hasattr(params, "sparse_read") and axis == 0 and batch_dims == 0:
        return params.sparse_read(indices, name=name)
    return op_call.call("GatherV2", name, params=params, indices=indices, axis=axis, batch_dims=batch_dims)


def reverse_sequence(input: TensorLike, seq_lengths: TensorLike, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None,
                     seq_dim: int | None = None, batch_dim: int | None = None) -> Tensor:
    """The first `seq_lengths[i]` parts in dimension `seq_axis` turned round, for each part i in dimension `batch_axis`."""
    seq_dim = seq_axis if seq_dim is None else seq_dim
    batch_dim = batch_axis if batch_dim is None else batch_dim
    return op_call.call("ReverseSequence", name, input=input, seq_lengths=seq_lengths, seq_dim=seq_dim, batch_dim=batch_dim or 0)


def pad(tensor: TensorLike, paddings: TensorLike, mode: str = "CONSTANT", name: str | None = None, constant_values: TensorLike = 0) -> Tensor:
    mode = mode.upper()
    if mode == "CONSTANT":
        if not isinstance(constant_values, Tensor) and np.ndim(constant_values) == 0 and constant_values == 0:
            return op_call.call("Pad", name, input=tensor, paddings=paddings)
        return op_call.call("PadV2", name, input=tensor, paddings=paddings, constant_values=constant_values)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Value of argument `mode` expected to be one of 'CONSTANT', 'REFLECT', or 'SYMMETRIC'. Received `mode` = {mode}")
    return op_call.call("MirrorPad", name, input=tensor, paddings=paddings, mode=mode)


def one_hot(indices: TensorLike, depth: TensorLike, on_value: TensorLike | None = None, off_value: TensorLike | None = None, axis: int | None = None,
            dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    with _graph().name_scope(name or "one_hot") as scope:
        if dtype is None:
            given = [v for v in (on_value, off_value) if v is not None]
            dtype = convert_to_tensor(given[0]).dtype if given else dtypes.float32
        on = convert_to_tensor(1 if on_value is None else on_value, dtype, name="on_value")
        off = convert_to_tensor(0 if off_value is None else off_value, dtype, name="off_value")
        return op_call.call("OneHot", scope, indices=indices, depth=depth, on_value=on, off_value=off, axis=-1 if axis is None else axis)


def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition`, else of `y`; without them, where it is true."""
    if x is None and y is None:
        condition = convert_to_tensor(condition, dtypes.bool_, name="condition") if not isinstance(condition, Tensor) else condition
        return op_call.call("Where", name, input=condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return op_call.call("Select", name, condition=condition, t=x, e=y)


def where_v2(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None) -> Tensor:
    if x is None and y is None:
        return where(condition, name=name)
    return op_call.call("SelectV2", name, condition=condition, t=x, e=y)


def boolean_mask(tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: int | None = None) -> Tensor:
    """The parts of `tensor` where `mask` is true; it covers dimensions from `axis` on."""
    with _graph().name_scope(name):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, dtypes.bool_, name="mask")
        axis = 0 if axis is None else axis
        covered = mask.shape.rank
        if covered is None:
            raise ValueError("Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, but "
                             "shape=None is not.")
        if covered == 0:
            raise ValueError("mask cannot be scalar.")
        tensor.shape[axis:axis + covered].assert_is_compatible_with(mask.shape)
        count = op_call.call("Prod", None, input=shape(tensor)[axis:axis + covered], reduction_indices=[0])
        flat = reshape(tensor, concat([shape(tensor)[:axis], [count], shape(tensor)[axis + covered:]], 0))
        places = squeeze(where(reshape(mask, [-1])), axis=[1])
        return gather(flat, places, axis=axis)


def sequence_mask(lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = dtypes.bool_, name: str | None = None) -> Tensor:
    """[..., maxlen]: true where the last index is less than the length. Without maxlen it is the greatest length. ValueError for one that is no
    scalar."""
    with _graph().name_scope(name or "SequenceMask"):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = op_call.call("Max", None, input=lengths, reduction_indices=np.arange(lengths.shape.rank, dtype=np.int32))
            maxlen = op_call.call("Maximum", None, x=constant(0, maxlen.dtype), y=maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank not in (None, 0):
            raise ValueError(f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape '{maxlen.shape}' instead")
        row = op_call.call("Range", None, start=constant(0, maxlen.dtype), limit=maxlen, delta=constant(1, maxlen.dtype))
        lengths = op_call.call("Cast", None, x=expand_dims(lengths, -1), DstT=maxlen.dtype)
        mask = op_call.call("Less", None, x=row, y=lengths)
        return mask if dtype is None or dtypes.as_dtype(dtype) is dtypes.bool_ else op_call.call("Cast", None, x=mask, DstT=dtype)


def meshgrid(*args: TensorLike, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """Grids of coordinates: an array for each argument, of as many dimensions."""
    with _graph().name_scope(name):
        count = len(args)
        flat = [reshape(stack(x), (1,) * i + (-1,) + (1,) * (count - i - 1)) for i, x in enumerate(args)]
        sizes = [size(x) for x in args]
        if indexing == "xy" and count > 1:
            flat[0] = reshape(flat[0], (1, -1) + (1,) * (count - 2))
            flat[1] = reshape(flat[1], (-1, 1) + (1,) * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        whole = ones(stack(sizes), flat[0].dtype)
        return [x * whole for x in flat]


def strided_slice(input_: TensorLike, begin: TensorLike, end: TensorLike, strides: TensorLike | None = None, begin_mask: int = 0,
                  end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Variable | None = None,
                  name: str | None = None) -> Tensor:
    strides = ones_like(begin) if strides is None else strides
    return op_call.call("StridedSlice", name, input=input_, begin=begin, end=end, strides=strides, begin_mask=begin_mask,
                        end_mask=end_mask, ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The shape that both broadcast to. ValueError when there is none."""
    a, b = as_shape(shape_x), as_shape(shape_y)
    if a.rank is None or b.rank is None:
        return tensor_shape.unknown_shape()
    dims = []
    left, right = a.as_list()[::-1], b.as_list()[::-1]
    for i in range(max(len(left), len(right))):
        m, n = (side[i] if i < len(side) else 1 for side in (left, right))
        if m is not None and n is not None and m != n and 1 not in (m, n):
            raise ValueError(f"Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either equal "
                             f"or one of them is 1. Received: {a} and {b}.")
        dims.append(n if m == 1 else m if n == 1 or n is None and m is not None and m > 1 else n)
    return tensor_shape.TensorShape(dims[::-1])


def _pack_nest(value, dtype, graph_name):
    """A nest that has tensors in it as one tensor."""
    items = []
    for v in value:
        if isinstance(v, (list, tuple)):
            v = _pack_nest(v, dtype, None)
        items.append(convert_to_tensor(v, dtype))
    return op_call.call("Pack", graph_name, values=items)


def _convert_sequence(value, dtype=None, name=None, as_ref=False):
    found = next((v for v in sequence_leaves(value) if isinstance(v, Tensor) or hasattr(v, "_as_graph_element")), None)
    if found is None:
        return _convert_dimensions(value, dtype, name)
    inferred = dtype or found.dtype.base_dtype
    return _pack_nest(value, inferred, name or "packed")


def _convert_dimensions(value, dtype, name):
    """Lists with Dimensions in them, which are numbers."""
    if not any(isinstance(v, tensor_shape.Dimension) for v in sequence_leaves(value)):
        return NotImplemented
    plain = [v.value if isinstance(v, tensor_shape.Dimension) else v for v in value]
    return constant(plain, dtype or dtypes.int32, name=name or "Const")


def _convert_slices(value, dtype=None, name=None, as_ref=False):
    """IndexedSlices as the tensor that they are rows of."""
    if value.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices for argument {name} without dense_shape: {value!s}")
    return op_call.call("UnsortedSegmentSum", name, data=value.values, segment_ids=value.indices, num_segments=value.dense_shape[0])


register_tensor_conversion_function((list, tuple), _convert_sequence, 99)
register_tensor_conversion_function(IndexedSlices, _convert_slices)
