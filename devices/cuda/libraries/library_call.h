#pragma once

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "devices/cuda/stream.h"

namespace troupe {

/// What decides, beside the problem, how a library computes it.
struct LibraryOptions {
  /// Only what gives the same bits in every run.
  bool deterministic = false;
  /// Products of floats may round their factors to TF32's 10 bits of fraction.
  bool tensor_float_32 = true;

  /// What the process asks for, read once: TF_DETERMINISTIC_OPS and TF_CUDNN_DETERMINISTIC (1 or true), and NVIDIA_TF32_OVERRIDE
  /// (0: no TF32), on as in TensorFlow.
  static const LibraryOptions& of_process();

  friend bool operator==(const LibraryOptions&, const LibraryOptions&) = default;
  template <class H>
  friend H AbslHashValue(H h, const LibraryOptions& o) {
    return H::combine(std::move(h), o.deterministic, o.tensor_float_32);
  }
};

/// Where a library's work goes, and where it has memory for it.
struct LibraryCall {
  Stream& stream;
  /// Memory of the device that is the library's until the work that this call enqueues is done. Asked at most once for the work that is
  /// done in the end; each time replaces the last.
  absl::FunctionRef<absl::StatusOr<void*>(size_t bytes)> workspace;
  LibraryOptions options = LibraryOptions::of_process();
};

}  // namespace troupe
