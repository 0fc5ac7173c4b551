#include "actors/partial_run_slot.h"

#include <utility>

namespace troupe {

void PartialRunSlot::give_back() {
  if (!lease_) return;
  struct Held {
    std::shared_ptr<SessionCore> core;
    RunGate::Place place;
    StepLease lease;
  };
  const auto held = std::make_shared<Held>(Held{std::move(core_), std::move(place_), std::move(lease_)});
  turns_->retire([held] {
    held->lease.give_back();
    held->place.leave();
  });
}

}  // namespace troupe
