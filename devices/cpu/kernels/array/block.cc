// Blocks of space: SpaceToBatch, BatchToSpace, SpaceToDepth, DepthToSpace, ExtractImagePatches, ExtractVolumePatches.
#include <algorithm>
#include <type_traits>

#include "devices/common/array/block_kernels.h"
#include "devices/common/conv/window.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/box_copy.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// One block position after the other: each is a strided copy of the part of the image that lies in the padded one.
absl::Status space_to_batch_any(KernelContext& context, const BlockPlan& plan) {
  const Tensor& input = context.input(0);
  const Indices &blocks = plan.blocks, &paddings = plan.edges;
  const Shape& shape = plan.shape;
  const int n = static_cast<int>(blocks.size());
  const auto dims = shape.dims();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  bool padded = std::any_of(paddings.begin(), paddings.end(), [](int64_t p) { return p != 0; });
  if (padded || input.num_elements() == 0) {
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
  }
  if (input.num_elements() == 0) return absl::OkStatus();
  Indices from_strides = strides_of(input.shape()), to_strides = strides_of(shape);
  Indices at(n, 0);
  for (int64_t b = 0; b < plan.product; ++b) {
    int64_t from = 0, to = b * input.dim(0) * to_strides[0];
    Box box;
    box.add(input.dim(0), from_strides[0], to_strides[0]);
    for (int i = 0; i < n; ++i) {
      // Output position o of this block reads input position o * block + at - padding.
      int64_t shift = paddings[2 * i] - at[i];
      int64_t first = std::max<int64_t>(0, shift > 0 ? (shift + blocks[i] - 1) / blocks[i] : 0);
      int64_t limit = input.dim(1 + i) + shift;
      int64_t last = limit <= 0 ? 0 : std::min(dims[1 + i], (limit + blocks[i] - 1) / blocks[i]);
      box.add(std::max<int64_t>(0, last - first), from_strides[1 + i] * blocks[i], to_strides[1 + i]);
      from += (first * blocks[i] - shift) * from_strides[1 + i];
      to += first * to_strides[1 + i];
    }
    for (int i = n + 1; i < input.rank(); ++i) box.add(input.dim(i), from_strides[i], to_strides[i]);
    if (box.elements() > 0)
      copy_box(context.parallel(), input.dtype(), box, element_at(input, from), element_at(*out, to));
    for (int i = n - 1; i >= 0 && ++at[i] == blocks[i]; --i) at[i] = 0;
  }
  return absl::OkStatus();
}

absl::Status batch_to_space_any(KernelContext& context, const BlockPlan& plan) {
  const Tensor& input = context.input(0);
  const Indices &blocks = plan.blocks, &crops = plan.edges;
  const Shape& shape = plan.shape;
  const int n = static_cast<int>(blocks.size());
  const auto dims = shape.dims();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  Indices from_strides = strides_of(input.shape()), to_strides = strides_of(shape);
  Indices at(n, 0);
  for (int64_t b = 0; b < plan.product; ++b) {
    int64_t from = b * dims[0] * from_strides[0], to = 0;
    Box box;
    box.add(dims[0], from_strides[0], to_strides[0]);
    for (int i = 0; i < n; ++i) {
      // Input position p of this block goes to p * block + at - crop.
      int64_t shift = crops[2 * i] - at[i];
      int64_t first = std::max<int64_t>(0, shift > 0 ? (shift + blocks[i] - 1) / blocks[i] : 0);
      int64_t limit = dims[1 + i] + shift;
      int64_t last = limit <= 0 ? 0 : std::min(input.dim(1 + i), (limit + blocks[i] - 1) / blocks[i]);
      box.add(std::max<int64_t>(0, last - first), from_strides[1 + i], to_strides[1 + i] * blocks[i]);
      to += (first * blocks[i] - shift) * to_strides[1 + i];
      from += first * from_strides[1 + i];
    }
    for (int i = n + 1; i < input.rank(); ++i) box.add(input.dim(i), from_strides[i], to_strides[i]);
    if (box.elements() > 0)
      copy_box(context.parallel(), input.dtype(), box, element_at(input, from), element_at(*out, to));
    for (int i = n - 1; i >= 0 && ++at[i] == blocks[i]; --i) at[i] = 0;
  }
  return absl::OkStatus();
}

absl::Status move_blocks(KernelContext& context, const BlockPlan& plan, bool to_batch) {
  return to_batch ? space_to_batch_any(context, plan) : batch_to_space_any(context, plan);
}

/// Patches of images or volumes side by side in the depth.
template <int kSpatial>
class ExtractPatches final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_RETURN_IF_ERROR(read(c, "ksizes", sizes_));
    TROUPE_RETURN_IF_ERROR(read(c, "strides", strides_));
    std::fill(std::begin(rates_), std::end(rates_), 1);
    if (kSpatial == 2) TROUPE_RETURN_IF_ERROR(read(c, "rates", rates_));
    TROUPE_ASSIGN_OR_RETURN(std::string padding, c.attr<std::string>("padding"));
    TROUPE_ASSIGN_OR_RETURN(padding_, parse_padding(padding));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    if (input.rank() != kSpatial + 2) {
      return invalid("input must be ", kSpatial + 2, "-dimensional", input.shape().to_string());
    }
    Window windows[kSpatial];
    int64_t patch = input.dim(kSpatial + 1);
    Indices dims = {input.dim(0)};
    for (int i = 0; i < kSpatial; ++i) {
      Window& w = windows[i];
      w.in = input.dim(i + 1);
      w.kernel = sizes_[i];
      w.stride = strides_[i];
      w.dilation = rates_[i];
      int64_t effective = (w.kernel - 1) * w.dilation + 1;
      if (padding_ == Padding::kValid && w.in < effective) {
        w.out = 0;  // Nothing fits: an empty result, not an error.
      } else {
        TROUPE_RETURN_IF_ERROR(size_window(padding_, &w));
      }
      dims.push_back(w.out);
      if (multiply_overflows(patch, w.kernel, &patch)) return invalid("The patches must fit in 63 bits");
    }
    dims.push_back(patch);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    Indices from_strides = strides_of(input.shape()), to_strides = strides_of(shape);
    int64_t depth = input.dim(kSpatial + 1);
    int64_t positions = patch / std::max<int64_t>(depth, 1);
    int64_t at[kSpatial] = {};
    for (int64_t p = 0; p < positions; ++p) {  // One position inside the patch after the other.
      int64_t from = 0, to = p * depth;
      Box box;
      box.add(input.dim(0), from_strides[0], to_strides[0]);
      for (int i = 0; i < kSpatial; ++i) {
        const Window& w = windows[i];
        int64_t shift = at[i] * w.dilation - w.before;  // output o reads o * stride + shift
        int64_t first = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
        int64_t limit = w.in - shift;
        int64_t last = limit <= 0 ? 0 : std::min(w.out, (limit + w.stride - 1) / w.stride);
        box.add(std::max<int64_t>(0, last - first), from_strides[i + 1] * w.stride, to_strides[i + 1]);
        from += (first * w.stride + shift) * from_strides[i + 1];
        to += first * to_strides[i + 1];
      }
      box.add(depth, 1, 1);
      if (box.elements() > 0)
        copy_box(context.parallel(), input.dtype(), box, element_at(input, from), element_at(*out, to));
      for (int i = kSpatial - 1; i >= 0 && ++at[i] == sizes_[i]; --i) at[i] = 0;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status read(const KernelConstruction& c, const char* name, int64_t (&out)[kSpatial]) {
    TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> v, c.attr<std::vector<int64_t>>(name));
    if (v.size() != kSpatial + 2)
      return invalid(name, " must have ", kSpatial + 2, " values, got ", v.size());
    if (v.front() != 1 || v.back() != 1)
      return absl::UnimplementedError(absl::StrCat("Only support ", name, " across space."));
    for (int i = 0; i < kSpatial; ++i) {
      if (v[i + 1] < 1 || v[i + 1] > INT32_MAX)
        return absl::OutOfRangeError(absl::StrCat(name, " is out of range."));
      out[i] = v[i + 1];
    }
    return absl::OkStatus();
  }

  int64_t sizes_[kSpatial];
  int64_t strides_[kSpatial];
  int64_t rates_[kSpatial];
  Padding padding_ = Padding::kValid;
};

}  // namespace

void register_array_block(KernelRegistry* registry) {
  registry->add(
      KernelDef("SpaceToBatch").types("T", real_number_types()).kernel<ImageBlocks<true, move_blocks>>());
  registry->add(
      KernelDef("BatchToSpace").types("T", real_number_types()).kernel<ImageBlocks<false, move_blocks>>());
  registry->add(
      KernelDef("SpaceToBatchND").types("T", real_number_types()).fn(move_blocks_nd<true, move_blocks>));
  registry->add(
      KernelDef("BatchToSpaceND").types("T", real_number_types()).fn(move_blocks_nd<false, move_blocks>));
  registry->add(KernelDef("SpaceToDepth")
                    .types("T", with(every_type(), {DataType::kQint8}))
                    .kernel<DepthBlocks<true, copy_axes>>());
  registry->add(KernelDef("DepthToSpace").types("T", every_type()).kernel<DepthBlocks<false, copy_axes>>());
  registry->add(KernelDef("ExtractImagePatches").types("T", number_types()).kernel<ExtractPatches<2>>());
  registry->add(
      KernelDef("ExtractVolumePatches").types("T", real_number_types()).kernel<ExtractPatches<3>>());
}

}  // namespace troupe
