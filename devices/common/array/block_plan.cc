#include "devices/common/array/block_plan.h"

#include <algorithm>
#include <string>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// Block dimensions that neither pad nor cut are left to the batch or the rest; more than this many others are refused.
constexpr int kMaxBlockDims = 4;

absl::Status check_blocks(const Tensor& input, const Tensor& blocks, const Tensor& edges,
                          const char* edges_name) {
  if (!is_vector(blocks)) return invalid("block_shape rank should be 1 instead of ", blocks.rank());
  int64_t n = blocks.dim(0);
  if (n >= Shape::kMaxRank || input.rank() < 1 + n) {
    return invalid("input rank should be >= ", 1 + n, " instead of ", input.rank());
  }
  if (edges.rank() != 2 || edges.dim(0) != n || edges.dim(1) != 2) {
    return invalid(edges_name, " should have shape [", n, ", 2] instead of ", edges.shape().to_string());
  }
  return absl::OkStatus();
}

/// How many block dimensions are left when those of block 1 without padding at both ends are set aside.
int combined_blocks(const Indices& blocks, const Indices& edges) {
  int begin = 0, end = static_cast<int>(blocks.size());
  auto idle = [&](int i) { return blocks[i] == 1 && edges[2 * i] == 0 && edges[2 * i + 1] == 0; };
  while (begin < end && idle(begin)) ++begin;
  while (end > begin && idle(end - 1)) --end;
  return end - begin;
}

absl::StatusOr<BlockPlan> space_to_batch(const Tensor& input, Indices blocks, Indices paddings) {
  int n = static_cast<int>(blocks.size());
  int64_t product = 1;
  for (int i = 0; i < n; ++i) {
    if (blocks[i] < 1)
      return invalid("All values in block_shape must be positive, got value, ", blocks[i], " at index ", i,
                     ".");
    if (multiply_overflows(product, blocks[i], &product))
      return invalid("Product of block sizes must fit in 63 bits");
  }
  if (combined_blocks(blocks, paddings) > kMaxBlockDims) {
    return invalid("Maximum number of non-combined block dimensions is ", combined_blocks(blocks, paddings),
                   " but must not exceed ", kMaxBlockDims);
  }
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  if (multiply_overflows(dims[0], product, &dims[0])) return invalid("The output batch must fit in 63 bits");
  for (int i = 0; i < n; ++i) {
    int64_t padded = 0;
    if (paddings[2 * i] < 0 || paddings[2 * i + 1] < 0) return invalid("Paddings must be non-negative");
    if (__builtin_add_overflow(dims[1 + i], paddings[2 * i], &padded) ||
        __builtin_add_overflow(padded, paddings[2 * i + 1], &padded)) {
      return invalid("padded_shape[", i, "] must fit in 63 bits");
    }
    if (padded % blocks[i] != 0) {
      return invalid("padded_shape[", i, "]=", padded, " is not divisible by block_shape[", i,
                     "]=", blocks[i]);
    }
    dims[1 + i] = padded / blocks[i];
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return BlockPlan{std::move(blocks), std::move(paddings), product, std::move(shape)};
}

absl::StatusOr<BlockPlan> batch_to_space(const Tensor& input, Indices blocks, Indices crops) {
  int n = static_cast<int>(blocks.size());
  int64_t product = 1;
  for (int i = 0; i < n; ++i) {
    if (blocks[i] < 1) return invalid("Product of block sizes must be positive, got ", blocks[i]);
    if (multiply_overflows(product, blocks[i], &product))
      return invalid("Product of block sizes must fit in 63 bits");
  }
  if (combined_blocks(blocks, crops) > kMaxBlockDims) {
    return invalid("Maximum number of non-combined block dimensions is ", combined_blocks(blocks, crops),
                   " but must not exceed ", kMaxBlockDims);
  }
  if (input.dim(0) % product != 0) {
    return invalid("Input batch dimension (", input.dim(0), ") is not divisible by product of block sizes (",
                   product, ")");
  }
  Indices dims(input.shape().dims().begin(), input.shape().dims().end());
  dims[0] /= product;
  for (int i = 0; i < n; ++i) {
    if (crops[2 * i] < 0 || crops[2 * i + 1] < 0) return invalid("Crops must be non-negative");
    if (multiply_overflows(dims[1 + i], blocks[i], &dims[1 + i]))
      return invalid("cropped_shape[", i, "] must fit in 63 bits");
    dims[1 + i] = dims[1 + i] - crops[2 * i];
    if (dims[1 + i] >= 0) dims[1 + i] -= crops[2 * i + 1];
    if (dims[1 + i] < 0) return invalid("cropped_shape[", i, "]=", dims[1 + i], " must be non-negative");
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return BlockPlan{std::move(blocks), std::move(crops), product, std::move(shape)};
}

absl::Status check_image(const KernelContext& context, const char* edges_name) {
  const Tensor& input = context.input(0);
  const Tensor& edges = context.input(1);
  if (input.rank() != 4) return invalid("Input rank should be: 4instead of: ", input.rank());
  if (edges.rank() != 2 || edges.dim(0) != 2 || edges.dim(1) != 2) {
    return invalid(edges_name, " should have shape [2, 2] instead of ", edges.shape().to_string());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BlockPlan> space_to_batch_nd_plan(const KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_blocks(context.input(0), context.input(1), context.input(2), "paddings"));
  return space_to_batch(context.input(0), ints_of(context.input(1)), ints_of(context.input(2)));
}

absl::StatusOr<BlockPlan> batch_to_space_nd_plan(const KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_blocks(context.input(0), context.input(1), context.input(2), "crops"));
  return batch_to_space(context.input(0), ints_of(context.input(1)), ints_of(context.input(2)));
}

absl::StatusOr<BlockPlan> space_to_batch_plan(const KernelContext& context, int64_t block) {
  TROUPE_RETURN_IF_ERROR(check_image(context, "paddings"));
  return space_to_batch(context.input(0), {block, block}, ints_of(context.input(1)));
}

absl::StatusOr<BlockPlan> batch_to_space_plan(const KernelContext& context, int64_t block) {
  TROUPE_RETURN_IF_ERROR(check_image(context, "crops"));
  return batch_to_space(context.input(0), {block, block}, ints_of(context.input(1)));
}

absl::StatusOr<DepthBlockAttrs> DepthBlockAttrs::make(const KernelConstruction& c, bool to_depth) {
  // The largest whose square is an int32.
  constexpr int64_t kMaxDepthBlock = 46340;
  TROUPE_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  TROUPE_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("data_format"));
  if (!to_depth && (block <= 1 || block > kMaxDepthBlock)) {
    return invalid("Block size should be > 1 and <= ", kMaxDepthBlock, " but was: ", block);
  }
  if (block <= 1) return invalid("Block size should be > 1, but was: ", block);
  if (block > INT32_MAX) return invalid("Block size too large: ", block);
  if (format != "NHWC" && format != "NCHW") return invalid("Only NHWC and NCHW are supported, got ", format);
  return DepthBlockAttrs{block, format == "NHWC"};
}

absl::StatusOr<Shape> DepthBlockAttrs::shape(const Shape& input, bool to_depth) const {
  if (input.rank() != 4) {
    return to_depth ? invalid("Input rank should be 4 instead of ", input.rank())
                    : invalid("Input rank should be: 4 instead of: ", input.rank());
  }
  int h = channels_last ? 1 : 2, w = h + 1, c = channels_last ? 3 : 1;
  Indices dims(input.dims().begin(), input.dims().end());
  if (to_depth) {
    if (dims[h] % block != 0 || dims[w] % block != 0) {
      return invalid("Image width ", dims[w], " and height ", dims[h],
                     " should be divisible by block_size: ", block);
    }
    dims[h] /= block;
    dims[w] /= block;
    if (multiply_overflows(dims[c], block * block, &dims[c]))
      return invalid("The output depth must fit in 63 bits");
  } else {
    if (dims[c] % (block * block) != 0) {
      return invalid("Input depth dimension ", dims[c], " should be divisible by: ", block * block);
    }
    dims[c] /= block * block;
    if (multiply_overflows(dims[h], block, &dims[h]) || multiply_overflows(dims[w], block, &dims[w])) {
      return invalid("The output image must fit in 63 bits");
    }
  }
  return Shape::make({dims.data(), dims.size()});
}

std::array<DepthBlockAxis, 6> DepthBlockAttrs::axes(const Shape& wide_shape, const Shape& deep_shape,
                                                    bool to_depth) const {
  const int h = channels_last ? 1 : 2, w = h + 1, c = channels_last ? 3 : 1;
  const Indices wide = strides_of(wide_shape), deep = strides_of(deep_shape);
  const int64_t depth = wide_shape.dim(c);
  std::array<DepthBlockAxis, 6> axes = {{{wide_shape.dim(0), wide[0], deep[0]},
                                         {deep_shape.dim(h), wide[h] * block, deep[h]},
                                         {block, wide[h], deep[c] * depth * block},
                                         {deep_shape.dim(w), wide[w] * block, deep[w]},
                                         {block, wide[w], deep[c] * depth},
                                         {depth, wide[c], deep[c]}}};
  std::stable_sort(axes.begin(), axes.end(), [to_depth](const DepthBlockAxis& a, const DepthBlockAxis& b) {
    return to_depth ? a.deep > b.deep : a.wide > b.wide;
  });
  return axes;
}

}  // namespace troupe
