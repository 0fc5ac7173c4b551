// Lists of tensors in a variant; what is behind the handle is the dtype and shape of one element.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// The element shape that list input 0 tells; InvalidArgument when it holds another dtype than the attr says.
absl::StatusOr<PartialShape> list_element(const ShapeContext& c, absl::string_view doing) {
  const HandleShapes* handle = c.input_handle(0);
  if (handle == nullptr) return PartialShape();
  if (handle->size() > 1) return invalid(absl::StrCat("Trying to ", doing, " list with wrong variant data."));
  if (handle->empty()) return PartialShape();
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("element_dtype"));
  if ((*handle)[0].first != dtype) {
    return invalid(absl::StrCat("Trying to ", doing, " list with wrong element dtype. List has type ",
                                dtype_name((*handle)[0].first), " but trying to ", doing,
                                " element with type ", dtype_name(dtype)));
  }
  return (*handle)[0].second;
}

/// The list of output 0.
absl::Status set_list(ShapeContext& c, PartialShape element) {
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("element_dtype"));
  c.set_output(0, PartialShape(Dims()));
  c.set_output_handle(0, {{dtype, std::move(element)}});
  return absl::OkStatus();
}

absl::Status new_list(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, c.input_as_shape(0, true));
  return set_list(c, std::move(element));
}

/// The value's shape is left to the kernel, as in TensorFlow.
absl::Status push(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, list_element(c, "push to"));
  return set_list(c, std::move(element));
}

absl::Status pop(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, list_element(c, "read from"));
  c.set_output(1, element);
  return set_list(c, std::move(element));
}

/// The value's dtype is left to the kernel, as in TensorFlow.
absl::Status set_item(ShapeContext& c) {
  PartialShape element;
  if (const HandleShapes* handle = c.input_handle(0); handle != nullptr && !handle->empty()) {
    if (handle->size() > 1) return invalid("Trying to write to list with wrong variant data.");
    element = (*handle)[0].second;
  }
  TROUPE_RETURN_IF_ERROR(merge(element, c.input(2)).status());
  return set_list(c, std::move(element));
}

absl::Status resize(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  c.set_output(0, PartialShape(Dims()));
  if (const HandleShapes* handle = c.input_handle(0)) c.set_output_handle(0, *handle);
  return absl::OkStatus();
}

absl::StatusOr<PartialShape> element_of(ShapeContext& c, int shape_input) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape given, c.input_as_shape(shape_input, true));
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, list_element(c, "read from"));
  return merge(given, element);
}

absl::Status get_item(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, element_of(c, 2));
  c.set_output(0, std::move(element));
  return absl::OkStatus();
}

absl::Status gather(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, element_of(c, 2));
  c.set_output(0, concatenate(c.input(1), element));
  return absl::OkStatus();
}

absl::Status stack(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, element_of(c, 1));
  const int64_t n = c.attrs().get_or<int64_t>("num_elements", -1);
  c.set_output(0, concatenate(PartialShape({n < 0 ? kUnknownDim : n}), element));
  return absl::OkStatus();
}

absl::Status concat(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape given, c.input_as_shape(1, true));
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, list_element(c, "read from"));
  TROUPE_ASSIGN_OR_RETURN(element, merge(given, element));
  c.set_output(0, concatenate(PartialShape({kUnknownDim}), subshape(element, 1)));
  c.set_output(1, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

absl::Status from_tensor(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape given, c.input_as_shape(1, true));
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, merge(subshape(c.input(0), 1), given));
  return set_list(c, std::move(element));
}

absl::Status scatter(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, c.input_as_shape(2, true));
  return set_list(c, std::move(element));
}

absl::Status split(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape given, c.input_as_shape(1, true));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 1).status());
  PartialShape rows = concatenate(PartialShape({kUnknownDim}), subshape(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(merge(rows, given).status());
  return set_list(c, std::move(given));
}

constexpr ShapeRow kRows[] = {
    {"EmptyTensorList", new_list},       {"TensorListReserve", new_list},
    {"TensorListPushBack", push},        {"TensorListPopBack", pop},
    {"TensorListSetItem", set_item},     {"TensorListGetItem", get_item},
    {"TensorListGather", gather},        {"TensorListStack", stack},
    {"TensorListConcatV2", concat},      {"TensorListFromTensor", from_tensor},
    {"TensorListScatterV2", scatter},    {"TensorListSplit", split},
    {"TensorListResize", resize},        {"TensorListLength", scalar},
    {"TensorListElementShape", unknown},
};

}  // namespace

absl::Status register_list_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
