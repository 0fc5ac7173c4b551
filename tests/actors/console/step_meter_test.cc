// What is counted of steps.
#include "actors/step_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/actors/session_fixture.h"
#include "actors/runtime_impl.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

int64_t sum(const StepMeter::Counts& c) {
  return std::accumulate(c.steps.begin(), c.steps.end(), int64_t{0});
}

/// A step that lasts that long.
bool step(StepMeter* meter, std::chrono::microseconds length, absl::StatusCode code = absl::StatusCode::kOk,
          int64_t id = 1) {
  const StepMeter::Start start = meter->begin(3);
  for (const auto end = std::chrono::steady_clock::now() + length; std::chrono::steady_clock::now() < end;) {
  }
  TimedStep timed;
  timed.step_id = id;
  timed.code = code;
  return meter->end(start, &timed, {"y:0"}, {});
}

TEST(StepMeterTest, counts_nothing_while_nobody_watches) {
  StepMeter meter;
  const StepMeter::Start start = meter.begin(0);
  EXPECT_EQ(start.at_ns, 0);
  EXPECT_FALSE(start.traced);
  meter.refused(absl::NotFoundError("nothing"));
  EXPECT_EQ(meter.counts().errors[5], 0);
}

TEST(StepMeterTest, times_all_long_steps) {
  StepMeter meter;
  meter.watch(0ms);
  for (int i = 0; i < 20; ++i) step(&meter, 100us);
  EXPECT_EQ(sum(meter.counts()), 20);
  EXPECT_GE(meter.counts().total_ns, 20 * 100'000);
  EXPECT_EQ(meter.recent().size(), 20u);
  EXPECT_EQ(meter.recent()[0].label, "y:0");
  EXPECT_GE(meter.recent()[0].duration_ns, 100'000);
}

TEST(StepMeterTest, times_some_short_steps_which_count_for_all) {
  StepMeter meter;
  meter.watch(0ms);
  constexpr int kSteps = 32'000;
  for (int i = 0; i < kSteps; ++i) step(&meter, 0us);
  EXPECT_LT(meter.recent().size(), StepMeter::kKept + 1);
  // Some are interrupted, and the next one is timed then.
  EXPECT_NEAR(static_cast<double>(sum(meter.counts())), kSteps, kSteps / 10.0);
}

TEST(StepMeterTest, counts_every_error_by_its_code) {
  StepMeter meter;
  meter.watch(0ms);
  for (int i = 0; i < 100; ++i) step(&meter, 0us, absl::StatusCode::kCancelled);
  step(&meter, 0us, absl::StatusCode::kInternal);
  meter.refused(absl::NotFoundError("nothing"));
  const StepMeter::Counts counts = meter.counts();
  EXPECT_EQ(counts.errors[static_cast<int>(absl::StatusCode::kCancelled)], 100);
  EXPECT_EQ(counts.errors[static_cast<int>(absl::StatusCode::kInternal)], 1);
  EXPECT_EQ(counts.errors[static_cast<int>(absl::StatusCode::kNotFound)], 1);
}

TEST(StepMeterTest, keeps_the_last_steps_and_the_last_slow_ones) {
  StepMeter meter;
  meter.watch(20ms);
  step(&meter, 25ms, absl::StatusCode::kOk, 7);
  for (int i = 0; i < 600; ++i) step(&meter, 35us, absl::StatusCode::kOk, 100 + i);
  const std::vector<TimedStep> recent = meter.recent();
  ASSERT_EQ(recent.size(), StepMeter::kKept);
  EXPECT_EQ(recent.back().step_id, 699);
  for (size_t i = 1; i < recent.size(); ++i) EXPECT_LT(recent[i - 1].step_id, recent[i].step_id);
  ASSERT_GE(meter.slow().size(), 1u);
  EXPECT_EQ(meter.slow()[0].step_id, 7);
}

TEST(StepMeterTest, picks_runs_to_trace_by_number_and_by_length) {
  StepMeter meter;
  const auto sink = [](const std::shared_ptr<const StepTrace>&) {};
  ASSERT_TRUE(meter.begin_tracing({10, 0ns, sink}).ok());
  EXPECT_EQ(meter.begin_tracing({1, 0ns, sink}).code(), absl::StatusCode::kAlreadyExists);
  int traced = 0;
  for (int i = 0; i < 100; ++i) traced += step(&meter, 0us);
  EXPECT_EQ(traced, 10);
  meter.end_tracing();
  EXPECT_FALSE(meter.begin(0).traced);
  ASSERT_TRUE(meter.begin_tracing({0, 20ms, sink}).ok());
  EXPECT_FALSE(step(&meter, 0us));
  EXPECT_TRUE(step(&meter, 21ms));
}

TEST_F(SessionTest, a_meter_sees_runs_of_every_kind_and_what_was_refused) {
  const int x = placeholder("x");
  add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
  add("fail", "TestFail", {}, {{x, 0}});
  Session& s = open();
  StepMeter& meter = *runtime_->impl().meter;
  meter.watch(0ms);
  const std::vector<NamedTensor> feed{{"x", Tensor::scalar<float>(1)}};
  ASSERT_TRUE(s.run(feed, {"twice"}).ok());
  EXPECT_EQ(sum(meter.counts()), 1) << "the first step of a thread is timed";
  EXPECT_FALSE(s.run(feed, {"fail"}).ok());
  EXPECT_FALSE(s.run(feed, {"no_such_node"}).ok());
  EXPECT_FALSE(s.run_async(feed, {"no_such_node_either"}).get().ok());
  EXPECT_FALSE(s.run({{"x", Tensor::scalar<int32_t>(1)}}, {"twice"}).ok());
  const auto errors = meter.counts().errors;
  EXPECT_EQ(errors[static_cast<int>(absl::StatusCode::kInvalidArgument)], 4);
  // Statistics that a run asked for are still its own.
  RunStats stats;
  ASSERT_TRUE(s.run(feed, {"twice"}, {}, {}, &stats).ok());
  EXPECT_EQ(stats.metadata, "");
  meter.unwatch();
  const int64_t before = sum(meter.counts());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(s.run(feed, {"twice"}).ok());
  EXPECT_EQ(sum(meter.counts()), before);
  const int64_t runs = s.counters().runs;
  session_.reset();
  EXPECT_EQ(meter.gone_runs(), runs);
}

}  // namespace
}  // namespace troupe::test
