// Matrices over leading batch dimensions, tensors with diagonals, Fourier transforms.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// `shape` with its last two dimensions made equal.
absl::StatusOr<PartialShape> square(const PartialShape& shape) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(shape, 2));
  if (!shape.known_rank()) return shape;
  TROUPE_ASSIGN_OR_RETURN(int64_t n, merge_dims(dim_of(shape, -2), dim_of(shape, -1)));
  return replace_dim(replace_dim(shape, -2, n), -1, n);
}

absl::Status batch_square(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, square(c.input(0)));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status determinant(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(in, -1), dim_of(in, -2)).status());
  c.set_output(0, subshape(in, 0, -2));
  return absl::OkStatus();
}

absl::Status solve(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape left, square(c.input(0)));
  const PartialShape& right = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(right, 2));
  const bool broadcasts = c.op().name == "MatrixTriangularSolve";
  const PartialShape left_batch = subshape(left, 0, -2), right_batch = subshape(right, 0, -2);
  TROUPE_ASSIGN_OR_RETURN(PartialShape batch,
                          broadcasts ? broadcast(left_batch, right_batch) : merge(left_batch, right_batch));
  TROUPE_ASSIGN_OR_RETURN(int64_t n, merge_dims(dim_of(left, -2), dim_of(right, -2)));
  c.set_output(0, concatenate(batch, PartialShape({n, dim_of(right, -1)})));
  return absl::OkStatus();
}

absl::Status qr(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_ASSIGN_OR_RETURN(bool full, c.attr<bool>("full_matrices"));
  const int64_t m = dim_of(in, -2), n = dim_of(in, -1);
  const int64_t p = m < 0 || n < 0 ? kUnknownDim : std::min(m, n);
  const PartialShape batch = subshape(in, 0, -2);
  c.set_output(0, concatenate(batch, full ? PartialShape({m, m}) : PartialShape({m, p})));
  c.set_output(1, concatenate(batch, full ? PartialShape({m, n}) : PartialShape({p, n})));
  return absl::OkStatus();
}

absl::Status svd(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_ASSIGN_OR_RETURN(bool vectors, c.attr<bool>("compute_uv"));
  TROUPE_ASSIGN_OR_RETURN(bool full, c.attr<bool>("full_matrices"));
  const int64_t m = dim_of(in, -2), n = dim_of(in, -1);
  const int64_t p = m < 0 || n < 0 ? kUnknownDim : std::min(m, n);
  const PartialShape batch = subshape(in, 0, -2);
  c.set_output(0, concatenate(batch, PartialShape({p})));
  c.set_output(1, vectors ? concatenate(batch, PartialShape({m, full ? m : p})) : PartialShape({0}));
  c.set_output(2, vectors ? concatenate(batch, PartialShape({n, full ? n : p})) : PartialShape({0}));
  return absl::OkStatus();
}

absl::Status self_adjoint_eigen(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, square(c.input(0)));
  TROUPE_ASSIGN_OR_RETURN(bool vectors, c.attr<bool>("compute_v"));
  c.set_output(0, subshape(in, 0, -1));
  c.set_output(1, vectors ? in : PartialShape({0}));
  return absl::OkStatus();
}

absl::Status log_determinant(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, square(c.input(0)));
  c.set_output(0, subshape(in, 0, -2));
  c.set_output(1, subshape(in, 0, -2));
  return absl::OkStatus();
}

absl::Status lu(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, square(c.input(0)));
  c.set_output(0, in);
  c.set_output(1, subshape(in, 0, -1));
  return absl::OkStatus();
}

absl::Status least_squares(ShapeContext& c) {
  const PartialShape &left = c.input(0), &right = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(left, 2));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(right, 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape batch, merge(subshape(left, 0, -2), subshape(right, 0, -2)));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(left, -2), dim_of(right, -2)).status());
  c.set_output(0, concatenate(batch, PartialShape({dim_of(left, -1), dim_of(right, -1)})));
  return absl::OkStatus();
}

absl::Status diag(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  c.set_output(0, concatenate(c.input(0), c.input(0)));
  return absl::OkStatus();
}

absl::Status diag_part(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return absl::OkStatus();
  if (in.rank() == 0 || in.rank() % 2 != 0) {
    return invalid(absl::StrCat("Input must have even and non-zero rank, input rank is ", in.rank()));
  }
  const int half = in.rank() / 2;
  Dims dims(half);
  for (int i = 0; i < half; ++i) {
    TROUPE_ASSIGN_OR_RETURN(dims[i], merge_dims(in.dim(i), in.dim(i + half)));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

/// FFT over the last kRank dimensions.
template <int kRank>
absl::Status fft(ShapeContext& c) {
  return unchanged_rank_at_least<kRank>(c);
}

/// RFFT and IRFFT over the last kRank dimensions, whose lengths input 1 says.
template <int kRank>
absl::Status real_fft(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const bool forward = absl::StartsWith(c.op().name, "R");
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, kRank));
  TROUPE_ASSIGN_OR_RETURN(PartialShape lengths, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(lengths, 0), kRank).status());
  const auto sizes = c.all_ints(1);
  PartialShape out = in;
  for (int i = 0; i < kRank; ++i) {
    int64_t n = kUnknownDim;
    if (sizes && static_cast<int>(sizes->size()) == kRank) {
      n = (*sizes)[i];
      if (n < 0) n = kUnknownDim;
      // The last dimension of a real transform keeps half of the frequencies.
      if (forward && i == kRank - 1 && n > 0) n = n / 2 + 1;
    }
    out = replace_dim(out, i - kRank, n);
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

/// Over the axes that input 2 says, whose lengths input 1 does.
absl::Status fft_of_axes(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  if (!in.known_rank()) return absl::OkStatus();
  const auto lengths = c.all_ints(1), axes = c.all_ints(2);
  const bool halves = c.op().name == "RFFTND";
  PartialShape out = axes ? in : unknown_of_rank(in.rank());
  for (size_t i = 0; axes && i < axes->size(); ++i) {
    const auto axis = canonical_axis((*axes)[i], in.rank());
    if (!axis) return absl::OkStatus();
    int64_t n = lengths && lengths->size() == axes->size() ? (*lengths)[i] : kUnknownDim;
    if (n < 0) n = kUnknownDim;
    if (halves && i + 1 == axes->size() && n > 0) n = n / 2 + 1;
    out = replace_dim(out, *axis, n);
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Cholesky", batch_square},
    {"MatrixInverse", batch_square},
    {"MatrixSquareRoot", batch_square},
    {"MatrixLogarithm", batch_square},
    {"MatrixExponential", batch_square},
    {"MatrixDeterminant", determinant},
    {"LogMatrixDeterminant", log_determinant},
    {"MatrixSolve", solve},
    {"MatrixTriangularSolve", solve},
    {"MatrixSolveLs", least_squares},
    {"Qr", qr},
    {"Svd", svd},
    {"SelfAdjointEigV2", self_adjoint_eigen},
    {"Lu", lu},
    {"Diag", diag},
    {"DiagPart", diag_part},
    {"MatrixBandPart", unchanged},
    {"FFT", fft<1>},
    {"FFT2D", fft<2>},
    {"FFT3D", fft<3>},
    {"IFFT", fft<1>},
    {"IFFT2D", fft<2>},
    {"IFFT3D", fft<3>},
    {"FFTND", fft_of_axes},
    {"IFFTND", fft_of_axes},
    {"RFFTND", fft_of_axes},
    {"IRFFTND", fft_of_axes},
    {"RFFT", real_fft<1>},
    {"RFFT2D", real_fft<2>},
    {"RFFT3D", real_fft<3>},
    {"IRFFT", real_fft<1>},
    {"IRFFT2D", real_fft<2>},
    {"IRFFT3D", real_fft<3>},
};

}  // namespace

absl::Status register_linalg_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
