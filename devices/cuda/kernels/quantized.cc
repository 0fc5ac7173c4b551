#include "devices/cuda/kernels/quantized.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/quantized_args.h"

namespace troupe {
namespace {

/// A channel's elements are folded in parts of about this many, by at most so many blocks.
constexpr int64_t kPartElements = 4096;
constexpr int64_t kMaxParts = 256;

int64_t parts_of(int64_t elements) { return std::clamp<int64_t>(elements / kPartElements, 1, kMaxParts); }

/// Where the range comes from: attrs, two scalars (on the host, as an error tells of them), or a number for each channel.
enum class RangeFrom { kAttrs, kScalars, kChannels };

template <RangeFrom from, bool kGradient>
class FakeQuant final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const int64_t bits, c.attr<int64_t>("num_bits"));
    TROUPE_ASSIGN_OR_RETURN(const bool narrow, c.attr<bool>("narrow_range"));
    if (bits < 2 || bits > 16) return invalid("num_bits must be between 2 and 16, inclusive");
    args_.channels = 1;
    args_.quant_min = narrow ? 1 : 0;
    args_.quant_max = static_cast<float>((int64_t{1} << bits) - 1);
    if constexpr (from == RangeFrom::kAttrs) {
      TROUPE_ASSIGN_OR_RETURN(args_.low, c.attr<float>("min"));
      TROUPE_ASSIGN_OR_RETURN(args_.high, c.attr<float>("max"));
      if (!(args_.low < args_.high)) {
        return invalid("min has to be smaller than max, was: ", args_.low, " >= ", args_.high);
      }
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(kGradient ? 1 : 0);
    if (kGradient && !(x.shape() == context.input(0).shape()))
      return invalid("gradient and input must be the same size");
    FakeQuantArgs args = args_;
    if constexpr (from != RangeFrom::kAttrs) {
      TROUPE_RETURN_IF_ERROR(
          read_range(x, context.input(kGradient ? 2 : 1), context.input(kGradient ? 3 : 2), &args));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const int64_t n = x.num_elements();
    if constexpr (!kGradient) {
      return enqueue(context, "fake_quant_f32", n, args, x.raw(), out->raw(), n);
    } else {
      TROUPE_RETURN_IF_ERROR(
          enqueue(context, "fake_quant_grad_f32", n, args, context.input(0).raw(), x.raw(), out->raw(), n));
      return from == RangeFrom::kAttrs ? absl::OkStatus() : range_gradients(context, args);
    }
  }

 private:
  static absl::Status read_range(const Tensor& x, const Tensor& low, const Tensor& high,
                                 FakeQuantArgs* args) {
    if (from == RangeFrom::kChannels) {
      if (x.rank() < 1) return invalid("inputs must be at least rank 1");
      args->channels = x.dim(x.rank() - 1);
    }
    const int rank = from == RangeFrom::kChannels ? 1 : 0;
    if (low.rank() != rank || high.rank() != rank) {
      return invalid("`min` and `max` must be rank ", rank, " but are rank ", low.rank(), " and ",
                     high.rank());
    }
    if (low.num_elements() != args->channels || high.num_elements() != args->channels) {
      return invalid("min and max have incorrect size, expected ", args->channels, " was ",
                     low.num_elements(), " and ", high.num_elements());
    }
    if (from == RangeFrom::kChannels) {
      args->lows = static_cast<const float*>(low.raw());
      args->highs = static_cast<const float*>(high.raw());
      return absl::OkStatus();
    }
    args->low = low.value<float>();
    args->high = high.value<float>();
    return args->low <= args->high ? absl::OkStatus() : invalid("min has to be smaller than max");
  }

  /// Outputs 1 and 2: the sums of gradients below and above the range.
  static absl::Status range_gradients(KernelContext& context, const FakeQuantArgs& args) {
    const Tensor &grad = context.input(0), &x = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(Tensor * below, context.allocate_output(1, context.input(2).shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * above, context.allocate_output(2, context.input(3).shape()));
    if (args.channels == 0) return absl::OkStatus();
    const int64_t rows = x.num_elements() / args.channels, parts = parts_of(rows);
    TROUPE_ASSIGN_OR_RETURN(Tensor sums,
                            context.allocate_temp(DataType::kDouble, Shape{args.channels, parts, 2}));
    TROUPE_RETURN_IF_ERROR(enqueue_blocks(context, "fake_quant_range_sums_f32", args.channels * parts, args,
                                          grad.raw(), x.raw(), sums.raw(), rows, parts));
    return enqueue(context, "add_range_sums_f32", args.channels, sums.raw(), below->raw(), above->raw(),
                   parts, args.channels);
  }

  FakeQuantArgs args_ = {};
};

/// QuantizeAndDequantizeV2 to V4. A given range is on the host, as an error tells of it.
template <class T, int kVersion>
class RoundTrip final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& a = c.node().attrs;
    signed_ = a.get_or<bool>("signed_input", true);
    range_given_ = a.get_or<bool>("range_given", false);
    narrow_ = a.get_or<bool>("narrow_range", false);
    axis_ = a.get_or<int64_t>("axis", -1);
    bits_ = a.get_or<int64_t>("num_bits", 8);
    half_up_ = a.get_or<std::string>("round_mode", "HALF_TO_EVEN") == "HALF_UP";
    TROUPE_RETURN_IF_ERROR(check_bits(bits_));
    return axis_ < -1 ? invalid("Axis must be at least -1. Found ", axis_) : absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    if (axis_ >= x.rank()) {
      return invalid("Axis requested is larger than input dimensions. Axis: ", axis_,
                     " Input Dimensions: ", x.rank());
    }
    int64_t bits = bits_;
    if constexpr (kVersion == 3) {
      if (context.input(3).num_elements() != 1) return invalid("Invalid shape: num_bits must be a scalar");
      bits = int_at(context.input(3), 0);
      TROUPE_RETURN_IF_ERROR(check_bits(bits));
    }
    const int axis = static_cast<int>(axis_);
    RoundTripArgs args = {};
    args.channels = axis < 0 ? 1 : x.dim(axis);
    args.inner = axis < 0 ? x.num_elements() : count_dims(x.shape(), axis + 1, x.rank());
    args.quant_min = signed_ ? -(int64_t{1} << (bits - 1)) + (narrow_ ? 1 : 0) : 0;
    args.quant_max = signed_ ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
    args.clamps = range_given_;
    args.half_up = half_up_;
    Tensor ranges;  // on the GPU: all lower ends, then all upper ones
    TROUPE_RETURN_IF_ERROR(range_given_ ? copy_ranges(context, args.channels, &ranges) : absl::OkStatus());
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, x.shape()));
    const int64_t n = x.num_elements();
    if (n == 0) return absl::OkStatus();
    if (!range_given_) TROUPE_RETURN_IF_ERROR(measure(context, args, &ranges));
    const T* lows = static_cast<const T*>(ranges.raw());
    return enqueue(context, with_suffix("round_trip", x.dtype()), n, args, x.raw(), lows,
                   lows + args.channels, out->raw(), n);
  }

 private:
  absl::Status check_bits(int64_t bits) const {
    if (bits > 0 && bits < (signed_ ? 62 : 63)) return absl::OkStatus();
    return invalid("num_bits is out of range: ", bits, " with signed_input_ ", signed_);
  }

  absl::Status copy_ranges(KernelContext& context, int64_t channels, Tensor* ranges) const {
    for (int i : {1, 2}) {
      const Tensor& t = context.input(i);
      if (t.num_elements() != channels) {
        return invalid("Shape must be rank ", axis_ < 0 ? 0 : 1, " with ", channels, " elements for input_",
                       i == 1 ? "min" : "max", ", got ", t.shape().to_string());
      }
    }
    const auto lows = context.input(1).flat<T>(), highs = context.input(2).flat<T>();
    for (size_t c = 0; c < lows.size(); ++c) {
      if (lows[c] > highs[c]) return invalid("Invalid range: input_min ", lows[c], " > input_max ", highs[c]);
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor both, Tensor::make(dtype_of<T>(), Shape{2, channels},
                                                      CudaDevice::of(context).host_allocator()));
    std::copy(lows.begin(), lows.end(), both.flat<T>().begin());
    std::copy(highs.begin(), highs.end(), both.flat<T>().begin() + channels);
    TROUPE_ASSIGN_OR_RETURN(*ranges, CudaDevice::of(context).copies().to_device(both, context.allocator()));
    return absl::OkStatus();
  }

  static absl::Status measure(KernelContext& context, const RoundTripArgs& args, Tensor* ranges) {
    const Tensor& x = context.input(0);
    const int64_t blocks = x.num_elements() / (args.channels * args.inner),
                  parts = parts_of(blocks * args.inner);
    TROUPE_ASSIGN_OR_RETURN(*ranges, context.allocate_temp(x.dtype(), Shape{2, args.channels}));
    TROUPE_ASSIGN_OR_RETURN(Tensor ends, context.allocate_temp(x.dtype(), Shape{args.channels, parts, 2}));
    TROUPE_RETURN_IF_ERROR(enqueue_blocks(context, with_suffix("measure_ranges", x.dtype()),
                                          args.channels * parts, x.raw(), ends.raw(), args.channels,
                                          args.inner, blocks, parts));
    T* lows = static_cast<T*>(ranges->raw());
    return enqueue(context, with_suffix("join_ranges", x.dtype()), args.channels, ends.raw(), lows,
                   lows + args.channels, parts, args.channels);
  }

  bool signed_ = true, range_given_ = false, narrow_ = false, half_up_ = false;
  int64_t axis_ = -1, bits_ = 8;
};

/// QuantizeAndDequantizeV4Grad: passes what lay inside the range.
absl::Status round_trip_grad(KernelContext& context) {
  const Tensor &grad = context.input(0), &x = context.input(1), &low = context.input(2),
               &high = context.input(3);
  if (!(grad.shape() == x.shape())) return invalid("gradient and input must be the same size");
  const auto axis = context.node().attrs.get_or<int64_t>("axis", -1);
  if (axis < -1 || axis >= x.rank()) {
    return invalid("Axis requested is larger than input dimensions. Axis: ", axis,
                   " Input Dimensions: ", x.rank());
  }
  const int64_t channels = axis < 0 ? 1 : x.dim(static_cast<int>(axis));
  const int64_t inner =
      axis < 0 ? x.num_elements() : count_dims(x.shape(), static_cast<int>(axis) + 1, x.rank());
  if (low.num_elements() != channels || high.num_elements() != channels) {
    return invalid("input_min and input_max must have ", channels, " elements");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
  for (int i : {1, 2}) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * zero, context.allocate_output(i, context.input(i + 1).shape()));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, zero));
  }
  const int64_t n = x.num_elements();
  return enqueue(context, with_suffix("round_trip_grad", x.dtype()), n, grad.raw(), x.raw(), low.raw(),
                 high.raw(), out->raw(), inner, channels, n);
}

template <class T>
void add_round_trips(KernelRegistry* registry) {
  auto def = [](const char* op, std::vector<std::string> host) {
    return KernelDef(op).device("GPU").types("T", {dtype_of<T>()}).host_memory(std::move(host));
  };
  registry->add(
      def("QuantizeAndDequantizeV2", {"input_min", "input_max"}).template kernel<RoundTrip<T, 2>>());
  registry->add(def("QuantizeAndDequantizeV3", {"input_min", "input_max", "num_bits"})
                    .template kernel<RoundTrip<T, 3>>());
  registry->add(
      def("QuantizeAndDequantizeV4", {"input_min", "input_max"}).template kernel<RoundTrip<T, 4>>());
  registry->add(def("QuantizeAndDequantizeV4Grad", {}).fn(round_trip_grad));
}

}  // namespace

void register_cuda_quantized_kernels(KernelRegistry* registry) {
  auto def = [](const char* op) { return KernelDef(op).device("GPU"); };
  const char* vars = "FakeQuantWithMinMaxVars";
  registry->add(def("FakeQuantWithMinMaxArgs").kernel<FakeQuant<RangeFrom::kAttrs, false>>());
  registry->add(def("FakeQuantWithMinMaxArgsGradient").kernel<FakeQuant<RangeFrom::kAttrs, true>>());
  registry->add(KernelDef(vars)
                    .device("GPU")
                    .host_memory({"min", "max"})
                    .kernel<FakeQuant<RangeFrom::kScalars, false>>());
  registry->add(KernelDef(absl::StrCat(vars, "Gradient"))
                    .device("GPU")
                    .host_memory({"min", "max"})
                    .kernel<FakeQuant<RangeFrom::kScalars, true>>());
  registry->add(def("FakeQuantWithMinMaxVarsPerChannel").kernel<FakeQuant<RangeFrom::kChannels, false>>());
  registry->add(
      def("FakeQuantWithMinMaxVarsPerChannelGradient").kernel<FakeQuant<RangeFrom::kChannels, true>>());
  add_round_trips<float>(registry);
  add_round_trips<double>(registry);
}

}  // namespace troupe
