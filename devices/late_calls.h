#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/function_runner.h"

namespace troupe {

/// Calls functions for what outlives the step that made it: an iterator that ends when nobody wants it any more. Thread-safe; does not keep
/// the session.
class LateCalls {
 public:
  virtual ~LateCalls() = default;
  /// Runs the function as a step of its own and does not wait. What it gives is dropped, errors too. Once the session is closed, nothing.
  virtual void call(const FunctionRef& function, std::vector<Tensor> args) = 0;
};

/// A FunctionRunner that knows how to go on calling when its step is over.
class LateCaller {
 public:
  virtual ~LateCaller() = default;
  /// Null where functions cannot be called: `device` is as in FunctionRunner::call.
  virtual std::shared_ptr<LateCalls> late_calls(const std::string& device) const = 0;
};

/// Null, too, when this runner, which may be null, is no LateCaller.
inline std::shared_ptr<LateCalls> late_calls_of(FunctionRunner* runner, const std::string& device) {
  const auto* caller = dynamic_cast<const LateCaller*>(runner);
  return caller == nullptr ? nullptr : caller->late_calls(device);
}

}  // namespace troupe
