#pragma once

#include <memory>
#include <string>

#include "devices/device.h"
#include "devices/incarnation.h"

namespace troupe {

/// Placement priority of CPUs among device types.
inline constexpr int kCpuPriority = 60;
/// What a CPU device reports as its memory; nominal, as TensorFlow's.
inline constexpr int64_t kCpuMemoryLimitBytes = 256 << 20;

/// CPU device number `index` of the task named by `prefix` ("/job:localhost/replica:0/task:0"), with a fresh
/// incarnation. `allocator` and `runner` must outlive it.
std::unique_ptr<Device> make_cpu_device(const std::string& prefix, int index, Allocator* allocator,
                                        ParallelRunner* runner);

}  // namespace troupe
