// TensorArrays filled from one tensor, and joined to one: Scatter, Unpack, Split; Gather, Pack, Concat.
#include <numeric>

#include "devices/common/list/element_shapes.h"
#include "devices/common/list/tensor_array_input.h"
#include "devices/common/array_values.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

std::vector<int64_t> counting(int64_t n) {
  std::vector<int64_t> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

/// All elements of all values.
std::vector<ElementRun> runs_of(const std::vector<Tensor>& values) {
  std::vector<ElementRun> runs;
  runs.reserve(values.size());
  for (const Tensor& v : values) runs.push_back({&v, 0, v.num_elements()});
  return runs;
}

/// Gather, with indices, and Pack, of all elements.
class GatherKernel final : public Kernel {
 public:
  explicit GatherKernel(const ElementMemory& memory) : memory_(memory) {}
  absl::Status init(const KernelConstruction& c) {
    element_shape_ = c.node().attrs.get_or<PartialShape>("element_shape", PartialShape());
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
    TROUPE_RETURN_IF_ERROR(check_read_type(*array, context.output_type(0)));
    TROUPE_ASSIGN_OR_RETURN(PartialShape element_shape, array->merge_element_shape(element_shape_));
    std::vector<int64_t> indices;
    if (context.num_inputs() > 2) {
      const Tensor& t = context.input(1);
      if (!is_vector(t))
        return invalid("Expected indices to be a vector, but received shape: ", t.shape().to_string());
      auto flat = t.flat<int32_t>();
      indices.assign(flat.begin(), flat.end());
    } else {
      TROUPE_ASSIGN_OR_RETURN(int64_t n, array->packed_size());
      indices = counting(n);
    }
    if (indices.empty()) {
      auto shape = element_shape.to_shape();
      if (!shape) {
        return absl::UnimplementedError(absl::StrCat(
            "TensorArray has size zero, but element shape ", element_shape.to_string(),
            " is not fully defined. Currently only static shapes are supported when packing zero-size "
            "TensorArrays."));
      }
      if (shape->rank() >= Shape::kMaxRank)
        return invalid("TensorArray elements have too many dimensions to pack");
      shape->insert_dim(0, 0);
      return context.allocate_output(0, *shape).status();
    }
    TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> values, array->read_many(context, indices));
    const Shape& first = values[0].shape();
    if (!element_shape.compatible_with(first)) {
      return invalid("TensorArray was passed element_shape ", element_shape.to_string(),
                     " which does not match the Tensor at index 0: ", first.to_string());
    }
    for (size_t i = 1; i < values.size(); ++i) {
      if (!(values[i].shape() == first)) {
        return invalid("TensorArray has inconsistent shapes.  Index 0 has shape: ", first.to_string(),
                       " but index ", i, " has shape: ", values[i].shape().to_string());
      }
    }
    std::vector<int64_t> dims = first.to_vector();
    dims.insert(dims.begin(), static_cast<int64_t>(values.size()));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    if (values.size() == 1 && values[0].unique()) {
      context.set_output(0, values[0].reshaped(shape));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return memory_.join(context, runs_of(values), out);
  }

 private:
  const ElementMemory& memory_;
  PartialShape element_shape_;
};

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(const ElementMemory& memory) : memory_(memory) {}
  absl::Status init(const KernelConstruction& c) {
    row_shape_ = c.node().attrs.get_or<PartialShape>("element_shape_except0", PartialShape());
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
    TROUPE_RETURN_IF_ERROR(check_read_type(*array, context.output_type(0)));
    TROUPE_ASSIGN_OR_RETURN(int64_t n, array->packed_size());
    if (n == 0) {
      auto shape = row_shape_.to_shape();
      if (!shape) {
        return absl::UnimplementedError(absl::StrCat(
            "TensorArray has size zero, but element_shape_except0 ", row_shape_.to_string(),
            " is not fully defined. Currently only static shapes are supported when concatenating "
            "zero-size TensorArrays."));
      }
      if (shape->rank() >= Shape::kMaxRank) return invalid("TensorArray elements have too many dimensions");
      shape->insert_dim(0, 0);
      TROUPE_RETURN_IF_ERROR(context.allocate_output(0, *shape).status());
      return memory_.host_output(context, 1, Shape{0}).status();
    }
    TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> values, array->read_many(context, counting(n)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * lengths, memory_.host_output(context, 1, Shape{n}));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, joined_shape(values, lengths));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return memory_.join(context, runs_of(values), out);
  }

 private:
  absl::StatusOr<Shape> joined_shape(const std::vector<Tensor>& values, Tensor* lengths) const {
    Shape first;
    int64_t rows = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      Shape rest = values[i].shape();
      if (rest.rank() == 0) {
        return invalid("Concat saw a scalar shape at index ", i,
                       " but requires at least vectors.  Did you mean to call pack?");
      }
      lengths->flat<int64_t>()[i] = rest.dim(0);
      rows += rest.dim(0);
      rest.remove_dim(0);
      if (i == 0) {
        first = rest;
        if (!row_shape_.compatible_with(first)) {
          return invalid("TensorArray was passed element_shape_except0 ", row_shape_.to_string(),
                         " but index 0 has (excluding dimension 0) shape: ", first.to_string(),
                         " which does not match.");
        }
      } else if (!(rest == first)) {
        return invalid("TensorArray has inconsistent shapes.  Index 0 has (excluding dimension 0) shape: ",
                       first.to_string(), " but index ", i,
                       " has (excluding dimension 0) shape: ", rest.to_string());
      }
    }
    std::vector<int64_t> dims = first.to_vector();
    dims.insert(dims.begin(), rows);
    return Shape::make(dims);
  }

  const ElementMemory& memory_;
  PartialShape row_shape_;
};

/// Scatter, with indices, and Unpack, to 0, 1, 2, ...
absl::Status scatter_rows(KernelContext& context, const ElementMemory& memory, const Tensor* indices_input,
                          const Tensor& value, int flow) {
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_written_type(*array, value.dtype()));
  if (value.rank() == 0) {
    return invalid("Input value for unpack must be at least a vector, but has shape: ",
                   value.shape().to_string());
  }
  const int64_t n = value.dim(0);
  std::vector<int64_t> indices;
  int64_t largest = -1;
  if (indices_input != nullptr) {
    if (!is_vector(*indices_input)) {
      return invalid("Expected indices to be a vector, but received shape: ",
                     indices_input->shape().to_string());
    }
    if (indices_input->num_elements() != n) {
      return invalid("Expected len(indices) == values.shape[0], but saw: ", indices_input->num_elements(),
                     " vs. ", n);
    }
    auto flat = indices_input->flat<int32_t>();
    indices.assign(flat.begin(), flat.end());
    for (int64_t i : indices) largest = i > largest ? i : largest;
  } else {
    indices = counting(n);
    largest = n - 1;
  }
  TROUPE_ASSIGN_OR_RETURN(int64_t array_size, array->size());
  if (array->dynamic_size() && array_size < largest + 1) array_size = largest + 1;
  if (indices_input == nullptr) {
    if (n != array_size) {
      return invalid("Input value must have first dimension equal to the array size (", n, " vs. ",
                     array_size, ")");
    }
    TROUPE_RETURN_IF_ERROR(array->mark_size(array_size));
  } else if (largest >= array_size) {
    return invalid("Max scatter index must be < array size (", largest, " vs. ", array_size, ")");
  }
  Shape element = value.shape();
  element.remove_dim(0);
  std::vector<Tensor> parts;
  parts.reserve(indices.size());
  for (int64_t i = 0; i < n; ++i) {
    TROUPE_ASSIGN_OR_RETURN(Tensor part, context.allocate_temp(value.dtype(), element));
    parts.push_back(std::move(part));
  }
  TROUPE_RETURN_IF_ERROR(memory.cut(context, value, absl::MakeSpan(parts)));
  TROUPE_RETURN_IF_ERROR(array->write_many(context, indices, std::move(parts)));
  context.forward_input(flow, 0);
  return absl::OkStatus();
}

absl::Status scatter(KernelContext& context, const ElementMemory& memory) {
  return scatter_rows(context, memory, &context.input(1), context.input(2), 3);
}
absl::Status unpack(KernelContext& context, const ElementMemory& memory) {
  return scatter_rows(context, memory, nullptr, context.input(1), 2);
}

absl::Status split(KernelContext& context, const ElementMemory& memory) {
  const Tensor& value = context.input(1);
  const Tensor& lengths = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_written_type(*array, value.dtype()));
  if (!is_vector(lengths))
    return invalid("Expected lengths to be a vector, received shape: ", lengths.shape().to_string());
  if (value.rank() == 0) {
    return invalid("Expected value to be at least a vector, but received shape: ", value.shape().to_string());
  }
  const int64_t n = lengths.num_elements();
  int64_t total = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) return invalid("Expected lengths to be >= 0, but saw ", length);
    if (__builtin_add_overflow(total, length, &total)) return invalid("The sum of lengths overflows");
  }
  if (total != value.dim(0)) {
    return invalid("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ", total,
                   " and value's shape is: ", value.shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(int64_t array_size, array->size());
  if (array->dynamic_size() && array_size < n) array_size = n;
  if (array_size != n) {
    return invalid("TensorArray's size is not equal to the size of lengths (", array_size, " vs. ", n,
                   "), and the TensorArray is not marked as dynamically resizeable");
  }
  Shape part_shape = value.shape();
  std::vector<Tensor> parts;
  parts.reserve(static_cast<size_t>(n));
  for (int64_t length : lengths.flat<int64_t>()) {
    part_shape.set_dim(0, length);
    TROUPE_ASSIGN_OR_RETURN(Tensor part, context.allocate_temp(value.dtype(), part_shape));
    parts.push_back(std::move(part));
  }
  TROUPE_RETURN_IF_ERROR(memory.cut(context, value, absl::MakeSpan(parts)));
  TROUPE_RETURN_IF_ERROR(array->mark_size(array_size));
  TROUPE_RETURN_IF_ERROR(array->write_many(context, counting(n), std::move(parts)));
  context.forward_input(3, 0);
  return absl::OkStatus();
}

}  // namespace

void add_tensor_array_bulk_ops(const ElementMemory* memory, const AddElementOp& add) {
  std::vector<DataType> packable = value_types();
  for (DataType t : {DataType::kQint8, DataType::kQuint8, DataType::kQint32}) packable.push_back(t);
  const std::vector<DataType> gatherable = with(packable, {DataType::kVariant});
  const std::vector<DataType> storable = every_type();
  for (std::string v : {"", "V2", "V3"}) {
    add({"TensorArrayScatter" + v,
         "T",
         storable,
         {"handle", "indices", "flow_in", "flow_out"},
         {"value"},
         element_kernel(scatter, memory)});
    add({"TensorArraySplit" + v,
         "T",
         storable,
         {"handle", "lengths", "flow_in", "flow_out"},
         {"value"},
         element_kernel(split, memory)});
    add({"TensorArrayGather" + v,
         "dtype",
         gatherable,
         {"handle", "indices", "flow_in"},
         {"value"},
         element_kernel<GatherKernel>(memory)});
    add({"TensorArrayConcat" + v,
         "dtype",
         packable,
         {"handle", "flow_in", "lengths"},
         {"value"},
         element_kernel<ConcatKernel>(memory)});
  }
  add({"TensorArrayPack",
       "dtype",
       gatherable,
       {"handle", "flow_in"},
       {"value"},
       element_kernel<GatherKernel>(memory)});
  add({"TensorArrayUnpack",
       "T",
       storable,
       {"handle", "flow_in", "flow_out"},
       {"value"},
       element_kernel(unpack, memory)});
}

}  // namespace troupe
