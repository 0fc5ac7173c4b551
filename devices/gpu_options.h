#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// What a session wants of GPUs: the fields of ConfigProto.gpu_options that have a meaning here, as plain data. Judged where GPUs are
/// made, with TensorFlow's texts.
struct GpuOptions {
  /// How one GPU is split into several: entry i of the list is about the i-th visible GPU.
  struct VirtualDevices {
    /// MiB, one a device; empty: one device with all of the memory.
    std::vector<float> memory_limit_mb;
    /// Of their streams, lower runs first; empty, or one for each device.
    std::vector<int> priority;
    friend bool operator==(const VirtualDevices&, const VirtualDevices&) = default;
  };

  /// Of a GPU's memory, 0 to 1; 0: nearly all that is free.
  double per_process_gpu_memory_fraction = 0;
  /// Memory is taken when it is needed, instead of at the start.
  bool allow_growth = false;
  /// "1,0": GPU:0 is the driver's number 1; "": all, in the driver's order.
  std::string visible_device_list;
  std::vector<VirtualDevices> virtual_devices;

  friend bool operator==(const GpuOptions&, const GpuOptions&) = default;
};

}  // namespace troupe
