#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "actors/run_values.h"

namespace troupe {

struct SessionCore;

/// While it lives, a function hears what becomes of a session's steps (Session::subscribe): one event after the other, on a thread of
/// the actor system, which it must not hold. After the destructor it is not called any more, nor while the destructor runs, unless
/// it is the function itself that destroys the subscription. May outlive its session.
class StepSubscription {
 public:
  using Hear = std::function<void(const StepEvent&)>;

  StepSubscription() = default;
  StepSubscription(StepSubscription&&) noexcept = default;
  StepSubscription& operator=(StepSubscription&& other) noexcept;
  ~StepSubscription();

 private:
  friend class Session;
  struct Ear;
  class Listener;
  static absl::StatusOr<StepSubscription> begin(SessionCore& core, Hear hear,
                                                std::chrono::milliseconds slow_after);
  std::shared_ptr<Ear> ear_;
};

}  // namespace troupe
