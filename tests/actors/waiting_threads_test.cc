// Datasets with few threads to wait on, or none.
#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <thread>

#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WaitingThreadsTest : public DatasetKernels {
 protected:
  void limit_threads(int n) {
    RuntimeOptions options;
    options.inter_op_threads = 1;
    options.intra_op_threads = 1;
    options.waiting_threads = n;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    runtime_ = Runtime::create(options);
  }
  /// Inner(x): how often x; Outer(x): the sum of a dataset that Inner maps, and so a kernel that waits inside of one.
  void nested(const SessionOptions& options = {}) {
    functions(R"(
      function { signature { name: 'Plus' input_arg { name: 's' type: DT_INT64 } input_arg { name: 'x' type: DT_INT64 }
                             output_arg { name: 'y' type: DT_INT64 } }
        node_def { name: 'a' op: 'AddV2' input: 's' input: 'x' attr { key: 'T' value { type: DT_INT64 } } }
        ret { key: 'y' value: 'a:z:0' } }
      function { signature { name: 'Outer' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 } }
        node_def { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
                   attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 0 } } } }
        node_def { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
                   attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 1 } } } }
        node_def { name: 'r' op: 'RangeDataset' input: 'zero:output:0' input: 'x' input: 'one:output:0'
                   attr { key: 'output_types' value { list { type: DT_INT64 } } }
                   attr { key: 'output_shapes' value { list { shape {} } } } }
        node_def { name: 'sum' op: 'ReduceDataset' input: 'r:handle:0' input: 'zero:output:0'
                   attr { key: 'f' value { func { name: 'Plus' } } }
                   attr { key: 'Tstate' value { list { type: DT_INT64 } } } attr { key: 'Targuments' value { list {} } }
                   attr { key: 'output_types' value { list { type: DT_INT64 } } }
                   attr { key: 'output_shapes' value { list { shape {} } } } }
        ret { key: 'y' value: 'sum:components:0' } })");
    iterate(op("MapDataset", with(elements(), {{"f", FunctionRef{"Outer", {}}}, {"Targuments", Types{}}}),
               {{range(5)}}));
    open(options);
  }
};

TEST_F(WaitingThreadsTest, are_one_for_each_level_of_pipelines_that_are_nested) {
  limit_threads(2);
  nested();
  EXPECT_THAT(walk(), ElementsAre(0, 0, 1, 3, 6));
}

TEST_F(WaitingThreadsTest, when_too_few_are_an_error_and_no_deadlock) {
  limit_threads(1);
  nested();
  ASSERT_TRUE(run("make").ok());
  auto got = std::async(std::launch::async, [&] { return next().status(); });
  ASSERT_EQ(got.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  const absl::Status status = got.get();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("No thread that may wait: all 1"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("{{node next}}"));
}

TEST_F(WaitingThreadsTest, may_be_as_many_as_a_session_asks_for) {
  auto asks_for = [](int n) {
    return *SessionOptions::from_config_text("global_io_parallelism_threads: " + std::to_string(n));
  };
  limit_threads(0);
  nested(asks_for(1));
  ASSERT_TRUE(run("make").ok());
  const absl::Status status = next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("No thread that may wait: all 1"));
  open(asks_for(2));
  EXPECT_THAT(walk(), ElementsAre(0, 0, 1, 3, 6));
}

size_t threads_of_this_process() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST_F(WaitingThreadsTest, end_with_their_runtime) {
  runtime_.reset();
  const size_t before = threads_of_this_process();
  limit_threads(4);
  nested();
  EXPECT_EQ(walk().size(), 5u);
  EXPECT_GT(threads_of_this_process(), before);
  session_.reset();
  runtime_.reset();
  // One that has been joined may take a moment to vanish; less than it would stay for want of work.
  for (int i = 0; i < 20 && threads_of_this_process() > before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LE(threads_of_this_process(), before);
}

TEST_F(WaitingThreadsTest, serve_many_steps_of_one_iterator) {
  limit_threads(1);
  functions(
      R"(function { signature { name: 'F' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 } }
    node_def { name: 'a' op: 'AddV2' input: 'x' input: 'x' attr { key: 'T' value { type: DT_INT64 } } } ret { key: 'y' value: 'a:z:0' } })");
  iterate(op("MapDataset", with(elements(), {{"f", FunctionRef{"F", {}}}, {"Targuments", Types{}}}),
             {{range(4000)}}));
  open();
  ASSERT_TRUE(run("make").ok());
  std::vector<std::future<int64_t>> sums;
  for (int t = 0; t < 4; ++t) {
    sums.push_back(std::async(std::launch::async, [&] {
      int64_t sum = 0;
      for (int i = 0; i < 1000; ++i) {
        const auto got = next();
        EXPECT_TRUE(got.ok()) << got.status();
        if (got.ok()) sum += (*got)[0].value<int64_t>();
      }
      return sum;
    }));
  }
  int64_t total = 0;
  for (auto& s : sums) total += s.get();
  EXPECT_EQ(total, 4000LL * 3999);
}

}  // namespace
}  // namespace troupe::test
