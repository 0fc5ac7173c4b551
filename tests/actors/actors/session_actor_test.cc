// SESSION: graph, signatures, runs, callables, cancels, deadlines, inspections; closing and dying with any of them under way.
#include <gmock/gmock.h>

#include "tests/actors/actor_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr char kClosed[] = "Session has been closed.";

class SessionActorTest : public ActorTest {
 protected:
  SessionActorTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
    add("fail", "TestFail", {}, {{x, 0}});
    const int far = add("far", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/device:CPU:1");
    add("across", "Identity", {{"T", DataType::kFloat}}, {{far, 0}}, {}, "/device:CPU:0");
  }

  static LeaseRequest signature(const std::string& fetch) { return {{"x"}, {fetch}, {}}; }
  /// Asked, not run.
  std::shared_ptr<Reply<RunReply>> ask_for_run(const std::string& fetch, const RunOptions& options = {}) {
    return ask<RunReply>(session(), RunRequest{{{"x", Tensor::scalar<float>(21)}}, {fetch}, {}, options});
  }
  std::shared_ptr<Reply<RunReply>> run(const std::string& fetch, const RunOptions& options = {}) {
    auto reply = ask_for_run(fetch, options);
    run_all();
    return reply;
  }
  static RunOptions within(std::chrono::milliseconds time) {
    RunOptions options;
    options.timeout = time;
    return options;
  }
  template <class... Results, class M>
  std::shared_ptr<Reply<Results...>> send(M message) {
    auto reply = ask<Results...>(session(), std::move(message));
    run_all();
    return reply;
  }
  static CallableOptions callable_of(const std::string& fetch) {
    CallableOptions options;
    options.feeds = {"x"};
    options.fetches = {fetch};
    return options;
  }
  CreateGraph the_graph() { return {nullptr, std::make_shared<const Graph>(graph_.clone())}; }
  ExtendGraph more(const std::string& name) {
    Graph bigger = graph_.clone();
    EXPECT_TRUE(bigger.add_node(name, "TestAdd", {}, {{0, 0}, {0, 0}}, {}, "").ok());
    return {nullptr, std::make_shared<const Graph>(std::move(bigger))};
  }
  std::shared_ptr<Reply<CancelReply>> cancel(int64_t step_id) {
    return send<CancelReply>(CancelRequest{step_id, "enough"});
  }
  std::vector<StepReport> inspect() { return send<InspectReply>(InspectRequest{})->value().steps; }
  static float first(const Reply<RunReply>& reply) {
    return reply.status.ok() ? reply.value().fetches.at(0).value<float>() : 0;
  }
};

TEST_F(SessionActorTest, s022_s023_runs_nothing_before_it_has_a_graph_and_takes_one_once) {
  open_empty_session();
  EXPECT_THAT(run("sum")->status.message(), HasSubstr("not created with a graph"));
  EXPECT_TRUE(send<Done>(CreateGraph{nullptr, std::make_shared<const Graph>(ops_.get())})->status.ok())
      << "an empty graph is none";
  EXPECT_TRUE(send<Done>(more("more"))->status.ok()) << "to extend none is to create one";
  EXPECT_EQ(send<Done>(the_graph())->status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(first(*run("sum")), 42);
}

TEST_F(SessionActorTest, refuses_a_graph_that_is_none) {
  open_empty_session();
  EXPECT_EQ(send<Done>(CreateGraph{})->status, absl::InvalidArgumentError("CreateGraph names no graph."));
  EXPECT_EQ(send<Done>(ExtendGraph{})->status, absl::InvalidArgumentError("ExtendGraph names no graph."));
  EXPECT_TRUE(send<Done>(the_graph())->status.ok()) << "the session is as it was";
  EXPECT_EQ(send<Done>(ExtendGraph{})->status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(first(*run("sum")), 42);
}

TEST_F(SessionActorTest, answers_runs_with_fetches_or_the_error) {
  open_session();
  const auto good = run("sum");
  EXPECT_EQ(first(*good), 42);
  EXPECT_GT(good->value().stats.step_id, 0);
  EXPECT_THAT(run("fail")->status.message(), HasSubstr("told to fail"));
  EXPECT_THAT(run("none")->status.message(), HasSubstr("none"));
  EXPECT_EQ(core()->gate.running(), 0);
}

TEST_F(SessionActorTest, compiles_a_signature_once_for_all_who_wait_for_it) {
  open_session();
  const auto one = ask_for_run("sum");
  const auto other = ask_for_run("sum");
  run_all();
  const auto third = run("sum");
  EXPECT_EQ(first(*one) + first(*other) + first(*third), 126);
  EXPECT_EQ(core()->signatures.misses(), 1);
}

TEST_F(SessionActorTest, plans_with_the_graph_as_it_was_extended_before) {
  open_session();
  const auto extended = ask<Done>(session(), more("more"));
  const auto reply = run("more");
  EXPECT_TRUE(extended->status.ok()) << extended->status;
  EXPECT_EQ(first(*reply), 42);
}

TEST_F(SessionActorTest, finalizes_behind_the_changes_and_compilations_that_came_before) {
  open_session();
  const auto compiling = ask_for_run("sum");
  ASSERT_TRUE(run_turn_of(session()));
  const auto extended = ask<Done>(session(), more("more"));
  const auto waits = ask_for_run("more");
  const auto finalized = ask<Done>(session(), FinalizeRequest{});
  const auto late = ask<Done>(session(), more("another"));
  run_all();
  EXPECT_EQ(first(*compiling), 42);
  EXPECT_TRUE(extended->status.ok()) << extended->status;
  EXPECT_EQ(first(*waits), 42) << "it was asked before";
  EXPECT_TRUE(finalized->status.ok()) << finalized->status;
  EXPECT_EQ(late->status.message(), "Session has been finalized.");
  EXPECT_EQ(first(*run("sum")), 42);
  EXPECT_EQ(run("far")->status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(send<Done>(FinalizeRequest{})->status.message(), "Session already finalized.");
}

TEST_F(SessionActorTest, shows_what_stands_behind_it_until_it_ends) {
  open_session();
  EXPECT_EQ(send<CoreReply>(CoreRequest{})->value().core, core());
  const SessionActor gone = session();
  kill(gone);
  run_all();
  const auto nobody = ask<CoreReply>(gone, CoreRequest{});
  run_all();
  EXPECT_EQ(nobody->status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(SessionActorTest, runs_a_callable_until_it_is_released) {
  open_session();
  const CallableHandle handle = send<CallableReply>(MakeCallable{callable_of("sum")})->value().handle;
  const RunCallable call{handle, {Tensor::scalar<float>(4)}};
  EXPECT_EQ(first(*send<RunReply>(call)), 8);
  EXPECT_THAT(send<RunReply>(RunCallable{handle, {}})->status.message(), HasSubstr("Expected 1 feed"));
  EXPECT_FALSE(send<RunReply>(RunCallable{handle + 1, {}})->status.ok());
  EXPECT_TRUE(send<Done>(ReleaseCallable{handle})->status.ok());
  EXPECT_TRUE(send<Done>(ReleaseCallable{handle})->status.ok()) << "it was one";
  EXPECT_FALSE(send<Done>(ReleaseCallable{handle + 1})->status.ok());
  EXPECT_FALSE(send<RunReply>(call)->status.ok());
}

TEST_F(SessionActorTest, cancels_one_step_or_all) {
  open_session();
  const auto one = run("hang");
  const auto other = run("hang");
  const auto steps = inspect();
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(cancel(steps[0].step_id)->value().steps, 1);
  EXPECT_EQ(one->times + other->times, 1);
  EXPECT_EQ(cancel(steps[0].step_id)->status.code(), absl::StatusCode::kNotFound) << "it is over";
  EXPECT_EQ(cancel(0)->value().steps, 1);
  EXPECT_EQ(one->times + other->times, 2);
  EXPECT_THAT(other->status.message(), HasSubstr("enough"));
  EXPECT_EQ(cancel(0)->value().steps, 0);
  EXPECT_EQ(first(*run("sum")), 42) << "what comes later is not cancelled";
}

TEST_F(SessionActorTest, cancels_runs_that_still_wait_for_their_signature) {
  open_session();
  const auto waits = ask_for_run("hang");
  const auto cancelled = ask<CancelReply>(session(), CancelRequest{0, "enough"});
  EXPECT_TRUE(run_turn_of(session()));
  EXPECT_TRUE(run_turn_of(session()));
  EXPECT_TRUE(waits->waits());
  run_all();
  EXPECT_EQ(cancelled->value().steps, 1);
  EXPECT_EQ(waits->status.code(), absl::StatusCode::kCancelled);
}

TEST_F(SessionActorTest, ends_a_run_when_its_time_is_over_and_not_before) {
  open_session();
  const auto slow = run("hang", within(100ms));
  const auto quick = run("hang", within(30ms));
  const auto patient = run("hang");
  advance(29ms);
  tell(session(), CheckDeadlines{});
  run_all();
  EXPECT_TRUE(quick->waits());
  advance(1ms);
  EXPECT_EQ(quick->status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(quick->status.message(), HasSubstr("hang (TestHang): running"));
  advance(69ms);
  EXPECT_TRUE(slow->waits());
  advance(1ms);
  EXPECT_EQ(slow->status.code(), absl::StatusCode::kDeadlineExceeded);
  advance(1h);
  EXPECT_TRUE(patient->waits());
}

TEST_F(SessionActorTest, keeps_the_deadlines_of_runs_that_are_over_from_those_that_follow) {
  SessionOptions options = two_devices();
  options.operation_timeout = 100ms;
  open_session(options);
  EXPECT_EQ(first(*run("sum")), 42);
  advance(60ms);
  const auto next = run("hang");
  advance(99ms);
  EXPECT_TRUE(next->waits());
  advance(1ms);
  EXPECT_EQ(next->status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(SessionActorTest, inspects_from_outside_when_a_step_does_not_answer) {
  open_session();
  const auto waits = run("hang");
  const auto reply = ask<InspectReply>(session(), InspectRequest{});
  // The STEP has its question, and no turn.
  EXPECT_TRUE(run_turn_of(session()));
  scheduler().advance_time(49ms);
  EXPECT_TRUE(reply->waits());
  scheduler().advance_time(1ms);
  EXPECT_TRUE(run_turn_of(session()));
  while (reply->waits() && run_one()) {
  }
  ASSERT_EQ(reply->times, 1);
  ASSERT_THAT(reply->value().steps, SizeIs(1));
  EXPECT_THAT(reply->value().steps[0].frontier, IsEmpty()) << "no kernel holds a thread";
  run_all();
  EXPECT_EQ(reply->times, 1);
}

TEST_F(SessionActorTest, minds_no_news_of_what_nobody_waits_for) {
  open_session();
  tell(session(), CompileDone{"none", std::make_shared<absl::StatusOr<std::shared_ptr<Signature>>>(
                                          absl::InternalError("late"))});
  tell(session(), PartialRunEnded{"none"});
  tell(session(), CheckDeadlines{});
  run_all();
  EXPECT_EQ(first(*run("sum")), 42);
}

TEST_F(SessionActorTest, hands_a_slot_back_when_nobody_takes_it) {
  open_session();
  {
    const auto reply = send<SlotReply>(signature("sum"));
    EXPECT_TRUE(reply->status.ok());
    EXPECT_EQ(slots_alive(), 1);
  }
  EXPECT_EQ(first(*run("sum")), 42);
  EXPECT_EQ(slots_alive(), 1) << "the same was used again";
}

TEST_F(SessionActorTest, begins_a_run_on_another_slot_when_the_first_has_lost_an_actor) {
  open_session();
  const auto slot = lease(signature("across"))->slot();
  run_all();
  kill(slot->executors[0]);
  EXPECT_TRUE(run_turn_of(slot->executors[0]));
  EXPECT_FALSE(slot->life.broken()) << "its STEP has not heard";
  const auto reply = ask_for_run("across");
  EXPECT_TRUE(run_turn_of(session()));
  EXPECT_NE(slot->life.token().running(), 0) << "so it was taken";
  run_all();
  EXPECT_EQ(first(*reply), 42);
  EXPECT_NE(reply->value().stats.step_id, slot->life.id());
}

TEST_F(SessionActorTest, ends_a_run_whose_actor_dies_and_goes_on) {
  open_session();
  const auto hangs = run("hang");
  const auto slot = core()->slots().at(0).lock();
  kill(slot->step);
  run_all();
  EXPECT_EQ(hangs->status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(core()->gate.running(), 0);
  EXPECT_EQ(first(*run("sum")), 42);
}

TEST_F(SessionActorTest, names_partial_runs_until_they_are_over) {
  open_session();
  using Setup = Reply<std::string, PartialRunActor>;
  const PartialRunSetup setup{{"x"}, {"sum"}, {}};
  const std::shared_ptr<Setup> one = send<std::string, PartialRunActor>(setup);
  const std::shared_ptr<Setup> other = send<std::string, PartialRunActor>(setup);
  EXPECT_NE(one->value(), other->value());
  const PartialRunRequest turn{one->value(), {{"x", Tensor::scalar<float>(4)}}, {"sum"}};
  EXPECT_EQ(first(*send<RunReply>(turn)), 8);
  EXPECT_THAT(send<RunReply>(turn)->status.message(), HasSubstr("Must run 'setup'"));
  EXPECT_FALSE(is_alive(std::get<1>(one->results)));
  tell(session(), PartialRunEnded{one->value()});
  cancel(0);
  EXPECT_EQ(send<RunReply>(PartialRunRequest{other->value(), {}, {}})->status.code(),
            absl::StatusCode::kCancelled);
}

TEST_F(SessionActorTest, closes_once_and_refuses_everything_after_but_its_devices) {
  open_session();
  const auto hangs = run("hang");
  const auto compiles = ask_for_run("sum");
  EXPECT_TRUE(run_turn_of(session()));
  EXPECT_TRUE(send<Done>(CloseRequest{})->status.ok());
  EXPECT_EQ(hangs->status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(compiles->status.message(), kClosed);
  EXPECT_EQ(core()->gate.running(), 0);
  EXPECT_TRUE(send<Done>(CloseRequest{})->status.ok());
  EXPECT_EQ(run("sum")->status.message(), kClosed);
  EXPECT_EQ(send<Done>(more("more"))->status.message(), kClosed);
  EXPECT_EQ(send<CallableReply>(MakeCallable{callable_of("sum")})->status.message(), kClosed);
  EXPECT_EQ((send<std::string, PartialRunActor>(PartialRunSetup{{"x"}, {"sum"}, {}})->status.message()),
            kClosed);
  EXPECT_THAT(send<ListDevicesReply>(ListDevicesRequest{})->value().devices, SizeIs(2));
  EXPECT_THAT(inspect(), IsEmpty());
}

TEST_F(SessionActorTest, answers_who_changes_the_graph_when_it_closes) {
  open_session();
  const auto extends = ask<Done>(session(), more("more"));
  EXPECT_TRUE(run_turn_of(session()));
  const auto closed = ask<Done>(session(), CloseRequest{});
  run_all();
  EXPECT_EQ(extends->times, 1);
  EXPECT_EQ(extends->status.message(), kClosed);
  EXPECT_TRUE(closed->status.ok());
}

TEST_F(SessionActorTest, answers_everybody_when_it_dies) {
  for (const auto why : {caf::exit_reason::kill, caf::exit_reason::user_shutdown}) {
    open_session();
    const auto hangs = run("hang");
    const auto turns = send<std::string, PartialRunActor>(PartialRunSetup{{"x"}, {"hang"}, {}});
    const auto partial =
        send<RunReply>(PartialRunRequest{turns->value(), {{"x", Tensor::scalar<float>(4)}}, {"hang"}});
    const auto compiles = ask_for_run("sum");
    const auto callable = ask<CallableReply>(session(), MakeCallable{callable_of("fail")});
    const auto inspects = ask<InspectReply>(session(), InspectRequest{});
    const auto graphs = ask<PartitionGraphs>(session(), PartitionGraphsRequest{signature("sum")});
    const auto extends = ask<Done>(session(), more("more"));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(run_turn_of(session()));
    kill(session(), why);
    const auto late = ask_for_run("sum");
    run_all();
    const int times[] = {hangs->times,    partial->times, compiles->times, callable->times,
                         inspects->times, graphs->times,  extends->times,  late->times};
    EXPECT_THAT(times, testing::Each(1));
    EXPECT_THAT(hangs->status.message(), HasSubstr("session's actor has ended"));
    EXPECT_EQ(late->status.code(), absl::StatusCode::kUnavailable);
    EXPECT_FALSE(is_alive(std::get<1>(turns->results)));
    EXPECT_EQ(slots_alive(), 0);
    turns->results = {};
    EXPECT_TRUE(is_gone());
  }
}

TEST_F(SessionActorTest, looks_for_slow_steps_by_one_clock_however_many_listen) {
  open_session();
  Probe listeners[] = {Probe(system()), Probe(system()), Probe(system())};
  const size_t clocks = scheduler().clock().schedule().size();
  for (const Probe& listener : listeners) {
    const auto added = ask<Done>(session(), Subscribe{listener.as<StepListener>(), 100ms});
    run_all();
    EXPECT_TRUE(added->status.ok()) << added->status;
  }
  advance(1s);
  run_all();
  EXPECT_EQ(scheduler().clock().schedule().size(), clocks + 1);
  for (const Probe& listener : listeners) tell(session(), Unsubscribe{listener.as<StepListener>()});
  advance(1s);
  run_all();
  EXPECT_EQ(scheduler().clock().schedule().size(), clocks) << "nobody asks for slow steps any more";
}

TEST_F(SessionActorTest, refuses_subscriptions_of_nobody) {
  open_session();
  const auto in = ask<Done>(session(), Subscribe{});
  const auto out = ask<Done>(session(), Unsubscribe{});
  run_all();
  EXPECT_EQ(in->status.code(), absl::StatusCode::kInvalidArgument) << in->status;
  EXPECT_EQ(out->status.code(), absl::StatusCode::kInvalidArgument) << out->status;
  EXPECT_TRUE(is_alive(session()));
}

}  // namespace
}  // namespace troupe::test
