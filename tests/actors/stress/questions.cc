#include "tests/actors/stress/questions.h"

#include <gtest/gtest.h>

namespace troupe::test {
namespace {

const Question kQuestions[] = {
    {{"x"}, "twice", [](float x, float) { return x + x; }},
    {{"x", "y"}, "sum", [](float x, float y) { return x + y; }},
    {{"y", "x"}, "sum:0", [](float x, float y) { return x + y; }},
    {{"x"}, "far", [](float x, float) { return x + x; }},
    {{"x"}, "beside", [](float x, float) { return 4 * x; }},
    {{"x"}, "nap", [](float x, float) { return x; }},
};

}  // namespace

std::vector<NamedTensor> Asking::feeds() const {
  std::vector<NamedTensor> feeds;
  for (const std::string& f : question->feeds) feeds.push_back({f, scalar(f == "y" ? y : x)});
  return feeds;
}

bool Asking::check(Answers& answers, Asked what, SessionMark* session,
                   const absl::StatusOr<std::vector<Tensor>>& fetched) const {
  if (!answers.good(what, session, fetched.status())) return false;
  EXPECT_EQ(fetched->size(), 1U);
  EXPECT_EQ(fetched->at(0).value<float>(), question->answer(x, y)) << question->fetch;
  return true;
}

Asking any_question(Player& p) {
  const Question& question = kQuestions[p.below(std::size(kQuestions))];
  const float x = p.number();
  const float y = p.number();
  return {&question, x, y};
}

}  // namespace troupe::test
