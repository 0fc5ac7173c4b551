"""Assertions about several shapes at once: tf.debugging.assert_shapes."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, control_flow_ops, dtypes, math_ops, stacks
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from troupe.tensor import Operation
    from troupe.typing import TensorLike

# A tensor, its sizes as far as they are known, what they are to be, and whether these are the last only.
_Wanted = namedtuple("_Wanted", "tensor sizes symbols innermost")


def _name(tensor):
    return str(tensor) if isinstance(tensor, SparseTensor) else tensor.name


def _sizes(tensor):
    """The sizes of a tensor, of a scalar one 1; numbers where they are known, else tensors."""
    shape = tensor.dense_shape if isinstance(tensor, SparseTensor) else array_ops.shape(tensor)
    rank = tensor.shape.rank
    if rank == 0:
        return [1]
    if rank is not None:
        return [math_ops.cast(shape[i], dtypes.int32) if size is None else size for i, size in enumerate(tensor.shape.as_list())]
    shape = math_ops.cast(shape, dtypes.int32)
    return control_flow_ops.cond(math_ops.equal(array_ops.size(shape), 0), lambda: array_ops.constant([1]), lambda: shape)


def _wanted(tensor, symbols, prefix):
    if not hasattr(symbols, "__iter__") and not hasattr(symbols, "__getitem__"):
        raise ValueError(f"{prefix}Tensor {_name(tensor)}.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or `__getitem__`.  "
                         f"Received specified shape: {symbols}")
    symbols = tuple(symbols)
    for i, symbol in enumerate(symbols):
        if symbol in (Ellipsis, "*") and i:
            raise ValueError(f"{prefix}Tensor {_name(tensor)} specified shape index {i}.  Symbol `...` or `*` for a variable number of unspecified dimensions "
                             "is only allowed as the first entry")
    innermost = bool(symbols) and symbols[0] in (Ellipsis, "*")
    return _Wanted(tensor, _sizes(tensor), (symbols[1:] if innermost else symbols) or (1,), innermost)


def _number(value):
    try:
        return None if value is None else int(value)
    except (TypeError, ValueError):
        return None


def assert_shapes(shapes: Mapping[Any, Any] | Iterable[tuple[Any, Any]], data: Sequence[TensorLike] | None = None, summarize: int | None = None,
                  message: str | None = None, name: str | None = None) -> Operation:
    """The operation that checks shapes of tensors: {tensor: sizes} or [(tensor, sizes)], where a size is a number, a symbol, which means the same size wherever
    it stands, or None or "." for any; `...` or "*" comes first, for any number of dimensions. ValueError for what is known not to be so, else
    InvalidArgumentError from the step."""
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    prefix = f"{message}.  " if message else ""
    with stacks.get_default_graph().name_scope(name or "assert_shapes"):
        wanted = [_wanted(t if isinstance(t, SparseTensor) else convert_to_tensor(t), s, prefix) for t, s in pairs if s is not None]
        ranks = [check for w in wanted for check in _rank_checks(w, data, summarize, message, name)]
        checks = _size_checks(wanted, ranks, prefix, data, summarize)
        with stacks.get_default_graph().control_dependencies(ranks):
            return control_flow_ops.group(*checks)


def _rank_checks(wanted, data, summarize, message, name):
    rank, more = len(wanted.symbols), dict(data=data, summarize=summarize, message=message, name=name)
    if wanted.innermost:
        return [] if rank < 2 else [check_ops.assert_rank_at_least(wanted.tensor, rank, **more)]
    if rank < 2:
        return [check_ops.assert_rank_in(wanted.tensor, [0, 1], **more)]
    return [check_ops.assert_rank(wanted.tensor, rank, **more)]


def _size_checks(all_wanted, ranks, prefix, data, summarize):
    known, checks = {}, []
    for wanted in all_wanted:
        for i, symbol in enumerate(wanted.symbols):
            if symbol in (None, "."):
                continue
            place = i - len(wanted.symbols) if wanted.innermost else i
            with stacks.get_default_graph().control_dependencies(ranks):
                actual = wanted.sizes[place]
            number = _number(symbol)
            if number is None and symbol not in known:
                known[symbol] = actual, wanted.tensor, place
                continue
            if number is not None:
                size, by = number, "Specified explicitly"
            else:
                size, other, at = known[symbol]
                by = f"Specified by tensor {_name(other)} dimension {at}"
            checks += _size_check(wanted.tensor, place, actual, size, by, prefix, data, summarize)
    return checks


def _size_check(tensor, place, actual, size, by, prefix, data, summarize):
    if isinstance(actual, int) and isinstance(size, int):
        if actual != size:
            raise ValueError(f"{prefix}{by}.  Tensor {_name(tensor)} dimension {place} must have size {size}.  Received size {actual}, shape {tensor.shape}")
        return []
    if data is None:
        shape = tensor.dense_shape if isinstance(tensor, SparseTensor) else array_ops.shape(tensor)
        data = [prefix, by, f"Tensor {_name(tensor)} dimension", place, "must have size", size, "Received shape: ", shape]
    condition = math_ops.equal(convert_to_tensor(actual), convert_to_tensor(size))
    return [control_flow_ops.Assert(condition, data, summarize=summarize)]
