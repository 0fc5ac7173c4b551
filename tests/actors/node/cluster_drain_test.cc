// A task that finishes what it has.
#include <gmock/gmock.h>

#include <future>

#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace graph_text;
using std::chrono::milliseconds;

class ClusterDrain : public ClusterTest {
 protected:
  static std::string graph() {
    return node("x", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(1)) +
           node("y", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(0));
  }
  ClusterNode& task(int index) { return *machines_[index]->node; }
};

TEST_F(ClusterDrain, waits_for_the_sessions_of_others_and_takes_no_new_ones) {
  options_.open_patience = milliseconds(300);
  start_all(2);
  auto s = open(graph());
  const absl::Status busy = task(1).drain(milliseconds(50));
  EXPECT_EQ(busy.code(), absl::StatusCode::kDeadlineExceeded) << busy;
  EXPECT_THAT(std::string(busy.message()),
              AllOf(HasSubstr(task_name(1)), HasSubstr("1 sessions of other tasks and 0 of its own")));
  // The one that is there goes on, signatures that it has not had yet included.
  EXPECT_TRUE(s->run({}, {"y"}).ok());
  EXPECT_TRUE(s->run({}, {"x"}).ok());
  const absl::Status refused = task(0).open_session().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDeadlineExceeded) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr(task_name(1) + " is draining"));
  auto drained = std::async(std::launch::async, [this] { return task(1).drain(std::chrono::seconds(20)); });
  EXPECT_TRUE(s->run({}, {"y"}).ok());
  s.reset();
  EXPECT_EQ(drained.get(), absl::OkStatus());
}

TEST_F(ClusterDrain, a_session_that_opens_meanwhile_gets_the_next_life_of_the_task) {
  start_all(2);
  ASSERT_EQ(task(1).drain(milliseconds(50)), absl::OkStatus());
  auto opened = std::async(std::launch::async, [this] { return task(0).open_session().status(); });
  stop(1);
  start(1);
  EXPECT_EQ(opened.get(), absl::OkStatus());
}

TEST_F(ClusterDrain, waits_for_its_own_sessions) {
  start_all(2);
  auto s = open(graph());
  const absl::Status busy = task(0).drain(milliseconds(50));
  EXPECT_THAT(std::string(busy.message()), HasSubstr("0 sessions of other tasks and 1 of its own"));
  EXPECT_TRUE(absl::IsUnavailable(task(0).open_session().status()));
  EXPECT_TRUE(s->run({}, {"y"}).ok());
  EXPECT_EQ(s->close(), absl::OkStatus());
  EXPECT_EQ(task(0).drain(std::chrono::seconds(20)), absl::OkStatus());
}

}  // namespace
}  // namespace troupe::test
