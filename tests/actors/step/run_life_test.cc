#include "actors/step/run_life.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace troupe {
namespace {

/// One run of a slot, with everybody who may end it or die meanwhile, each a list of atomic steps: all their orders are tried.
/// Whoever would end the run counts; it must have been ended once.
class Play {
 public:
  Play(bool directly, bool executor_dies, bool step_dies) : directly_(directly) {
    parts_ = {client(), executor(executor_dies), step()};
    if (step_dies) parts_.push_back(step_death());
  }

  /// Plays the parts in the order that `order` says. False when that part could not go on: it waits for another.
  bool advance(size_t part) {
    if (at(part) == parts_[part].size() || !parts_[part][at(part)]()) return false;
    ++at_[part];
    return true;
  }
  size_t parts() const { return parts_.size(); }
  int ends() const { return ends_; }
  bool broken() const { return life_.broken(); }

 private:
  using Steps = std::vector<std::function<bool()>>;
  size_t at(size_t part) const { return at_[part]; }

  Steps client() {
    return {[this] {
      const RunLife::Start start = life_.begin(directly_);
      started_ = start != RunLife::Start::kLost;
      if (!started_) ++ends_;
      return true;
    }};
  }
  /// Ends a direct run, or tells the STEP of any other.
  Steps executor(bool dies) {
    if (dies) {
      return {[this] {
        executor_died_ = true;
        return true;
      }};
    }
    return {[this] {
      if (!started_ || (!directly_ && !step_started_)) return false;
      if (directly_) {
        ends_ += life_.claim_end();
      } else {
        executor_done_ = true;
      }
      return true;
    }};
  }
  /// Begins what is not direct, hears the executor's end or death.
  Steps step() {
    auto lives = [this] { return !step_died_; };
    return {[=, this] {
              if (!lives() || directly_ || !started_) return false;
              step_started_ = true;
              if (life_.broken()) end_by_step();
              return true;
            },
            [=, this] {
              if (!lives() || !executor_done_ || !step_started_) return false;
              end_by_step();
              return true;
            }};
  }
  Steps step_death() {
    return {[this] {
      step_died_ = true;
      ends_ += life_.lose_step();
      return true;
    }};
  }
  void end_by_step() {
    if (!step_running()) return;
    step_ended_ = true;
    ends_ += life_.claim_end();
  }
  bool step_running() const { return step_started_ && !step_ended_; }

 public:
  /// What a STEP that lives hears in any state: the executor's death.
  bool hear_death() {
    if (!executor_died_ || step_died_ || heard_) return false;
    heard_ = true;
    if (life_.lose_actor() || step_running()) {
      step_ended_ = true;
      ends_ += life_.claim_end();
    }
    return true;
  }

 private:
  const bool directly_;
  RunLife life_;
  std::vector<Steps> parts_;
  size_t at_[4] = {};
  bool started_ = false, step_started_ = false, step_ended_ = false, step_died_ = false;
  bool executor_done_ = false, executor_died_ = false, heard_ = false;
  int ends_ = 0;
};

struct Cast {
  bool directly, executor_dies, step_dies;
};

/// Tries every order that begins with `order`. Returns how many there are.
int play_all(const Cast& cast, std::vector<size_t>* order) {
  Play play(cast.directly, cast.executor_dies, cast.step_dies);
  const size_t hears = play.parts();
  auto go = [&](size_t part) { return part == hears ? play.hear_death() : play.advance(part); };
  for (size_t part : *order) EXPECT_TRUE(go(part));
  int orders = 0;
  for (size_t part = 0; part <= hears; ++part) {
    Play again(cast.directly, cast.executor_dies, cast.step_dies);
    for (size_t before : *order) before == hears ? again.hear_death() : again.advance(before);
    if (!(part == hears ? again.hear_death() : again.advance(part))) continue;
    order->push_back(part);
    orders += play_all(cast, order);
    order->pop_back();
  }
  if (orders > 0) return orders;
  std::string text;
  for (size_t part : *order) text += std::to_string(part) + " ";
  EXPECT_EQ(play.ends(), 1) << "order " << text;
  EXPECT_EQ(play.broken(), cast.executor_dies || cast.step_dies) << "order " << text;
  return 1;
}

TEST(RunLife, ends_once_in_every_order_of_events) {
  for (bool directly : {true, false}) {
    for (bool executor_dies : {true, false}) {
      for (bool step_dies : {true, false}) {
        SCOPED_TRACE(testing::Message() << "direct " << directly << ", the executor dies " << executor_dies
                                        << ", the step dies " << step_dies);
        std::vector<size_t> order;
        EXPECT_GT(play_all({directly, executor_dies, step_dies}, &order), 0);
      }
    }
  }
}

TEST(RunLife, serves_run_after_run_until_an_actor_is_lost) {
  RunLife life;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(life.begin(i % 2 == 0), i % 2 == 0 ? RunLife::Start::kDirect : RunLife::Start::kByStep);
    EXPECT_EQ(life.runs_directly(), i % 2 == 0);
    EXPECT_TRUE(life.claim_end());
    EXPECT_FALSE(life.claim_end());
  }
  EXPECT_FALSE(life.lose_actor());
  EXPECT_TRUE(life.broken());
  EXPECT_EQ(life.begin(true), RunLife::Start::kLost);
  EXPECT_EQ(life.begin(false), RunLife::Start::kByStep) << "the STEP deals with it";
  EXPECT_TRUE(life.lose_step());
  EXPECT_EQ(life.begin(false), RunLife::Start::kLost);
  EXPECT_FALSE(life.claim_end());
}

}  // namespace
}  // namespace troupe
