// TensorList ops that turn lists into tensors and tensors into lists.

#include "devices/common/list/element_shapes.h"
#include "devices/common/list/tensor_list.h"
#include "devices/common/list/tensor_list_types.h"
#include "devices/common/array_values.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Joins `shape` with the shapes of the elements that are set.
absl::Status merge_elements(const TensorList& list, PartialShape* shape) {
  for (const Tensor& t : list.elements) {
    if (t.initialized()) {
      TROUPE_ASSIGN_OR_RETURN(*shape, merge_shapes(*shape, t.shape()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> with_rows(int64_t rows, const Shape& row) {
  std::vector<int64_t> dims = row.to_vector();
  dims.insert(dims.begin(), rows);
  return Shape::make(dims);
}

/// An element of `count` elements, or zeros for one never set.
ElementRun run_of(const Tensor& element, int64_t count) {
  return {element.initialized() ? &element : nullptr, 0, count};
}

class StackKernel final : public Kernel {
 public:
  explicit StackKernel(const ElementMemory& memory) : memory_(memory) {}
  absl::Status init(const KernelConstruction& c) {
    num_elements_ = c.node().attrs.get_or<int64_t>("num_elements", -1);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.output_type(0)));
    if (num_elements_ != -1 && list->size() != num_elements_) {
      return invalid("Operation expected a list with ", num_elements_, " elements but got a list with ",
                     list->size(), " elements.");
    }
    TROUPE_ASSIGN_OR_RETURN(PartialShape partial, merged_element_shape(context, *list, 1));
    if (!partial.fully_defined() && list->elements.empty()) {
      return invalid("Tried to stack elements of an empty list with non-fully-defined element_shape: ",
                     partial.to_string());
    }
    TROUPE_RETURN_IF_ERROR(merge_elements(*list, &partial));
    auto shape = partial.to_shape();
    if (!shape) {
      return invalid(
          "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
          "element_shape: ",
          partial.to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Shape stacked, with_rows(list->size(), *shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, stacked));
    const int64_t n = shape->num_elements();
    std::vector<ElementRun> runs;
    runs.reserve(list->elements.size());
    for (const Tensor& element : list->elements) runs.push_back(run_of(element, n));
    return memory_.join(context, runs, out);
  }

 private:
  const ElementMemory& memory_;
  int64_t num_elements_ = -1;
};

absl::Status gather(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.output_type(0)));
  const Tensor& indices = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(PartialShape partial, merged_element_shape(context, *list, 2));
  if (!partial.fully_defined() && indices.num_elements() == 0) {
    return invalid("Tried to gather 0-elements from a list with non-fully-defined shape: ",
                   partial.to_string());
  }
  for (int32_t i : indices.flat<int32_t>()) {
    if (i < 0 || i >= list->size()) {
      return invalid("Index ", i, " out o range; list only has ", list->size(), " elements.");
    }
    const Tensor& t = list->elements[static_cast<size_t>(i)];
    if (t.initialized()) {
      TROUPE_ASSIGN_OR_RETURN(partial, merge_shapes(partial, t.shape()));
    }
  }
  auto shape = partial.to_shape();
  if (!shape) {
    return invalid("Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: ",
                   partial.to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(Shape gathered, with_rows(indices.num_elements(), *shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, gathered));
  const int64_t n = shape->num_elements();
  std::vector<ElementRun> runs;
  runs.reserve(static_cast<size_t>(indices.num_elements()));
  for (int32_t i : indices.flat<int32_t>()) runs.push_back(run_of(list->elements[static_cast<size_t>(i)], n));
  return memory.join(context, runs, out);
}

/// Concat, whose element shape is an attr, and ConcatV2, where shape and lengths of elements never set are
/// inputs.
class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(const ElementMemory& memory) : memory_(memory) {}
  absl::Status init(const KernelConstruction& c) {
    attr_shape_ = c.node().attrs.get_or<PartialShape>("element_shape", PartialShape());
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, context.output_type(0)));
    PartialShape element = attr_shape_;
    if (context.num_inputs() > 1) {
      TROUPE_ASSIGN_OR_RETURN(element, merged_element_shape(context, *list, 1));
    } else {
      TROUPE_ASSIGN_OR_RETURN(element, merge_shapes(element, list->element_shape));
    }
    int64_t first = -1;
    PartialShape rest;
    if (element.known_rank()) {
      if (element.rank() < 1)
        return invalid("Concat requires elements to be at least vectors, found scalars instead.");
      first = element.dim(0);
      rest = PartialShape(std::vector<int64_t>(element.dims().begin() + 1, element.dims().end()));
    }
    if (list->elements.empty() && !rest.fully_defined()) {
      return invalid(
          "All except the first dimension must be fully defined when concating an empty tensor list. "
          "element_shape: ",
          element.to_string());
    }
    std::vector<int64_t> rows(list->elements.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor& t = list->elements[i];
      if (!t.initialized()) {
        TROUPE_ASSIGN_OR_RETURN(rows[i], unset_rows(context, i, first));
        continue;
      }
      if (t.rank() < 1)
        return invalid("Concat saw a scalar shape at index ", i, " but requires at least vectors.");
      rows[i] = t.dim(0);
      if (first != -1 && first != rows[i]) {
        return invalid(
            "First entry of element_shape input does not match the first dim of list element at index ", i,
            " Expected: ", first, " Actual: ", rows[i]);
      }
      Shape row = t.shape();
      row.remove_dim(0);
      TROUPE_ASSIGN_OR_RETURN(rest, merge_shapes(rest, row));
    }
    auto row = rest.to_shape();
    if (!row) {
      return invalid(
          "Tried to concat list which only contains uninitialized tensors and has a non-fully-defined "
          "element_shape: ",
          element.to_string());
    }
    return join(context, *list, rows, *row);
  }

 private:
  static absl::StatusOr<int64_t> unset_rows(const KernelContext& context, size_t i, int64_t first) {
    if (first != -1) return first;
    const int64_t known = context.num_inputs() > 2 ? context.input(2).num_elements() : 0;
    if (static_cast<int64_t>(i) >= known) {
      return invalid("List contains uninitialized tensor at index ", i, " but leading_dims has only ", known,
                     " elements.");
    }
    const int64_t rows = context.input(2).flat<int64_t>()[i];
    if (rows < 0) return invalid("Invalid value in leading_dims: ", rows);
    return rows;
  }
  absl::Status join(KernelContext& context, const TensorList& list, const std::vector<int64_t>& rows,
                    const Shape& row) const {
    int64_t total = 0;
    for (int64_t r : rows) {
      if (__builtin_add_overflow(total, r, &total))
        return invalid("The sum of the first dimensions overflows");
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, with_rows(total, row));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * lengths, memory_.host_output(context, 1, Shape{list.size()}));
    std::vector<ElementRun> runs;
    runs.reserve(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      lengths->flat<int64_t>()[i] = rows[i];
      if (out->num_elements() > 0) runs.push_back(run_of(list.elements[i], rows[i] * row.num_elements()));
    }
    return memory_.join(context, runs, out);
  }

  const ElementMemory& memory_;
  PartialShape attr_shape_;
};

/// The rows of `t`, one element each.
absl::StatusOr<std::vector<Tensor>> split_rows(KernelContext& context, const ElementMemory& memory,
                                               const Tensor& t) {
  Shape row = t.shape();
  row.remove_dim(0);
  TROUPE_RETURN_IF_ERROR(check_list_size(t.dim(0)));
  std::vector<Tensor> parts(static_cast<size_t>(t.dim(0)));
  for (Tensor& part : parts) {
    TROUPE_ASSIGN_OR_RETURN(part, context.allocate_temp(t.dtype(), row));
  }
  TROUPE_RETURN_IF_ERROR(memory.cut(context, t, absl::MakeSpan(parts)));
  return parts;
}

/// Checks that rows of `t` may be elements of `shape`.
absl::Status check_rows(const Tensor& t, const PartialShape& shape) {
  if (t.rank() < 1)
    return invalid("Tensor must be at least a vector, but saw shape: ", t.shape().to_string());
  Shape row = t.shape();
  row.remove_dim(0);
  if (!shape.compatible_with(row)) {
    return invalid("Specified a list with shape ", shape.to_string(), " from a tensor with shape ",
                   row.to_string());
  }
  return absl::OkStatus();
}

absl::Status from_tensor(KernelContext& context, const ElementMemory& memory) {
  const Tensor& t = context.input(0);
  if (t.rank() < 1)
    return invalid("Tensor must be at least a vector, but saw shape: ", t.shape().to_string());
  if (context.input(1).rank() > 1) {
    return invalid("TensorListFromTensor: element_shape must be at most rank 1 but has the shape of ",
                   context.input(1).shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, shape_from_tensor(context.input(1)));
  TROUPE_RETURN_IF_ERROR(check_rows(t, shape));
  TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> parts, split_rows(context, memory, t));
  output_new_list(context, t.dtype(), std::move(shape))->elements = std::move(parts);
  return absl::OkStatus();
}

/// The largest of `indices`, which must match the rows of `t`; -1 for none.
absl::StatusOr<int64_t> check_scatter(const Tensor& t, const Tensor& indices) {
  if (t.rank() < 1)
    return invalid("Tensor must be at least a vector, but saw shape: ", t.shape().to_string());
  if (indices.num_elements() != t.dim(0)) {
    return invalid("Invalid number of rows in input tensor. Expected: ", indices.num_elements(),
                   " Actual: ", t.dim(0));
  }
  int64_t largest = -1;
  for (int32_t i : indices.flat<int32_t>()) {
    if (i < 0) return invalid("Indices in TensorListScatter must all be non-negative.");
    largest = i > largest ? i : largest;
  }
  return largest;
}

absl::Status scatter_rows(KernelContext& context, const ElementMemory& memory, const Tensor& t,
                          const Tensor& indices, TensorList* list) {
  TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> parts, split_rows(context, memory, t));
  size_t next = 0;
  for (int32_t i : indices.flat<int32_t>()) list->elements[static_cast<size_t>(i)] = std::move(parts[next++]);
  return absl::OkStatus();
}

absl::Status scatter(KernelContext& context, const ElementMemory& memory) {
  const Tensor& t = context.input(0);
  const Tensor& indices = context.input(1);
  if (context.input(2).rank() > 1) {
    return invalid("TensorListScatter: element_shape must be at most rank 1 but has the shape of ",
                   context.input(2).shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, shape_from_tensor(context.input(2)));
  int64_t size = -1;
  if (context.num_inputs() > 3) {
    if (context.input(3).num_elements() != 1) return invalid("num_elements must be a scalar");
    size = context.input(3).value<int32_t>();
    if (size < -1) return invalid("TensorListScatter expects num_elements >= -1, found: ", size);
  }
  TROUPE_ASSIGN_OR_RETURN(int64_t largest, check_scatter(t, indices));
  TROUPE_RETURN_IF_ERROR(check_rows(t, shape));
  if (size == -1) size = largest + 1;
  if (largest >= size) {
    return invalid("TensorListScatter: Trying to scatter at index ", largest, " in list with size ", size);
  }
  TROUPE_RETURN_IF_ERROR(check_list_size(size));
  TensorList* list = output_new_list(context, t.dtype(), std::move(shape));
  list->elements.resize(static_cast<size_t>(size));
  return scatter_rows(context, memory, t, indices, list);
}

absl::Status scatter_into(KernelContext& context, const ElementMemory& memory) {
  const Tensor& t = context.input(1);
  const Tensor& indices = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0, t.dtype()));
  TROUPE_ASSIGN_OR_RETURN(int64_t largest, check_scatter(t, indices));
  TROUPE_RETURN_IF_ERROR(check_rows(t, list->element_shape));
  TROUPE_RETURN_IF_ERROR(check_list_size(largest + 1));
  TROUPE_ASSIGN_OR_RETURN(TensorList * changed, output_changed_list(context));
  if (largest >= changed->size()) changed->elements.resize(static_cast<size_t>(largest) + 1);
  return scatter_rows(context, memory, t, indices, changed);
}

absl::Status split(KernelContext& context, const ElementMemory& memory) {
  const Tensor& t = context.input(0);
  const Tensor& lengths = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, shape_from_tensor(context.input(1)));
  if (element.known_rank() && element.rank() < 1) {
    return invalid("TensorListSplit requires element_shape to be at least of rank 1, but saw: ",
                   element.to_string());
  }
  if (t.rank() < 1)
    return invalid("Tensor must be at least a vector, but saw shape: ", t.shape().to_string());
  if (!is_vector(lengths))
    return invalid("Expected lengths to be a vector, received shape: ", lengths.shape().to_string());
  Shape row = t.shape();
  row.remove_dim(0);
  PartialShape rest;
  if (element.known_rank()) {
    rest = PartialShape(std::vector<int64_t>(element.dims().begin() + 1, element.dims().end()));
  }
  if (!rest.compatible_with(row)) {
    return invalid("tensor shape ", t.shape().to_string(), " is not compatible with element_shape ",
                   element.to_string());
  }
  TROUPE_RETURN_IF_ERROR(check_list_size(lengths.num_elements()));
  std::vector<Tensor> parts;
  parts.reserve(static_cast<size_t>(lengths.num_elements()));
  int64_t begin = 0;
  Shape part_shape = t.shape();
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) return invalid("Invalid value in lengths: ", length);
    if (length > t.dim(0) - begin) {
      return invalid("Attempting to slice [", begin, ", ",
                     static_cast<uint64_t>(begin) + static_cast<uint64_t>(length),
                     "] from tensor with length ", t.dim(0));
    }
    part_shape.set_dim(0, length);
    TROUPE_ASSIGN_OR_RETURN(Tensor part, context.allocate_temp(t.dtype(), part_shape));
    parts.push_back(std::move(part));
    begin += length;
  }
  if (begin != t.dim(0)) {
    return invalid("Unused values in tensor. Length of tensor: ", t.dim(0), " Values used: ", begin);
  }
  TROUPE_RETURN_IF_ERROR(memory.cut(context, t, absl::MakeSpan(parts)));
  output_new_list(context, t.dtype(), std::move(element))->elements = std::move(parts);
  return absl::OkStatus();
}

}  // namespace

void add_tensor_list_bulk_ops(const ElementMemory* memory, const AddElementOp& add) {
  auto op = [&](const char* name, std::vector<std::string> host_args, const char* element_arg,
                KernelFactory factory) {
    add({name,
         "element_dtype",
         list_element_types(),
         std::move(host_args),
         {element_arg},
         std::move(factory)});
  };
  op("TensorListStack", {"element_shape"}, "tensor", element_kernel<StackKernel>(memory));
  op("TensorListGather", {"indices", "element_shape"}, "values", element_kernel(gather, memory));
  op("TensorListConcat", {"lengths"}, "tensor", element_kernel<ConcatKernel>(memory));
  op("TensorListConcatV2", {"element_shape", "leading_dims", "lengths"}, "tensor",
     element_kernel<ConcatKernel>(memory));
  op("TensorListFromTensor", {"element_shape"}, "tensor", element_kernel(from_tensor, memory));
  op("TensorListScatter", {"indices", "element_shape"}, "tensor", element_kernel(scatter, memory));
  op("TensorListScatterV2", {"indices", "element_shape", "num_elements"}, "tensor",
     element_kernel(scatter, memory));
  op("TensorListScatterIntoExistingList", {"indices"}, "tensor", element_kernel(scatter_into, memory));
  op("TensorListSplit", {"element_shape", "lengths"}, "tensor", element_kernel(split, memory));
}

}  // namespace troupe
