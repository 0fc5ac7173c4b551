// Nodes that show each other certificates.
#include <gmock/gmock.h>

#include "tests/actors/node/cluster_fixture.h"
#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace graph_text;
using std::chrono::milliseconds;

class ClusterTls : public ClusterTest {
 protected:
  /// Task 0 opens a session over task 1, which it never reaches.
  void expect_not_heard(const std::string& why) {
    const absl::Status end = machines_[0]->node->open_session().status();
    EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded) << end;
    EXPECT_THAT(std::string(end.message()), AllOf(HasSubstr(task_name(1)), HasSubstr(why)));
    EXPECT_EQ(sessions_on(1), 0);
  }
  /// Two tasks, each with its own files.
  void start_two(const TlsOptions& first, const TlsOptions& second) {
    options_.open_patience = milliseconds(500);
    plan(2);
    options_.tls = first;
    start(0);
    options_.tls = second;
    start(1);
  }

  const Authority authority_;
};

TEST_F(ClusterTls, steps_run_on_tasks_that_know_each_other) {
  options_.tls = authority_.issue();
  start_all(3);
  auto s = open(node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
                node("a", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(1)) +
                node("b", "Neg", {"a"}, attr("T", "type: DT_FLOAT") + on_task(2)) +
                node("y", "Neg", {"b"}, attr("T", "type: DT_FLOAT") + on_task(0)));
  ASSERT_NE(s, nullptr);
  // Some of which go in pieces.
  for (const int64_t n : {int64_t{1}, int64_t{1000}, int64_t{1'500'001}}) {
    Tensor x(DataType::kFloat, Shape{n});
    for (int64_t i = 0; i < n; ++i) x.flat<float>()[i] = static_cast<float>(i % 1000);
    const auto y = s->run({{"x", x}}, {"y"});
    ASSERT_TRUE(y.ok()) << y.status();
    ASSERT_EQ((*y)[0].shape(), x.shape());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ((*y)[0].flat<float>()[i], -x.flat<float>()[i]) << i;
  }
}

TEST_F(ClusterTls, hosts_may_be_names) {
  options_.tls = authority_.issue({.hosts = {"localhost"}});
  plan(2, "localhost");
  start(0);
  start(1);
  EXPECT_TRUE(machines_[0]->node->open_session().ok());
}

TEST_F(ClusterTls, a_task_that_goes_is_found_as_without) {
  options_.tls = authority_.issue();
  start_all(2);
  auto s = open(node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
                node("y", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(1)));
  const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
  ASSERT_TRUE(s->run(feeds, {"y"}).ok());
  stop(1);
  const absl::Status lost = s->run(feeds, {"y"}).status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kUnavailable) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr(task_name(1)));
  start(1);
  EXPECT_TRUE(machines_[0]->node->open_session().ok());
}

TEST_F(ClusterTls, a_task_of_another_authority_is_not_heard) {
  const Authority another("another");
  start_two(authority_.issue(), another.issue());
  expect_not_heard("its certificate is refused");
}

TEST_F(ClusterTls, a_task_without_tls_is_not_heard) {
  start_two(authority_.issue(), {});
  expect_not_heard("");
}

TEST_F(ClusterTls, a_task_with_tls_does_not_hear_one_without) {
  start_two({}, authority_.issue());
  expect_not_heard("");
}

TEST_F(ClusterTls, who_is_called_must_have_the_host_of_his_task) {
  start_two(authority_.issue(), authority_.issue({.hosts = {"other.example"}}));
  expect_not_heard("mismatch");
}

TEST_F(ClusterTls, who_calls_must_have_the_host_of_the_task_that_he_says_he_is) {
  start_two(authority_.issue({.hosts = {"other.example"}}), authority_.issue());
  expect_not_heard("");
}

TEST_F(ClusterTls, nothing_starts_with_files_that_are_not_good) {
  plan(1);
  options_.task = {"worker", 0};
  Machine machine;
  options_.tls = authority_.issue({.name = "old", .from_hours = -2, .to_hours = -1});
  const absl::Status old = ClusterNode::start(*machine.runtime, options_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(old)) << old;
  EXPECT_THAT(std::string(old.message()), HasSubstr("certificate has expired (CN=old"));
  // A node is both ends.
  for (const char* use : {"serverAuth", "clientAuth"}) {
    options_.tls = authority_.issue({.use = use});
    EXPECT_TRUE(absl::IsInvalidArgument(ClusterNode::start(*machine.runtime, options_).status())) << use;
  }
  // Its port is free, and its name nobody's.
  options_.tls = authority_.issue();
  EXPECT_TRUE(ClusterNode::start(*machine.runtime, options_).ok());
}

TEST_F(ClusterTls, a_node_listens_for_other_machines) {
  Machine machine;
  ClusterNodeOptions options;
  ASSERT_TRUE(options.cluster.add({"worker", 0}, "0.0.0.0:0").ok());
  options.task = {"worker", 0};
  EXPECT_TRUE(absl::IsPermissionDenied(ClusterNode::start(*machine.runtime, options).status()));
  options.tls = authority_.issue();
  EXPECT_TRUE(ClusterNode::start(*machine.runtime, options).ok());
}

}  // namespace
}  // namespace troupe::test
