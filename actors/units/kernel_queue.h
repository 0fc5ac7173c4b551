#pragma once

#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/step/kernel_task.h"

namespace troupe {

/// The kernels that a DEVICE has for the threads of one pool. Sessions take turns, one kernel each, so that none waits behind all that
/// another has; within a session who comes first is served first. Thread-safe.
class KernelQueue {
 public:
  struct Entry {
    KernelTask* task = nullptr;
    /// The step that it belongs to; keeps it alive.
    std::shared_ptr<void> step;
  };

  void push(const void* session, std::span<KernelTask* const> tasks, const std::shared_ptr<void>& step);
  /// The next; none when all that was pushed has been taken.
  std::optional<Entry> pop();
  /// Takes back what waits of a step whose token is tripped. A later step of the same slot may have queued kernels meanwhile: those stay.
  std::vector<Entry> take_back(const void* step);
  size_t size() const;

 private:
  struct Line {
    const void* session = nullptr;
    std::deque<Entry> entries;
  };

  mutable std::mutex mu_;
  // Guarded by mu_. The line whose turn it is comes first; none is empty.
  std::list<Line> lines_;
  absl::flat_hash_map<const void*, std::list<Line>::iterator> line_of_;
  size_t size_ = 0;
};

}  // namespace troupe
