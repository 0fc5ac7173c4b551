#include "actors/node_client/call_table.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CallTableTest : public testing::Test {
 protected:
  CallTable::Answered heard(const std::string& name) {
    return [this, name](const absl::StatusOr<absl::Cord>& answer) {
      heard_.push_back(name + ": " +
                       (answer.ok() ? std::string(*answer) : std::string(answer.status().message())));
    };
  }
  /// What was told since the last time.
  std::vector<std::string> told() {
    for (CallTable::Told& t : calls_.take_told()) t.done(std::move(t.answer));
    return std::exchange(heard_, {});
  }

  static constexpr auto kNever = CallTable::Clock::time_point::max();
  const CallTable::Clock::time_point now_ = CallTable::Clock::now();
  CallTable calls_;
  std::vector<std::string> heard_;
};

TEST_F(CallTableTest, tells_each_answer_once_in_the_order_of_the_answers) {
  const uint64_t a = calls_.add(heard("a"), kNever), b = calls_.add(heard("b"), kNever);
  EXPECT_EQ(calls_.waiting(), 2);
  EXPECT_TRUE(calls_.end(b, absl::Cord("first")));
  EXPECT_TRUE(calls_.end(a, absl::NotFoundError("second")));
  EXPECT_EQ(calls_.waiting(), 0);
  EXPECT_THAT(told(), ElementsAre("b: first", "a: second"));
  EXPECT_FALSE(calls_.end(a, absl::Cord("again")));
  EXPECT_FALSE(calls_.end(b + 1, absl::Cord("never asked")));
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(CallTableTest, gives_up_what_is_late_and_takes_its_answer_still) {
  const uint64_t a = calls_.add(heard("a"), now_ + 10ms);
  calls_.add(heard("b"), now_ + 20ms);
  EXPECT_EQ(calls_.next_deadline(), now_ + 10ms);
  calls_.tell_late(now_ + 9ms, "caf://node:1");
  EXPECT_THAT(told(), IsEmpty());
  calls_.tell_late(now_ + 10ms, "caf://node:1");
  EXPECT_THAT(told(), ElementsAre("a: caf://node:1 has not answered in time"));
  EXPECT_EQ(calls_.next_deadline(), now_ + 20ms);
  EXPECT_EQ(calls_.waiting(), 1);
  EXPECT_TRUE(calls_.end(a, absl::Cord("late")));
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(CallTableTest, has_no_deadline_of_what_has_been_answered) {
  EXPECT_EQ(calls_.next_deadline(), kNever);
  EXPECT_TRUE(calls_.end(calls_.add(heard("a"), now_), absl::Cord("well")));
  calls_.tell_late(now_ + 1s, "caf://node:1");
  EXPECT_EQ(calls_.next_deadline(), kNever);
  EXPECT_THAT(told(), ElementsAre("a: well"));
}

TEST_F(CallTableTest, ends_all_that_is_waited_for_when_the_node_is_lost) {
  const uint64_t a = calls_.add(heard("a"), now_), b = calls_.add(heard("b"), kNever);
  calls_.add(heard("c"), now_ + 1s);
  calls_.tell_late(now_, "caf://node:1");
  (void)told();
  calls_.lose(absl::UnavailableError("gone"));
  EXPECT_THAT(told(), UnorderedElementsAre("b: gone", "c: gone"));
  EXPECT_EQ(calls_.waiting(), 0);
  EXPECT_EQ(calls_.next_deadline(), kNever);
  EXPECT_FALSE(calls_.end(a, absl::Cord("late")));
  EXPECT_FALSE(calls_.end(b, absl::Cord("late")));
}

TEST_F(CallTableTest, lets_who_hears_ask_again) {
  const uint64_t a = calls_.add([this](auto) { calls_.add(heard("b"), kNever); }, kNever);
  EXPECT_TRUE(calls_.end(a, absl::Cord("well")));
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(calls_.waiting(), 1);
}

}  // namespace
}  // namespace troupe::test
