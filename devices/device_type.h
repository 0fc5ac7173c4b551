#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/device.h"
#include "devices/gpu_options.h"

namespace troupe {

/// For whom devices are made.
struct DeviceRequest {
  /// The front of their names: "/job:localhost/replica:0/task:0".
  std::string task;
  /// SessionOptions::device_count for the type; nothing: it does not say.
  std::optional<int> count;
  /// The runtime's host memory, and the session's intra-op threads. Both outlive the devices.
  Allocator* host_memory = nullptr;
  ParallelRunner* loops = nullptr;
  GpuOptions gpu;
};

/// A type of devices that an application brings (RuntimeOptions): every session of its runtime has some, beside the CPUs. Kernels are
/// registered for it by name (KernelDef::device); placement knows it as any other type. Its tensors are in memory that CPUs can read and
/// write, too: values cross without a copy. `make` may make others (devices/enqueuing_device.h).
struct DeviceType {
  /// "NPU": its devices are ".../device:NPU:0" and on. Letters, digits and '_', a letter first; not "CPU".
  std::string name;
  /// Devices that a session has unless SessionOptions::device_count says how many.
  int count = 1;
  /// Of devices of several types that could run a node the placer takes the type with the higher priority; CPUs have 60.
  int priority = 70;
  /// Where its tensors live; null: the runtime's host memory. Must outlive the runtime.
  Allocator* memory = nullptr;
  /// Splits the loops of its kernels; null: the session's intra-op threads. Must outlive the runtime.
  ParallelRunner* loops = nullptr;
  /// @name What it says of itself
  int64_t memory_limit_bytes = 0;
  std::string physical_description = {};
  /// Makes a session's devices of this type, of which then only name and priority above are looked at: as many as there are, named in
  /// order. An error is that of opening the session. Called from any thread.
  std::function<absl::StatusOr<std::vector<std::shared_ptr<Device>>>(const DeviceRequest&)> make = nullptr;
};

}  // namespace troupe
