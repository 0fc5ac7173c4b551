#include <algorithm>

#include "actors/step/executor_edges.h"
#include "actors/step/executor_frame.h"
#include "graph/stable_hash.h"

// Frames and their iterations.

namespace troupe {

IterationState* ExecutorState::new_iteration(Frame* frame) {
  const CompiledFrame& def = partition_->frames()[frame->index];
  auto& pool = free_iterations_[frame->index];
  std::unique_ptr<IterationState> it;
  if (pool.empty()) {
    it = std::make_unique<IterationState>();
    it->counts.resize(def.initial.size());
    it->inputs.resize(def.num_input_slots);
    if (def.has_merge) it->merge_input.resize(def.initial.size());
    for (const BoundConstant& b : def.bound_constants)
      it->inputs[b.slot].tensor = partition_->constant(b.constant);
  } else {
    it = std::move(pool.back());
    pool.pop_back();
  }
  if (!def.initial.empty()) {
    std::memcpy(it->counts.data(), def.initial.data(), def.initial.size() * sizeof(PendingCounts));
  }
  it->frame = frame;
  it->number = frame->last;
  it->outstanding_ops = 0;
  return it.release();
}

void ExecutorState::begin_iteration(Frame* frame) {
  IterationState* it = new_iteration(frame);
  frame->iterations.push_back(it);
  ++frame->alive;
  frame->dead_exits.clear();
  for (auto& [node, value] : frame->invariants) {
    const bool dead = !value.present();
    for (OutEdge e : partition_->edges(partition_->node(node))) {
      e.last_use = false;
      deliver(e, e.src_slot >= 0 ? &value : nullptr, dead, true, it);
    }
  }
}

ExecutorState::Frame* ExecutorState::find_or_create_child(IterationState* parent, int frame_index) {
  for (Frame* f : parent->children) {
    if (f->index == frame_index) return f;
  }
  std::unique_ptr<Frame> f;
  auto& pool = free_frames_[frame_index];
  if (pool.empty()) {
    f = std::make_unique<Frame>();
  } else {
    f = std::move(pool.back());
    pool.pop_back();
  }
  const CompiledFrame& def = partition_->frames()[frame_index];
  f->index = frame_index;
  f->parent = parent->frame;
  f->parent_iteration = parent;
  f->pending_enters = def.num_enters;
  f->last = 0;
  f->alive = 0;
  // The same on every device and in every process, so that both ends of a transfer agree on the key.
  f->id = stable_hash(def.name, stable_hash(parent->number, stable_hash(parent->frame->id))) | 1;
  parent->children.push_back(f.get());
  begin_iteration(f.get());
  return f.release();
}

void ExecutorState::enter(const Ready& r, const CompiledNode& n, Value* value) {
  Frame* f = find_or_create_child(r.iteration, n.aux);
  --f->pending_enters;
  if (n.is_constant_enter) {
    Value kept = value == nullptr ? Value{} : *value;
    f->invariants.emplace_back(r.node, kept);
    for (size_t i = 0; i < f->iterations.size(); ++i) {
      Value copy = kept;
      propagate(n, value == nullptr ? nullptr : &copy, value == nullptr, f->iterations[i]);
      // `propagate` moves on the last use; later iterations get a fresh copy.
    }
  } else {
    propagate(n, value, value == nullptr, f->iterations[0]);
  }
  if (f->pending_enters == 0 && !f->iterations.empty()) check_iteration_done(f->iterations[0]);
}

void ExecutorState::next_iteration(const Ready& r, const CompiledNode& n, Value* value) {
  Frame* f = r.iteration->frame;
  if (f->parent == nullptr) return propagate(n, value, false, r.iteration);
  IterationState* next = nullptr;
  if (r.iteration->number == f->last) {
    if (f->alive >= partition_->frames()[f->index].parallel_iterations) {
      f->parked.emplace_back(r.node, std::move(*value));
      return;
    }
    ++f->last;
    begin_iteration(f);
    next = f->iterations.back();
  } else {
    next = f->find(r.iteration->number + 1);
  }
  propagate(n, value, false, next);
}

void ExecutorState::check_iteration_done(IterationState* iteration) {
  Frame* f = iteration->frame;
  // Iterations end in order: only the oldest can be done.
  while (!f->iterations.empty()) {
    IterationState* oldest = f->iterations.front();
    if (oldest->outstanding_ops != 0 || !oldest->children.empty() || f->pending_enters != 0) return;
    f->iterations.erase(f->iterations.begin());
    --f->alive;
    recycle(oldest);
    if (!f->parked.empty()) {
      // Room for one more iteration now.
      auto parked = std::move(f->parked);
      f->parked.clear();
      ++f->last;
      begin_iteration(f);
      IterationState* next = f->iterations.back();
      for (auto& [node, value] : parked) propagate(partition_->node(node), &value, false, next);
    }
  }
  finish_frame(f);
}

void ExecutorState::finish_frame(Frame* f) {
  IterationState* parent = f->parent_iteration;
  for (int32_t exit : f->dead_exits) propagate(partition_->node(exit), nullptr, true, parent);
  auto& siblings = parent->children;
  siblings.erase(std::find(siblings.begin(), siblings.end(), f));
  f->dead_exits.clear();
  f->invariants.clear();
  free_frames_[f->index].emplace_back(f);
  if (parent->outstanding_ops == 0 && parent->frame->parent != nullptr) check_iteration_done(parent);
}

void ExecutorState::recycle(IterationState* iteration) {
  free_iterations_[iteration->frame->index].emplace_back(iteration);
}

/// Back to rest. What a step needed stays for the next, but for that of the first: most signatures of a program that grows
/// and runs, and grows, run once. After a clean step all values have been consumed; after an aborted one they are dropped here.
void ExecutorState::reset() {
  if (root_ == nullptr) return;
  // Kept from step to step: a step allocates nothing.
  std::vector<Frame*>& frames = frames_left_;
  frames.push_back(root_.get());
  while (!frames.empty()) {
    Frame* f = frames.back();
    frames.pop_back();
    for (IterationState* it : f->iterations) {
      frames.insert(frames.end(), it->children.begin(), it->children.end());
      it->children.clear();
      if (aborted_ || f != root_.get()) {
        // Its slots hold this step's values among constants: the next step makes a new one.
        delete it;
        continue;
      }
      recycle(it);
    }
    f->iterations.clear();
    f->invariants.clear();
    f->parked.clear();
    f->dead_exits.clear();
    f->alive = 0;
    if (f != root_.get()) free_frames_[f->index].emplace_back(f);
  }
  head_ = tail_ = 0;
  deferred_.clear();
  if (!std::exchange(ran_before_, true)) free_memory();
}

void ExecutorState::free_memory() {
  root_ = nullptr;
  for (auto& pool : free_iterations_) std::exchange(pool, {});
  for (auto& pool : free_frames_) std::exchange(pool, {});
  std::exchange(frames_left_, {});
  set_ring_size(first_ring_size());
}

}  // namespace troupe
