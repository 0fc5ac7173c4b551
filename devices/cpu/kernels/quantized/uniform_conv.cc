// Convolutions of uniformly quantised tensors; in the hybrid form the left one is quantised on the way.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/quantized/uniform_axes.h"
#include "devices/cpu/kernels/quantized/uniform_product.h"

namespace troupe {
namespace {

/// Attrs of the convolutions.
struct ConvAttrs {
  /// Sizes, strides, dilations and paddings beyond this are refused, so that no sum of products overflows.
  static constexpr int64_t kMost = int64_t{1} << 30;

  std::vector<int64_t> strides, lhs_dilation, rhs_dilation, explicit_padding;
  std::string padding;
  int64_t batch_groups = 1, feature_groups = 1;
  ConvDimensionNumbers numbers;

  static absl::StatusOr<ConvAttrs> make(const KernelConstruction& c) {
    ConvAttrs a;
    TROUPE_ASSIGN_OR_RETURN(a.strides, c.attr<std::vector<int64_t>>("window_strides"));
    TROUPE_ASSIGN_OR_RETURN(a.lhs_dilation, c.attr<std::vector<int64_t>>("lhs_dilation"));
    TROUPE_ASSIGN_OR_RETURN(a.rhs_dilation, c.attr<std::vector<int64_t>>("rhs_dilation"));
    TROUPE_ASSIGN_OR_RETURN(a.batch_groups, c.attr<int64_t>("batch_group_count"));
    TROUPE_ASSIGN_OR_RETURN(a.feature_groups, c.attr<int64_t>("feature_group_count"));
    TROUPE_ASSIGN_OR_RETURN(a.padding, c.attr<std::string>("padding"));
    TROUPE_ASSIGN_OR_RETURN(a.explicit_padding, c.attr<std::vector<int64_t>>("explicit_padding"));
    if (a.padding != "EXPLICIT" && a.padding != "SAME" && a.padding != "VALID") {
      return invalid("padding Attr must be one of [EXPLICIT | SAME | VALID], but given: ", a.padding);
    }
    if (a.padding != "EXPLICIT" && !a.explicit_padding.empty()) {
      return invalid("If padding Attr is not 'EXPLICIT', explicit_padding Attr must be empty. Given padding ",
                     a.padding, " and explicit_padding of size ", a.explicit_padding.size());
    }
    TROUPE_ASSIGN_OR_RETURN(const std::string numbers, c.attr<std::string>("dimension_numbers"));
    if (!a.numbers.parse(numbers)) return invalid("Error parsing convolution dimension numbers.");
    return a;
  }

  absl::StatusOr<std::vector<ConvWindow>> windows(const Shape& lhs, const Shape& rhs,
                                                  const ConvAxes& axes) const {
    const size_t n = axes.lhs.size();
    for (const auto& [list, name] :
         {std::pair(&strides, "window_strides"), std::pair(&lhs_dilation, "lhs_dilation"),
          std::pair(&rhs_dilation, "rhs_dilation")}) {
      if (!list->empty() && list->size() != n) return invalid("Size of ", name, " Attr must be dims - 2.");
      if (std::any_of(list->begin(), list->end(), [](int64_t v) { return v < 1 || v > kMost; }))
        return invalid("All elements of ", name, " must be >= 1. Given ", absl::StrJoin(*list, ", "));
    }
    if (padding == "EXPLICIT" && explicit_padding.size() != 2 * n) {
      return invalid("Size of explicit_padding Attr must be 2 * (rank - 2). Given rank ", n + 2,
                     " and explicit_padding of size ", explicit_padding.size());
    }
    if (std::any_of(explicit_padding.begin(), explicit_padding.end(),
                    [](int64_t v) { return v < 0 || v > kMost; }))
      return invalid("All explicit_padding elems must be >= 0, Given ",
                     absl::StrJoin(explicit_padding, ", "));
    std::vector<ConvWindow> all(n);
    for (size_t i = 0; i < n; ++i) {
      ConvWindow& w = all[i];
      w.in = lhs.dim(axes.lhs[i]);
      w.kernel = rhs.dim(axes.rhs[i]);
      if (w.in > kMost || w.kernel > kMost) return invalid("spatial dimensions are too large");
      if (!strides.empty()) w.stride = strides[i];
      if (!lhs_dilation.empty()) w.in_dilation = lhs_dilation[i];
      if (!rhs_dilation.empty()) w.kernel_dilation = rhs_dilation[i];
      if (padding == "SAME") w.pad_same();
      if (padding == "EXPLICIT") {
        w.before = explicit_padding[2 * i];
        w.after = explicit_padding[2 * i + 1];
      }
      w.set_out();
    }
    return all;
  }

  absl::Status check_groups(int64_t batch, int64_t in, int64_t rhs_in, int64_t rhs_out) const {
    if (feature_groups <= 0)
      return invalid("feature_group_count must be a positive integer, given: ", feature_groups);
    if (in % feature_groups != 0) {
      return invalid("feature_group_count must divide lhs feature dimension size, but ", feature_groups,
                     " does not divide ", in);
    }
    if (rhs_in == 0 || in % rhs_in != 0) {
      return invalid("rhs input feature dimension must divide lhs feature dimension size, but ", rhs_in,
                     " does not divide ", in);
    }
    if (in / feature_groups != rhs_in) {
      return invalid(
          "lhs feature dimension size divided by feature_group_count must equal the rhs input feature "
          "dimension size, "
          "but ",
          in, " / ", feature_groups, " != ", rhs_in);
    }
    if (rhs_out % feature_groups != 0) {
      return invalid("rhs output dimension size must be a multiple of feature_group_count, but ", rhs_out,
                     " is not a multiple of ", feature_groups);
    }
    if (batch_groups <= 0)
      return invalid("batch_group_count Attr must be a positive integer. Given: ", batch_groups);
    if (batch % batch_groups != 0) {
      return invalid("batch_group_count must divide lhs batch dimension size, but ", batch_groups,
                     " does not divide ", batch);
    }
    if (rhs_out % batch_groups != 0) {
      return invalid("rhs output dimension size must be a multiple of batch_group_count, but ", rhs_out,
                     " is not a multiple of ", batch_groups);
    }
    return absl::OkStatus();
  }
};

/// One convolution: shapes, windows and data.
struct ConvRun {
  const ConvAttrs& attrs;
  const ConvAxes& axes;
  const std::vector<ConvWindow>& windows;
  const Shape &lhs_shape, &rhs_shape;
  const QuantizedRows& lhs;
  std::span<const QInt8> rhs;

  /// The sum for one output element: batch and feature of the output, and the place of the window.
  int32_t sum(int64_t batch, int64_t feature, const Indices& place, int64_t features, int64_t batches,
              int32_t rhs_zero) const {
    const Indices ls = strides_of(lhs_shape), rs = strides_of(rhs_shape);
    const int64_t lhs_batch = feature / (features / attrs.batch_groups) * batches + batch;
    const int64_t depth = rhs_shape.dim(axes.rhs_in);
    const int64_t first = feature / (features / attrs.feature_groups) * depth;
    const int32_t lhs_zero = lhs.zero_points[static_cast<size_t>(lhs_batch)];
    int32_t total = 0;
    Indices tap(windows.size(), 0);
    for (int64_t left = taps(); left > 0; --left) {
      int64_t l = lhs_batch * ls[axes.batch] + first * ls[axes.feature], r = feature * rs[axes.rhs_out];
      bool inside = true;
      for (size_t d = 0; d < windows.size() && inside; ++d) {
        const int64_t at = windows[d].at(place[d], tap[d]);
        inside = at >= 0;
        l += at * ls[axes.lhs[d]];
        r += tap[d] * rs[axes.rhs[d]];
      }
      for (int64_t i = 0; inside && i < depth; ++i) {
        const int32_t x = lhs.steps[static_cast<size_t>(l + i * ls[axes.feature])];
        const int32_t y = rhs[static_cast<size_t>(r + i * rs[axes.rhs_in])].value;
        total = wrapped_add(total,
                            wrapped_multiply(wrapped_subtract(x, lhs_zero), wrapped_subtract(y, rhs_zero)));
      }
      for (size_t d = windows.size(); d-- > 0 && ++tap[d] == windows[d].kernel;) tap[d] = 0;
    }
    return total;
  }

  int64_t taps() const {
    int64_t n = 1;
    for (const ConvWindow& w : windows) n *= w.kernel;
    return n;
  }
};

template <bool kHybrid>
class UniformQuantizedConv final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(conv_, ConvAttrs::make(c));
    TROUPE_ASSIGN_OR_RETURN(attrs_, ProductAttrs::make(c, kHybrid));
    const ConvDimensionNumbers& n = conv_.numbers;
    const bool given = !n.input_spatial.empty();
    const int64_t rhs = attrs_.rhs.axis, out = attrs_.output.axis;
    if (rhs != -1 && rhs != (given ? n.kernel_output_feature : 0)) {
      return invalid(
          "rhs_quantization_axis Attr must be -1 (per-tensor) or "
          "dimension_numbers.kernel_output_feature_dimension "
          "(per-channel).");
    }
    if (out != -1 && out != (given ? n.output_feature : 1)) {
      return invalid(
          "output_quantization_axis Attr must be -1 (per-tensor) or "
          "dimension_numbers.output_feature_dimension "
          "(per-channel).");
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &lhs = context.input(0), &rhs = context.input(1);
    if (lhs.rank() != rhs.rank()) {
      return invalid("lhs and rhs must have same dims. Given lhs and rhs of shapes: ",
                     lhs.shape().to_string(), rhs.shape().to_string());
    }
    if (lhs.rank() <= 2) return invalid("lhs and rhs shape dims must be at least 3. Given: ", lhs.rank());
    TROUPE_ASSIGN_OR_RETURN(const ConvAxes axes, ConvAxes::make(conv_.numbers, lhs.rank()));
    TROUPE_RETURN_IF_ERROR(conv_.check_groups(lhs.dim(axes.batch), lhs.dim(axes.feature),
                                              rhs.dim(axes.rhs_in), rhs.dim(axes.rhs_out)));
    TROUPE_ASSIGN_OR_RETURN(const auto windows, conv_.windows(lhs.shape(), rhs.shape(), axes));
    std::vector<int64_t> dims(static_cast<size_t>(lhs.rank()));
    dims[static_cast<size_t>(axes.out_batch)] = lhs.dim(axes.batch) / conv_.batch_groups;
    dims[static_cast<size_t>(axes.out_feature)] = rhs.dim(axes.rhs_out);
    for (size_t i = 0; i < windows.size(); ++i) dims[static_cast<size_t>(axes.out[i])] = windows[i].out;
    TROUPE_ASSIGN_OR_RETURN(const Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(
        const ProductScales scales,
        read_scales(context, kHybrid, attrs_.rhs.axis, attrs_.output.axis, shape, axes.out_feature));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const AxisIndex batch_of(lhs.shape(), axes.batch);
    const QuantizedRows rows =
        kHybrid ? quantize_rows(
                      lhs, lhs.dim(axes.batch),
                      [&](size_t i) { return static_cast<size_t>(batch_of.of(static_cast<int64_t>(i))); })
                : same_rows(lhs, lhs.dim(axes.batch), scales.lhs);
    fill({conv_, axes, windows, lhs.shape(), rhs.shape(), rows, rhs.flat<QInt8>()}, scales, out);
    return absl::OkStatus();
  }

 private:
  void fill(const ConvRun& run, const ProductScales& scales, Tensor* out) const {
    const Shape& shape = out->shape();
    const int64_t features = shape.dim(run.axes.out_feature), batches = shape.dim(run.axes.out_batch);
    Indices index(static_cast<size_t>(shape.rank()), 0), place(run.windows.size(), 0);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      for (size_t d = 0; d < place.size(); ++d) place[d] = index[static_cast<size_t>(run.axes.out[d])];
      const int64_t feature = index[static_cast<size_t>(run.axes.out_feature)],
                    batch = index[static_cast<size_t>(run.axes.out_batch)];
      const int32_t sum = run.sum(batch, feature, place, features, batches, scales.rhs.zero_point(feature));
      const int64_t row = feature / (features / conv_.batch_groups) * batches + batch;
      put_sum(out, i, sum, attrs_, scales, run.lhs.scales[static_cast<size_t>(row)], feature);
      for (int d = shape.rank() - 1; d >= 0 && ++index[static_cast<size_t>(d)] == shape.dim(d); --d)
        index[static_cast<size_t>(d)] = 0;
    }
  }

  ConvAttrs conv_;
  ProductAttrs attrs_;
};

}  // namespace

void register_quantized_uniform_conv(KernelRegistry* r) {
  r->add(KernelDef("UniformQuantizedConvolution")
             .type<QInt8>("Tin")
             .type<QInt32>("Tout")
             .kernel<UniformQuantizedConv<false>>());
  r->add(KernelDef("UniformQuantizedConvolutionHybrid")
             .type<float>("Tlhs")
             .type<QInt8>("Trhs")
             .type<float>("Tout")
             .kernel<UniformQuantizedConv<true>>());
}

}  // namespace troupe
