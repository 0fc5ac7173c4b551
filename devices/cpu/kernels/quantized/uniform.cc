// Uniform quantisation: conversions, sums and clipping of tensors with explicit scales and zero points.
#include "devices/cpu/kernels/quantized/uniform.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {

absl::StatusOr<FixedFactor> FixedFactor::make(double factor) {
  if (!std::isfinite(factor) || factor <= 0) {
    return invalid("double_multiplier must be a poisitive finite number. Given ", factor);
  }
  FixedFactor f;
  constexpr int64_t kOne = int64_t{1} << 31;
  auto fixed = static_cast<int64_t>(std::round(std::frexp(factor, &f.shift_) * static_cast<double>(kOne)));
  if (fixed == kOne) {
    fixed /= 2;
    ++f.shift_;
  }
  if (f.shift_ < -31) {
    f.shift_ = 0;
    fixed = 0;
  }
  if (f.shift_ > 30) {
    f.shift_ = 30;
    fixed = kOne - 1;
  }
  f.multiplier_ = static_cast<int32_t>(fixed);
  return f;
}

int32_t FixedFactor::times(int32_t x) const {
  const int by = 31 - shift_;
  const int64_t product = (x * static_cast<int64_t>(multiplier_) + (int64_t{1} << (by - 1))) >> by;
  return static_cast<int32_t>(std::clamp<int64_t>(product, std::numeric_limits<int32_t>::lowest(),
                                                  std::numeric_limits<int32_t>::max()));
}

absl::StatusOr<UniformScales> UniformScales::make(const Shape& tensor, const Tensor& scales,
                                                  const Tensor& zero_points, int64_t axis) {
  const std::string scales_shape = scales.shape().to_string(), zeros_shape = zero_points.shape().to_string();
  if (axis < -1 || axis >= tensor.rank()) {
    return invalid("quantization_axis must be -1 or in range [0, input.rank), but given ", axis);
  }
  if (!(scales.shape() == zero_points.shape())) {
    return invalid("scales and zero_points shape must be same, but given scales shape ", scales_shape,
                   " and zero_points shape ", zeros_shape);
  }
  if (axis == -1 && scales.rank() != 0) {
    return invalid(
        "If quantization_axis is -1, scales and zero_points must be scalar tensors, but given scales shape ",
        scales_shape, " and zero_points shape ", zeros_shape);
  }
  if (axis >= 0 && (scales.rank() != 1 || scales.dim(0) != tensor.dim(static_cast<int>(axis)))) {
    return invalid(
        "If quantization_axis is not -1, scales and zero_points must be a tensor of rank 1 and the size must "
        "be "
        "equal to the input.dim_size(quantization_axis), but given quantization_axis ",
        axis, ", scales shape ", scales_shape, " and zero_points shape ", zeros_shape);
  }
  UniformScales s;
  s.scales_ = scales;
  s.zero_points_ = zero_points;
  s.axis_ = static_cast<int>(axis);
  return s;
}

bool UniformScales::all_positive() const {
  const auto all = scales_.flat<float>();
  return std::all_of(all.begin(), all.end(), [](float v) { return v > 0; });
}

absl::StatusOr<UniformAttrs> UniformAttrs::make(const KernelConstruction& c, absl::string_view prefix) {
  UniformAttrs a;
  TROUPE_ASSIGN_OR_RETURN(a.axis, c.attr<int64_t>(absl::StrCat(prefix, "quantization_axis")));
  TROUPE_ASSIGN_OR_RETURN(const int64_t low, c.attr<int64_t>(absl::StrCat(prefix, "quantization_min_val")));
  TROUPE_ASSIGN_OR_RETURN(const int64_t high, c.attr<int64_t>(absl::StrCat(prefix, "quantization_max_val")));
  for (int64_t v : {low, high}) {
    if (v != static_cast<int32_t>(v))
      return invalid("Attr ", prefix, "quantization range has value ", v, " out of range for an int32");
  }
  a.low = static_cast<int32_t>(low);
  a.high = static_cast<int32_t>(high);
  return a;
}

int32_t quantized_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kQint8: return t.flat<QInt8>()[i].value;
    case DataType::kQuint8: return t.flat<QUInt8>()[i].value;
    default: return t.flat<QInt32>()[i].value;
  }
}

void set_quantized(Tensor* t, int64_t i, int32_t value) {
  switch (t->dtype()) {
    case DataType::kQint8: t->flat<QInt8>()[i].value = static_cast<int8_t>(value); break;
    case DataType::kQuint8: t->flat<QUInt8>()[i].value = static_cast<uint8_t>(value); break;
    default: t->flat<QInt32>()[i].value = value; break;
  }
}

namespace {

class UniformQuantize final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, UniformAttrs::make(c, ""));
    if (attrs_.axis < -1) return invalid("quantization_axis must be >= -1, given: ", attrs_.axis);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const UniformScales scales,
                            UniformScales::make(in.shape(), context.input(1), context.input(2), attrs_.axis));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    const AxisIndex index(in.shape(), scales.axis());
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      const int64_t c = index.of(i);
      const float steps = std::floor(in.flat<float>()[i] * (1.0f / scales.scale(c)) + 0.5f);
      set_quantized(out, i, attrs_.clamp(wrapped_add(to_int32(steps), scales.zero_point(c))));
    }
    return absl::OkStatus();
  }

 private:
  UniformAttrs attrs_;
};

class UniformDequantize final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, UniformAttrs::make(c, ""));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const UniformScales scales,
                            UniformScales::make(in.shape(), context.input(1), context.input(2), attrs_.axis));
    if (!scales.all_positive()) return invalid("rhs scales elements must be all positive.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    const AxisIndex index(in.shape(), scales.axis());
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      const int64_t c = index.of(i);
      out->flat<float>()[i] =
          static_cast<float>(wrapped_subtract(quantized_at(in, i), scales.zero_point(c))) * scales.scale(c);
    }
    return absl::OkStatus();
  }

 private:
  UniformAttrs attrs_;
};

/// From the steps of one quantisation to another's: a factor for each index of the axis of either.
absl::StatusOr<std::vector<FixedFactor>> make_factors(const UniformScales& from, const UniformScales& to) {
  const int64_t count = to.per_axis() ? to.count() : from.count();
  std::vector<FixedFactor> all;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t source = std::min(i, from.count() - 1);
    TROUPE_ASSIGN_OR_RETURN(FixedFactor f, FixedFactor::make(static_cast<double>(from.scale(source)) /
                                                             static_cast<double>(to.scale(i))));
    all.push_back(f);
  }
  return all;
}

class UniformRequantize final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(input_, UniformAttrs::make(c, "input_"));
    TROUPE_ASSIGN_OR_RETURN(output_, UniformAttrs::make(c, "output_"));
    if (input_.axis < -1) return invalid("input_quantization_axis must be >= -1, given: ", input_.axis);
    if (output_.axis < -1) return invalid("output_quantization_axis must be >= -1, given: ", output_.axis);
    if (input_.axis >= 0 && output_.axis >= 0 && input_.axis != output_.axis) {
      return invalid("If input and output is both per-axis quantized, the quantization axis must be same.");
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const UniformScales from,
                            UniformScales::make(in.shape(), context.input(1), context.input(2), input_.axis));
    TROUPE_ASSIGN_OR_RETURN(const UniformScales to, UniformScales::make(in.shape(), context.input(3),
                                                                        context.input(4), output_.axis));
    if (!from.all_positive() || !to.all_positive())
      return invalid("input/output scales elements must be all positive.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    TROUPE_ASSIGN_OR_RETURN(const std::vector<FixedFactor> factors, make_factors(from, to));
    const AxisIndex index(in.shape(), std::max(from.axis(), to.axis()));
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      const int64_t c = index.of(i);
      const int32_t v =
          factors[static_cast<size_t>(c)].times(wrapped_subtract(quantized_at(in, i), from.zero_point(c)));
      set_quantized(out, i, output_.clamp(wrapped_add(v, to.zero_point(c))));
    }
    return absl::OkStatus();
  }

 private:
  UniformAttrs input_, output_;
};

/// An operand of a sum, seen from the output: broadcast, and in the output's steps with zero point 0.
class Addend {
 public:
  static absl::StatusOr<Addend> make(const Tensor* t, const UniformScales& from, const UniformScales& to) {
    TROUPE_ASSIGN_OR_RETURN(std::vector<FixedFactor> factors, make_factors(from, to));
    return Addend(t, from, to.per_axis(), std::move(factors));
  }

  /// The value for an output element; `index` are its indices, `channel` that of the output's axis.
  int32_t at(const Indices& index, int64_t channel) const {
    const Shape& shape = tensor_->shape();
    const size_t skipped = index.size() - static_cast<size_t>(shape.rank());
    int64_t element = 0, own = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t i = shape.dim(d) == 1 ? 0 : index[skipped + static_cast<size_t>(d)];
      element = element * shape.dim(d) + i;
      if (d == from_.axis()) own = i;
    }
    const FixedFactor& factor = factors_[static_cast<size_t>(by_output_ ? channel : own)];
    const int32_t v = factor.times(wrapped_subtract(quantized_at(*tensor_, element), from_.zero_point(own)));
    // TensorFlow's goes through a float here.
    return to_int32(static_cast<float>(v));
  }

 private:
  Addend(const Tensor* t, const UniformScales& from, bool by_output, std::vector<FixedFactor> factors)
      : tensor_(t), from_(from), by_output_(by_output), factors_(std::move(factors)) {}

  const Tensor* tensor_;
  UniformScales from_;
  bool by_output_;
  std::vector<FixedFactor> factors_;
};

/// numpy's rules.
absl::StatusOr<Shape> sum_shape(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = i <= a.rank() ? a.dim(a.rank() - i) : 1, y = i <= b.rank() ? b.dim(b.rank() - i) : 1;
    if (x != 1 && y != 1 && x != y)
      return invalid("Cannot Add tensors of shapes: ", a.to_string(), b.to_string());
    dims[static_cast<size_t>(rank - i)] = x == 1 ? y : x;
  }
  return Shape::make(dims);
}

class UniformQuantizedAdd final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(lhs_, UniformAttrs::make(c, "lhs_"));
    TROUPE_ASSIGN_OR_RETURN(rhs_, UniformAttrs::make(c, "rhs_"));
    TROUPE_ASSIGN_OR_RETURN(output_, UniformAttrs::make(c, "output_"));
    if (lhs_.axis < -1 || rhs_.axis < -1 || output_.axis < -1)
      return invalid("lhs, rhs and output quantization_axis must be -1 or within [0, dims)");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &lhs = context.input(0), &rhs = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const UniformScales ls,
                            UniformScales::make(lhs.shape(), context.input(2), context.input(3), lhs_.axis));
    TROUPE_ASSIGN_OR_RETURN(const UniformScales rs,
                            UniformScales::make(rhs.shape(), context.input(4), context.input(5), rhs_.axis));
    TROUPE_ASSIGN_OR_RETURN(const Shape shape, sum_shape(lhs.shape(), rhs.shape()));
    TROUPE_ASSIGN_OR_RETURN(const UniformScales os,
                            UniformScales::make(shape, context.input(6), context.input(7), output_.axis));
    auto crossed = [&](const Tensor& t, const UniformScales& s) {
      return s.per_axis() && os.per_axis() && t.rank() - s.axis() != shape.rank() - os.axis();
    };
    for (const auto& [t, s, name] : {std::tuple(&lhs, &ls, "lhs"), std::tuple(&rhs, &rs, "rhs")}) {
      if (crossed(*t, *s)) {
        return invalid("If ", name,
                       " and output is both per-axis quantized, the quantization axis must match.");
      }
    }
    if (!ls.all_positive() || !rs.all_positive() || !os.all_positive())
      return invalid("lhs/rhs/output scales elements must be all positive.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(const Addend left, Addend::make(&lhs, ls, os));
    TROUPE_ASSIGN_OR_RETURN(const Addend right, Addend::make(&rhs, rs, os));
    Indices index(static_cast<size_t>(shape.rank()), 0);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const int64_t c = os.per_axis() ? index[static_cast<size_t>(os.axis())] : 0;
      const int32_t sum = wrapped_add(wrapped_add(left.at(index, c), right.at(index, c)), os.zero_point(c));
      set_quantized(out, i, output_.clamp(sum));
      for (int d = shape.rank() - 1; d >= 0 && ++index[static_cast<size_t>(d)] == shape.dim(d); --d)
        index[static_cast<size_t>(d)] = 0;
    }
    return absl::OkStatus();
  }

 private:
  UniformAttrs lhs_, rhs_, output_;
};

class UniformQuantizedClip final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, UniformAttrs::make(c, ""));
    if (attrs_.axis < -1) return invalid("quantization_axis must be >= -1, given: ", attrs_.axis);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &in = context.input(0), &low = context.input(1), &high = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(const UniformScales scales,
                            UniformScales::make(in.shape(), context.input(3), context.input(4), attrs_.axis));
    for (const auto& [t, name] : {std::pair(&low, "min"), std::pair(&high, "max")}) {
      if (t->shape() == context.input(3).shape()) continue;
      return invalid("Input ", name, " shape must be same as scales/zero_points. Given ", name, " of shape ",
                     t->shape().to_string(), " and scales/zero_points of shape ",
                     context.input(3).shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    const AxisIndex index(in.shape(), scales.axis());
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      const int64_t c = index.of(i);
      set_quantized(out, i,
                    std::min(std::max(quantized_at(in, i), quantized_at(low, c)), quantized_at(high, c)));
    }
    return absl::OkStatus();
  }

 private:
  UniformAttrs attrs_;
};

}  // namespace

void register_quantized_uniform(KernelRegistry* r) {
  const std::vector<DataType> types = {DataType::kQint8, DataType::kQuint8, DataType::kQint32};
  r->add(KernelDef("UniformQuantize").type<float>("Tin").types("Tout", types).kernel<UniformQuantize>());
  r->add(KernelDef("UniformDequantize").types("Tin", types).type<float>("Tout").kernel<UniformDequantize>());
  r->add(KernelDef("UniformRequantize")
             .types("Tin", {DataType::kQint8, DataType::kQint32})
             .types("Tout", {DataType::kQint8})
             .kernel<UniformRequantize>());
  r->add(KernelDef("UniformQuantizedAdd").types("T", {DataType::kQint32}).kernel<UniformQuantizedAdd>());
  r->add(KernelDef("UniformQuantizedClipByValue")
             .types("T", {DataType::kQint32})
             .kernel<UniformQuantizedClip>());
}

}  // namespace troupe
