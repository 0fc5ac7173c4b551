// What is counted of steps.
#include "actors/step_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

/// Steps of one signature, of ten nodes.
class Steps {
 public:
  explicit Steps(StepMeter* meter) : meter_(meter) {}

  /// One that lasts that long; true when its trace is wanted.
  bool run(std::chrono::microseconds length, absl::StatusCode code = absl::StatusCode::kOk, int64_t id = 1) {
    const auto began = coarse_now();
    const StepMeter::Start start = meter_->begin(3, began, to_record_);
    recorded_ = start.traced;
    stands_for_ = start.at_ns == 0 ? 0 : start.weight;
    for (const auto end = std::chrono::steady_clock::now() + length;
         std::chrono::steady_clock::now() < end;) {
    }
    TimedStep timed;
    timed.step_id = id;
    timed.code = code;
    if (!meter_->wants(start, code == absl::StatusCode::kOk, began)) return false;
    return meter_->end(start, &timed, {fetches_, {}, 10, began, to_record_});
  }
  /// Whether the last was to record what its nodes do.
  bool recorded() const { return recorded_; }
  /// For how many the last was timed.
  int32_t stands_for() const { return stands_for_; }

 private:
  StepMeter* const meter_;
  const std::vector<std::string> fetches_{"y:0"};
  std::atomic<int32_t> to_record_{1};
  bool recorded_ = false;
  int32_t stands_for_ = 0;
};

bool step(StepMeter* meter, std::chrono::microseconds length, absl::StatusCode code = absl::StatusCode::kOk,
          int64_t id = 1) {
  return Steps(meter).run(length, code, id);
}

TEST(StepMeterTest, counts_nothing_while_nobody_watches) {
  StepMeter meter;
  std::atomic<int32_t> to_record{1};
  const StepMeter::Start start = meter.begin(0, coarse_now(), to_record);
  EXPECT_EQ(start.at_ns, 0);
  EXPECT_FALSE(start.traced);
  EXPECT_FALSE(meter.wants(start, false, {}));
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
  std::atomic<int32_t> to_record{1};
  EXPECT_FALSE(meter.begin(0, coarse_now(), to_record).traced);
  ASSERT_TRUE(meter.begin_tracing({0, 20ms, sink}).ok());
  EXPECT_FALSE(step(&meter, 0us));
  EXPECT_TRUE(step(&meter, 40ms));
  meter.end_tracing();
  ASSERT_TRUE(meter.begin_tracing({0, 3ms, sink}).ok());
  EXPECT_FALSE(step(&meter, 0us));
  EXPECT_TRUE(step(&meter, 4ms)) << "what the coarse clock cannot tell is timed";
}

TEST(StepMeterTest, times_one_short_step_in_many_whoever_alternates) {
  StepMeter meter;
  meter.watch(0ms);
  // Two in turn, the second ten times as long: as many of both are seen.
  constexpr int kPairs = 20'000;
  Steps steps(&meter);
  double quick = 0, all = 0;
  for (int i = 0; i < kPairs; ++i) {
    steps.run(0us);
    quick += steps.stands_for();
    all += steps.stands_for();
    steps.run(5us);
    all += steps.stands_for();
  }
  EXPECT_NEAR(quick / all, 0.5, 0.15);
  EXPECT_NEAR(all / (2 * kPairs), 1, 0.15);
}

TEST(StepMeterTest, sees_long_steps_soon_after_many_short_ones) {
  StepMeter meter;
  meter.watch(0ms);
  for (int i = 0; i < 10'000; ++i) step(&meter, 0us);
  for (int i = 0; i < 4; ++i) step(&meter, 101ms);
  const std::vector<TimedStep> recent = meter.recent();
  EXPECT_GE(
      std::count_if(recent.begin(), recent.end(), [](const auto& s) { return s.duration_ns >= 101'000'000; }),
      2);
}

TEST(StepMeterTest, records_nodes_of_the_first_run_and_where_it_costs_nothing_and_after_a_slow_one) {
  StepMeter meter;
  ASSERT_TRUE(meter.begin_tracing({0, 30ms, [](const auto&) {}}).ok());
  Steps tiny(&meter), slow(&meter), long_ones(&meter);
  EXPECT_FALSE(tiny.run(0us));
  EXPECT_TRUE(tiny.recorded()) << "the first";
  for (int i = 0; i < 20; ++i) tiny.run(0us);
  EXPECT_FALSE(tiny.recorded());
  EXPECT_TRUE(tiny.run(60ms)) << "a slow one is told of, though it has recorded nothing";
  EXPECT_FALSE(tiny.recorded());
  tiny.run(0us);
  EXPECT_TRUE(tiny.recorded()) << "the next do";
  for (int i = 0; i < 200; ++i) tiny.run(0us);
  EXPECT_FALSE(tiny.recorded()) << "for a while";
  for (int i = 0; i < 200; ++i) long_ones.run(200us);
  EXPECT_TRUE(long_ones.recorded()) << "20 us a node";
}

TEST(StepMeterTest, samples_every_nth_step_beside_those_that_it_times) {
  StepMeter meter;
  meter.watch(0ms);
  for (int i = 0; i < 1000; ++i) step(&meter, 0us);
  ASSERT_TRUE(meter.begin_tracing({1000, 0ns, [](const auto&) {}}).ok());
  std::vector<int> sampled;
  for (int i = 0; i < 5000; ++i) {
    if (step(&meter, 0us)) sampled.push_back(i);
  }
  EXPECT_THAT(sampled, testing::ElementsAre(0, 1000, 2000, 3000, 4000));
  EXPECT_EQ(meter.recent().empty(), false);
  EXPECT_NEAR(static_cast<double>(sum(meter.counts())), 6000, 600);
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
  // Its last holder may be an actor that ends a little later.
  for (int i = 0; i < 1000 && meter.gone_runs() != runs; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(meter.gone_runs(), runs);
}

}  // namespace
}  // namespace troupe::test
