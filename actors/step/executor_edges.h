#pragma once

#include "actors/step/executor_frame.h"

/// How a value moves along an edge of a partition, and what becomes ready by it. For the sources of ExecutorState only: in a
/// header, since it is inlined where nodes end.

namespace troupe {

inline __attribute__((always_inline)) void ExecutorState::make_ready(int32_t node, bool dead,
                                                                     IterationState* iteration) {
  if (tail_ - head_ == ring_.size()) [[unlikely]]
    grow_ring();
  ++iteration->outstanding_ops;
  ring_[tail_++ & ring_mask_] = {node, dead, iteration};
}

/// Into an empty slot. References are rare: most values are tensors only.
inline __attribute__((always_inline)) void hand_over(Value& from, bool last_use, Value* to) {
  if (last_use) {
    to->tensor = std::move(from.tensor);
    if (from.ref != nullptr) [[unlikely]]
      to->ref = std::move(from.ref);
  } else {
    to->tensor = Tensor(from.tensor);
    if (from.ref != nullptr) [[unlikely]]
      to->ref = from.ref;
  }
}

/// Of a reference: what nobody has assigned yet has the type that it is declared to have.
inline DataType reference_type(RefTensor& ref, DataType declared) {
  std::lock_guard lock(ref.mu);
  return make_ref(ref.tensor.initialized() ? ref.tensor.dtype() : base_type(declared));
}

inline void drop(Value& value) {
  if (value.tensor.initialized()) value.tensor = Tensor();
  if (value.ref != nullptr) [[unlikely]]
    value.ref.reset();
}

inline __attribute__((always_inline)) void ExecutorState::deliver(const OutEdge& e, Value* value, bool dead,
                                                                  bool from_enter, IterationState* to) {
  const CompiledNode& dst = partition_->node(e.dst);
  PendingCounts& counts = to->counts[dst.local];
  bool is_data = e.dst_slot >= 0;
  bool absent = dead || (is_data && (value == nullptr || !value->present()));
  if (!e.dst_is_merge) {
    if (absent) {
      ++counts.dead;
    } else if (is_data) {
      hand_over(*value, e.last_use, &to->inputs[e.dst_slot]);
    }
    if (--counts.pending == 0) {
      make_ready(e.dst, counts.dead > 0 && dst.kind != NodeKind::kControlTrigger, to);
    }
    return;
  }
  // Merge: pending is twice the missing control inputs, plus one until a live value is here.
  bool all_dead;
  if (!is_data) {
    counts.pending -= 2;
    all_dead = counts.dead == dst.num_inputs;
  } else if (!absent) {
    if ((counts.pending & 1) == 0) return;  // a live value came before: later ones are ignored
    counts.pending -= 1;
    hand_over(*value, e.last_use, &to->inputs[e.dst_slot]);
    to->merge_input[dst.local] = e.dst_slot - dst.input_begin;
    all_dead = false;
    if (counts.pending == 0) make_ready(e.dst, false, to);
    return;
  } else {
    ++counts.dead;
    // A dead Enter never gets a next iteration to wait for.
    if (from_enter) counts.dead = dst.num_inputs;
    all_dead = counts.dead == dst.num_inputs;
    if (counts.pending != 1 || !all_dead) return;
    make_ready(e.dst, true, to);
    return;
  }
  if (counts.pending == 0) {
    make_ready(e.dst, false, to);
  } else if (counts.pending == 1 && all_dead) {
    make_ready(e.dst, true, to);
  }
}

inline void ExecutorState::propagate(const CompiledNode& n, Value* outputs, bool dead, IterationState* to) {
  for (const OutEdge& e : partition_->edges(n)) {
    deliver(e, e.src_slot >= 0 && outputs != nullptr ? &outputs[e.src_slot] : nullptr, dead, n.is_enter, to);
  }
}

inline void ExecutorState::op_finished(IterationState* iteration) {
  if (--iteration->outstanding_ops == 0 && iteration->frame->parent != nullptr)
    check_iteration_done(iteration);
}

inline void ExecutorState::clear_inputs(const CompiledNode& n, IterationState* iteration) {
  Value* in = iteration->inputs.data() + n.input_begin;
  if (n.bound_inputs != 0) {
    // Constants stay; what a kernel took is put back.
    for (int i = 0; i < n.num_inputs; ++i) {
      if (!n.is_bound(i)) {
        drop(in[i]);
      } else if (!in[i].tensor.initialized()) {
        in[i].tensor = partition_->constant_at(n.frame, n.input_begin + i);
      }
    }
    return;
  }
  for (int i = 0; i < n.num_inputs; ++i) {
    drop(in[i]);
  }
}

}  // namespace troupe
