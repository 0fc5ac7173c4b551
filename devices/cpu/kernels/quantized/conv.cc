// Convolutions of quint8 or qint8 images with qint8 filters, and what is fused with them: bias, summand, Relu, requantisation.
#include <algorithm>

#include "absl/strings/match.h"
#include "devices/common/conv/window.h"
#include "devices/cpu/kernels/quantized/conv.h"
#include "devices/cpu/kernels/quantized/scaled.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/conv_loops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class Q>
std::vector<int32_t> widened(const Tensor& t) {
  std::vector<int32_t> out;
  out.reserve(static_cast<size_t>(t.num_elements()));
  for (const Q q : t.flat<Q>()) out.push_back(q.value);
  return out;
}

std::vector<int32_t> steps_of(const Tensor& t) {
  return t.dtype() == DataType::kQuint8 ? widened<QUInt8>(t) : widened<QInt8>(t);
}

/// What the steps of the operands and of the output are worth. Filters may have a range per channel.
struct Scales {
  double input = 0;
  std::vector<double> filter;
  double output = 0;

  double product(size_t channel) const { return input * filter[filter.size() == 1 ? 0 : channel]; }
};

class QuantizedConv final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, 2));
    const auto paddings = c.node().attrs.get_or<std::vector<int64_t>>("padding_list", {});
    if (!paddings.empty()) {
      TROUPE_RETURN_IF_ERROR(check_paddings(paddings));
      attrs_.padding = Padding::kExplicit;
      attrs_.explicit_paddings = paddings;
    }
    const std::string& op = c.node().op->name;
    depthwise_ = absl::StrContains(op, "Depthwise");
    relu_ = absl::StrContains(op, "Relu");
    bias_ = input_index(c.node(), "bias");
    summand_ = input_index(c.node(), "summand");
    ranges_ = input_index(c.node(), "min_input");
    output_range_ = input_index(c.node(), "min_freezed_output");
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(ConvProblem p, problem(context.input(0), context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(const Scales scales, read_scales(context, p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.layout.shape(p.batch, p.out.data() + 1, p.out_channels));
    TROUPE_RETURN_IF_ERROR(check_addends(context, shape, p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Tensor sums, context.allocate_temp(DataType::kInt32, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() > 0) {
      PlainConv<int32_t>(p).forward(context.parallel(), steps_of(context.input(0)).data(),
                                    steps_of(context.input(1)).data(), sums.flat<int32_t>().data());
      switch (out->dtype()) {
        case DataType::kQint32: finish<QInt32>(context, scales, sums, out); break;
        case DataType::kQuint8: finish<QUInt8>(context, scales, sums, out); break;
        default: finish<QInt8>(context, scales, sums, out); break;
      }
    }
    return set_ranges(context);
  }

 private:
  static absl::Status check_paddings(const std::vector<int64_t>& paddings) {
    if (paddings.size() != 8)
      return invalid("padding_list must contain 8 values, but got: ", paddings.size());
    for (int64_t p : paddings) {
      if (p < 0 || p > (int64_t{1} << 30)) return invalid("padding_list holds the invalid padding ", p);
    }
    if (paddings[0] != 0 || paddings[1] != 0 || paddings[6] != 0 || paddings[7] != 0)
      return invalid("Nonzero explicit padding in the batch or depth dimensions is not supported");
    return absl::OkStatus();
  }

  absl::StatusOr<ConvProblem> problem(const Tensor& input, const Tensor& filter) const {
    if (input.rank() != 4) return invalid("input must be 4-dimensional", input.shape().to_string());
    if (filter.rank() != 4) return invalid("filter must be 4-dimensional: ", filter.shape().to_string());
    if (input.dim(3) != filter.dim(2)) {
      return invalid("input and filter must have the same depth: ", input.dim(3), " vs ", filter.dim(2));
    }
    if (filter.num_elements() == 0)
      return invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)");
    ConvProblem p;
    p.batch = input.dim(0);
    p.in_channels = input.dim(3);
    p.out_channels = depthwise_ ? filter.dim(2) * filter.dim(3) : filter.dim(3);
    p.groups = depthwise_ ? p.in_channels : 1;
    TROUPE_RETURN_IF_ERROR(set_plane(attrs_, input, filter, &p));
    return p;
  }

  absl::StatusOr<Scales> read_scales(KernelContext& context, int64_t channels) const {
    TROUPE_ASSIGN_OR_RETURN(const QuantRange input, scalar_range(context, "min_input", "max_input"));
    const Tensor &low = context.input(ranges_ + 2), &high = context.input(ranges_ + 3);
    if (!(low.shape() == high.shape()) || low.rank() > 1 ||
        (low.num_elements() != 1 && low.num_elements() != channels)) {
      return invalid("min_filter and max_filter must be scalars or have one element per output channel (",
                     channels, "), but have the shapes ", low.shape().to_string(), " and ",
                     high.shape().to_string());
    }
    Scales s;
    const bool is_signed = context.input_type(0) == DataType::kQint8;
    s.input = magnitude(input.low, input.high) / (is_signed ? scaled_steps<QInt8>() : scaled_steps<QUInt8>());
    double widest = 0;
    for (size_t i = 0; i < low.flat<float>().size(); ++i) {
      s.filter.push_back(magnitude(low.flat<float>()[i], high.flat<float>()[i]) / scaled_steps<QInt8>());
      widest = std::max(widest, s.filter.back());
    }
    if (output_range_ < 0) {
      s.output = s.input * widest;
      return s;
    }
    TROUPE_ASSIGN_OR_RETURN(const QuantRange output,
                            scalar_range(context, "min_freezed_output", "max_freezed_output"));
    s.output = magnitude(output.low, output.high) /
               (context.output_type(0) == DataType::kQint8 ? scaled_steps<QInt8>() : scaled_steps<QUInt8>());
    return s;
  }

  absl::Status check_addends(KernelContext& context, const Shape& shape, int64_t channels) const {
    if (bias_ >= 0 && context.input(bias_).num_elements() != channels) {
      return invalid("bias must have one element per output channel: ",
                     context.input(bias_).shape().to_string(), " vs. ", channels);
    }
    if (summand_ >= 0 && !(context.input(summand_).shape() == shape)) {
      return invalid("Summand cannot be forwarded in the current fusion: its shape is ",
                     context.input(summand_).shape().to_string(), ", the output's ", shape.to_string());
    }
    return absl::OkStatus();
  }

  /// Real values: the bias as often as there are channels, in steps of the products when it is qint32.
  std::vector<double> biases(KernelContext& context, const Scales& scales, size_t channels) const {
    std::vector<double> all(channels);
    if (bias_ < 0) return all;
    const Tensor& bias = context.input(bias_);
    for (size_t c = 0; c < channels; ++c) {
      all[c] = bias.dtype() == DataType::kFloat ? static_cast<double>(bias.flat<float>()[c])
                                                : bias.flat<QInt32>()[c].value * scales.product(c);
    }
    return all;
  }

  /// The real value of element i of the summand; `step` is what one of its steps is worth.
  static double summand_at(const Tensor& t, size_t i, double step) {
    switch (t.dtype()) {
      case DataType::kFloat: return static_cast<double>(t.flat<float>()[i]);
      case DataType::kQuint8: return t.flat<QUInt8>()[i].value * step;
      default: return t.flat<QInt8>()[i].value * step;
    }
  }

  template <class Q>
  void finish(KernelContext& context, const Scales& scales, const Tensor& sums, Tensor* out) const {
    const auto channels = static_cast<size_t>(out->dim(3));
    const std::vector<double> bias = biases(context, scales, channels);
    double step = 0;
    if (summand_ >= 0 && context.input_type(summand_) != DataType::kFloat) {
      const double steps =
          context.input_type(summand_) == DataType::kQint8 ? scaled_steps<QInt8>() : scaled_steps<QUInt8>();
      step = magnitude(context.input(summand_ + 1).flat<float>()[0],
                       context.input(summand_ + 2).flat<float>()[0]) /
             steps;
    }
    std::vector<double> ratio(channels);
    for (size_t c = 0; c < channels; ++c) ratio[c] = scales.product(c) / scales.output;
    const auto from = sums.flat<int32_t>();
    const std::span<Q> to = out->flat<Q>();
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t c = i % channels;
      double v = from[i] * ratio[c];
      if (bias_ >= 0) v += bias[c] / scales.output;
      if (summand_ >= 0) v += summand_at(context.input(summand_), i, step) / scales.output;
      to[i] = nearest_step<Q>(relu_ ? std::max(v, 0.0) : v);
    }
  }

  absl::Status set_ranges(KernelContext& context) const {
    if (output_range_ >= 0) {
      TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, context.input(output_range_).flat<float>()[0]));
      return set_scalar(context, 2, context.input(output_range_ + 1).flat<float>()[0]);
    }
    const float low = context.input(ranges_).flat<float>()[0],
                high = context.input(ranges_ + 1).flat<float>()[0];
    const float level = context.input_type(0) == DataType::kQint8 ? symmetric_level<QInt8>(low, high)
                                                                  : symmetric_level<QUInt8>(low, high);
    const Tensor &filter_low = context.input(ranges_ + 2), &filter_high = context.input(ranges_ + 3);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_low, context.allocate_output(1, filter_low.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_high, context.allocate_output(2, filter_low.shape()));
    for (size_t i = 0; i < filter_low.flat<float>().size(); ++i) {
      const float step =
          level * symmetric_level<QInt8>(filter_low.flat<float>()[i], filter_high.flat<float>()[i]);
      out_low->flat<float>()[i] = step * static_cast<float>(quant_lowest<QInt32>());
      out_high->flat<float>()[i] = step * static_cast<float>(quant_highest<QInt32>());
    }
    return absl::OkStatus();
  }

  WindowAttrs attrs_;
  bool depthwise_ = false, relu_ = false;
  /// Inputs by number, -1 when the op has none.
  int bias_ = -1, summand_ = -1, ranges_ = -1, output_range_ = -1;
};

KernelDef fused(const char* op, std::vector<DataType> inputs, DataType out) {
  return KernelDef(op)
      .types("Tinput", std::move(inputs))
      .types("Tfilter", {DataType::kQint8})
      .types("out_type", {out})
      .kernel<QuantizedConv>();
}

}  // namespace

absl::StatusOr<QuantRange> scalar_range(KernelContext& context, absl::string_view low,
                                        absl::string_view high) {
  QuantRange range;
  const Tensor &l = context.input(input_index(context.node(), low)),
               &h = context.input(input_index(context.node(), high));
  TROUPE_ASSIGN_OR_RETURN(range.low, range_value(l, low));
  TROUPE_ASSIGN_OR_RETURN(range.high, range_value(h, high));
  return range;
}

void register_quantized_conv(KernelRegistry* r) {
  const DataType u8 = DataType::kQuint8, s8 = DataType::kQint8, s32 = DataType::kQint32;
  const std::vector<DataType> both = {u8, s8}, biases = {DataType::kFloat, s32};
  for (const char* op : {"QuantizedConv2D", "QuantizedConv2DPerChannel", "QuantizedConv2DAndRelu",
                         "QuantizedConv2DWithBiasSumAndRelu", "QuantizedDepthwiseConv2D",
                         "QuantizedDepthwiseConv2DWithBias", "QuantizedDepthwiseConv2DWithBiasAndRelu"}) {
    r->add(fused(op, {u8}, s32));
  }
  r->add(fused("QuantizedConv2DWithBias", both, s32));
  r->add(fused("QuantizedConv2DWithBiasAndRelu", both, s32));
  r->add(fused("QuantizedConv2DAndRequantize", {u8}, s8));
  r->add(fused("QuantizedConv2DAndReluAndRequantize", {u8}, u8));
  r->add(fused("QuantizedConv2DWithBiasAndRequantize", both, s8).types("Tbias", biases));
  r->add(fused("QuantizedConv2DWithBiasAndReluAndRequantize", both, u8).types("Tbias", biases));
  r->add(fused("QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", {u8}, u8).types("Tbias", biases));
  r->add(fused("QuantizedConv2DWithBiasSumAndReluAndRequantize", {u8}, u8)
             .types("Tbias", biases)
             .types("Tsummand", {u8}));
  r->add(fused("QuantizedConv2DWithBiasSignedSumAndReluAndRequantize", {u8}, u8)
             .types("Tbias", biases)
             .types("Tsummand", {s8}));
}

}  // namespace troupe
