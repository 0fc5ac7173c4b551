// Sessions that give their graph back, and what they tell of their devices.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "actors/ask.h"
#include "actors/runtime_impl.h"
#include "devices/device_set.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// "sum" is x + x, "twice" is sum + sum.
class FinalizeTest : public SessionTest {
 protected:
  FinalizeTest() {
    const int x = placeholder("x");
    const int sum = add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("twice", "TestAdd", {}, {{sum, 0}, {sum, 0}});
  }
  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  static CallableOptions callable(const std::string& fetch) {
    CallableOptions options;
    options.feeds = {"x"};
    options.fetches = {fetch};
    return options;
  }
  static float run(Session& s, CallableHandle handle) {
    std::vector<Tensor> feeds{Tensor::scalar<float>(1)}, out(1);
    const absl::Status status = s.run_callable(handle, feeds, out);
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? out[0].value<float>() : -1;
  }
  const absl::Status finalized_ = absl::FailedPreconditionError("Session has been finalized.");
};

TEST_F(FinalizeTest, s007_leaves_callables_that_are_there) {
  Session& s = open();
  const auto handle = s.make_callable(callable("twice"));
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_EQ(s.finalize(), absl::OkStatus());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(s, *handle), 4);
  EXPECT_EQ(s.release_callable(*handle), absl::OkStatus());
  EXPECT_EQ(s.make_callable(callable("sum")).status(), finalized_);
}

TEST_F(FinalizeTest, s008_leaves_signatures_that_have_run) {
  Session& s = open();
  ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  ASSERT_EQ(s.finalize(), absl::OkStatus());
  for (int i = 0; i < 2; ++i) {
    const auto out = s.run(x(), {"twice"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 4);
  }
  EXPECT_TRUE(s.make_callable(callable("twice")).ok()) << "of a signature that is compiled";
  EXPECT_EQ(s.run(x(), {"sum"}).status(), finalized_);
}

TEST_F(FinalizeTest, ends_all_that_needs_the_graph) {
  Session& s = open();
  ASSERT_TRUE(s.run(x(), {"sum"}).ok());
  ASSERT_EQ(s.finalize(), absl::OkStatus());
  tensorflow::GraphDef more;
  more.add_node()->set_name("more");
  EXPECT_EQ(s.extend(more), finalized_);
  EXPECT_EQ(s.extend(graph_.clone()), finalized_);
  EXPECT_EQ(s.create(graph_.clone()), finalized_);
  EXPECT_EQ(s.partial_run_setup({"x"}, {"sum"}).status(), finalized_);
  RunOptions options;
  options.output_partition_graphs = true;
  EXPECT_EQ(s.run(x(), {"sum"}, {}, options).status(), finalized_);
  EXPECT_EQ(s.finalize(), absl::FailedPreconditionError("Session already finalized."));
  EXPECT_EQ(s.close(), absl::OkStatus());
  EXPECT_EQ(s.run(x(), {"sum"}).status(), absl::CancelledError("Session has been closed."));
}

TEST_F(FinalizeTest, leaves_partial_runs_that_have_begun) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"x"}, {"sum", "twice"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_EQ(s.finalize(), absl::OkStatus());
  const auto sum = s.partial_run(*handle, x(), {"sum"});
  ASSERT_TRUE(sum.ok()) << sum.status();
  const auto twice = s.partial_run(*handle, {}, {"twice"});
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ((*twice)[0].value<float>(), 4);
  EXPECT_EQ(s.partial_run_setup({"x"}, {"sum", "twice"}).status(), finalized_);
}

TEST_F(FinalizeTest, wants_a_graph) {
  session_ = *Session::open(*runtime_);
  EXPECT_EQ(session_->finalize(), absl::FailedPreconditionError("Session not yet created."));
  EXPECT_EQ(session_->create(graph_.clone()), absl::OkStatus()) << "it is none the worse for it";
  EXPECT_TRUE(session_->run(x(), {"sum"}).ok());
}

TEST_F(FinalizeTest, gives_the_graph_back) {
  session_ = *Session::open(*runtime_);
  auto graph = std::make_shared<const Graph>(graph_.clone());
  const std::weak_ptr<const Graph> watch = graph;
  const SessionActor actor = runtime_->impl().live_sessions().at(0)->actor;
  ASSERT_TRUE(ask<Done>(runtime_->system(), actor, CreateGraph{nullptr, std::move(graph)}).ok());
  ASSERT_TRUE(session_->run(x(), {"sum"}).ok());
  EXPECT_FALSE(watch.expired());
  ASSERT_EQ(session_->finalize(), absl::OkStatus());
  // It goes on the compile pool.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!watch.expired() && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  EXPECT_TRUE(watch.expired());
  EXPECT_TRUE(session_->run(x(), {"sum"}).ok());
}

TEST_F(FinalizeTest, comes_after_what_was_asked_before) {
  session_ = *Session::open(*runtime_);
  const SessionActor actor = runtime_->impl().live_sessions().at(0)->actor;
  caf::scoped_actor self{runtime_->system()};
  auto graph = std::make_shared<const Graph>(graph_.clone());
  [[maybe_unused]] const auto created = self->request(actor, caf::infinite, CreateGraph{nullptr, graph});
  auto finalized = self->request(actor, caf::infinite, FinalizeRequest{});
  absl::Status status = absl::InternalError("no answer");
  finalized.receive([&](Done) { status = absl::OkStatus(); }, [&](caf::error& e) { status = to_status(e); });
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_EQ(session_->run(x(), {"sum"}).status(), finalized_);
}

TEST_F(SessionTest, s063_lends_its_devices) {
  SessionOptions options;
  options.device_count["CPU"] = 2;
  constant("c", Tensor::scalar<float>(1));
  Session& s = open(options);
  const DeviceSet& devices = s.local_devices();
  ASSERT_EQ(devices.size(), 2);
  EXPECT_EQ(devices.at(0)->name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices.find("/job:localhost/replica:0/task:0/device:CPU:1"), devices.at(1));
  EXPECT_EQ(devices.find("/job:localhost/replica:0/task:0/device:CPU:2"), nullptr);
  EXPECT_EQ(s.list_devices()->at(1).incarnation, devices.at(1)->attributes().incarnation);
}

// --- options of what is no run ---

TEST_F(SessionTest, creates_extends_and_closes_in_the_time_that_it_is_given) {
  const int x = placeholder("x");
  add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
  session_ = *Session::open(*runtime_);
  RunOptions in_time;
  in_time.timeout = std::chrono::seconds(20);
  tensorflow::GraphDef def;
  def.mutable_versions()->set_producer(1882);
  auto* node = def.add_node();
  node->set_name("begin");
  node->set_op("NoOp");
  EXPECT_EQ(session_->create(def, in_time), absl::OkStatus());
  node->set_name("more");
  EXPECT_EQ(session_->extend(def, in_time), absl::OkStatus());
  EXPECT_EQ(session_->run({}, {}, {"begin", "more"}).status(), absl::OkStatus());
  EXPECT_EQ(session_->close(in_time), absl::OkStatus());
  EXPECT_EQ(session_->extend(def, in_time), absl::CancelledError("Session has been closed."));
}

TEST_F(SessionTest, answers_in_time_when_a_change_takes_longer) {
  session_ = *Session::open(*runtime_);
  // Nobody makes the change: the compile pool is busy.
  std::promise<void> busy;
  const std::shared_future<void> over = busy.get_future().share();
  NamedPool& compilers = *runtime_->impl().compilers;
  for (int i = 0; i < compilers.num_threads(); ++i) compilers.run([over] { over.wait(); });
  tensorflow::GraphDef def;
  def.mutable_versions()->set_producer(1882);
  auto* node = def.add_node();
  node->set_name("begin");
  node->set_op("NoOp");
  RunOptions hurry;
  hurry.timeout = std::chrono::milliseconds(20);
  EXPECT_EQ(session_->create(def, hurry).code(), absl::StatusCode::kDeadlineExceeded);
  // The caller has his graph back; the change has a copy.
  node->set_name("more");
  busy.set_value();
  EXPECT_EQ(session_->extend(def), absl::OkStatus());
  EXPECT_EQ(session_->run({}, {}, {"begin", "more"}).status(), absl::OkStatus())
      << "it has taken place all the same";
}

}  // namespace
}  // namespace troupe::test
