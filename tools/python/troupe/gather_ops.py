"""Parts of tensors by their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def gather_nd(params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = "") -> Tensor:
    """The parts of `params` whose places the last dimension of `indices` holds. The first `batch_dims` dimensions, of known rank, go together."""
    if batch_dims == 0:
        if hasattr(params, "handle"):
            return op_call.call("ResourceGatherNd", name, resource=params.handle, indices=indices, dtype=params.dtype)
        return op_call.call("GatherNd", name, params=params, indices=indices, bad_indices_policy=bad_indices_policy)
    with _scope(name or "GatherNd"):
        params, indices = convert_to_tensor(params), convert_to_tensor(indices)
        if indices.shape.rank is None or not 0 <= batch_dims < indices.shape.rank:
            raise ValueError(f"batch_dims = {batch_dims} must be less than rank(indices) = {indices.shape.rank}")
        sizes = array_ops.shape(indices)
        rows = [op_call.call("Range", None, start=0, limit=sizes[i], delta=1) for i in range(batch_dims)]
        places = [array_ops.expand_dims(p, -1) for p in array_ops.meshgrid(*rows, indexing="ij")]
        tail = indices.shape.rank - 1 - batch_dims
        for _ in range(tail):
            places = [array_ops.expand_dims(p, batch_dims) for p in places]
        whole = array_ops.concat([sizes[:-1], [1]], 0)
        places = [array_ops.broadcast_to(op_call.call("Cast", None, x=p, DstT=indices.dtype), whole) for p in places]
        return op_call.call("GatherNd", None, params=params, indices=array_ops.concat([*places, indices], -1),
                            bad_indices_policy=bad_indices_policy)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Gather in the last dimension of `indices`, for each of the outer ones."""
    with _scope(name or "BatchGather"):
        indices = convert_to_tensor(indices, name="indices")
        if indices.shape.rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return array_ops.gather(params, indices, axis=indices.shape.rank - 1, batch_dims=indices.shape.rank - 1)
