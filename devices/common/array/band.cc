#include "devices/common/array/band.h"

#include <string>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// Reads k: one diagonal, or the lowest and the highest.
absl::Status read_band(const Tensor& k, Band* band) {
  if (k.rank() > 1)
    return invalid("diag_index must be a scalar or vector, received shape: ", k.shape().to_string());
  int64_t n = k.num_elements();
  if (n == 0) return invalid("Expected diag_index to have at least 1 element");
  if (n > 2) return invalid("diag_index must have only one or two elements, received ", n, " elements.");
  band->lower = int_at(k, 0);
  band->upper = int_at(k, n - 1);
  if (band->lower > band->upper) {
    return invalid("lower_diag_index must not be larger than upper_diag_index: ", band->lower, " > ",
                   band->upper);
  }
  return absl::OkStatus();
}

absl::Status check_bounds(const Band& band) {
  auto outside = [&](int64_t d) { return d != 0 && (d <= -band.rows || d >= band.cols); };
  if (outside(band.lower)) {
    return invalid("lower_diag_index is out of bound: ", band.lower, ". It must be between ", -band.rows,
                   " and ", band.cols);
  }
  if (outside(band.upper)) {
    return invalid("upper_diag_index is out of bound: ", band.upper, " It must be between ", -band.rows,
                   " and ", band.cols);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status read_alignment(const KernelConstruction& c, Band* band) {
  if (!c.node().attrs.contains("align")) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(std::string align, c.attr<std::string>("align"));
  if (align.empty()) return absl::OkStatus();
  band->left_above = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
  band->left_below = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  return absl::OkStatus();
}

absl::StatusOr<BandResult> matrix_diag_band(const KernelContext& context, Band band) {
  const Tensor& diagonal = context.input(0);
  bool v2 = context.num_inputs() > 1;
  int rank = diagonal.rank();
  if (rank < 1)
    return invalid("diagonal must be at least 1-dim, received shape: ", diagonal.shape().to_string());
  int64_t rows = -1, cols = -1;
  if (v2) {
    TROUPE_RETURN_IF_ERROR(read_band(context.input(1), &band));
    if (!is_scalar(context.input(2))) return invalid("num_rows must be a scalar");
    if (!is_scalar(context.input(3))) return invalid("num_cols must be a scalar");
    if (!is_scalar(context.input(4))) return invalid("padding_value must be a scalar");
    rows = int_at(context.input(2), 0);
    cols = int_at(context.input(3), 0);
  }
  bool one = band.lower == band.upper;
  if (!one && (rank < 2 || diagonal.dim(rank - 2) != band.diagonals())) {
    return invalid(
        "The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range.");
  }
  band.length = diagonal.dim(rank - 1);
  int64_t min_rows = band.length - std::min<int64_t>(band.upper, 0);
  int64_t min_cols = band.length + std::max<int64_t>(band.lower, 0);
  if (rows == -1 && cols == -1) {
    rows = cols = std::max(min_rows, min_cols);
  } else if (rows == -1) {
    rows = min_rows;
  } else if (cols == -1) {
    cols = min_cols;
  }
  if (rows < min_rows) return invalid("The number of rows is too small.");
  if (cols < min_cols) return invalid("The number of columns is too small.");
  if (rows != min_rows && cols != min_cols) {
    return invalid(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
        "diagonal.");
  }
  band.rows = rows;
  band.cols = cols;
  Indices dims(diagonal.shape().dims().begin(), diagonal.shape().dims().end());
  dims.resize(one ? rank - 1 : rank - 2);
  dims.push_back(rows);
  dims.push_back(cols);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return BandResult{band, std::move(shape)};
}

absl::StatusOr<BandResult> matrix_diag_part_band(const KernelContext& context, Band band) {
  const Tensor& input = context.input(0);
  int rank = input.rank();
  if (rank < 2) return invalid("input must be at least 2-dim, received shape: ", input.shape().to_string());
  if (context.num_inputs() > 1) {
    TROUPE_RETURN_IF_ERROR(read_band(context.input(1), &band));
    if (context.input(2).num_elements() != 1) return invalid("Padding must be scalar.");
  }
  band.rows = input.dim(rank - 2);
  band.cols = input.dim(rank - 1);
  TROUPE_RETURN_IF_ERROR(check_bounds(band));
  band.length =
      std::min(band.rows + std::min<int64_t>(band.upper, 0), band.cols - std::max<int64_t>(band.lower, 0));
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  dims.resize(rank - 2);
  if (band.diagonals() > 1) dims.push_back(band.diagonals());
  dims.push_back(band.length);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return BandResult{band, std::move(shape)};
}

absl::StatusOr<BandResult> matrix_set_diag_band(const KernelContext& context, Band band) {
  const Tensor& input = context.input(0);
  const Tensor& diagonal = context.input(1);
  int rank = input.rank();
  if (rank < 2) return invalid("input must be at least 2-dim, received shape: ", input.shape().to_string());
  if (diagonal.rank() < 1) {
    return invalid("diagonal must be at least 1-dim, received shape: ", diagonal.shape().to_string());
  }
  if (context.num_inputs() > 2) TROUPE_RETURN_IF_ERROR(read_band(context.input(2), &band));
  band.rows = input.dim(rank - 2);
  band.cols = input.dim(rank - 1);
  TROUPE_RETURN_IF_ERROR(check_bounds(band));
  int64_t n = band.diagonals();
  if (n > 1 && (diagonal.rank() < 2 || diagonal.dim(diagonal.rank() - 2) != n)) {
    return invalid(
        "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and "
        "`upper_diag_index`");
  }
  band.length =
      std::min(band.rows + std::min<int64_t>(band.upper, 0), band.cols - std::max<int64_t>(band.lower, 0));
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  dims.resize(rank - 2);
  if (n > 1) dims.push_back(n);
  dims.push_back(band.length);
  TROUPE_ASSIGN_OR_RETURN(Shape expected, Shape::make({dims.data(), dims.size()}));
  if (!(expected == diagonal.shape())) {
    return invalid(
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not "
        "equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: ",
        input.shape().to_string(), "\nDiagonal shape: ", diagonal.shape().to_string(),
        "\nExpected diagonal shape: ", expected.to_string());
  }
  return BandResult{band, input.shape()};
}

absl::StatusOr<BandPart> read_band_part(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& lower_tensor = context.input(1);
  const Tensor& upper_tensor = context.input(2);
  int rank = input.rank();
  if (rank < 2) return invalid("input must be at least 2-dim, received shape: ", input.shape().to_string());
  if (!is_scalar(lower_tensor))
    return invalid("num_lower must be scalar, got shape ", lower_tensor.shape().to_string());
  if (!is_scalar(upper_tensor))
    return invalid("num_upper must be scalar, got shape ", upper_tensor.shape().to_string());
  int64_t rows = input.dim(rank - 2), cols = input.dim(rank - 1);
  int64_t lower = int_at(lower_tensor, 0), upper = int_at(upper_tensor, 0);
  if (lower > rows) {
    return invalid("num_lower must be negative or less or equal to number of rows (", rows, ") got: ", lower);
  }
  if (upper > cols) {
    return invalid("num_upper must be negative or less or equal to number of columns (", cols,
                   ") got: ", upper);
  }
  return BandPart{lower, upper};
}

}  // namespace troupe
