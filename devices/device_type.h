#pragma once

#include <cstdint>
#include <string>

#include "devices/device.h"

namespace troupe {

/// A type of devices that an application brings (RuntimeOptions): every session of its runtime has some, beside the CPUs. Kernels are
/// registered for it by name (KernelDef::device); placement knows it as any other type. Its tensors are in memory that CPUs can read and
/// write, too: values cross without a copy.
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
};

}  // namespace troupe
