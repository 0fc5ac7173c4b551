#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "devices/cuda/driver_abi.h"

namespace troupe {

/// The driver of this machine: libcuda.so.1, loaded and initialised by the first call and never unloaded. Unavailable "no driver: ..." with
/// what the loader said, or why the driver does not start. Thread-safe.
absl::StatusOr<const cuda::Driver*> machine_driver();

/// The driver in a library of this name; as machine_driver, but loaded anew.
absl::StatusOr<cuda::Driver> load_driver(const char* library);

/// Calls cuInit. Unavailable "no driver: cuInit: CUDA_ERROR_..."
absl::Status start_driver(const cuda::Driver& driver);

/// "CUDA_ERROR_OUT_OF_MEMORY", or the number where the driver does not know it.
std::string error_name(const cuda::Driver& driver, cuda::CUresult result);

/// What a call of the driver gave: OK, or "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory" as ResourceExhausted; Unavailable for errors
/// that mean that the device is lost, Internal for others.
absl::Status driver_status(const cuda::Driver& driver, cuda::CUresult result, absl::string_view call);

/// True for errors after which a context can do nothing any more: what ran wrote where it must not, or the hardware failed.
bool means_lost_device(cuda::CUresult result);

}  // namespace troupe
