// TensorList ops on single elements and on whole lists.

#include "devices/common/list/element_shapes.h"
#include "devices/common/list/tensor_list.h"
#include "devices/common/list/tensor_list_types.h"
#include "devices/common/array_values.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

absl::StatusOr<DataType> element_type(const KernelContext& context) {
  return context.node().attrs.get<DataType>("element_dtype");
}

absl::Status empty_list(KernelContext& context, const ElementMemory&) {
  const Tensor& capacity = context.input(1);
  if (!is_scalar(capacity)) {
    return invalid("max_num_elements expected to be a scalar but got shape: ", capacity.shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, shape_from_tensor(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, element_type(context));
  output_new_list(context, dtype, std::move(shape))->capacity = capacity.value<int32_t>();
  return absl::OkStatus();
}

absl::Status reserve(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, shape_from_tensor(context.input(0)));
  const Tensor& count = context.input(1);
  if (count.num_elements() != 1) {
    return invalid("The num_elements to reserve must be a tensor size 1, but got ", count.num_elements());
  }
  const int32_t n = count.value<int32_t>();
  if (n < 0) return invalid("The num_elements to reserve must be a non negative number, but got ", n);
  TROUPE_RETURN_IF_ERROR(check_list_size(n));
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, element_type(context));
  output_new_list(context, dtype, std::move(shape))->elements.resize(static_cast<size_t>(n));
  return absl::OkStatus();
}

absl::Status length(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(list->size());
  return absl::OkStatus();
}

absl::Status element_shape(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0));
  const PartialShape& shape = list->element_shape;
  if (!shape.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, Shape()));
    set_int(out, 0, -1);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, Shape{shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) set_int(out, i, shape.dim(i));
  return absl::OkStatus();
}

/// Zeros for an element that was never set, of the shape that list and op know together.
absl::StatusOr<Tensor> unset_element(KernelContext& context, const ElementMemory& memory,
                                     const TensorList& list, int shape_input) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape partial, merged_element_shape(context, list, shape_input));
  auto shape = partial.to_shape();
  if (!shape) {
    // The other elements may tell.
    for (const Tensor& t : list.elements) {
      if (t.initialized()) {
        TROUPE_ASSIGN_OR_RETURN(partial, merge_shapes(partial, t.shape()));
      }
    }
    shape = partial.to_shape();
  }
  if (!shape) {
    return invalid("Trying to read an uninitialized tensor but element_shape is not fully defined",
                   partial.to_string());
  }
  return memory.zeros(context, list.dtype, *shape);
}

absl::Status get_item(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.output_type(0)));
  if (context.input(1).num_elements() != 1) return invalid("index must be a scalar");
  const int32_t index = context.input(1).value<int32_t>();
  if (index < 0 || index >= list->size()) {
    return invalid("Trying to access element ", index, " in a list with ", list->size(), " elements.");
  }
  const Tensor& element = list->elements[static_cast<size_t>(index)];
  TROUPE_ASSIGN_OR_RETURN(Tensor item, element.initialized() ? memory.here(context, element)
                                                             : unset_element(context, memory, *list, 2));
  context.set_output(0, std::move(item));
  return absl::OkStatus();
}

class SetItemKernel final : public Kernel {
 public:
  explicit SetItemKernel(const ElementMemory&) {}
  absl::Status init(const KernelConstruction& c) {
    grow_ = c.node().attrs.get_or<bool>("resize_if_index_out_of_bounds", false);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.input_type(2)));
    if (context.input(1).num_elements() != 1) return invalid("index must be a scalar");
    const int64_t index = context.input(1).value<int32_t>();
    if (index < 0 || (!grow_ && index >= list->size())) {
      return invalid("Trying to modify element ", index, " in a list with ", list->size(), " elements.");
    }
    if (!list->element_shape.compatible_with(context.input(2).shape())) {
      return invalid("Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
                     context.input(2).shape().to_string(), " list shape: ", list->element_shape.to_string());
    }
    TROUPE_RETURN_IF_ERROR(check_list_size(index + 1));
    TROUPE_ASSIGN_OR_RETURN(TensorList * changed, output_changed_list(context));
    if (index >= changed->size()) changed->elements.resize(static_cast<size_t>(index) + 1);
    changed->elements[static_cast<size_t>(index)] = context.take_input(2);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  bool grow_ = false;
};

absl::Status check_appended(const TensorList& list, const Tensor& value) {
  if (list.dtype != value.dtype()) {
    return invalid("Invalid data types; list elements ", dtype_name(list.dtype), " but tried to append ",
                   dtype_name(value.dtype()));
  }
  if (!list.element_shape.compatible_with(value.shape())) {
    return invalid("Tried to append a tensor with incompatible shape to a list. Op element shape: ",
                   value.shape().to_string(), " list shape: ", list.element_shape.to_string());
  }
  if (list.capacity >= 0 && list.size() >= list.capacity) {
    return invalid("Tried to push item into a full list list size: ", list.size(),
                   " max_num_elements: ", list.capacity);
  }
  return absl::OkStatus();
}

absl::Status push_back(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0));
  TROUPE_RETURN_IF_ERROR(check_appended(*list, context.input(1)));
  TROUPE_ASSIGN_OR_RETURN(TensorList * changed, output_changed_list(context));
  changed->elements.push_back(context.take_input(1));
  return absl::OkStatus();
}

absl::Status pop_back(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.output_type(1)));
  if (list->elements.empty()) return invalid("Trying to pop from an empty list.");
  if (!list->elements.back().initialized()) {
    TROUPE_ASSIGN_OR_RETURN(Tensor zero, unset_element(context, memory, *list, 1));
    context.set_output(1, std::move(zero));
  }
  TROUPE_ASSIGN_OR_RETURN(TensorList * changed, output_changed_list(context));
  const Tensor last = std::move(changed->elements.back());
  changed->elements.pop_back();
  if (!last.initialized()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor element, memory.here(context, last));
  context.set_output(1, std::move(element));
  return absl::OkStatus();
}

absl::Status resize(KernelContext& context, const ElementMemory&) {
  TROUPE_RETURN_IF_ERROR(input_list(context, 0).status());
  if (context.input(1).num_elements() != 1) return invalid("size must be a scalar");
  const int32_t size = context.input(1).value<int32_t>();
  if (size < 0) return invalid("TensorListSlice expects size to be non-negative. Got: ", size);
  TROUPE_RETURN_IF_ERROR(check_list_size(size));
  TROUPE_ASSIGN_OR_RETURN(TensorList * changed, output_changed_list(context));
  changed->elements.resize(static_cast<size_t>(size));
  return absl::OkStatus();
}

absl::Status concat_lists(KernelContext& context, const ElementMemory& memory) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (!(a.shape() == b.shape())) {
    return invalid("input_a and input_b must have the same shape: ", a.shape().to_string(), " vs. ",
                   b.shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, element_type(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, a.shape()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto* x = a.flat<Variant>()[i].get<TensorList>();
    const auto* y = b.flat<Variant>()[i].get<TensorList>();
    if (x == nullptr) return invalid("input_a is not a TensorList at index ", i);
    if (y == nullptr) return invalid("input_b is not a TensorList at index ", i);
    if (x->dtype != dtype || y->dtype != dtype) {
      return invalid("input_a and input_b must hold elements of type ", dtype_name(dtype), " at index ", i,
                     ", but hold ", dtype_name(x->dtype), " and ", dtype_name(y->dtype));
    }
    if (!(x->element_shape == y->element_shape)) {
      return invalid("input_a and input_b TensorList element shapes are not identical at index ", i, ": ",
                     x->element_shape.to_string(), " vs. ", y->element_shape.to_string());
    }
    auto joined = std::make_shared<TensorList>(*x);
    joined->elements.insert(joined->elements.end(), y->elements.begin(), y->elements.end());
    out->flat<Variant>()[i] = Variant(std::move(joined));
  }
  return absl::OkStatus();
}

absl::Status push_back_batch(KernelContext& context, const ElementMemory& memory) {
  const Tensor& value = context.input(1);
  const Tensor& handles = context.input(0);
  if (value.rank() < 1)
    return invalid("Expected tensor to be at least a vector, but saw shape: ", value.shape().to_string());
  if (!is_vector(handles)) {
    return invalid("Expected input_handles to be a vector, but saw shape: ", handles.shape().to_string());
  }
  const int64_t n = handles.num_elements();
  if (n != value.dim(0)) {
    return invalid("Expected tensor.shape[0] == input_handles.size, but saw ", value.dim(0), " vs. ", n);
  }
  Shape row = value.shape();
  row.remove_dim(0);
  std::vector<Tensor> parts(static_cast<size_t>(n));
  for (Tensor& part : parts) {
    TROUPE_ASSIGN_OR_RETURN(part, context.allocate_temp(value.dtype(), row));
  }
  TROUPE_RETURN_IF_ERROR(memory.cut(context, value, absl::MakeSpan(parts)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, handles.shape()));
  for (int64_t i = 0; i < n; ++i) {
    const auto* list = handles.flat<Variant>()[i].get<TensorList>();
    if (list == nullptr) return invalid("Input handle at index ", i, " is not a list.");
    if (!list->element_shape.compatible_with(row)) {
      return invalid("Tried to append a tensor with incompatible shape to a list at index ", i,
                     ". Op element shape: ", row.to_string(),
                     " list shape: ", list->element_shape.to_string());
    }
    Tensor& part = parts[static_cast<size_t>(i)];
    TROUPE_RETURN_IF_ERROR(check_appended(*list, part));
    auto longer = std::make_shared<TensorList>(*list);
    longer->elements.push_back(std::move(part));
    out->flat<Variant>()[i] = Variant(std::move(longer));
  }
  return absl::OkStatus();
}

}  // namespace

void add_tensor_list_ops(const ElementMemory* memory, const AddElementOp& add) {
  const char* const t = "element_dtype";
  const std::vector<DataType> types = list_element_types();
  add({"EmptyTensorList",
       nullptr,
       {},
       {"element_shape", "max_num_elements"},
       {},
       element_kernel(empty_list, memory)});
  add({"TensorListReserve",
       nullptr,
       {},
       {"element_shape", "num_elements"},
       {},
       element_kernel(reserve, memory)});
  add({"TensorListLength", nullptr, {}, {"length"}, {}, element_kernel(length, memory, /*cheap=*/true)});
  add({"TensorListElementShape",
       nullptr,
       {},
       {"element_shape"},
       {},
       element_kernel(element_shape, memory, /*cheap=*/true)});
  add({"TensorListGetItem",
       t,
       types,
       {"index", "element_shape"},
       {"item"},
       element_kernel(get_item, memory, /*cheap=*/true)});
  add({"TensorListSetItem", t, {}, {"index"}, {"item"}, element_kernel<SetItemKernel>(memory)});
  add({"TensorListPushBack", t, {}, {}, {"tensor"}, element_kernel(push_back, memory, /*cheap=*/true)});
  add({"TensorListPushBackBatch", t, types, {}, {"tensor"}, element_kernel(push_back_batch, memory)});
  add({"TensorListPopBack",
       t,
       types,
       {"element_shape"},
       {"tensor"},
       element_kernel(pop_back, memory, /*cheap=*/true)});
  add({"TensorListResize", nullptr, {}, {"size"}, {}, element_kernel(resize, memory)});
  add({"TensorListConcatLists", nullptr, {}, {}, {}, element_kernel(concat_lists, memory)});
  add_tensor_list_bulk_ops(memory, add);
}

}  // namespace troupe
