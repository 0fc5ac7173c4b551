#pragma once

#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/step/kernel_task.h"

namespace troupe {

/// The kernels that a DEVICE has for the threads of one pool. Those of a higher priority go first. Among equals sessions take turns, one
/// kernel each, so that none waits behind all that another has; within a session who comes first is served first. Thread-safe.
class KernelQueue {
 public:
  struct Entry {
    KernelTask* task = nullptr;
    /// The step that it belongs to; keeps it alive.
    std::shared_ptr<void> step;
  };

  void push(const void* session, std::span<KernelTask* const> tasks, const std::shared_ptr<void>& step,
            int64_t priority = 0);
  /// The next; none when all that was pushed has been taken.
  std::optional<Entry> pop();
  /// The next if it is this step's; else none.
  std::optional<Entry> pop_of(const void* step);
  /// Takes back what waits of a step whose token is tripped. A later step of the same slot may have queued kernels meanwhile: those stay.
  std::vector<Entry> take_back(const void* step);
  size_t size() const;

 private:
  /// By priority and session.
  using Key = std::pair<int64_t, const void*>;
  struct Line {
    Key key;
    std::deque<Entry> entries;
  };
  using Lines = std::list<Line>;
  /// Behind the last line of this priority or a higher one. With mu_ held.
  Lines::iterator behind(int64_t priority);
  /// The first of the first line, of which there is one. With mu_ held.
  Entry take_first();

  mutable std::mutex mu_;
  // Guarded by mu_. The highest priority comes first, and of each the line whose turn it is; none is empty.
  Lines lines_;
  absl::flat_hash_map<Key, Lines::iterator> line_of_;
  size_t size_ = 0;
};

}  // namespace troupe
