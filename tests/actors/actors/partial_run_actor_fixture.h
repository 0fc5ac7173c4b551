#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/partial_run_actor.h"
#include "tests/actors/actor_fixture.h"

namespace troupe::test {

inline constexpr char kNoSetup[] = "Must run 'setup' before performing partial runs!";

/// A PARTIAL RUN whose SESSION is a probe. It feeds a and b, and fetches `one` = a + a, `two` = one + b; or what is asked for.
class PartialRunActorTest : public ActorTest {
 protected:
  PartialRunActorTest() {
    const int a = placeholder("a");
    const int b = placeholder("b");
    const int one = add("one", "TestAdd", {}, {{a, 0}, {a, 0}});
    add("two", "TestAdd", {}, {{one, 0}, {b, 0}});
    add("hang", "TestHang", {}, {{a, 0}});
    add("fail", "TestFail", {}, {{b, 0}});
  }
  void TearDown() override {
    if (run_) kill(run_);
    session_.reset();
    slot_.reset();
    ActorTest::TearDown();
  }

  void open(std::chrono::milliseconds operation_timeout = std::chrono::milliseconds(0)) {
    SessionOptions options = two_devices();
    options.operation_timeout = operation_timeout;
    open_session(options);
  }
  /// Spawned, and told to start.
  void begin(std::vector<std::string> fetches = {"one", "two"},
             std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    spawn(std::move(fetches), patience);
    tell(run_, StartPartialRun{});
    run_all();
  }
  void spawn(std::vector<std::string> fetches,
             std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    if (!has_session()) open();
    PartialRunParts parts;
    parts.core = core();
    parts.setup = {{"a", "b"}, fetches, {}};
    parts.cancels = core()->cancels();
    parts.place = *core()->enter();
    parts.lease = std::move(*lease({{"a", "b"}, fetches, {}, true}));
    parts.alias = parts.lease.kept_alias();
    parts.graph = std::make_shared<const Graph>(graph_.clone());
    parts.handle = "its name";
    parts.patience = patience;
    slot_ = parts.lease.slot();
    session_ = std::make_unique<StandIn<SessionActor>>(system(), core()->actor);
    run_ = spawn_partial_run(system(), std::move(parts));
  }
  std::shared_ptr<Reply<RunReply>> turn(std::vector<NamedTensor> feeds, std::vector<std::string> fetches) {
    auto reply = ask<RunReply>(run_, PartialRunTurn{std::move(feeds), std::move(fetches)});
    run_all();
    return reply;
  }
  static NamedTensor fed(const char* name, float value) { return {name, Tensor::scalar<float>(value)}; }
  static float first(const Reply<RunReply>& reply) {
    EXPECT_TRUE(reply.status.ok()) << reply.status;
    return reply.status.ok() ? reply.value().fetches.at(0).value<float>() : 0;
  }
  int ended() { return session_->count<PartialRunEnded>(); }
  /// Slot and place have been given back.
  bool has_given_back() { return core()->gate.running() == 0 && slot_->life.token().running() == 0; }
  void cancel(int64_t step_id = 0) {
    tell(run_, CancelPartialRun{step_id, absl::CancelledError("enough")});
    run_all();
  }

  PartialRunActor run_;
  std::shared_ptr<StepSlot> slot_;
  std::unique_ptr<StandIn<SessionActor>> session_;
};

}  // namespace troupe::test
