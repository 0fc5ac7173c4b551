#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

const float kInf = std::numeric_limits<float>::infinity();

TEST(Softmax, treats_special_values_as_tensorflow_does) {
  Tensor x = Tensor::from<float>(Shape{5, 3},
                                 {kNan, 1, 2, kInf, 1, 2, -kInf, -kInf, -kInf, 1, kNan, kInf, -kInf, 1, 2});
  auto out = run_kernel("Softmax", {x});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{5, 3}, {kNan, 0, 0, kNan, 0, 0, kNan, kNan, kNan, 0,
                                                                 kNan, kNan, 0, 0.26894143f, 0.73105854f})));
}

TEST(Softmax, refuses_scalars) {
  EXPECT_EQ(run_kernel("Softmax", {Tensor::scalar<float>(1)}).status(),
            absl::AbortedError("Input dims must be <= 5 and >=1"));
  EXPECT_EQ(run_kernel("LogSoftmax", {Tensor::scalar<double>(1)}).status(),
            absl::InvalidArgumentError("logits must have >= 1 dimension, got []"));
}

TEST(SoftmaxCrossEntropy, broadcasts_labels) {
  Tensor x = Tensor::from<float>(Shape{2, 2}, {0, 0, 0, std::log(3.0f)}),
         labels = Tensor::from<float>(Shape{1, 2}, {0, 1});
  auto out = run_kernel("SoftmaxCrossEntropyWithLogits", {x, labels});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({std::log(2.0f), std::log(4.0f / 3)})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::from<float>(Shape{2, 2}, {0.5f, -0.5f, 0.25f, -0.25f})));
}

TEST(SoftmaxCrossEntropy, broadcasts_a_scalar) {
  Tensor labels = Tensor::from<float>(Shape{2, 2}, {1, 0, 0, 2});
  auto out = run_kernel("SoftmaxCrossEntropyWithLogits", {Tensor::scalar<float>(3), labels});
  ASSERT_TRUE(out.ok()) << out.status();
  const float two = std::log(2.0f);
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({two, 2 * two})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::from<float>(Shape{2, 2}, {-0.5, 0.5, 0.5, -1.5})));
}

TEST(SparseSoftmaxCrossEntropy, names_labels_outside_the_classes) {
  Tensor x = zeros(DataType::kFloat, Shape{2, 3});
  EXPECT_EQ(run_kernel("SparseSoftmaxCrossEntropyWithLogits", {x, Tensor::vector<int32_t>({0, 3})}).status(),
            absl::InvalidArgumentError(
                "Received a label value of 3 which is outside the valid range of [0, 3).  Label "
                "values: 0 3"));
}

TEST(BlockLstm, leaves_steps_beyond_the_length_at_zero) {
  const int64_t steps = 3, batch = 1, inputs = 1, cells = 1;
  Tensor x = Tensor::from<float>(Shape{steps, batch, inputs}, {1, 1, 1}),
         state = zeros(DataType::kFloat, Shape{1, 1}), w = zeros(DataType::kFloat, Shape{2, 4}),
         peep = zeros(DataType::kFloat, Shape{1}), b = zeros(DataType::kFloat, Shape{4});
  for (float& v : w.flat<float>()) v = 1;
  auto out = run_kernel("BlockLSTM", {Tensor::scalar<int64_t>(2), x, state, state, w, peep, peep, peep, b});
  ASSERT_TRUE(out.ok()) << out.status();
  const float gate = 1 / (1 + std::exp(-1.0f)), cs = gate * std::tanh(1.0f), h = gate * std::tanh(cs);
  EXPECT_NEAR(out->at(1).flat<float>()[0], cs, 1e-6);
  EXPECT_NEAR(out->at(6).flat<float>()[0], h, 1e-6);
  EXPECT_NE(out->at(6).flat<float>()[1], 0);
  EXPECT_EQ(out->at(6).flat<float>()[2], 0);
  EXPECT_EQ(cells, 1);
}

TEST(CtcLoss, refuses_sequences_longer_than_the_input) {
  auto status = run_kernel("CTCLoss", {zeros(DataType::kFloat, Shape{5, 1, 3}),
                                       Tensor::from<int64_t>(Shape{1, 2}, {0, 0}),
                                       Tensor::vector<int32_t>({0}), Tensor::vector<int32_t>({9})})
                    .status();
  EXPECT_EQ(status, absl::InvalidArgumentError("sequence_length(0) <= 5"));
}

TEST(CtcGreedyDecoder, drops_blanks_and_repeats) {
  // Best classes by time: 0, 0, blank, 0.
  Tensor x = zeros(DataType::kFloat, Shape{4, 1, 2});
  for (int t : {0, 1, 3}) x.flat<float>()[t * 2] = 1;
  x.flat<float>()[5] = 1;
  auto out = run_kernel("CTCGreedyDecoder", {x, Tensor::vector<int32_t>({4})}, {{"merge_repeated", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<int64_t>({0, 0})));
  EXPECT_FLOAT_EQ(out->at(3).flat<float>()[0], -4);
}

TEST(SoftmaxCrossEntropy, makes_nan_of_a_share_of_what_cannot_be) {
  const Tensor logits = Tensor::from<float>({3, 2}, {88, -kInf, kNan, 1, 3, 3});
  auto out = run_kernel("SoftmaxCrossEntropyWithLogits", {logits, zeros(DataType::kFloat, Shape{3, 2})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({kNan, kNan, 0})));
}

TEST(SoftmaxCrossEntropy, lets_differences_of_half_numbers_be_infinite) {
  Tensor logits(DataType::kHalf, Shape{1, 2}), labels(DataType::kHalf, Shape{1, 2});
  logits.flat<Eigen::half>()[0] = Eigen::half(100);
  logits.flat<Eigen::half>()[1] = Eigen::half(-65504);
  for (Eigen::half& h : labels.flat<Eigen::half>()) h = Eigen::half(0.5f);
  auto out = run_kernel("SoftmaxCrossEntropyWithLogits", {logits, labels});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(static_cast<float>(out->at(0).flat<Eigen::half>()[0]), kInf);
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  Tensor t(dtype_of<T>(), Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.flat<T>().begin());
  return t;
}

absl::StatusOr<std::vector<Tensor>> ctc_loss(std::vector<int32_t> labels, int32_t steps,
                                             bool ignore_longer = false) {
  Tensor scores = zeros(DataType::kFloat, Shape{5, 1, 4});
  Tensor at(DataType::kInt64, Shape{static_cast<int64_t>(labels.size()), 2});
  for (size_t i = 0; i < labels.size(); ++i) {
    at.flat<int64_t>()[2 * i] = 0;
    at.flat<int64_t>()[2 * i + 1] = static_cast<int64_t>(i);
  }
  return run_kernel("CTCLoss", {scores, at, vector_of(labels), Tensor::vector<int32_t>({steps})},
                    {{"ignore_longer_outputs_than_inputs", ignore_longer}});
}

TEST(CtcLoss, needs_time_for_labels_alone) {
  auto no_blank = ctc_loss({1, 1, 0}, 3);
  ASSERT_TRUE(no_blank.ok()) << no_blank.status();
  EXPECT_EQ(no_blank->at(0).flat<float>()[0], kInf);
  EXPECT_THAT(
      std::string(ctc_loss({1, 1, 0}, 2).status().message()),
      testing::HasSubstr("Not enough time for target transition sequence (required: 3, available: 2)"));
  auto ignored = ctc_loss({1, 1, 0}, 2, true);
  ASSERT_TRUE(ignored.ok()) << ignored.status();
  EXPECT_EQ(ignored->at(0).flat<float>()[0], 0);
}

TEST(CtcBeamSearch, refuses_more_paths_than_beams) {
  auto out = run_kernel("CTCBeamSearchDecoder",
                        {zeros(DataType::kFloat, Shape{5, 1, 4}), Tensor::vector<int32_t>({5})},
                        {{"beam_width", int64_t{2}}, {"top_paths", int64_t{3}}});
  EXPECT_THAT(std::string(out.status().message()),
              testing::HasSubstr("requested more paths than the beam width"));
}

TEST(CtcBeamSearch, lets_a_prefix_grow_that_left_the_beam_and_came_back) {
  // What TensorFlow gives; a wider beam would find a better second path.
  const Tensor logits = Tensor::from<float>(Shape{4, 1, 3}, {1.11f, 0.18f, 0.27f, -1.62f, -2.09f, -0.3f,
                                                             -1.38f, -1.57f, -0.82f, 1.15f, -0.4f, -1.74f});
  auto out = run_kernel("CTCBeamSearchDecoder", {logits, Tensor::vector<int32_t>({4})},
                        {{"beam_width", int64_t{2}}, {"top_paths", int64_t{2}}, {"merge_repeated", false}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(2), Tensor::vector<int64_t>({0, 0})));
  EXPECT_TRUE(tensors_near(out->at(3), Tensor::vector<int64_t>({0})));
  EXPECT_TRUE(tensors_near(out->at(6), Tensor::from<float>(Shape{1, 2}, {-1.5909451f, -2.4809017f})));
}

}  // namespace
}  // namespace troupe::test
