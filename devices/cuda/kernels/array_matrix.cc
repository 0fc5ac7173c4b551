// Diagonals and bands: Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag (all versions), MatrixBandPart.
#include <cstring>

#include "devices/common/array/band.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

absl::Status diag(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() < 1) return invalid("Input must be at least rank 1, got 0");
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  dims.insert(dims.end(), input.shape().dims().begin(), input.shape().dims().end());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, out));
  const int64_t n = input.num_elements();
  StridedCopy copy;
  copy.add(n, 1, n + 1);
  return copy.enqueue(context, input.dtype(), input.raw(), out->raw());
}

absl::Status diag_part(KernelContext& context) {
  const Tensor& input = context.input(0);
  const int rank = input.rank();
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
  const int64_t n = out->num_elements();
  StridedCopy copy;
  copy.add(n, n + 1, 1);
  return copy.enqueue(context, input.dtype(), input.raw(), out->raw());
}

BandArgs args_of(const Band& b) {
  return {b.lower, b.upper, b.rows, b.cols, b.length, b.left_above, b.left_below};
}

/// The bytes of a scalar in the host's memory.
Element16 bytes_of(const Tensor& scalar) {
  Element16 bytes = {};
  std::memcpy(&bytes, scalar.raw(), dtype_size(scalar.dtype()));
  return bytes;
}

/// Base of the MatrixDiag family.
class BandKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read_alignment(c, &alignment_); }

 protected:
  /// Writes `out`: diagonals, and elsewhere `other`, or where that is null the element `padding`.
  static absl::Status set_diagonals(KernelContext& context, const Band& band, const Tensor& diagonal,
                                    const void* other, const Element16& padding, Tensor* out) {
    const int64_t n = out->num_elements();
    return with_element(dtype_size(out->dtype()), [&]<class T>(T value) {
      std::memcpy(&value, &padding, sizeof(T));
      return enqueue(context, by_size("set_diagonals", sizeof(T)), n, args_of(band), diagonal.raw(), other,
                     value, out->raw(), n);
    });
  }

  Band alignment_;
};

class MatrixDiag final : public BandKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_diag_band(context, alignment_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, result.shape));
    const Element16 padding = context.num_inputs() > 1 ? bytes_of(context.input(4)) : Element16{};
    return set_diagonals(context, result.band, context.input(0), nullptr, padding, out);
  }
};

class MatrixSetDiag final : public BandKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_set_diag_band(context, alignment_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    return set_diagonals(context, result.band, context.input(1), input.raw(), Element16{}, out);
  }
};

class MatrixDiagPart final : public BandKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(BandResult result, matrix_diag_part_band(context, alignment_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, result.shape));
    const Element16 padding = context.num_inputs() > 1 ? bytes_of(context.input(2)) : Element16{};
    const int64_t n = out->num_elements();
    return with_element(dtype_size(out->dtype()), [&, &out = out]<class T>(T value) {
      std::memcpy(&value, &padding, sizeof(T));
      return enqueue(context, by_size("get_diagonals", sizeof(T)), n, args_of(result.band), input.raw(),
                     value, out->raw(), n);
    });
  }
};

absl::Status matrix_band_part(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(BandPart kept, read_band_part(context));
  const Tensor& input = context.input(0);
  if (kept.lower < 0 && kept.upper < 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  const int rank = input.rank();
  const int64_t n = out->num_elements();
  return enqueue(context, by_size("band_part", dtype_size(input.dtype())), n, input.raw(), out->raw(),
                 input.dim(rank - 2), input.dim(rank - 1), kept.lower, kept.upper, n);
}

}  // namespace

void register_cuda_array_matrix(KernelRegistry* registry) {
  auto def = [](std::string op, std::vector<std::string> host = {}) {
    return KernelDef(std::move(op))
        .device("GPU")
        .types("T", gpu_types_and_int32())
        .host_memory(std::move(host));
  };
  registry->add(def("Diag").fn(diag));
  registry->add(def("DiagPart").fn(diag_part));
  for (const char* op : {"MatrixDiag", "BatchMatrixDiag"}) registry->add(def(op).kernel<MatrixDiag>());
  for (const char* op : {"MatrixDiagPart", "BatchMatrixDiagPart"})
    registry->add(def(op).kernel<MatrixDiagPart>());
  for (const char* op : {"MatrixSetDiag", "BatchMatrixSetDiag"})
    registry->add(def(op).kernel<MatrixSetDiag>());
  for (const std::string version : {"V2", "V3"}) {
    registry->add(
        def("MatrixDiag" + version, {"k", "num_rows", "num_cols", "padding_value"}).kernel<MatrixDiag>());
    registry->add(def("MatrixDiagPart" + version, {"k", "padding_value"}).kernel<MatrixDiagPart>());
    registry->add(def("MatrixSetDiag" + version, {"k"}).kernel<MatrixSetDiag>());
  }
  for (const char* op : {"MatrixBandPart", "BatchMatrixBandPart"}) {
    registry->add(def(op, {"num_lower", "num_upper"}).fn(matrix_band_part));
  }
}

}  // namespace troupe
