#pragma once

#include <caf/resumable.hpp>

#include <cstddef>
#include <vector>

namespace troupe {

/// Jobs in the order in which they are to go; either end takes more. Grows, and never gives memory back, so that the steady
/// state allocates nothing (a std::deque takes a block every 64 jobs). Not thread-safe.
class JobRing {
 public:
  bool empty() const { return size_ == 0; }
  void push_back(caf::resumable* job) {
    make_room();
    jobs_[(head_ + size_++) & mask()] = job;
  }
  void push_front(caf::resumable* job) {
    make_room();
    head_ = (head_ - 1) & mask();
    jobs_[head_] = job;
    ++size_;
  }
  caf::resumable* pop_front() {
    caf::resumable* job = jobs_[head_];
    head_ = (head_ + 1) & mask();
    --size_;
    return job;
  }

 private:
  size_t mask() const { return jobs_.size() - 1; }
  void make_room() {
    if (size_ < jobs_.size()) return;
    std::vector<caf::resumable*> bigger(jobs_.size() * 2);
    for (size_t i = 0; i < size_; ++i) bigger[i] = jobs_[(head_ + i) & mask()];
    jobs_.swap(bigger);
    head_ = 0;
  }

  /// A power of two of places.
  std::vector<caf::resumable*> jobs_ = std::vector<caf::resumable*>(16);
  size_t head_ = 0;
  size_t size_ = 0;
};

}  // namespace troupe
