"""`tf.print`: values as text, when a step computes them."""

from __future__ import annotations

import itertools
import pprint
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from troupe import nest, op_call, string_ops, tf_logging
from troupe.composite import SparseTensor
from troupe.ragged_tensor import RaggedTensor
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.tensor import Operation
    from troupe.typing import TensorLike

_LEVELS = {tf_logging.info: "log(info)", tf_logging.warn: "log(warning)", tf_logging.error: "log(error)", sys.stdout: "stdout", sys.stderr: "stderr"}


class _Place:
    """Stands for a tensor in a nest that is formatted."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


def _stream(stream):
    if isinstance(stream, str) and (stream in _LEVELS.values() or stream.startswith("file://")):
        return stream
    for known, name in _LEVELS.items():
        if stream is known:
            return name
    # What a program, or its tests, have put in their places.
    if stream in (sys.stdout, sys.stderr):
        return "stdout" if stream is sys.stdout else "stderr"
    raise ValueError(f"Unsupported output stream, logging level, or file.{stream}. Supported streams are stdout, stderr, tf.logging.info, "
                     "tf.logging.warning, tf.logging.error and file://PATH.")


def _place_for(inputs):
    """A text that nothing of what is printed has."""
    texts = [str(leaf) for value in inputs for leaf in nest.flatten(value) if not isinstance(leaf, (Tensor, SparseTensor))]
    place = "{}"
    for number in itertools.count():
        if not any(place in text for text in texts):
            return place
        place = f"{{{number}}}"


def _taken(leaf, tensors, place):
    """What stands for a leaf of a nest; tensors are put into the list."""
    if isinstance(leaf, SparseTensor):
        tensors.extend([leaf.indices, leaf.values, leaf.dense_shape])
        # In quotes, as TensorFlow has it.
        return f"SparseTensor(indices={place}, values={place}, shape={place})"
    if isinstance(leaf, RaggedTensor):
        raise TypeError("A RaggedTensor is printed by its values and row_splits")
    if isinstance(leaf, Tensor) or hasattr(leaf, "_as_graph_element"):
        tensors.append(leaf if isinstance(leaf, Tensor) else leaf._as_graph_element())
        return _Place(place)
    return leaf


def print(*inputs: Any, output_stream: Any = sys.stderr, end: TensorLike = "\n", summarize: int = 3, sep: str = " ",  # noqa: A001, TensorFlow's name
          name: str | None = None) -> Operation:
    """The operation that writes the inputs, tensors and anything else in nests: to `output_stream`, which is sys.stdout, sys.stderr, one of
    tf.logging's functions or "file://PATH". Of each dimension `summarize` elements at both ends, all for -1. ValueError for other streams."""
    stream, tensors, texts, place = _stream(output_stream), [], [], _place_for(inputs)
    for value in inputs:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, (list, tuple, Mapping)):
            leaves = [_taken(leaf, tensors, place) for leaf in nest.flatten(value)]
            texts.append(pprint.pformat(nest.pack_sequence_as(value, leaves)))
        else:
            texts.append(pprint.pformat(_taken(value, tensors, place)))
    if len(inputs) == 1 and tensors and tensors[0] is inputs[0] and tensors[0].shape.rank == 0 and tensors[0].dtype.name == "string":
        text = tensors[0]
    else:
        text = string_ops.string_format(sep.join(texts), tensors, placeholder=place, summarize=summarize)
    return op_call.make_operation("PrintV2", name or "PrintV2", {"input": text, "output_stream": stream, "end": end})
