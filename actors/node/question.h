#pragma once

#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"

namespace troupe {

/// Who waits for an answer: told once, at the latest when nobody is left who could answer. One thread at a time.
class Question {
 public:
  using Answered = std::function<void(absl::StatusOr<absl::Cord>)>;
  explicit Question(Answered answered) : answered_(std::move(answered)) {}
  Question(const Question&) = delete;
  ~Question() { answer(absl::CancelledError("the node has ended")); }
  void answer(absl::StatusOr<absl::Cord> body) {
    if (auto answered = std::exchange(answered_, nullptr)) answered(std::move(body));
  }

 private:
  Answered answered_;
};

}  // namespace troupe
