// The tasks of a session as its master sees them, without a network.
#include "actors/node/cluster_tasks.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>

#include "actors/node/messages.h"
#include "actors/node/step_directory.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

const TaskId kOther{"worker", 1};
constexpr uint64_t kItsLife = 5;

/// What a NODE is asked. Thread-safe.
class Asked {
 public:
  void add(const NodeCall& call) {
    std::lock_guard lock(mu_);
    calls_.push_back(call);
    more_.notify_all();
  }
  /// The next one.
  NodeCall next() {
    std::unique_lock lock(mu_);
    if (!more_.wait_for(lock, std::chrono::seconds(20), [this] { return !calls_.empty(); })) {
      ADD_FAILURE() << "it is asked nothing";
      return {kOther, 0, Method::kNone, {}, [](const absl::StatusOr<absl::Cord>&) {}};
    }
    NodeCall call = calls_.front();
    calls_.pop_front();
    return call;
  }

 private:
  std::mutex mu_;
  std::condition_variable more_;
  std::deque<NodeCall> calls_;  // guarded by mu_
};

/// Hears it in the place of a NODE.
class Hears final : public caf::event_based_actor {
 public:
  Hears(caf::actor_config& config, std::shared_ptr<Asked> asked)
      : caf::event_based_actor(config), asked_(std::move(asked)) {}
  caf::behavior make_behavior() override {
    return {[this](const NodeCall& m) { asked_->add(m); }};
  }

 private:
  const std::shared_ptr<Asked> asked_;
};

class ClusterTasksTest : public ClusterTest {
 protected:
  ClusterTasksTest() {
    machines_.push_back(std::make_unique<Machine>());
    node_ = machines_[0]->system.spawn<Hears>(asked_);
    const auto exchange = std::make_shared<NodeExchange>(
        node_, std::make_shared<NodeSendQueue>(), TaskId{"worker", 0}, 1, std::make_shared<StepDirectory>());
    tasks_ =
        std::make_shared<ClusterTasks>(node_, 1, std::map<TaskId, uint64_t>{{kOther, kItsLife}}, exchange);
    tasks_->watch_links(
        [this](const std::vector<std::string>& tasks, const absl::Status&) { lost_ = tasks; });
  }
  ~ClusterTasksTest() override {
    tasks_ = nullptr;
    caf::anon_send_exit(node_, caf::exit_reason::user_shutdown);
    node_ = nullptr;
  }

  /// Registers a part there; the question, and the answer once there is one.
  NodeCall register_part() {
    std::vector<RemoteTasks::Part> parts(1);
    parts[0].task = kOther.to_string();
    tasks_->register_parts(std::move(parts),
                           [this](const auto& registered) { registered_ = registered.status(); });
    return asked_->next();
  }

  const std::shared_ptr<Asked> asked_ = std::make_shared<Asked>();
  caf::actor node_;
  std::shared_ptr<ClusterTasks> tasks_;
  std::vector<std::string> lost_;
  absl::Status registered_;
};

TEST_F(ClusterTasksTest, a_task_that_was_lost_begins_nothing_more_and_ends_what_it_has) {
  const NodeCall watch = asked_->next();
  EXPECT_EQ(watch.method, Method::kWatchLinks);
  EXPECT_EQ(register_part().incarnation, kItsLife);
  watch.done(absl::UnavailableError("lost"));
  EXPECT_THAT(lost_, testing::ElementsAre(kOther.to_string()));
  // It may be there, in the same life, and have the session.
  const NodeCall late = register_part();
  EXPECT_EQ(late.method, Method::kRegisterPart);
  EXPECT_NE(late.incarnation, kItsLife);
  EXPECT_NE(late.incarnation, 0);
  late.done(absl::AbortedError("another life"));
  EXPECT_TRUE(absl::IsAborted(registered_)) << registered_;
  EXPECT_THAT(std::string(registered_.message()), testing::HasSubstr(kOther.to_string() + " was lost"));
  // Nobody is there.
  register_part().done(absl::UnavailableError("not there"));
  EXPECT_TRUE(absl::IsUnavailable(registered_)) << registered_;
  tasks_ = nullptr;
  const NodeCall end = asked_->next();
  EXPECT_EQ(end.method, Method::kDeleteWorkerSession);
  EXPECT_EQ(end.incarnation, kItsLife);
}

}  // namespace
}  // namespace troupe::test
