#include "devices/cuda/machine_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/cuda/cuda_device.h"
#include "tests/devices/cuda/emulated_driver.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr size_t kMiB = size_t{1} << 20;

GpuOptions growing() {
  GpuOptions options;
  options.allow_growth = true;
  return options;
}

TEST(MachineGpus, says_why_there_is_none) {
  EXPECT_EQ(MachineGpus::find(absl::UnavailableError("no driver: x"), EmulatedDriver::kernels())->why_none(),
            absl::UnavailableError("no driver: x"));
  EmulatedDriver none({.gpus = 0});
  EXPECT_EQ(none.machine()->why_none(), absl::UnavailableError("no GPU"));
  EXPECT_EQ(MachineGpus::find(none.driver(), {})->why_none(),
            absl::UnavailableError("built without CUDA kernels"));
  GpuOptions options;
  options.visible_device_list = "7";
  EXPECT_TRUE(none.machine()->parts(options, 1)->empty());
}

TEST(MachineGpus, ignores_gpus_that_are_too_old) {
  EmulatedDriver driver({.compute_major = 7, .compute_minor = 5});
  const auto machine = driver.machine();
  EXPECT_EQ(machine->size(), 0);
  ASSERT_EQ(machine->ignored().size(), 1u);
  EXPECT_THAT(machine->ignored()[0],
              HasSubstr("with core compute capability 7.5. The minimum required Cuda capability is 8.0."));
  EXPECT_EQ(machine->why_none().message(), machine->ignored()[0]);
}

TEST(MachineGpus, ignores_a_gpu_that_does_not_answer) {
  EmulatedDriver driver({.gpus = 2});
  driver.fail("cuDeviceGetName", 1, cuda::CUDA_ERROR_UNKNOWN);
  const auto machine = driver.machine();
  ASSERT_EQ(machine->size(), 1);
  EXPECT_EQ(machine->at(0).ordinal(), 1);
  EXPECT_EQ(machine->why_none(), absl::OkStatus());
}

TEST(MachineGpus, starts_nothing_before_somebody_wants_it) {
  EmulatedDriver driver({.gpus = 2});
  const auto machine = driver.machine();
  EXPECT_EQ(driver.calls("cuDevicePrimaryCtxRetain"), 0);
  ASSERT_TRUE(machine->parts(growing(), 1).ok());
  EXPECT_EQ(driver.calls("cuDevicePrimaryCtxRetain"), 1);
}

TEST(MachineGpus, shares_parts_between_sessions) {
  EmulatedDriver driver({.gpus = 2});
  const auto machine = driver.machine();
  const auto first = *machine->parts(growing(), {});
  GpuOptions turned = growing();
  turned.visible_device_list = "1,0";
  const auto second = *machine->parts(turned, {});
  EXPECT_EQ(first[0], second[1]);
  EXPECT_EQ(first[1], second[0]);
}

TEST(MachineGpus, gives_each_part_its_memory) {
  EmulatedDriver driver({.memory_bytes = 64 * kMiB});
  const auto machine = driver.machine();
  GpuOptions options = growing();
  options.virtual_devices = {{.memory_limit_mb = {4, 8}, .priority = {-1, 0}}};
  const auto parts = *machine->parts(options, {});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->memory().stats().bytes_limit, static_cast<int64_t>(4 * kMiB));
  EXPECT_EQ(parts[1]->memory().stats().bytes_limit, static_cast<int64_t>(8 * kMiB));
  EXPECT_NE(&parts[0]->compute(), &parts[1]->compute());
  options.virtual_devices[0].priority = {1, 0};
  const absl::Status refused = machine->parts(options, {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("Priority 1 is outside the range of supported priorities [-5,0]"));
}

TEST(MachineGpus, takes_a_fraction_at_once_unless_it_may_grow) {
  EmulatedDriver driver({.memory_bytes = 64 * kMiB});
  const auto machine = driver.machine();
  GpuOptions options;
  options.per_process_gpu_memory_fraction = 0.25;
  const auto parts = *machine->parts(options, {});
  void* block = parts[0]->memory().allocate(1);
  EXPECT_EQ(driver.bytes_in_use(0), 16 * kMiB);
  parts[0]->memory().deallocate(block, 1);
}

TEST(MachineGpus, fails_where_a_gpu_does_not_start) {
  EmulatedDriver driver;
  const auto machine = driver.machine();
  driver.fail("cuDevicePrimaryCtxRetain", 1, cuda::CUDA_ERROR_OUT_OF_MEMORY);
  const absl::Status first = machine->parts(growing(), {}).status();
  EXPECT_EQ(first.code(), absl::StatusCode::kResourceExhausted);
  // What was short may not be so the next time.
  EXPECT_TRUE(machine->parts(growing(), {}).ok());
}

TEST(MachineGpus, makes_the_devices_of_sessions) {
  EmulatedDriver driver({.gpus = 2});
  const DeviceType type = gpu_device_type(driver.machine());
  EXPECT_EQ(type.name, "GPU");
  EXPECT_EQ(type.priority, 210);
  DeviceRequest request;
  request.task = "/job:localhost/replica:0/task:0";
  request.host_memory = plain_allocator();
  request.loops = serial_runner();
  request.gpu = growing();
  request.gpu.visible_device_list = "1,0";
  const auto devices = *type.make(request);
  ASSERT_EQ(devices.size(), 2u);
  const DeviceAttributes& first = devices[0]->attributes();
  EXPECT_EQ(first.name, "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(first.type, "GPU");
  EXPECT_NE(first.incarnation, 0u);
  EXPECT_GT(first.memory_limit_bytes, 0);
  EXPECT_EQ(first.physical_description,
            "device: 1, name: Emulated GPU, pci bus id: 0000:0b:00.0, compute capability: 9.0");
  EXPECT_FALSE(devices[0]->allocator()->is_host());
  bool done = false;
  dynamic_cast<EnqueuingDevice&>(*devices[0]).when_done([&](absl::Status status) { done = status.ok(); });
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace troupe::test
