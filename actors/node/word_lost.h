#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"

namespace troupe {

/// Whose step hears that a word is lost. Called once at most, on NODE's thread, or a RENDEZVOUS's; must not wait.
struct WordLost {
  using FailStep = std::function<void(int64_t step, const absl::Status& why)>;
  std::shared_ptr<const FailStep> fail;
  int64_t step = 0;

  void operator()(const absl::Status& why) const {
    if (fail != nullptr) (*fail)(step, why);
  }
};

}  // namespace troupe
