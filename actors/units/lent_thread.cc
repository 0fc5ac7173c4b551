#include "actors/units/lent_thread.h"

#include <utility>

#include "actors/units/go_first.h"
#include "actors/units/named_pool.h"

namespace troupe {
namespace {

thread_local LentThread* unit_here = nullptr;

}  // namespace

LentThread* LentThread::here() { return unit_here; }

void LentThread::exec_later(caf::resumable* job) {
  if (is_lent_here()) {
    if (GoFirst::active()) {
      local_.push_front(job);
    } else {
      local_.push_back(job);
    }
    return;
  }
  // A kernel of the step has ended on this thread: it goes on here.
  if (NamedPool::run_after_kernel(job)) return;
  std::shared_ptr<LentThread> lender;
  {
    std::lock_guard lock(mu_);
    if (open_.load(std::memory_order_acquire)) {
      remote_.push_back(job);
      has_remote_.store(true, std::memory_order_release);
      rouse();
      return;
    }
    lender = lender_;
  }
  if (lender != nullptr) return lender->exec_later(job);
  NamedPool* const others = pool();
  if (taken_anywhere_.load(std::memory_order_relaxed) && TurnsHere::keep(job, others, &system())) return;
  others->enqueue(job);
}

void LentThread::set_lender(std::shared_ptr<LentThread> lender) {
  std::lock_guard lock(mu_);
  lender_.swap(lender);
}

std::shared_ptr<LentThread> LentThread::lender_of(const std::shared_ptr<LentThread>& unit) {
  std::lock_guard lock(unit->mu_);
  return unit->lender_ != nullptr ? unit->lender_ : unit;
}

void LentThread::open() {
  // No lock: what still goes to the pool meanwhile runs there as well.
  owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  open_.store(true, std::memory_order_release);
  unit_here = this;
}

void LentThread::hear_from(std::shared_ptr<AnswerSource> source) {
  if (source_ == source) return;
  if (source_ != nullptr) source_->leave();
  source_ = std::move(source);
}

void LentThread::resume(caf::resumable* job) {
  switch (job->resume(this, NamedPool::kMessagesPerTurn)) {
    case caf::resumable::resume_later: local_.push_back(job); break;
    default: caf::intrusive_ptr_release(job); break;
  }
}

bool LentThread::run_next() {
  // What other threads sent goes first now and then: a cancel must not wait behind an endless loop.
  if (has_remote_.load(std::memory_order_acquire)) {
    std::lock_guard lock(mu_);
    for (auto it = remote_.rbegin(); it != remote_.rend(); ++it) local_.push_front(*it);
    remote_.clear();
    has_remote_.store(false, std::memory_order_relaxed);
  }
  if (local_.empty()) return false;
  resume(local_.pop_front());
  return true;
}

bool LentThread::run_kernel(NamedPool::Hand* hand, const void* step) {
  const auto kernel = hand->take(*pool(), step);
  if (!kernel) return false;
  close();
  hand->run(*kernel);
  open();
  return true;
}

void LentThread::run_until(const std::atomic<bool>& done, const void* step) {
  NamedPool::Hand hand;
  while (!done.load(std::memory_order_acquire)) {
    if (run_next()) {
      if (!local_.empty()) hand.tell_news();
      continue;
    }
    if (step != nullptr && run_kernel(&hand, step)) continue;
    NamedPool::hand_over();
    if (!hear(done)) sleep(done);
  }
}

void LentThread::sleep(const std::atomic<bool>& done) {
  std::unique_lock lock(mu_);
  sleeping_ = true;
  arrived_.wait(lock, [&] { return !remote_.empty() || done.load(std::memory_order_acquire); });
  sleeping_ = false;
}

bool LentThread::hear(const std::atomic<bool>& done) {
  if (source_ == nullptr) return false;
  {
    std::lock_guard lock(mu_);
    if (!remote_.empty() || done.load(std::memory_order_acquire)) return true;
    hearing_ = true;
  }
  const bool heard = source_->hear();
  std::lock_guard lock(mu_);
  hearing_ = false;
  return heard;
}

void LentThread::rouse() {
  if (sleeping_) arrived_.notify_one();
  if (hearing_) source_->interrupt();
}

void LentThread::close() {
  unit_here = nullptr;
  if (source_ != nullptr) std::exchange(source_, nullptr)->leave();
  std::vector<caf::resumable*> rest;
  {
    std::lock_guard lock(mu_);
    open_.store(false, std::memory_order_relaxed);
    owner_.store(std::thread::id(), std::memory_order_relaxed);
    rest.swap(remote_);
    has_remote_.store(false, std::memory_order_relaxed);
  }
  while (!local_.empty()) pool()->enqueue(local_.pop_front());
  for (caf::resumable* job : rest) pool()->enqueue(job);
}

void LentThread::wake() {
  // The owner looks at `done` after each turn anyway.
  if (is_lent_here()) return;
  std::lock_guard lock(mu_);
  rouse();
}

}  // namespace troupe
