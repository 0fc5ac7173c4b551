// Diagonals and bands: Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag (all versions), MatrixBandPart.
#include <algorithm>
#include <type_traits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/storage.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// with_storage for dtypes that are plain bytes.
template <class F>
void with_plain_storage(DataType dtype, F&& fn) {
  with_storage(dtype, [&]<class T>(T* type) {
    if constexpr (std::is_trivially_copyable_v<T>) fn(type);
  });
}

absl::Status diag(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() < 1) return invalid("Input must be at least rank 1, got 0");
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  dims.insert(dims.end(), input.shape().dims().begin(), input.shape().dims().end());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
  int64_t n = input.num_elements();
  Box box;
  box.add(n, 1, n + 1);
  if (n > 0) copy_box(context.parallel(), input.dtype(), box, input.raw(), out->raw());
  return absl::OkStatus();
}

absl::Status diag_part(KernelContext& context) {
  const Tensor& input = context.input(0);
  int rank = input.rank();
  if (rank % 2 != 0) {
    return invalid("The rank of the tensor should be even and positive, got shape ",
                   input.shape().to_string());
  }
  Shape shape;
  for (int i = 0; i < rank / 2; ++i) {
    if (input.dim(i) != input.dim(i + rank / 2)) {
      return invalid("Invalid shape ", input.shape().to_string(), ": dimensions ", i, " and ", i + rank / 2,
                     " do not match.");
    }
    shape.add_dim(input.dim(i));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  int64_t n = out->num_elements();
  Box box;
  box.add(n, n + 1, 1);
  if (n > 0) copy_box(context.parallel(), input.dtype(), box, input.raw(), out->raw());
  return absl::OkStatus();
}

/// Diagonals [lower, upper] of matrices of rows x cols, and how shorter ones lie in their rows of `length` elements.
struct Band {
  int64_t lower = 0, upper = 0, rows = 0, cols = 0, length = 0;
  bool left_above = true, left_below = true;

  int64_t diagonals() const { return upper - lower + 1; }
  int64_t length_of(int64_t d) const {
    return std::min(rows + std::min<int64_t>(0, d), cols - std::max<int64_t>(0, d));
  }
  int64_t offset_of(int64_t d) const {
    bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : length - length_of(d);
  }
};

absl::Status set_alignment(const std::string& align, Band* band) {
  if (align.empty()) return absl::OkStatus();
  band->left_above = align == "LEFT_LEFT" || align == "LEFT_RIGHT";
  band->left_below = align == "LEFT_LEFT" || align == "RIGHT_LEFT";
  return absl::OkStatus();
}

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

/// Base of the MatrixDiag family: alignment, and whether the op has the inputs of version 2.
class BandKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    if (c.node().attrs.contains("align")) {
      TROUPE_ASSIGN_OR_RETURN(std::string align, c.attr<std::string>("align"));
      TROUPE_RETURN_IF_ERROR(set_alignment(align, &kernel->alignment_));
    }
    return kernel;
  }

 protected:
  Band alignment_;
};

class MatrixDiag final : public BandKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MatrixDiag>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& diagonal = context.input(0);
    bool v2 = context.num_inputs() > 1;
    int rank = diagonal.rank();
    if (rank < 1)
      return invalid("diagonal must be at least 1-dim, received shape: ", diagonal.shape().to_string());
    Band band = alignment_;
    int64_t rows = -1, cols = -1;
    const Tensor* padding = nullptr;
    if (v2) {
      TROUPE_RETURN_IF_ERROR(read_band(context.input(1), &band));
      if (!is_scalar(context.input(2))) return invalid("num_rows must be a scalar");
      if (!is_scalar(context.input(3))) return invalid("num_cols must be a scalar");
      if (!is_scalar(context.input(4))) return invalid("padding_value must be a scalar");
      rows = int_at(context.input(2), 0);
      cols = int_at(context.input(3), 0);
      padding = &context.input(4);
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
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (padding != nullptr) {
      fill_flat(context.parallel(), out->dtype(), padding->raw(), out->raw(), out->num_elements());
    } else {
      fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    }
    if (out->num_elements() == 0 || diagonal.num_elements() == 0) return absl::OkStatus();
    copy_diagonals(context, band, out->num_elements() / (rows * cols), diagonal, out);
    return absl::OkStatus();
  }

  /// Writes the diagonals into the matrices.
  static void copy_diagonals(KernelContext& context, const Band& band, int64_t batch, const Tensor& diagonal,
                             Tensor* out) {
    for (int64_t d = band.lower; d <= band.upper; ++d) {
      int64_t length = std::min(band.length_of(d), band.length);
      if (length <= 0) continue;
      Box box;
      box.add(batch, band.diagonals() * band.length, band.rows * band.cols);
      box.add(length, 1, band.cols + 1);
      int64_t from = (band.upper - d) * band.length + std::max<int64_t>(0, band.offset_of(d));
      int64_t to = std::max<int64_t>(0, -d) * band.cols + std::max<int64_t>(0, d);
      copy_box(context.parallel(), out->dtype(), box, element_at(diagonal, from), element_at(*out, to));
    }
  }
};

class MatrixDiagPart final : public BandKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MatrixDiagPart>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    int rank = input.rank();
    if (rank < 2) return invalid("input must be at least 2-dim, received shape: ", input.shape().to_string());
    Band band = alignment_;
    const Tensor* padding = nullptr;
    if (context.num_inputs() > 1) {
      TROUPE_RETURN_IF_ERROR(read_band(context.input(1), &band));
      padding = &context.input(2);
      if (padding->num_elements() != 1) return invalid("Padding must be scalar.");
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
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (padding != nullptr && band.diagonals() > 1) {
      fill_flat(context.parallel(), out->dtype(), padding->raw(), out->raw(), out->num_elements());
    }
    int64_t batch = out->num_elements() / (band.diagonals() * band.length);
    for (int64_t d = band.lower; d <= band.upper; ++d) {
      int64_t length = band.length_of(d);
      if (length <= 0) continue;
      Box box;
      box.add(batch, band.rows * band.cols, band.diagonals() * band.length);
      box.add(length, band.cols + 1, 1);
      int64_t from = std::max<int64_t>(0, -d) * band.cols + std::max<int64_t>(0, d);
      int64_t to = (band.upper - d) * band.length + band.offset_of(d);
      copy_box(context.parallel(), out->dtype(), box, element_at(input, from), element_at(*out, to));
    }
    return absl::OkStatus();
  }
};

class MatrixSetDiag final : public BandKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MatrixSetDiag>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& diagonal = context.input(1);
    int rank = input.rank();
    if (rank < 2) return invalid("input must be at least 2-dim, received shape: ", input.shape().to_string());
    if (diagonal.rank() < 1) {
      return invalid("diagonal must be at least 1-dim, received shape: ", diagonal.shape().to_string());
    }
    Band band = alignment_;
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
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    if (!out->shares_buffer_with(input)) {
      copy_flat(context.parallel(), input.dtype(), input.raw(), out->raw(), input.num_elements());
    }
    MatrixDiag::copy_diagonals(context, band, input.num_elements() / (band.rows * band.cols), diagonal, out);
    return absl::OkStatus();
  }
};

absl::Status matrix_band_part(KernelContext& context) {
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
  if (lower < 0 && upper < 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  bool in_place = out->shares_buffer_with(input);
  with_plain_storage(input.dtype(), [&]<class T>(T*) {
    const T* from = static_cast<const T*>(input.raw());
    T* to = static_cast<T*>(out->raw());
    context.parallel().parallel_for(input.num_elements() / cols, cols + 4, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        int64_t i = r % rows;
        int64_t first = lower < 0 ? 0 : std::clamp<int64_t>(i - lower, 0, cols);
        int64_t last = upper < 0 ? cols : std::clamp<int64_t>(i + upper + 1, first, cols);
        std::fill(to + r * cols, to + r * cols + first, T());
        if (!in_place) std::copy(from + r * cols + first, from + r * cols + last, to + r * cols + first);
        std::fill(to + r * cols + last, to + (r + 1) * cols, T());
      }
    });
  });
  return absl::OkStatus();
}

}  // namespace

void register_array_matrix(KernelRegistry* registry) {
  const std::vector<DataType> diag_types = {DataType::kComplex128, DataType::kComplex64, DataType::kDouble,
                                            DataType::kFloat,      DataType::kHalf,      DataType::kInt32,
                                            DataType::kInt64};
  registry->add(KernelDef("Diag").types("T", diag_types).fn(diag));
  registry->add(KernelDef("DiagPart").types("T", diag_types).fn(diag_part));
  for (const char* op : {"MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "BatchMatrixDiag"}) {
    registry->add(KernelDef(op).types("T", pod_types()).kernel<MatrixDiag>());
  }
  for (const char* op : {"MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", "BatchMatrixDiagPart"}) {
    registry->add(KernelDef(op).types("T", pod_types()).kernel<MatrixDiagPart>());
  }
  for (const char* op : {"MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag"}) {
    registry->add(KernelDef(op).types("T", pod_types()).kernel<MatrixSetDiag>());
  }
  registry->add(KernelDef("MatrixBandPart").types("T", pod_types()).fn(matrix_band_part));
  registry->add(KernelDef("BatchMatrixBandPart").types("T", number_types()).fn(matrix_band_part));
}

}  // namespace troupe
