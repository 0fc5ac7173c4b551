// What the placer refuses, and what it says.

#include "tests/graph/passes/placer_testing.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using PlacerErrors = PlacerTest;

TEST_F(PlacerErrors, s193_no_devices) {
  devices = FakeCatalog();
  node("in", "Input");
  const absl::Status refused = decide();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("No devices are registered"));
}

TEST_F(PlacerErrors, s194_tell_which_members_of_a_group_have_kernels_where) {
  devices = FakeCatalog();
  devices.add("/job:b/replica:0/task:0/device:FakeCPU:0", 60);
  devices.add("/job:b/replica:0/task:0/device:FakeGPU:0", 210);
  devices.add("/job:b/replica:0/task:1/device:FakeCPU:0", 60);
  devices.kernels["VarGPU"] = kOnGpu;
  node("set", "Set", {node("v", "VarGPU"), node("x", "Input")}, "/job:b/task:1");
  EXPECT_THAT(
      refused(),
      AllOf(HasSubstr("Cannot assign a device for operation v: "),
            HasSubstr("{{colocation_node v}} was colocated with a group of nodes that required incompatible "
                      "device '/job:b/task:1'"),
            HasSubstr("Colocation Debug Info"), HasSubstr("\nVarGPU: FakeGPU "),
            HasSubstr("\nSet: FakeGPU FakeCPU "), HasSubstr("\n  v (VarGPU) "),
            HasSubstr("\n  set (Set) /job:b/task:1"), Not(HasSubstr("x (Input)"))));
}

TEST_F(PlacerErrors, s195_a_job_that_is_not_there) {
  node("in", "Input", {}, "/job:foo");
  EXPECT_THAT(refused(),
              HasSubstr("Cannot assign a device for operation in: {{node in}} was explicitly assigned to "
                        "/job:foo but available devices are [ "));
  EXPECT_THAT(refused(true), HasSubstr("/job:foo")) << "soft placement never leaves the job";
}

TEST_F(PlacerErrors, s196_what_members_ask_for_together_is_not_there) {
  node("a", "Input", {}, "/job:foo", {"group"});
  node("c", "Input", {}, "/task:0", {"group"});
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("Could not satisfy explicit device specification '/job:foo' because the node "
                              "{{colocation_node a}} was colocated with a group of nodes that required "
                              "incompatible device '/job:foo/task:0'. All available devices ["),
                    HasSubstr("\n  c (Input) /task:0")));
}

TEST_F(PlacerErrors, s197_a_node_that_is_where_no_device_is) {
  node("in", "Input");
  assign("in", 17);
  const absl::Status refused = decide();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(refused.message(), HasSubstr("Assigned device 17 of {{node in}} does not match any device"));
  const int behind_the_last = static_cast<int>(devices.entries().size());
  assign("in", behind_the_last);
  EXPECT_THAT(decide().message(),
              HasSubstr(absl::StrCat("Assigned device ", behind_the_last, " of {{node in}}")));
}

TEST_F(PlacerErrors, of_members_that_could_be_on_the_same_device_name_no_kernels) {
  node("a", "Input", {}, "/device:FakeCPU:0", {"group"});
  node("c", "Input", {}, "/device:FakeGPU:0", {"group"});
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("Cannot colocate nodes {{colocation_node c}} and {{colocation_node a}}"),
                    Not(HasSubstr("Colocation Debug Info"))));
}

TEST_F(PlacerErrors, s178_a_node_that_is_where_it_has_no_kernel) {
  node("v", "VarCPU");
  assign("v", 2);
  const absl::Status refused = decide();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(
      refused.message(),
      HasSubstr("Assigned device '/job:a/replica:0/task:0/device:FakeGPU:0' of {{node v}} does not have "
                "registered OpKernel support for VarCPU"));
}

TEST_F(PlacerErrors, s198_an_op_without_any_kernel) {
  devices.kernels["Relu1"] = {};
  node("n", "Relu1", {node("in", "Input")});
  EXPECT_THAT(
      refused(),
      AllOf(HasSubstr(
                "No OpKernel was registered to support Op 'Relu1' used by {{node n}} with these attrs: ["),
            HasSubstr(
                "Registered devices: [FakeCPU, FakeGPU]\nRegistered kernels:\n  <no registered kernels>")));
}

TEST_F(PlacerErrors, s199_an_op_without_any_kernel_that_asks_for_this_process) {
  devices.kernels["Relu1"] = {};
  node("n", "Relu1", {node("in", "Input")}, "/job:a/replica:0/task:0");
  EXPECT_THAT(refused(), HasSubstr("<no registered kernels>"));
}

TEST_F(PlacerErrors, s200_not_an_op_without_a_kernel_here_that_asks_for_another_process) {
  devices.add("/job:b/replica:0/task:1/device:FakeCPU:0", 60, false);
  devices.kernels["Relu1"] = {};
  Out in = node("in", "Input");
  node("n", "Relu1", {in}, "/job:b/replica:0/task:1");
  ASSERT_EQ(decide(), absl::OkStatus());
  EXPECT_EQ(graph.find("n")->device, 4);
  node("m", "Relu1", {in}, "/job:b");
  EXPECT_THAT(refused(), HasSubstr("used by {{node m}}")) << "no whole task";
}

TEST_F(PlacerErrors, s201_kernels_for_devices_that_are_not_there_are_listed) {
  devices = FakeCatalog();
  devices.add("/job:a/replica:0/task:0/device:FakeCPU:0", 60);
  devices.kernels["VarGPU"] = kOnGpu;
  node("v", "VarGPU");
  EXPECT_THAT(refused(), AllOf(HasSubstr("No OpKernel was registered to support Op 'VarGPU'"),
                               HasSubstr("device='FakeGPU'")));
}

TEST_F(PlacerErrors, s202_a_wish_that_is_no_device_name) {
  node("in", "Input", {}, "/foo:bar");
  EXPECT_THAT(refused(), HasSubstr("Malformed device specification '/foo:bar' in node: "));
}

TEST_F(PlacerErrors, s206_s209_a_device_that_is_not_there) {
  node("in", "Input", {}, "/device:FakeGPU:11");
  EXPECT_THAT(
      refused(),
      HasSubstr("{{node in}} was explicitly assigned to /device:FakeGPU:11 but available devices are [ "
                "/job:a/replica:0/task:0/device:FakeCPU:0, /job:a/replica:0/task:0/device:FakeCPU:1, "
                "/job:a/replica:0/task:0/device:FakeGPU:0, /job:a/replica:0/task:0/device:FakeGPU:1 ]. Make "
                "sure the device specification refers to a valid device."));
}

TEST_F(PlacerErrors, s207_name_the_node) {
  node("in", "Input", {}, "/job:foo");
  EXPECT_THAT(refused(), HasSubstr("{{node in}}"));
}

TEST_F(PlacerErrors, s208_no_kernel_where_the_node_asks_to_be) {
  node("n", "Relu1CPU", {node("in", "Input")}, "/device:FakeGPU:0");
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("Cannot assign a device for operation n: Could not satisfy explicit device "
                              "specification '/device:FakeGPU:0' because no supported kernel for FakeGPU "
                              "devices is available."),
                    HasSubstr("\nRelu1CPU: FakeCPU "), HasSubstr("\nOp: Relu1CPU\nNode attrs: "),
                    HasSubstr("\nRegistered kernels:\n  device='FakeCPU'\n")));
}

TEST_F(PlacerErrors, s210_a_gpu_where_there_is_none_says_so) {
  node("in", "Input", {}, "/gpu:0");
  EXPECT_THAT(refused(),
              HasSubstr("refers to a valid device. The requested device appears to be a GPU, but CUDA is "
                        "not enabled."));
}

TEST_F(PlacerErrors, name_the_first_hundred_members_of_a_group) {
  Out v = node("v", "VarCPU", {}, "/device:FakeGPU:0");
  Out x = node("x", "Input");
  for (int i = 0; i < 150; ++i) node(absl::StrCat("set", i), "Set", {v, x});
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("\n  set98 (Set) "), Not(HasSubstr("set99")), HasSubstr("\n  and 51 more\n")));
}

}  // namespace
}  // namespace troupe::test
