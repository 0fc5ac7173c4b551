// Who comes to a node's port and is no task of its cluster.
#include <gmock/gmock.h>

#include "proto/node_wire.pb.h"
#include "tests/actors/node/cluster_fixture.h"
#include "tests/actors/node/stranger.h"
#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;
using namespace graph_text;

class ClusterStrangers : public ClusterTest {
 protected:
  ClusterStrangers() {
    // Nobody is turned away for his silence.
    options_.lease = {std::chrono::minutes(3), std::chrono::minutes(1), std::chrono::minutes(2)};
  }
  const ClusterNode& node(int task) { return *machines_[task]->node; }
  void expect_tasks_work() { EXPECT_TRUE(machines_[0]->node->open_session().ok()); }
  static NodeMessage create_session() {
    wire::CreateWorkerSession m;
    m.set_session(77);
    return {MessageKind::kRequest, Method::kCreateWorkerSession, 1, *pack(m)};
  }
};

TEST_F(ClusterStrangers, who_does_not_say_who_he_is_asks_nothing) {
  start_all(2);
  Stranger stranger(node(1));
  stranger.say(create_session());
  EXPECT_TRUE(stranger.is_turned_away());
  EXPECT_TRUE(stranger.heard.empty());
  EXPECT_EQ(sessions_on(1), 0);
  expect_tasks_work();
}

TEST_F(ClusterStrangers, who_is_no_task_of_the_cluster_asks_nothing) {
  start_all(2);
  for (const PeerId& me : {PeerId{TaskId{"worker", 2}, 5}, PeerId{TaskId{"ps", 0}, 5}}) {
    Stranger stranger(node(1));
    stranger.say_hello(me);
    EXPECT_TRUE(stranger.is_turned_away()) << me.to_string();
    EXPECT_TRUE(stranger.heard.empty()) << me.to_string();
  }
  expect_tasks_work();
}

TEST_F(ClusterStrangers, who_says_that_he_is_a_task_is_answered) {
  start_all(2);
  Stranger stranger(node(1));
  stranger.say_hello({TaskId{"worker", 0}, 5});
  stranger.say(create_session());
  EXPECT_TRUE(stranger.is_answered());
  EXPECT_TRUE(comes_to_have(1, 1)) << "without TLS it is a matter of trust";
}

TEST_F(ClusterStrangers, who_says_that_he_is_a_task_may_be_silent_as_long_as_the_options_say) {
  start_all(2);
  Stranger stranger(node(1));
  stranger.say_hello({TaskId{"worker", 0}, 5});
  std::this_thread::sleep_for(3 * LeaseOptions().lease);
  stranger.say(create_session());
  EXPECT_TRUE(stranger.is_answered());
}

TEST_F(ClusterStrangers, with_tls_nobody_without_a_certificate_is_answered) {
  const Authority authority;
  options_.tls = authority.issue();
  start_all(2);
  Stranger stranger(node(1));
  stranger.say_hello({TaskId{"worker", 0}, 5});
  stranger.say(create_session());
  EXPECT_TRUE(stranger.is_turned_away());
  EXPECT_EQ(sessions_on(1), 0);
  expect_tasks_work();
}

TEST_F(ClusterStrangers, many_of_them_keep_nobody_out) {
  start_all(2);
  Stranger first(node(1));
  std::vector<std::unique_ptr<Stranger>> others;
  for (int i = 0; i < 256; ++i) others.push_back(std::make_unique<Stranger>(node(1)));
  EXPECT_TRUE(first.is_turned_away());
  expect_tasks_work();
}

TEST_F(ClusterStrangers, a_node_has_so_many_connections) {
  options_.max_connections = 2;
  start_all(1);
  Stranger first(node(0)), second(node(0)), third(node(0));
  EXPECT_TRUE(third.is_turned_away());
  first.say_hello({TaskId{"worker", 0}, 5});
  EXPECT_TRUE(first.is_answered());
  // Those that are known count, too.
  Stranger fourth(node(0));
  EXPECT_TRUE(fourth.is_turned_away());
}

TEST_F(ClusterStrangers, a_value_has_a_size_that_the_node_says) {
  options_.max_message_bytes = 3 << 20;
  start_all(2);
  auto s = open(graph_text::node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
                graph_text::node("y", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(1)));
  EXPECT_TRUE(s->run({{"x", Tensor(DataType::kFloat, Shape{500'000})}}, {"y"}).ok());
  // As feeds, as values of a step, as fetches.
  const Tensor large = zeros(DataType::kFloat, Shape{1'000'000});
  EXPECT_TRUE(absl::IsResourceExhausted(s->run({{"x", large}}, {"y"}).status()));
  s = open(graph_text::node("n", "Placeholder", {}, attr("dtype", "type: DT_INT32")) +
           graph_text::node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1")) +
           graph_text::node("there", "Fill", {"n", "one"}, attr("T", "type: DT_FLOAT") + on_task(1)) +
           graph_text::node("here", "Fill", {"n", "one"}, attr("T", "type: DT_FLOAT") + on_task(0)) +
           graph_text::node("fetched", "Neg", {"there"}, attr("T", "type: DT_FLOAT") + on_task(1)) +
           graph_text::node("came", "Neg", {"there"}, attr("T", "type: DT_FLOAT") + on_task(0)) +
           graph_text::node("went", "Neg", {"here"}, attr("T", "type: DT_FLOAT") + on_task(1)) +
           graph_text::node("size", "Size", {"went"}, attr("T", "type: DT_FLOAT") + on_task(1)));
  for (const char* fetch : {"fetched", "came", "size"}) {
    const absl::Status end = s->run({{"n", Tensor::vector<int32_t>({1'000'000})}}, {fetch}).status();
    EXPECT_TRUE(absl::IsResourceExhausted(end)) << fetch << ": " << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("there is no room for")) << fetch;
    EXPECT_TRUE(s->run({{"n", Tensor::vector<int32_t>({1000})}}, {fetch}).ok()) << fetch;
  }
}

}  // namespace
}  // namespace troupe::test
