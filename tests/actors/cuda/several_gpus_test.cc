// Sessions with several GPUs: values cross from one to the other, each is busy, one may be lost.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "devices/device_memory.h"
#include "devices/device_set.h"
#include "tests/actors/cuda/gpu_against_cpu.h"

namespace troupe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

EmulatedDriver::Options machine_of(int gpus) {
  EmulatedDriver::Options machine = EmulatedDriver::Options();
  machine.works_alone = true;
  machine.gpus = gpus;
  return machine;
}

class SeveralGpus : public GpuAgainstCpu {
 protected:
  explicit SeveralGpus(int gpus = 2) : GpuAgainstCpu(machine_of(gpus)) {}
  GraphBuilder::Guard on(int gpu) { return b.device(absl::StrCat("/gpu:", gpu)); }
};

TEST_F(SeveralGpus, are_devices_in_order) {
  open();
  const auto devices = session->list_devices();
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 3u);
  EXPECT_EQ(devices->at(2).name, "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_THAT(session->local_devices().at(2)->attributes().physical_description,
              HasSubstr("device: 1, name: "));
}

/// Each receives in its own memory what the other has made, with the device of the sender known to whoever copies.
TEST_F(SeveralGpus, s098_receive_in_their_own_memory_what_another_made) {
  Out x = b.placeholder(DataType::kFloat, {64}, "x"), y, z;
  {
    auto here = on(0);
    y = b.add(x, x, "y");
  }
  {
    auto there = on(1);
    z = b.mul(y, y, "z");
  }
  auto back = on(0);
  b.sub(z, y, "back");
  open();
  const std::vector<NamedTensor> feeds{{"x", counted(Shape{64})}};
  const auto out = run(feeds, {"back", "z"});
  ASSERT_TRUE(out.ok()) << out.status();
  for (int i = 0; i < 64; ++i) {
    const float v = static_cast<float>(i);
    EXPECT_EQ((*out)[0].flat<float>()[i], 4 * v * v - 2 * v);
    EXPECT_EQ((*out)[1].flat<float>()[i], 4 * v * v);
  }
  EXPECT_FALSE(in_device_memory((*out)[0]));
  const auto nodes = planned(feeds, {"back"});
  EXPECT_THAT(nodes, Contains("_CopyToHost y/_to_host"));
  EXPECT_GT(driver->bytes_in_use(0), 0u);
  EXPECT_GT(driver->bytes_in_use(1), 0u);
}

TEST_F(SeveralGpus, make_what_one_device_makes) {
  Out x = b.placeholder(DataType::kFloat, {16, 16}, "x");
  for (int i = 0; i < 10; ++i) {
    auto at = on(i % 2);
    const Out weights = b.constant(random_floats(Shape{16, 16}, static_cast<uint32_t>(i), -0.3F, 0.3F));
    x = b.op("Tanh", {b.matmul(x, weights)});
    if (i % 3 == 0) x = b.add(x, b.constant(random_floats(Shape{16}, static_cast<uint32_t>(i))));
  }
  b.identity(x, "y");
  open_both();
  for (uint32_t seed = 0; seed < 20; ++seed)
    ASSERT_TRUE(agree({{"x", random_floats(Shape{16, 16}, seed)}}, {"y"})) << "seed " << seed;
}

TEST_F(SeveralGpus, keep_variables_apart_and_loops_together) {
  GraphBuilder::Variable here, there;
  {
    auto at = on(0);
    here = b.variable(scalar(2), "here");
  }
  {
    auto at = on(1);
    there = b.variable(scalar(3), "there");
  }
  b.init_all();
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  const std::vector<Out> out = b.while_loop(
      {x}, [&](const auto& v) { return b.less(v[0], b.constant(100.0f)); },
      [&](const auto& v) {
        Out product, sum;
        {
          auto at = on(0);
          product = b.mul(v[0], b.read(here));
        }
        auto at = on(1);
        sum = b.add(product, b.read(there));
        return std::vector<Out>{sum};
      });
  b.identity(out[0], "y");
  open();
  ASSERT_TRUE(run({}, {}, {"init"}).ok());
  float want = 1;
  while (want < 100) want = want * 2 + 3;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(value({{"x", scalar(1)}}, "y"), want);
}

TEST_F(SeveralGpus, go_on_when_another_is_lost) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  {
    auto at = on(0);
    b.add(x, x, "first");
  }
  Out second;
  {
    auto at = on(1);
    second = b.mul(x, x, "second");
  }
  {
    auto at = on(0);
    b.add(second, x, "both");
  }
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "both"), 12);
  driver->lose(1);
  const absl::Status status = run({{"x", scalar(3)}}, {"both"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU 1 (Emulated GPU"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("OOM")));
  EXPECT_EQ(value({{"x", scalar(3)}}, "first"), 6);
}

}  // namespace
}  // namespace troupe::test
