#pragma once

#include <memory>

#include "actors/run_gate.h"
#include "actors/session_core.h"
#include "actors/step_lease.h"
#include "actors/turn_unit.h"

namespace troupe {

/// The slot of a partial run and its place in the gate, given back in this order, once: when they are no longer needed, or nobody holds
/// this any more. A thread that serves the step leaves it first.
class PartialRunSlot {
 public:
  /// The gate is the core's.
  PartialRunSlot(std::shared_ptr<SessionCore> core, RunGate::Place place, StepLease lease,
                 std::shared_ptr<TurnUnit> turns)
      : core_(std::move(core)), place_(std::move(place)), lease_(std::move(lease)),
        turns_(std::move(turns)) {}
  ~PartialRunSlot() { give_back(); }
  PartialRunSlot(const PartialRunSlot&) = delete;

  StepLease& lease() { return lease_; }
  StepSlot& slot() { return *lease_.slot(); }
  void give_back();

 private:
  std::shared_ptr<SessionCore> core_;
  RunGate::Place place_;
  StepLease lease_;
  const std::shared_ptr<TurnUnit> turns_;
};

}  // namespace troupe
