#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Bytes that may still be taken before the system must end a process: free and reclaimable memory and swap, and no more than the control group of this
/// process has left. INT64_MAX where the system does not say. Reads files of the kernel, which takes some ten microseconds. Thread-safe.
int64_t available_memory();

/// The same of a machine whose /proc and /sys/fs/cgroup are in these folders.
int64_t available_memory(const std::string& proc, const std::string& cgroups);

}  // namespace troupe
