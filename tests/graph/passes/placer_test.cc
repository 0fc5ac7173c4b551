// Where the placer puts nodes that may go to several devices.
#include "tests/graph/passes/placer_testing.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;

using Placer = PlacerTest;

const FakeCatalog::Kernels kPrefersCpu{{"FakeCPU", 2}, {"FakeGPU", 1}};
const FakeCatalog::Kernels kPrefersGpu{{"FakeCPU", 1}, {"FakeGPU", 2}};

TEST_F(Placer, s155_prefers_the_device_type_of_the_highest_priority) {
  devices.kernels["Input"] = kOnCpu;
  Out in = node("in", "Input");
  node("n1", "Relu1", {in});
  node("n2", "Relu1", {in});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeCPU:0");
  EXPECT_EQ(at("n1"), "FakeGPU:0");
  EXPECT_EQ(at("n2"), "FakeGPU:0");
}

TEST_F(Placer, s156_prefers_the_kernel_of_the_highest_priority_to_the_device_type) {
  devices.kernels["Relu1"] = kPrefersCpu;
  node("n1", "Relu1", {node("in", "Input")});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
  EXPECT_EQ(at("n1"), "FakeCPU:0");
}

TEST_F(Placer, s157_uses_a_device_type_of_low_priority_for_what_is_there_or_asks_for_it_only) {
  devices.add("/job:a/replica:0/task:0/device:XLA_CPU:0", 50);
  devices.kernels["Relu1"] = {{"FakeCPU", 0}, {"XLA_CPU", 0}};
  Out in = node("in", "Input");
  node("free", "Relu1", {in});
  node("assigned", "Relu1", {in});
  node("asks", "Relu1", {in}, "/device:XLA_CPU:0");
  assign("assigned", 4);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("free"), "FakeCPU:0");
  EXPECT_EQ(at("assigned"), "XLA_CPU:0");
  EXPECT_EQ(at("asks"), "XLA_CPU:0");
}

TEST_F(Placer, s158_leaves_a_value_of_a_gpu_there_when_its_consumer_prefers_the_cpu) {
  devices.kernels["Input"] = kOnGpu;
  devices.kernels["Relu1"] = kPrefersCpu;
  node("n1", "Relu1", {node("in", "Input")});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
  EXPECT_EQ(at("n1"), "FakeCPU:0");
}

TEST_F(Placer, s159_puts_what_prefers_the_cpu_beside_the_gpu_node_that_it_is_colocated_with) {
  devices.kernels["Input"] = kOnGpu;
  devices.kernels["Relu1"] = kPrefersCpu;
  node("n1", "Relu1", {node("in", "Input")}, "", {"in"});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
  EXPECT_EQ(at("n1"), "FakeGPU:0");
}

/// A variable and an op that refers to it, with these kernels, end up there together.
class PlacerPriorities : public PlacerTest {
 protected:
  void expect(const FakeCatalog::Kernels& of_variable, const FakeCatalog::Kernels& of_consumer,
              const std::string& where) {
    devices.kernels["Var"] = of_variable;
    devices.kernels["Set"] = of_consumer;
    node("set", "Set", {node("v", "Var"), node("x", "Input")});
    ASSERT_EQ(decide(), absl::OkStatus());
    EXPECT_EQ(at("v"), where);
    EXPECT_EQ(at("set"), where);
  }
  const FakeCatalog::Kernels kEverywhere{{"FakeCPU", 0}, {"FakeGPU", 0}};
};

TEST_F(PlacerPriorities, s160_of_the_source_alone_count) { expect(kPrefersCpu, kEverywhere, "FakeCPU:0"); }
TEST_F(PlacerPriorities, s161_of_the_consumer_alone_count) { expect(kEverywhere, kPrefersCpu, "FakeCPU:0"); }
TEST_F(PlacerPriorities, s162_in_the_regular_order_change_nothing) {
  expect(kPrefersGpu, kEverywhere, "FakeGPU:0");
}
TEST_F(PlacerPriorities, s163_yield_to_a_consumer_that_is_for_gpus_only) {
  expect(kPrefersCpu, kOnGpu, "FakeGPU:0");
}
TEST_F(PlacerPriorities, s164_yield_to_a_consumer_that_is_for_cpus_only) {
  expect(kPrefersGpu, kOnCpu, "FakeCPU:0");
}
TEST_F(PlacerPriorities, s165_that_agree_on_the_cpu_count) {
  expect(kPrefersCpu, {{"FakeCPU", 7}, {"FakeGPU", 3}}, "FakeCPU:0");
}
TEST_F(PlacerPriorities, s166_that_agree_on_the_gpu_count) {
  expect(kPrefersGpu, {{"FakeCPU", 3}, {"FakeGPU", 7}}, "FakeGPU:0");
}
TEST_F(PlacerPriorities, s167_in_conflict_leave_it_to_the_device_types) {
  expect(kPrefersCpu, kPrefersGpu, "FakeGPU:0");
}
TEST_F(PlacerPriorities, s168_in_conflict_the_other_way_leave_it_to_the_device_types) {
  expect(kPrefersGpu, kPrefersCpu, "FakeGPU:0");
}

TEST_F(PlacerPriorities, in_conflict_leave_the_say_to_a_third_member) {
  devices.kernels["Var"] = kPrefersGpu;
  devices.kernels["Set"] = kPrefersCpu;
  Out set = node("set", "Set", {node("v", "Var"), node("x", "Input")});
  node("again", "Set", {set, node("y", "Input")});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("again"), "FakeCPU:0");
  EXPECT_EQ(at("v"), at("again"));
}

TEST_F(Placer, s170_puts_questions_about_a_shape_where_their_input_is) {
  Out x = node("x", "Relu1", {node("in", "Input")}, "/device:FakeCPU:1");
  node("shape", "Shape", {x});
  node("size", "Size", {x});
  node("rank", "Rank", {x});
  ASSERT_EQ(decide(), absl::OkStatus());
  for (const char* name : {"shape", "size", "rank"}) EXPECT_EQ(at(name), "FakeCPU:1") << name;
}

TEST_F(Placer, s171_puts_a_generator_where_its_only_consumer_is) {
  node("use", "Relu1CPU", {node("in", "Generator")});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeCPU:0");
}

TEST_F(Placer, s172_leaves_a_generator_where_it_has_a_kernel) {
  node("use", "Relu1GPU", {node("in", "GeneratorCPU")});
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeCPU:0");
  EXPECT_EQ(at("use"), "FakeGPU:0");
}

TEST_F(Placer, s173_leaves_a_generator_to_its_own_wish_and_follows_within_it) {
  node("use", "Relu1", {node("in", "Generator", {}, "/device:FakeCPU:0")}, "/device:FakeCPU:1");
  node("other", "Relu1", {node("any_cpu", "Generator", {}, "/device:FakeCPU:*")}, "/device:FakeCPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeCPU:0");
  EXPECT_EQ(at("any_cpu"), "FakeCPU:1");
}

TEST_F(Placer, s174_honours_a_partial_wish) {
  node("cpu", "Relu1", {node("in", "Input", {}, "/job:a")}, "/device:FakeCPU:*");
  node("first", "Input", {}, "/device:FakeGPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
  EXPECT_EQ(at("cpu"), "FakeCPU:0");
  EXPECT_EQ(at("first"), "FakeGPU:1");
}

TEST_F(Placer, s175_keeps_the_device_that_a_node_has) {
  node("assigned", "Relu1", {node("in", "Input")}, "/device:FakeGPU:0");
  assign("assigned", 1);
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("assigned"), "FakeCPU:1") << "whatever it asks for";
  EXPECT_EQ(at("in"), "FakeGPU:0");
}

TEST_F(Placer, s176_s211_moves_what_asks_for_a_gpu_and_has_no_kernel_there_when_that_is_allowed) {
  node("n", "Relu1CPU", {node("in", "Input")}, "/device:FakeGPU:0");
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("n"), "FakeCPU:0");
}

TEST_F(Placer, s177_moves_a_resource_when_a_consumer_has_no_kernel_where_it_is) {
  node("use", "UseCPU", {node("h", "Handle", {}, "/device:FakeGPU:0")});
  EXPECT_THAT(refused(), HasSubstr("Cannot assign a device for operation"));
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("h"), "FakeCPU:0");
  EXPECT_EQ(at("use"), "FakeCPU:0");
}

TEST_F(Placer, s205_takes_another_device_of_the_type_for_one_that_is_not_there_when_that_is_allowed) {
  node("n", "Relu1", {node("in", "Input")}, "/device:FakeGPU:11");
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("n"), "FakeGPU:0");
}

TEST_F(Placer, s212_moves_within_the_job_that_is_asked_for) {
  devices.add("/job:b/replica:0/task:0/device:FakeCPU:0", 60);
  node("n", "Relu1CPU", {node("in", "Input")}, "/job:b/device:FakeGPU:3");
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(devices.entries()[graph.find("n")->device].name, "/job:b/replica:0/task:0/device:FakeCPU:0");
  node("m", "Relu1GPU", {node("in2", "Input")}, "/job:b");
  EXPECT_THAT(refused(true), HasSubstr("Cannot assign a device for operation m"));
}

TEST_F(Placer, moves_a_generator_to_its_consumer_when_its_wish_cannot_be_met) {
  node("use", "Relu1", {node("in", "GeneratorCPU", {}, "/device:FakeGPU:0")}, "/device:FakeCPU:1");
  ASSERT_EQ(decide(true), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeCPU:1");
}

TEST_F(Placer, s214_puts_a_generator_where_all_its_consumers_are) {
  Out in = node("in", "Generator");
  node("one", "Relu1", {in}, "/device:FakeGPU:1");
  node("two", "Both", {in, in}, "/device:FakeGPU:1");
  {
    auto after = b->control({in});
    node("three", "Input", {}, "/device:FakeGPU:1");
  }
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:1");
}

TEST_F(Placer, s215_does_not_move_a_generator_whose_consumers_are_on_different_devices) {
  Out in = node("in", "Generator");
  node("one", "Relu1", {in}, "/device:FakeCPU:1");
  node("two", "Relu1", {in}, "/device:FakeGPU:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(at("in"), "FakeGPU:0");
}

TEST_F(Placer, s241_orders_devices_by_kernel_by_type_local_first_and_by_name) {
  FakeCatalog c;
  c.add("/job:a/replica:0/task:1/device:FakeGPU:0", 210, false);
  c.add("/job:b/replica:0/task:0/device:FakeCPU:1", 60);
  c.add("/job:b/replica:0/task:0/device:FakeCPU:0", 60);
  c.add("/job:b/replica:0/task:0/device:FakeGPU:1", 210);
  c.add("/job:a/replica:0/task:1/device:FakeCPU:0", 60, false);
  c.kernels = devices.kernels;
  c.kernels["Relu1"] = kPrefersCpu;
  devices = c;
  Out in = node("by_type", "Input");
  node("by_kernel", "Relu1", {in});
  node("local", "Relu1CPU", {in});
  node("elsewhere", "Relu1CPU", {in}, "/job:a");
  ASSERT_EQ(decide(), absl::OkStatus());
  auto name = [&](const char* n) { return devices.entries()[graph.find(n)->device].name; };
  EXPECT_EQ(name("by_type"), "/job:b/replica:0/task:0/device:FakeGPU:1");
  EXPECT_EQ(name("by_kernel"), "/job:b/replica:0/task:0/device:FakeCPU:0");
  EXPECT_EQ(name("local"), "/job:b/replica:0/task:0/device:FakeCPU:0");
  EXPECT_EQ(name("elsewhere"), "/job:a/replica:0/task:1/device:FakeCPU:0");
}

}  // namespace
}  // namespace troupe::test
