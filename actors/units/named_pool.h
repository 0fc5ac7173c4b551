#pragma once

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "actors/units/kernel_queue.h"
#include "actors/units/turns_here.h"

namespace troupe {

class ThreadPool;

/// N threads that resume the actors of steps and run their kernels, or do what takes long (`run`). Threads start with the
/// first job and sleep when there is none; when the system gives none, the actor system's own run the jobs. Thread-safe.
class NamedPool final : public TurnTaker {
  /// What the threads share with the pool; they may outlive it by a moment.
  struct Shared;

 public:
  /// Messages that an actor may handle before others get their turn.
  static constexpr size_t kMessagesPerTurn = 16;
  /// Turns that a thread takes of its own (GoOnHere) before those that wait in the pool get theirs.
  static constexpr int kOwnTurns = 16;

  /// Instead of a number of threads: there are none, and the test that calls `run_next_kernel` is one.
  static constexpr int kByHand = -1;

  /// For steps, or for labour, which steps and control go before where cores are few.
  enum class Urgency { kSteps, kLabour };
  /// 0: as many threads as cores.
  NamedPool(caf::actor_system* system, std::string name, int num_threads, Urgency urgency = Urgency::kSteps);
  /// Of an application's threads, which run kernels for as long as they are lent. What else comes goes to the actor system's own threads.
  NamedPool(caf::actor_system* system, ThreadPool* lent);
  /// As stop. The runtime holds every pool, so that none is destroyed on a thread of its own.
  ~NamedPool();

  /// Runs what is queued, then ends the threads and waits for them; not from one of them. What comes after goes to the
  /// actor system's own threads, kernels back to their EXECUTORs.
  void stop();
  /// The same without waiting, from any thread: `stop` joins the threads later.
  void retire();

  /// Threads that wait for steps may run kernels of them, too (Hand): of a pool that nobody asked for in particular. Before the first job.
  void welcome_hands();

  const std::string& name() const { return name_; }
  int num_threads() const { return num_threads_; }
  bool is_lent() const;

  void enqueue(caf::resumable* job) override;
  /// Calls `job`, once; it must not throw.
  void run(std::function<void()> job);
  /// Runs the next `n` kernels of the queue, those that it then has, each followed by its owner's `complete`. Where there are no threads,
  /// or they refuse, the kernels go back to their owners.
  void run_kernels(const std::shared_ptr<KernelQueue>& queue, size_t n);
  /// Of a pool by hand: runs one kernel; false when none waits.
  bool run_next_kernel();
  /// From `complete` of a kernel that a pool ran on this thread: resumes an actor here right after. False elsewhere.
  static bool run_after_kernel(caf::resumable* job);
  int64_t kernels_run() const;

  /// While one lives, at the end of a turn that does nothing more: the first actor that this thread hands to the pool whose thread it is goes
  /// on here, and nobody is woken for it. On other threads it changes nothing. Who waits meanwhile calls `hand_over`.
  class GoOnHere {
   public:
    GoOnHere();
    ~GoOnHere();
    GoOnHere(const GoOnHere&) = delete;

   private:
    const bool before_;
  };
  /// What this thread has kept to go on with goes to its pool, and who is to run its kernels is waked: before it waits for something.
  static void hand_over();

  /// Of a thread that waits for a step: until it has something else to do it is one of the pool's threads, for kernels of that step. While one
  /// lives, nobody is waked for kernels that the thread itself brings to a pool, until it takes one, lets go or ends: it takes one itself, as
  /// a rule; and whom it wakes sooner may be put on its core in the middle of its turn, for which then all wait.
  class Hand {
   public:
    Hand() : innermost_(&of_thread), outer_(std::exchange(of_thread, this)) {
      if (outer_ != nullptr) outer_->tell_news();
    }
    ~Hand() {
      *innermost_ = outer_;
      if (news_ != nullptr || place_ != nullptr) let_go();
    }
    Hand(const Hand&) = delete;

    /// The next kernel, for `run`, if it is this step's; else none. Nor when as many threads are at work as there may, or the pool wants its own only.
    std::optional<KernelQueue::Entry> take(const NamedPool& pool, const void* step);
    /// And what comes of it, unless others resume that.
    void run(const KernelQueue::Entry& kernel);
    /// Wakes somebody for kernels that the thread has brought, if nobody was yet: before it does something else.
    void tell_news();
    /// Is no thread of a pool any longer, and wakes whoever is to go on.
    void let_go();

   private:
    friend class NamedPool;
    /// The innermost.
    static constinit thread_local Hand* of_thread;
    Hand** const innermost_;
    Hand* const outer_;
    /// Whose thread it is; who has kernels that nobody was waked for.
    std::shared_ptr<Shared> place_, news_;
  };

  /// What it has to do now.
  struct Load {
    /// Threads that there are, and of these those at work.
    int threads = 0;
    int busy = 0;
    /// Turns of actors (and what `run` was given) and kernels that wait for a thread.
    int64_t turns_waiting = 0;
    int64_t kernels_waiting = 0;
    int64_t kernels_run = 0;
  };
  Load load() const;

 private:
  class Unit;
  struct Worker;
  /// As many as can be made, unless there are some. With mu held.
  void start_threads();
  static bool run_next(KernelQueue& queue, Unit* unit);
  static void run_kernel(const KernelQueue::Entry& kernel, Unit* unit);
  static void lend_kernels(const std::shared_ptr<Shared>& shared, const std::shared_ptr<KernelQueue>& queue,
                           size_t n);
  static void resume(caf::resumable* actor, Unit* unit);
  static void go_on(Unit* unit);
  static void work(std::shared_ptr<Shared> shared, Urgency urgency);

  const std::string name_;
  const int num_threads_;
  const Urgency urgency_;
  const std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;  // guarded by shared_->mu
};

}  // namespace troupe
