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

SlotStock::~SlotStock() {
  const auto free = [](const Cell& cell) {
    delete cell.load(std::memory_order_relaxed);
    return false;
  };
  any_at_hand(free);
  delete cells_.load(std::memory_order_relaxed);
}

template <class Visit>
bool SlotStock::any_at_hand(const Visit& visit) const {
  if (Cells* const cells = cells_.load(std::memory_order_acquire)) {
    const size_t start = start_of_thread();
    for (size_t i = 0; i < kAtHand; ++i) {
      if (visit((*cells)[(start + i) % kAtHand])) return true;
    }
  }
  return visit(first_);
}

std::shared_ptr<StepSlot> SlotStock::take() {
  while (auto slot = take_any()) {
    if (!slot->life.broken() && !slot->lost_device()) return slot;
    stop_slot(slot);
  }
  return nullptr;
}

std::shared_ptr<StepSlot> SlotStock::take_any() {
  std::shared_ptr<StepSlot>* held = nullptr;
  const auto take = [&](Cell& cell) {
    if (cell.load(std::memory_order_relaxed) != nullptr)
      held = cell.exchange(nullptr, std::memory_order_acq_rel);
    return held != nullptr;
  };
  if (any_at_hand(take)) {
    std::shared_ptr<StepSlot> slot = *held;
    slot->unit->parked = held;
    return slot;
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
  const auto put = [held](Cell& cell) {
    if (cell.load(std::memory_order_relaxed) != nullptr) return false;
    std::shared_ptr<StepSlot>* expected = nullptr;
    return cell.compare_exchange_strong(expected, held, std::memory_order_acq_rel);
  };
  do {
    if (any_at_hand(put)) return true;
  } while (make_cells());
  delete held;
  return false;
}

/// False when they are there already.
bool SlotStock::make_cells() {
  if (cells_.load(std::memory_order_relaxed) != nullptr) return false;
  auto* const fresh = new Cells{};
  Cells* none = nullptr;
  if (!cells_.compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) delete fresh;
  return true;
}

bool SlotStock::put_by(const std::shared_ptr<StepSlot>& slot) {
  std::lock_guard lock(mu_);
  if (more_.size() + kAtHand >= limit_) return false;
  more_.push_back(slot);
  num_more_.store(more_.size(), std::memory_order_release);
  return true;
}

bool SlotStock::has_idle() const {
  return num_more_.load(std::memory_order_acquire) > 0 ||
         any_at_hand([](const Cell& cell) { return cell.load(std::memory_order_acquire) != nullptr; });
}

void SlotStock::take_unneeded(std::vector<std::shared_ptr<StepSlot>>* out) {
  std::lock_guard lock(mu_);
  const auto end = more_.begin() + static_cast<std::ptrdiff_t>(least_);
  out->insert(out->end(), std::move_iterator(more_.begin()), std::move_iterator(end));
  more_.erase(more_.begin(), end);
  least_ = more_.size();
  num_more_.store(more_.size(), std::memory_order_release);
}

void SlotStock::take_all(std::vector<std::shared_ptr<StepSlot>>* out) {
  while (auto slot = take_any()) out->push_back(std::move(slot));
}

void SlotStock::stop() {
  stopped_.store(true, std::memory_order_seq_cst);
  stop_all();
}

void SlotStock::stop_all() {
  while (auto slot = take_any()) stop_slot(slot);
}

}  // namespace troupe
