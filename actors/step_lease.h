#pragma once

#include <memory>
#include <span>

#include "actors/session_core.h"

namespace troupe {

/// How often a run is begun on another slot because an actor of the first had died while it was idle.
constexpr int kMaxStarts = 4;

/// A slot of a signature for one run, in this order: `load` each feed; `begin` and `StepSlot::start`, or `run`; when it is over,
/// `take`. The slot goes back to its signature, or out of use, once: by `take`, or with the lease. One thread at a time.
class StepLease {
 public:
  StepLease() = default;
  /// `alias` maps the caller's feeds and fetches to the slot's.
  StepLease(std::shared_ptr<StepSlot> slot, std::shared_ptr<const SignatureAlias> alias)
      : slot_(std::move(slot)), alias_(alias.get()), keep_(std::move(alias)) {}
  /// The same of an alias that the caller keeps.
  StepLease(std::shared_ptr<StepSlot> slot, const SignatureAlias* alias)
      : slot_(std::move(slot)), alias_(alias) {}
  StepLease(StepLease&&) noexcept = default;
  StepLease& operator=(StepLease&& other) noexcept;
  ~StepLease() { give_back(); }

  explicit operator bool() const { return slot_ != nullptr; }
  const std::shared_ptr<StepSlot>& slot() const { return slot_; }
  /// Null when the caller keeps it.
  const std::shared_ptr<const SignatureAlias>& kept_alias() const { return keep_; }

  /// The caller's feed number i. InvalidArgument "Expects arg[0] to be float but int32 is provided". An error is the run's end: `take`
  /// gives it.
  absl::Status load(size_t i, const Tensor& value);
  /// Gives the step its id, pool, deadline, and a cancel that it has missed: `cancels` is what SessionCore::cancels said when the
  /// run was counted in. An error is the run's end, too.
  absl::Status begin(const RunOptions& options, int64_t cancels);
  /// Begins and runs it to its end on this thread, which it lends. True when an actor had died before anything ran: another lease may
  /// be luckier.
  bool run(const RunOptions& options, int64_t cancels);
  /// How it ended, and the fetches in the caller's order, as many as there is room for. Gives the slot back: it may be another's now.
  absl::Status take(std::span<Tensor> fetches, RunStats* stats);
  void give_back() {
    if (slot_ != nullptr) (void)take({}, nullptr);
  }

 private:
  std::shared_ptr<StepSlot> slot_;
  const SignatureAlias* alias_ = nullptr;
  std::shared_ptr<const SignatureAlias> keep_;
};

}  // namespace troupe
