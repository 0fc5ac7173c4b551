// Cast: conversions between all numbers.
#include "absl/strings/str_cat.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/array_parts.h"
#include "devices/cuda/kernels/cwise_parts.h"

namespace troupe {
namespace {

/// Whether bits are cut off, not rounded, when an op asks for that.
bool has_truncating_cast(DataType from, DataType to) {
  const bool narrow = to == DataType::kHalf || to == DataType::kBfloat16;
  if (from == DataType::kFloat) return narrow;
  return from == DataType::kDouble && (narrow || to == DataType::kFloat);
}

class Cast final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const bool truncate, c.attr<bool>("Truncate"));
    const DataType from = c.input_type(0);
    const DataType to = c.output_type(0);
    if (from == to) return absl::OkStatus();
    const char* const base = truncate && has_truncating_cast(from, to) ? "truncating_cast" : "cast";
    kernel_ = absl::StrCat(with_suffix(base, from), with_suffix("", to));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    if (kernel_.empty()) {
      context.forward_input(0, 0);
      return absl::OkStatus();
    }
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    return enqueue(context, kernel_, in.num_elements(), in.raw(), out->raw(), in.num_elements());
  }
  bool is_expensive() const override { return false; }

 private:
  /// Empty: the same dtype.
  std::string kernel_;
};

}  // namespace

void register_cuda_cwise_cast(KernelRegistry* registry) {
  const std::vector<DataType> dtypes = gpu_types_and_int32();
  registry->add(KernelDef("Cast").device("GPU").types("SrcT", dtypes).types("DstT", dtypes).kernel<Cast>());
}

}  // namespace troupe
