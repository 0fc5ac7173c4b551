// Tasks that join, leave and take each other's places while sessions live.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "actors/node_client/cluster_calls.h"
#include "tests/actors/node/cluster_fixture.h"
#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace graph_text;
using std::chrono::milliseconds;

/// y = x, by way of task `from` and then of task `to`.
std::string across(int from, int to) {
  return node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
         node("there", "Neg", {"x"}, attr("T", "type: DT_FLOAT") + on_task(from)) +
         node("y", "Neg", {"there"}, attr("T", "type: DT_FLOAT") + on_task(to));
}

class ClusterMembers : public ClusterTest {
 protected:
  ClusterDoor door(int task) const {
    return {absl::StrCat("127.0.0.1:", machines_[task]->node->port()), options_.tls, milliseconds(5000)};
  }
  /// Where nobody listens.
  static std::string free_address() {
    struct Planned : TestCluster {
      using TestCluster::options_;
      using TestCluster::plan;
    } other;
    other.plan(1);
    return other.options_.cluster.address({"worker", 0})->to_string();
  }
  /// Asks that node to be taken in, and starts.
  void join(int task, int by, bool replace = false) { join_at(task, by, free_address(), replace); }
  void join_at(int task, int by, const std::string& address, bool replace = false) {
    const auto known = join_cluster(door(by), {"worker", task}, address, replace);
    ASSERT_TRUE(known.ok()) << known.status();
    const ClusterNodeOptions before = options_;
    options_.cluster = known->cluster;
    options_.changes = known->changes;
    if (machines_.size() <= static_cast<size_t>(task)) machines_.resize(static_cast<size_t>(task) + 1);
    std::unique_ptr<Machine> there = std::move(machines_[task]);
    start(task);
    if (there != nullptr) replaced_.push_back(std::move(there));
    options_ = before;
  }
  ClusterNode& task(int index) { return *machines_[index]->node; }
  /// With x = 3.
  static absl::StatusOr<std::vector<Tensor>> run(Session& session, const std::string& name) {
    return session.run({{"x", Tensor::scalar<float>(3)}}, {name});
  }
  static float value_of(Session& session, const std::string& name) {
    const auto out = run(session, name);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].flat<float>()[0] : 0;
  }
  bool comes_to_know(int index, int tasks) {
    for (int i = 0; i < 500; ++i) {
      if (task(index).cluster().num_tasks() == tasks) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  /// Whose places others have.
  std::vector<std::unique_ptr<Machine>> replaced_;
};

TEST_F(ClusterMembers, a_task_joins_while_a_session_lives) {
  start_all(2);
  auto before = open(across(1, 0));
  EXPECT_EQ(value_of(*before, "y"), 3);
  // By the one that is nobody's master.
  join(2, 1);
  EXPECT_TRUE(comes_to_know(0, 3));
  auto after = open(across(1, 2) + node("z", "Neg", {"y"}, attr("T", "type: DT_FLOAT") + on_task(0)));
  EXPECT_EQ(value_of(*after, "z"), -3);
  const auto devices = after->list_devices();
  ASSERT_TRUE(devices.ok());
  EXPECT_EQ(devices->size(), 3u);
  // The other one has the tasks that it opened with, and goes on.
  EXPECT_EQ(value_of(*before, "y"), 3);
  EXPECT_EQ(before->list_devices()->size(), 2u);
}

TEST_F(ClusterMembers, who_joins_may_be_the_master) {
  start_all(1);
  join(1, 0);
  auto session = task(1).open_session();
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->list_devices()->size(), 2u);
}

TEST_F(ClusterMembers, workers_that_never_met_hear_of_each_other_from_the_master) {
  start_all(1);
  for (int i = 1; i < 5; ++i) join(i, i - 1);
  auto session = open(across(4, 2));
  EXPECT_EQ(value_of(*session, "y"), 3);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(comes_to_know(i, 5)) << i;
}

TEST_F(ClusterMembers, many_join_by_different_nodes_at_once) {
  start_all(2);
  constexpr int kNew = 60;
  std::vector<std::future<absl::Status>> joining;
  for (int i = 0; i < kNew; ++i) {
    joining.push_back(std::async(std::launch::async, [at = door(i % 2), i] {
      return join_cluster(at, {"ps", i}, absl::StrCat("127.0.0.1:", i + 1)).status();
    }));
  }
  for (auto& joined : joining) EXPECT_EQ(joined.get(), absl::OkStatus());
  // Which have not met: they tell each other when they do, more than a hello may be long.
  const SessionOptions workers = *SessionOptions::from_config_text("device_filters: '/job:worker'");
  EXPECT_EQ(task(0).open_session(workers).status(), absl::OkStatus());
  for (int i : {0, 1}) EXPECT_TRUE(comes_to_know(i, 2 + kNew)) << i;
  EXPECT_EQ(task(0).cluster(), task(1).cluster());
}

TEST_F(ClusterMembers, a_task_leaves_and_nobody_waits_for_it) {
  options_.open_patience = milliseconds(2000);
  start_all(3);
  auto session = open(across(1, 0));
  EXPECT_EQ(value_of(*session, "y"), 3);
  EXPECT_EQ(task(2).leave(), absl::OkStatus());
  stop(2);
  auto after = task(0).open_session();
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ((*after)->list_devices()->size(), 2u);
  // Who had a part there has lost it, whether or not he had run it.
  const absl::Status lost = run(*session, "y").status();
  EXPECT_TRUE(lost.ok() || absl::IsUnavailable(lost) || absl::IsAborted(lost)) << lost;
}

TEST_F(ClusterMembers, a_session_that_waits_for_a_task_that_leaves_waits_no_more) {
  options_.open_patience = std::chrono::seconds(20);
  plan(3);
  start(0);
  start(1);
  auto opening = std::async(std::launch::async, [this] { return task(0).open_session().status(); });
  EXPECT_EQ(opening.wait_for(milliseconds(200)), std::future_status::timeout);
  ASSERT_TRUE(leave_cluster(door(1), {"worker", 2}).ok());
  EXPECT_EQ(opening.get(), absl::OkStatus());
}

TEST_F(ClusterMembers, steps_on_a_task_that_is_taken_out_end) {
  start_all(3);
  auto session =
      open(node("never", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + on_task(2)) + across(1, 0) +
           node("q", "FIFOQueueV2", {},
                "attr { key: 'component_types' value { list { type: DT_FLOAT } } } " + on_task(2)) +
           node("blocked", "QueueDequeueV2", {"q"},
                "attr { key: 'component_types' value { list { type: DT_FLOAT } } } " + on_task(2)));
  auto running = std::async(std::launch::async, [&] { return session->run({}, {"blocked"}).status(); });
  EXPECT_EQ(running.wait_for(milliseconds(200)), std::future_status::timeout);
  ASSERT_TRUE(leave_cluster(door(1), {"worker", 2}).ok());
  const absl::Status end = running.get();
  EXPECT_TRUE(absl::IsUnavailable(end) || absl::IsAborted(end)) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr(task_name(2)));
}

TEST_F(ClusterMembers, a_place_is_taken_by_force_alone) {
  start_all(2);
  const absl::Status taken = join_cluster(door(0), {"worker", 1}, "127.0.0.1:1").status();
  EXPECT_TRUE(absl::IsAlreadyExists(taken)) << taken;
  EXPECT_THAT(std::string(taken.message()), AllOf(HasSubstr(task_name(1)), HasSubstr("127.0.0.1:1")));
}

TEST_F(ClusterMembers, a_node_whose_place_is_taken_hears_who_has_it) {
  plan(2);
  start(0);
  std::promise<absl::Status> told;
  options_.expelled = [&told](const absl::Status& why) { told.set_value(why); };
  start(1);
  options_.expelled = nullptr;
  auto session = open(across(1, 0));
  EXPECT_EQ(value_of(*session, "y"), 3);
  join(1, 0, /*replace=*/true);
  const absl::Status expelled = told.get_future().get();
  EXPECT_TRUE(absl::IsFailedPrecondition(expelled)) << expelled;
  EXPECT_THAT(std::string(expelled.message()),
              AllOf(HasSubstr(task_name(1) + " is served by"), HasSubstr("and not by")));
  // What the session had there is lost, and stays so.
  for (int i = 0; i < 3; ++i) {
    const absl::Status lost = run(*session, "y").status();
    EXPECT_TRUE(absl::IsUnavailable(lost) || absl::IsAborted(lost)) << lost;
    EXPECT_THAT(std::string(lost.message()), HasSubstr(task_name(1)));
  }
  auto next = open(across(1, 0));
  EXPECT_EQ(value_of(*next, "y"), 3);
  EXPECT_TRUE(comes_to_open(1, 1));
}

TEST_F(ClusterMembers, who_has_left_and_comes_back_by_an_old_list_is_not_heard) {
  options_.open_patience = milliseconds(500);
  start_all(2);
  ASSERT_TRUE(leave_cluster(door(0), {"worker", 1}).ok());
  stop(1);
  std::promise<absl::Status> told;
  options_.expelled = [&told](const absl::Status& why) { told.set_value(why); };
  start(1);
  const absl::Status alone = task(1).open_session().status();
  EXPECT_FALSE(alone.ok());
  const absl::Status expelled = told.get_future().get();
  EXPECT_THAT(std::string(expelled.message()), HasSubstr(task_name(1) + " has left the cluster"));
  // It may ask to be taken in again.
  const std::string address = options_.cluster.address({"worker", 1})->to_string();
  stop(1);
  options_.expelled = nullptr;
  join_at(1, 0, address);
  auto session = open(across(1, 0));
  EXPECT_EQ(value_of(*session, "y"), 3);
}

TEST_F(ClusterMembers, a_joined_task_that_is_started_again_is_there_again) {
  start_all(1);
  const std::string address = free_address();
  join_at(1, 0, address);
  auto session = open(across(1, 0));
  EXPECT_EQ(value_of(*session, "y"), 3);
  stop(1);
  join_at(1, 0, address);
  auto next = open(across(1, 0));
  EXPECT_EQ(value_of(*next, "y"), 3);
}

TEST_F(ClusterMembers, a_node_with_a_port_of_the_systems_is_found_by_who_joins) {
  ASSERT_TRUE(options_.cluster.add({"worker", 0}, "127.0.0.1:0").ok());
  machines_.resize(1);
  start(0);
  join(1, 0);
  auto session = task(1).open_session();
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->list_devices()->size(), 2u);
}

TEST_F(ClusterMembers, anybody_may_ask_who_is_there) {
  start_all(2);
  const auto known = get_cluster(door(1));
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->cluster, options_.cluster);
  EXPECT_TRUE(known->changes.empty());
  const absl::Status nobody = get_cluster({free_address(), {}, milliseconds(200)}).status();
  EXPECT_TRUE(absl::IsUnavailable(nobody)) << nobody;
  EXPECT_TRUE(absl::IsInvalidArgument(get_cluster({"nowhere", {}, milliseconds(200)}).status()));
}

TEST_F(ClusterMembers, refuses_what_no_cluster_has) {
  start_all(1);
  EXPECT_TRUE(absl::IsInvalidArgument(join_cluster(door(0), {"worker", 1}, "127.0.0.1:0").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(join_cluster(door(0), {"7", 1}, "127.0.0.1:1").status()));
  EXPECT_TRUE(absl::IsNotFound(leave_cluster(door(0), {"worker", 1}).status()));
}

TEST_F(ClusterMembers, by_tls_who_joins_shows_a_certificate_of_his_host) {
  const Authority authority, others;
  options_.tls = authority.issue();
  start_all(2);
  join(2, 1);
  auto session = open(across(2, 0));
  EXPECT_EQ(value_of(*session, "y"), 3);
  ClusterDoor stranger = door(0);
  stranger.tls = others.issue();
  EXPECT_TRUE(absl::IsUnavailable(leave_cluster(stranger, {"worker", 1}).status()));
  EXPECT_EQ(task(0).cluster().num_tasks(), 3);
}

}  // namespace
}  // namespace troupe::test
