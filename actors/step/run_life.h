#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "actors/step/step_token.h"

namespace troupe {

/// How a run ended.
struct RunEnd {
  absl::Status status;
  int64_t nodes_run = 0;
  /// An actor had died before anything ran: the run may be tried again on another slot.
  bool false_start = false;
};

/// What a run does to those who take part in it: messages, mostly. Where an executor is, here or on another machine, is the host's to
/// know. Called on the thread of the event that causes it, without a lock.
class RunHost {
 public:
  virtual ~RunHost() = default;
  /// The first message of a run that is not direct: to the STEP, who calls `begin_by_step`.
  virtual void start_step(int64_t id) = 0;
  /// The executors of a run whose values meet somewhere: there, before any of them starts.
  virtual void begin_rendezvous(int64_t id) = 0;
  virtual void start_executor(size_t index) = 0;
  /// Start nothing more.
  virtual void stop_executor(size_t index, int64_t id, const absl::Status& why) = 0;
  virtual void stop_rendezvous(int64_t id, const absl::Status& why) = 0;
  virtual void drop_kernels() = 0;
  /// The run is over, once. The leaseholder may go on at once, and nothing of the run may be touched after this.
  /// `all_done`: no executor is at work; else RunLife::is_done tells of each.
  virtual void tell_ended(RunEnd& end, bool all_done) = 0;
};

/// The life of the runs of a slot, one after the other: who has a run in hand, who takes part, who ends it.
///
///             start          ended_directly, or the STEP for it
///   Idle ----------> Direct ------------------------------------> Idle
///     |    start              executor_done of all, or an actor's death
///     +------------> ByStep -------------------------------------> Idle
///
/// and two marks that stay: Broken, when an actor is gone, and StepGone. A direct run is its EXECUTOR's, any other its STEP's. An actor that
/// dies while a run is under way leaves it to the STEP; a STEP that dies ends it itself. A run that begins when nobody is left to end
/// it is over before anything ran. `transition` alone changes the state, in one atomic step, so that of all who would end a run one does.
///
/// Events carry the id of the run that they are about: one that is late, or comes twice, is about no run.
class RunLife {
 public:
  RunLife(RunHost* host, size_t executors, bool directly)
      : host_(host), directly_(directly), done_(executors, false) {}

  /// @name The leaseholder, one after the other
  /// The run has its id, and may be cancelled.
  void prepare(int64_t id);
  /// The run will not start, for this reason.
  void refuse(absl::Status why) { end_.status = std::move(why); }
  void start();
  /// How it ended.
  const RunEnd& end() const { return end_; }
  /// The same; ready for the next.
  RunEnd finish() { return std::exchange(end_, {}); }

  /// @name The executor of a direct run, on its thread
  void ended_directly(const absl::Status& status, int64_t nodes_run);

  /// @name The STEP, in its turns
  void begin_by_step(int64_t id);
  void executor_done(int64_t id, size_t index, const absl::Status& status, int64_t nodes_run);
  /// The run was cancelled: its token has tripped.
  void stop(int64_t id);
  /// An executor, a device or the rendezvous is gone, for good: `what` says which and how, for the run's error.
  void lose_actor(absl::string_view what);
  /// The STEP is going, for good.
  void lose_step();
  /// Whether a run is under way that is the STEP's, or that it supervises.
  bool active() const { return begun_ || state() == kDirect; }
  bool is_done(size_t index) const { return done_[index]; }

  /// @name From any thread
  /// The run that is under way, or the last.
  int64_t id() const { return id_.load(std::memory_order_relaxed); }
  int64_t cancel(int64_t id, absl::Status reason) { return token_.cancel(id, std::move(reason)); }
  StepToken& token() { return token_; }
  const StepToken& token() const { return token_; }
  /// An actor is gone: no run should begin here any more.
  bool broken() const { return (bits_.load(std::memory_order_acquire) & kBroken) != 0; }
  bool direct() const { return directly_; }

 private:
  /// States are two bits, the marks one each.
  static constexpr uint8_t kIdle = 0;
  static constexpr uint8_t kDirect = 1;
  static constexpr uint8_t kByStep = 2;
  static constexpr uint8_t kState = 3;
  static constexpr uint8_t kBroken = 4;
  static constexpr uint8_t kStepGone = 8;

  uint8_t state() const { return bits_.load(std::memory_order_acquire) & kState; }
  /// To `to`, unless one of these marks is set; returns the bits before.
  uint8_t transition(uint8_t to, uint8_t unless = 0);
  uint8_t mark(uint8_t marks) { return bits_.fetch_or(marks, std::memory_order_acq_rel); }
  /// True for the one caller that ends the run.
  bool claim_end() { return (transition(kIdle) & kState) != kIdle; }
  void fail(const absl::Status& status);
  void stop_all(const absl::Status& why);
  void fail_broken(const absl::Status& why);
  void conclude();

  RunHost* const host_;
  const bool directly_;
  std::atomic<uint8_t> bits_{kIdle};
  std::atomic<int64_t> id_{0};
  StepToken token_;
  /// The ender's, between the end and `finish` the leaseholder's.
  RunEnd end_;
  // The STEP's.
  bool begun_ = false;
  size_t outstanding_ = 0;
  std::vector<bool> done_;
};

}  // namespace troupe
