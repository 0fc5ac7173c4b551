#include <gmock/gmock.h>

#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "devices/device.h"
#include "tests/actors/session_fixture.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;

const OpRow kThreadsRow[] = {{"TestThreads", "", "n:int32", "", ""}};

/// How many threads a loop of this kernel may use.
absl::Status threads_of(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, Shape()));
  std::mutex mu;
  std::set<std::thread::id> ids;
  c.device()->runner()->parallel_for(64, 1'000'000, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(mu);
    ids.insert(std::this_thread::get_id());
  });
  out->flat<int32_t>()[0] = static_cast<int32_t>(ids.size());
  return absl::OkStatus();
}

class PlacementTest : public SessionTest {
 protected:
  PlacementTest() {
    options_.device_count["CPU"] = 2;
    v_ = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
    const int three = constant("three", Tensor::scalar<float>(3));
    add("assign", "Assign", {{"T", DataType::kFloat}}, {{v_, 0}, {three, 0}}, {}, "/cpu:1");
    add("read", "Identity", {{"T", DataType::kFloat}}, {{v_, 0}});
  }
  float value(Session& s, const std::string& name) {
    auto out = s.run({}, {name});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].value<float>() : -1;
  }

  SessionOptions options_;
  int v_ = -1;
};

TEST_F(PlacementTest, finds_a_variable_whichever_signature_comes_first) {
  Session& s = open(options_);
  EXPECT_EQ(value(s, "assign"), 3);
  EXPECT_EQ(value(s, "read"), 3);
  Session& other = open(options_);
  EXPECT_THAT(std::string(other.run({}, {"read"}).status().message()), HasSubstr("uninitialized value v"));
  EXPECT_EQ(value(other, "assign"), 3);
  EXPECT_EQ(value(other, "read"), 3);
}

TEST_F(PlacementTest, finds_a_variable_after_the_graph_has_grown) {
  Session& s = open(options_);
  EXPECT_EQ(value(s, "assign"), 3);
  const int five = constant("five", Tensor::scalar<float>(5));
  add("again", "AssignAdd", {{"T", DataType::kFloat}}, {{v_, 0}, {five, 0}}, {}, "/cpu:0");
  add("later", "Identity", {{"T", DataType::kFloat}}, {{v_, 0}}, {}, "/cpu:0");
  ASSERT_EQ(s.extend(graph_.clone()), absl::OkStatus());
  EXPECT_EQ(value(s, "again"), 8);
  EXPECT_EQ(value(s, "read"), 8);
  EXPECT_EQ(value(s, "later"), 8);
}

TEST_F(PlacementTest, finds_a_resource_variable_whichever_signature_comes_first) {
  const AttrMap type{{"dtype", DataType::kFloat}};
  const int h = add("h", "VarHandleOp", {{"dtype", DataType::kFloat}, {"shape", Shape{}}});
  const int one = constant("one", Tensor::scalar<float>(1));
  add("init", "AssignVariableOp", type, {{h, 0}, {one, 0}}, {}, "/cpu:1");
  add("get", "ReadVariableOp", type, {{h, 0}});
  Session& s = open(options_);
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_EQ(value(s, "get"), 1);
}

TEST_F(PlacementTest, finds_a_variable_that_a_function_makes_whichever_signature_comes_first) {
  const auto def = with_functions(R"(
    library { function {
      signature { name: 'Make' output_arg { name: 'v' type: DT_RESOURCE } is_stateful: true }
      node_def { name: 'h' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } }
                 attr { key: 'shape' value { shape {} } } attr { key: 'shared_name' value { s: 'made' } } }
      ret { key: 'v' value: 'h:resource:0' }
    } }
    node { name: 'made' op: 'Make' })");
  ASSERT_EQ(import_graph_def(def, ImportOptions(), &graph_), absl::OkStatus());
  const int made = graph_.find("made")->id;
  const AttrMap type{{"dtype", DataType::kFloat}};
  const int one = constant("one", Tensor::scalar<float>(1));
  add("init", "AssignVariableOp", type, {{made, 0}, {one, 0}}, {}, "/cpu:1");
  add("get", "ReadVariableOp", type, {{made, 0}});
  Session& s = open(options_);
  EXPECT_FALSE(s.run({}, {"get"}).ok()) << "it has no value yet";
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  EXPECT_EQ(value(s, "get"), 1);
}

TEST_F(PlacementTest, of_a_pruned_graph_is_that_of_the_signature_that_comes_first) {
  options_.place_pruned_graph = true;
  add("more", "AssignAdd", {{"T", DataType::kFloat}}, {{v_, 0}, {graph_.find("three")->id, 0}}, {}, "/cpu:0");
  Session& s = open(options_);
  EXPECT_EQ(value(s, "assign"), 3) << "on the second device";
  EXPECT_EQ(value(s, "read"), 3);
  EXPECT_EQ(value(s, "more"), 6) << "goes where the variable is, whatever it asks for";
  EXPECT_EQ(value(s, "read"), 6);
  Session& other = open(options_);
  EXPECT_THAT(std::string(other.run({}, {"read"}).status().message()), HasSubstr("uninitialized value v"));
  EXPECT_EQ(value(other, "assign"), 3) << "on the first, where it was read";
  EXPECT_EQ(value(other, "read"), 3);
  add("later", "Identity", {{"T", DataType::kFloat}}, {{v_, 0}}, {}, "/cpu:1");
  ASSERT_EQ(other.extend(graph_.clone()), absl::OkStatus());
  EXPECT_EQ(value(other, "later"), 3);
}

TEST_F(PlacementTest, of_a_pruned_graph_is_one_for_signatures_that_come_at_once) {
  constexpr int kSignatures = 16;
  options_.place_pruned_graph = true;
  const std::vector<DataType> component{DataType::kFloat};
  const int q = add("q", "FIFOQueueV2", {{"component_types", component}});
  const int one = constant("one", Tensor::scalar<float>(1));
  for (int i = 0; i < kSignatures; ++i) {
    add("put" + std::to_string(i), "QueueEnqueueV2", {{"Tcomponents", component}}, {{q, 0}, {one, 0}}, {},
        "/cpu:" + std::to_string(i % 2));
  }
  add("size", "QueueSizeV2", {}, {{q, 0}});
  Session& s = open(options_);
  std::vector<std::future<absl::StatusOr<std::vector<Tensor>>>> puts;
  for (int i = 0; i < kSignatures; ++i) puts.push_back(s.run_async({}, {}, {"put" + std::to_string(i)}));
  for (auto& put : puts) EXPECT_EQ(put.get().status(), absl::OkStatus());
  EXPECT_EQ((*s.run({}, {"size"}))[0].value<int32_t>(), kSignatures);
}

TEST_F(PlacementTest, refuses_resources_of_different_devices_in_one_op_when_the_graph_comes) {
  const AttrMap type{{"dtype", DataType::kFloat}, {"shape", Shape{}}};
  const int a = add("a", "VarHandleOp", type, {}, {}, "/cpu:0");
  const int b = add("b", "VarHandleOp", type, {}, {}, "/cpu:1");
  const int one = constant("one", Tensor::scalar<float>(1));
  add("apply", "ResourceApplyMomentum", {{"T", DataType::kFloat}},
      {{a, 0}, {b, 0}, {one, 0}, {one, 0}, {one, 0}});
  session_ = *Session::open(*runtime_, options_);
  EXPECT_THAT(std::string(session_->create(graph_.clone()).message()),
              HasSubstr("incompatible resource devices: /device:CPU:1 vs /device:CPU:0"));
}

TEST_F(PlacementTest, is_printed_when_log_device_placement_asks_for_it) {
  testing::internal::CaptureStdout();
  open(options_);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  options_.log_device_placement = true;
  testing::internal::CaptureStdout();
  open(options_);
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_THAT(printed, HasSubstr("\nv: (VariableV2): /job:localhost/replica:0/task:0/device:CPU:1\n"));
  EXPECT_THAT(printed, HasSubstr("] read: (Identity): /job:localhost/replica:0/task:0/device:CPU:0\n"));
}

TEST_F(PlacementTest, of_a_pruned_graph_is_printed_for_each_signature) {
  options_.log_device_placement = options_.place_pruned_graph = true;
  testing::internal::CaptureStdout();
  Session& s = open(options_);
  EXPECT_EQ(value(s, "assign"), 3);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("\nv: (VariableV2): /job:localhost/replica:0/task:0/device:CPU:1\n"));
}

TEST_F(SessionTest, gives_kernels_as_many_threads_as_it_was_asked_for) {
  ASSERT_TRUE(ops_->add(kThreadsRow).ok());
  kernels_->add(KernelDef("TestThreads").fn(threads_of));
  add("threads", "TestThreads");
  auto used = [&](int wanted) {
    SessionOptions options;
    options.intra_op_threads = wanted;
    return (*open(options).run({}, {"threads"}))[0].value<int32_t>();
  };
  EXPECT_EQ(used(0), 1) << "the runtime's own pool";
  EXPECT_EQ(used(3), 3);
  EXPECT_EQ(used(1), 1);
  EXPECT_EQ(used(2), 2);
}

}  // namespace
}  // namespace troupe::test
