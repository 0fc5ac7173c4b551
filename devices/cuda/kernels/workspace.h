#pragma once

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/libraries/libraries.h"

namespace troupe {

/// A call of a library for one run of a kernel: on the device's compute stream, with memory of the device's allocator. The memory is
/// given back with this object, for work behind the library's on the same stream.
class KernelLibraryCall {
 public:
  explicit KernelLibraryCall(KernelContext& context)
      : context_(context), call_{CudaDevice::of(context).compute(), allocate_} {}
  KernelLibraryCall(const KernelLibraryCall&) = delete;

  LibraryCall& call() { return call_; }

 private:
  /// What `allocate_` refers to outlives the call.
  struct Allocate {
    KernelLibraryCall* self;
    absl::StatusOr<void*> operator()(size_t bytes) const {
      self->memory_ = Tensor();
      TROUPE_ASSIGN_OR_RETURN(
          self->memory_, self->context_.allocate_temp(DataType::kUint8, Shape{static_cast<int64_t>(bytes)}));
      return self->memory_.raw();
    }
  };

  KernelContext& context_;
  Tensor memory_;
  Allocate allocate_{this};
  LibraryCall call_;
};

}  // namespace troupe
