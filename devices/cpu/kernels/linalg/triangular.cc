// MatrixTriangularSolve, BandedTriangularSolve.
#include <algorithm>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

/// Batches that broadcast: the output's leading dimensions, and for each output batch those of the inputs.
struct BatchPairs {
  Shape leading;
  std::vector<int64_t> left, right;
};

/// InvalidArgument "In[0] and In[1] must have compatible batch dimensions: ..."
absl::StatusOr<BatchPairs> pair_batches(const Tensor& a, const Tensor& b) {
  Shape x = with_matrix(a, {}), y = with_matrix(b, {});
  int rank = std::max(x.rank(), y.rank());
  Indices dims(rank), xs(rank, 0), ys(rank, 0);
  Indices x_strides = strides_of(x), y_strides = strides_of(y);
  for (int i = 0; i < rank; ++i) {
    int xi = i - (rank - x.rank()), yi = i - (rank - y.rank());
    int64_t dx = xi < 0 ? 1 : x.dim(xi), dy = yi < 0 ? 1 : y.dim(yi);
    if (dx != dy && dx != 1 && dy != 1) {
      return invalid("In[0] and In[1] must have compatible batch dimensions: ", a.shape().to_string(),
                     " vs. ", b.shape().to_string());
    }
    dims[i] = dx == 1 ? dy : dx;
    if (dx > 1) xs[i] = x_strides[xi];
    if (dy > 1) ys[i] = y_strides[yi];
  }
  BatchPairs pairs;
  TROUPE_ASSIGN_OR_RETURN(pairs.leading, Shape::make({dims.data(), dims.size()}));
  int64_t n = pairs.leading.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, l = 0, r = 0;
    for (int d = rank - 1; d >= 0; --d) {
      l += rest % dims[d] * xs[d];
      r += rest % dims[d] * ys[d];
      rest /= dims[d];
    }
    pairs.left.push_back(l);
    pairs.right.push_back(r);
  }
  return pairs;
}

/// Base of the two: checks both inputs and makes the output.
class TriangularKernel : public Kernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& matrix = context.input(0);
    const Tensor& rhs = context.input(1);
    if (matrix.rank() < 2) return invalid("In[0] ndims must be >= 2: ", matrix.rank());
    if (banded_ && matrix.num_elements() == 0) {
      return invalid("In[0] must not be an empty tensor: ", matrix.to_string());
    }
    if (rhs.rank() < 2) return invalid("In[1] ndims must be >= 2: ", rhs.rank());
    if (banded_ && rhs.num_elements() == 0)
      return invalid("In[1] must not be an empty tensor: ", rhs.to_string());
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch a, matrix_batch(matrix, 0, false));
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch b, matrix_batch(rhs, 1, false));
    TROUPE_ASSIGN_OR_RETURN(BatchPairs pairs, pair_batches(matrix, rhs));
    if (!banded_ && a.rows != a.cols) {
      return invalid("In[0] matrices in the last dimensions must be square (", a.cols, " =/= ", a.rows, ")");
    }
    if (a.cols != b.rows) {
      return invalid("In[0] mismatch In[1] shape: ", a.cols, " vs. ", b.rows, ": ",
                     matrix.shape().to_string(), " ", rhs.shape().to_string(), " ", lower_, " ", adjoint_);
    }
    std::vector<int64_t> dims = pairs.leading.to_vector();
    dims.insert(dims.end(), {b.rows, b.cols});
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    return with_own_type(matrix.dtype(), [&]<class S>(S*) -> absl::Status {
      for (size_t i = 0; i < pairs.left.size(); ++i) {
        Matrix<S> m = load_matrix<S>(matrix, pairs.left[i], a.rows, a.cols);
        Matrix<S> x = load_matrix<S>(rhs, pairs.right[i], b.rows, b.cols);
        TROUPE_RETURN_IF_ERROR(banded_ ? solve_bands<S>(m, &x) : solve<S>(m, &x));
        store_matrix<S>(x, out, static_cast<int64_t>(i));
      }
      return absl::OkStatus();
    });
  }

 protected:
  absl::Status read(const KernelConstruction& c, bool banded) {
    banded_ = banded;
    TROUPE_ASSIGN_OR_RETURN(lower_, c.attr<bool>("lower"));
    TROUPE_ASSIGN_OR_RETURN(adjoint_, c.attr<bool>("adjoint"));
    return absl::OkStatus();
  }

 private:
  template <class S>
  absl::Status solve(const Matrix<S>& m, Matrix<S>* x) const {
    if (lower_ && !adjoint_) {
      m.template triangularView<Eigen::Lower>().solveInPlace(*x);
    } else if (!lower_ && !adjoint_) {
      m.template triangularView<Eigen::Upper>().solveInPlace(*x);
    } else if (lower_) {
      m.adjoint().template triangularView<Eigen::Upper>().solveInPlace(*x);
    } else {
      m.adjoint().template triangularView<Eigen::Lower>().solveInPlace(*x);
    }
    return absl::OkStatus();
  }

  /// Row k of `bands` holds the k-th diagonal below the main one, which is row 0; or above it, which is the
  /// last row then. Column i belongs to row i of the matrix.
  template <class S>
  absl::Status solve_bands(const Matrix<S>& bands, Matrix<S>* x) const {
    const int64_t n = bands.cols(), width = std::min<int64_t>(bands.rows(), n);
    const int64_t main = lower_ ? 0 : bands.rows() - 1;
    for (int64_t i = 0; i < n; ++i) {
      if (bands(main, i) == S(0)) return invalid("Input matrix is not invertible.");
    }
    // Row i of op(A) has `k` left (or right) of the diagonal what A has there, or, transposed, what row i +-
    // k has.
    const bool forward = lower_ != adjoint_;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = forward ? step : n - 1 - step;
      for (int64_t k = 1; k < width; ++k) {
        const int64_t j = forward ? i - k : i + k;
        if (j < 0 || j >= n) break;
        const int64_t row = lower_ ? k : bands.rows() - 1 - k;
        const S a = adjoint_ ? Eigen::numext::conj(bands(row, j)) : bands(row, i);
        x->row(i) -= a * x->row(j);
      }
      x->row(i) /= adjoint_ ? Eigen::numext::conj(bands(main, i)) : bands(main, i);
    }
    return absl::OkStatus();
  }

  bool banded_ = false;
  bool lower_ = true;
  bool adjoint_ = false;
};

template <bool kBanded>
class TriangularSolve final : public TriangularKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c, kBanded); }
};

}  // namespace

void register_linalg_triangular(KernelRegistry* registry) {
  for (const char* op : {"MatrixTriangularSolve", "BatchMatrixTriangularSolve"}) {
    registry->add(KernelDef(op).types("T", linalg_types()).kernel<TriangularSolve<false>>());
  }
  registry->add(
      KernelDef("BandedTriangularSolve").types("T", linalg_types()).kernel<TriangularSolve<true>>());
}

}  // namespace troupe
