// Datasets that begin a pipeline: tensors, their slices, numbers.

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// The inputs of the node.
Element components_of(const KernelContext& context) {
  Element components;
  for (int i = 0; i < context.num_inputs(); ++i) components.push_back(context.input(i));
  return components;
}

/// As many elements as `count`, made by `f(number)`.
template <class F>
std::shared_ptr<Dataset> make_numbered(const char* name, int64_t count, F f) {
  auto dataset = make_dataset(name, {}, [count, f](const std::string&) {
    return iterator_of([count, f, at = int64_t{0}](const ElementContext&) mutable -> NextElement {
      if (at >= count) return std::nullopt;
      return f(at++);
    });
  });
  dataset->cardinality = count;
  dataset->at = [f](const ElementContext&, int64_t i) -> absl::StatusOr<Element> { return f(i); };
  return dataset;
}

absl::Status make_tensor(KernelContext& context) {
  return output_dataset(
      context, make_numbered("FromTensor", 1, [all = components_of(context)](int64_t) { return all; }));
}

absl::Status make_slices(KernelContext& context) {
  auto components = std::make_shared<const Element>(components_of(context));
  for (const Tensor& t : *components) {
    if (t.rank() < 1) return invalid("All components must be at least 1-dimensional");
    if (t.dim(0) != (*components)[0].dim(0)) {
      return invalid("All components must have the same size in the 0th dimension");
    }
  }
  const int64_t rows = components->empty() ? 0 : (*components)[0].dim(0);
  return output_dataset(context, make_numbered("TensorSlice", rows, [components](int64_t row) {
                          return slice_of(*components, row);
                        }));
}

/// The inputs are the components of all elements, one element after the other.
absl::Status make_list(KernelContext& context, const char* label) {
  TROUPE_ASSIGN_OR_RETURN(auto types, context.node().attrs.get<std::vector<DataType>>("output_types"));
  const size_t width = types.size();
  if (width == 0 || static_cast<size_t>(context.num_inputs()) % width != 0) {
    return invalid("The number of tensors must be a multiple of the components of an element");
  }
  std::vector<Element> elements;
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (static_cast<size_t>(i) % width == 0) elements.emplace_back();
    elements.back().push_back(context.input(i));
  }
  return output_dataset(context, make_list_dataset(label, std::move(elements), {}, {}));
}

absl::Status make_plain_list(KernelContext& context) { return make_list(context, "List"); }
/// A window that was saved in a graph.
absl::Status make_window(KernelContext& context) { return make_list(context, "Window"); }

/// A number of the dtype.
absl::StatusOr<Tensor> number_as(DataType dtype, int64_t value) {
  switch (dtype) {
    case DataType::kInt64: return Tensor::scalar<int64_t>(value);
    case DataType::kInt32: return Tensor::scalar<int32_t>(static_cast<int32_t>(value));
    case DataType::kInt16: return Tensor::scalar<int16_t>(static_cast<int16_t>(value));
    case DataType::kInt8: return Tensor::scalar<int8_t>(static_cast<int8_t>(value));
    case DataType::kUint64: return Tensor::scalar<uint64_t>(static_cast<uint64_t>(value));
    case DataType::kUint32: return Tensor::scalar<uint32_t>(static_cast<uint32_t>(value));
    case DataType::kUint16: return Tensor::scalar<uint16_t>(static_cast<uint16_t>(value));
    case DataType::kUint8: return Tensor::scalar<uint8_t>(static_cast<uint8_t>(value));
    case DataType::kFloat: return Tensor::scalar<float>(static_cast<float>(value));
    case DataType::kDouble: return Tensor::scalar<double>(static_cast<double>(value));
    default: return invalid("Unsupported data type: ", dtype_name(dtype));
  }
}

/// How many numbers there are from start to stop.
int64_t range_length(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const uint64_t span = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return static_cast<int64_t>(std::min<uint64_t>((span - 1) / stride + 1, INT64_MAX));
}

absl::Status make_range(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t start, input_count(context, 0, "start"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t stop, input_count(context, 1, "stop"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t step, input_count(context, 2, "step"));
  if (step == 0) return invalid("step must be a non-zero integer.");
  TROUPE_ASSIGN_OR_RETURN(auto types, context.node().attrs.get<std::vector<DataType>>("output_types"));
  if (types.size() != 1) return invalid("RangeDataset has one component");
  TROUPE_RETURN_IF_ERROR(number_as(types[0], 0).status());
  auto make = [start, step, dtype = types[0]](int64_t i) -> absl::StatusOr<Element> {
    const uint64_t value =
        static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(step);
    TROUPE_ASSIGN_OR_RETURN(Tensor t, number_as(dtype, static_cast<int64_t>(value)));
    return Element{std::move(t)};
  };
  return output_dataset(context, make_numbered("Range", range_length(start, stop, step), make));
}

struct SparseSlices {
  Tensor indices;
  Tensor values;
  Tensor shape;

  /// The first entry of row r or of a later one.
  int64_t first_of(int64_t r) const {
    int64_t low = 0, high = indices.dim(0);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (int_at(indices, middle * indices.dim(1)) < r) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  Element row(int64_t r) const {
    const int64_t rank = indices.dim(1);
    const int64_t begin = first_of(r), end = first_of(r + 1);
    Tensor coordinates(DataType::kInt64, Shape{end - begin, rank - 1});
    for (int64_t i = begin; i < end; ++i) {
      copy_elements(indices, i * rank + 1, coordinates, (i - begin) * (rank - 1), rank - 1);
    }
    return {std::move(coordinates), values.slice_rows(begin, end), shape.slice_rows(1, rank)};
  }
};

absl::Status make_sparse_slices(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &shape = context.input(2);
  if (indices.rank() != 2) {
    return invalid("Input indices must be a matrix. Got: ", indices.shape().to_string());
  }
  if (!is_vector(values)) return invalid("Input values must be a vector. Got: ", values.shape().to_string());
  if (!is_vector(shape)) return invalid("Input shape must be a vector. Got: ", shape.shape().to_string());
  if (indices.dim(0) != values.dim(0)) {
    return invalid("Number of values must match first dimension of indices. Got ", values.dim(0),
                   " values, indices shape: ", indices.shape().to_string());
  }
  if (indices.dim(1) != shape.dim(0)) {
    return invalid("Number of dimensions must match second dimension of indices. Got ", shape.dim(0),
                   " dimensions, indices shape: ", indices.shape().to_string());
  }
  if (shape.dim(0) < 1) return invalid("The shape argument requires at least one element.");
  const int64_t rows = int_at(shape, 0);
  for (int64_t i = 0, row = 0; i < indices.dim(0); ++i) {
    const int64_t next = int_at(indices, i * indices.dim(1));
    if (next < row || next >= rows) {
      return absl::UnimplementedError(
          "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input "
          "is not currently supported.");
    }
    row = next;
  }
  auto slices = std::make_shared<const SparseSlices>(SparseSlices{indices, values, shape});
  auto dataset = make_numbered("SparseTensorSlice", rows, [slices](int64_t r) { return slices->row(r); });
  dataset->types = {DataType::kInt64, values.dtype(), DataType::kInt64};
  const int64_t rank = shape.dim(0) - 1;
  dataset->shapes = {PartialShape({-1, rank}), PartialShape({-1}), PartialShape({rank})};
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_sources(KernelRegistry* registry) {
  registry->add(KernelDef("TensorDataset").fn(make_tensor, /*cheap=*/true));
  registry->add(KernelDef("TensorSliceDataset").fn(make_slices, /*cheap=*/true));
  registry->add(KernelDef("ListDataset").fn(make_plain_list, /*cheap=*/true));
  registry->add(KernelDef("WindowOp").fn(make_window, /*cheap=*/true));
  registry->add(KernelDef("RangeDataset").fn(make_range, /*cheap=*/true));
  registry->add(KernelDef("SparseTensorSliceDataset").fn(make_sparse_slices));
}

}  // namespace troupe
