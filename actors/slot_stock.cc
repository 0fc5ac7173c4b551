#include "actors/slot_stock.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

namespace troupe {
namespace {

/// Where a thread begins to look: each elsewhere.
size_t start_of_thread() {
  static thread_local const size_t start = std::hash<std::thread::id>()(std::this_thread::get_id());
  return start;
}

}  // namespace

std::shared_ptr<StepSlot> SlotStock::take() {
  while (auto slot = take_any()) {
    if (!slot->life.broken() && !slot->lost_device()) return slot;
    stop_slot(slot);
  }
  return nullptr;
}

std::shared_ptr<StepSlot> SlotStock::take_any() {
  const size_t start = start_of_thread();
  for (size_t i = 0; i < kAtHand; ++i) {
    auto& cell = at_hand_[(start + i) % kAtHand];
    if (cell.load(std::memory_order_relaxed) == nullptr) continue;
    if (auto* held = cell.exchange(nullptr, std::memory_order_acq_rel)) {
      std::shared_ptr<StepSlot> slot = *held;
      slot->unit->parked = held;
      return slot;
    }
  }
  if (num_more_.load(std::memory_order_acquire) == 0) return nullptr;
  std::lock_guard lock(mu_);
  if (more_.empty()) return nullptr;
  std::shared_ptr<StepSlot> slot = std::move(more_.back());
  more_.pop_back();
  least_ = std::min(least_, more_.size());
  num_more_.store(more_.size(), std::memory_order_release);
  return slot;
}

void SlotStock::give_back(const std::shared_ptr<StepSlot>& slot) {
  if (slot->life.broken()) return stop_slot(slot);
  if (!put_at_hand(slot) && !put_by(slot)) return stop_slot(slot);
  // Who stops sets the flag first and looks second; here it is the other way round, so that one of both sees it.
  if (stopped()) stop_all();
}

bool SlotStock::put_at_hand(const std::shared_ptr<StepSlot>& slot) {
  // The heap cell that holds the reference goes with the slot, so that leasing does not allocate.
  auto* held = static_cast<std::shared_ptr<StepSlot>*>(std::exchange(slot->unit->parked, nullptr));
  if (held == nullptr) held = new std::shared_ptr<StepSlot>(slot);
  const size_t start = start_of_thread();
  for (size_t i = 0; i < kAtHand; ++i) {
    auto& cell = at_hand_[(start + i) % kAtHand];
    if (cell.load(std::memory_order_relaxed) != nullptr) continue;
    std::shared_ptr<StepSlot>* expected = nullptr;
    if (cell.compare_exchange_strong(expected, held, std::memory_order_acq_rel)) return true;
  }
  delete held;
  return false;
}

bool SlotStock::put_by(const std::shared_ptr<StepSlot>& slot) {
  std::lock_guard lock(mu_);
  if (more_.size() + kAtHand >= limit_) return false;
  more_.push_back(slot);
  num_more_.store(more_.size(), std::memory_order_release);
  return true;
}

std::vector<std::shared_ptr<StepSlot>> SlotStock::take_unneeded() {
  std::lock_guard lock(mu_);
  const auto end = more_.begin() + static_cast<std::ptrdiff_t>(least_);
  std::vector<std::shared_ptr<StepSlot>> unneeded(std::move_iterator(more_.begin()), std::move_iterator(end));
  more_.erase(more_.begin(), end);
  least_ = more_.size();
  num_more_.store(more_.size(), std::memory_order_release);
  return unneeded;
}

void SlotStock::stop() {
  stopped_.store(true, std::memory_order_seq_cst);
  stop_all();
}

void SlotStock::stop_all() {
  while (auto slot = take_any()) stop_slot(slot);
}

}  // namespace troupe
