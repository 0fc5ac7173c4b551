#include "actors/debugger_anchor.h"

// This source alone is compiled with debugging symbols in every configuration: what debuggers walk through from an anchor must be
// known to it, and is, since these types lead there.
#include "actors/runtime_impl.h"
#include "actors/step/executor_frame.h"

namespace troupe {

namespace {
[[gnu::used]] const Runtime::Impl* const runtime_type = nullptr;
[[gnu::used]] const IterationState* const iteration_type = nullptr;
// Elements of vectors and lists, which nothing else here makes complete.
static_assert(sizeof(std::weak_ptr<SessionCore>) == sizeof(std::weak_ptr<StepSlot>));
static_assert(sizeof(std::unique_ptr<ExecutorState>) == sizeof(std::unique_ptr<KernelTask>));
}  // namespace

constinit std::mutex DebuggerAnchor::mu_;
constinit DebuggerAnchor* DebuggerAnchor::first_ = nullptr;

DebuggerAnchor::DebuggerAnchor(const void* owner) : owner_(owner) {
  std::lock_guard lock(mu_);
  next_ = first_;
  first_ = this;
}

DebuggerAnchor::~DebuggerAnchor() {
  std::lock_guard lock(mu_);
  for (DebuggerAnchor** at = &first_; *at != nullptr; at = &(*at)->next_) {
    if (*at != this) continue;
    *at = next_;
    return;
  }
}

}  // namespace troupe
