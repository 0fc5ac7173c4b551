#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {

absl::Status check_dims(const Indices& dims) {
  int64_t elements = 1;
  for (int64_t size : dims) {
    if (size < 0) return invalid("Expected shape dimensions to be non-negative, got ", size);
    const int64_t before = elements;
    if (multiply_overflows(elements, size, &elements))
      return invalid("Encountered overflow when multiplying ", before, " with ", size, ", result: -1");
  }
  return absl::OkStatus();
}

absl::Status check_sparse_ranks(const KernelContext& context, int first) {
  const Tensor &indices = context.input(first), &values = context.input(first + 1),
               &shape = context.input(first + 2);
  if (indices.rank() != 2)
    return invalid("Input indices should be a matrix but received shape ", indices.shape().to_string());
  if (!is_vector(values))
    return invalid("Input values should be a vector but received shape ", values.shape().to_string());
  if (!is_vector(shape))
    return invalid("Input shape should be a vector but received shape ", shape.shape().to_string());
  return absl::OkStatus();
}

absl::StatusOr<Sparse> read_sparse(KernelContext& context, int first) {
  const Tensor& indices = context.input(first);
  const Tensor& values = context.input(first + 1);
  const Tensor& shape = context.input(first + 2);
  if (indices.rank() != 2) return invalid("Sparse indices must be rank 2 but is rank ", indices.rank());
  if (!is_vector(values)) return invalid("Sparse values must be rank 1 but is rank ", values.rank());
  if (!is_vector(shape)) return invalid("Sparse shape must be rank 1 but is rank ", shape.rank());
  if (indices.dim(0) != values.dim(0)) {
    return invalid("Number of elements in indices (", indices.dim(0), ") and values (", values.dim(0),
                   ") do not match");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return invalid("Index rank (", indices.dim(1), ") and shape rank (", shape.dim(0), ") do not match");
  }
  Sparse s{&indices, &values, ints_of(shape)};
  TROUPE_RETURN_IF_ERROR(check_dims(s.dims));
  return s;
}

absl::Status check_indices(const int64_t* indices, int64_t nnz, const Indices& dims, bool ordered) {
  const int rank = static_cast<int>(dims.size());
  for (int64_t i = 0; i < nnz; ++i) {
    const int64_t* row = indices + i * rank;
    if (!within(row, dims)) {
      return invalid("indices[", i, "] = ", bracketed(row, rank), " is out of bounds: need 0 <= index < ",
                     bracketed(dims.data(), rank));
    }
    if (!ordered || i == 0) continue;
    const int order = compare_rows(row - rank, row, rank);
    if (order > 0) {
      return invalid("indices[", i, "] = ", bracketed(row, rank),
                     " is out of order. Many sparse ops require sorted indices.\n"
                     "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n");
    }
    if (order == 0) return invalid("indices[", i, "] = ", bracketed(row, rank), " is repeated");
  }
  return absl::OkStatus();
}

std::vector<int64_t> sorted_rows(const int64_t* indices, int64_t nnz, int rank) {
  std::vector<int64_t> order(static_cast<size_t>(nnz));
  std::iota(order.begin(), order.end(), 0);
  bool sorted = true;
  for (int64_t i = 1; i < nnz && sorted; ++i)
    sorted = compare_rows(indices + (i - 1) * rank, indices + i * rank, rank) <= 0;
  if (!sorted) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return compare_rows(indices + a * rank, indices + b * rank, rank) < 0;
    });
  }
  return order;
}

void pick_elements(DataType dtype, const void* from, const std::vector<int64_t>& positions, void* to) {
  with_storage(dtype, [&]<class T>(T*) {
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    for (size_t i = 0; i < positions.size(); ++i) target[i] = source[positions[i]];
  });
}

absl::Status output_dims(KernelContext& context, int i, const Indices& dims) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape{static_cast<int64_t>(dims.size())}));
  std::copy(dims.begin(), dims.end(), out->flat<int64_t>().begin());
  return absl::OkStatus();
}

absl::Status output_rows(KernelContext& context, int i, const std::vector<int64_t>& rows, int64_t count,
                         int rank) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape{count, rank}));
  std::copy(rows.begin(), rows.end(), out->flat<int64_t>().begin());
  return absl::OkStatus();
}

}  // namespace troupe
