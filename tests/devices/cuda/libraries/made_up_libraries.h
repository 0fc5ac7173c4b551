#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe::test {

/// What the made-up libraries do beside computing by loops: an account of what they were called for, and faults. A test finds them by the
/// symbols made_up_cublaslt and made_up_cudnn. Not thread-safe.
struct MadeUpLibrary {
  /// Waits for a stream: these libraries compute at once, and not on a GPU.
  void (*synchronize)(void* stream) = nullptr;

  /// @name Asked of the library
  /// No problem at all, or no images with channels last.
  bool has_nothing = false;
  bool has_no_channels_last = false;
  /// Calls that compute fail.
  bool fails = false;
  /// What its best algorithm wants.
  size_t workspace_bytes = 0;

  /// @name Seen
  int64_t heuristics = 0;
  int64_t computed = 0;
  /// Handles and descriptions that are there.
  int64_t objects = 0;
  /// Of the last call that computed.
  int algo = -1;
  bool had_workspace = false;
  uint32_t epilogue = 0;
  int compute_type = 0;
  bool channels_last = false;
  /// Of the last question to the heuristics.
  uint32_t alignment = 0;
  uint32_t reduction_mask = 0;
};

}  // namespace troupe::test

#define TROUPE_MADE_UP extern "C" __attribute__((visibility("default")))
