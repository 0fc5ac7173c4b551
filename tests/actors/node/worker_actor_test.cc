// A WORKER without a network: requests of masters, and whose sessions there are.
#include "actors/node/worker_actor.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "actors/node/messages.h"
#include "actors/node/status_proto.h"
#include "proto/graph.pb.h"
#include "proto/node_wire.pb.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

const PeerId kMaster{TaskId{"worker", 0}, 1}, kItsNextLife{TaskId{"worker", 0}, 2};
const PeerId kOther{TaskId{"worker", 2}, 7}, kClient{std::nullopt, 8}, kAnotherClient{std::nullopt, 9};

/// What a WORKER has answered, by question. Thread-safe.
class Answers {
 public:
  void add(uint64_t question, const absl::StatusOr<absl::Cord>& answer) {
    std::lock_guard lock(mu_);
    answers_[question] = answer.status();
    if (answer.ok()) bodies_[question] = *answer;
    more_.notify_all();
  }
  /// "TASK WHY", as such an answer says.
  std::string link(uint64_t question) {
    wire::LostLink link;
    std::lock_guard lock(mu_);
    EXPECT_EQ(unpack(bodies_[question], &link), absl::OkStatus());
    return absl::StrCat(link.task(), " ", link.why().message());
  }
  absl::Status wait(uint64_t question) {
    std::unique_lock lock(mu_);
    const bool came =
        more_.wait_for(lock, std::chrono::seconds(20), [&] { return answers_.contains(question); });
    return came ? answers_[question] : absl::UnknownError("no answer");
  }

 private:
  std::mutex mu_;
  std::condition_variable more_;
  // Guarded by mu_.
  std::map<uint64_t, absl::Status> answers_;
  std::map<uint64_t, absl::Cord> bodies_;
};

/// Hears them in the place of its NODE.
class Heard final : public caf::event_based_actor {
 public:
  Heard(caf::actor_config& config, std::shared_ptr<Answers> answers)
      : caf::event_based_actor(config), answers_(std::move(answers)) {}
  caf::behavior make_behavior() override {
    return {[this](const NodeAnswer& m) { answers_->add(m.id, *m.body); }};
  }

 private:
  const std::shared_ptr<Answers> answers_;
};

class WorkerActorTest : public ClusterTest {
 protected:
  WorkerActorTest() {
    machines_.push_back(std::make_unique<Machine>());
    heard_ = system().spawn<Heard>(answers_);
    WorkerParts parts;
    parts.task = {"worker", 1};
    parts.incarnation = 5;
    parts.max_sessions_of_peer = 3;
    parts.runtime = runtime_actor(*machines_[0]->runtime);
    parts.steps = std::make_shared<StepDirectory>();
    parts.devices = *machines_[0]->runtime->make_devices({}, parts.task.to_string());
    worker_ = spawn_worker(system(), std::move(parts));
  }
  ~WorkerActorTest() override {
    caf::anon_send_exit(worker_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(heard_, caf::exit_reason::user_shutdown);
    worker_ = heard_ = nullptr;
  }
  caf::actor_system& system() { return machines_[0]->system; }

  /// Asks, and waits for the answer.
  template <class Message>
  absl::Status ask(const PeerId& from, Method method, const Message& message) {
    return answers_->wait(tell(from, method, message));
  }
  template <class Message>
  uint64_t tell(const PeerId& from, Method method, const Message& message) {
    caf::anon_send(worker_, WorkerRequest{from, method, *pack(message), NodeReply(heard_, 1, ++last_)});
    return last_;
  }
  absl::Status create(const PeerId& from, uint64_t session) {
    wire::CreateWorkerSession m;
    m.set_session(session);
    return ask(from, Method::kCreateWorkerSession, m);
  }
  static wire::DeleteWorkerSession deletion(uint64_t session) {
    wire::DeleteWorkerSession m;
    m.set_session(session);
    return m;
  }
  uint64_t watch_links(uint64_t session) {
    wire::WatchLinks m;
    m.set_session(session);
    return tell(kMaster, Method::kWatchLinks, m);
  }
  absl::Status cleanup(uint64_t session, const PeerId& from = kMaster) {
    wire::CleanupAll m;
    m.set_session(session);
    return ask(from, Method::kCleanupAll, m);
  }

  const std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
  caf::actor heard_;
  caf::actor worker_;
  uint64_t last_ = 0;
};

TEST_F(WorkerActorTest, s292_a_new_life_of_a_master_ends_the_sessions_of_the_old_one) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  ASSERT_EQ(create(kMaster, 2), absl::OkStatus());
  ASSERT_EQ(create(kOther, 3), absl::OkStatus());
  ASSERT_EQ(create(kItsNextLife, 4), absl::OkStatus());
  EXPECT_TRUE(comes_to_have(0, 2));
  EXPECT_EQ(cleanup(1).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(cleanup(2).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(cleanup(3, kOther), absl::OkStatus());
  EXPECT_EQ(cleanup(4, kItsNextLife), absl::OkStatus());
}

TEST_F(WorkerActorTest, a_master_has_so_many_sessions_and_others_have_theirs) {
  for (uint64_t session = 1; session <= 3; ++session) ASSERT_EQ(create(kMaster, session), absl::OkStatus());
  const absl::Status full = create(kMaster, 4);
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(std::string(full.message()),
              testing::HasSubstr(task_name(0) + " has 3 sessions on " + task_name(1)));
  EXPECT_EQ(create(kOther, 5), absl::OkStatus());
  EXPECT_EQ(ask(kMaster, Method::kDeleteWorkerSession, deletion(2)), absl::OkStatus());
  EXPECT_EQ(create(kMaster, 4), absl::OkStatus());
}

TEST_F(WorkerActorTest, s293_clients_that_are_no_task_end_no_sessions_of_others) {
  ASSERT_EQ(create(kClient, 1), absl::OkStatus());
  ASSERT_EQ(create(kAnotherClient, 2), absl::OkStatus());
  EXPECT_EQ(cleanup(1, kClient), absl::OkStatus());
  EXPECT_EQ(sessions_on(0), 2);
}

TEST_F(WorkerActorTest, s295_knows_no_session_that_was_not_created_and_forgets_it_gladly) {
  const absl::Status unknown = cleanup(9);
  EXPECT_EQ(unknown.code(), absl::StatusCode::kAborted) << unknown;
  EXPECT_THAT(std::string(unknown.message()), testing::HasSubstr(task_name(1)));
  EXPECT_EQ(ask(kMaster, Method::kDeleteWorkerSession, deletion(9)), absl::OkStatus());
}

TEST_F(WorkerActorTest, a_session_that_is_deleted_while_it_opens_does_not_stay) {
  for (uint64_t session = 1; session <= 20; ++session) {
    wire::CreateWorkerSession m;
    m.set_session(session);
    tell(kMaster, Method::kCreateWorkerSession, m);
    // Behind it, whether its SESSION is there by then or not.
    EXPECT_EQ(ask(kMaster, Method::kDeleteWorkerSession, deletion(session)), absl::OkStatus());
  }
  EXPECT_TRUE(comes_to_have(0, 0));
}

TEST_F(WorkerActorTest, a_part_of_a_session_that_went_meanwhile_is_lost_with_it) {
  // Its compiler was told to stop.
  PartCompiled end{1, kMaster, nullptr, NodeReply(heard_, 1, ++last_)};
  end.part = std::make_shared<absl::StatusOr<std::shared_ptr<const SignatureAlias>>>(
      absl::CancelledError("Session has been closed."));
  caf::anon_send(worker_, end);
  const absl::Status status = answers_->wait(last_);
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(task_name(1) + " does not have the session"));
}

TEST_F(WorkerActorTest, a_master_hears_of_each_link_that_is_lost_and_of_the_end) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  const auto lose = [this](int task) {
    caf::anon_send(worker_, LinkLost{{"worker", task}, absl::UnavailableError("cut")});
  };
  uint64_t watch = watch_links(1);
  lose(2);
  EXPECT_EQ(answers_->wait(watch), absl::OkStatus());
  EXPECT_EQ(answers_->link(watch), task_name(2) + " cut");
  // Before he asks again.
  for (int task : {3, 4, 3}) lose(task);
  for (int task : {3, 4}) {
    watch = watch_links(1);
    EXPECT_EQ(answers_->wait(watch), absl::OkStatus());
    EXPECT_EQ(answers_->link(watch), task_name(task) + " cut");
  }
  watch = watch_links(1);
  EXPECT_EQ(answers_->wait(watch_links(1)).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ask(kMaster, Method::kDeleteWorkerSession, deletion(1)), absl::OkStatus());
  EXPECT_EQ(answers_->wait(watch).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(answers_->wait(watch_links(1)).code(), absl::StatusCode::kAborted);
}

TEST_F(WorkerActorTest, sessions_end_with_their_owner) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  ASSERT_EQ(create(kOther, 2), absl::OkStatus());
  caf::anon_send(worker_, PeerLost{kMaster, absl::UnavailableError("gone")});
  EXPECT_TRUE(comes_to_have(0, 1));
  EXPECT_EQ(cleanup(2, kOther), absl::OkStatus());
}

TEST_F(WorkerActorTest, a_part_that_comes_after_its_cancel_begins_nothing) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  wire::CancelPart cancel;
  cancel.set_session(1);
  cancel.set_step(3);
  to_proto(absl::CancelledError("given up"), cancel.mutable_why());
  EXPECT_EQ(ask(kMaster, Method::kCancelPart, cancel), absl::OkStatus());
  wire::RunPart run;
  run.set_session(1);
  run.set_step(3);
  EXPECT_TRUE(absl::IsCancelled(ask(kMaster, Method::kRunPart, run)));
  // Another step is asked for a part that there is.
  run.set_step(4);
  EXPECT_TRUE(absl::IsAborted(ask(kMaster, Method::kRunPart, run)));
}

TEST_F(WorkerActorTest, a_part_that_makes_no_sense_is_refused) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  wire::RegisterPart part;
  part.set_session(1);
  const auto expect_refused = [&](const char* why) {
    const absl::Status refused = ask(kMaster, Method::kRegisterPart, part);
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()), testing::HasSubstr(why));
  };
  expect_refused("a part without a device for each of its partitions");
  auto* node = part.add_partitions()->add_node();
  node->set_name("fed");
  node->set_op("_Arg");
  (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  (*node->mutable_attr())["index"].set_i(1);
  part.add_devices("/job:worker/replica:0/task:1/device:CPU:0");
  part.set_num_feeds(1);
  expect_refused("node fed has the index 1");
  (*node->mutable_attr())["index"].set_i(0);
  part.add_args(1);
  expect_refused("there is no feed 1");
  part.clear_args();
  part.add_retvals(0);
  expect_refused("there is no fetch 0");
  part.clear_retvals();
  EXPECT_EQ(ask(kMaster, Method::kRegisterPart, part), absl::OkStatus());
  caf::anon_send(worker_, WorkerRequest{kMaster, Method::kRegisterPart, absl::Cord("no message"),
                                        NodeReply(heard_, 1, ++last_)});
  EXPECT_TRUE(absl::IsInvalidArgument(answers_->wait(last_)));
}

TEST_F(WorkerActorTest, a_session_is_its_masters_alone) {
  ASSERT_EQ(create(kMaster, 1), absl::OkStatus());
  const uint64_t watch = watch_links(1);
  wire::RegisterPart part;
  wire::DeregisterPart no_part;
  wire::RunPart run;
  wire::CancelPart cancel;
  wire::InspectPart inspect;
  wire::WatchLinks links;
  const auto expect_refused = [this](Method method, auto& message) {
    message.set_session(1);
    const absl::Status refused = ask(kOther, method, message);
    EXPECT_TRUE(absl::IsPermissionDenied(refused)) << static_cast<int>(method) << refused;
    EXPECT_THAT(std::string(refused.message()),
                testing::HasSubstr("is " + task_name(0) + "'s, and " + task_name(2) + " asks for it"));
  };
  expect_refused(Method::kRegisterPart, part);
  expect_refused(Method::kDeregisterPart, no_part);
  expect_refused(Method::kRunPart, run);
  expect_refused(Method::kCancelPart, cancel);
  expect_refused(Method::kInspectPart, inspect);
  expect_refused(Method::kWatchLinks, links);
  EXPECT_TRUE(absl::IsPermissionDenied(cleanup(1, kOther)));
  EXPECT_TRUE(absl::IsPermissionDenied(ask(kOther, Method::kDeleteWorkerSession, deletion(1))));
  EXPECT_EQ(cleanup(1), absl::OkStatus());
  // Its master still hears of its end.
  EXPECT_EQ(ask(kMaster, Method::kDeleteWorkerSession, deletion(1)), absl::OkStatus());
  EXPECT_TRUE(absl::IsCancelled(answers_->wait(watch)));
}

TEST_F(WorkerActorTest, a_session_that_opens_as_the_task_ends_does_not_stay) {
  std::vector<uint64_t> asked;
  for (uint64_t session = 1; session <= 3; ++session) {
    wire::CreateWorkerSession m;
    m.set_session(session);
    asked.push_back(tell(kMaster, Method::kCreateWorkerSession, m));
  }
  caf::anon_send_exit(worker_, caf::exit_reason::user_shutdown);
  for (const uint64_t question : asked) {
    const absl::Status end = answers_->wait(question);
    EXPECT_TRUE(end.ok() || absl::IsUnavailable(end)) << end;
  }
  EXPECT_TRUE(comes_to_have(0, 0));
}

}  // namespace
}  // namespace troupe::test
