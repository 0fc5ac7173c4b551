"""Functions of ragged tensors that few programs need: masks, stacks, crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, check_ops, dtypes, math_ops, op_call, sort_ops, stacks
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.dataset_methods import _from_tensor
from troupe.dataset_specs import composite_of, is_composite
from troupe.ragged_tensor import RaggedTensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

    _Ragged = TensorLike | RaggedTensor

# What hashes begin with when no key is given.
_HASH_KEY = 0xDECAFCAFFE


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _ragged_or_dense(value, dtype=None):
    return composite_of(value) if is_composite(value) else convert_to_tensor(value, dtype)


def _ragged_by(value, rank, dtype):
    """A tensor with so many ragged dimensions."""
    return value if isinstance(value, RaggedTensor) else _from_tensor(RaggedTensor, value, rank, dtype)


def boolean_mask(data: _Ragged, mask: _Ragged, name: str | None = None) -> RaggedTensor | Tensor:
    """What of `data` stands where the mask is true: of a mask with one dimension rows, of one with more a ragged tensor of its rank, with as many rows as
    before. ValueError for a mask that is a scalar or of unknown rank."""
    with _scope(name, "RaggedMask"):
        data, mask = _ragged_or_dense(data), _ragged_or_dense(mask, dtypes.bool_)
        rank = mask.shape.rank
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(mask, RaggedTensor):
            return _by_ragged_mask(_ragged_by(data, mask.ragged_rank, mask.row_splits.dtype), mask)
        if isinstance(data, RaggedTensor):
            if rank > 1:
                return _by_ragged_mask(data, _ragged_by(mask, min(data.ragged_rank, rank - 1), data.row_splits.dtype))
            rows = array_ops.gather(mask, data.value_rowids())
            return RaggedTensor.from_row_lengths(boolean_mask(data.values, rows), array_ops.boolean_mask(data.row_lengths(), mask), validate=False)
        made = array_ops.boolean_mask(data, mask)
        if rank == 1:
            return made
        counts = math_ops.reduce_sum(math_ops.cast(mask, dtypes.int64), axis=-1)
        made = RaggedTensor.from_row_lengths(made, array_ops.reshape(counts, [-1]), validate=False)
        sizes = array_ops.shape(mask, out_type=dtypes.int64)
        for axis in range(rank - 3, -1, -1):
            rows = math_ops.reduce_prod(sizes[:axis + 1])
            made = RaggedTensor.from_row_splits(made, math_ops.range(rows + 1) * sizes[axis + 1], validate=False)
        return made


def _by_ragged_mask(data, mask):
    check = check_ops.assert_equal(data.row_splits, mask.row_splits, message="Inputs must have identical ragged splits")
    with stacks.get_default_graph().control_dependencies([check]):
        kept = boolean_mask(data.values, mask.values)
        if isinstance(mask.values, RaggedTensor) or mask.values.shape.rank != 1:
            return RaggedTensor.from_row_splits(kept, mask.row_splits, validate=False)
        # Counted by the ends of rows in the running count, so that empty rows count nothing.
        before = array_ops.concat([[0], math_ops.cumsum(math_ops.cast(mask.values, mask.row_splits.dtype))], 0)
        return RaggedTensor.from_row_splits(kept, array_ops.gather(before, mask.row_splits), validate=False)


def stack(values: Sequence[_Ragged] | _Ragged, axis: int = 0, name: str | None = None) -> RaggedTensor:
    """Ragged or dense tensors of one rank in a new dimension: the first, or, of as many rows, the second. ValueError for other dimensions and ranks."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise ValueError("values may not be an empty list.")
    with _scope(name, "RaggedConcat"):
        parts = [_ragged_or_dense(v) for v in values]
        ranks = {p.shape.rank for p in parts}
        if len(ranks) > 1:
            raise ValueError(f"values must all have the same rank, got {sorted(map(str, ranks))}")
        rank = ranks.pop()
        at = axis + rank + 1 if axis < 0 else axis
        if at not in (0, 1) or rank < 1:
            raise ValueError(f"Ragged tensors are stacked in dimension 0 or 1 here, got axis={axis} of rank {rank}.")
        depth = max((p.ragged_rank for p in parts if isinstance(p, RaggedTensor)), default=0)
        splits_dtype = next((p.row_splits.dtype for p in parts if isinstance(p, RaggedTensor)), dtypes.int64)
        if rank == 1:
            counts = [array_ops.shape(p, out_type=splits_dtype)[0] for p in parts]
            if at == 1:
                return _ragged_by(array_ops.stack(parts, axis=1), 1, splits_dtype)
            return RaggedTensor.from_row_lengths(array_ops.concat(parts, 0), array_ops.stack(counts), validate=False)
        parts = [_ragged_by(p, max(depth, 1), splits_dtype) for p in parts]
        whole = _concat_rows(parts)
        counts = array_ops.stack([p.nrows() for p in parts])
        if at == 0:
            return RaggedTensor.from_row_lengths(whole, counts, validate=False)
        rows = parts[0].nrows()
        order = array_ops.reshape(array_ops.transpose(array_ops.reshape(math_ops.range(rows * len(parts)), [len(parts), -1])), [-1])
        return RaggedTensor.from_row_lengths(_gather_rows(whole, order), array_ops.fill(array_ops.reshape(rows, [1]), math_ops.cast(len(parts), rows.dtype)),
                                             validate=False)


def _concat_rows(parts):
    """All rows of ragged tensors of one ragged rank, one after the other."""
    if not isinstance(parts[0], RaggedTensor):
        return array_ops.concat(parts, 0)
    lengths = array_ops.concat([p.row_lengths() for p in parts], 0)
    return RaggedTensor.from_row_lengths(_concat_rows([p.values for p in parts]), lengths, validate=False)


def _gather_rows(ragged, order):
    """Rows by their numbers."""
    if not isinstance(ragged, RaggedTensor):
        return array_ops.gather(ragged, order)
    made = op_call.call("RaggedGather", None, params_nested_splits=list(ragged.nested_row_splits), params_dense_values=ragged.flat_values, indices=order,
                        OUTPUT_RAGGED_RANK=ragged.ragged_rank)
    return RaggedTensor.from_nested_row_splits(made.output_dense_values, made.output_nested_splits, validate=False)


def stack_dynamic_partitions(data: _Ragged, partitions: _Ragged, num_partitions: TensorLike, name: str | None = None) -> RaggedTensor:
    """Row i has the values of `data` whose partition is i, in their order. InvalidArgumentError from the step for other partitions."""
    with _scope(name, "SegmentStack"):
        data, partitions = _ragged_or_dense(data), _ragged_or_dense(partitions)
        rank = partitions.shape.rank
        if rank is None:
            raise ValueError("partitions must have known rank.")
        if rank > 1:
            data = _ragged_by(data, 1, dtypes.int64)
            partitions = _ragged_by(partitions, max(data.ragged_rank, rank - 1), data.row_splits.dtype)
            check = check_ops.assert_equal(data.row_splits, partitions.row_splits, message="data and partitions have incompatible ragged shapes")
            with stacks.get_default_graph().control_dependencies([check]):
                return stack_dynamic_partitions(data.values, partitions.values, num_partitions)
        count = math_ops.cast(num_partitions, partitions.dtype)
        if rank == 0:
            return RaggedTensor.from_value_rowids(array_ops.stack([data]), array_ops.stack([partitions]), count, validate=False)
        order = sort_ops.argsort(partitions, stable=True)
        rows, values = array_ops.gather(partitions, order), _gather_rows(data, order)
        checks = [check_ops.assert_less(rows[-1:], count, message="partitions must be less than num_partitions"),
                  check_ops.assert_non_negative(partitions, message="partitions must be non-negative.")]
        with stacks.get_default_graph().control_dependencies(checks):
            return RaggedTensor.from_value_rowids(values, array_ops.identity(rows), count, validate=False)


def _crossed(inputs, hashed, num_buckets, hash_key, name):
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    kinds: dict[str, list[Any]] = {"R": [], "S": [], "D": []}
    order = ""
    with _scope(name, "RaggedCross"):
        for i, given in enumerate(inputs):
            part = _as_ids(_ragged_or_dense(given), i)
            kind = "R" if isinstance(part, RaggedTensor) else "S" if isinstance(part, SparseTensor) else "D"
            if kind == "R" and part.ragged_rank != 1:
                raise ValueError("tf.ragged.cross only supports inputs with rank=2")
            kinds[kind].append(part)
            order += kind
        narrow = kinds["R"] and all(r.row_splits.dtype is dtypes.int32 for r in kinds["R"])
        values, splits = op_call.call(
            "RaggedCross", None, ragged_values=[r.values for r in kinds["R"]], ragged_row_splits=[r.row_splits for r in kinds["R"]],
            sparse_indices=[s.indices for s in kinds["S"]], sparse_values=[s.values for s in kinds["S"]], sparse_shape=[s.dense_shape for s in kinds["S"]],
            dense_inputs=kinds["D"], input_order=order, hashed_output=hashed, num_buckets=num_buckets, hash_key=hash_key,
            out_values_type=dtypes.int64 if hashed else dtypes.string, out_row_splits_type=dtypes.int32 if narrow else dtypes.int64)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _as_ids(part, number):
    if part.dtype is dtypes.string:
        return part
    if not part.dtype.is_integer:
        raise ValueError(f"Unexpected dtype for inputs[{number}]: {part.dtype}")
    if isinstance(part, RaggedTensor):
        return part.with_values(math_ops.cast(part.values, dtypes.int64))
    if isinstance(part, SparseTensor):
        return SparseTensor(part.indices, math_ops.cast(part.values, dtypes.int64), part.dense_shape)
    return math_ops.cast(part, dtypes.int64)


def cross(inputs: Sequence[Any], name: str | None = None) -> RaggedTensor:
    """Of ragged, sparse or dense tensors [batch, ids] all combinations of an id of each in each row, as texts with "_X_" between. TypeError or ValueError for
    others."""
    return _crossed(inputs, False, 0, _HASH_KEY, name)


def cross_hashed(inputs: Sequence[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None) -> RaggedTensor:
    """The same as hashes of the combinations, int64, below `num_buckets` unless that is 0."""
    return _crossed(inputs, True, num_buckets, _HASH_KEY if hash_key is None else hash_key, name)


# Numbers that are counted.


def sparse_bincount(values: Any, weights: Any = None, axis: int | None = 0, minlength: int | None = None, maxlength: int | None = None,
                    binary_output: bool = False, name: str | None = None) -> SparseTensor:
    """How often each number is among integers: of all with axis 0, as a sparse vector, or of each row with axis -1, as a sparse matrix; the sum of weights where
    they are given, or once with `binary_output`. Numbers of `maxlength` and more are not counted; the last size is `minlength` at least. ValueError for other
    axes."""
    if axis not in (0, -1, None):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    with _scope(name, "count"):
        limits = {"minlength": -1 if minlength is None else minlength, "maxlength": -1 if maxlength is None else maxlength, "binary_output": binary_output}
        values = _ragged_or_dense(values)
        weights = None if weights is None else _ragged_or_dense(weights)
        if axis in (0, None):
            values, weights = (None if t is None else _flat(t) for t in (values, weights))
        return SparseTensor(*_counted(values, weights, limits))


def _flat(tensor):
    if isinstance(tensor, RaggedTensor):
        return tensor.flat_values
    return tensor.values if isinstance(tensor, SparseTensor) else array_ops.reshape(tensor, [-1])


def _counted(values, weights, limits):
    if isinstance(values, RaggedTensor):
        return op_call.call("RaggedCountSparseOutput", None, splits=math_ops.cast(values.row_splits, dtypes.int64), values=values.values,
                            weights=array_ops.constant([], values.dtype) if weights is None else weights.values, **limits)
    if isinstance(values, SparseTensor):
        return op_call.call("SparseCountSparseOutput", None, indices=values.indices, values=values.values, dense_shape=values.dense_shape,
                            weights=array_ops.constant([], values.dtype) if weights is None else weights.values, **limits)
    return op_call.call("DenseCountSparseOutput", None, values=values, weights=array_ops.constant([], values.dtype) if weights is None else weights, **limits)
