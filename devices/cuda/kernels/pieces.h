#pragma once

#include <vector>

#include "devices/cuda/kernels/piece.h"
#include "devices/kernel.h"

namespace troupe {

/// Copies pieces that do not overlap, on the compute stream: a few by themselves, many in one kernel.
absl::Status enqueue_pieces(KernelContext& context, std::vector<Piece> pieces);

}  // namespace troupe
