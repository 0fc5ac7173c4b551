// What is out of range, or not there: refused by code, named in the message, and the session works on.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "actors/ask.h"
#include "actors/runtime_impl.h"
#include "actors/session_factories.h"
#include "proto/config.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// twice = x + x; sum = x + y.
class BadInput : public SessionTest {
 protected:
  BadInput() {
    const int x_node = placeholder("x");
    add("twice", "TestAdd", {}, {{x_node, 0}, {x_node, 0}});
    add("sum", "TestAdd", {}, {{x_node, 0}, {placeholder("y"), 0}});
    open();
  }

  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(21)}}; }
  static std::vector<Tensor> value() { return {Tensor::scalar<float>(21)}; }
  SessionActor actor() { return runtime_->impl().live_sessions().at(0)->actor; }
  template <class Reply, class Message>
  absl::Status by_message(Message message) {
    return ask<Reply>(runtime_->system(), actor(), std::move(message)).status();
  }

  void expect_refused(const absl::Status& refused, StatusCode code, const std::string& phrase) {
    EXPECT_EQ(refused.code(), code) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(phrase));
    expect_that_it_works();
  }
  void expect_that_it_works() {
    const auto out = session_->run(x(), {"twice"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).value<float>(), 42);
    EXPECT_EQ(session_->counters().running_steps, 0);
    EXPECT_TRUE(session_->partial_runs()->empty());
  }
  /// Another session with these options, up to its first run.
  absl::Status run_in(const SessionOptions& options) {
    auto other = Session::open(*runtime_, options);
    if (!other.ok()) return other.status();
    const absl::Status created = (*other)->create(graph_.clone());
    return created.ok() ? (*other)->run(x(), {"twice"}).status() : created;
  }
};

TEST_F(BadInput, of_options_opens_no_session_or_runs_nothing) {
  SessionOptions no_devices, no_executor, no_threads, negative_version;
  no_devices.device_count["CPU"] = 0;
  expect_refused(run_in(no_devices), StatusCode::kNotFound, "No CPU devices found in process");
  no_executor.executor_type = "NO_SUCH_EXECUTOR";
  expect_refused(run_in(no_executor), StatusCode::kNotFound,
                 "No executor factory registered for the given executor type: NO_SUCH_EXECUTOR");
  for (const char* pool : {"", "shared"}) {
    no_threads.inter_op_pools = {{-1, pool}};
    expect_refused(run_in(no_threads), StatusCode::kInvalidArgument,
                   absl::StrCat("-1 is no number of threads for the pool '", pool, "'"));
  }
  negative_version.has_metadata = true;
  negative_version.metadata_name = "model";
  negative_version.metadata_version = -4;
  expect_refused(run_in(negative_version), StatusCode::kInvalidArgument, "version: -4");
  EXPECT_TRUE(run_in({}).ok());
}

TEST_F(BadInput, of_options_in_bytes_is_named_by_field_and_value) {
  expect_refused(SessionOptions::from_config_text("intra_op_parallelism_threads: -3").status(),
                 StatusCode::kInvalidArgument, "ConfigProto.intra_op_parallelism_threads is -3");
  tensorflow::CallableOptions callable;
  callable.add_feed("x");
  callable.add_fetch("twice");
  callable.mutable_run_options()->set_trace_level(static_cast<tensorflow::RunOptions::TraceLevel>(9));
  MakeCallable make;
  make.proto = callable.SerializeAsString();
  expect_refused(by_message<CallableReply>(make), StatusCode::kInvalidArgument,
                 "RunOptions.trace_level is 9, which is none of its values");
  make.proto = "\xff";
  expect_refused(by_message<CallableReply>(make), StatusCode::kInvalidArgument,
                 "Unparseable CallableOptions proto");
}

TEST_F(BadInput, of_a_pool_is_refused_in_runs_of_every_kind) {
  for (const int pool : {-2, 1, 1'000'000}) {
    const std::string phrase = absl::StrCat("Invalid inter_op_thread_pool: ", pool);
    RunOptions options;
    options.inter_op_pool = pool;
    expect_refused(session_->run(x(), {"twice"}, {}, options).status(), StatusCode::kInvalidArgument, phrase);
    expect_refused(session_->run_async(x(), {"twice"}, {}, options).get().status(),
                   StatusCode::kInvalidArgument, phrase);
    expect_refused(by_message<RunReply>(RunRequest{x(), {"twice"}, {}, options}),
                   StatusCode::kInvalidArgument, phrase);
    CallableOptions callable{{"x"}, {"twice"}, {}, options, {}, {}, {}, false};
    const auto handle = session_->make_callable(callable);
    ASSERT_TRUE(handle.ok()) << handle.status();
    std::vector<Tensor> out(1);
    expect_refused(session_->run_callable(*handle, value(), out), StatusCode::kInvalidArgument, phrase);
    EXPECT_TRUE(session_->release_callable(*handle).ok());
  }
}

TEST_F(BadInput, of_a_factory_leaves_those_that_are_there) {
  SessionFactories& factories = runtime_->session_factories();
  const auto direct = factories.find({});
  ASSERT_TRUE(direct.ok());
  expect_refused(factories.add("DIRECT_SESSION", *direct), StatusCode::kAlreadyExists,
                 "Two session factories are being registered under DIRECT_SESSION.");
  expect_refused(factories.add("", *direct), StatusCode::kInvalidArgument, "needs a name");
  expect_refused(factories.add("NONE", nullptr), StatusCode::kInvalidArgument, "NONE is null");
  EXPECT_TRUE(run_in({}).ok()) << "sessions are opened as before";
}

TEST_F(BadInput, of_a_lease_begins_no_partial_run) {
  for (const int64_t lease : {int64_t{-1}, milliseconds::max().count()}) {
    expect_refused(session_->partial_run_setup({"x", "y"}, {"sum"}, {}, milliseconds(lease)).status(),
                   StatusCode::kInvalidArgument, absl::StrCat("but is ", lease));
  }
  SessionOptions options;
  options.partial_run_lease = milliseconds(-7);
  auto other = Session::open(*runtime_, options);
  ASSERT_TRUE(other.ok() && (*other)->create(graph_.clone()).ok());
  expect_refused((*other)->partial_run_setup({"x", "y"}, {"sum"}).status(), StatusCode::kInvalidArgument,
                 "The lease of a partial run must be from 0 to");
  EXPECT_TRUE((*other)->run(x(), {"twice"}).ok());
  EXPECT_EQ((*other)->counters().running_steps, 0);
  const auto good = (*other)->partial_run_setup({"x", "y"}, {"sum"}, {}, milliseconds(0));
  EXPECT_TRUE(good.ok()) << good.status() << ": zero is for ever";
}

TEST_F(BadInput, of_a_partial_run_that_has_ended_or_never_was_changes_nothing) {
  const auto ended = session_->partial_run_setup({"x"}, {"twice"});
  ASSERT_TRUE(ended.ok()) << ended.status();
  ASSERT_TRUE(session_->partial_run(*ended, x(), {"twice"}).ok());
  for (const std::string& handle : {*ended, std::string("nobody's"), std::string()}) {
    const std::string phrase = "There is none of the name '" + handle + "'";
    expect_refused(session_->partial_run_fork(handle).status(), StatusCode::kInvalidArgument, phrase);
    expect_refused(session_->inspect_partial_run(handle).status(), StatusCode::kInvalidArgument, phrase);
    expect_refused(session_->cancel_partial_run(handle), StatusCode::kInvalidArgument, phrase);
    expect_refused(session_->partial_run(handle, x(), {"twice"}).status(), StatusCode::kInvalidArgument,
                   "Must run 'setup' before performing partial runs!");
  }
}

TEST_F(BadInput, of_a_watch_fails_the_run_that_asks_for_it) {
  const std::tuple<TensorWatch, StatusCode, const char*> wrong[] = {
      {{"nobody", 0, {"DebugIdentity"}, {"file:///tmp/none"}}, StatusCode::kNotFound, "no node nobody"},
      {{"twice", 3, {"DebugIdentity"}, {"file:///tmp/none"}},
       StatusCode::kInvalidArgument,
       "twice (TestAdd) has 1 outputs"},
      {{"twice", 0, {"DebugIdentity"}, {"nowhere://"}},
       StatusCode::kInvalidArgument,
       "Unsupported debug URL \"nowhere://\""},
  };
  for (const auto& [watch, code, phrase] : wrong) {
    RunOptions options;
    options.debug.watches = {watch};
    expect_refused(session_->run(x(), {"twice"}, {}, options).status(), code, phrase);
    expect_refused(session_->run_async(x(), {"twice"}, {}, options).get().status(), code, phrase);
    expect_refused(by_message<RunReply>(RunRequest{x(), {"twice"}, {}, options}), code, phrase);
  }
}

TEST_F(BadInput, of_listeners_and_steps_is_refused) {
  expect_refused(session_->subscribe(nullptr).status(), StatusCode::kInvalidArgument, "no function");
  expect_refused(session_->subscribe([](const StepEvent&) {}, milliseconds(-1)).status(),
                 StatusCode::kInvalidArgument, "slow_after is below zero");
  expect_refused(by_message<Done>(Subscribe{}), StatusCode::kInvalidArgument, "names no listener");
  expect_refused(by_message<RunBegun>(BeginRun{{x(), {"twice"}, {}, {}}, {}}), StatusCode::kInvalidArgument,
                 "names no client");
  expect_refused(session_->cancel_step(12345), StatusCode::kNotFound, "step 12345 is not running");
  expect_refused(session_->release_callable(7), StatusCode::kInvalidArgument, "No such callable handle: 7");
}

}  // namespace
}  // namespace troupe::test
