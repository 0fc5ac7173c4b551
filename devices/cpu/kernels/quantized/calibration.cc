// CustomAggregator: what calibration for quantisation wants to know of the values that pass.
#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// How many values are in each of `counts`' bins, whose width is the power of 2 that is enough for all between `low` and
/// `high`, and which begin at a multiple of it.
void count_bins(std::span<const float> values, float low, float high, std::span<int64_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  if (counts.empty()) return;
  const float width =
      static_cast<float>(std::exp2(std::ceil(std::log2((high - low) / static_cast<float>(counts.size())))));
  const float start = std::floor(low / width) * width;
  const float last = static_cast<float>(counts.size() - 1);
  for (float v : values) {
    const float bin = std::floor((v - start) / width);
    // One that is no number, as when all values are equal, is the first bin.
    ++counts[bin > 0 ? static_cast<size_t>(std::min(bin, last)) : 0];
  }
}

class CustomAggregator final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    if (attrs.get_or<int64_t>("calibration_method", 0) == 0)
      return absl::AbortedError("The calibration method must be specified.");
    bins_ = attrs.get_or<int64_t>("num_bins", 0);
    if (bins_ < 0) return invalid("num_bins must not be negative, got ", bins_);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (float v : in.flat<float>()) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * histogram, context.allocate_output(3, Shape{bins_}));
    count_bins(in.flat<float>(), low, high, histogram->flat<int64_t>());
    context.set_output(1, Tensor::scalar(low));
    context.set_output(2, Tensor::scalar(high));
    context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  int64_t bins_ = 0;
};

}  // namespace

void register_quantized_calibration(KernelRegistry* registry) {
  registry->add(KernelDef("CustomAggregator").kernel<CustomAggregator>());
}

}  // namespace troupe
