// Sessions whose nodes are on GPUs: values cross memories, loops and conditionals run there.
#include <gmock/gmock.h>

#include "devices/device_memory.h"
#include "devices/device_set.h"
#include "tests/actors/cuda/gpu_session.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> floats(const Tensor& t) { return {t.flat<float>().begin(), t.flat<float>().end()}; }

class GpuSessions : public GpuSession {};

TEST_F(GpuSessions, run_add_and_matmul_end_to_end) {
  Out x = b.placeholder(DataType::kFloat, {2, 3}, "x");
  Out w = b.constant(counted(Shape{3, 2}), "w");
  b.add(b.matmul(x, w, "product"), b.constant(scalar(1), "one"), "y");
  open();
  const auto out = run({{"x", counted(Shape{2, 3})}}, {"y", "product"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(11, 14, 29, 41));
  EXPECT_THAT(floats((*out)[1]), ElementsAre(10, 13, 28, 40));
  EXPECT_FALSE(in_device_memory((*out)[0]));
  EXPECT_GT(driver->calls("cuLaunchKernel"), 0);
}

TEST_F(GpuSessions, place_nodes_where_there_are_kernels) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.op("AsString", {b.add(x, x, "sum")}, {}, "text");
  open();
  const auto out = run({{"x", scalar(2)}}, {"text"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<TString>().view(), "4.000000");
  EXPECT_THAT(planned({{"x", scalar(2)}}, {"text"}), Contains("_CopyToHost sum/_to_host"));
}

TEST_F(GpuSessions, cross_from_device_to_device_and_back) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out here, there;
  {
    auto on_gpu = b.device("/gpu:0");
    here = b.add(x, x, "on_gpu");
  }
  {
    auto on_cpu = b.device("/cpu:0");
    there = b.mul(here, here, "on_cpu");
  }
  auto on_gpu = b.device("/gpu:0");
  b.sub(there, here, "back");
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "back"), 30);
}

TEST_F(GpuSessions, copy_a_constant_once) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.mul(x, b.constant(scalar(3), "three"), "y");
  open();
  EXPECT_EQ(value({{"x", scalar(2)}}, "y"), 6);
  const int64_t first = driver->calls("cuMemcpyHtoDAsync");
  EXPECT_EQ(value({{"x", scalar(5)}}, "y"), 15);
  EXPECT_EQ(driver->calls("cuMemcpyHtoDAsync") - first, 1) << "x alone";
}

TEST_F(GpuSessions, run_loops_that_compare_on_the_gpu) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  std::vector<Out> out = b.while_loop(
      {x}, [&](const auto& v) { return b.less(v[0], b.constant(100.0f, "limit"), "go_on"); },
      [&](const auto& v) { return std::vector<Out>{b.add(v[0], v[0], "twice")}; });
  b.identity(out[0], "y");
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "y"), 192);
  EXPECT_EQ(value({{"x", scalar(300)}}, "y"), 300);
}

TEST_F(GpuSessions, count_loops_on_the_host) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  std::vector<Out> out = b.while_loop(
      {b.constant(int32_t{0}, "zero"), x},
      [&](const auto& v) { return b.less(v[0], b.constant(int32_t{10}, "ten"), "go_on"); },
      [&](const auto& v) {
        return std::vector<Out>{b.add(v[0], b.constant(int32_t{1}, "one"), "next"),
                                b.mul(v[1], b.constant(2.0f, "two"), "twice")};
      });
  b.identity(out[1], "y");
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "y"), 3 * 1024);
  const int64_t before = driver->calls("cuMemcpyDtoHAsync");
  EXPECT_EQ(value({{"x", scalar(1)}}, "y"), 1024);
  EXPECT_EQ(driver->calls("cuMemcpyDtoHAsync") - before, 1) << "the result";
}

TEST_F(GpuSessions, take_the_branch_that_a_value_on_the_gpu_says) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  Out positive = b.less(b.constant(0.0f, "zero"), x, "positive");
  std::vector<Out> out = b.cond(
      positive, [&] { return std::vector<Out>{b.neg(x, "minus")}; },
      [&] { return std::vector<Out>{b.mul(x, x, "square")}; });
  b.identity(out[0], "y");
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "y"), -3);
  EXPECT_EQ(value({{"x", scalar(-3)}}, "y"), 9);
}

TEST_F(GpuSessions, take_turns_in_partial_runs) {
  Out x = b.placeholder(DataType::kFloat, {}, "x"), y = b.placeholder(DataType::kFloat, {}, "y");
  Out twice = b.add(x, x, "twice");
  b.mul(twice, y, "product");
  open();
  const auto handle = session->partial_run_setup({"x", "y"}, {"twice", "product"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto out = session->partial_run(*handle, {{"x", scalar(3)}}, {"twice"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 6);
  out = session->partial_run(*handle, {{"y", scalar(7)}}, {"product"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 42);
}

TEST_F(GpuSessions, say_what_gpus_there_are) {
  open();
  const auto devices = session->list_devices();
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ(devices->at(1).name, "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(devices->at(1).type, "GPU");
  EXPECT_GT(devices->at(1).memory_limit_bytes, 0);
  EXPECT_THAT(session->local_devices().at(1)->attributes().physical_description,
              AllOf(HasSubstr("device: 0, name: "), HasSubstr("compute capability: 9.0")));
}

TEST_F(GpuSessions, do_without_gpus_that_nobody_wants) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  b.add(x, x, "y");
  SessionOptions options;
  options.device_count["GPU"] = 0;
  open(options);
  EXPECT_EQ(value({{"x", scalar(3)}}, "y"), 6);
  EXPECT_EQ(driver->calls("cuLaunchKernel"), 0);
}

TEST_F(GpuSessions, refuse_lists_of_gpus_that_make_no_sense) {
  runtime = Runtime::create(runtime_options);
  SessionOptions options;
  options.gpu.visible_device_list = "7";
  const absl::Status refused = Session::open(*runtime, options).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("visible_device_list"));
}

TEST_F(GpuSessions, say_who_held_how_much_when_memory_is_short) {
  Out x = b.placeholder(DataType::kFloat, {}, "x");
  {
    auto on_gpu = b.device("/gpu:0");
    b.add(b.placeholder(DataType::kFloat, {}, "huge"), x, "y");
  }
  open();
  const absl::Status status =
      run({{"x", scalar(1)}, {"huge", Tensor(DataType::kFloat, Shape{64 << 20})}}, {}, {"y"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("OOM when allocating tensor with shape[67108864]"),
                    HasSubstr("device:GPU:0 by allocator GPU_0_bfc")));
}

}  // namespace
}  // namespace troupe::test
