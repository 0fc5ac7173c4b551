#include "actors/units/kernel_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {

KernelQueue::Lines::iterator KernelQueue::behind(int64_t priority) {
  auto at = lines_.end();
  while (at != lines_.begin() && std::prev(at)->key.first < priority) --at;
  return at;
}

void KernelQueue::push(const void* session, std::span<KernelTask* const> tasks,
                       const std::shared_ptr<void>& step, int64_t priority) {
  // Every line has somebody in it.
  if (tasks.empty()) return;
  std::lock_guard lock(mu_);
  const Key key(priority, session);
  auto [at, is_new] = line_of_.try_emplace(key);
  if (is_new) at->second = lines_.insert(behind(priority), Line{key, {}});
  for (KernelTask* t : tasks) at->second->entries.push_back({t, step});
  size_ += tasks.size();
}

std::optional<KernelQueue::Entry> KernelQueue::pop() {
  std::lock_guard lock(mu_);
  if (lines_.empty()) return std::nullopt;
  return take_first();
}

std::optional<KernelQueue::Entry> KernelQueue::pop_of(const void* step) {
  std::lock_guard lock(mu_);
  if (lines_.empty() || lines_.front().entries.front().step.get() != step) return std::nullopt;
  return take_first();
}

KernelQueue::Entry KernelQueue::take_first() {
  const auto line = lines_.begin();
  Entry next = std::move(line->entries.front());
  line->entries.pop_front();
  --size_;
  if (line->entries.empty()) {
    line_of_.erase(line->key);
    lines_.erase(line);
  } else {
    lines_.splice(behind(line->key.first), lines_, line);
  }
  return next;
}

std::vector<KernelQueue::Entry> KernelQueue::take_back(const void* step) {
  std::vector<Entry> taken;
  std::lock_guard lock(mu_);
  for (auto line = lines_.begin(); line != lines_.end();) {
    auto& entries = line->entries;
    const auto keep = std::stable_partition(entries.begin(), entries.end(), [&](const Entry& e) {
      return e.step.get() != step || !e.task->context->cancellation().cancelled();
    });
    std::move(keep, entries.end(), std::back_inserter(taken));
    entries.erase(keep, entries.end());
    const auto here = line++;
    if (!here->entries.empty()) continue;
    line_of_.erase(here->key);
    lines_.erase(here);
  }
  size_ -= taken.size();
  return taken;
}

size_t KernelQueue::size() const {
  std::lock_guard lock(mu_);
  return size_;
}

}  // namespace troupe
