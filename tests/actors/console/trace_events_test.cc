// Steps as events: their rows, and what their arrows join.
#include "actors/console/trace_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "nlohmann/json.hpp"

namespace troupe::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A step of two partitions, the first of which sends a value to the second and has a node launched.
StepTrace step(int64_t id, int64_t began_ns) {
  StepTrace t;
  t.session_id = 3;
  t.step_id = id;
  t.began_ns = began_ns;
  t.ended_ns = began_ns + 10'000;
  t.label = "y";
  t.messages = {{"StartExecutor", 2}, {"ExecutorDone", 2}};
  StepTrace::Node product{"product", "MatMul", began_ns + 2000, began_ns + 4000, 11, began_ns + 1000, ""};
  StepTrace::Node send{"s", "_Send", began_ns + 4000, began_ns + 4500, 10, 0, "cpu:0;cpu:1;edge"};
  StepTrace::Node recv{"r", "_Recv", began_ns + 1000, began_ns + 6000, 12, 0, "cpu:0;cpu:1;edge"};
  t.partitions = {{"CPU:0", false, {product, send}}, {"CPU:1", false, {recv}}};
  return t;
}

json events_of(TraceEvents* events, const StepTrace& trace) {
  return json::parse("[" + events->of(trace) + "]");
}

std::vector<json> select(const json& events, const std::string& phase, const std::string& name) {
  std::vector<json> out;
  for (const json& e : events) {
    if (e.at("ph") == phase && e.at("name") == name) out.push_back(e);
  }
  return out;
}

TEST(TraceEventsTest, are_slices_in_microseconds_since_the_first_step) {
  TraceEvents events;
  (void)events.of(step(1, 1'000'000));
  const json all = events_of(&events, step(2, 1'500'000));
  const std::vector<json> slices = select(all, "X", "product");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_DOUBLE_EQ(slices[0].at("ts").get<double>(), 502);
  EXPECT_DOUBLE_EQ(slices[0].at("dur").get<double>(), 2);
  EXPECT_EQ(slices[0].at("tid"), 11);
  EXPECT_EQ(slices[0].at("args").at("op"), "MatMul");
  EXPECT_DOUBLE_EQ(slices[0].at("args").at("queued_us").get<double>(), 1);
  EXPECT_EQ(select(all, "X", "step 2: y").at(0).at("args").at("messages").at("StartExecutor"), 2);
}

TEST(TraceEventsTest, say_of_a_run_that_recorded_nothing_that_it_did_not) {
  TraceEvents events;
  StepTrace slow = step(1, 1000);
  slow.recorded = false;
  slow.partitions = {{"CPU:0", false, {}}};
  slow.messages.clear();
  const json all = events_of(&events, slow);
  const json args = select(all, "X", "step 1: y").at(0).at("args");
  EXPECT_EQ(args.at("nodes"), "not recorded");
  EXPECT_EQ(args.at("status"), "OK");
  EXPECT_FALSE(args.contains("messages"));
}

TEST(TraceEventsTest, join_what_sent_a_message_to_who_got_it) {
  TraceEvents events;
  const json all = events_of(&events, step(1, 1000));
  const auto ends = [&](const std::string& name) {
    const std::vector<json> from = select(all, "s", name), to = select(all, "f", name);
    EXPECT_EQ(from.size(), to.size()) << name;
    for (size_t i = 0; i < from.size(); ++i) EXPECT_EQ(from[i].at("id"), to[i].at("id"));
    return std::pair(from, to);
  };
  EXPECT_EQ(ends("StartExecutor").first.size(), 2u);
  EXPECT_EQ(ends("ExecutorDone").first.size(), 2u);
  EXPECT_EQ(ends("LaunchKernels").second.at(0).at("tid"), 11) << "to the thread that ran it";
  EXPECT_EQ(ends("DrainKernels").first.at(0).at("tid"), 11);
  const auto [sent, received] = ends("RENDEZVOUS");
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].at("tid"), 10);
  EXPECT_EQ(received[0].at("tid"), 12);
  std::set<int64_t> ids;
  for (const char* name : {"StartExecutor", "ExecutorDone", "LaunchKernels", "DrainKernels", "RENDEZVOUS"}) {
    for (const json& e : select(all, "s", name))
      EXPECT_TRUE(ids.insert(e.at("id").get<int64_t>()).second) << "an arrow's own";
  }
}

TEST(TraceEventsTest, have_a_row_for_each_step_at_the_same_time) {
  TraceEvents events;
  const auto row = [&](int64_t id, int64_t began) {
    return select(events_of(&events, step(id, began)), "X", "step " + std::to_string(id) + ": y")
        .at(0)
        .at("tid")
        .get<int64_t>();
  };
  const int64_t first = row(1, 1000);
  EXPECT_NE(row(2, 5000), first) << "while the first runs";
  EXPECT_EQ(row(3, 11'000), first) << "once it is over";
}

TEST(TraceEventsTest, name_processes_and_threads_once_a_file) {
  TraceEvents events;
  const auto names = [&] {
    const json all = events_of(&events, step(1, 1000));
    return select(all, "M", "process_name").size();
  };
  EXPECT_EQ(names(), 3u) << "the session, and its two devices";
  EXPECT_EQ(names(), 0u);
  events.begin_file();
  EXPECT_EQ(names(), 3u);
}

TEST(TraceEventsTest, leave_out_nodes_of_a_huge_step_and_say_so) {
  TraceEvents events;
  StepTrace huge = step(1, 1000);
  huge.partitions[0].nodes.assign(60'000, huge.partitions[0].nodes[1]);
  const json all = events_of(&events, huge);
  EXPECT_LT(all.size(), 110'000u);
  EXPECT_EQ(select(all, "X", "10001 nodes are not shown").size(), 1u);
}

TEST(TraceEventsTest, take_any_bytes_as_names) {
  TraceEvents events;
  StepTrace odd = step(1, 1000);
  odd.label = "\xff\xfe\"\n";
  odd.status = absl::InternalError("\xc3");
  EXPECT_EQ(events_of(&events, odd).at(0).at("name"), "process_name");
}

}  // namespace
}  // namespace troupe::test
