#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "devices/common/conv/problem.h"
#include "devices/common/conv/window.h"
#include "devices/cpu/kernels/conv/padded.h"
#include "devices/cpu/kernels/shared/conv_loops.h"
#include "devices/cpu/kernels/shared/fused_ops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

enum class Pass { kForward, kBackwardInput, kBackwardFilter };

/// The same problem for code that loops over three spatial dimensions and knows channels-last only.
ConvProblem channels_last_3d(const ConvProblem& p) {
  ConvProblem q = p;
  q.channels_last = 1;
  if (p.spatial_rank == 3) return q;
  for (auto member : {&ConvProblem::in, &ConvProblem::out, &ConvProblem::kernel, &ConvProblem::stride,
                      &ConvProblem::dilation, &ConvProblem::pad_before, &ConvProblem::pad_after}) {
    const bool padding = member == &ConvProblem::pad_before || member == &ConvProblem::pad_after;
    q.*member = {padding ? 0 : 1, (p.*member)[0], (p.*member)[1]};
  }
  q.spatial_rank = 3;
  return q;
}

/// Runs one pass with plain loops, turning channels-first images round before and after.
template <class T>
void run_plain(Pass pass, const ConvProblem& p, ParallelRunner& runner, const T* first, const T* second,
               T* result) {
  const ConvProblem q = channels_last_3d(p);
  const PlainConv<T> conv(q);
  const int64_t in_count = p.batch * p.in_image(), out_count = p.batch * p.out_image();
  std::vector<T> store_a, store_b, store_r;
  const int64_t in_area = p.in_channels == 0 ? 0 : p.in_image() / p.in_channels;
  const int64_t out_area = p.out_image() / p.out_channels;
  if (!p.channels_last) {
    auto turn = [&](const T* from, int64_t count, int64_t channels, int64_t area, std::vector<T>* store) {
      store->resize(static_cast<size_t>(count));
      transpose_images(from, p.batch, channels, area, store->data());
      return static_cast<const T*>(store->data());
    };
    if (pass != Pass::kBackwardInput) first = turn(first, in_count, p.in_channels, in_area, &store_a);
    if (pass != Pass::kForward) second = turn(second, out_count, p.out_channels, out_area, &store_b);
  }
  if (pass == Pass::kBackwardFilter) return conv.backward_filter(first, second, result);
  const bool forward = pass == Pass::kForward;
  T* to = result;
  if (!p.channels_last) {
    store_r.resize(static_cast<size_t>(forward ? out_count : in_count));
    to = store_r.data();
  }
  if (forward) {
    conv.forward(runner, first, second, to);
    if (!p.channels_last) transpose_images<T>(to, p.batch, out_area, p.out_channels, result);
  } else {
    if (std::is_same_v<T, Eigen::bfloat16> && p.groups > 1) {
      conv.depthwise_backward_input_rounded(first, second, to);
    } else {
      conv.backward_input(runner, first, second, to);
    }
    if (!p.channels_last) transpose_images<T>(to, p.batch, in_area, p.in_channels, result);
  }
}

/// One pass of a problem without empty images: oneDNN for floats where it is good, plain loops for the rest.
/// Operands: forward (input, filter); backward input (filter, out_backprop); backward filter (input, out_backprop).
template <class T>
absl::Status run_pass(Pass pass, const ConvProblem& p, ParallelRunner& runner, const T* first,
                      const T* second, T* result, onednn::PackedFilter* packed = nullptr) {
  if constexpr (std::is_same_v<T, float>) {
    {
      absl::Status status;
      switch (pass) {
        case Pass::kForward:
          status = onednn::conv_forward(p, runner, first, second, nullptr, result, packed);
          break;
        case Pass::kBackwardInput:
          status = onednn::conv_backward_input(p, runner, first, second, result);
          break;
        case Pass::kBackwardFilter:
          status = onednn::conv_backward_filter(p, runner, first, second, result);
          break;
      }
      if (!absl::IsUnimplemented(status)) return status;
    }
  }
  (void)packed;
  run_plain<T>(pass, p, runner, first, second, result);
  return absl::OkStatus();
}

bool has_empty_image(const ConvProblem& p) {
  return p.batch * p.in_image() == 0 || p.batch * p.out_image() == 0;
}

/// run_pass over tensors of any dtype of the family. half and bfloat16 are computed in float, but for gradients under explicit
/// padding (those of images: bfloat16, without groups or depthwise): there TensorFlow rounds every sum to 16 bits, and
/// answers are meant to be the same.
template <class T>
absl::Status run_tensors(Pass pass, const ConvProblem& p, Padding padding, ParallelRunner& runner,
                         const Tensor& first, const Tensor& second, Tensor* result,
                         onednn::PackedFilter* packed = nullptr) {
  if (result->num_elements() == 0) return absl::OkStatus();
  std::span<T> to = result->flat<T>();
  if (has_empty_image(p)) {
    std::fill(to.begin(), to.end(), T(0));
    return absl::OkStatus();
  }
  if constexpr (std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>) {
    const bool rounds_images = std::is_same_v<T, Eigen::bfloat16> && pass == Pass::kBackwardInput &&
                               (p.groups == 1 || p.groups == p.in_channels);
    if (padding == Padding::kExplicit && (pass == Pass::kBackwardFilter || rounds_images)) {
      run_plain<T>(pass, p, runner, first.flat<T>().data(), second.flat<T>().data(), to.data());
      return absl::OkStatus();
    }
    std::vector<float> a = to_floats(first), b = to_floats(second), wide(to.size());
    TROUPE_RETURN_IF_ERROR(run_pass<float>(pass, p, runner, a.data(), b.data(), wide.data()));
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(wide[i]);
    return absl::OkStatus();
  } else {
    return run_pass<T>(pass, p, runner, first.flat<T>().data(), second.flat<T>().data(), to.data(), packed);
  }
}

template <class T, int kSpatial, bool kDepthwise>
class ConvForwardKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, kSpatial));
    if ((c.node().constant_inputs >> 1 & 1) != 0) packed_ = std::make_unique<onednn::PackedFilter>();
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& filter = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(ConvProblem p, make_problem(attrs_, kDepthwise, input.shape(), filter.shape()));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.layout.shape(p.batch, p.out.data(), p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return run_tensors<T>(Pass::kForward, p, attrs_.padding, context.parallel(), input, filter, out,
                          packed_.get());
  }

 private:
  WindowAttrs attrs_;
  /// Set when the filter is a constant.
  std::unique_ptr<onednn::PackedFilter> packed_;
};

template <class T>
absl::StatusOr<Tensor> forward(KernelContext& context, const WindowAttrs& attrs, const Tensor& input,
                               const Tensor& filter) {
  TROUPE_ASSIGN_OR_RETURN(ConvProblem p, make_problem(attrs, false, input.shape(), filter.shape()));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs.layout.shape(p.batch, p.out.data(), p.out_channels));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(filter.dtype(), shape, context.allocator()));
  TROUPE_RETURN_IF_ERROR(
      run_tensors<T>(Pass::kForward, p, attrs.padding, context.parallel(), input, filter, &out));
  return out;
}

/// The dilations that TensorFlow's CPU kernels refuse to differentiate.
absl::Status check_dilated_backprop(const WindowAttrs& a) {
  if (a.padding != Padding::kExplicit) return absl::OkStatus();
  for (int64_t d : a.dilations) {
    if (d > 1) {
      return absl::InvalidArgumentError(
          "Current CPU implementations do not yet support dilation rates larger than 1.");
    }
  }
  return absl::OkStatus();
}

template <class T, int kSpatial, bool kDepthwise, bool kSizesAreTensor, bool kForInput>
class ConvBackwardKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, kSpatial));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& out_backprop = context.input(2);
    if (!kDepthwise && kSpatial == 2) TROUPE_RETURN_IF_ERROR(check_dilated_backprop(attrs_));
    Shape input, filter;
    if constexpr (kForInput) {
      filter = context.input(1).shape();
      TROUPE_ASSIGN_OR_RETURN(input, told_shape(context.input(0), kSizesAreTensor, attrs_.layout,
                                                context.input(1), out_backprop, true));
    } else {
      input = context.input(0).shape();
      TROUPE_ASSIGN_OR_RETURN(filter, told_shape(context.input(1), kSizesAreTensor, attrs_.layout,
                                                 context.input(1), out_backprop, false));
    }
    const int rank = attrs_.layout.rank();
    if (filter.num_elements() == 0 && filter.rank() == rank && input.rank() == rank &&
        out_backprop.rank() == rank) {
      // Nothing comes of an empty filter, and goes into one: no error, unlike forwards.
      TROUPE_ASSIGN_OR_RETURN(Tensor * zero, context.allocate_output(0, kForInput ? input : filter));
      std::ranges::fill(zero->flat<T>(), T(0));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(ConvProblem p, make_problem(attrs_, kDepthwise, input, filter));
    TROUPE_RETURN_IF_ERROR(check_out_backprop(attrs_, p, out_backprop.shape(), context.node().op->name));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, kForInput ? input : filter));
    return run_tensors<T>(kForInput ? Pass::kBackwardInput : Pass::kBackwardFilter, p, attrs_.padding,
                          context.parallel(), context.input(kForInput ? 1 : 0), out_backprop, out);
  }

 private:
  WindowAttrs attrs_;
};

/// _FusedConv2D and its like: convolution in float, channels last, then bias or normalisation and activation.
template <class T, int kSpatial, bool kDepthwise>
class FusedConvKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, WindowAttrs::make(c, kSpatial));
    TROUPE_ASSIGN_OR_RETURN(fused_, FusedOps::make(c));
    if ((c.node().constant_inputs >> 1 & 1) != 0) packed_ = std::make_unique<onednn::PackedFilter>();
    if (c.node().attrs.get_or<std::string>("filter_format", "HWIO") != "HWIO") {
      return absl::UnimplementedError("Fused convolutions take filters in HWIO format only");
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& filter = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(ConvProblem p, make_problem(attrs_, kDepthwise, input.shape(), filter.shape()));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.layout.shape(p.batch, p.out.data(), p.out_channels));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    const bool direct = std::is_same_v<T, float> && p.channels_last;
    if (out->num_elements() == 0) return direct ? fused_.finish(context, 2, out) : absl::OkStatus();
    const int64_t rows = out->num_elements() / p.out_channels;
    std::vector<float> wide;
    float* result;
    if (direct) {
      result = static_cast<float*>(out->raw());
    } else {
      wide.resize(static_cast<size_t>(out->num_elements()));
      result = wide.data();
    }
    if (has_empty_image(p)) {
      std::fill_n(result, out->num_elements(), 0.0f);
    } else if (direct) {
      TROUPE_RETURN_IF_ERROR(run_pass<float>(Pass::kForward, p, context.parallel(),
                                             input.flat<float>().data(), filter.flat<float>().data(), result,
                                             packed_.get()));
    } else {
      TROUPE_RETURN_IF_ERROR(run_pass<float>(Pass::kForward, p, context.parallel(), to_floats(input).data(),
                                             to_floats(filter).data(), result));
    }
    if (direct) return fused_.finish(context, 2, out);
    TROUPE_ASSIGN_OR_RETURN(std::vector<FusedOps::Arg> args, fused_.args(context, 2));
    if (p.channels_last) {
      TROUPE_RETURN_IF_ERROR(fused_.apply(context.parallel(), args, rows, p.out_channels, result));
    } else {
      TROUPE_RETURN_IF_ERROR(finish_channels_first(context.parallel(), p, rows, &args, &wide));
    }
    std::span<T> to = out->flat<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(wide[i]);
    return absl::OkStatus();
  }

 private:
  /// The steps want channels last: the result, and what is added to it, are turned round for them.
  absl::Status finish_channels_first(ParallelRunner& runner, const ConvProblem& p, int64_t rows,
                                     std::vector<FusedOps::Arg>* args, std::vector<float>* result) const {
    const int64_t area = rows / p.batch;
    std::vector<float> turned(result->size());
    if (fused_.adds() && args->back().shape.num_elements() == rows * p.out_channels) {
      transpose_images(args->back().data, p.batch, p.out_channels, area, turned.data());
      args->back().hold(turned);
    }
    transpose_images(result->data(), p.batch, p.out_channels, area, turned.data());
    TROUPE_RETURN_IF_ERROR(fused_.apply(runner, *args, rows, p.out_channels, turned.data()));
    transpose_images(turned.data(), p.batch, area, p.out_channels, result->data());
    return absl::OkStatus();
  }

  WindowAttrs attrs_;
  FusedOps fused_;
  std::unique_ptr<onednn::PackedFilter> packed_;
};

template <class T>
KernelDef def(const char* op) {
  return KernelDef(op).type<T>("T");
}

template <class T>
void register_floating(KernelRegistry* r) {
  r->add(def<T>("Conv2D").template kernel<ConvForwardKernel<T, 2, false>>());
  r->add(def<T>("Conv2DBackpropInput").template kernel<ConvBackwardKernel<T, 2, false, false, true>>());
  r->add(def<T>("Conv2DBackpropFilter").template kernel<ConvBackwardKernel<T, 2, false, false, false>>());
  r->add(def<T>("Conv2DBackpropInputV2").template kernel<ConvBackwardKernel<T, 2, false, true, true>>());
  r->add(def<T>("Conv2DBackpropFilterV2").template kernel<ConvBackwardKernel<T, 2, false, true, false>>());
  r->add(def<T>("Conv3D").template kernel<ConvForwardKernel<T, 3, false>>());
  r->add(def<T>("Conv3DBackpropInputV2").template kernel<ConvBackwardKernel<T, 3, false, false, true>>());
  r->add(def<T>("Conv3DBackpropFilterV2").template kernel<ConvBackwardKernel<T, 3, false, false, false>>());
  r->add(def<T>("DepthwiseConv2dNative").template kernel<ConvForwardKernel<T, 2, true>>());
  r->add(def<T>("DepthwiseConv2dNativeBackpropInput")
             .template kernel<ConvBackwardKernel<T, 2, true, false, true>>());
  r->add(def<T>("DepthwiseConv2dNativeBackpropFilter")
             .template kernel<ConvBackwardKernel<T, 2, true, false, false>>());
  if constexpr (!std::is_same_v<T, Eigen::bfloat16>) {
    r->add(def<T>("Conv3DBackpropInput").template kernel<ConvBackwardKernel<T, 3, false, true, true>>());
    r->add(def<T>("Conv3DBackpropFilter").template kernel<ConvBackwardKernel<T, 3, false, true, false>>());
  }
  r->add(def<T>("_FusedConv2D").template kernel<FusedConvKernel<T, 2, false>>());
  if constexpr (!std::is_same_v<T, double>) {
    r->add(def<T>("_FusedConv3D").template kernel<FusedConvKernel<T, 3, false>>());
    r->add(def<T>("_FusedDepthwiseConv2dNative").template kernel<FusedConvKernel<T, 2, true>>());
  }
}

}  // namespace

absl::StatusOr<Tensor> convolve(KernelContext& context, const WindowAttrs& attrs, const Tensor& input,
                                const Tensor& filter) {
  switch (input.dtype()) {
    case DataType::kFloat: return forward<float>(context, attrs, input, filter);
    case DataType::kDouble: return forward<double>(context, attrs, input, filter);
    case DataType::kHalf: return forward<Eigen::half>(context, attrs, input, filter);
    case DataType::kBfloat16: return forward<Eigen::bfloat16>(context, attrs, input, filter);
    case DataType::kInt32: return forward<int32_t>(context, attrs, input, filter);
    default: return absl::UnimplementedError(absl::StrCat("convolution of ", dtype_name(input.dtype())));
  }
}

void register_conv_spatial(KernelRegistry* r) {
  register_floating<float>(r);
  register_floating<double>(r);
  register_floating<Eigen::half>(r);
  register_floating<Eigen::bfloat16>(r);
  r->add(def<int32_t>("Conv2D").kernel<ConvForwardKernel<int32_t, 2, false>>());
  r->add(def<int32_t>("Conv2DBackpropInput").kernel<ConvBackwardKernel<int32_t, 2, false, false, true>>());
}

}  // namespace troupe
