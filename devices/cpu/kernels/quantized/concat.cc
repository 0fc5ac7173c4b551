// Concatenation of quantised tensors, each with a range of its own.
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/quantized/math.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// TensorFlow's conversions in single precision, whose rounding the wide dtypes show.
template <class Q>
class RangeChange {
 public:
  RangeChange(QuantRange from, QuantRange to)
      : same_(from.low == to.low && from.high == to.high), from_(from), to_(to) {
    const auto steps = static_cast<float>(quant_highest<Q>() - quant_lowest<Q>() + 1);
    const double adjust = static_cast<double>(steps) / (static_cast<double>(steps) - 1);
    from_scale_ = static_cast<float>((static_cast<double>(from.high) - static_cast<double>(from.low)) *
                                     adjust / static_cast<double>(steps));
    from_zero_ = from.low == from.high ? from.low : std::round(from.low / from_scale_) * from_scale_;
    to_scale_ =
        to.low == to.high
            ? 0.0f
            : static_cast<float>(static_cast<double>(steps) /
                                 ((static_cast<double>(to.high) - static_cast<double>(to.low)) * adjust));
    to_zero_ = std::round(to.low * to_scale_);
  }

  Q operator()(Q q) const {
    if (same_) return q;
    const float real =
        from_.low == from_.high
            ? from_.low
            : from_zero_ +
                  (static_cast<float>(q.value) - static_cast<float>(quant_lowest<Q>())) * from_scale_;
    if (to_.low == to_.high) return Q{};
    const float level = std::round(real * to_scale_) - (to_zero_ - static_cast<float>(quant_lowest<Q>()));
    return saturate<Q>(static_cast<double>(level));
  }

 private:
  bool same_;
  QuantRange from_, to_;
  float from_scale_, from_zero_, to_scale_, to_zero_;
};

/// Where the values and their ranges begin in the inputs of the two ops.
struct ConcatInputs {
  int count = 0, values = 0, axis = 0, lows = 0;
  bool v2 = false;

  static ConcatInputs of(const KernelContext& context) {
    ConcatInputs in;
    in.v2 = context.node().op->name == "QuantizedConcatV2";
    in.count = (context.num_inputs() - 1) / 3;
    in.values = in.v2 ? 0 : 1;
    in.axis = in.v2 ? in.count : 0;
    in.lows = in.count + 1;
    return in;
  }
};

absl::StatusOr<std::vector<QuantRange>> read_ranges(KernelContext& context, const ConcatInputs& in) {
  std::vector<QuantRange> ranges(static_cast<size_t>(in.count));
  for (int i = 0; i < in.count; ++i) {
    for (const auto& [input, name, value] :
         {std::tuple(in.lows + i, "input_mins", &ranges[static_cast<size_t>(i)].low),
          std::tuple(in.lows + in.count + i, "input_maxes", &ranges[static_cast<size_t>(i)].high)}) {
      const Tensor& t = context.input(input);
      if (t.num_elements() != 1) {
        return invalid(name, " each tensor's num elements must be 1, given num elements ", t.num_elements(),
                       " in index ", i);
      }
      *value = t.flat<float>()[0];
    }
  }
  return ranges;
}

/// Signed dtypes get a symmetric range; quint8 one that reaches down to 0, and that begins there in the second op.
QuantRange joint_range(const std::vector<QuantRange>& ranges, bool is_signed, bool v2) {
  QuantRange all = ranges[0];
  for (const QuantRange& r : ranges) {
    all.low = std::min(all.low, r.low);
    all.high = std::max(all.high, r.high);
  }
  if (is_signed) {
    const float largest = std::max(std::abs(all.low), std::abs(all.high));
    return {-largest, largest};
  }
  return {v2 ? 0.0f : std::min(0.0f, all.low), all.high};
}

absl::StatusOr<int> read_axis(KernelContext& context, const ConcatInputs& in) {
  const Tensor& axis = context.input(in.axis);
  if (axis.num_elements() != 1 || axis.rank() > 1) {
    return invalid("Concat dim tensor should be a scalar integer, but got shape ", axis.shape().to_string());
  }
  const int64_t given = int_at(axis, 0);
  const int rank = context.input(in.values).rank();
  const int64_t at = in.v2 && given < 0 ? given + rank : given;
  if (at < 0 || at >= rank) {
    return invalid("ConcatOp : Expected concatenating dimensions in the range [", in.v2 ? -rank : 0, ", ",
                   rank, "), but got ", given);
  }
  return static_cast<int>(at);
}

absl::StatusOr<Shape> joint_shape(KernelContext& context, const ConcatInputs& in, int axis) {
  const Tensor& first = context.input(in.values);
  int64_t total = 0;
  for (int i = 0; i < in.count; ++i) {
    const Tensor& t = context.input(in.values + i);
    if (t.rank() != first.rank()) {
      return invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                     first.shape().to_string(), " vs. shape[", i, "] = ", t.shape().to_string());
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d == axis || t.dim(d) == first.dim(d)) continue;
      return invalid("ConcatOp : Dimensions of inputs should match: shape[0] = ", first.shape().to_string(),
                     " vs. shape[", i, "] = ", t.shape().to_string());
    }
    if (__builtin_add_overflow(total, t.dim(axis), &total))
      return invalid("ConcatOp : the output would be too large");
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < first.rank(); ++d) dims.push_back(d == axis ? total : first.dim(d));
  return Shape::make(dims);
}

template <class Q>
absl::Status quantized_concat(KernelContext& context) {
  const ConcatInputs in = ConcatInputs::of(context);
  TROUPE_ASSIGN_OR_RETURN(const int axis, read_axis(context, in));
  TROUPE_ASSIGN_OR_RETURN(const auto ranges, read_ranges(context, in));
  TROUPE_ASSIGN_OR_RETURN(const Shape shape, joint_shape(context, in, axis));
  const QuantRange joint = joint_range(ranges, quant_lowest<Q>() < 0, in.v2);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() > 0) {
    const int64_t outer = count_dims(shape, 0, axis), row = count_dims(shape, axis, shape.rank());
    Q* to = out->flat<Q>().data();
    for (int i = 0; i < in.count; ++i) {
      const Tensor& t = context.input(in.values + i);
      const int64_t part = t.num_elements() / outer;
      const RangeChange<Q> change(ranges[static_cast<size_t>(i)], joint);
      const Q* from = t.flat<Q>().data();
      for (int64_t o = 0; o < outer; ++o, from += part)
        std::transform(from, from + part, to + o * row, change);
      to += part;
    }
  }
  TROUPE_RETURN_IF_ERROR(set_scalar(context, 1, joint.low));
  return set_scalar(context, 2, joint.high);
}

}  // namespace

void register_quantized_concat(KernelRegistry* r) {
  r->add(KernelDef("QuantizedConcat").type<QUInt8>("T").fn(quantized_concat<QUInt8>));
  r->add(KernelDef("QuantizedConcat").type<QInt32>("T").fn(quantized_concat<QInt32>));
  r->add(KernelDef("QuantizedConcatV2").type<QUInt8>("T").fn(quantized_concat<QUInt8>));
  r->add(KernelDef("QuantizedConcatV2").type<QInt8>("T").fn(quantized_concat<QInt8>));
}

}  // namespace troupe
