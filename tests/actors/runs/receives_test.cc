// Who waits for a value of a step, when that step is cancelled and when another one is. A client that takes turns of a partial run waits
// for its fetches as the nodes of a step wait for values of other devices: at the step's RENDEZVOUS.
#include <future>

#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

Tensor f(float value) { return Tensor::scalar<float>(value); }

/// twice = a + a at once; one and two, a and 2a, when the test lets go.
class Receives : public RunsTest {
 protected:
  using Fetched = absl::StatusOr<std::vector<Tensor>>;

  Receives() {
    const int a = placeholder("a");
    add("twice", "TestAdd", {}, {{a, 0}, {a, 0}});
    const int later = add("held", "TestHold", {}, {{a, 0}});
    add("one", "Identity", {{"T", DataType::kFloat}}, {{later, 0}});
    add("two", "TestAdd", {}, {{later, 0}, {later, 0}});
  }
  std::string begin(Session& s) {
    auto handle = s.partial_run_setup({"a"}, {"twice:0", "one:0", "two:0"});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return *handle;
  }
  /// A turn whose two receives wait by the time that this returns.
  static std::future<Fetched> wait_for_both(Session& s, const std::string& handle, float a) {
    const int before = held;
    auto turn = std::async(std::launch::async, [&s, handle, a] {
      return s.partial_run(handle, {{"a", f(a)}}, {"one:0", "two:0"});
    });
    while (held == before) std::this_thread::yield();
    return turn;
  }
  static void expect_cancelled(const absl::Status& status, const std::string& why) {
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    EXPECT_THAT(text(status), HasSubstr(why));
  }
};

TEST_F(Receives, s089_of_a_step_that_was_cancelled_are_cancelled_at_once) {
  Session& s = open();
  const std::string handle = begin(s);
  ASSERT_TRUE(s.partial_run(handle, {{"a", f(1)}}, {}).ok());
  ASSERT_TRUE(s.cancel_partial_run(handle, "enough").ok());
  expect_cancelled(s.partial_run(handle, {}, {"one:0"}).status(), "enough");
}

TEST_F(Receives, s090_that_wait_are_cancelled_with_their_step) {
  Session& s = open();
  const std::string handle = begin(s);
  auto turn = wait_for_both(s, handle, 1);
  ASSERT_TRUE(s.cancel_partial_run(handle, "enough").ok());
  expect_cancelled(turn.get().status(), "enough");
}

TEST_F(Receives, s091_that_were_answered_do_not_hear_of_a_cancel) {
  Session& s = open();
  const std::string handle = begin(s);
  const Fetched twice = s.partial_run(handle, {{"a", f(4)}}, {"twice:0"});
  ASSERT_TRUE(s.cancel_partial_run(handle, "enough").ok());
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ((*twice)[0].value<float>(), 8);
}

TEST_F(Receives, s092_of_another_step_get_their_values) {
  Session& s = open();
  const std::string cancelled = begin(s), other = begin(s);
  auto ends = wait_for_both(s, cancelled, 1);
  auto waits = wait_for_both(s, other, 3);
  ASSERT_TRUE(s.cancel_partial_run(cancelled, "enough").ok());
  expect_cancelled(ends.get().status(), "enough");
  let_go = true;
  const Fetched both = waits.get();
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[0].value<float>(), 3);
  EXPECT_EQ((*both)[1].value<float>(), 6);
}

}  // namespace
}  // namespace troupe::test
