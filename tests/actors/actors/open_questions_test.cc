// What an actor has to ask others about before it answers.
#include "actors/open_questions.h"

#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

/// Asks no others by itself: the test says when they have answered.
class Asked final : public caf::event_based_actor {
 public:
  Asked(caf::actor_config& config, OpenQuestions<int>* questions, size_t others)
      : caf::event_based_actor(config), questions_(questions), others_(others) {}
  caf::behavior make_behavior() override {
    return {[this](int start) {
      auto promise = make_response_promise<int>();
      questions_->open(promise, start, others_);
      return promise;
    }};
  }

 private:
  OpenQuestions<int>* const questions_;
  const size_t others_;
};

class OpenQuestionsTest : public ActorTest {
 protected:
  std::shared_ptr<Reply<int>> put(int start, size_t others) {
    actors_.push_back(system().spawn<Asked>(&questions_, others));
    auto reply = ask<int>(actors_.back(), start);
    run_all();
    return reply;
  }
  void TearDown() override {
    actors_.clear();
    run_all();
    ActorTest::TearDown();
  }

  OpenQuestions<int> questions_;
  std::vector<caf::actor> actors_;
};

TEST_F(OpenQuestionsTest, are_answered_at_once_when_nobody_else_is_asked) {
  EXPECT_EQ(put(5, 0)->value(), 5);
  EXPECT_EQ(questions_.num_open(), 0U);
}

TEST_F(OpenQuestionsTest, are_answered_with_what_all_have_said_and_forgotten) {
  const auto first = put(5, 2);
  const auto second = put(7, 1);
  questions_.answer(0) += 10;
  questions_.one_answered(0);
  run_all();
  EXPECT_TRUE(first->waits());
  questions_.one_answered(1);
  run_all();
  EXPECT_EQ(second->value(), 7);
  EXPECT_EQ(questions_.num_open(), 1U);
  questions_.ask_another(0);
  questions_.one_answered(0);
  run_all();
  EXPECT_TRUE(first->waits());
  questions_.answer(0) += 100;
  questions_.one_answered(0);
  run_all();
  EXPECT_EQ(first->value(), 115);
  EXPECT_EQ(questions_.num_open(), 0U);
}

TEST_F(OpenQuestionsTest, fail_together_each_once) {
  const auto first = put(5, 2);
  const auto second = put(7, 1);
  questions_.fail(absl::CancelledError("gone"));
  run_all();
  for (const auto& reply : {first, second}) {
    EXPECT_EQ(reply->times, 1);
    EXPECT_EQ(reply->status.code(), absl::StatusCode::kCancelled) << reply->status;
  }
  EXPECT_EQ(questions_.num_open(), 0U);
}

}  // namespace
}  // namespace troupe::test
