"""What arguments of the package may be, for type checkers: `from troupe.typing import TensorLike`. Nothing needs it to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, SupportsFloat, Union

import numpy as np

from troupe.composite import IndexedSlices, SparseTensor
from troupe.device_spec import DeviceSpec
from troupe.dtypes import DType
from troupe.graph import Graph
from troupe.ragged_tensor import RaggedTensor
from troupe.tensor import Operation, Tensor
from troupe.tensor_shape import Dimension, TensorShape
from troupe.variables import Variable


class Message(Protocol):
    """A message of protocol buffers: of `tf.GraphDef` and its like, or of another implementation."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802, protobuf's name


# A value of NumPy's, or what `numpy.asarray` makes one of.
Scalar = Union[bool, int, float, complex, str, bytes, np.generic]
ArrayLike = Union[Scalar, np.ndarray, Sequence[Any]]

# What becomes one tensor: a tensor, a variable, an array, a number, a text, lists of these.
TensorLike = Union[Tensor, Variable, ArrayLike]
# Of several tensors.
CompositeTensor = Union[SparseTensor, IndexedSlices, RaggedTensor]

DTypeLike = Union[DType, str, int, type, np.dtype]
# `None` is a size, or a rank, that nobody knows.
ShapeLike = Union[TensorShape, Sequence[Union[int, Dimension, None]], int, Dimension, None]
# A shape that is known while the graph is built, or a tensor of integers that a step computes.
ShapeOrTensor = Union[ShapeLike, TensorLike]
# `None` is all axes.
AxisLike = Union[int, Sequence[int], TensorLike, None]

DeviceLike = Union[str, DeviceSpec, Callable[[Operation], Any], None]
GraphElement = Union[Operation, Tensor, Variable, SparseTensor, IndexedSlices, str]
# What an operation waits for.
ControlInput = Union[Operation, Tensor, Variable, SparseTensor, IndexedSlices]
# A fetch: an element of the graph, or a nest of them (lists, tuples, named tuples, dicts, attrs classes). The values come in the same nest.
Fetches = Any
FeedKey = Union[Tensor, Variable, SparseTensor, IndexedSlices, str, Any]
FeedDict = Mapping[Any, Any]

# A tensor or a nest of them: lists, tuples, named tuples, dicts.
Nest = Any
# A value of a nest of a Dataset's elements, of the same nest.
Path = Union[str, bytes, "PathLike[str]"]

# Makes the first value of a variable, of a shape and a type.
Initializer = Any
Regularizer = Callable[[Tensor], Union[Tensor, None]]
Constraint = Callable[[Tensor], TensorLike]
Activation = Callable[[Tensor], Tensor]
Partitioner = Callable[..., Sequence[int]]
# How a variable is made: called with the usual maker and its arguments.
CustomGetter = Callable[..., Any]
# A gradient and its variable. The gradient may be `None`.
GradientsAndVariables = Iterable["tuple[Union[Tensor, IndexedSlices, None], Variable]"]
LearningRate = Union[float, Tensor, Variable, SupportsFloat, Callable[[], Any]]
