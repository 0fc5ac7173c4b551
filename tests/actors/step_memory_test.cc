// What is told of the memory that a step's kernels take: by node in RunMetadata, and in errors for want of memory.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
#include "proto/graph.pb.h"
#include "proto/step_stats.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;
using testing::HasSubstr;
using testing::Not;

const OpRow kOps[] = {{"TestScratch", "x:float", "y:float", "", ""},
                      {"TestKeep", "x:float", "y:float", "", ""}};

/// x, by way of 4,000 bytes and 2,000 bytes for itself.
absl::Status scratch(KernelContext& c) {
  TROUPE_RETURN_IF_ERROR(c.allocate_temp(DataType::kFloat, Shape({1000})).status());
  TROUPE_ASSIGN_OR_RETURN(Tensor kept, c.allocate_temp(DataType::kFloat, Shape({500})));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, c.input(0).shape()));
  out->flat<float>()[0] = c.input(0).flat<float>()[0];
  return absl::OkStatus();
}

/// x; keeps 2,000 bytes of the device's until `kept` is dropped.
Tensor kept;
absl::Status keep(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(kept, c.allocate_temp(DataType::kFloat, Shape({500})));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, c.input(0).shape()));
  out->flat<float>()[0] = c.input(0).flat<float>()[0];
  return absl::OkStatus();
}

/// big (4 MB) and mid (40 KB) are filled with x; huge asks for memory that is not there when both are; call does so in a function.
/// product = x2 * x2, negated = -product in the same memory; worked = scratch(x), keeping = keep(x).
class StepMemory : public SessionTest {
 protected:
  StepMemory() {
    EXPECT_TRUE(ops_->add(kOps).ok());
    kernels_->add(KernelDef("TestScratch").fn(scratch));
    kernels_->add(KernelDef("TestKeep").fn(keep));
  }
  ~StepMemory() override { kept = Tensor(); }

  Session& open_text(const std::string& config = "") {
    const std::string fill =
        "attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'index_type' value { type: DT_INT32 } }";
    auto dims = [](const std::string& name, const std::string& values) {
      return "node { name: '" + name +
             "' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' " +
             "value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } " + values + " } } } }\n";
    };
    const std::string text =
        "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
        "node { name: 'x2' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n" +
        dims("big_dims", "int_val: 1000 int_val: 1000") + dims("mid_dims", "int_val: 10 int_val: 1000") +
        dims("huge_dims", "int_val: 2000000000 int_val: 900000000") +
        "node { name: 'big' op: 'Fill' input: 'big_dims' input: 'x' " + fill + " }\n" +
        "node { name: 'mid' op: 'Fill' input: 'mid_dims' input: 'x' " + fill + " }\n" +
        "node { name: 'huge' op: 'Fill' input: 'huge_dims' input: 'x' input: '^big' input: '^mid' " + fill +
        " }\n" +
        "node { name: 'call' op: 'Huge' input: 'huge_dims' input: 'x' input: '^big' input: '^mid' }\n"
        "node { name: 'product' op: 'MatMul' input: 'x2' input: 'x2' attr { key: 'T' value { type: DT_FLOAT "
        "} } }\n"
        "node { name: 'negated' op: 'Neg' input: 'product' attr { key: 'T' value { type: DT_FLOAT } } }\n"
        "node { name: 'worked' op: 'TestScratch' input: 'x' }\n"
        "node { name: 'keeping' op: 'TestKeep' input: 'x' }\n"
        "library { function { signature { name: 'Huge' input_arg { name: 'dims' type: DT_INT32 }"
        "    input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }"
        "  node_def { name: 'within' op: 'Fill' input: 'dims' input: 'x' " +
        fill +
        " }"
        "  ret { key: 'y' value: 'within:output:0' } attr { key: '_noinline' value { b: true } } } }\n"
        "versions { producer: 1882 }";
    pb::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def)) << text;
    const auto options = SessionOptions::from_config_text(config);
    EXPECT_TRUE(options.ok()) << options.status();
    auto session = Session::open(*runtime_, *options);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const absl::Status created = session_->create(def);
    EXPECT_TRUE(created.ok()) << created;
    return *session_;
  }

  static RunOptions options(const std::string& text) {
    pb::RunOptions proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
    return *RunOptions::from_bytes(proto.SerializeAsString());
  }
  std::string error_of(const std::vector<std::string>& fetches, const std::string& run_options) {
    const absl::Status end =
        session_->run({{"x", Tensor::scalar<float>(1)}}, fetches, {}, options(run_options)).status();
    EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted) << end;
    return std::string(end.message());
  }
  /// The statistics of one run, by node.
  std::map<std::string, pb::NodeExecStats> statistics(
      const std::vector<std::string>& fetches,
      const std::string& run_options = "trace_level: SOFTWARE_TRACE") {
    RunStats stats;
    Tensor square(DataType::kFloat, Shape({2, 2}));
    for (float& v : square.flat<float>()) v = 1;
    EXPECT_TRUE(session_
                    ->run({{"x", Tensor::scalar<float>(1)}, {"x2", square}}, fetches, {},
                          options(run_options), &stats)
                    .ok());
    pb::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(stats.metadata));
    std::map<std::string, pb::NodeExecStats> by_node;
    for (const auto& device : metadata.step_stats().dev_stats()) {
      for (const auto& n : device.node_stats()) by_node[n.node_name()] = n;
    }
    return by_node;
  }
};

TEST_F(StepMemory, s074_is_told_by_node_with_its_allocator_its_totals_and_every_allocation) {
  open_text();
  const auto nodes = statistics({"product"});
  ASSERT_TRUE(nodes.contains("product"));
  const pb::NodeExecStats& product = nodes.at("product");
  ASSERT_EQ(product.memory_size(), 1);
  const pb::AllocatorMemoryUsed& memory = product.memory(0);
  EXPECT_EQ(memory.allocator_name(), "cpu");
  EXPECT_EQ(memory.total_bytes(), 16);
  EXPECT_EQ(memory.peak_bytes(), 16);
  EXPECT_EQ(memory.live_bytes(), 16);
  EXPECT_GE(memory.allocator_bytes_in_use(), 16);
  ASSERT_EQ(memory.allocation_records_size(), 1);
  EXPECT_EQ(memory.allocation_records(0).alloc_bytes(), 16);
  EXPECT_GE(memory.allocation_records(0).alloc_micros(), product.all_start_micros());
  const auto& output = product.output(0).tensor_description().allocation_description();
  EXPECT_TRUE(output.has_single_reference());
  EXPECT_GT(output.allocation_id(), 0);
  EXPECT_NE(output.ptr(), 0u);
  ASSERT_TRUE(nodes.contains("_arg_x2_0_1") || nodes.contains("_arg_x2_0_0"));
  for (const auto& [name, node] : nodes) {
    EXPECT_TRUE(node.has_memory_stats()) << name;
    EXPECT_EQ(node.referenced_tensor_size(), 0) << name << ": TensorFlow fills none on a CPU";
    if (name != "product") {
      EXPECT_EQ(node.memory_size(), 0) << name << " allocates nothing";
    }
  }
}

TEST_F(StepMemory, is_one_allocation_where_a_kernel_writes_over_its_input) {
  open_text();
  const auto nodes = statistics({"negated"});
  const auto& product = nodes.at("product").output(0).tensor_description().allocation_description();
  const pb::NodeExecStats& negated = nodes.at("negated");
  EXPECT_EQ(negated.memory_size(), 0);
  const auto& output = negated.output(0).tensor_description().allocation_description();
  EXPECT_EQ(output.allocation_id(), product.allocation_id());
  EXPECT_EQ(output.ptr(), product.ptr());
}

TEST_F(StepMemory, tells_what_was_given_back_during_and_after_the_node) {
  open_text();
  const auto nodes = statistics({"worked"});
  const pb::NodeExecStats& worked = nodes.at("worked");
  EXPECT_EQ(worked.memory_stats().temp_memory_size(), 6000);
  EXPECT_EQ(worked.memory_stats().persistent_memory_size(), 0);
  ASSERT_EQ(worked.memory_size(), 1);
  EXPECT_EQ(worked.memory(0).total_bytes(), 6004);
  EXPECT_EQ(worked.memory(0).peak_bytes(), 4000) << "the first block is back before the second comes";
  EXPECT_EQ(worked.memory(0).live_bytes(), 4);
  EXPECT_EQ(worked.memory(0).allocation_records_size(), 5);
}

TEST_F(StepMemory, that_a_kernel_keeps_is_persistent) {
  open_text();
  const auto nodes = statistics({"keeping"});
  EXPECT_EQ(nodes.at("keeping").memory_stats().persistent_memory_size(), 2000);
  EXPECT_EQ(nodes.at("keeping").memory(0).live_bytes(), 2004);
}

TEST_F(StepMemory, that_a_kernel_takes_for_itself_is_a_cost) {
  open_text("graph_options { build_cost_model: 1 }");
  RunStats stats;
  ASSERT_TRUE(session_->run({{"x", Tensor::scalar<float>(1)}}, {"worked"}, {}, {}, &stats).ok());
  pb::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  int seen = 0;
  for (const auto& n : metadata.cost_graph().node()) {
    if (n.name() != "worked") continue;
    ++seen;
    EXPECT_EQ(n.temporary_memory_size(), 6000);
    EXPECT_EQ(n.output_info(0).size(), 4);
  }
  EXPECT_EQ(seen, 1);
}

TEST_F(StepMemory, labels_nodes_that_take_much_with_it) {
  open_text();
  const auto nodes = statistics({"big", "mid"});
  EXPECT_THAT(nodes.at("big").timeline_label(), testing::StartsWith("[cpu 3.8MB 3.8MB] big = Fill("));
  EXPECT_THAT(nodes.at("mid").timeline_label(), testing::StartsWith("mid = Fill("));
}

TEST_F(StepMemory, is_told_alike_at_every_trace_level) {
  open_text();
  for (const char* level : {"SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE"}) {
    const auto nodes = statistics({"product"}, std::string("trace_level: ") + level);
    ASSERT_TRUE(nodes.contains("product")) << level;
    EXPECT_EQ(nodes.at("product").memory_size(), 1) << level;
  }
  EXPECT_TRUE(statistics({"product"}, "trace_level: NO_TRACE").empty());
}

TEST_F(StepMemory, is_given_back_whether_it_was_accounted_for_or_not) {
  open_text();
  (void)statistics({"big"});
  const int64_t before = runtime_->impl().host_memory->stats().bytes_in_use;
  for (int i = 0; i < 20; ++i) (void)statistics({"big"});
  EXPECT_EQ(runtime_->impl().host_memory->stats().bytes_in_use, before);
}

TEST_F(StepMemory, shortage_names_what_the_step_holds_when_asked) {
  open_text();
  EXPECT_THAT(
      error_of({"huge", "big", "mid"}, "report_tensor_allocations_upon_oom: true"),
      HasSubstr("OOM when allocating tensor with shape[2000000000,900000000] and type float on "
                "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu\n\t [[{{node huge}}]]\n\n"
                "Current usage from device: /job:localhost/replica:0/task:0/device:CPU:0, allocator: cpu\n"
                "  3.81MiB from big\n  Remaining 1 nodes with 39.1KiB\n"));
}

TEST_F(StepMemory, shortage_names_what_it_holds_where_statistics_are_collected_too) {
  open_text();
  EXPECT_THAT(error_of({"huge", "big"}, "trace_level: FULL_TRACE"), HasSubstr("  3.81MiB from big\n"));
}

TEST_F(StepMemory, shortage_in_a_function_names_what_its_callers_hold) {
  open_text();
  const std::string error = error_of({"call", "big", "mid"}, "report_tensor_allocations_upon_oom: true");
  EXPECT_THAT(error, HasSubstr("{{node within}}"));
  const size_t at = error.find("Current usage from device");
  ASSERT_NE(at, std::string::npos) << error;
  EXPECT_EQ(error.find("Current usage from device", at + 1), std::string::npos) << "once: " << error;
  EXPECT_THAT(error.substr(at), HasSubstr("  3.81MiB from big\n"));
}

TEST_F(StepMemory, shortage_says_how_to_learn_more_when_nobody_asked) {
  open_text();
  const std::string error = error_of({"huge", "big"}, "");
  EXPECT_THAT(error, HasSubstr("\nHint: If you want to see a list of allocated tensors when OOM happens, add "
                               "report_tensor_allocations_upon_oom to RunOptions"));
  EXPECT_THAT(error, Not(HasSubstr("Current usage")));
}

}  // namespace
}  // namespace troupe::test
