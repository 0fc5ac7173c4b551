#pragma once

#include <string>
#include <vector>

#include "tests/actors/stress/player.h"

namespace troupe::test {

/// A signature of the stage's graph, and what it makes of x and y.
struct Question {
  std::vector<std::string> feeds;
  std::string fetch;
  float (*answer)(float x, float y);
};

/// One with the numbers to ask it with.
struct Asking {
  const Question* question;
  float x;
  float y;
  /// In the order of the question.
  std::vector<NamedTensor> feeds() const;
  std::vector<Tensor> values() const { return values_of(feeds()); }
  /// Whether it was answered well; the test fails at a wrong answer.
  bool check(Answers& answers, Asked what, SessionMark* session,
             const absl::StatusOr<std::vector<Tensor>>& fetched) const;
};
Asking any_question(Player& p);

}  // namespace troupe::test
