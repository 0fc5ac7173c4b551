#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "devices/gpu_options.h"

namespace troupe {

/// A part of a GPU that a session asks for.
struct GpuPart {
  /// Which of the machine's.
  int gpu = 0;
  /// Which part of it.
  int part = 0;
  /// 0: not split, by the session's fraction.
  int64_t limit_bytes = 0;
  int priority = 0;

  friend bool operator==(const GpuPart&, const GpuPart&) = default;
};

/// Of a machine with `num_gpus`, what options ask for, in the order of the devices' numbers. `count`: at most so many GPUs, all if nothing.
/// Errors as MachineGpus::parts.
absl::StatusOr<std::vector<GpuPart>> choose_gpus(const GpuOptions& options, std::optional<int> count,
                                                 int num_gpus);

/// Of a GPU with so much memory, what a session may have: its fraction, or nearly all that is free.
absl::StatusOr<int64_t> memory_share(const GpuOptions& options, int64_t total_bytes, int64_t free_bytes,
                                     int compute_major);

}  // namespace troupe
