#include "devices/cuda/kernels/stitch.h"

#include <utility>
#include <vector>

#include "devices/common/array/stitch_shape.h"
#include "devices/common/array_values.h"
#include "devices/cuda/kernels/host_kernel.h"
#include "devices/cuda/kernels/in_place.h"
#include "devices/cuda/kernels/pieces.h"

namespace troupe {
namespace {

absl::Status stitch(KernelContext& context) {
  const int n = context.num_inputs() / 2;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, stitched_shape(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  const int64_t bytes = count_dims(shape, 1, shape.rank()) * static_cast<int64_t>(dtype_size(out->dtype()));
  // Where each row comes from; zeros where nothing was stitched to, never memory of others. The last one to name a row gives it.
  std::vector<const char*> sources(static_cast<size_t>(shape.dim(0)), nullptr);
  for (int k = 0; k < n; ++k) {
    const char* from = static_cast<const char*>(context.input(n + k).raw());
    for (int32_t row : context.input(k).flat<int32_t>()) {
      sources[static_cast<size_t>(row)] = from;
      from += bytes;
    }
  }
  std::vector<Piece> pieces;
  auto* to = static_cast<char*>(out->raw());
  for (const char* from : sources) {
    // Neighbours move together.
    const bool follows =
        !pieces.empty() &&
        (from == nullptr ? pieces.back().from == nullptr
                         : pieces.back().from != nullptr &&
                               static_cast<const char*>(pieces.back().from) + pieces.back().bytes == from);
    if (follows) {
      pieces.back().bytes += bytes;
    } else {
      pieces.push_back({from, to, bytes});
    }
    to += bytes;
  }
  return enqueue_pieces(context, std::move(pieces));
}

}  // namespace

void register_cuda_stitch_kernels(KernelRegistry* registry) {
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    registry->add(
        KernelDef(op).device("GPU").types("T", gpu_variable_types()).host_memory({"indices"}).fn(stitch));
    add_host_kernel(registry, KernelDef(op)
                                  .device("GPU")
                                  .types("T", {DataType::kInt32})
                                  .host_memory({"indices", "data", "merged"}));
  }
}

}  // namespace troupe
