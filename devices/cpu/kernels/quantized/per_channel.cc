// Requantisation of qint32 images whose channels have ranges of their own.
#include <algorithm>
#include <limits>

#include "devices/cpu/kernels/quantized/scaled.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Half the number of steps of qint32: what one end of a range is worth.
constexpr float kHalfSteps = 2147483648.0f;

float reach(const Tensor& low, const Tensor& high, size_t i) {
  return std::max(std::abs(low.flat<float>()[i]), std::abs(high.flat<float>()[i]));
}

class RequantizationRangePerChannel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("clip_value_max", &most_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor &input = context.input(0), &low = context.input(1), &high = context.input(2);
    TROUPE_RETURN_IF_ERROR(check(input, low, high));
    const auto depth = static_cast<size_t>(high.num_elements());
    std::vector<double> largest(depth);
    bool negative = false;
    const auto in = input.flat<QInt32>();
    for (size_t i = 0; i < in.size(); ++i) {
      largest[i % depth] = std::max(largest[i % depth], std::abs(static_cast<double>(in[i].value)));
      negative = negative || in[i].value < 0;
    }
    float all = std::numeric_limits<float>::min();
    for (size_t c = 0; c < depth; ++c)
      all = std::max(all, reach(low, high, c) * static_cast<float>(largest[c]) / kHalfSteps);
    all = std::min(all, most_);
    TROUPE_RETURN_IF_ERROR(set_scalar(context, 0, negative ? -all : 0.0f));
    return set_scalar(context, 1, all);
  }

 private:
  static absl::Status check(const Tensor& input, const Tensor& low, const Tensor& high) {
    const int64_t depth = high.num_elements();
    for (const auto& [t, name] : {std::pair(&low, "input_min"), std::pair(&high, "input_max")}) {
      if (t->rank() == 0 || t->dim(0) != depth || t->num_elements() != depth) {
        return invalid(name, " has incorrect size, expected ", depth, " was ",
                       t->rank() == 0 ? 0 : t->dim(0));
      }
    }
    if (input.num_elements() == 0) return invalid("input must not be empty");
    if (input.rank() != 4) return invalid("input must be in NHWC format");
    if (input.dim(3) != depth) {
      return invalid("input must have same number of channels as length of input_min: ", input.dim(3), " vs ",
                     depth);
    }
    return absl::OkStatus();
  }

  float most_ = 0;
};

template <class Q>
absl::Status requantize_per_channel(KernelContext& context) {
  const Tensor &input = context.input(0), &low = context.input(1), &high = context.input(2);
  const auto depth = static_cast<size_t>(low.num_elements());
  if (high.num_elements() != low.num_elements()) {
    return invalid("input_max has incorrect size, expected ", depth, " was ", high.num_elements());
  }
  if (context.input(3).num_elements() != 1) return invalid("requested_output_min must be a scalar");
  if (context.input(4).num_elements() != 1) return invalid("requested_output_max must be a scalar");
  const float to_low = context.input(3).flat<float>()[0], to_high = context.input(4).flat<float>()[0];
  if (quant_lowest<Q>() < 0 && !(to_low < 0)) {
    return invalid("If out_type is QINT8, requested_output_max must be non negative, got ", to_low);
  }
  if (input.rank() != 4 && input.rank() != 5) return invalid("input must be in NHWC or NDHWC format");
  if (depth != 1 && static_cast<int64_t>(depth) != input.dim(input.rank() - 1)) {
    return invalid("input must have same number of channels as length of input_min: ",
                   input.dim(input.rank() - 1), " vs ", depth);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  const float requested = std::max(std::abs(to_low), std::abs(to_high));
  std::vector<float> scales(depth);
  for (size_t c = 0; c < depth; ++c) {
    scales[c] = static_cast<float>(scaled_steps<Q>()) * (reach(low, high, c) / requested / kHalfSteps);
  }
  const auto in = input.flat<QInt32>();
  const std::span<Q> to = out->flat<Q>();
  for (size_t i = 0; i < in.size(); ++i) {
    to[i] = nearest_step<Q>(static_cast<double>(static_cast<float>(in[i].value) * scales[i % depth]));
  }
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, to_low));
  return set_scalar(context, 2, to_high);
}

}  // namespace

void register_quantized_per_channel(KernelRegistry* r) {
  r->add(
      KernelDef("RequantizationRangePerChannel").type<QInt32>("T").kernel<RequantizationRangePerChannel>());
  r->add(KernelDef("RequantizePerChannel")
             .type<QInt32>("T")
             .type<QInt8>("out_type")
             .fn(requantize_per_channel<QInt8>));
  r->add(KernelDef("RequantizePerChannel")
             .type<QInt32>("T")
             .type<QUInt8>("out_type")
             .fn(requantize_per_channel<QUInt8>));
}

}  // namespace troupe
