// Diagonals and bands: Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag (all versions), MatrixBandPart.
#include <algorithm>
#include <type_traits>

#include "devices/common/array/band.h"
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

/// Base of the MatrixDiag family: alignment, and whether the op has the inputs of version 2.
class BandKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_RETURN_IF_ERROR(read_alignment(c, &kernel->alignment_));
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
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_diag_band(context, alignment_));
    const Band& band = result.band;
    const Tensor* padding = context.num_inputs() > 1 ? &context.input(4) : nullptr;
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, result.shape));
    if (padding != nullptr) {
      fill_flat(context.parallel(), out->dtype(), padding->raw(), out->raw(), out->num_elements());
    } else {
      fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    }
    if (out->num_elements() == 0 || diagonal.num_elements() == 0) return absl::OkStatus();
    copy_diagonals(context, band, out->num_elements() / (band.rows * band.cols), diagonal, out);
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
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_diag_part_band(context, alignment_));
    const Band& band = result.band;
    const Tensor* padding = context.num_inputs() > 1 ? &context.input(2) : nullptr;
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, result.shape));
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
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_set_diag_band(context, alignment_));
    const Band& band = result.band;
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
  TROUPE_ASSIGN_OR_RETURN(BandPart kept, read_band_part(context));
  const Tensor& input = context.input(0);
  const int64_t rows = input.dim(input.rank() - 2), cols = input.dim(input.rank() - 1);
  const int64_t lower = kept.lower, upper = kept.upper;
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
