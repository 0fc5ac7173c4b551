// Order: TopK, InTopK, LowerBound, UpperBound, Bucketize.
#include <algorithm>
#include <bit>
#include <cstring>

#include "devices/common/array/order_checks.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

/// Bytes of an element that is sorted: its key and its index.
constexpr int64_t kRankedBytes = 16;
/// Rows are sorted in scratch memory of about this size at a time.
constexpr int64_t kScratchBytes = int64_t{256} << 20;

absl::Status top_k(KernelContext& context, int64_t k) {
  const Tensor& input = context.input(0);
  const int64_t n = input.dim(input.rank() - 1);
  Shape shape = input.shape();
  shape.set_dim(input.rank() - 1, k);
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(1, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  const int64_t rows = input.num_elements() / n;
  const auto padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
  const auto suffixed = [&](const char* name) {
    return with_suffix(with_suffix(name, input.dtype()), indices->dtype());
  };
  // A row is walked k times, or as often as the network has steps.
  const int64_t levels = std::countr_zero(static_cast<uint64_t>(padded));
  if (k <= std::max<int64_t>(1, levels * (levels + 1) / 2)) {
    return enqueue_blocks(context, suffixed("top_k_select"), rows, input.raw(), values->raw(), indices->raw(),
                          n, k, rows);
  }
  const int64_t at_a_time = std::clamp<int64_t>(kScratchBytes / (padded * kRankedBytes), 1, rows);
  TROUPE_ASSIGN_OR_RETURN(Tensor scratch,
                          context.allocate_temp(DataType::kUint8, Shape{at_a_time, padded * kRankedBytes}));
  for (int64_t first = 0; first < rows; first += at_a_time) {
    const int64_t count = std::min(at_a_time, rows - first);
    TROUPE_RETURN_IF_ERROR(enqueue_blocks(
        context, suffixed("top_k_sort"), count, element_at(input, first * n), element_at(*values, first * k),
        element_at(*indices, first * k), scratch.raw(), padded, n, k, count));
  }
  return absl::OkStatus();
}

absl::Status top_k_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t k, top_k_v2_k(context));
  return top_k(context, k);
}

absl::Status in_top_k(KernelContext& context, int64_t k) {
  const Tensor& predictions = context.input(0);
  const Tensor& targets = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_in_top_k(predictions, targets));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, targets.shape()));
  return enqueue_blocks(context, with_suffix("in_top_k", targets.dtype()), targets.dim(0), predictions.raw(),
                        targets.raw(), out->raw(), predictions.dim(1), k, targets.dim(0));
}

absl::Status in_top_k_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t k, in_top_k_v2_k(context));
  return in_top_k(context, k);
}

class InTopK final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("k", &k_); }
  absl::Status compute(KernelContext& context) override { return in_top_k(context, k_); }

 private:
  int64_t k_ = 0;
};

absl::Status bound(KernelContext& context, const char* kernel) {
  const Tensor& sorted = context.input(0);
  const Tensor& values = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_bounds(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, values.shape()));
  const int64_t n = sorted.dim(1);
  return enqueue(context, with_suffix(with_suffix(kernel, sorted.dtype()), out->dtype()), out->num_elements(),
                 sorted.raw(), values.raw(), out->raw(), n, values.dim(1), out->num_elements());
}
absl::Status lower_bound(KernelContext& context) { return bound(context, "lower_bound"); }
absl::Status upper_bound(KernelContext& context) { return bound(context, "upper_bound"); }

class Bucketize final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::vector<float> boundaries, c.attr<std::vector<float>>("boundaries"));
    if (!std::is_sorted(boundaries.begin(), boundaries.end())) return invalid("Expected sorted boundaries");
    boundaries_ = Tensor(DataType::kFloat, Shape{static_cast<int64_t>(boundaries.size())});
    std::copy(boundaries.begin(), boundaries.end(), boundaries_.flat<float>().begin());
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(Tensor boundaries,
                            CudaDevice::of(context).copies().to_device(boundaries_, context.allocator()));
    return enqueue(context, with_suffix("bucketize", input.dtype()), out->num_elements(), input.raw(),
                   boundaries.raw(), static_cast<int32_t>(boundaries.num_elements()), out->raw(),
                   out->num_elements());
  }

 private:
  Tensor boundaries_;  // on the host
};

}  // namespace

void register_cuda_array_sort(KernelRegistry* registry) {
  registry->add(
      KernelDef("TopKV2").device("GPU").types("T", real_number_types()).host_memory({"k"}).fn(top_k_v2));
  registry->add(KernelDef("InTopK").device("GPU").types("T", index_types()).kernel<InTopK>());
  registry->add(
      KernelDef("InTopKV2").device("GPU").types("T", index_types()).host_memory({"k"}).fn(in_top_k_v2));
  registry->add(KernelDef("LowerBound").device("GPU").types("T", real_number_types()).fn(lower_bound));
  registry->add(KernelDef("UpperBound").device("GPU").types("T", real_number_types()).fn(upper_bound));
  registry->add(KernelDef("Bucketize")
                    .device("GPU")
                    .types("T", {DataType::kInt32, DataType::kInt64, DataType::kFloat, DataType::kDouble})
                    .kernel<Bucketize>());
}

}  // namespace troupe
