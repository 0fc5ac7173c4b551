#include <algorithm>

#include "actors/step/executor_frame.h"

// A step that is at rest, copied: what it has computed need not be computed again by those who go on from there.

namespace troupe {

bool ExecutorState::at_rest() {
  if (aborted_ || head_ != tail_ || !deferred_.empty()) return false;
  {
    std::lock_guard lock(completed_mu_);
    if (!completed_.empty()) return false;
  }
  return std::all_of(tasks_.begin(), tasks_.end(), [&](const auto& t) {
    return !t->context.has_value() || partition_->node(t->node).kind == NodeKind::kRecv;
  });
}

std::shared_ptr<ExecutorState::Snapshot> ExecutorState::copy() const {
  auto snapshot = std::make_shared<Snapshot>();
  if (root_ == nullptr || root_->iterations.empty()) return snapshot;
  Snapshot::Copies copies;
  snapshot->root_ = std::make_unique<Frame>();
  snapshot->copy_frame(*root_, snapshot->root_.get(), &copies);
  for (const auto& t : tasks_) {
    if (t->context.has_value())
      snapshot->receives_.push_back({t->node, t->context->is_input_dead, copies.at(t->iteration)});
  }
  return snapshot;
}

/// `to` has its place among frames and iterations. What is copied hangs there at once, so that it is freed whatever happens.
void ExecutorState::Snapshot::copy_frame(const Frame& from, Frame* to, Copies* copies) {
  to->index = from.index;
  to->id = from.id;
  to->pending_enters = from.pending_enters;
  to->last = from.last;
  to->alive = from.alive;
  to->invariants = from.invariants;
  to->parked = from.parked;
  to->dead_exits = from.dead_exits;
  to->iterations.reserve(from.iterations.size());
  for (const IterationState* old : from.iterations) {
    auto fresh = std::make_unique<IterationState>(*old);
    fresh->frame = to;
    fresh->children.clear();
    fresh->children.reserve(old->children.size());
    IterationState* iteration = fresh.release();
    to->iterations.push_back(iteration);
    (*copies)[old] = iteration;
    for (const Frame* old_child : old->children) {
      auto child = std::make_unique<Frame>();
      child->parent = to;
      child->parent_iteration = iteration;
      iteration->children.push_back(child.get());
      copy_frame(*old_child, child.release(), copies);
    }
  }
}

ExecutorState::Snapshot::~Snapshot() {
  std::vector<std::unique_ptr<Frame>> frames;
  frames.push_back(std::move(root_));
  while (!frames.empty()) {
    const std::unique_ptr<Frame> f = std::move(frames.back());
    frames.pop_back();
    if (f == nullptr) continue;
    for (IterationState* it : f->iterations) {
      for (Frame* child : it->children) frames.emplace_back(child);
      delete it;
    }
  }
}

void ExecutorState::start_from(StepState* step, bool inline_only, Snapshot& from, ParallelRunner* loops) {
  prepare(step, inline_only, false, loops);
  // Of a partition that was through the frame has no iterations: this one is, too.
  root_ = from.root_ != nullptr ? std::move(from.root_) : std::make_unique<Frame>();
  for (const Ready& r : std::exchange(from.receives_, {})) {
    if (tail_ - head_ == ring_.size()) grow_ring();
    // Its iteration counts it already.
    ring_[tail_++ & ring_mask_] = r;
  }
}

}  // namespace troupe
