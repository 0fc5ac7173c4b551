// Convolutions, pooling, normalisation.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// The three ops of one kind of convolution: each is the gradient of another.
struct Convolution {
  const char* forward;
  const char* to_input;
  const char* to_filter;
};

constexpr Convolution kConv2D{"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
constexpr Convolution kConv3D{"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};
constexpr Convolution kDepthwise{"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
                                 "DepthwiseConv2dNativeBackpropFilter"};

template <const Convolution& kConv>
void conv(Rule& r) {
  if (r.wants(0)) r.dx(0, r.like(kConv.to_input, {unary("Shape", r.x(0)), r.x(1), r.dy()}));
  if (r.wants(1)) r.dx(1, r.like(kConv.to_filter, {r.x(0), unary("Shape", r.x(1)), r.dy()}));
}

/// Inputs: sizes of the input, filter, gradient of the output.
template <const Convolution& kConv>
void conv_to_input(Rule& r) {
  if (r.wants(1)) r.dx(1, r.like(kConv.to_filter, {r.dy(), unary("Shape", r.x(1)), r.x(2)}));
  if (r.wants(2)) r.dx(2, r.like(kConv.forward, {r.dy(), r.x(1)}));
}

/// Inputs: input, sizes of the filter, gradient of the output.
template <const Convolution& kConv>
void conv_to_filter(Rule& r) {
  if (r.wants(0)) r.dx(0, r.like(kConv.to_input, {unary("Shape", r.x(0)), r.dy(), r.x(2)}));
  if (r.wants(2)) r.dx(2, r.like(kConv.forward, {r.x(0), r.dy()}));
}

void dilation(Rule& r) {
  if (r.wants(0)) r.dx(0, r.like("Dilation2DBackpropInput", {r.x(0), r.x(1), r.dy()}));
  if (r.wants(1)) r.dx(1, r.like("Dilation2DBackpropFilter", {r.x(0), r.x(1), r.dy()}));
}

// ---- pooling ----

void avg_pool(Rule& r, const char* op) { r.dx(0, r.like(op, {unary("Shape", r.x(0)), r.dy()})); }

void max_pool(Rule& r, const char* op) { r.dx(0, r.like(op, {r.x(0), r.y(), r.dy()})); }

/// Inputs: input, output, gradient. Only the last one is continuous.
void max_pool_grad(Rule& r, const char* op) {
  std::vector<Arg> inputs{r.x(0), r.x(1), r.dy()};
  for (int i = 3; i < r.num_inputs(); ++i) inputs.push_back(r.x(i));
  r.dx(2, r.like(op, inputs));
}

void max_pool_v2(Rule& r) { r.dx(0, r.like("MaxPoolGradV2", {r.x(0), r.y(), r.dy(), r.x(1), r.x(2)})); }

void max_pool_with_argmax(Rule& r) {
  if (r.has_dy(0)) r.dx(0, r.like("MaxPoolGradWithArgmax", {r.x(0), r.dy(), r.y(1)}));
}

void fractional_avg_pool(Rule& r) {
  Val shape = r.op("Shape", {r.x(0)}, {{"out_type", DataType::kInt64}});
  r.dx(0, r.like("FractionalAvgPoolGrad", {shape, r.dy(), r.y(1), r.y(2)}));
}

void fractional_max_pool(Rule& r) {
  r.dx(0, r.like("FractionalMaxPoolGrad", {r.x(0), r.y(0), r.dy(), r.y(1), r.y(2)}));
}

// ---- normalisation ----

void lrn(Rule& r) { r.dx(0, r.like("LRNGrad", {r.dy(), r.x(0), r.y()})); }

bool channels_first(const Rule& r) {
  const auto format = r.attr<std::string>("data_format", "NHWC");
  return format.size() > 1 && format[0] == 'N' && format[1] == 'C';
}

/// The dimensions over which statistics are made, of a tensor of rank 4 or 5.
std::vector<int> statistic_axes(const Rule& r) {
  const bool volumes = r.attr<std::string>("data_format", "NHWC").size() == 5;
  if (channels_first(r)) return volumes ? std::vector<int>{0, 2, 3, 4} : std::vector<int>{0, 2, 3};
  return volumes ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 1, 2};
}

/// A value for each channel in a shape that broadcasts over x.
Val per_channel(const Rule& r, Val v) {
  if (!channels_first(r)) return v;
  const bool volumes = r.attr<std::string>("data_format", "NHWC").size() == 5;
  return reshape(v, volumes ? std::vector<int>{1, -1, 1, 1, 1} : std::vector<int>{1, -1, 1, 1});
}

/// `version`: "", "V2", "V3". Outputs 3 and 4 are what the gradient op wants: statistics of this batch in training.
void fused_batch_norm(Rule& r, const std::string& version) {
  const bool training = r.attr<bool>("is_training", true);
  const std::string op = "FusedBatchNormGrad" + version;
  std::vector<Arg> inputs{r.dy(), r.x(0),
                          version.empty() ? r.x(1) : r.scope().cast(r.x(1), DataType::kFloat)};
  inputs.push_back(training ? r.y(3) : r.x(3));
  inputs.push_back(training ? r.y(4) : r.x(4));
  if (version == "V3") inputs.push_back(r.y(5));
  AttrMap attrs = r.attrs_for(op);
  Val g = r.op(op, inputs, std::move(attrs));
  for (int i = 0; i < 3; ++i) r.dx(i, g[i]);
  if (training) return;
  // Mean and variance are plain inputs then; the op does not tell their gradients.
  const DataType stat = r.x(3).dtype();
  auto sum = [&](Val v) { return reduce_sum(v, r.ints(statistic_axes(r))); };
  if (r.wants(3) || r.wants(4)) {
    Val scale = r.scope().cast(r.x(1), stat), dy = r.scope().cast(r.dy(), stat);
    Val inv = unary("Rsqrt", r.x(4) + static_cast<double>(r.attr<float>("epsilon", 1e-4F)));
    r.dx(3, -(sum(dy) * scale * inv));
    Val centred = r.scope().cast(r.x(0), stat) - per_channel(r, r.x(3));
    r.dx(4, -0.5 * (sum(dy * centred) * scale * inv * inv * inv));
  }
}

/// Gradient of FusedBatchNormGrad: inputs dy, x, scale, mean, variance; all written out.
void fused_batch_norm_grad(Rule& r) {
  const bool training = r.attr<bool>("is_training", true);
  const double epsilon = r.attr<float>("epsilon", 1e-4F);
  GradientScope& scope = r.scope();
  const DataType type = r.x(0).dtype(), stat = r.x(2).dtype();
  Val dy = scope.cast(r.x(0), stat), x = scope.cast(r.x(1), stat);
  Val gx = scope.cast(r.dy(0), stat), gscale = r.dy(1), goffset = r.dy(2);
  const std::vector<int> axes = statistic_axes(r);
  auto sum = [&](Val v) { return per_channel(r, reduce_sum(v, scope.ints(axes))); };
  Val scale = per_channel(r, r.x(2));
  gscale = per_channel(r, gscale);
  goffset = per_channel(r, goffset);
  Val n = scope.cast(unary("Size", x), stat) / scope.cast(unary("Size", r.x(2)), stat);
  Val mean = training ? sum(x) / n : per_channel(r, r.x(3));
  Val centred = x - mean;
  Val variance = training ? sum(unary("Square", centred)) / n : per_channel(r, r.x(4));
  Val inv = unary("Rsqrt", variance + epsilon);
  Val hat = centred * inv;
  auto flat = [&](Val v) { return reshape(v, {-1}); };
  if (!training) {
    // dx = dy * scale * inv; dscale = sum(dy * hat); doffset = sum(dy)
    r.dx(0, scope.cast(gx * scale * inv + gscale * hat + goffset, type));
    r.dx(1, scope.cast(dy * gscale * inv, type));
    r.dx(2, flat(sum(gx * dy) * inv));
    return;
  }
  // dx = scale * inv * (dy - mean(dy) - hat * mean(dy * hat))
  auto project = [&](Val v) { return v - sum(v) / n - hat * (sum(v * hat) / n); };
  Val p = project(dy);
  r.dx(0, scope.cast(scale * inv * project(gx) + gscale * hat + goffset, type));
  r.dx(2, flat(sum(gx * p) * inv));
  // What changes with x: inv, hat in dx; hat in dscale.
  Val mean_dy_hat = sum(dy * hat) / n, mean_g_hat = sum(gx * hat) / n;
  Val through_hat = -(gx * mean_dy_hat + dy * mean_g_hat);
  Val g_hat = scale * inv * through_hat + gscale * dy;
  Val g_inv = scale * sum(gx * p);
  // hat = centred * inv, inv = (variance + epsilon) ^ -1/2
  Val back = inv * project(g_hat) - g_inv * inv * inv * hat / n;
  r.dx(1, scope.cast(back, type));
}

void batch_norm(Rule& r) {
  Val g = r.like("BatchNormWithGlobalNormalizationGrad", {r.x(0), r.x(1), r.x(2), r.x(4), r.dy()});
  for (int i = 0; i < 5; ++i) r.dx(i, g[i]);
}

const RuleRow kRows[] = {
    {"Conv2D", conv<kConv2D>},
    {"Conv2DBackpropInput", conv_to_input<kConv2D>},
    {"Conv2DBackpropFilter", conv_to_filter<kConv2D>},
    {"Conv3D", conv<kConv3D>},
    {"Conv3DBackpropInputV2", conv_to_input<kConv3D>},
    {"Conv3DBackpropFilterV2", conv_to_filter<kConv3D>},
    {"DepthwiseConv2dNative", conv<kDepthwise>},
    {"DepthwiseConv2dNativeBackpropInput", conv_to_input<kDepthwise>},
    {"DepthwiseConv2dNativeBackpropFilter", conv_to_filter<kDepthwise>},
    {"Dilation2D", dilation},
    {"AvgPool", [](Rule& r) { avg_pool(r, "AvgPoolGrad"); }},
    {"AvgPool3D", [](Rule& r) { avg_pool(r, "AvgPool3DGrad"); }},
    {"AvgPoolGrad", [](Rule& r) { r.dx(1, r.like("AvgPool", {r.dy()})); }},
    {"AvgPool3DGrad", [](Rule& r) { r.dx(1, r.like("AvgPool3D", {r.dy()})); }},
    {"MaxPool", [](Rule& r) { max_pool(r, "MaxPoolGrad"); }},
    {"MaxPool3D", [](Rule& r) { max_pool(r, "MaxPool3DGrad"); }},
    {"MaxPoolV2", max_pool_v2},
    {"MaxPoolWithArgmax", max_pool_with_argmax},
    {"MaxPoolGrad", [](Rule& r) { max_pool_grad(r, "MaxPoolGradGrad"); }},
    {"MaxPoolGradV2", [](Rule& r) { max_pool_grad(r, "MaxPoolGradGradV2"); }},
    {"MaxPool3DGrad", [](Rule& r) { max_pool_grad(r, "MaxPool3DGradGrad"); }},
    {"MaxPoolGradGrad", [](Rule& r) { max_pool_grad(r, "MaxPoolGrad"); }},
    {"MaxPoolGradGradV2", [](Rule& r) { max_pool_grad(r, "MaxPoolGradV2"); }},
    {"MaxPool3DGradGrad", [](Rule& r) { max_pool_grad(r, "MaxPool3DGrad"); }},
    {"FractionalAvgPool", fractional_avg_pool},
    {"FractionalMaxPool", fractional_max_pool},
    {"LRN", lrn},
    {"FusedBatchNorm", [](Rule& r) { fused_batch_norm(r, ""); }},
    {"FusedBatchNormV2", [](Rule& r) { fused_batch_norm(r, "V2"); }},
    {"FusedBatchNormV3", [](Rule& r) { fused_batch_norm(r, "V3"); }},
    {"FusedBatchNormGrad", fused_batch_norm_grad},
    {"FusedBatchNormGradV2", fused_batch_norm_grad},
    {"FusedBatchNormGradV3", fused_batch_norm_grad},
    {"BatchNormWithGlobalNormalization", batch_norm},
};

}  // namespace

std::span<const RuleRow> conv_rules() { return kRows; }

}  // namespace troupe
