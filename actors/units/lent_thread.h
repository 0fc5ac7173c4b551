#pragma once

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "actors/units/answer_source.h"
#include "actors/units/job_ring.h"
#include "actors/units/message_tally.h"
#include "actors/units/named_pool.h"

namespace troupe {

/// The execution unit of one step's actors. While a thread lends itself (`run_until`), it resumes them all; what
/// arrives from its own turns costs no lock. While nobody lends, the unit passes everything on to a NamedPool. Owned
/// by the step's slot; outlives its actors.
class LentThread final : public caf::execution_unit {
 public:
  LentThread(caf::actor_system* system, NamedPool* pool) : caf::execution_unit(system), pool_(pool) {}

  /// From any thread.
  void exec_later(caf::resumable* job) override;
  /// Which pool gets what the unit does not run itself. Only while nobody lends and no actor of the step is active.
  void set_pool(NamedPool* pool) { pool_.store(pool, std::memory_order_release); }
  /// Whether threads that have other work may take turns of the step (TurnsHere): what is told of its end must not wait for them. At the same times.
  void let_turns_be_taken(bool anywhere) { taken_anywhere_.store(anywhere, std::memory_order_relaxed); }
  NamedPool* pool() const { return pool_.load(std::memory_order_acquire); }
  /// Another unit that runs what this one gets, while nobody lends a thread to this one; null: the pool does.
  void set_lender(std::shared_ptr<LentThread> lender);
  /// The lender of `unit`, or itself when it has none.
  static std::shared_ptr<LentThread> lender_of(const std::shared_ptr<LentThread>& unit);

  /// Whether the calling thread is the one that lends itself.
  bool is_lent_here() const { return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  /// The unit that the calling thread lends itself to; null: none.
  static LentThread* here();
  /// Makes the calling thread this unit's thread: call before the first message of the step is sent.
  void open();
  /// What the step waits for comes from there: its thread may hear it. On that thread; until `close`.
  void hear_from(std::shared_ptr<AnswerSource> source);
  /// Resumes actors until `done`. When there is nothing to do it runs kernels of `step`, of which `done` is the end, as one of the pool's threads; or
  /// hears answers; or sleeps.
  void run_until(const std::atomic<bool>& done, const void* step = nullptr);
  /// Resumes the next actor; false when there is none. Of `run_until`, and for tests that decide about every turn.
  bool run_next();
  /// Gives what is left to the pool.
  void close();
  /// Makes run_until look at `done` again; from any thread.
  void wake();

  /// Of the messages to this unit's actors.
  MessageTally tally;
  /// The owner's: where the reference to its slot is kept while it is leased (see Signature::release).
  void* parked = nullptr;

 private:
  void resume(caf::resumable* job);
  /// False when there was none. Others resume the step's actors meanwhile.
  bool run_kernel(NamedPool::Hand* hand, const void* step);
  /// False when there is nobody to hear, or another thread does.
  bool hear(const std::atomic<bool>& done);
  void sleep(const std::atomic<bool>& done);
  /// With mu_ held.
  void rouse();

  std::atomic<NamedPool*> pool_;
  std::atomic<bool> taken_anywhere_{false};
  std::atomic<std::thread::id> owner_{};
  // Owner's thread only.
  JobRing local_;
  std::shared_ptr<AnswerSource> source_;
  std::mutex mu_;
  std::condition_variable arrived_;
  /// Cleared with mu_ held.
  std::atomic<bool> open_{false};
  // Guarded by mu_.
  bool sleeping_ = false;
  bool hearing_ = false;
  std::shared_ptr<LentThread> lender_;
  std::vector<caf::resumable*> remote_;
  std::atomic<bool> has_remote_{false};
};

}  // namespace troupe
