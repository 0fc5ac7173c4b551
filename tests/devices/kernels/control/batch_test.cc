// Executions of several steps in one batch, and back: what each gets, errors, cancelling, time.
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "devices/cpu/kernels/register_kernels.h"
#include "devices/function_runner.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Multiplies its first argument by its second, after adding what it was called with to `sizes`.
class ScalingRunner final : public FunctionRunner {
 public:
  void call(const FunctionRef&, const std::string&, std::vector<Tensor> args, Done done) override {
    {
      std::lock_guard lock(mu_);
      sizes_.push_back(args[0].dim(0));
    }
    Tensor out = args[0].deep_copy();
    for (float& v : out.flat<float>()) v *= args[1].value<float>();
    // The memory of the arguments is the test's, which may be over when it hears.
    args.clear();
    if (!status.ok()) return done(status, {});
    done(absl::OkStatus(), {cut > 0 ? out.slice_rows(0, cut) : out});
  }
  std::vector<int64_t> sizes() {
    std::lock_guard lock(mu_);
    return sizes_;
  }
  absl::Status status;
  int64_t cut = 0;

 private:
  std::mutex mu_;
  std::vector<int64_t> sizes_;  // guarded by mu_
};

/// One execution of an asynchronous kernel in a step of its own.
class Execution {
 public:
  Execution(Device* device, const std::string& op, std::vector<Tensor> inputs, AttrMap attrs,
            FunctionRunner* functions = nullptr) {
    node_.name = "n";
    node_.op = builtin_ops().find(op);
    node_.attrs = std::move(attrs);
    status_ = complete_and_check_attrs(*node_.op, &node_.attrs);
    if (status_.ok()) status_ = op_types(*node_.op, node_.attrs, &node_.input_types, &node_.output_types);
    step_.device = device;
    step_.cancellation = &token;
    step_.functions = functions;
    in_.resize(inputs.size());
    out_.resize(node_.output_types.size());
    for (size_t i = 0; i < inputs.size(); ++i) in_[i].tensor = std::move(inputs[i]);
    context_ = std::make_unique<KernelContext>(&step_, &node_, in_, out_);
    if (status_.ok()) {
      auto kernel = builtin_kernels().create(node_, device);
      status_ = kernel.status();
      if (kernel.ok()) kernel_ = *std::move(kernel);
    }
    if (!status_.ok()) {
      finished_ = true;
      return;
    }
    static_cast<AsyncKernel&>(*kernel_).compute_async(*context_, [this](absl::Status s) {
      std::lock_guard lock(mu_);
      status_ = std::move(s);
      finished_ = true;
      changed_.notify_all();
    });
  }
  ~Execution() { (void)wait(); }

  absl::Status wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return finished_; });
    return status_;
  }
  bool finished() {
    std::lock_guard lock(mu_);
    return finished_;
  }
  const Tensor& output(size_t i) {
    EXPECT_EQ(wait(), absl::OkStatus());
    return out_[i].tensor;
  }

  CancellationToken token;

 private:
  KernelNode node_;
  StepState step_;
  std::vector<Value> in_, out_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<KernelContext> context_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  absl::Status status_;
  bool finished_ = false;
};

constexpr int64_t kLong = int64_t{3600} * 1000000;

AttrMap batch_attrs(int64_t max_rows, int64_t micros, std::vector<int64_t> allowed = {}) {
  return {{"num_batch_threads", int64_t{1}}, {"max_batch_size", max_rows},
          {"batch_timeout_micros", micros},  {"grad_timeout_micros", int64_t{1}},
          {"allowed_batch_sizes", allowed},  {"T", std::vector<DataType>{DataType::kFloat}}};
}

Tensor rows(std::initializer_list<float> values) { return Tensor::vector<float>(values); }

class BatchTest : public testing::Test {
 protected:
  std::unique_ptr<Execution> batch(Tensor input, AttrMap attrs) {
    return std::make_unique<Execution>(&harness_.device(), "Batch", std::vector<Tensor>{std::move(input)},
                                       std::move(attrs));
  }
  std::unique_ptr<Execution> unbatch(const Tensor& data, const Tensor& index, int64_t id,
                                     int64_t micros = kLong) {
    return std::make_unique<Execution>(&harness_.device(), "Unbatch",
                                       std::vector<Tensor>{data, index, Tensor::scalar(id)},
                                       AttrMap{{"T", DataType::kFloat}, {"timeout_micros", micros}});
  }
  std::unique_ptr<Execution> unbatch_grad(const Tensor& index, const Tensor& grad, int64_t id) {
    return std::make_unique<Execution>(&harness_.device(), "UnbatchGrad",
                                       std::vector<Tensor>{rows({0}), index, grad, Tensor::scalar(id)},
                                       AttrMap{{"T", DataType::kFloat}});
  }
  std::unique_ptr<Execution> function(Tensor input, AttrMap attrs) {
    attrs.set("Tin", std::vector<DataType>{DataType::kFloat});
    attrs.set("Tcaptured", std::vector<DataType>{DataType::kFloat});
    attrs.set("Tout", std::vector<DataType>{DataType::kFloat});
    attrs.set("f", FunctionRef{"scale", {}});
    return std::make_unique<Execution>(&harness_.device(), "BatchFunction",
                                       std::vector<Tensor>{std::move(input), Tensor::scalar(3.0f)},
                                       std::move(attrs), &runner_);
  }

  KernelHarness harness_;
  ScalingRunner runner_;
};

TEST_F(BatchTest, gives_a_full_batch_to_its_last_execution) {
  auto a = batch(rows({1}), batch_attrs(3, kLong));
  EXPECT_FALSE(a->finished());
  auto b = batch(rows({2, 3}), batch_attrs(3, kLong));
  EXPECT_THAT(a->output(0).flat<float>(), IsEmpty());
  EXPECT_EQ(a->output(1).shape(), (Shape{0, 3}));
  EXPECT_THAT(b->output(0).flat<float>(), ElementsAre(1, 2, 3));
  const int64_t first = a->output(2).value<int64_t>(), second = b->output(2).value<int64_t>();
  EXPECT_NE(first, second);
  EXPECT_THAT(b->output(1).flat<int64_t>(), ElementsAre(first, 0, 1, second, 1, 3));
}

TEST_F(BatchTest, begins_a_batch_for_what_does_not_fit) {
  auto a = batch(rows({1, 2}), batch_attrs(3, kLong));
  auto b = batch(rows({3, 4, 5}), batch_attrs(3, kLong));
  EXPECT_THAT(a->output(0).flat<float>(), ElementsAre(1, 2));
  EXPECT_THAT(b->output(0).flat<float>(), ElementsAre(3, 4, 5));
}

TEST_F(BatchTest, does_not_wait_longer_than_told) {
  auto a = batch(rows({1}), batch_attrs(3, 1000));
  EXPECT_THAT(a->output(0).flat<float>(), ElementsAre(1));
}

TEST_F(BatchTest, fills_up_to_a_size_that_is_allowed) {
  auto a = batch(rows({7}), batch_attrs(4, 20000, {1, 4}));
  auto b = batch(rows({8}), batch_attrs(4, 20000, {1, 4}));
  EXPECT_THAT(b->output(0).flat<float>(), ElementsAre(7, 8, 7, 7));
  EXPECT_EQ(b->output(1).dim(0), 2);
  EXPECT_EQ(a->wait(), absl::OkStatus());
}

TEST_F(BatchTest, refuses_what_cannot_be_batched) {
  EXPECT_EQ(batch(rows({1, 2, 3}), batch_attrs(2, 1))->wait(),
            absl::InvalidArgumentError("Task size 3 is larger than maximum input batch size 2"));
  EXPECT_THAT(batch(Tensor::scalar(1.0f), batch_attrs(2, 1))->wait().message(),
              HasSubstr("Batching input tensors must have at least one dimension."));
  EXPECT_THAT(batch(rows({1}), batch_attrs(0, 1))->wait().message(), HasSubstr("must be positive; was 0"));
  EXPECT_THAT(batch(rows({1}), batch_attrs(4, -1))->wait().message(),
              HasSubstr("batch_timeout_micros must be non-negative; was -1"));
  EXPECT_THAT(batch(rows({1}), batch_attrs(4, 1, {2, 3}))->wait().message(),
              HasSubstr("final entry in allowed_batch_sizes must equal max_batch_size"));
  EXPECT_THAT(batch(rows({1}), batch_attrs(4, 1, {4, 2, 4}))->wait().message(),
              HasSubstr("allowed_batch_sizes entries must be monotonically increasing"));
}

TEST_F(BatchTest, tells_all_when_rows_do_not_match) {
  auto a = batch(Tensor::from<float>({1, 2}, {1, 2}), batch_attrs(2, kLong));
  auto b = batch(Tensor::from<float>({1, 3}, {1, 2, 3}), batch_attrs(2, kLong));
  const auto want =
      absl::InvalidArgumentError("Dimensions of inputs should match: shape[0] = [1,2] vs. shape[1] = [1,3]");
  EXPECT_EQ(a->wait(), want);
  EXPECT_EQ(b->wait(), want);
}

TEST_F(BatchTest, leaves_out_who_was_cancelled) {
  auto a = batch(rows({1}), batch_attrs(2, kLong));
  a->token.cancel(absl::CancelledError("enough"));
  EXPECT_TRUE(absl::IsCancelled(a->wait()));
  auto b = batch(rows({2}), batch_attrs(2, kLong));
  EXPECT_FALSE(b->finished());
  auto c = batch(rows({3}), batch_attrs(2, kLong));
  EXPECT_THAT(c->output(0).flat<float>(), ElementsAre(2, 3));
}

const Tensor kIndex = Tensor::from<int64_t>({2, 3}, {7, 0, 1, 8, 1, 3});
const Tensor kNoIndex = Tensor(DataType::kInt64, Shape{0, 3});

TEST_F(BatchTest, unbatch_hands_rows_to_those_who_wait_and_who_come) {
  auto waits = unbatch(rows({}), kNoIndex, 7);
  EXPECT_FALSE(waits->finished());
  auto holds = unbatch(rows({1, 2, 3}), kIndex, 8);
  EXPECT_THAT(holds->output(0).flat<float>(), ElementsAre(2, 3));
  EXPECT_THAT(waits->output(0).flat<float>(), ElementsAre(1));
  auto first = unbatch(rows({1, 2, 3}), kIndex, 7);
  EXPECT_THAT(first->output(0).flat<float>(), ElementsAre(1));
  auto later = unbatch(rows({}), kNoIndex, 8);
  EXPECT_THAT(later->output(0).flat<float>(), ElementsAre(2, 3));
}

TEST_F(BatchTest, unbatch_gives_up) {
  EXPECT_EQ(unbatch(rows({}), kNoIndex, 7, 1000)->wait(),
            absl::DeadlineExceededError("Batched data did not arrive within timeout window."));
  auto cancelled = unbatch(rows({}), kNoIndex, 9);
  cancelled->token.cancel(absl::CancelledError("enough"));
  EXPECT_TRUE(absl::IsCancelled(cancelled->wait()));
}

TEST_F(BatchTest, unbatch_refuses_wrong_indices) {
  auto message = [&](std::initializer_list<int64_t> index) {
    return std::string(unbatch(rows({1, 2}), Tensor::from<int64_t>({1, 3}, index), 7)->wait().message());
  };
  EXPECT_EQ(message({7, 0, 4}), "Sum of split sizes must not exceed dim0-size of input tensor");
  EXPECT_THAT(message({7, 2, 1}), HasSubstr("ends before it begins"));
  EXPECT_THAT(unbatch(rows({1}), Tensor::vector<int64_t>({7, 0, 1}), 7)->wait().message(),
              HasSubstr("3 columns"));
  EXPECT_THAT(unbatch(Tensor::scalar(1.0f), kIndex, 7)->wait().message(),
              HasSubstr("at least one dimension"));
}

TEST_F(BatchTest, gradients_come_together_in_the_order_of_the_batch) {
  auto holds = unbatch_grad(kIndex, rows({6, 7}), 8);
  EXPECT_FALSE(holds->finished());
  auto other = unbatch_grad(kNoIndex, rows({5}), 7);
  EXPECT_THAT(other->output(0).flat<float>(), IsEmpty());
  EXPECT_THAT(holds->output(0).flat<float>(), ElementsAre(5, 6, 7));
  // All is forgotten then; the other order works as well.
  EXPECT_THAT(unbatch_grad(kNoIndex, rows({1}), 7)->output(0).flat<float>(), IsEmpty());
  EXPECT_EQ(unbatch_grad(kNoIndex, rows({1}), 7)->wait(),
            absl::InvalidArgumentError("Two runs with the same batch key."));
  EXPECT_THAT(unbatch_grad(kIndex, rows({2, 3}), 8)->output(0).flat<float>(), ElementsAre(1, 2, 3));
}

TEST_F(BatchTest, calls_a_function_once_for_all) {
  auto a = function(rows({1, 2}), batch_attrs(3, kLong));
  auto b = function(rows({5}), batch_attrs(3, kLong));
  EXPECT_THAT(a->output(0).flat<float>(), ElementsAre(3, 6));
  EXPECT_THAT(b->output(0).flat<float>(), ElementsAre(15));
  EXPECT_THAT(runner_.sizes(), ElementsAre(3));
}

TEST_F(BatchTest, cuts_what_is_larger_than_the_largest_size) {
  AttrMap attrs = batch_attrs(10, 2000, {2, 3});
  attrs.set("enable_large_batch_splitting", true);
  auto a = function(rows({1, 2, 3, 4}), attrs);
  EXPECT_THAT(a->output(0).flat<float>(), ElementsAre(3, 6, 9, 12));
  // Three rows, and one that is filled up to two.
  EXPECT_THAT(runner_.sizes(), ElementsAre(3, 2));
}

TEST_F(BatchTest, tells_all_what_the_function_says) {
  runner_.status = absl::InternalError("broken");
  auto a = function(rows({1}), batch_attrs(2, kLong));
  auto b = function(rows({2}), batch_attrs(2, kLong));
  EXPECT_EQ(a->wait(), runner_.status);
  EXPECT_EQ(b->wait(), runner_.status);
}

TEST_F(BatchTest, refuses_results_of_another_size) {
  runner_.cut = 1;
  auto a = function(rows({1}), batch_attrs(2, kLong));
  auto b = function(rows({2}), batch_attrs(2, kLong));
  EXPECT_THAT(a->wait().message(),
              HasSubstr("does not equal the sum of the 0th dimension sizes of the input tensors. "
                        "0th dimension size: 1; batch size: 2"));
  EXPECT_FALSE(b->wait().ok());
}

}  // namespace
}  // namespace troupe::test
