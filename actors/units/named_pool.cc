#include "actors/units/named_pool.h"

#include <caf/actor_system.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>

#include "actors/step/executor_state.h"
#include "actors/units/function_job.h"
#include "actors/units/go_first.h"
#include "actors/units/thread_urgency.h"
#include "devices/flush_denormals.h"
#include "devices/thread_pool.h"

namespace troupe {

struct NamedPool::Shared {
  Shared(caf::actor_system* s, int n, bool hand, ThreadPool* threads = nullptr)
      : system(s), num_threads(n), by_hand(hand), lent(threads) {}
  void enqueue(caf::resumable* job);
  /// The same with mu held; gives it up.
  void enqueue(caf::resumable* job, std::unique_lock<std::mutex> lock);
  /// Whether something waits for a thread.
  bool is_waited_for();
  /// Whether no further kernel may begin. With mu held.
  bool is_full() const { return busy + hands >= num_threads; }
  /// Whether something waits that a thread may take. With mu held.
  bool has_work() const { return !actors.empty() || (!kernels.empty() && (!is_full() || stopping)); }
  /// Whether the caller is to wake a thread, when it has given up mu. One is waked at a time: to wake it takes longer than most turns, and it wakes
  /// the next when there is more than it takes itself. With mu held.
  bool wakes_another();
  void wake_one();
  /// Of a thread that has nothing to do. Wakes with mu held, for whatever reason.
  void sleep(std::unique_lock<std::mutex>& lock);
  /// No thread is left to run anything, or none could be made. With mu held, behind start_threads.
  bool has_nobody() const { return live_threads == 0; }

  caf::actor_system* const system;
  const int num_threads;
  const bool by_hand;
  /// Null: the threads are its own.
  ThreadPool* const lent;
  bool welcomes_hands = false;
  std::mutex mu;
  std::condition_variable arrived;
  // Guarded by mu. Actors go before kernels: their turns are short.
  std::deque<caf::resumable*> actors;
  /// One entry for each kernel to come.
  std::deque<std::shared_ptr<KernelQueue>> kernels;
  bool stopping = false;
  int live_threads = 0;
  int busy = 0;
  /// Threads that are at work here while they wait for a step.
  int hands = 0;
  int sleeping = 0;
  /// One that slept was told to wake, and has not yet.
  bool waking = false;
  int64_t kernels_run = 0;
};

/// What an actor sees as its execution unit while a pool thread resumes it.
class NamedPool::Unit final : public caf::execution_unit {
 public:
  explicit Unit(Shared* shared) : caf::execution_unit(shared->system), shared_(shared) {}
  void exec_later(caf::resumable* job) override { shared_->enqueue(job); }
  Shared* shared() const { return shared_; }

 private:
  Shared* const shared_;
};

/// Where run_after_kernel puts an actor; null while this thread completes no kernel.
static thread_local caf::resumable** after_kernel = nullptr;

/// Of a thread; of a pool's, what it goes on with when its turn is over.
struct NamedPool::Worker {
  Shared* shared = nullptr;
  caf::resumable* next = nullptr;
  bool goes_on_here = false;
  static Worker& of_thread() {
    static thread_local Worker worker;
    return worker;
  }
};

NamedPool::GoOnHere::GoOnHere() : before_(std::exchange(Worker::of_thread().goes_on_here, true)) {}
NamedPool::GoOnHere::~GoOnHere() { Worker::of_thread().goes_on_here = before_; }

void NamedPool::hand_over() {
  Worker& worker = Worker::of_thread();
  TurnsHere::hand_over();
  for (Hand* hand = Hand::of_thread; hand != nullptr; hand = hand->outer_) hand->let_go();
  if (caf::resumable* const kept = std::exchange(worker.next, nullptr)) worker.shared->enqueue(kept);
}

bool NamedPool::is_lent() const { return shared_->lent != nullptr; }

bool NamedPool::run_after_kernel(caf::resumable* job) {
  if (after_kernel == nullptr || *after_kernel != nullptr) return false;
  *after_kernel = job;
  return true;
}

void NamedPool::resume(caf::resumable* actor, Unit* unit) {
  if (actor->resume(unit, kMessagesPerTurn) == caf::resumable::resume_later) {
    unit->shared()->enqueue(actor);
  } else {
    caf::intrusive_ptr_release(actor);
  }
}

void NamedPool::run_kernel(const KernelQueue::Entry& kernel, Unit* unit) {
  kernel.task->run();
  // Its executor, when it slept.
  caf::resumable* woken = nullptr;
  after_kernel = &woken;
  kernel.task->owner->complete(kernel.task);
  after_kernel = nullptr;
  if (woken != nullptr) resume(woken, unit);
}

/// False when there was none.
bool NamedPool::run_next(KernelQueue& queue, Unit* unit) {
  const auto next = queue.pop();
  if (next) run_kernel(*next, unit);
  return next.has_value();
}

constinit thread_local NamedPool::Hand* NamedPool::Hand::of_thread = nullptr;

void NamedPool::Hand::tell_news() {
  if (const auto pool = std::exchange(news_, nullptr)) pool->wake_one();
}

void NamedPool::Hand::let_go() {
  tell_news();
  const auto pool = std::exchange(place_, nullptr);
  if (pool == nullptr) return;
  std::unique_lock lock(pool->mu);
  --pool->hands;
  const bool wakes = pool->wakes_another();
  lock.unlock();
  if (wakes) pool->arrived.notify_one();
}

std::optional<KernelQueue::Entry> NamedPool::Hand::take(const NamedPool& pool, const void* step) {
  if (place_ != nullptr && place_ != pool.shared_) let_go();
  Shared& shared = *pool.shared_;
  if (!shared.welcomes_hands) return std::nullopt;
  std::unique_lock lock(shared.mu);
  if (shared.kernels.empty() || (place_ == nullptr && shared.is_full())) return std::nullopt;
  std::optional<KernelQueue::Entry> next = shared.kernels.front()->pop_of(step);
  if (!next) return std::nullopt;
  shared.kernels.pop_front();
  ++shared.kernels_run;
  if (place_ == nullptr) {
    ++shared.hands;
    place_ = pool.shared_;
  }
  const bool wakes = shared.wakes_another();
  lock.unlock();
  if (wakes) shared.arrived.notify_one();
  if (news_ == pool.shared_) news_ = nullptr;
  return next;
}

void NamedPool::Hand::run(const KernelQueue::Entry& kernel) {
  const FlushDenormals flush;
  // It may let go of its place while the kernel waits for something.
  const std::shared_ptr<Shared> pool = place_;
  Unit unit(pool.get());
  run_kernel(kernel, &unit);
}

NamedPool::NamedPool(caf::actor_system* system, std::string name, int num_threads, Urgency urgency)
    : name_(std::move(name)),
      num_threads_(num_threads > 0 ? num_threads
                                   : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))),
      urgency_(urgency), shared_(std::make_shared<Shared>(system, num_threads_, num_threads == kByHand)) {}

NamedPool::NamedPool(caf::actor_system* system, ThreadPool* lent)
    : name_("lent"), num_threads_(std::max(1, lent->num_threads())), urgency_(Urgency::kSteps),
      shared_(std::make_shared<Shared>(system, num_threads_, false, lent)) {}

NamedPool::~NamedPool() { stop(); }

void NamedPool::welcome_hands() { shared_->welcomes_hands = true; }

void NamedPool::stop() {
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(shared_->mu);
    shared_->stopping = true;
    threads.swap(threads_);
  }
  shared_->arrived.notify_all();
  for (std::thread& t : threads) t.join();
}

void NamedPool::retire() {
  {
    std::lock_guard lock(shared_->mu);
    shared_->stopping = true;
  }
  shared_->arrived.notify_all();
}

void NamedPool::start_threads() {
  if (!threads_.empty() || shared_->stopping || shared_->by_hand || is_lent()) return;
  try {
    while (static_cast<int>(threads_.size()) < num_threads_) {
      threads_.emplace_back(&NamedPool::work, shared_, urgency_);
      ++shared_->live_threads;
    }
  } catch (const std::system_error&) {
    // Those that there are do it; with none, the next job tries again.
  }
}

void NamedPool::Shared::enqueue(caf::resumable* job, std::unique_lock<std::mutex> lock) {
  if (has_nobody()) {
    lock.unlock();
    return system->scheduler().enqueue(job);
  }
  if (GoFirst::active()) {
    actors.push_front(job);
  } else {
    actors.push_back(job);
  }
  const bool wakes = wakes_another();
  lock.unlock();
  if (wakes) arrived.notify_one();
}

bool NamedPool::Shared::wakes_another() {
  if (waking || sleeping == 0 || !has_work()) return false;
  return waking = true;
}

void NamedPool::Shared::wake_one() {
  std::unique_lock lock(mu);
  const bool wakes = wakes_another();
  lock.unlock();
  if (wakes) arrived.notify_one();
}

void NamedPool::Shared::sleep(std::unique_lock<std::mutex>& lock) {
  ++sleeping;
  arrived.wait(lock);
  --sleeping;
  waking = false;
}

void NamedPool::Shared::enqueue(caf::resumable* job) { enqueue(job, std::unique_lock(mu)); }

void NamedPool::enqueue(caf::resumable* job) {
  Worker& worker = Worker::of_thread();
  if (worker.goes_on_here && worker.shared == shared_.get() && worker.next == nullptr) {
    worker.next = job;
    return;
  }
  std::unique_lock lock(shared_->mu);
  start_threads();
  shared_->enqueue(job, std::move(lock));
}

void NamedPool::run(std::function<void()> job) { enqueue(new FunctionJob(std::move(job))); }

/// Each is a job of the application's, which may be called when its run, and this pool, are gone.
void NamedPool::lend_kernels(const std::shared_ptr<Shared>& shared, const std::shared_ptr<KernelQueue>& queue,
                             size_t n) {
  const auto hand_back_next = [&] {
    if (const auto next = queue->pop()) next->task->hand_back();
  };
  const bool has_threads = shared->lent->num_threads() > 0;
  for (; n > 0; --n) {
    if (!has_threads) {
      hand_back_next();
      continue;
    }
    try {
      shared->lent->schedule([shared, queue] {
        const FlushDenormals flush;
        Unit unit(shared.get());
        run_next(*queue, &unit);
      });
    } catch (...) {
      hand_back_next();
    }
  }
}

void NamedPool::run_kernels(const std::shared_ptr<KernelQueue>& queue, size_t n) {
  if (is_lent()) return lend_kernels(shared_, queue, n);
  {
    std::unique_lock lock(shared_->mu);
    start_threads();
    if (shared_->has_nobody() && (shared_->stopping || !shared_->by_hand)) {
      lock.unlock();
      for (; n > 0; --n) {
        if (const auto next = queue->pop()) next->task->hand_back();
      }
      return;
    }
    shared_->kernels.insert(shared_->kernels.end(), n, queue);
  }
  Hand* const hand = Hand::of_thread;
  if (hand == nullptr) return shared_->wake_one();
  if (hand->news_ == shared_) return;
  hand->tell_news();
  hand->news_ = shared_;
}

bool NamedPool::run_next_kernel() {
  Unit unit(shared_.get());
  std::unique_lock lock(shared_->mu);
  if (shared_->kernels.empty()) return false;
  const std::shared_ptr<KernelQueue> queue = std::move(shared_->kernels.front());
  shared_->kernels.pop_front();
  lock.unlock();
  if (!run_next(*queue, &unit)) return run_next_kernel();
  lock.lock();
  ++shared_->kernels_run;
  return true;
}

int64_t NamedPool::kernels_run() const {
  std::lock_guard lock(shared_->mu);
  return shared_->kernels_run;
}

NamedPool::Load NamedPool::load() const {
  std::lock_guard lock(shared_->mu);
  return {shared_->live_threads, shared_->busy, static_cast<int64_t>(shared_->actors.size()),
          static_cast<int64_t>(shared_->kernels.size()), shared_->kernels_run};
}

bool NamedPool::Shared::is_waited_for() {
  std::lock_guard lock(mu);
  return !actors.empty() || !kernels.empty();
}

/// Takes the turns that this thread has kept for itself.
void NamedPool::go_on(Unit* unit) {
  Worker& worker = Worker::of_thread();
  for (int own = 1; worker.next != nullptr; ++own) {
    caf::resumable* const next = std::exchange(worker.next, nullptr);
    Hand::of_thread->tell_news();
    if (own > kOwnTurns) {
      if (unit->shared()->is_waited_for()) return unit->shared()->enqueue(next);
      own = 1;
    }
    resume(next, unit);
  }
}

void NamedPool::work(std::shared_ptr<Shared> shared, Urgency urgency) {
  const FlushDenormals flush;
  if (urgency == Urgency::kLabour) yield_to_others();
  Unit unit(shared.get());
  Worker::of_thread().shared = shared.get();
  Hand hand;
  std::unique_lock lock(shared->mu);
  while (true) {
    while (!shared->stopping && !shared->has_work()) shared->sleep(lock);
    if (!shared->has_work()) {
      --shared->live_threads;
      return;
    }
    caf::resumable* actor = nullptr;
    std::shared_ptr<KernelQueue> queue;
    if (!shared->actors.empty()) {
      actor = shared->actors.front();
      shared->actors.pop_front();
    } else {
      queue = std::move(shared->kernels.front());
      shared->kernels.pop_front();
    }
    ++shared->busy;
    const bool wakes = shared->wakes_another();
    lock.unlock();
    if (wakes) shared->arrived.notify_one();
    if (actor != nullptr) resume(actor, &unit);
    const bool ran_kernel = queue != nullptr && run_next(*queue, &unit);
    go_on(&unit);
    // It looks itself.
    if (hand.news_ == shared) hand.news_ = nullptr;
    hand.tell_news();
    lock.lock();
    --shared->busy;
    if (ran_kernel) ++shared->kernels_run;
  }
}

}  // namespace troupe
