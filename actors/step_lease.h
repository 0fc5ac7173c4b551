#pragma once

#include <memory>
#include <span>

#include "actors/session_core.h"

namespace troupe {

/// How often a run is begun on another slot because an actor of the first had died while it was idle.
constexpr int kMaxStarts = 4;

/// What a run has from its surroundings: its session, or the step that calls it.
struct Surroundings {
  NamedPool* pool = nullptr;
  /// Keeps the pool when a caller lends it for the run.
  std::shared_ptr<NamedPool> lent_pool = nullptr;
  int64_t priority = 0;
  ParallelRunner* loops = nullptr;
  bool inline_only = false;
  bool collect_stats = false;
  std::chrono::steady_clock::time_point deadline = {};
  std::chrono::steady_clock::time_point began = coarse_now();
  /// Where the step keeps account of what its kernels allocate; null: nowhere.
  std::shared_ptr<StepAllocations> allocations = nullptr;
  /// @name Of a called function
  /// Whose thread it runs on; null: the pool's.
  std::shared_ptr<LentThread> lender = nullptr;
  int64_t outer_step_id = 0;
  absl::string_view step_container = {};
};

/// A slot for one run, of a signature or of a called function. In this order: `load` each feed; `begin` and `life.start`, or `run`; when
/// it is over, `take`. The slot goes back to where it came from, or out of use, once: by `take`, or with the lease. One thread at a time.
class StepLease {
 public:
  StepLease() = default;
  /// `alias` maps the caller's feeds and fetches to the slot's.
  StepLease(std::shared_ptr<StepSlot> slot, std::shared_ptr<const SignatureAlias> alias)
      : slot_(std::move(slot)), home_(&alias->signature->slots), alias_(alias.get()),
        keep_(std::move(alias)) {}
  /// The same of an alias that the caller keeps.
  StepLease(std::shared_ptr<StepSlot> slot, const SignatureAlias* alias)
      : slot_(std::move(slot)), home_(&alias->signature->slots), alias_(alias) {}
  /// Of a function, whose stock lives longer: feeds are arguments, fetches results.
  StepLease(std::shared_ptr<StepSlot> slot, SlotStock* home) : slot_(std::move(slot)), home_(home) {}
  StepLease(StepLease&&) noexcept = default;
  StepLease& operator=(StepLease&& other) noexcept;
  ~StepLease() { give_back(); }

  explicit operator bool() const { return slot_ != nullptr; }
  const std::shared_ptr<StepSlot>& slot() const { return slot_; }
  /// Null when the caller keeps it, and of functions.
  const std::shared_ptr<const SignatureAlias>& kept_alias() const { return keep_; }

  /// How many the caller asked for; not of a function.
  size_t num_fetches() const { return alias_->fetch_at.size(); }

  /// The caller's feed number i. InvalidArgument "Expects arg[0] to be float but int32 is provided". An error is the run's end: `take`
  /// gives it.
  absl::Status load(size_t i, const Tensor& value);
  /// All arguments of a function. The same, and "Expects 2 arguments, but 1 is provided".
  absl::Status load_arguments(std::vector<Tensor> args);
  /// Gives the step its id, pool, deadline, and a cancel that it has missed: `cancels` is what SessionCore::cancels said when the
  /// run was counted in. An error is the run's end, too.
  absl::Status begin(const RunOptions& options, int64_t cancels);
  /// Gives the step its id and its surroundings.
  void begin(const Surroundings& surroundings);
  /// Begins and runs it to its end on this thread, which it lends.
  void run(const RunOptions& options, int64_t cancels);
  /// How it ended, and the fetches in the caller's order, as many as there is room for. Gives the slot back: it may be another's now.
  /// `false_start`: an actor had died before anything ran; another lease may be luckier.
  absl::Status take(std::span<Tensor> fetches, RunStats* stats, bool* false_start = nullptr);
  /// Of a run that never began, or whose end is of no interest.
  void give_back() {
    if (slot_ != nullptr) (void)take({}, nullptr);
  }
  /// Of a run that broke off as it began: nobody uses the slot again.
  void discard() {
    if (auto slot = std::exchange(slot_, nullptr)) stop_slot(slot);
  }

 private:
  /// Tells the meter and, when they are wanted, who asked for statistics and traces; before the slot is idle.
  void report(StepSlot& slot, const absl::Status& status, int64_t nodes_run, RunStats* stats);
  /// Whose threads run the kernels, and its loops: the session's or the caller's.
  absl::Status choose_threads(const RunOptions& options, Surroundings* around);

  std::shared_ptr<StepSlot> slot_;
  SlotStock* home_ = nullptr;
  /// Null for a function.
  const SignatureAlias* alias_ = nullptr;
  std::shared_ptr<const SignatureAlias> keep_;
  /// A step of the session's own has begun: those who listen hear of its end.
  bool begun_ = false;
  StepMeter::Start start_;
};

}  // namespace troupe
