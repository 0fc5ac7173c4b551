// Orderings and Cholesky factors of sparse matrices.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>
#include <new>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/sparse/csr_matrix.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class T>
using RowMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor>;
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

absl::Status check_square(const CsrMatrix& m, const char* op) {
  if (m.rows() == m.cols()) return absl::OkStatus();
  return invalid(op, ": matrices must be square, got shape ", m.shape.to_string());
}

/// The order of eliminations that is expected to make the least fill (Amestoy, Davis and Duff, "An Approximate Minimum Degree
/// Ordering Algorithm", 1996), of the lower triangles.
absl::Status order_amd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto in, input_csr(context, 0));
  TROUPE_RETURN_IF_ERROR(check_square(*in, "SparseMatrixOrderingAMD"));
  const int n = static_cast<int>(in->rows());
  const Shape shape = in->rank() == 3 ? Shape{in->batches(), in->rows()} : Shape{in->rows()};
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  for (int64_t b = 0; b < in->batches() && n > 0; ++b) {
    // The pattern alone matters.
    const std::vector<float> ones(static_cast<size_t>(in->count(b)), 1.0f);
    const Eigen::Map<const RowMatrix<float>> pattern(n, n, static_cast<Eigen::Index>(in->count(b)),
                                                     in->row_starts(b), in->columns(b), ones.data());
    Eigen::SparseMatrix<float> whole(n, n);
    whole = pattern.selfadjointView<Eigen::Lower>();
    Permutation p;
    Eigen::AMDOrdering<int>()(whole, p);
    std::copy_n(p.indices().data(), n, out->flat<int32_t>().data() + b * n);
  }
  return absl::OkStatus();
}

absl::StatusOr<Permutation> read_permutation(const int32_t* from, int n) {
  Permutation p(n);
  std::vector<bool> seen(static_cast<size_t>(n), false);
  for (int i = 0; i < n; ++i) {
    if (from[i] < 0 || from[i] >= n || seen[static_cast<size_t>(from[i])])
      return invalid("permutation must name each row once, but has ", from[i], " at ", i);
    seen[static_cast<size_t>(from[i])] = true;
    p.indices()[i] = from[i];
  }
  return p;
}

/// The factor of one matrix whose rows and columns come in the order of `p`; compressed.
template <class T>
absl::StatusOr<RowMatrix<T>> factor(const CsrMatrix& in, int64_t b, const Permutation& p) {
  const int n = static_cast<int>(in.rows());
  const Eigen::Map<const RowMatrix<T>> matrix(n, n, static_cast<Eigen::Index>(in.count(b)), in.row_starts(b),
                                              in.columns(b), in.elements<T>(b));
  Eigen::SparseMatrix<T> moved(n, n);
  const Permutation back = p.inverse();
  moved.template selfadjointView<Eigen::Lower>() =
      matrix.template selfadjointView<Eigen::Lower>().twistedBy(back);
  Eigen::SimplicialLLT<Eigen::SparseMatrix<T>, Eigen::Lower, Eigen::NaturalOrdering<int>> solver;
  solver.compute(moved);
  if (solver.info() != Eigen::Success) {
    return invalid("Sparse Cholesky factorization failed for batch index ", b,
                   ". The input might not be valid.");
  }
  RowMatrix<T> lower = solver.matrixL();
  lower.makeCompressed();
  return lower;
}

template <class T>
absl::Status join_factors(KernelContext& context, const CsrMatrix& in,
                          const std::vector<RowMatrix<T>>& factors) {
  int64_t count = 0;
  for (const auto& f : factors) count += f.nonZeros();
  TROUPE_ASSIGN_OR_RETURN(auto out, new_csr(context, in.shape, in.dtype(), count));
  const size_t rows = static_cast<size_t>(in.rows()) + 1;
  int32_t at = 0;
  for (size_t b = 0; b < factors.size(); ++b) {
    const auto& f = factors[b];
    std::copy_n(f.outerIndexPtr(), rows, out->row_pointers.flat<int32_t>().data() + b * rows);
    std::copy_n(f.innerIndexPtr(), f.nonZeros(), out->column_indices.flat<int32_t>().data() + at);
    std::copy_n(f.valuePtr(), f.nonZeros(), out->values.template flat<T>().data() + at);
    at += static_cast<int32_t>(f.nonZeros());
    out->batch_starts[b + 1] = at;
  }
  output_csr(context, std::move(out));
  return absl::OkStatus();
}

absl::Status cholesky(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto in, input_csr(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const DataType type, context.node().attrs.get<DataType>("type"));
  if (in->dtype() != type) {
    return invalid("dtype of input is not equal to 'type': ", dtype_name(in->dtype()), " vs. ",
                   dtype_name(type));
  }
  TROUPE_RETURN_IF_ERROR(check_square(*in, "SparseMatrixSparseCholesky"));
  const Tensor& permutation = context.input(1);
  const Shape want = in->rank() == 3 ? Shape{in->batches(), in->rows()} : Shape{in->rows()};
  if (!(permutation.shape() == want)) {
    return invalid("permutation must have shape ", want.to_string(), ", got ",
                   permutation.shape().to_string());
  }
  const int n = static_cast<int>(in->rows());
  return with_csr_type(type, [&]<class T>(T) -> absl::Status {
    std::vector<RowMatrix<T>> factors;
    int64_t count = 0;
    for (int64_t b = 0; b < in->batches(); ++b) {
      TROUPE_ASSIGN_OR_RETURN(Permutation p, read_permutation(permutation.flat<int32_t>().data() + b * n, n));
      TROUPE_ASSIGN_OR_RETURN(RowMatrix<T> f, factor<T>(*in, b, p));
      count += f.nonZeros();
      if (count > std::numeric_limits<int32_t>::max())
        return invalid("The factors have more elements than 32 bits count");
      factors.push_back(std::move(f));
    }
    return join_factors<T>(context, *in, factors);
  });
}

/// Eigen allocates by itself, and throws.
template <absl::Status (*kCompute)(KernelContext&)>
absl::Status guarded(KernelContext& context) {
  try {
    return kCompute(context);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("OOM when factoring a sparse matrix");
  }
}

}  // namespace

void register_sparse_csr_cholesky(KernelRegistry* registry) {
  registry->add(KernelDef("SparseMatrixOrderingAMD").fn(guarded<order_amd>));
  registry->add(KernelDef("SparseMatrixSparseCholesky").types("type", csr_types()).fn(guarded<cholesky>));
}

}  // namespace troupe
