// Quantised tensors: output 0, or several, and the ranges that go with them.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

const PartialShape kScalar = PartialShape(Dims());

/// Outputs from `first` on are scalars, and inputs [begin, end) must be.
absl::Status scalar_ranges(ShapeContext& c, int begin, int end, int first = 1) {
  for (int i = begin; i < end; ++i) TROUPE_RETURN_IF_ERROR(with_rank(c.input(i), 0).status());
  for (int i = first; i < c.num_outputs(); ++i) c.set_output(i, kScalar);
  return absl::OkStatus();
}

/// Which input has this name, -1 when none has.
int input_named(const ShapeContext& c, absl::string_view name) {
  for (size_t i = 0; i < c.op().inputs.size(); ++i) {
    if (c.op().inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// Ranges of the output have the shape of the filter's, unless the output was requantised.
absl::Status quantized_conv(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(absl::StrContains(c.op().name, "Depthwise") ? depthwise_conv_2d(c) : conv_2d(c));
  // A list of paddings takes the place of the attr `padding`.
  if (!c.attrs().get_or<std::vector<int64_t>>("padding_list", {}).empty()) {
    const PartialShape& out = c.output(0);
    if (out.known_rank()) c.set_output(0, replace_dim(replace_dim(out, 1, kUnknownDim), 2, kUnknownDim));
  }
  const int low = input_named(c, "min_input");
  for (int i = low; i < low + 2; ++i) TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(i), 1));
  const int frozen = input_named(c, "min_freezed_output");
  if (frozen >= 0) return scalar_ranges(c, 0, 0);
  const PartialShape& filter = c.input(low + 2);
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(filter, 1));
  c.set_output(1, filter);
  c.set_output(2, filter);
  return absl::OkStatus();
}

absl::Status quantized_matmul(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape a, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(1), 2));
  const bool ta = c.attrs().get_or<bool>("transpose_a", false),
             tb = c.attrs().get_or<bool>("transpose_b", false);
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(a, ta ? 0 : 1), dim_of(b, tb ? 1 : 0)).status());
  c.set_output(0, PartialShape({dim_of(a, ta ? 1 : 0), dim_of(b, tb ? 0 : 1)}));
  return scalar_ranges(c, c.op().inputs[2].name == "bias" ? 3 : 2, c.num_inputs());
}

template <bool kV2>
absl::Status quantized_concat(ShapeContext& c) {
  const int n = (c.num_inputs() - 1) / 3;
  TROUPE_RETURN_IF_ERROR(kV2 ? concat_inputs(c, 0, n, n) : concat_inputs(c, 1, n + 1, 0));
  return scalar_ranges(c, n + 1, c.num_inputs());
}

absl::Status quantized_resize(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(resize_image(c));
  return scalar_ranges(c, 2, 4);
}

absl::Status batch_norm(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_RETURN_IF_ERROR(scalar_ranges(c, 1, 3));
  int64_t depth = dim_of(in, 3);
  for (int i = 3; i < 15; i += 3) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape channels, with_rank(c.input(i), 1));
    TROUPE_ASSIGN_OR_RETURN(depth, merge_dims(depth, dim_of(channels, 0)));
    TROUPE_RETURN_IF_ERROR(scalar_ranges(c, i + 1, i + 3));
  }
  c.set_output(0, replace_dim(in, 3, depth));
  return absl::OkStatus();
}

/// Element by element; the inputs from kFirst to kEnd are scalars.
template <int kFirst, int kEnd>
absl::Status unchanged_and_ranges(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(unchanged(c));
  return scalar_ranges(c, kFirst, kEnd);
}

absl::Status instance_norm(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(unchanged_rank<4>(c));
  return scalar_ranges(c, 1, 3);
}

/// Only the outputs are scalars.
template <int kFirst>
absl::Status ranges_out(ShapeContext& c) {
  if (kFirst > 0) TROUPE_RETURN_IF_ERROR(unchanged(c));
  return scalar_ranges(c, 0, 0, kFirst);
}

constexpr ShapeRow kRows[] = {
    {"QuantizedConv2D", quantized_conv},
    {"QuantizedConv2DAndRelu", quantized_conv},
    {"QuantizedConv2DAndReluAndRequantize", quantized_conv},
    {"QuantizedConv2DAndRequantize", quantized_conv},
    {"QuantizedConv2DPerChannel", quantized_conv},
    {"QuantizedConv2DWithBias", quantized_conv},
    {"QuantizedConv2DWithBiasAndRelu", quantized_conv},
    {"QuantizedConv2DWithBiasAndReluAndRequantize", quantized_conv},
    {"QuantizedConv2DWithBiasAndRequantize", quantized_conv},
    {"QuantizedConv2DWithBiasSignedSumAndReluAndRequantize", quantized_conv},
    {"QuantizedConv2DWithBiasSumAndRelu", quantized_conv},
    {"QuantizedConv2DWithBiasSumAndReluAndRequantize", quantized_conv},
    {"QuantizedDepthwiseConv2D", quantized_conv},
    {"QuantizedDepthwiseConv2DWithBias", quantized_conv},
    {"QuantizedDepthwiseConv2DWithBiasAndRelu", quantized_conv},
    {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", quantized_conv},
    {"QuantizedMatMul", quantized_matmul},
    {"QuantizedMatMulWithBias", quantized_matmul},
    {"QuantizedMatMulWithBiasAndDequantize", quantized_matmul},
    {"QuantizedMatMulWithBiasAndRelu", quantized_matmul},
    {"QuantizedMatMulWithBiasAndReluAndRequantize", quantized_matmul},
    {"QuantizedMatMulWithBiasAndRequantize", quantized_matmul},
    {"QuantizedConcat", quantized_concat<false>},
    {"QuantizedConcatV2", quantized_concat<true>},
    {"QuantizedResizeBilinear", quantized_resize},
    {"QuantizedBatchNormWithGlobalNormalization", batch_norm},
    {"QuantizedInstanceNorm", instance_norm},
    {"QuantizedRelu", unchanged_and_ranges<1, 3>},
    {"QuantizedRelu6", unchanged_and_ranges<1, 3>},
    {"Requantize", unchanged_and_ranges<1, 5>},
    {"QuantizeDownAndShrinkRange", unchanged_and_ranges<1, 3>},
    {"RequantizePerChannel", ranges_out<1>},
    {"RequantizationRange", ranges_out<0>},
    {"RequantizationRangePerChannel", ranges_out<0>},
    {"UniformQuantize", unchanged},
    {"UniformDequantize", unchanged},
    {"UniformRequantize", unchanged},
    {"UniformQuantizedClipByValue", unchanged},
    {"UniformQuantizedAdd", broadcast_binary},
    {"UniformQuantizedDot", rule<"[n,k] [k,m] -> [n,m]">},
    {"UniformQuantizedDotHybrid", rule<"[n,k] [k,m] -> [n,m]">},
};

}  // namespace

absl::Status register_quantized_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
