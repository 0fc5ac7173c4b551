"""Crosses of features: all pairs, triples, ... of what is in rows of sparse and dense tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, math_ops, op_call
from troupe.composite import SparseTensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

# What hashes begin with when no key is given.
_HASH_KEY = 0xDECAFCAFFE


def _inputs(inputs):
    """Inputs as the ops take them: sparse ones, then dense ones, texts or int64. TypeError for anything else."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in inputs):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [i for i in inputs if isinstance(i, SparseTensor)]
    values, dense = ([v if v.dtype is dtypes.string else math_ops.cast(v, dtypes.int64) for v in given]
                     for given in ([s.values for s in sparse], [i for i in inputs if not isinstance(i, SparseTensor)]))
    return dict(indices=[s.indices for s in sparse], values=values, shapes=[s.dense_shape for s in sparse], dense_inputs=dense)


def sparse_cross(inputs: Sequence[SparseTensor | Tensor], name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Of tensors [batch, ids] all combinations of an id of each in each row, as texts with `separator` ("_X_") between. TypeError for others."""
    return SparseTensor(*op_call.call("SparseCrossV2", name, sep="_X_" if separator is None else separator, **_inputs(inputs)))


def sparse_cross_hashed(inputs: Sequence[SparseTensor | Tensor], num_buckets: int = 0, hash_key: int | None = None,
                        name: str | None = None) -> SparseTensor:
    """The same as hashes of the combinations, int64, below `num_buckets` unless that is 0. TypeError for others."""
    given = _inputs(inputs)
    texts = all(v.dtype is dtypes.string for v in (*given["values"], *given["dense_inputs"]))
    return SparseTensor(*op_call.call("SparseCross", name, hashed_output=True, num_buckets=num_buckets, hash_key=hash_key or _HASH_KEY,
                                      out_type=dtypes.int64, internal_type=dtypes.string if texts else dtypes.int64, **given))
