#include "devices/cuda/stream.h"

#include <gtest/gtest.h>

#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

constexpr int kSeeds = 200;

TEST(Stream, does_its_work_in_order_whatever_the_seed) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.seed = seed});
    Tensor x = machine.tensor(5);
    for (int32_t i = 0; i < 10; ++i) ASSERT_EQ(machine.set(x, i), absl::OkStatus());
    ASSERT_EQ(machine.add(x, x, 100), absl::OkStatus());
    const auto host = machine.to_host(x);
    ASSERT_TRUE(host.ok());
    EXPECT_TRUE(is_all(*host, 109));
  }
}

/// Hands a number from stream to stream and back; only the points keep the order.
TEST(Stream, waits_for_points_of_others) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.seed = seed});
    VirtualGpu& gpu = machine.gpu();
    EventPool events(machine.physical[0]);
    auto other = *Stream::make(machine.physical[0], &events, "other");
    Tensor x = machine.tensor(3);
    Tensor y = machine.tensor(3);
    ASSERT_EQ(machine.set(x, 7), absl::OkStatus());
    ASSERT_EQ(other->wait_for(*gpu.compute().record()), absl::OkStatus());
    ASSERT_EQ(other->copy(x.raw(), y.raw(), x.bytes()), absl::OkStatus());
    ASSERT_EQ(gpu.compute().wait_for(*other->record()), absl::OkStatus());
    ASSERT_EQ(machine.add(y, x, 1), absl::OkStatus());
    EXPECT_TRUE(is_all(*machine.to_host(x), 8));
  }
}

/// Without a point there are orders in which the copy comes first: the emulation would hide nothing.
TEST(Stream, is_not_ordered_with_others_by_itself) {
  int early = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    TestMachine machine({.seed = seed});
    EventPool events(machine.physical[0]);
    auto other = *Stream::make(machine.physical[0], &events, "other");
    Tensor x = machine.tensor(1);
    Tensor y = machine.tensor(1);
    ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
    ASSERT_EQ(machine.gpu().compute().synchronize(), absl::OkStatus());
    ASSERT_EQ(machine.set(x, 2), absl::OkStatus());
    ASSERT_EQ(other->copy(x.raw(), y.raw(), x.bytes()), absl::OkStatus());
    ASSERT_EQ(other->synchronize(), absl::OkStatus());
    early += is_all(*machine.to_host(y), 1) ? 1 : 0;
  }
  EXPECT_GT(early, 0);
  EXPECT_LT(early, kSeeds);
}

TEST(Stream, tells_how_far_it_is) {
  TestMachine machine;
  Stream& stream = machine.gpu().compute();
  Tensor x = machine.tensor(1);
  const uint64_t before = stream.enqueued();
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  const Point middle = *stream.record();
  ASSERT_EQ(machine.set(x, 2), absl::OkStatus());
  EXPECT_EQ(stream.enqueued(), before + 2);
  EXPECT_LT(stream.completed(), stream.enqueued());
  EXPECT_EQ(middle.number(), before + 1);
  ASSERT_EQ(middle.wait(), absl::OkStatus());
  EXPECT_EQ(stream.completed(), before + 1);
  EXPECT_TRUE(*middle.reached());
  ASSERT_EQ(stream.synchronize(), absl::OkStatus());
  EXPECT_EQ(stream.completed(), stream.enqueued());
}

/// What is freed behind a wait must not be written before it is over.
TEST(Stream, counts_waits_as_work) {
  TestMachine machine;
  EventPool events(machine.physical[0]);
  auto other = *Stream::make(machine.physical[0], &events, "other");
  ASSERT_EQ(machine.gpu().compute().wait_for(*other->record()), absl::OkStatus());
  EXPECT_EQ(machine.gpu().compute().enqueued(), 1u);
  EXPECT_EQ(machine.gpu().compute().completed(), 0u);
}

TEST(Stream, uses_its_events_again) {
  TestMachine machine;
  Stream& stream = machine.gpu().compute();
  Tensor x = machine.tensor(1);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(machine.set(x, i), absl::OkStatus());
    ASSERT_EQ((*stream.record()).wait(), absl::OkStatus());
  }
  EXPECT_EQ(machine.driver.calls("cuEventCreate"), 1);
}

TEST(Stream, counts_what_libraries_enqueue) {
  TestMachine machine;
  const uint64_t before = machine.gpu().compute().enqueued();
  machine.gpu().compute().note_work();
  EXPECT_EQ(machine.gpu().compute().enqueued(), before + 1);
}

TEST(Stream, does_nothing_for_no_bytes) {
  TestMachine machine;
  Stream& stream = machine.gpu().compute();
  EXPECT_EQ(stream.copy(nullptr, nullptr, 0), absl::OkStatus());
  EXPECT_EQ(stream.fill(nullptr, 0, 0), absl::OkStatus());
  EXPECT_EQ(stream.enqueued(), 0u);
}

TEST(Stream, puts_a_clients_context_back) {
  TestMachine machine({.gpus = 2});
  const cuda::Driver& driver = *machine.driver.driver();
  driver.cuCtxSetCurrent(machine.physical[1]->context());
  Tensor x = machine.tensor(1);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  cuda::CUcontext now = nullptr;
  driver.cuCtxGetCurrent(&now);
  EXPECT_EQ(now, machine.physical[1]->context());
}

TEST(Gpu, has_kernels_by_name) {
  TestMachine machine;
  Gpu& gpu = *machine.physical[0];
  EXPECT_EQ(*gpu.function("test_set"), *gpu.function("test_set"));
  EXPECT_EQ(machine.driver.calls("cuModuleGetFunction"), 1);
  EXPECT_EQ((*gpu.function("test_set"))->parameter_bytes.front(), sizeof(void*));
  EXPECT_EQ(gpu.function("nothing").status(),
            absl::NotFoundError("No CUDA kernel 'nothing' for GPU 0 (Emulated GPU, 0000:0a:00.0)"));
  EXPECT_EQ(gpu.description(),
            "device: 0, name: Emulated GPU, pci bus id: 0000:0a:00.0, compute capability: 9.0");
}

}  // namespace
}  // namespace troupe::test
