// Callables whose feeds and fetches are in the memory of a GPU.
#include <gmock/gmock.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "devices/device_memory.h"
#include "tests/actors/cuda/gpu_session.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

class GpuCallables : public GpuSession {
 protected:
  CallableHandle make(const CallableOptions& options) {
    const auto handle = session->make_callable(options);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or(-1);
  }
  Tensor call(CallableHandle handle, const Tensor& x) {
    std::vector<Tensor> out(1);
    const absl::Status status = session->run_callable(handle, std::vector<Tensor>{x}, out);
    EXPECT_TRUE(status.ok()) << status;
    return out[0];
  }
  static CallableOptions between(const std::string& x, const std::string& y) {
    CallableOptions options;
    options.feeds = {x};
    options.fetches = {y};
    return options;
  }
};

TEST_F(GpuCallables, s064_feed_on_the_cpu_and_fetch_on_the_gpu_and_back) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.mul(x, x, "y");
  open();
  CallableOptions to_gpu = between("x:0", "y:0"), from_gpu = to_gpu;
  to_gpu.fetch_devices["y:0"] = kGpu;
  to_gpu.fetch_skip_sync = true;
  from_gpu.feed_devices["x:0"] = kGpu;
  const CallableHandle there = make(to_gpu), back = make(from_gpu);
  {
    const Tensor four = call(there, scalar(2));
    ASSERT_TRUE(four.initialized());
    EXPECT_TRUE(in_device_memory(four));
    const Tensor sixteen = call(back, four);
    EXPECT_FALSE(in_device_memory(sixteen));
    EXPECT_EQ(sixteen.value<float>(), 16);
    std::vector<Tensor> out(1);
    EXPECT_THAT(std::string(session->run_callable(there, std::vector<Tensor>{four}, out).message()),
                HasSubstr("is in the memory of a device, expected the host's"));
    EXPECT_THAT(std::string(session->run_callable(back, std::vector<Tensor>{scalar(4)}, out).message()),
                HasSubstr("is in the memory of the host, expected a device's"));
  }
}

TEST_F(GpuCallables, need_fetch_skip_sync_for_fetches_on_a_gpu) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.mul(x, x, "y");
  open();
  CallableOptions options = between("x:0", "y:0");
  options.fetch_devices["y:0"] = kGpu;
  EXPECT_EQ(session->make_callable(options).status().code(), absl::StatusCode::kUnimplemented);
  options.fetch_devices["y:0"] = "/job:localhost/replica:0/task:0/device:GPU:9";
  options.fetch_skip_sync = true;
  EXPECT_THAT(std::string(session->make_callable(options).status().message()), HasSubstr("does not exist"));
}

/// x through an Identity, to and fro: those types that a GPU takes come back as they were, others are refused.
void feed_every_type(Session& s, DataType type, const std::string& x, const std::string& y) {
  const bool known = type != DataType::kInt32 && type != DataType::kString && type != DataType::kUint32 &&
                     type != DataType::kUint64;
  CallableOptions to_gpu, from_gpu;
  to_gpu.feeds = from_gpu.feeds = {x};
  to_gpu.fetches = from_gpu.fetches = {y};
  to_gpu.fetch_devices[y] = kGpu;
  to_gpu.fetch_skip_sync = true;
  from_gpu.feed_devices[x] = kGpu;
  const auto there = s.make_callable(to_gpu), back = s.make_callable(from_gpu);
  if (!known) {
    EXPECT_THAT(std::string(there.status().message()),
                HasSubstr(absl::StrCat("Cannot feed or fetch tensor '", y, "' from device ", kGpu)));
    EXPECT_THAT(std::string(back.status().message()),
                HasSubstr(absl::StrCat("Cannot feed or fetch tensor '", x, "' from device ", kGpu)));
    return;
  }
  ASSERT_TRUE(there.ok()) << there.status();
  ASSERT_TRUE(back.ok()) << back.status();
  Tensor sent(type, Shape{3, 5});
  for (size_t i = 0; i < sent.bytes(); ++i)
    static_cast<unsigned char*>(sent.raw())[i] = static_cast<unsigned char>(i & 1);
  std::vector<Tensor> on_gpu(1), received(1);
  ASSERT_EQ(s.run_callable(*there, std::vector<Tensor>{sent}, on_gpu), absl::OkStatus());
  ASSERT_EQ(s.run_callable(*back, on_gpu, received), absl::OkStatus());
  ASSERT_EQ(received[0].dtype(), type);
  EXPECT_EQ(received[0].shape(), sent.shape());
  EXPECT_EQ(std::memcmp(received[0].raw(), sent.raw(), sent.bytes()), 0);
}

constexpr DataType kTypes[] = {
    DataType::kBfloat16, DataType::kBool,   DataType::kComplex128, DataType::kComplex64,
    DataType::kDouble,   DataType::kFloat,  DataType::kHalf,       DataType::kInt16,
    DataType::kInt32,    DataType::kInt64,  DataType::kInt8,       DataType::kString,
    DataType::kUint16,   DataType::kUint32, DataType::kUint64,     DataType::kUint8};

class GpuTypes : public GpuCallables, public testing::WithParamInterface<bool> {};

TEST_P(GpuTypes, s065_s066_come_back_bit_by_bit_or_are_refused) {
  for (DataType type : kTypes) {
    SCOPED_TRACE(dtype_name(type));
    Out x = b.placeholder(type, {}, "x");
    b.identity(x, "y");
    SessionOptions options;
    options.allow_soft_placement = GetParam();
    open(options);
    feed_every_type(*session, type, "x:0", "y:0");
    session.reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Placement, GpuTypes, testing::Bool());

}  // namespace
}  // namespace troupe::test
