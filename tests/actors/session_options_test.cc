// What a session does with options of its own and of its runs.
#include <gmock/gmock.h>

#include <thread>

#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;
using testing::HasSubstr;

class SessionOptionsTest : public SessionTest {
 protected:
  static SessionOptions from_text(const std::string& text) {
    auto options = SessionOptions::from_config_text(text);
    EXPECT_TRUE(options.ok()) << options.status();
    return *options;
  }
  static pb::RunMetadata parsed(const RunStats& stats) {
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    return metadata;
  }
  /// The op of that node in the graph that runs when it is fetched.
  std::string planned_op(SessionOptions options, const std::string& name) {
    RunOptions run;
    run.output_partition_graphs = true;
    RunStats stats;
    EXPECT_TRUE(open(std::move(options)).run({}, {name}, {}, run, &stats).ok());
    const pb::RunMetadata metadata = parsed(stats);
    for (const auto& graph : metadata.partition_graphs()) {
      for (const auto& n : graph.node()) {
        if (n.name() == name) return n.op();
      }
    }
    return "";
  }
};

TEST_F(SessionOptionsTest, level_zero_leaves_constants_to_be_computed) {
  const int one = constant("one", Tensor::scalar<float>(1));
  add("sum", "TestAdd", {}, {{one, 0}, {one, 0}});
  EXPECT_EQ(planned_op({}, "sum"), "Const");
  EXPECT_EQ(planned_op(from_text("graph_options { optimizer_options { opt_level: L0 } }"), "sum"), "TestAdd");
}

TEST_F(SessionOptionsTest, large_constants_are_not_folded) {
  const int one = constant("one", Tensor::scalar<float>(1));
  add("sum", "TestAdd", {}, {{one, 0}, {one, 0}});
  EXPECT_EQ(
      planned_op(from_text("graph_options { optimizer_options { max_folded_constant_in_bytes: 3 } }"), "sum"),
      "TestAdd");
}

TEST(RunOptions, are_read_from_their_bytes) {
  pb::RunOptions proto;
  proto.set_timeout_in_ms(1234);
  proto.set_inter_op_thread_pool(3);
  proto.set_trace_level(pb::RunOptions::FULL_TRACE);
  proto.set_output_partition_graphs(true);
  auto options = RunOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->timeout, std::chrono::milliseconds(1234));
  EXPECT_EQ(options->inter_op_pool, 3);
  EXPECT_TRUE(options->collect_stats);
  EXPECT_TRUE(options->output_partition_graphs);
  options = RunOptions::from_bytes("");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->collect_stats);
  EXPECT_FALSE(options->output_partition_graphs);
  EXPECT_FALSE(RunOptions::from_bytes("\xff").ok());
}

TEST_F(SessionOptionsTest, a_run_chooses_its_pool_or_none) {
  const int x = placeholder("x");
  add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
  Session& s = open(from_text(
      "session_inter_op_thread_pool { num_threads: 1 } session_inter_op_thread_pool { num_threads: 2 }"));
  RunOptions options;
  for (int pool : {-1, 0, 1}) {
    options.inter_op_pool = pool;
    auto out = s.run({{"x", Tensor::scalar<float>(2)}}, {"sum"}, {}, options);
    ASSERT_TRUE(out.ok()) << out.status() << " in pool " << pool;
    EXPECT_EQ((*out)[0].value<float>(), 4);
  }
  for (int pool : {-2, 2}) {
    options.inter_op_pool = pool;
    const absl::Status refused = s.run({{"x", Tensor::scalar<float>(2)}}, {"sum"}, {}, options).status();
    EXPECT_EQ(refused.message(), absl::StrCat("Invalid inter_op_thread_pool: ", pool));
  }
}

// --- called functions ---

const std::string kCalled = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "call" op: "PartitionedCall" input: "x" device: "/cpu:1"
         attr { key: "f" value { func { name: "Negate" } } }
         attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
  node { name: "here" op: "PartitionedCall" input: "x" device: "/cpu:0"
         attr { key: "f" value { func { name: "Negate" } } }
         attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
  library { function {
    signature { name: "Negate" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    attr { key: "_noinline" value { b: true } }
    node_def { name: "inside" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "inside:y:0" }
  } }
  versions { producer: 1882 }
)";

class CalledFunctionStats : public SessionOptionsTest {
 protected:
  CalledFunctionStats() {
    pb::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kCalled, &def));
    auto session = Session::open(*runtime_, from_text("device_count { key: 'CPU' value: 2 }"));
    EXPECT_TRUE(session.ok() && (*session)->create(def).ok());
    session_ = *std::move(session);
  }
  /// The devices on which the function's node ran, once for each time.
  std::vector<std::string> ran_on(const std::string& fetch) {
    RunOptions options;
    options.collect_stats = true;
    RunStats stats;
    EXPECT_TRUE(session_->run({{"x", Tensor::scalar<float>(1)}}, {fetch}, {}, options, &stats).ok());
    const pb::RunMetadata metadata = parsed(stats);
    std::vector<std::string> devices;
    for (const auto& device : metadata.step_stats().dev_stats()) {
      for (const auto& n : device.node_stats()) {
        if (n.node_name() == "inside") devices.push_back(device.device().substr(device.device().rfind('/')));
      }
    }
    return devices;
  }
};

TEST_F(CalledFunctionStats, show_that_a_function_runs_where_its_caller_is) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(ran_on("call"), testing::ElementsAre("/device:CPU:1"));
    EXPECT_THAT(ran_on("here"), testing::ElementsAre("/device:CPU:0"));
  }
}

TEST_F(CalledFunctionStats, are_of_their_own_run_alone) {
  RunOptions options;
  options.collect_stats = true;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(session_->run({{"x", Tensor::scalar<float>(1)}}, {"call"}, {}, options).ok())
        << "nobody reads its statistics";
  }
  EXPECT_EQ(ran_on("call").size(), 1u);
}

// --- what a step makes for itself ---

TEST_F(SessionOptionsTest, steps_side_by_side_have_stacks_of_their_own) {
  const int x = placeholder("x");
  const int size = constant("size", Tensor::scalar<int32_t>(4));
  const int stack =
      add("stack", "StackV2", {{"elem_type", DataType::kFloat}, {"stack_name", "s"}}, {{size, 0}});
  const int push = add("push", "StackPushV2", {{"T", DataType::kFloat}}, {{stack, 0}, {x, 0}});
  const int holds = add("held", "TestHold", {}, {{push, 0}});
  add("late", "StackPopV2", {{"elem_type", DataType::kFloat}}, {{stack, 0}}, {holds});
  add("soon", "StackPopV2", {{"elem_type", DataType::kFloat}}, {{stack, 0}}, {push});
  SessionOptions options;
  // Nobody reads "held".
  options.bypass_identities = false;
  Session& s = open(options);
  absl::StatusOr<std::vector<Tensor>> late;
  std::thread waits([&] { late = s.run({{"x", Tensor::scalar<float>(1)}}, {"late"}); });
  while (SessionTest::held == 0) std::this_thread::yield();
  auto soon = s.run({{"x", Tensor::scalar<float>(2)}}, {"soon"});
  let_go = true;
  waits.join();
  ASSERT_TRUE(soon.ok()) << soon.status();
  EXPECT_EQ((*soon)[0].value<float>(), 2);
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ((*late)[0].value<float>(), 1);
}

}  // namespace
}  // namespace troupe::test
