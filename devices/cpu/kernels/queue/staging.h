#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "devices/cpu/kernels/queue/async_waiters.h"
#include "devices/kernel.h"

namespace troupe {

/// What Stage and MapStage share: bounds, and waiting for room or for values. Thread-safe.
class StagingBounds {
 public:
  /// 0: no bound. Bytes are those of the tensors.
  StagingBounds(int64_t capacity, int64_t memory_limit) : capacity_(capacity), memory_limit_(memory_limit) {}

  /// ResourceExhausted for tensors that could never fit.
  absl::Status check(int64_t bytes) const;
  bool has_room(int64_t elements, int64_t bytes_held, int64_t bytes) const;

 private:
  const int64_t capacity_;
  const int64_t memory_limit_;
};

int64_t staged_bytes(const std::vector<Tensor>& tensors);

/// A queue of tuples that producers and consumers of one session share: Stage and Unstage.
class StagingArea final : public Resource {
 public:
  static constexpr const char* kTypeName = "Buffer";
  using Tuple = std::vector<Tensor>;

  StagingArea(int64_t capacity, int64_t memory_limit)
      : bounds(capacity, memory_limit), waiters(std::make_shared<Waiters>(&mu, /*in_order=*/false)) {}
  std::string type_name() const override { return kTypeName; }

  const StagingBounds bounds;
  std::mutex mu;
  std::deque<Tuple> tuples;  // guarded by mu
  int64_t bytes = 0;         // guarded by mu
  const std::shared_ptr<Waiters> waiters;
};

/// Tuples by key that may come and go in parts: MapStage and MapUnstage, and their ordered siblings.
class StagingMap final : public Resource {
 public:
  static constexpr const char* kTypeName = "StagingMap";
  using Parts = std::vector<std::optional<Tensor>>;

  StagingMap(int64_t capacity, int64_t memory_limit)
      : bounds(capacity, memory_limit), waiters(std::make_shared<Waiters>(&mu, /*in_order=*/false)) {}
  std::string type_name() const override { return kTypeName; }

  const StagingBounds bounds;
  std::mutex mu;
  // Guarded by mu. Complete tuples lose parts when these are taken. A key may be in both: what is put in parts waits
  // beside what is complete.
  std::map<int64_t, Parts> complete;
  std::map<int64_t, Parts> incomplete;
  int64_t bytes = 0;
  const std::shared_ptr<Waiters> waiters;
};

/// Of the parts that are there.
int64_t staged_bytes(const StagingMap::Parts& parts);

}  // namespace troupe
