#pragma once

#include <complex>

#include "devices/kernel_registry.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// A sparse matrix, or a batch of them, in compressed rows: what a variant of the ops *CSRSparseMatrix* and SparseMatrix*
/// holds. Never changed once made.
class CsrMatrix final : public VariantValue {
 public:
  std::string type_name() const override { return "tensorflow::CSRSparseMatrix"; }
  std::string debug_string() const override { return shape.to_string(); }

  DataType dtype() const { return values.dtype(); }
  int rank() const { return shape.rank(); }
  int64_t batches() const { return static_cast<int64_t>(batch_starts.size()) - 1; }
  int64_t rows() const { return shape.dim(rank() - 2); }
  int64_t cols() const { return shape.dim(rank() - 1); }
  int64_t count(int64_t batch) const {
    const size_t b = static_cast<size_t>(batch);
    return batch_starts[b + 1] - batch_starts[b];
  }
  /// Of one matrix: rows() + 1 places, counted within it, where its rows begin.
  const int32_t* row_starts(int64_t batch) const {
    return row_pointers.flat<int32_t>().data() + batch * (rows() + 1);
  }
  const int32_t* columns(int64_t batch) const {
    return column_indices.flat<int32_t>().data() + batch_starts[static_cast<size_t>(batch)];
  }
  template <class T>
  const T* elements(int64_t batch) const {
    return values.flat<T>().data() + batch_starts[static_cast<size_t>(batch)];
  }

  /// [rows, cols] or [batches, rows, cols].
  Shape shape;
  /// Where the elements of each matrix begin, and where those of the last one end.
  std::vector<int32_t> batch_starts;
  /// int32, (rows + 1) a matrix.
  Tensor row_pointers;
  /// int32 and of the matrix's dtype, one an element.
  Tensor column_indices;
  Tensor values;
};

/// The shape as [batches, rows, cols], with one batch for a matrix.
struct CsrSize {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t cols = 0;
};
/// InvalidArgument for ranks other than 2 and 3, and what 32-bit pointers cannot count.
absl::StatusOr<CsrSize> csr_size(const Shape& shape);
/// A matrix of that shape with room for `count` elements and all pointers 0.
absl::StatusOr<std::shared_ptr<CsrMatrix>> new_csr(const KernelContext& context, const Shape& shape,
                                                   DataType dtype, int64_t count);
/// Turns counts, in batch_starts[b + 1] and row_pointers[.. + row + 1], into places.
void sum_csr_counts(CsrMatrix* matrix);

/// The matrix in input `i`. InvalidArgument "Could not retrieve Variant input 0".
absl::StatusOr<std::shared_ptr<const CsrMatrix>> input_csr(const KernelContext& context, int i);
void output_csr(KernelContext& context, std::shared_ptr<CsrMatrix> matrix);

/// Calls f(T()) for the element type.
template <class F>
auto with_csr_type(DataType dtype, F&& f) {
  switch (dtype) {
    case DataType::kFloat: return f(float{});
    case DataType::kDouble: return f(double{});
    case DataType::kComplex64: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}
std::vector<DataType> csr_types();

}  // namespace troupe
