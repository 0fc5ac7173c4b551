// Sessions elsewhere, at a master that the test plays.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/remote_master.h"
#include "graph/ir/graph_increment.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;

using Fetched = absl::StatusOr<std::vector<Tensor>>;

/// Keeps what it is asked, and answers when the test says so: each fetch is its place plus ten.
class PlayedMaster final : public RemoteMaster {
 public:
  PlayedMaster() : RemoteMaster("played://here") {}

  void create(tensorflow::GraphDef graph, Ended done) override {
    note(absl::StrCat("create ", graph.node_size()), done);
  }
  void extend(tensorflow::GraphDef graph, Ended done) override {
    note(absl::StrCat("extend ", graph.node_size()), done);
  }
  void run(int64_t id, Step step, StepEnded done) override {
    {
      std::lock_guard lock(mu_);
      fetches = step.fetches;
    }
    begin(id, step.fetches.size(), std::move(done));
  }
  void run_callable(int64_t id, int64_t, const std::vector<Tensor>&, size_t num_fetches,
                    StepEnded done) override {
    begin(id, num_fetches, std::move(done));
  }
  void cancel(int64_t id) override { end(id, absl::CancelledError("as the client wants")); }
  void set_up_partial_run(const std::vector<std::string>&, const std::vector<std::string>&,
                          const std::vector<std::string>&, Answer<std::string> done) override {
    note("set up", [done](const absl::Status& s) { s.ok() ? done("its name") : done(s); });
  }
  void make_callable(const CallableOptions&, Answer<int64_t> done) override {
    note("callable", [done](const absl::Status& s) { s.ok() ? done(5) : done(s); });
  }
  void release_callable(int64_t callable) override { note(absl::StrCat("release ", callable), nullptr); }
  void list_devices(Answer<std::vector<DeviceInfo>> done) override {
    note("devices", [done](const absl::Status& s) { s.ok() ? done(std::vector<DeviceInfo>()) : done(s); });
  }
  void close(std::chrono::milliseconds, Ended done) override { note("close", done); }

  /// The test: what was asked, once there is so much of it.
  std::vector<std::string> await_asked(size_t n) {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return asked_.size() >= n; })) << asked_.size();
    return asked_;
  }
  /// Answers what was asked as number `i`.
  void answer(size_t i, const absl::Status& status = absl::OkStatus()) {
    await_asked(i + 1);
    Ended done;
    {
      std::lock_guard lock(mu_);
      done = std::exchange(open_.at(i), nullptr);
    }
    done(status);
  }
  /// Ends the only step that is under way.
  void end_step(const absl::Status& status = absl::OkStatus()) {
    int64_t id = 0;
    {
      std::unique_lock lock(mu_);
      EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return !steps_.empty(); }));
      id = steps_.begin()->first;
    }
    end(id, status);
  }

  /// What was not answered holds the session.
  void forget() {
    std::vector<Ended> open;
    std::map<int64_t, std::pair<size_t, StepEnded>> steps;
    std::lock_guard lock(mu_);
    open.swap(open_);
    steps.swap(steps_);
  }

  std::vector<std::string> fetches;

 private:
  static constexpr std::chrono::seconds kPatience{20};

  void note(std::string what, Ended done) {
    std::lock_guard lock(mu_);
    asked_.push_back(std::move(what));
    open_.push_back(std::move(done));
    changed_.notify_all();
  }
  void begin(int64_t id, size_t num_fetches, StepEnded done) {
    std::lock_guard lock(mu_);
    steps_[id] = {num_fetches, std::move(done)};
    changed_.notify_all();
  }
  void end(int64_t id, const absl::Status& status) {
    std::pair<size_t, StepEnded> step;
    {
      std::lock_guard lock(mu_);
      const auto found = steps_.find(id);
      if (found == steps_.end()) return;
      step = std::move(found->second);
      steps_.erase(found);
    }
    StepEnd end{status, {}, ""};
    for (size_t i = 0; i < step.first && status.ok(); ++i)
      end.fetches.push_back(Tensor::scalar<float>(static_cast<float>(10 + i)));
    step.second(std::move(end));
  }

  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<std::string> asked_;
  std::vector<Ended> open_;
  std::map<int64_t, std::pair<size_t, StepEnded>> steps_;
};

class RemoteSessionTest : public SessionTest {
 protected:
  RemoteSessionTest() {
    const int x = placeholder("x");
    add("y", "TestAdd", {}, {{x, 0}, {x, 0}});
    SessionOptions options;
    options.master = master_;
    // Without its graph, for which each test answers.
    auto session = Session::open(*runtime_, options);
    EXPECT_EQ(session.status(), absl::OkStatus());
    session_ = *std::move(session);
  }
  ~RemoteSessionTest() override { master_->forget(); }
  template <class Call>
  static auto later(Call call) {
    return std::async(std::launch::async, std::move(call));
  }
  /// It has its graph: the first that is asked.
  void create() {
    auto created = later([this] { return session_->create(graph_.clone()); });
    master_->answer(0);
    EXPECT_EQ(created.get(), absl::OkStatus());
  }
  /// The end of the session, which is asked for as number `i`.
  void end(size_t i) {
    auto ended = later([this] { session_.reset(); });
    master_->answer(i);
    ended.get();
  }

  const std::shared_ptr<PlayedMaster> master_ = std::make_shared<PlayedMaster>();
};

TEST_F(RemoteSessionTest, sends_one_change_after_the_other) {
  auto created = later([this] { return session_->extend(graph_.clone()); });
  EXPECT_THAT(master_->await_asked(1), ElementsAre("create 2"));
  const int known = graph_.num_ids();
  add("z", "TestAdd", {}, {{0, 0}, {0, 0}});
  auto extended = later([this, known] { return session_->extend(increment_of(graph_, known)); });
  EXPECT_EQ(extended.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  master_->answer(0);
  EXPECT_EQ(created.get(), absl::OkStatus());
  EXPECT_THAT(master_->await_asked(2), ElementsAre("create 2", "extend 1"));
  master_->answer(1, absl::InvalidArgumentError("not this"));
  EXPECT_EQ(extended.get(), absl::InvalidArgumentError("not this"));
  extended = later([this, known] { return session_->extend(increment_of(graph_, known)); });
  master_->answer(2);
  EXPECT_EQ(extended.get(), absl::OkStatus()) << "what was refused was none";
  end(3);
}

TEST_F(RemoteSessionTest, closes_while_it_gets_its_graph) {
  auto created = later([this] { return session_->create(graph_.clone()); });
  master_->await_asked(1);
  auto closed = later([this] { return session_->close(); });
  EXPECT_THAT(master_->await_asked(2), ElementsAre("create 2", "close"));
  EXPECT_EQ(created.get(), absl::CancelledError("Session has been closed."));
  master_->answer(0);
  master_->answer(1);
  EXPECT_EQ(closed.get(), absl::OkStatus());
  EXPECT_EQ(session_->run({}, {"y"}).status(), absl::CancelledError("Session has been closed."));
}

TEST_F(RemoteSessionTest, fetches_each_tensor_once) {
  create();
  auto ran = later([this] { return session_->run({}, {"b", "a:1", "b:0", "a:1"}); });
  master_->end_step();
  const Fetched fetched = ran.get();
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_THAT(master_->fetches, ElementsAre("a:1", "b:0"));
  std::vector<float> values;
  for (const Tensor& t : *fetched) values.push_back(t.value<float>());
  EXPECT_THAT(values, ElementsAre(11, 10, 11, 10));
  end(1);
}

TEST_F(RemoteSessionTest, cancels_at_its_master) {
  create();
  auto ran = later([this] { return session_->run({}, {"y"}); });
  while (session_->inspect()->empty()) std::this_thread::yield();
  EXPECT_EQ(*session_->cancel("enough"), 1);
  EXPECT_EQ(ran.get().status(), absl::CancelledError("Run call was cancelled: enough"));
  end(1);
}

TEST_F(RemoteSessionTest, releases_a_callable_when_its_last_run_has_ended) {
  create();
  CallableOptions options;
  options.fetches = {"y"};
  auto made = later([&] { return session_->make_callable(options); });
  master_->answer(1);
  const CallableHandle handle = made.get().value_or(-1);
  auto ran = later([&] {
    Tensor fetches[1];
    return session_->run_callable(handle, {}, fetches);
  });
  while (session_->inspect()->empty()) std::this_thread::yield();
  EXPECT_EQ(session_->release_callable(handle), absl::OkStatus());
  EXPECT_EQ(master_->await_asked(2).size(), 2u) << "it runs";
  master_->end_step();
  EXPECT_EQ(ran.get(), absl::OkStatus());
  EXPECT_THAT(master_->await_asked(3), ElementsAre("create 2", "callable", "release 5"));
  end(3);
}

TEST_F(RemoteSessionTest, answers_who_waits_when_it_dies) {
  create();
  const SessionActor actor = release_session(std::move(session_));
  auto devices =
      later([&] { return ask<ListDevicesReply>(runtime_->system(), actor, ListDevicesRequest{}); });
  master_->await_asked(2);
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  EXPECT_EQ(devices.get().status(), absl::CancelledError("Session has been closed."));
  EXPECT_THAT(master_->await_asked(3), ElementsAre("create 2", "devices", "close"));
}

TEST_F(RemoteSessionTest, a_turn_ends_with_the_session) {
  create();
  auto begun = later([this] { return session_->partial_run_setup({}, {"y"}); });
  master_->answer(1);
  const auto name = begun.get();
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_EQ(*name, "its name");
  auto turn = later([&] { return session_->partial_run(*name, {}, {"y"}); });
  while (session_->inspect_partial_run(*name)->turns_waiting == 0) std::this_thread::yield();
  auto closed = later([this] { return session_->close(); });
  EXPECT_EQ(turn.get().status(), absl::CancelledError("Session has been closed."));
  master_->answer(2);
  EXPECT_EQ(closed.get(), absl::OkStatus());
}

}  // namespace
}  // namespace troupe::test
