"""Functions over the parts of tensors in their first dimension, as loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, nest, stacks
from troupe.constant_op import constant
from troupe.control_flow_ops import while_loop
from troupe.conversion import convert_to_tensor
from troupe.tensor_array_ops import TensorArray
from troupe.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from troupe.typing import DTypeLike, Nest

__all__ = ["foldl", "foldr", "map_fn", "scan"]


def _check(fn, elems):
    if not callable(fn):
        raise TypeError(f"The provided function {getattr(fn, '__name__', fn)} is not callable.fn must be callable.")
    if not nest.flatten(elems):
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors. Got {}, which does not contain any Tensors.".format(elems))


class _Elements:
    """The parts of the tensors of a nest: how many they are, and what stands for the number `i`."""

    def __init__(self, elems):
        self._structure = elems
        self.flat = [convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        for t in self.flat:
            if t.shape.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        self.count = self.flat[0].shape[0].value or array_ops.shape(self.flat[0])[0]
        self._arrays = [TensorArray(t.dtype, size=self.count, dynamic_size=False, infer_shape=True).unstack(t) for t in self.flat]

    def read(self, i):
        return nest.pack_sequence_as(self._structure, [a.read(i) for a in self._arrays])

    def set_count(self, results):
        known = self.flat[0].shape[0].value
        for t in self.flat[1:]:
            known = t.shape[0].value if known is None else known
        for r in results:
            r.set_shape(TensorShape([known]).concatenate(r.shape[1:]))


def map_fn(fn: Callable[..., Any], elems: Nest, dtype: DTypeLike | None = None, parallel_iterations: int | None = None, back_prop: bool = True,
           swap_memory: bool = False, infer_shape: bool = True, name: str | None = None, fn_output_signature: Any = None) -> Any:
    """fn(part) of each part of `elems`, put together. A nest is taken apart as a whole; `dtype` is the nest of dtypes that `fn` gives, where it
    is another than that of `elems`."""
    _check(fn, elems)
    dtype = dtype if fn_output_signature is None else fn_output_signature
    with stacks.get_default_graph().name_scope(name or "map"):
        parts = _Elements(elems)
        structure = elems if dtype is None else dtype
        kinds = [t.dtype for t in parts.flat] if dtype is None else nest.flatten(dtype)
        i = constant(0)
        arrays = [TensorArray(k, size=parts.count, dynamic_size=False, infer_shape=infer_shape) for k in kinds]

        def compute(i, arrays):
            given = fn(parts.read(i))
            nest.assert_same_structure(structure, given)
            return i + 1, [a.write(i, v) for a, v in zip(arrays, nest.flatten(given))]

        _, arrays = while_loop(lambda i, _: i < parts.count, compute, (i, arrays), parallel_iterations=parallel_iterations or 10,
                               back_prop=back_prop, swap_memory=swap_memory, maximum_iterations=parts.count)
        results = [a.stack() for a in arrays]
        parts.set_count(results)
        return nest.pack_sequence_as(structure, results)


def _fold(fn, elems, initializer, backwards, name, options):
    _check(fn, elems)
    with stacks.get_default_graph().name_scope(name):
        parts = _Elements(elems)
        if backwards:
            i = parts.count if initializer is not None else parts.count - 1
            i = convert_to_tensor(i)
            first = parts.read(i) if initializer is None else initializer
        else:
            first = parts.read(0) if initializer is None else initializer
            i = constant(1 if initializer is None else 0)

        def forwards_step(i, a):
            part = parts.read(i)
            return [i + 1, fn(a, part)]

        def backwards_step(i, a):
            i = i - 1
            return [i, fn(a, parts.read(i))]

        if backwards:
            _, result = while_loop(lambda i, a: i > 0, backwards_step, [i, first], maximum_iterations=parts.count, **options)
        else:
            _, result = while_loop(lambda i, a: i < parts.count, forwards_step, [i, first], maximum_iterations=parts.count, **options)
        return result


def foldl(fn: Callable[..., Any], elems: Nest, initializer: Any = None, parallel_iterations: int | None = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """fn(... fn(fn(initializer, part 0), part 1) ...); without an initializer the first part is it."""
    return _fold(fn, elems, initializer, False, name or "foldl",
                 {"parallel_iterations": parallel_iterations, "back_prop": back_prop, "swap_memory": swap_memory})


def foldr(fn: Callable[..., Any], elems: Nest, initializer: Any = None, parallel_iterations: int | None = 10, back_prop: bool = True,
          swap_memory: bool = False, name: str | None = None) -> Any:
    """The same from the last part to the first."""
    return _fold(fn, elems, initializer, True, name or "foldr",
                 {"parallel_iterations": parallel_iterations, "back_prop": back_prop, "swap_memory": swap_memory})


def scan(fn: Callable[..., Any], elems: Nest, initializer: Any = None, parallel_iterations: int | None = 10, back_prop: bool = True,
         swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False, name: str | None = None) -> Any:
    """All that foldl goes through (`reverse`: from the last part on), put together: as many as there are parts."""
    _check(fn, elems)
    structure = elems if initializer is None else initializer
    with stacks.get_default_graph().name_scope(name or "scan"):
        parts = _Elements(elems)
        begin = parts.count - 1 if reverse else 0
        if initializer is None:
            first, i = nest.flatten(parts.read(begin)), 1
        else:
            first, i = [convert_to_tensor(v) for v in nest.flatten(initializer)], 0
        arrays = [TensorArray(v.dtype, size=parts.count, element_shape=v.shape if infer_shape else None, dynamic_size=False,
                              infer_shape=infer_shape) for v in first]
        if initializer is None:
            arrays = [a.write(begin, v) for a, v in zip(arrays, first)]

        def compute(i, flat, arrays):
            part = parts.read(i)
            given = fn(nest.pack_sequence_as(structure, flat), part)
            nest.assert_same_structure(structure, given)
            flat = nest.flatten(given)
            arrays = [a.write(i, v) for a, v in zip(arrays, flat)]
            return i - 1 if reverse else i + 1, flat, arrays

        start = parts.count - 1 - i if reverse else constant(i)
        _, _, arrays = while_loop(lambda i, *_: i >= 0 if reverse else i < parts.count, compute, (start, first, arrays),
                                  parallel_iterations=parallel_iterations, back_prop=back_prop, swap_memory=swap_memory,
                                  maximum_iterations=parts.count)
        results = [a.stack() for a in arrays]
        parts.set_count(results)
        return nest.pack_sequence_as(structure, results)
