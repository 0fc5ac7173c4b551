#include "actors/signature.h"

#include <functional>
#include <thread>
#include <utility>

namespace troupe {

std::shared_ptr<StepSlot> Signature::acquire() {
  static thread_local unsigned start =
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  for (int i = 0; i < kIdle; ++i) {
    auto& cell = idle_[(start + static_cast<unsigned>(i)) % kIdle];
    if (cell.load(std::memory_order_relaxed) == nullptr) continue;
    if (auto* held = cell.exchange(nullptr, std::memory_order_acq_rel)) {
      std::shared_ptr<StepSlot> slot = *held;
      slot->unit->parked = held;
      if (!slot->life.broken() && !slot->lost_device()) return slot;
      discard_slot(slot);
    }
  }
  return nullptr;
}

bool Signature::release(std::shared_ptr<StepSlot> slot) {
  static thread_local unsigned start =
      static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id()));
  // The heap cell that holds the reference goes with the slot, so that leasing does not allocate.
  auto* held = static_cast<std::shared_ptr<StepSlot>*>(std::exchange(slot->unit->parked, nullptr));
  if (held == nullptr) held = new std::shared_ptr<StepSlot>(std::move(slot));
  for (int i = 0; i < kIdle; ++i) {
    auto& cell = idle_[(start + static_cast<unsigned>(i)) % kIdle];
    std::shared_ptr<StepSlot>* expected = nullptr;
    if (!cell.compare_exchange_strong(expected, held, std::memory_order_acq_rel)) continue;
    // Who drains sets the flag first and looks second; here it is the other way round, so that one of both sees it.
    if (drained_.load(std::memory_order_seq_cst)) {
      for (const auto& late : take_all()) stop_slot(late);
    }
    return true;
  }
  delete held;
  return false;
}

std::vector<std::shared_ptr<StepSlot>> Signature::drain() {
  drained_.store(true, std::memory_order_seq_cst);
  return take_all();
}

std::vector<std::shared_ptr<StepSlot>> Signature::take_all() {
  std::vector<std::shared_ptr<StepSlot>> out;
  for (auto& cell : idle_) {
    if (auto* held = cell.exchange(nullptr, std::memory_order_acq_rel)) {
      out.push_back(std::move(*held));
      delete held;
    }
  }
  return out;
}

}  // namespace troupe
