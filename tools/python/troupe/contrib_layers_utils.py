"""tf.contrib.layers.utils: names of outputs, sizes as tuples, conditions that may be known; tf.contrib.slim's summaries and analysis of models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from troupe import nn, ops, summary
from troupe.control_flow_ops import cond
from troupe.contrib_layers import convert_collection_to_dict  # noqa: F401, it is of this module, too
from troupe.conversion import convert_to_tensor
from troupe.layer import smart_constant
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from troupe.graph import Graph
    from troupe.tensor import Tensor
    from troupe.typing import ShapeLike, TensorLike
    from troupe.variables import Variable


def collect_named_outputs(collections: str | Sequence[str] | None, alias: str, outputs: Tensor) -> Tensor:
    """The outputs, which are in the collections under another name."""
    if collections:
        append_tensor_alias(outputs, alias)
        ops.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Tensor, alias: str) -> Tensor:
    """The tensor, with one more name; without "/" at its end."""
    tensor.aliases = [*getattr(tensor, "aliases", []), alias.rstrip("/")]  # type: ignore[attr-defined]
    return tensor


def get_tensor_aliases(tensor: Tensor) -> list[str]:
    """Its other names, or else its own without ":0"."""
    return getattr(tensor, "aliases", None) or [tensor.name.removesuffix(":0")]


def gather_tensors_aliases(tensors: Iterable[Tensor]) -> list[str]:
    return [alias for t in tensors for alias in get_tensor_aliases(t)]


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """What is known of a value while the graph is made, or None. ValueError for None."""
    if value_or_tensor_or_var is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    from troupe.tensor_util import constant_value as known

    return known(convert_to_tensor(value_or_tensor_or_var, dtype))


def smart_condition(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """One of both functions where the condition is known, else both as branches."""
    known = smart_constant(pred)
    if known is not None:
        return fn1() if known else fn2()
    return cond(pred, fn1, fn2, name=name)


def static_condition(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """fn1() if the condition holds, else fn2(). TypeError for what is no function."""
    for f, name in ((fn1, "fn1"), (fn2, "fn2")):
        if not callable(f):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """Of {name: collections} those of a variable; a list is for all."""
    return variables_collections.get(name, None) if isinstance(variables_collections, dict) else variables_collections


def _dimension(shape, axis, min_rank):
    shape = as_shape(shape)
    if shape.rank is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.rank < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.rank}")
    size = shape.as_list()[axis]
    if size is None:
        raise ValueError(f"dimension {axis} shape must be known but is None")
    return size


def last_dimension(shape: ShapeLike, min_rank: int = 1) -> int:
    """ValueError where it, or the rank, is not known, and for smaller ranks."""
    return _dimension(shape, -1, min_rank)


def channel_dimension(shape: ShapeLike, data_format: str, min_rank: int = 1) -> int:
    """That of "NHWC" or "NCHW". ValueError as for last_dimension."""
    return _dimension(shape, 1 if data_format == "NCHW" else -1, min_rank)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """A number twice, or a pair. ValueError for other lengths and types."""
    return n_positive_integers(2, int_or_tuple)  # type: ignore[return-value]


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """A number n times, or n numbers. ValueError for other lengths and for those that are not above 0; TypeError for what is no number."""
    shape = [] if value is None else as_shape(value).as_list() if not isinstance(value, int) else [value] * n
    if len(shape) == 1:
        shape = shape * n
    if len(shape) != n or any(s is None or s < 1 for s in shape):
        raise ValueError(f"value must be {n} positive integers, or one; got {value}")
    return tuple(shape)


# Summaries of tf.contrib.slim.


def add_scalar_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False) -> Tensor:
    """A number under the prefix and its name."""
    from troupe.tensor_algebra import Print

    return summary.scalar(_tag(tensor, name, prefix), Print(tensor, [tensor], name or tensor.op.name) if print_summary else tensor)


def add_histogram_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None) -> Tensor:
    return summary.histogram(_tag(tensor, name, prefix), tensor)


def add_image_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False) -> Tensor:
    return summary.image(_tag(tensor, name, prefix), tensor)


def add_zero_fraction_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False) -> Tensor:
    """How much of a tensor is zero."""
    return add_scalar_summary(nn.zero_fraction(tensor), name or tensor.op.name, prefix or "Fraction of Zero Values", print_summary)


def _tag(tensor, name, prefix):
    name = name or tensor.op.name
    return f"{prefix}/{name}" if prefix else name


def add_scalar_summaries(tensors: Iterable[Tensor], prefix: str | None = None, print_summary: bool = False) -> list[Tensor]:
    return [add_scalar_summary(t, prefix=prefix, print_summary=print_summary) for t in tensors]


def add_histogram_summaries(tensors: Iterable[Tensor], prefix: str | None = None) -> list[Tensor]:
    return [add_histogram_summary(t, prefix=prefix) for t in tensors]


def add_image_summaries(tensors: Iterable[Tensor], prefix: str | None = None) -> list[Tensor]:
    return [add_image_summary(t, prefix=prefix) for t in tensors]


def add_zero_fraction_summaries(tensors: Iterable[Tensor], prefix: str | None = None) -> list[Tensor]:
    return [add_zero_fraction_summary(t, prefix=prefix) for t in tensors]


# Analysis of models.


def _described(shape):
    shape = as_shape(shape)
    if shape.rank is None:
        return "unknown", None
    sizes = shape.as_list()
    return "x".join("?" if s is None else str(s) for s in sizes) or "", math.prod(sizes) if None not in sizes else None


def analyze_vars(variables: Iterable[Variable], print_info: bool = False) -> tuple[int, int]:
    """(how many numbers variables hold, in how many bytes), which it prints by variable when asked."""
    size = total = 0
    if print_info:
        print("---------\nVariables: name (type shape) [size]\n---------")
    for v in variables:
        text, number = _described(v.shape)
        bytes_ = (number or 0) * v.dtype.size
        size, total = size + (number or 0), total + bytes_
        if print_info:
            print(v.name, f"({v.dtype.base_dtype.name} {text})", f"[{number}, bytes: {bytes_}]")
    if print_info:
        print(f"Total size of variables: {size}\nTotal bytes of variables: {total}")
    return size, total


def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """How many numbers the outputs of operations are, as far as shapes are known, which it prints by operation when asked."""
    total = 0
    if print_info:
        print("---------\nOperations: name -> (type shapes) [size]\n---------")
    for op in graph.get_operations():
        shapes, size = [], 0
        for out in op.outputs:
            text, number = _described(out.shape)
            shapes.append(f"({out.dtype.base_dtype.name} {text})")
            size += number or 0
        total += size
        if print_info:
            print(op.name, "\t->", ", ".join(shapes), f"[{size}]")
    if print_info:
        print(f"Total size of operations outputs: {total}")
    return total
