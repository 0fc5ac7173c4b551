#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "actors/step_slot.h"

namespace troupe {

/// The idle slots of one piece of compiled code. Thread-safe; taking one and giving it back takes no lock while no more than
/// `kAtHand` are idle. Those beyond lie by until somebody takes out what was not needed for a while. There is room for one, and for the
/// others from when two are idle.
class SlotStock {
 public:
  /// Holds at most so many idle slots.
  explicit SlotStock(size_t limit = kMost) : limit_(limit) {}
  ~SlotStock();
  SlotStock(const SlotStock&) = delete;

  /// Null when there is none. Slots that lost an actor while they were idle are put away.
  std::shared_ptr<StepSlot> take();
  /// Of a slot whose run is over: it waits for the next, or ends where there is no room, or when it has lost an actor.
  void give_back(const std::shared_ptr<StepSlot>& slot);
  /// Whether there is any.
  bool has_idle() const;
  /// Takes out those that have lain by ever since the last call, or all: for whoever has the time to end them.
  void take_unneeded(std::vector<std::shared_ptr<StepSlot>>* out);
  void take_all(std::vector<std::shared_ptr<StepSlot>>* out);
  /// Ends all idle slots: from now on there is room for none.
  void stop();
  bool stopped() const { return stopped_.load(std::memory_order_seq_cst); }

 private:
  static constexpr size_t kAtHand = 64;
  static constexpr size_t kMost = 1 << 15;
  /// Holds one reference to a slot, or null.
  using Cell = std::atomic<std::shared_ptr<StepSlot>*>;
  using Cells = std::array<Cell, kAtHand>;
  /// Those at hand, where this thread begins to look, until `visit` says true; whether it did.
  template <class Visit>
  bool any_at_hand(const Visit& visit) const;
  std::shared_ptr<StepSlot> take_any();
  bool put_at_hand(const std::shared_ptr<StepSlot>& slot);
  bool make_cells();
  bool put_by(const std::shared_ptr<StepSlot>& slot);
  void stop_all();

  const size_t limit_;
  std::atomic<bool> stopped_{false};
  mutable Cell first_{nullptr};
  /// Once two have been idle at a time.
  std::atomic<Cells*> cells_{nullptr};
  std::atomic<size_t> num_more_{0};
  std::mutex mu_;
  // Guarded by mu_. The last that came is the first that goes.
  std::vector<std::shared_ptr<StepSlot>> more_;
  /// The fewest that were there since take_unneeded.
  size_t least_ = 0;
};

}  // namespace troupe
