#include "tests/devices/cuda/test_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace troupe::test {
namespace {

constexpr unsigned char kNonsense = 0xcd;

absl::Status launch(VirtualGpu& gpu, absl::string_view name, int64_t n, std::vector<void*> arguments) {
  TROUPE_ASSIGN_OR_RETURN(const GpuFunction* function, gpu.gpu().function(name));
  return gpu.compute().launch(function->handle, static_cast<unsigned>(std::clamp<int64_t>(n, 1, 4)), 256, 0,
                              arguments.data(), name);
}

}  // namespace

TestMachine::TestMachine(EmulatedDriver::Options options, size_t limit_bytes, size_t pinned_bytes)
    : driver(options) {
  for (int i = 0; i < options.gpus; ++i) {
    physical.push_back(*Gpu::open(driver.driver(), i, EmulatedDriver::kernels().images));
    EXPECT_EQ(physical[i]->start(), absl::OkStatus());
    if (i == 0) pinned = PinnedAllocator::make(physical[0], pinned_bytes);
    auto made = VirtualGpu::make(
        physical[i],
        {.memory = {.name = "GPU_bfc", .limit_bytes = limit_bytes, .grows = true, .fill_freed = kNonsense},
         .poller = poller,
         .pinned = pinned});
    EXPECT_TRUE(made.ok()) << made.status();
    gpus.push_back(*std::move(made));
  }
}

TestMachine::~TestMachine() {
  for (const auto& gpu : gpus) {
    // What is on its way holds memory.
    for (const Stream* stream : {&gpu->copies().in(), &gpu->copies().out(), &gpu->copies().peer()})
      poller->drain(*stream);
  }
  for (const auto& gpu : gpus) {
    if (gpu->gpu().is_lost()) continue;
    EXPECT_EQ(gpu->memory().fault(), "");
    EXPECT_EQ(gpu->memory().stats().bytes_in_use, 0);
  }
  gpus.clear();
  pinned.reset();
  physical.clear();
  const std::vector<std::string> faults = driver.faults();
  EXPECT_EQ(faults.size(), expected_faults.size());
  for (const std::string& fault : faults) {
    const bool expected =
        std::any_of(expected_faults.begin(), expected_faults.end(),
                    [&](const std::string& part) { return fault.find(part) != std::string::npos; });
    EXPECT_TRUE(expected) << fault;
  }
}

Tensor TestMachine::tensor(int64_t n, int i) {
  return *Tensor::make(DataType::kInt32, Shape({n}), &gpus[i]->memory());
}

absl::Status TestMachine::set(Tensor& x, int32_t value, int i) {
  auto* data = static_cast<int32_t*>(x.raw());
  int64_t n = x.num_elements();
  return launch(*gpus[i], "test_set", n, {&data, &value, &n});
}

absl::Status TestMachine::add(const Tensor& from, Tensor& to, int32_t by, int i) {
  const auto* source = static_cast<const int32_t*>(from.raw());
  auto* target = static_cast<int32_t*>(to.raw());
  int64_t n = to.num_elements();
  return launch(*gpus[i], "test_add", n, {&source, &target, &by, &n});
}

absl::StatusOr<Tensor> TestMachine::to_host(const Tensor& from, int i) {
  auto promise = std::make_shared<std::promise<absl::StatusOr<Tensor>>>();
  gpus[i]->copies().to_host(from,
                            [promise](absl::StatusOr<Tensor> copy) { promise->set_value(std::move(copy)); });
  return promise->get_future().get();
}

Tensor counted_from(int32_t value, int64_t n) {
  Tensor t(DataType::kInt32, Shape({n}));
  for (int32_t& x : t.flat<int32_t>()) x = value++;
  return t;
}

bool is_counted_from(const Tensor& t, int32_t value) {
  const auto x = t.flat<int32_t>();
  return std::all_of(x.begin(), x.end(), [&](int32_t element) { return element == value++; });
}

bool is_all(const Tensor& t, int32_t value) {
  const auto x = t.flat<int32_t>();
  return std::all_of(x.begin(), x.end(), [&](int32_t element) { return element == value; });
}

}  // namespace troupe::test
