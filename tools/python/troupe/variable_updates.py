"""Methods of variables that update some of their rows or elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from troupe.composite import IndexedSlices
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


class RowUpdates:
    """For both kinds of variables: rows are IndexedSlices (TypeError for others); elements are at `indices`, whose last dimension holds their
    places. Each gives the variable's value afterwards."""

    if TYPE_CHECKING:  # What each kind of variables defines.
        _scatter = cast(Any, None)

    def _scatter_rows(self, kind, slices, use_locking, name):
        from troupe.composite import IndexedSlices

        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
        return self._scatter("Scatter" + kind, slices.indices, slices.values, use_locking, name)

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Add", sparse_delta, use_locking, name)

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Sub", sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Update", sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Max", sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Min", sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Mul", sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        return self._scatter_rows("Div", sparse_delta, use_locking, name)

    def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
        return self._scatter("ScatterNdAdd", indices, updates, True, name)

    def scatter_nd_sub(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
        return self._scatter("ScatterNdSub", indices, updates, True, name)

    def scatter_nd_update(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
        return self._scatter("ScatterNdUpdate", indices, updates, True, name)
