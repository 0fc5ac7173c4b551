// Products of uniformly quantised matrices; in the hybrid form the left one is quantised on the way.
#include "devices/cpu/kernels/quantized/uniform_product.h"

namespace troupe {

QuantizedRows same_rows(const Tensor& t, int64_t rows, const UniformScales& scales) {
  QuantizedRows out;
  for (const QInt8 q : t.flat<QInt8>()) out.steps.push_back(q.value);
  out.scales.assign(static_cast<size_t>(rows), scales.scale(0));
  out.zero_points.assign(static_cast<size_t>(rows), scales.zero_point(0));
  return out;
}

absl::StatusOr<ProductScales> read_scales(const KernelContext& context, bool hybrid, int64_t rhs_axis,
                                          int64_t output_axis, const Shape& output, int output_channel_axis) {
  const Tensor &lhs = context.input(0), &rhs = context.input(1);
  ProductScales s;
  if (!hybrid) {
    if (context.input(2).rank() != 0 || context.input(3).rank() != 0) {
      return invalid("lhs scales/zero_points must be all scalar tensors. Given: ",
                     context.input(2).shape().to_string(), context.input(3).shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(s.lhs, UniformScales::make(lhs.shape(), context.input(2), context.input(3), -1));
    if (!s.lhs.all_positive()) return invalid("lhs scales elements must be all positive.");
  }
  const int at = hybrid ? 2 : 4;
  TROUPE_ASSIGN_OR_RETURN(
      s.rhs, UniformScales::make(rhs.shape(), context.input(at), context.input(at + 1), rhs_axis));
  if (!s.rhs.all_positive()) return invalid("rhs scales elements must be all positive.");
  if (hybrid) return s;
  if (output_axis >= 0) output_axis = output_channel_axis;
  TROUPE_ASSIGN_OR_RETURN(s.output,
                          UniformScales::make(output, context.input(6), context.input(7), output_axis));
  if (!s.output.all_positive()) return invalid("output scales elements must be all positive.");
  if (!s.rhs.per_axis() && s.output.per_axis()) {
    return invalid(
        "If rhs is per-tensor quantized, output must be also per-tensor quantized. Given rhs scales and "
        "zero_points of "
        "shape [] but given output scales and zero_points of shape ",
        context.input(6).shape().to_string());
  }
  TROUPE_RETURN_IF_ERROR(s.make_factors());
  return s;
}

absl::StatusOr<ProductAttrs> ProductAttrs::make(const KernelConstruction& c, bool hybrid) {
  ProductAttrs a;
  TROUPE_ASSIGN_OR_RETURN(a.rhs, UniformAttrs::make(c, "rhs_"));
  if (hybrid) return a;
  TROUPE_ASSIGN_OR_RETURN(a.lhs, UniformAttrs::make(c, "lhs_"));
  TROUPE_ASSIGN_OR_RETURN(a.output, UniformAttrs::make(c, "output_"));
  if (a.lhs.axis != -1) return invalid("lhs_quantization_axis Attr must be -1 (per-tensor).");
  return a;
}

void put_sum(Tensor* out, int64_t i, int32_t sum, const ProductAttrs& attrs, const ProductScales& scales,
             float row_scale, int64_t channel) {
  if (out->dtype() == DataType::kFloat) {
    out->flat<float>()[i] = static_cast<float>(sum) * row_scale * scales.rhs.scale(channel);
  } else {
    out->flat<QInt32>()[i].value = attrs.output.clamp(scales.output_steps(sum, channel));
  }
}

namespace {

template <bool kHybrid>
class UniformQuantizedDot final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ProductAttrs::make(c, kHybrid));
    if (attrs_.rhs.axis != 1 && attrs_.rhs.axis != -1)
      return invalid("rhs_quantization_axis Attr must be 1 (per-channel) or -1 (per-tensor).");
    if (attrs_.output.axis != 1 && attrs_.output.axis != -1)
      return invalid("output_quantization_axis Attr must be 1 (per-channel) or -1 (per-tensor).");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &lhs = context.input(0), &rhs = context.input(1);
    for (const auto& [t, name] : {std::pair(&lhs, "lhs"), std::pair(&rhs, "rhs")}) {
      if (t->rank() != 2)
        return invalid(name, " rank must be 2, but given ", name, " shape ", t->shape().to_string());
    }
    const int64_t rows = lhs.dim(0), depth = lhs.dim(1), columns = rhs.dim(1);
    if (depth != rhs.dim(0)) {
      return invalid("lhs.dim_size(1) and rhs.dim_size(0) must be equal, but given lhs shape ",
                     lhs.shape().to_string(), " and rhs shape ", rhs.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(const Shape shape, Shape::make({{rows, columns}}));
    TROUPE_ASSIGN_OR_RETURN(const ProductScales scales,
                            read_scales(context, kHybrid, attrs_.rhs.axis, attrs_.output.axis, shape, 1));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const QuantizedRows left =
        kHybrid ? quantize_rows(lhs, rows, [&](size_t i) { return i / static_cast<size_t>(depth); })
                : same_rows(lhs, rows, scales.lhs);
    const auto right = rhs.flat<QInt8>();
    for (int64_t r = 0; r < rows; ++r) {
      const auto row = static_cast<size_t>(r);
      for (int64_t c = 0; c < columns; ++c) {
        int32_t sum = 0;
        for (int64_t d = 0; d < depth; ++d) {
          sum = wrapped_add(
              sum, wrapped_multiply(wrapped_subtract(left.steps[static_cast<size_t>(r * depth + d)],
                                                     left.zero_points[row]),
                                    wrapped_subtract(right[static_cast<size_t>(d * columns + c)].value,
                                                     scales.rhs.zero_point(c))));
        }
        put_sum(out, r * columns + c, sum, attrs_, scales, left.scales[row], c);
      }
    }
    return absl::OkStatus();
  }

 private:
  ProductAttrs attrs_;
};

}  // namespace

void register_quantized_uniform_product(KernelRegistry* r) {
  r->add(KernelDef("UniformQuantizedDot")
             .type<QInt8>("Tin")
             .type<QInt32>("Tout")
             .kernel<UniformQuantizedDot<false>>());
  r->add(KernelDef("UniformQuantizedDotHybrid")
             .type<float>("Tlhs")
             .type<QInt8>("Trhs")
             .type<float>("Tout")
             .kernel<UniformQuantizedDot<true>>());
}

}  // namespace troupe
