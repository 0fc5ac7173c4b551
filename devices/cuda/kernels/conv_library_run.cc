// Convolutions by cuDNN. It takes filters with the output channels first, and the same padding on both sides; channels last are fast, or
// there at all, only where tensor cores do the work.
#include "devices/cuda/kernels/conv_run.h"
#include "devices/cuda/kernels/strided_copy.h"
#include "devices/cuda/kernels/workspace.h"

namespace troupe {
namespace {

int64_t volume(const std::array<int64_t, 3>& extents) { return extents[0] * extents[1] * extents[2]; }

/// A problem as the library is told it, and how images come to it.
struct Arrangement {
  LibraryConv conv;
  /// Pixels before and behind the image that are zeros in a copy of it, where the padding of its two sides differs.
  std::array<int64_t, 3> extra_before = {0, 0, 0};
  bool padded = false;
  /// Images are channels last, the library's are not.
  bool turned = false;
};

/// Splits the padding of dimension i into what the library adds by itself and what a copy of the image has.
void split_padding(const ConvProblem& p, size_t i, Arrangement* a) {
  const int64_t before = p.pad_before[i], after = p.pad_after[i];
  const int64_t reach = (p.kernel[i] - 1) * p.dilation[i] + 1;
  LibraryConv& conv = a->conv;
  // `after` is what windows reach: as much as before may be there for nothing.
  if (before >= after && (p.in[i] + 2 * before - reach) / p.stride[i] + 1 == p.out[i]) {
    conv.padding[i] = before;
    return;
  }
  conv.padding[i] = std::min(before, after);
  a->extra_before[i] = before - conv.padding[i];
  conv.in[i] = p.in[i] + before + after - 2 * conv.padding[i];
  a->padded = true;
}

Arrangement arrange(ConvPass pass, const ConvProblem& p, DataType dtype, bool channels_last) {
  Arrangement a;
  LibraryConv& conv = a.conv;
  conv.pass = pass;
  conv.dtype = dtype;
  conv.channels_last = channels_last;
  conv.spatial_rank = static_cast<int>(p.spatial_rank);
  conv.batch = p.batch;
  conv.in_channels = p.in_channels;
  conv.out_channels = p.out_channels;
  conv.groups = p.groups;
  conv.in = p.in;
  conv.out = p.out;
  conv.kernel = p.kernel;
  conv.stride = p.stride;
  conv.dilation = p.dilation;
  for (size_t i = 0; i < static_cast<size_t>(p.spatial_rank); ++i) split_padding(p, i, &a);
  a.turned = p.channels_last != 0 && !channels_last;
  return a;
}

/// Whether tensor cores take numbers of this dtype.
bool has_tensor_cores(const GpuAttributes& gpu, DataType dtype, const LibraryOptions& options) {
  switch (dtype) {
    case DataType::kHalf: return gpu.compute_major >= 7;
    case DataType::kBfloat16: return gpu.compute_major >= 8;
    case DataType::kFloat: return gpu.compute_major >= 8 && options.tensor_float_32;
    default: return false;
  }
}

class LibraryRun {
 public:
  LibraryRun(KernelContext& context, const ConvProblem& problem, const Arrangement& arrangement)
      : context_(context), p_(problem), a_(arrangement), dtype_(arrangement.conv.dtype) {}

  absl::Status run(ConvLibrary& library, const Tensor& first, const Tensor& second, Tensor* result) {
    KernelLibraryCall call(context_);
    const ConvPass pass = a_.conv.pass;
    Tensor x, w, y;
    if (pass == ConvPass::kBackwardInput) {
      TROUPE_ASSIGN_OR_RETURN(w, filter_in(first));
    } else {
      TROUPE_ASSIGN_OR_RETURN(x, image_in(first));
    }
    if (pass == ConvPass::kForward) {
      TROUPE_ASSIGN_OR_RETURN(w, filter_in(second));
    } else {
      TROUPE_ASSIGN_OR_RETURN(y, turned_in(second, volume(p_.out), p_.out_channels));
    }
    Tensor& written = pass == ConvPass::kForward ? y : pass == ConvPass::kBackwardInput ? x : w;
    const bool straight = pass == ConvPass::kForward         ? !a_.turned
                          : pass == ConvPass::kBackwardInput ? !a_.turned && !a_.padded
                                                             : false;
    if (straight) {
      written = *result;
    } else {
      const int64_t count = pass == ConvPass::kForward ? p_.batch * p_.out_image()
                            : pass == ConvPass::kBackwardInput
                                ? p_.batch * volume(a_.conv.in) * p_.in_channels
                                : p_.filter_size();
      TROUPE_ASSIGN_OR_RETURN(written, temp(count));
    }
    TROUPE_RETURN_IF_ERROR(library.convolve(a_.conv, x.raw(), w.raw(), y.raw(), call.call()));
    if (straight) return absl::OkStatus();
    switch (pass) {
      case ConvPass::kForward: return turn_out(y, volume(p_.out), p_.out_channels, result);
      case ConvPass::kBackwardInput: return image_out(x, result);
      default: return filter(w, result, false);
    }
  }

 private:
  absl::StatusOr<Tensor> temp(int64_t count) const { return context_.allocate_temp(dtype_, Shape{count}); }

  /// A filter in the library's order.
  absl::StatusOr<Tensor> filter_in(const Tensor& from) {
    TROUPE_ASSIGN_OR_RETURN(Tensor to, temp(p_.filter_size()));
    TROUPE_RETURN_IF_ERROR(filter(from, &to, true));
    return to;
  }

  /// From [taps, in, out] to the library's [out, in, taps] or [out, taps, in]; or back.
  absl::Status filter(const Tensor& from, Tensor* to, bool to_library) const {
    const int64_t taps = volume(p_.kernel), in = p_.in_channels / p_.groups, out = p_.out_channels;
    const bool in_last = a_.conv.channels_last;
    // Strides of taps, in and out on the two sides.
    const std::array<int64_t, 3> ours = {in * out, out, 1};
    const std::array<int64_t, 3> theirs = {in_last ? in : 1, in_last ? 1 : taps, in * taps};
    StridedCopy copy;
    if (to_library) {
      copy.add(out, ours[2], theirs[2]);
      for (const size_t i : {in_last ? size_t{0} : size_t{1}, in_last ? size_t{1} : size_t{0}})
        copy.add(i == 0 ? taps : in, ours[i], theirs[i]);
    } else {
      copy.add(taps, theirs[0], ours[0]);
      copy.add(in, theirs[1], ours[1]);
      copy.add(out, theirs[2], ours[2]);
    }
    return copy.enqueue(context_, dtype_, from.raw(), to->raw());
  }

  /// Channels-last images as the library takes them.
  absl::StatusOr<Tensor> turned_in(const Tensor& from, int64_t pixels, int64_t channels) {
    if (!a_.turned) return from;
    TROUPE_ASSIGN_OR_RETURN(Tensor to, temp(p_.batch * pixels * channels));
    StridedCopy copy;
    copy.add(p_.batch, pixels * channels, pixels * channels);
    copy.add(channels, 1, pixels);
    copy.add(pixels, channels, 1);
    TROUPE_RETURN_IF_ERROR(copy.enqueue(context_, dtype_, from.raw(), to.raw()));
    return to;
  }

  absl::Status turn_out(const Tensor& from, int64_t pixels, int64_t channels, Tensor* to) {
    StridedCopy copy;
    copy.add(p_.batch, pixels * channels, pixels * channels);
    copy.add(pixels, 1, channels);
    copy.add(channels, pixels, 1);
    return copy.enqueue(context_, dtype_, from.raw(), to->raw());
  }

  absl::StatusOr<Tensor> image_in(const Tensor& from) {
    if (!a_.padded) return turned_in(from, volume(p_.in), p_.in_channels);
    TROUPE_ASSIGN_OR_RETURN(Tensor to, temp(p_.batch * volume(a_.conv.in) * p_.in_channels));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context_, &to));
    TROUPE_RETURN_IF_ERROR(copy_inner(from.raw(), element_at(to, inner_offset()), true));
    return to;
  }

  absl::Status image_out(const Tensor& from, Tensor* to) {
    if (!a_.padded) return turn_out(from, volume(p_.in), p_.in_channels, to);
    return copy_inner(element_at(from, inner_offset()), to->raw(), false);
  }

  /// Strides of images of these extents: batch, three dimensions, channels.
  std::array<int64_t, 5> strides(const std::array<int64_t, 3>& extents, bool channels_last) const {
    const int64_t pixel = channels_last ? p_.in_channels : 1;
    return {volume(extents) * p_.in_channels, extents[1] * extents[2] * pixel, extents[2] * pixel, pixel,
            channels_last ? 1 : volume(extents)};
  }

  /// Element of the library's image that is the first of ours.
  int64_t inner_offset() const {
    const std::array<int64_t, 5> at = strides(a_.conv.in, a_.conv.channels_last);
    return a_.extra_before[0] * at[1] + a_.extra_before[1] * at[2] + a_.extra_before[2] * at[3];
  }

  /// Between our images and the middle of the library's.
  absl::Status copy_inner(const void* from, void* to, bool to_library) const {
    const std::array<int64_t, 5> ours = strides(p_.in, p_.channels_last != 0),
                                 theirs = strides(a_.conv.in, a_.conv.channels_last);
    const std::array<int64_t, 5> sizes = {p_.batch, p_.in[0], p_.in[1], p_.in[2], p_.in_channels};
    const bool channels_last = to_library ? a_.conv.channels_last : p_.channels_last != 0;
    const std::array<size_t, 5> order =
        channels_last ? std::array<size_t, 5>{0, 1, 2, 3, 4} : std::array<size_t, 5>{0, 4, 1, 2, 3};
    StridedCopy copy;
    for (size_t i : order)
      copy.add(sizes[i], to_library ? ours[i] : theirs[i], to_library ? theirs[i] : ours[i]);
    return copy.enqueue(context_, dtype_, from, to);
  }

  KernelContext& context_;
  const ConvProblem& p_;
  const Arrangement& a_;
  const DataType dtype_;
};

}  // namespace

absl::Status enqueue_library_conv(KernelContext& context, ConvLibrary& library, ConvPass pass,
                                  const ConvProblem& problem, const Tensor& first, const Tensor& second,
                                  Tensor* result) {
  const DataType dtype = result->dtype();
  const LibraryOptions& options = LibraryOptions::of_process();
  const bool last = problem.channels_last != 0;
  const bool as_it_is = !last || has_tensor_cores(CudaDevice::of(context).gpu().attributes(), dtype, options);
  for (const bool channels_last : {last, false}) {
    if (channels_last == last && !as_it_is) continue;
    const Arrangement arrangement = arrange(pass, problem, dtype, channels_last);
    TROUPE_ASSIGN_OR_RETURN(const bool has, library.has(arrangement.conv, options));
    if (has) return LibraryRun(context, problem, arrangement).run(library, first, second, result);
    if (!last) break;
  }
  return absl::UnimplementedError("no such convolution in the library");
}

}  // namespace troupe
