// Pad, PadV2, MirrorPad, MirrorPadGrad.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "devices/common/array/paddings.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

/// `paddings` around `inner` give `outer`, row-major both. Unimplemented for more axes than a kernel takes.
absl::StatusOr<PadAxes> pad_axes(const Shape& inner, const Shape& outer, const Indices& paddings) {
  if (outer.rank() > PadAxes::kMax) {
    return absl::UnimplementedError(
        absl::StrCat("GPUs pad up to ", PadAxes::kMax, " axes, not ", outer.rank()));
  }
  PadAxes axes = {};
  axes.rank = outer.rank();
  const Indices strides = strides_of(inner);
  for (int i = 0; i < outer.rank(); ++i) {
    axes.out[i] = outer.dim(i);
    axes.in[i] = inner.dim(i);
    axes.strides[i] = strides[i];
    axes.before[i] = paddings[2 * i];
  }
  return axes;
}

absl::Status pad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Padded padded, pad_shape(context));
  auto& [paddings, shape] = padded;
  Tensor input = context.input(0);
  if (shape == input.shape()) {
    context.set_output(0, std::move(input));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  const int64_t n = out->num_elements();
  if (n == 0) return absl::OkStatus();
  const size_t element = dtype_size(input.dtype());
  Element16 constant = {};
  if (context.num_inputs() > 2) std::memcpy(&constant, context.input(2).raw(), element);
  if (input.num_elements() == 0) return enqueue_fill(context, input.dtype(), &constant, out->raw(), n);
  melt_axes(&input, &paddings, &shape);
  TROUPE_ASSIGN_OR_RETURN(PadAxes axes, pad_axes(input.shape(), shape, paddings));
  return with_element(element, [&, &out = out]<class T>(T value) {
    std::memcpy(&value, &constant, sizeof(T));
    return enqueue(context, by_size("pad", element), n, axes, value, input.raw(), out->raw(), n);
  });
}

class MirrorKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(offset_, read_mirror_offset(c));
    return absl::OkStatus();
  }

 protected:
  /// 1 when the border itself is not repeated.
  int64_t offset_ = 0;
};

class MirrorPad final : public MirrorKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Padded padded, mirror_pad_shape(context, offset_));
    auto& [paddings, shape] = padded;
    Tensor input = context.input(0);
    if (shape == input.shape()) {
      context.set_output(0, std::move(input));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    const int64_t n = out->num_elements();
    if (n == 0) return absl::OkStatus();
    if (shape.rank() > PadAxes::kMax) melt_axes_without_paddings(&input, &paddings, &shape);
    TROUPE_ASSIGN_OR_RETURN(PadAxes axes, pad_axes(input.shape(), shape, paddings));
    return enqueue(context, by_size("mirror_pad", dtype_size(input.dtype())), n, axes, offset_, input.raw(),
                   out->raw(), n);
  }

 private:
  /// Neighbours that both have none become one; melt_axes also melts one behind a padded axis into that, which a mirror would turn.
  static void melt_axes_without_paddings(Tensor* input, Indices* paddings, Shape* shape) {
    Shape in, out;
    Indices pads;
    bool last_plain = false;
    for (int i = 0; i < shape->rank(); ++i) {
      const bool plain = (*paddings)[2 * i] == 0 && (*paddings)[2 * i + 1] == 0;
      if (plain && last_plain) {
        in.set_dim(in.rank() - 1, in.dim(in.rank() - 1) * input->dim(i));
        out.set_dim(out.rank() - 1, out.dim(out.rank() - 1) * input->dim(i));
      } else {
        in.add_dim(input->dim(i));
        out.add_dim(shape->dim(i));
        pads.push_back((*paddings)[2 * i]);
        pads.push_back((*paddings)[2 * i + 1]);
      }
      last_plain = plain;
    }
    *input = input->reshaped(in);
    *shape = out;
    *paddings = pads;
  }
};

/// Folds the mirrored borders back one axis after the other, as the CPU does: sums of floats are the same.
class MirrorPadGrad final : public MirrorKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Padded padded, mirror_pad_grad_shape(context, offset_));
    const auto& [paddings, shape] = padded;
    const Tensor& input = context.input(0);
    if (shape == input.shape()) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(Tensor folded, context.allocate_temp(input.dtype(), input.shape()));
    TROUPE_RETURN_IF_ERROR(enqueue_copy(context, input.raw(), folded.raw(), input.bytes()));
    const std::string kernel = with_suffix("fold_mirrored", unsigned_of(input.dtype()));
    int64_t start = 0;
    StridedCopy middle;
    const Indices from = strides_of(input.shape()), to = strides_of(shape);
    for (int i = 0; i < input.rank(); ++i) {
      const int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
      middle.add(shape.dim(i), from[i], to[i]);
      start += before * from[i];
      if (before == 0 && after == 0) continue;
      const int64_t n = input.num_elements() / input.dim(i) * shape.dim(i);
      TROUPE_RETURN_IF_ERROR(
          enqueue(context, kernel, n, folded.raw(), before, shape.dim(i), after, from[i], offset_, n));
    }
    return middle.enqueue(context, input.dtype(), element_at(static_cast<const Tensor&>(folded), start),
                          out->raw());
  }

 private:
  /// Integers are added as unsigned ones, which wrap.
  static DataType unsigned_of(DataType dtype) {
    switch (dtype) {
      case DataType::kInt8: return DataType::kUint8;
      case DataType::kInt16: return DataType::kUint16;
      case DataType::kInt32: return DataType::kUint32;
      case DataType::kInt64: return DataType::kUint64;
      default: return dtype;
    }
  }
};

}  // namespace

void register_cuda_array_pad(KernelRegistry* registry) {
  registry->add(KernelDef("Pad").device("GPU").types("T", gpu_types()).host_memory({"paddings"}).fn(pad));
  registry->add(KernelDef("PadV2")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"paddings", "constant_values"})
                    .fn(pad));
  registry->add(KernelDef("MirrorPad")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"paddings"})
                    .kernel<MirrorPad>());
  std::vector<DataType> numbers = gpu_types();
  std::erase(numbers, DataType::kBool);
  registry->add(KernelDef("MirrorPadGrad")
                    .device("GPU")
                    .types("T", numbers)
                    .host_memory({"paddings"})
                    .kernel<MirrorPadGrad>());
  add_int32_on_host(registry, "Pad", {"input", "paddings", "output"});
  add_int32_on_host(registry, "PadV2", {"input", "paddings", "constant_values", "output"});
  add_int32_on_host(registry, "MirrorPad", {"input", "paddings", "output"});
  add_int32_on_host(registry, "MirrorPadGrad", {"input", "paddings", "output"});
}

}  // namespace troupe
