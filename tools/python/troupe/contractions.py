"""Sums of products over chosen dimensions."""

from __future__ import annotations

import collections
import itertools
import math
import numbers
import re
from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

# What the three dots are while an equation is looked at.
_DOTS = "0"


def einsum(equation: str, *inputs: TensorLike, name: str | None = None, optimize: str = "greedy") -> Tensor:
    """A sum of products: "ij,jk->ik" is a product of matrices. "..." stands for dimensions that are broadcast; without "->" the letters that are
    there once remain, in their order. Of several tensors two at a time are multiplied, first those whose product is small (whatever `optimize`
    says). ValueError for an equation that does not fit."""
    with stacks.get_default_graph().name_scope(name or "einsum"):
        inputs = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs
        tensors = [convert_to_tensor(t, name="inputs") for t in inputs]
        terms, output = _parse(equation, len(tensors))
        sizes = _sizes(equation, terms, tensors)
        while len(tensors) > 2:
            i, j = min(itertools.combinations(range(len(terms)), 2), key=lambda pair: _growth(terms, output, sizes, *pair))
            kept = _kept(terms, output, i, j)
            made = _multiply([tensors[i], tensors[j]], [terms[i], terms[j]], kept)
            tensors = [t for k, t in enumerate(tensors) if k not in (i, j)] + [made]
            terms = [t for k, t in enumerate(terms) if k not in (i, j)] + [kept]
        made = _multiply(tensors, terms, output)
    if _DOTS not in output and made.shape.ndims is None:
        made.set_shape([sizes.get(c) for c in output])
    return made


def _multiply(tensors, terms, output):
    equation = (",".join(terms) + "->" + output).replace(_DOTS, "...")
    return op_call.call("Einsum", None, inputs=tensors, equation=equation)


def _parse(equation, count):
    """The letters of each tensor, and those of the result."""
    text = equation.replace(" ", "")
    if "..." in text and _DOTS in text:
        raise ValueError(f'Invalid character "{_DOTS}" in equation: {equation}.')
    letters = "a-zA-Z" + (_DOTS if "..." in text else "")
    text = text.replace("...", _DOTS)
    match = re.fullmatch(f"([{letters},]*)(->[{letters}]*)?", text)
    if not match:
        raise ValueError(f"Subscripts have incorrect format: {text}")
    terms = match[1].split(",")
    if len(terms) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(terms)}')
    uses = collections.Counter(match[1])
    output = "".join(c for c in sorted(uses) if c != "," and uses[c] == 1) if match[2] is None else match[2][2:]
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for c in output:
        if c != _DOTS and c not in uses:
            raise ValueError(f"Output subscripts contain the label {c} not present in the input subscripts.")
    return terms, output


def _sizes(equation, terms, tensors):
    """How many elements each letter stands for, where that is known."""
    sizes = {}
    for i, (term, tensor) in enumerate(zip(terms, tensors)):
        if tensor.shape.ndims is None:
            continue
        shape = tensor.shape.as_list()
        if term.count(_DOTS) > 1:
            raise ValueError(f"Too many ellipses in input label {term.replace(_DOTS, '...')}.")
        if _DOTS in term:
            if len(term) > len(shape) + 1:
                raise ValueError(f"Too many named labels in {i}th subscript string of equation {equation} for input shape {shape} ")
            first, behind = term.index(_DOTS), len(shape) + 1 - len(term)
            shape[first:first + behind] = [math.prod(n for n in shape[first:first + behind] if n)]
        elif len(term) != len(shape):
            raise ValueError(f"Number of named labels in input #{i} of equation {equation} must be equal to the number of dimensions in shape {shape}")
        for c, n in zip(term, shape):
            if n is not None:
                sizes[c] = max(sizes.get(c, n), n)
    return sizes


def _kept(terms, output, i, j):
    """The letters of a product of two that the others and the result need."""
    wanted = set(output).union(*(term for k, term in enumerate(terms) if k not in (i, j)))
    return "".join(c for c in dict.fromkeys(terms[i] + terms[j]) if c in wanted)


def _growth(terms, output, sizes, i, j):
    """By how many elements a product is larger than its two factors; what nobody knows counts one."""
    made, a, b = (math.prod(sizes.get(c, 1) for c in dict.fromkeys(term)) for term in (_kept(terms, output, i, j), terms[i], terms[j]))
    return made - a - b


def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """Sums of products over dimensions `axes` of both: a number for the last of `a` and the first of `b`, a pair of lists, or a tensor [2, k]. The
    result has the other dimensions of `a`, then those of `b`. ValueError for lists that do not fit, IndexError for a dimension that is not
    there."""
    with stacks.get_default_graph().name_scope(name or "Tensordot") as scope:
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        a_axes, b_axes = _axes(a, axes)
        left, a_free, a_known = _matrix(a, a_axes, False)
        right, b_free, b_known = _matrix(b, b_axes, True)
        product = math_ops.matmul(left, right)
        known = None if a_known is None or b_known is None else a_known + b_known
        if known is not None and None not in known:
            return product if product.shape.is_fully_defined() and product.shape.as_list() == known else array_ops.reshape(product, known, name=scope)
        made = array_ops.reshape(product, array_ops.concat([a_free, b_free], 0), name=scope)
        if known is not None:
            made.set_shape(known)
        return made


def _axes(a, axes):
    """The dimensions of both tensors: lists, or tensors where only a step can tell."""
    if isinstance(axes, numbers.Integral):
        ndims = a.shape.ndims
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if ndims is None:
            rank = array_ops.rank(a)
            return math_ops.range(rank - axes, rank), math_ops.range(axes)
        if axes > ndims:
            raise ValueError(f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor dimensions {ndims}.")
        return list(range(ndims - axes, ndims)), list(range(axes))
    if not isinstance(axes, (list, tuple)):
        axes = convert_to_tensor(axes, dtypes.int32, name="axes")
        return axes[0], axes[1]
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    a_axes, b_axes = ([x] if isinstance(x, numbers.Integral) else x for x in axes)
    if len(a_axes) != len(b_axes):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(a_axes)} != {len(b_axes)}.")
    return a_axes, b_axes


def _matrix(tensor, axes, first):
    """The tensor with `axes` as the last dimension of two, or the first; the sizes of its other dimensions as a tensor, and as far as known."""
    known = None
    if isinstance(axes, (list, tuple)) and tensor.shape.ndims is not None:
        sizes = tensor.shape.as_list()
        axes = [range(len(sizes))[i] for i in axes]
        free = [i for i in range(len(sizes)) if i not in axes]
        known = [sizes[i] for i in free]
        if None not in sizes:
            order, shape = (axes + free, [-1, math.prod(known)]) if first else (free + axes, [math.prod(known), -1])
            shape[0 if first else 1] = math.prod(sizes[i] for i in axes)
            turned = tensor if order == sorted(order) else array_ops.transpose(tensor, order)
            return turned if sizes == shape and turned is tensor else array_ops.reshape(turned, shape), known, known
    else:
        axes = convert_to_tensor(axes, dtypes.int32, name="axes")
        axes = array_ops.where(axes >= 0, axes, axes + array_ops.rank(tensor))
        free = array_ops.setdiff1d(math_ops.range(array_ops.rank(tensor)), axes)[0]
    shape = array_ops.shape(tensor)
    free, axes = convert_to_tensor(free, dtypes.int32), convert_to_tensor(axes, dtypes.int32)
    sizes = array_ops.gather(shape, free)
    pair = [math_ops.reduce_prod(sizes), math_ops.reduce_prod(array_ops.gather(shape, axes))]
    order = [axes, free] if first else [free, axes]
    matrix = array_ops.reshape(array_ops.transpose(tensor, array_ops.concat(order, 0)), array_ops.stack(pair[::-1] if first else pair))
    return matrix, sizes, known
