#include <gmock/gmock.h>

#include <future>
#include <map>
#include <thread>

#include "actors/step/node_timing.h"
#include "actors/units/turns_here.h"
#include "proto/config.pb.h"
#include "proto/step_stats.pb.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;
using namespace graph_text;

const std::string kFloat = attr("T", "type: DT_FLOAT");
const std::string kDtype = attr("dtype", "type: DT_FLOAT");
const std::string kScalar = attr("shape", "shape {}");

std::string placeholder(const std::string& name, int task) {
  return node(name, "Placeholder", {}, kDtype + on_task(task));
}

float only(const absl::StatusOr<std::vector<Tensor>>& fetched) {
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  return fetched.ok() ? (*fetched)[0].value<float>() : -1;
}

/// x on task 0, y = x + x on task 1, z = y * y on task 0.
std::string there_and_back() {
  return placeholder("x", 0) + node("y", "AddV2", {"x", "x"}, kFloat + on_task(1)) +
         node("z", "Mul", {"y", "y"}, kFloat + on_task(0));
}

TEST_F(ClusterTest, a_step_runs_on_two_tasks) {
  start_all(2);
  auto s = open(there_and_back());
  for (int i = 1; i <= 3; ++i) {
    const float x = static_cast<float>(i);
    EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(x)}}, {"z"})), 4 * x * x);
  }
}

TEST_F(ClusterTest, a_callback_is_called_on_no_thread_of_the_network) {
  start_all(2);
  auto s = open(there_and_back());
  const std::vector<NamedTensor> feeds{{"x", Tensor::scalar<float>(1)}};
  for (int i = 0; i < 20; ++i) {
    std::promise<bool> of_network;
    float z = 0;
    s->run_async(feeds, {"z"}, {}, {}, [&](const absl::StatusOr<std::vector<Tensor>>& out, const RunStats&) {
      z = only(out);
      of_network.set_value(TurnsHere::active());
    });
    EXPECT_FALSE(of_network.get_future().get());
    EXPECT_EQ(z, 4);
  }
}

TEST_F(ClusterTest, feeds_and_fetches_are_on_any_task) {
  start_all(3);
  auto s = open(placeholder("x", 2) + node("y", "Neg", {"x"}, kFloat + on_task(1)) +
                node("z", "Square", {"x"}, kFloat + on_task(2)));
  auto out = s->run({{"x", Tensor::scalar<float>(3)}}, {"y", "z"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), -3);
  EXPECT_EQ((*out)[1].value<float>(), 9);
}

TEST_F(ClusterTest, devices_of_all_tasks_are_listed) {
  start_all(2);
  auto s = open(there_and_back());
  auto devices = s->list_devices();
  ASSERT_TRUE(devices.ok());
  std::vector<std::string> names;
  for (const DeviceInfo& d : *devices) names.push_back(d.name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre(task_name(0) + "/device:CPU:0", task_name(1) + "/device:CPU:0"));
}

/// v on task 1, with its initial value and an increment.
std::string counter() {
  return node("v", "VarHandleOp", {}, kDtype + kScalar + attr("shared_name", "s: 'v'") + on_task(1)) +
         node("zero", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 0") + on_task(1)) +
         node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(0)) +
         node("init", "AssignVariableOp", {"v", "zero"}, kDtype + on_task(1)) +
         node("add", "AssignAddVariableOp", {"v", "one"}, kDtype + on_task(1)) +
         node("read", "ReadVariableOp", {"v"}, kDtype + on_task(1));
}

TEST_F(ClusterTest, variables_stay_on_the_task_where_they_were_placed) {
  start_all(2);
  auto s = open(counter());
  ASSERT_TRUE(s->run({}, {}, {"init"}).ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(s->run({}, {}, {"add"}).ok());
  EXPECT_EQ(only(s->run({}, {"read"})), 5);
}

TEST_F(ClusterTest, sessions_share_what_a_task_has_unless_they_are_isolated) {
  start_all(2);
  auto first = open(counter());
  ASSERT_TRUE(first->run({}, {}, {"init"}).ok());
  ASSERT_TRUE(first->run({}, {}, {"add"}).ok());
  auto second = open(counter());
  EXPECT_EQ(only(second->run({}, {"read"})), 1);
  SessionOptions alone = *SessionOptions::from_config_text("isolate_session_state: true");
  auto third = open(counter(), alone);
  EXPECT_THAT(std::string(third->run({}, {"read"}).status().message()), HasSubstr("v"));
  EXPECT_EQ(third->run({}, {"read"}).status().code(), absl::StatusCode::kFailedPrecondition);
}

/// i = 0; while (i < limit) i = i + 1, with the sum on the other task.
std::string loop_over_tasks() {
  const std::string frame = attr("frame_name", "s: 'loop'");
  return node("zero", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 0") + on_task(0)) +
         node("limit", "Placeholder", {}, kDtype + on_task(0)) +
         node("enter", "Enter", {"zero"}, kFloat + frame + on_task(0)) +
         node("enter_limit", "Enter", {"limit"},
              kFloat + frame + attr("is_constant", "b: true") + on_task(0)) +
         node("merge", "Merge", {"enter", "next"}, kFloat + attr("N", "i: 2") + on_task(0)) +
         node("less", "Less", {"merge", "enter_limit"}, kFloat + on_task(0)) +
         node("cond", "LoopCond", {"less"}, on_task(0)) +
         node("switch", "Switch", {"merge", "cond"}, kFloat + on_task(0)) +
         node("one", "Const", {"^switch"}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(1)) +
         node("sum", "AddV2", {"switch:1", "one"}, kFloat + on_task(1)) +
         node("next", "NextIteration", {"sum"}, kFloat + on_task(0)) +
         node("exit", "Exit", {"switch"}, kFloat + on_task(0));
}

TEST_F(ClusterTest, a_loop_runs_over_two_tasks) {
  start_all(2);
  auto s = open(loop_over_tasks());
  EXPECT_EQ(only(s->run({{"limit", Tensor::scalar<float>(20)}}, {"exit"})), 20);
  EXPECT_EQ(only(s->run({{"limit", Tensor::scalar<float>(0)}}, {"exit"})), 0);
}

TEST_F(ClusterTest, a_branch_that_is_not_taken_is_dead_on_the_other_task_too) {
  start_all(2);
  auto s =
      open(placeholder("x", 0) + node("p", "Placeholder", {}, attr("dtype", "type: DT_BOOL") + on_task(0)) +
           node("switch", "Switch", {"x", "p"}, kFloat + on_task(0)) +
           node("no", "Neg", {"switch:0"}, kFloat + on_task(1)) +
           node("yes", "Square", {"switch:1"}, kFloat + on_task(1)) +
           node("merge", "Merge", {"no", "yes"}, kFloat + attr("N", "i: 2") + on_task(0)));
  EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(3)}, {"p", Tensor::scalar<bool>(true)}}, {"merge"})), 9);
  EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(3)}, {"p", Tensor::scalar<bool>(false)}}, {"merge"})),
            -3);
}

TEST_F(ClusterTest, a_large_value_goes_in_pieces) {
  start_all(2);
  auto s = open(there_and_back());
  constexpr int64_t kElements = (9 << 20) / sizeof(float) + 3;
  Tensor x(DataType::kFloat, Shape{kElements});
  for (int64_t i = 0; i < kElements; ++i) x.flat<float>()[i] = static_cast<float>(i % 1000);
  auto out = s->run({{"x", x}}, {"z"});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ((*out)[0].num_elements(), kElements);
  for (int64_t i = 0; i < kElements; i += 997) {
    const float v = static_cast<float>(i % 1000);
    ASSERT_EQ((*out)[0].flat<float>()[i], 4 * v * v) << i;
  }
}

TEST_F(ClusterTest, strings_cross) {
  start_all(2);
  const std::string type = attr("T", "type: DT_STRING");
  auto s =
      open(node("x", "Placeholder", {}, attr("dtype", "type: DT_STRING") + on_task(0)) +
           node("y", "Identity", {"x"}, type + on_task(1)) + node("z", "Identity", {"y"}, type + on_task(0)));
  auto out = s->run({{"x", Tensor::string_scalar("over there")}}, {"z"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<TString>(), TString("over there"));
}

TEST_F(ClusterTest, an_error_on_another_task_is_the_steps) {
  start_all(2);
  auto s = open(node("x", "Placeholder", {}, kDtype + on_task(0)) +
                node("c", "CheckNumerics", {"x"}, kFloat + attr("message", "s: 'not finite'") + on_task(1)));
  EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(1)}}, {"c"})), 1);
  const absl::Status bad =
      s->run({{"x", Tensor::scalar<float>(std::numeric_limits<float>::infinity())}}, {"c"}).status();
  EXPECT_EQ(bad.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bad.message()), HasSubstr("not finite"));
  EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(2)}}, {"c"})), 2);
}

TEST_F(ClusterTest, a_partial_run_has_parts_on_both_tasks) {
  start_all(2);
  auto s =
      open(placeholder("a", 0) + placeholder("b", 1) + node("sum", "AddV2", {"a", "b"}, kFloat + on_task(1)) +
           node("twice", "AddV2", {"sum", "a"}, kFloat + on_task(0)) +
           node("na", "Neg", {"a"}, kFloat + on_task(1)));
  auto handle = s->partial_run_setup({"a", "b"}, {"na", "twice"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(only(s->partial_run(*handle, {{"a", Tensor::scalar<float>(2)}}, {"na"})), -2);
  EXPECT_EQ(only(s->partial_run(*handle, {{"b", Tensor::scalar<float>(5)}}, {"twice"})), 9);
}

TEST_F(ClusterTest, statistics_of_all_tasks_are_one_and_on_one_clock) {
  start_all(2);
  auto s = open(there_and_back());
  RunOptions options;
  options.collect_stats = true;
  RunStats stats;
  const int64_t before = wall_clock_ns();
  ASSERT_TRUE(s->run({{"x", Tensor::scalar<float>(1)}}, {"z"}, {}, options, &stats).ok());
  const int64_t after = wall_clock_ns();
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  std::map<std::string, std::string> where;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& n : device.node_stats()) {
      where[n.node_name()] = device.device();
      // The doubt of an offset is half a round trip, and the run is one.
      EXPECT_GE(n.all_start_nanos(), before - (after - before)) << n.node_name();
      EXPECT_LE(n.all_start_nanos() + n.all_end_rel_nanos(), after + (after - before)) << n.node_name();
    }
  }
  EXPECT_EQ(where["y"], task_name(1) + "/device:CPU:0");
  EXPECT_EQ(where["z"], task_name(0) + "/device:CPU:0");
  // None where none are asked for.
  ASSERT_TRUE(s->run({{"x", Tensor::scalar<float>(1)}}, {"z"}, {}, {}, &stats).ok());
  EXPECT_EQ(stats.metadata, "");
}

TEST_F(ClusterTest, s260_a_gigabyte_crosses_from_task_to_task) {
#ifdef TROUPE_SANITIZED
  GTEST_SKIP() << "takes minutes under a sanitizer";
#endif
  // Whoever copies a gigabyte does not answer meanwhile.
  options_.lease.lease = std::chrono::seconds(20);
  start_all(2);
  const std::string size = constant_attrs("DT_INT32", "dim { size: 1 }", "int_val: 268435456");
  auto s = open(placeholder("x", 0) + node("dims", "Const", {}, size + on_task(0)) +
                node("large", "Fill", {"dims", "x"}, kFloat + on_task(0)) +
                node("there", "Neg", {"large"}, kFloat + on_task(1)) +
                node("axis", "Const", {}, constant_attrs("DT_INT32", "", "int_val: 0") + on_task(1)) +
                node("least", "Min", {"there", "axis"}, kFloat + on_task(1)) +
                node("most", "Max", {"there", "axis"}, kFloat + on_task(1)));
  auto out = s->run({{"x", Tensor::scalar<float>(7)}}, {"least", "most"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), -7);
  EXPECT_EQ((*out)[1].value<float>(), -7);
}

/// A function from x to y, both float, and a call of it on a task.
std::string function(const std::string& name, const std::string& nodes, const std::string& result) {
  return "library { function { signature { name: '" + name +
         "' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } " + nodes +
         "ret { key: 'y' value: '" + result + "' } } } ";
}
std::string call(const std::string& name, int task) {
  return node("call", "PartitionedCall", {"x"},
              func("f", name) + attr("Tin", "list { type: DT_FLOAT }") +
                  attr("Tout", "list { type: DT_FLOAT }") + on_task(task));
}

/// Calls stay calls.
SessionOptions not_inlined() {
  return *SessionOptions::from_config_text(
      "graph_options { optimizer_options { do_function_inlining: false } rewrite_options { "
      "function_optimization: OFF } }");
}

TEST_F(ClusterTest, functions_are_called_where_they_are_placed) {
  start_all(2);
  auto s = open(placeholder("x", 0) + call("Twice", 1) +
                    function("Twice", body("sum", "AddV2", {"x", "x"}, kFloat), "sum:z:0"),
                not_inlined());
  EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(4)}}, {"call"})), 8);
}

TEST_F(ClusterTest, a_function_that_is_called_at_run_time_runs_over_tasks) {
  start_all(3);
  const std::string nodes = body("there", "Neg", {"x"}, kFloat + on_task(1)) +
                            body("on", "Square", {"there:y:0"}, kFloat + on_task(2)) +
                            body("back", "AddV2", {"on:y:0", "x"}, kFloat + on_task(0));
  auto s =
      open(placeholder("x", 0) + call("Around", 0) + function("Around", nodes, "back:z:0"), not_inlined());
  for (const float x : {1.f, 2.f, 3.f})
    EXPECT_EQ(only(s->run({{"x", Tensor::scalar<float>(x)}}, {"call"})), x * x + x);
}

TEST_F(ClusterTest, a_cancel_reaches_what_a_called_function_has_on_another_task) {
  start_all(2);
  const std::string components = attr("component_types", "list { type: DT_FLOAT }") + on_task(1);
  const std::string nodes = body("q", "FIFOQueueV2", {}, components) +
                            body("wait", "QueueDequeueV2", {"q:handle:0"}, components) +
                            body("sum", "AddV2", {"x", "wait:components:0"}, kFloat + on_task(0));
  auto s = open(placeholder("x", 0) + call("Waits", 0) + function("Waits", nodes, "sum:z:0"), not_inlined());
  auto run = s->run_async({{"x", Tensor::scalar<float>(1)}}, {"call"});
  bool waits = false;
  for (int i = 0; i < 500 && !waits; ++i) {
    const auto steps = s->inspect();
    ASSERT_TRUE(steps.ok()) << steps.status();
    waits = !steps->empty() &&
            testing::PrintToString((*steps)[0].frontier).find("wait (QueueDequeueV2)") != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(waits);
  ASSERT_TRUE(s->cancel("enough").ok());
  ASSERT_EQ(run.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(run.get().status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
