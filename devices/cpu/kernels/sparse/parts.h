#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/storage.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// The three inputs of a sparse tensor, checked to fit one another: indices [nnz, rank] of int32 or int64,
/// values [nnz], dense shape [rank]. Refers to the context's tensors.
struct Sparse {
  const Tensor* indices = nullptr;
  const Tensor* values = nullptr;
  Indices dims;

  int64_t nnz() const { return indices->dim(0); }
  int rank() const { return static_cast<int>(dims.size()); }
  /// Row i; for int64 indices.
  const int64_t* row(int64_t i) const { return indices->flat<int64_t>().data() + i * rank(); }
};

/// InvalidArgument for a negative size, and for more elements than 2^63 - 1.
absl::Status check_dims(const Indices& dims);

/// That inputs `first` .. `first` + 2 are a matrix and two vectors: what some ops say before they look any further.
absl::Status check_sparse_ranks(const KernelContext& context, int first);

/// Reads inputs `first` .. `first` + 2. The errors are those that most sparse ops of TensorFlow have.
absl::StatusOr<Sparse> read_sparse(KernelContext& context, int first);

/// "[1,2]": a row of indices, or a shape.
inline std::string bracketed(const int64_t* row, int rank) {
  return absl::StrCat("[", absl::StrJoin(row, row + rank, ","), "]");
}

/// InvalidArgument "indices[1] = [0,1] is out of bounds: need 0 <= index < [2,3]", also for rows that are out
/// of order or repeated.
absl::Status check_indices(const int64_t* indices, int64_t nnz, const Indices& dims, bool ordered);

/// Whether each index lies within the shape.
inline bool within(const int64_t* row, const Indices& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (row[d] < 0 || row[d] >= dims[d]) return false;
  }
  return true;
}

/// Positions of the rows in lexicographic order; equal ones keep theirs.
std::vector<int64_t> sorted_rows(const int64_t* indices, int64_t nnz, int rank);

inline int compare_rows(const int64_t* a, const int64_t* b, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

/// to[i] = from[positions[i]], elements of any dtype.
void pick_elements(DataType dtype, const void* from, const std::vector<int64_t>& positions, void* to);

/// Sets output i to the int64 vector of `dims`.
absl::Status output_dims(KernelContext& context, int i, const Indices& dims);

/// Sets output i to a matrix of int64 whose rows are `rank` long.
absl::Status output_rows(KernelContext& context, int i, const std::vector<int64_t>& rows, int64_t count,
                         int rank);

}  // namespace troupe
