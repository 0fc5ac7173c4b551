"""Arrays of tensors that are written and read one by one, in loops above all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.constant_op import constant
from troupe.conversion import convert_to_tensor, register_tensor_conversion_function
from troupe.tensor import Tensor
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from troupe.graph import Graph
    from troupe.tensor import Operation
    from troupe.typing import DTypeLike, ShapeLike, TensorLike


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


class TensorArray:
    """An array of `size` tensors of one dtype. Methods that write give the array to go on with: order is by its `flow`, which loops and branches
    hand on. An element is written once; read once, unless clear_after_read is False. ValueError for shapes that differ with infer_shape."""

    def __init__(self, dtype: DTypeLike, size: TensorLike | None = None, dynamic_size: bool | None = None, clear_after_read: bool | None = None,
                 tensor_array_name: str | None = None, handle: Tensor | None = None, flow: Tensor | None = None, infer_shape: bool = True,
                 element_shape: ShapeLike = None, colocate_with_first_write_call: bool = True, name: str | None = None) -> None:
        if handle is not None and tensor_array_name:
            raise ValueError("Cannot provide both `handle` and `tensor_array_name` arguments at the same time.")
        if handle is not None and not isinstance(handle, Tensor):
            raise TypeError(f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` instead.")
        if handle is None and size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        if handle is not None and (size is not None or dynamic_size is not None or clear_after_read is not None):
            raise ValueError("Cannot provide a `size`, `dynamic_size` or `clear_after_read` argument in conjunction with `handle`.")
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape or element_shape is not None
        # One for the array and all that go on from it: what a loop's body learns is known after the loop.
        self._known = [TensorShape(None) if element_shape is None else as_shape(element_shape)]
        self._size = size
        if handle is not None:
            self._handle = handle
            with _scope(name or "TensorArray"):
                self._flow = constant(0.0, dtypes.float32, name="Const") if flow is None else flow
            return
        with _scope(name or "TensorArray") as scope, stacks.get_default_graph().control_dependencies(None):
            self._handle, self._flow = op_call.call(
                "TensorArrayV3", scope, size=size, dtype=self._dtype, dynamic_size=self._dynamic_size,
                clear_after_read=clear_after_read is None or clear_after_read, tensor_array_name=tensor_array_name or "",
                element_shape=self.element_shape, identical_element_shapes=infer_shape)

    def __repr__(self):
        return f"<tf.TensorArray {self._handle.op.name!r} dtype={self._dtype.name}>"

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def handle(self) -> Tensor:
        return self._handle

    @property
    def flow(self) -> Tensor:
        return self._flow

    @property
    def graph(self) -> Graph:
        return self._handle.graph

    @property
    def dynamic_size(self) -> bool:
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shapes."""
        return self._known[0]

    def _with_flow(self, flow):
        made = object.__new__(TensorArray)
        made.__dict__.update(self.__dict__)
        made._flow = flow
        return made

    def _call(self, op_type, name, **arguments):
        return op_call.call(op_type, name, handle=self._handle, flow_in=self._flow, **arguments)

    def _learn(self, shape):
        if not self._infer_shape:
            return
        if not self.element_shape.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self.element_shape}")
        self._known[0] = self.element_shape.merge_with(shape)

    def _element(self, value: TensorLike) -> Tensor:
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if value.dtype.base_dtype is not self._dtype:
            raise TypeError(f"Invalid data types; op elements {value.dtype!r} but tensor array elements {self._dtype!r}")
        return value

    def identity(self) -> TensorArray:
        """The same array, once its flow is there."""
        return self._with_flow(op_call.call("Identity", None, input=self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array of the derivatives by its elements."""
        flow = self._flow if flow is None else flow
        with _scope(name or "TensorArrayGrad"):
            handle, _ = op_call.call("TensorArrayGradV3", None, handle=self._handle, source=source, flow_in=flow)
            with stacks.get_default_graph().control_dependencies([handle]):
                flow = op_call.call("Identity", "gradient_flow", input=flow)
            return TensorArray(self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape,
                               element_shape=self.element_shape)

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        value = self._call("TensorArrayReadV3", name, index=index, dtype=self._dtype)
        if self.element_shape.rank is not None:
            value.set_shape(self.element_shape)
        return value

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        with _scope(name or "TensorArrayWrite"):
            value = self._element(value)
            self._learn(value.shape)
            return self._with_flow(self._call("TensorArrayWriteV3", name, index=index, value=value))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor."""
        with _scope(name or "TensorArrayStack"):
            return self.gather(math_ops.range(0, self.size()), name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        value = self._call("TensorArrayGatherV3", name, indices=indices, dtype=self._dtype, element_shape=self.element_shape)
        if self.element_shape.rank is not None:
            value.set_shape([None, *self.element_shape.as_list()])
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined in their first dimension."""
        rest = TensorShape(None) if self.element_shape.rank is None else self.element_shape[1:]
        value, _ = self._call("TensorArrayConcatV3", name, dtype=self._dtype, element_shape_except0=rest)
        if rest.rank is not None:
            value.set_shape([None, *rest.as_list()])
        return value

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Writes the parts of `value` in its first dimension."""
        with _scope(name or "TensorArrayUnstack"):
            return self.scatter(math_ops.range(0, array_ops.shape(value)[0]), value, name=name)

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        with _scope(name or "TensorArrayScatter"):
            value = self._element(value)
            self._learn(value.shape[1:])
            return self._with_flow(self._call("TensorArrayScatterV3", name, indices=indices, value=value))

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Writes parts of `value` of these lengths."""
        with _scope(name or "TensorArraySplit"):
            value = self._element(value)
            lengths = math_ops.cast(convert_to_tensor(lengths), dtypes.int64)
            known = value.shape
            if self._infer_shape and known.rank is not None:
                self._learn(TensorShape([None, *known.as_list()[1:]]))
            return self._with_flow(self._call("TensorArraySplitV3", name, value=value, lengths=lengths))

    def size(self, name: str | None = None) -> Tensor:
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtypes.int32)
        return self._call("TensorArraySizeV3", name)

    def close(self, name: str | None = None) -> Operation:
        return op_call.call("TensorArrayCloseV3", name, handle=self._handle)


def _flow_of(value, dtype=None, name=None, as_ref=False):
    return value.flow


# What loops and branches carry of an array.
register_tensor_conversion_function(TensorArray, _flow_of)
