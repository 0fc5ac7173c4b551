// Bincount and DenseBincount. As on TensorFlow's GPUs negative values are left out: to refuse them the host would have to wait.
#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/reduce_parts.h"

namespace troupe {
namespace {

absl::StatusOr<int64_t> read_size(const Tensor& size) {
  if (size.rank() != 0) return invalid("Shape must be rank 0 but is rank ", size.rank());
  const int64_t n = int_at(size, 0);
  if (n < 0) return invalid("size (", n, ") must be non-negative");
  return n;
}

absl::Status count(KernelContext& c, Tensor* out, int64_t columns, int64_t size, bool binary) {
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(c, out));
  const Tensor& values = c.input(0);
  const Tensor& weights = c.input(2);
  const void* of_values = weights.num_elements() == 0 ? nullptr : weights.raw();
  const char* op = values.dtype() == DataType::kInt32 ? "bincount_of_i32" : "bincount_of_i64";
  return enqueue(c, with_suffix(op, out->dtype()), values.num_elements(), values.raw(), of_values, out->raw(),
                 values.num_elements(), columns, size, static_cast<int32_t>(binary));
}

absl::Status bincount(KernelContext& c) {
  const Tensor& values = c.input(0);
  const Tensor& weights = c.input(2);
  TROUPE_ASSIGN_OR_RETURN(int64_t size, read_size(c.input(1)));
  if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements()) {
    return invalid("Input indices and weights must have the same size.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape{size}));
  return count(c, out, values.num_elements(), size, false);
}

class DenseBincount final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("binary_output", &binary_); }
  absl::Status compute(KernelContext& c) override {
    const Tensor& values = c.input(0);
    const Tensor& weights = c.input(2);
    if (values.rank() > 2) return invalid("Shape must be at most rank 2 but is rank ", values.rank());
    if (c.input(1).rank() != 0) return invalid("Shape must be rank 0 but is rank ", c.input(1).rank());
    if (weights.num_elements() != 0 && !(weights.shape() == values.shape())) {
      return invalid(
          "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
          "weights "
          "equal to 1. Received ",
          weights.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(int64_t size, read_size(c.input(1)));
    const bool matrix = values.rank() == 2;
    const int64_t dims[2] = {matrix ? values.dim(0) : 1, size};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(std::span<const int64_t>(dims).subspan(matrix ? 0 : 1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
    return count(c, out, matrix ? values.dim(1) : values.num_elements(), size, binary_);
  }

 private:
  bool binary_ = false;
};

}  // namespace

void register_cuda_counts(KernelRegistry* r) {
  const std::vector<DataType> weights = {DataType::kInt32, DataType::kFloat};
  r->add(KernelDef("Bincount").device("GPU").types("T", weights).host_memory({"size"}).fn(bincount));
  r->add(KernelDef("DenseBincount")
             .device("GPU")
             .types("T", weights)
             .types("Tidx", index_types())
             .host_memory({"size"})
             .kernel<DenseBincount>());
}

}  // namespace troupe
