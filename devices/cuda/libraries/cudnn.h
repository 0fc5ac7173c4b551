#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/libraries/conv_library.h"
#include "devices/cuda/libraries/cudnn_abi.h"

namespace troupe {

/// The functions of the first of these libraries that is there. Unavailable "cuDNN: ..." with what the loader said.
absl::StatusOr<cudnn::Calls> load_cudnn(const std::vector<std::string>& names);

/// Convolutions by cuDNN on `gpu`, which has been started and outlives it. Which algorithms compute a convolution is asked of the
/// library's heuristics once for each problem and options, and remembered.
absl::StatusOr<std::unique_ptr<ConvLibrary>> make_cudnn(Gpu& gpu, const cudnn::Calls& calls);

}  // namespace troupe
