#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "graph/tensor/allocator.h"

namespace troupe {

/// A Device may be one of these, too (dynamic_cast): its kernels enqueue their work and return, and its memory is its own, which CPUs do not
/// read. What a kernel frees, those after it may have at once, as the work is done in the order in which it was enqueued. A step that has
/// enqueued work there is not over before that is done. Thread-safe.
class EnqueuingDevice {
 public:
  virtual ~EnqueuingDevice() = default;
  /// Calls `done` once: when all that was enqueued so far is done, or the device is lost. At once, on this thread, where there is nothing to wait
  /// for; else on a thread that must not be held up. The error is the device's.
  virtual void when_done(std::function<void(absl::Status)> done) = 0;
  /// The device's memory, for who may want to know about it when the device is gone.
  virtual std::shared_ptr<const Allocator> share_memory() const = 0;
  /// The device's error, once it is lost: whatever is begun there fails.
  virtual absl::Status health() const = 0;
};

}  // namespace troupe
