// Ops that move blocks of space into the depth or the batch, and back.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/common_shapes.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status space_and_depth(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto format, c.attr<std::string>("data_format"));
  TROUPE_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  const bool to_depth = c.op().name == "SpaceToDepth";
  const int rank = format == "NCHW_VECT_C" ? 5 : 4;
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), rank));
  const int height = format == "NHWC" ? 1 : 2;
  const int depth = format == "NHWC" ? 3 : 1;
  int64_t area;
  if (block < 1 || multiply_overflows(block, block, &area)) return invalid("block_size is out of range");
  Dims dims = in.dims();
  auto scale = [&](int i, int64_t by, bool up) -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(dims[i], up ? multiply_dims(dims[i], by) : divide_dim(dims[i], by, true));
    return absl::OkStatus();
  };
  TROUPE_RETURN_IF_ERROR(scale(height, block, !to_depth));
  TROUPE_RETURN_IF_ERROR(scale(height + 1, block, !to_depth));
  TROUPE_RETURN_IF_ERROR(scale(depth, area, to_depth));
  if (rank == 5) dims[4] = 4;
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

/// SpaceToBatch and BatchToSpace: `block_shape` of n blocks, `edges` the [n, 2] paddings or crops.
absl::Status blocks(ShapeContext& c, PartialShape block_shape, std::optional<std::vector<int64_t>> block,
                    int edges_input) {
  const bool to_batch = absl::string_view(c.op().name).substr(0, 5) == "Space";
  if (!block_shape.known_rank() || block_shape.rank() != 1) return invalid("block_shape must have rank 1.");
  const int64_t n = block_shape.dim(0);
  if (n < 0) return invalid("block_shape must have known size.");
  if (n >= Shape::kMaxRank) return invalid("block_shape is too long");
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, n + 1));
  TROUPE_RETURN_IF_ERROR(merge(c.input(edges_input), PartialShape({n, 2})).status());
  if (block && static_cast<int64_t>(block->size()) != n) block.reset();
  const auto edges = c.all_ints(edges_input);

  Dims dims(static_cast<size_t>(n) + 1, kUnknownDim);
  int64_t batch = dim_of(in, 0);
  if (block) {
    for (int64_t b : *block) {
      if (b < 1) return invalid("block_shape must be positive");
      TROUPE_ASSIGN_OR_RETURN(batch, to_batch ? multiply_dims(batch, b) : divide_dim(batch, b, true));
    }
  } else if (n > 0) {
    batch = kUnknownDim;
  }
  dims[0] = batch;
  for (int i = 0; edges && i < n; ++i) {
    const int64_t low = (*edges)[2 * i], high = (*edges)[2 * i + 1];
    if (low < 0 || high < 0)
      return invalid(to_batch ? "paddings cannot be negative" : "crops cannot be negative");
    if (!block) continue;
    int64_t dim = dim_of(in, i + 1);
    if (to_batch) {
      TROUPE_ASSIGN_OR_RETURN(dim, add_dims(dim, low));
      TROUPE_ASSIGN_OR_RETURN(dim, add_dims(dim, high));
      TROUPE_ASSIGN_OR_RETURN(dims[i + 1], divide_dim(dim, (*block)[i], true));
    } else {
      TROUPE_ASSIGN_OR_RETURN(dim, multiply_dims(dim, (*block)[i]));
      TROUPE_ASSIGN_OR_RETURN(dim, subtract_dims(dim, low));
      TROUPE_ASSIGN_OR_RETURN(dims[i + 1], subtract_dims(dim, high));
    }
  }
  c.set_output(0, concatenate(PartialShape(std::move(dims)), subshape(in, static_cast<int>(n) + 1)));
  return absl::OkStatus();
}

absl::Status blocks_nd(ShapeContext& c) { return blocks(c, c.input(1), c.all_ints(1), 2); }

absl::Status blocks_2d(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 4).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  return blocks(c, PartialShape({2}), std::vector<int64_t>{block, block}, 1);
}

constexpr ShapeRow kRows[] = {
    {"SpaceToDepth", space_and_depth}, {"DepthToSpace", space_and_depth}, {"SpaceToBatchND", blocks_nd},
    {"BatchToSpaceND", blocks_nd},     {"SpaceToBatch", blocks_2d},       {"BatchToSpace", blocks_2d},
};

}  // namespace

absl::Status register_blocks_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
