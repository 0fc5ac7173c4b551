#include "devices/cuda/driver.h"

#include <dlfcn.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

absl::StatusOr<cuda::Driver> load_and_start() {
  TROUPE_ASSIGN_OR_RETURN(const cuda::Driver driver, load_driver("libcuda.so.1"));
  TROUPE_RETURN_IF_ERROR(start_driver(driver));
  return driver;
}

absl::StatusCode code_of(cuda::CUresult result) {
  if (result == cuda::CUDA_ERROR_OUT_OF_MEMORY) return absl::StatusCode::kResourceExhausted;
  if (result == cuda::CUDA_ERROR_NOT_FOUND) return absl::StatusCode::kNotFound;
  return means_lost_device(result) ? absl::StatusCode::kUnavailable : absl::StatusCode::kInternal;
}

}  // namespace

absl::StatusOr<const cuda::Driver*> machine_driver() {
  // Never destroyed: buffers that other statics hold call it to the end.
  static const auto* loaded = new absl::StatusOr<cuda::Driver>(load_and_start());
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

absl::StatusOr<cuda::Driver> load_driver(const char* library) {
  // The driver starts threads: it is never unloaded.
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::UnavailableError(absl::StrCat("no driver: ", loader_error()));
  cuda::Driver driver;
  const char* missing = nullptr;
#define TROUPE_CUDA_DRIVER_LOAD(name, symbol, parameters)                       \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(handle, symbol)); \
  if (driver.name == nullptr) missing = symbol;
  TROUPE_CUDA_DRIVER_CALLS(TROUPE_CUDA_DRIVER_LOAD)
#undef TROUPE_CUDA_DRIVER_LOAD
  if (missing == nullptr) return driver;
  dlclose(handle);
  return absl::UnavailableError(absl::StrCat("no driver: ", library, " has no ", missing, ": it is too old"));
}

absl::Status start_driver(const cuda::Driver& driver) {
  const cuda::CUresult result = driver.cuInit(0);
  if (result == cuda::CUDA_SUCCESS) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("no driver: ", driver_status(driver, result, "cuInit").message()));
}

std::string error_name(const cuda::Driver& driver, cuda::CUresult result) {
  const char* name = nullptr;
  if (driver.cuGetErrorName(result, &name) == cuda::CUDA_SUCCESS && name != nullptr) return name;
  return absl::StrCat("error ", static_cast<int>(result));
}

absl::Status driver_status(const cuda::Driver& driver, cuda::CUresult result, absl::string_view call) {
  if (result == cuda::CUDA_SUCCESS) return absl::OkStatus();
  std::string text = absl::StrCat(call, ": ", error_name(driver, result));
  const char* meaning = nullptr;
  if (driver.cuGetErrorString(result, &meaning) == cuda::CUDA_SUCCESS && meaning != nullptr)
    absl::StrAppend(&text, ": ", meaning);
  return absl::Status(code_of(result), text);
}

bool means_lost_device(cuda::CUresult result) {
  switch (result) {
    case cuda::CUDA_ERROR_DEVICE_UNAVAILABLE:
    case cuda::CUDA_ERROR_ECC_UNCORRECTABLE:
    case cuda::CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case cuda::CUDA_ERROR_CONTAINED:
    case cuda::CUDA_ERROR_ILLEGAL_ADDRESS:
    case cuda::CUDA_ERROR_LAUNCH_TIMEOUT:
    case cuda::CUDA_ERROR_ASSERT:
    case cuda::CUDA_ERROR_HARDWARE_STACK_ERROR:
    case cuda::CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case cuda::CUDA_ERROR_MISALIGNED_ADDRESS:
    case cuda::CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case cuda::CUDA_ERROR_INVALID_PC:
    case cuda::CUDA_ERROR_LAUNCH_FAILED:
    case cuda::CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case cuda::CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case cuda::CUDA_ERROR_EXTERNAL_DEVICE:
    case cuda::CUDA_ERROR_DEINITIALIZED: return true;
    default: return false;
  }
}

}  // namespace troupe
