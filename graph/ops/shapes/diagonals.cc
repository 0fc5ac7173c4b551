// Diagonals of matrices over leading batch dimensions: one that k names, or a band of them.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/common_shapes.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// The smaller of two dimensions; 0 is the smallest whatever the other is.
int64_t min_dim(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? kUnknownDim : std::min(a, b);
}

absl::Status matrix_diag(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  if (in.known_rank()) c.set_output(0, append(in, dim_of(in, -1)));
  return absl::OkStatus();
}

absl::Status matrix_diag_part(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  if (in.known_rank()) c.set_output(0, append(subshape(in, 0, -2), min_dim(dim_of(in, -2), dim_of(in, -1))));
  return absl::OkStatus();
}

absl::Status matrix_set_diag(ShapeContext& c) {
  const PartialShape &in = c.input(0), &diagonal = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(diagonal, 1));
  PartialShape out = in;
  if (in.known_rank()) TROUPE_RETURN_IF_ERROR(with_rank(diagonal, in.rank() - 1).status());
  if (in.known_rank() && diagonal.known_rank()) {
    TROUPE_RETURN_IF_ERROR(
        merge_dims(min_dim(dim_of(in, -2), dim_of(in, -1)), dim_of(diagonal, -1)).status());
    TROUPE_ASSIGN_OR_RETURN(PartialShape batch, merge(subshape(in, 0, -2), subshape(diagonal, 0, -1)));
    out = concatenate(batch, subshape(in, -2));
  } else if (diagonal.known_rank()) {
    out = concatenate(subshape(diagonal, 0, -1), PartialShape({kUnknownDim, kUnknownDim}));
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

/// Diagonals `lower` to `upper`: 0 is the main one, above it are positive numbers.
struct Band {
  int64_t lower = 0, upper = 0;
  bool is_one() const { return lower == upper; }
  int64_t size() const { return upper - lower + 1; }
};

/// What input i, k, says; nothing while it is not known.
absl::StatusOr<std::optional<Band>> band_of(const ShapeContext& c, int i) {
  const auto k = c.all_ints(i);
  if (!k) return std::nullopt;
  if (k->empty() || k->size() > 2) {
    return invalid(absl::StrCat("diag_index must be a vector with one or two elements. It has ", k->size(),
                                " elements."));
  }
  const Band band{k->front(), k->back()};
  if (band.lower > band.upper) return invalid("lower_diag_index is greater than upper_diag_index");
  // Whatever it is, it is no int32.
  for (int64_t d : *k) {
    if (d != static_cast<int32_t>(d)) return std::nullopt;
  }
  return band;
}

absl::Status check_bounds(const Band& band, int64_t rows, int64_t cols) {
  if (rows < 0 || cols < 0) return absl::OkStatus();
  // The main diagonal is there even in a matrix of nothing.
  const auto outside = [&](int64_t d) { return d != 0 && (d <= -rows || d >= cols); };
  if (outside(band.lower)) return invalid("lower_diag_index is out of bound.");
  if (outside(band.upper)) return invalid("upper_diag_index is out of bound.");
  return absl::OkStatus();
}

absl::Status band_part(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 0).status());
  if (!in.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(const std::optional<Band> band, band_of(c, 1));
  if (!band) return absl::OkStatus();
  const int64_t rows = dim_of(in, -2), cols = dim_of(in, -1);
  TROUPE_RETURN_IF_ERROR(check_bounds(*band, rows, cols));
  int64_t longest = kUnknownDim;
  if (rows >= 0 && cols >= 0)
    longest = std::min(rows + std::min<int64_t>(band->upper, 0), cols - std::max<int64_t>(band->lower, 0));
  const PartialShape batch = subshape(in, 0, -2);
  c.set_output(0, append(band->is_one() ? batch : append(batch, band->size()), longest));
  return absl::OkStatus();
}

/// The sides of a matrix whose diagonals of `longest` elements at most are `band`, as far as inputs 2 and 3 say; -1 there: as small as can be, and
/// square if both are.
absl::StatusOr<PartialShape> sides_of(const ShapeContext& c, const Band& band, int64_t longest) {
  const auto rows = c.constant_int(2), cols = c.constant_int(3);
  const auto said = [](const std::optional<int64_t>& n) { return n && *n >= 0 ? *n : kUnknownDim; };
  if (longest < 0) return PartialShape({said(rows), said(cols)});
  TROUPE_ASSIGN_OR_RETURN(const int64_t min_rows, add_dims(longest, -std::min<int64_t>(band.upper, 0)));
  TROUPE_ASSIGN_OR_RETURN(const int64_t min_cols, add_dims(longest, std::max<int64_t>(band.lower, 0)));
  if (rows && *rows != -1 && *rows < min_rows) return invalid("num_rows is too small");
  if (cols && *cols != -1 && *cols < min_cols) return invalid("num_cols is too small.");
  if (rows == -1 && cols == -1)
    return PartialShape({std::max(min_rows, min_cols), std::max(min_rows, min_cols)});
  int64_t height = said(rows), width = said(cols);
  // One of both is as small as can be, or diagonals would not end at a side.
  if (width >= 0 && (rows == -1 || (!rows && width != min_cols))) height = min_rows;
  if (height >= 0 && (cols == -1 || (!cols && height != min_rows))) width = min_cols;
  if (height >= 0 && width >= 0 && height != min_rows && width != min_cols) {
    return invalid(absl::StrCat(
        "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of "
        "the given diagonals.\nnum_rows = ",
        height, " != min_num_rows = ", min_rows, ", num_cols = ", width, " != min_num_cols = ", min_cols));
  }
  return PartialShape({height, width});
}

absl::Status band_to_matrix(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(1), 1));
  for (int i = 2; i < 5; ++i) TROUPE_RETURN_IF_ERROR(with_rank(c.input(i), 0).status());
  if (!in.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(const std::optional<Band> band, band_of(c, 1));
  if (!band) return absl::OkStatus();
  if (!band->is_one()) {
    const int64_t diagonals = dim_of(in, in.rank() == 1 ? -1 : -2);
    if (diagonals >= 0 && diagonals != band->size()) {
      return invalid(absl::StrCat(
          "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
          "`d_upper`.\nnum_diags = ",
          diagonals, ", d_lower = ", band->lower, ", d_upper = ", band->upper, " ", in.rank(), " ",
          dim_of(in, -1)));
    }
  }
  if (!band->is_one()) TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_ASSIGN_OR_RETURN(const PartialShape sides, sides_of(c, *band, dim_of(in, -1)));
  c.set_output(0, concatenate(subshape(in, 0, band->is_one() ? -1 : -2), sides));
  return absl::OkStatus();
}

absl::Status set_band(ShapeContext& c) {
  const PartialShape &in = c.input(0), &diagonal = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 2));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(diagonal, 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(2), 1));
  TROUPE_ASSIGN_OR_RETURN(const std::optional<Band> band, band_of(c, 2));
  PartialShape out = in;
  if (in.known_rank() && band) {
    TROUPE_RETURN_IF_ERROR(with_rank(diagonal, in.rank() - (band->is_one() ? 1 : 0)).status());
    TROUPE_RETURN_IF_ERROR(check_bounds(*band, dim_of(in, -2), dim_of(in, -1)));
  } else if (in.known_rank()) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(diagonal, in.rank() - 1));
    TROUPE_RETURN_IF_ERROR(check_rank_at_most(diagonal, in.rank()));
  }
  if (band && diagonal.known_rank() && !in.fully_defined()) {
    if (!band->is_one()) TROUPE_RETURN_IF_ERROR(check_rank_at_least(diagonal, 2));
    const PartialShape batch = subshape(diagonal, 0, band->is_one() ? -1 : -2);
    TROUPE_ASSIGN_OR_RETURN(out, merge(in, concatenate(batch, unknown_of_rank(2))));
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"MatrixDiag", matrix_diag},        {"MatrixDiagPart", matrix_diag_part},
    {"MatrixSetDiag", matrix_set_diag}, {"MatrixDiagV2", band_to_matrix},
    {"MatrixDiagV3", band_to_matrix},   {"MatrixDiagPartV2", band_part},
    {"MatrixDiagPartV3", band_part},    {"MatrixSetDiagV2", set_band},
    {"MatrixSetDiagV3", set_band},
};

}  // namespace

absl::Status register_diagonals_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
