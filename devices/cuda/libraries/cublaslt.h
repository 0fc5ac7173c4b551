#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/libraries/cublaslt_abi.h"
#include "devices/cuda/libraries/product_library.h"

namespace troupe {

/// The functions of the first of these libraries that is there. Unavailable "cuBLASLt: ..." with what the loader said.
absl::StatusOr<cublaslt::Calls> load_cublaslt(const std::vector<std::string>& names);

/// Products by cuBLASLt on `gpu`, which has been started and outlives it. Which algorithm computes a product is asked of the library's
/// heuristics once for each problem, alignment and options, and remembered.
absl::StatusOr<std::unique_ptr<ProductLibrary>> make_cublaslt(Gpu& gpu, const cublaslt::Calls& calls);

}  // namespace troupe
