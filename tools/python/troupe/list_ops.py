"""Lists of tensors that the graph holds: `tensorflow.python.ops.list_ops`. Shapes of elements may be partly known, lists or tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, conversion, dtypes, op_call, tensor_shape
from troupe.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import DTypeLike, ShapeLike, TensorLike


def _shape(shape: Any) -> Any:
    """A shape as the kernels take it: -1 for what is unknown of it, the scalar -1 for an unknown rank."""
    if isinstance(shape, Tensor):
        return array_ops.identity(shape) if shape.dtype._is_ref_dtype else shape
    if isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape):
        return [-1 if d is None else d for d in shape]
    known = tensor_shape.as_shape(shape)
    if known.rank is None:
        return -1
    if not known.rank:
        return conversion.convert_to_tensor([], dtypes.int32)
    return [-1 if d is None else d for d in known.as_list()]


def empty_tensor_list(element_shape: ShapeLike | Tensor, element_dtype: DTypeLike, max_num_elements: TensorLike | None = None,
                      name: str | None = None) -> Tensor:
    """A list of none, that may have any number of elements, or so many."""
    return op_call.call("EmptyTensorList", name, element_shape=_shape(element_shape), element_dtype=element_dtype,
                        max_num_elements=-1 if max_num_elements is None else max_num_elements)


def tensor_list_reserve(element_shape: ShapeLike | Tensor, num_elements: TensorLike, element_dtype: DTypeLike,
                        name: str | None = None) -> Tensor:
    """A list of so many elements that are not there yet."""
    return op_call.call("TensorListReserve", name, element_shape=_shape(element_shape), num_elements=num_elements, element_dtype=element_dtype)


def tensor_list_from_tensor(tensor: TensorLike, element_shape: ShapeLike | Tensor, name: str | None = None) -> Tensor:
    """The rows of a tensor."""
    tensor = conversion.convert_to_tensor(tensor)
    return op_call.call("TensorListFromTensor", name, tensor=tensor, element_shape=_shape(element_shape))


def tensor_list_get_item(input_handle: Tensor, index: TensorLike, element_dtype: DTypeLike, element_shape: ShapeLike | Tensor = None,
                         name: str | None = None) -> Tensor:
    """One element."""
    return op_call.call("TensorListGetItem", name, input_handle=input_handle, index=index, element_shape=_shape(element_shape),
                        element_dtype=element_dtype)


def tensor_list_pop_back(input_handle: Tensor, element_dtype: DTypeLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(the list without its last element, that element)."""
    return op_call.call("TensorListPopBack", name, input_handle=input_handle, element_shape=-1, element_dtype=element_dtype)


def tensor_list_gather(input_handle: Tensor, indices: TensorLike, element_dtype: DTypeLike, element_shape: ShapeLike | Tensor = None,
                       name: str | None = None) -> Tensor:
    """Some elements, as rows of a tensor."""
    return op_call.call("TensorListGather", name, input_handle=input_handle, indices=indices, element_shape=_shape(element_shape),
                        element_dtype=element_dtype)


def tensor_list_scatter(tensor: TensorLike, indices: TensorLike, element_shape: ShapeLike | Tensor = None, input_handle: Tensor | None = None,
                        name: str | None = None) -> Tensor:
    """A list with the rows of a tensor at these places, or another list with them."""
    tensor = conversion.convert_to_tensor(tensor)
    if input_handle is not None:
        return op_call.call("TensorListScatterIntoExistingList", name, input_handle=input_handle, tensor=tensor, indices=indices)
    return op_call.call("TensorListScatterV2", name, tensor=tensor, indices=indices, element_shape=_shape(element_shape), num_elements=-1)


def tensor_list_stack(input_handle: Tensor, element_dtype: DTypeLike, num_elements: int = -1, element_shape: ShapeLike | Tensor = None,
                      name: str | None = None) -> Tensor:
    """All elements, as rows of a tensor."""
    return op_call.call("TensorListStack", name, input_handle=input_handle, element_shape=_shape(element_shape), element_dtype=element_dtype,
                        num_elements=num_elements)


def tensor_list_concat(input_handle: Tensor, element_dtype: DTypeLike, element_shape: ShapeLike | Tensor = None,
                       name: str | None = None) -> Tensor:
    """All elements one behind the other; `element_shape` without its first dimension is that of each."""
    return op_call.call("TensorListConcatV2", name, input_handle=input_handle, element_dtype=element_dtype, element_shape=_shape(element_shape),
                        leading_dims=conversion.convert_to_tensor([], dtypes.int64))[0]


def tensor_list_split(tensor: TensorLike, element_shape: ShapeLike | Tensor, lengths: TensorLike, name: str | None = None) -> Tensor:
    """A list of a tensor's parts of these lengths."""
    return op_call.call("TensorListSplit", name, tensor=tensor, element_shape=_shape(element_shape), lengths=lengths)


def tensor_list_set_item(input_handle: Tensor, index: TensorLike, item: TensorLike, resize_if_index_out_of_bounds: bool = False,
                         name: str | None = None) -> Tensor:
    """The list with another element at this place, to which it grows where it may."""
    return op_call.call("TensorListSetItem", name, input_handle=input_handle, index=index, item=item,
                        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds)
