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

TEST(BiasAdd, adds_along_the_channels_of_either_layout) {
  Tensor x = zeros(DataType::kFloat, Shape{1, 2, 1, 2}), bias = Tensor::vector<float>({1, 2});
  auto last = run_kernel("BiasAdd", {x, bias});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE(tensors_near(last->at(0), Tensor::from<float>(Shape{1, 2, 1, 2}, {1, 2, 1, 2})));
  auto first = run_kernel("BiasAdd", {x, bias}, {{"data_format", "NCHW"}});
  EXPECT_TRUE(tensors_near(first->at(0), Tensor::from<float>(Shape{1, 2, 1, 2}, {1, 1, 2, 2})));
}

TEST(BiasAdd, refuses_a_bias_of_another_length) {
  EXPECT_EQ(
      run_kernel("BiasAdd", {zeros(DataType::kFloat, Shape{2, 3}), Tensor::vector<float>({1, 2})}).status(),
      absl::InvalidArgumentError(
          "Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]"));
  EXPECT_EQ(run_kernel("BiasAdd", {Tensor::vector<float>({1}), Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("Input tensor must be at least 2D: [1]"));
}

TEST(FusedBatchNorm, returns_the_variance_with_bessels_correction) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 4, 1}, {1, 2, 3, 6}), one = Tensor::vector<float>({1}),
         none(DataType::kFloat, Shape{0});
  auto out = run_kernel("FusedBatchNormV3", {x, one, zeros(DataType::kFloat, Shape{1}), none, none},
                        {{"U", DataType::kFloat}, {"epsilon", 0.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  const float s = std::sqrt(3.5f);
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 4, 1}, {-2 / s, -1 / s, 0, 3 / s})));
  EXPECT_FLOAT_EQ(out->at(1).flat<float>()[0], 3);
  EXPECT_FLOAT_EQ(out->at(2).flat<float>()[0], 14.0f / 3);
  EXPECT_FLOAT_EQ(out->at(4).flat<float>()[0], 3.5f);
}

TEST(FusedBatchNorm, averages_statistics_over_steps) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 2, 1}, {0, 2}), one = Tensor::vector<float>({1});
  auto out =
      run_kernel("FusedBatchNormV3", {x, one, one, Tensor::vector<float>({5}), Tensor::vector<float>({10})},
                 {{"U", DataType::kFloat}, {"exponential_avg_factor", 0.25f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ(out->at(1).flat<float>()[0], 0.75f * 5 + 0.25f * 1);
  EXPECT_FLOAT_EQ(out->at(2).flat<float>()[0], 0.75f * 10 + 0.25f * 2);
}

TEST(FusedBatchNormGrad, agrees_with_differences) {
  const Shape shape{2, 1, 3, 2};
  Tensor x(DataType::kFloat, shape), dy(DataType::kFloat, shape);
  for (int i = 0; i < 12; ++i) {
    x.flat<float>()[i] = static_cast<float>((i * 5) % 7) - 2;
    dy.flat<float>()[i] = static_cast<float>((i * 3) % 5) - 2;
  }
  Tensor scale = Tensor::vector<float>({1.5f, -0.5f}), offset = Tensor::vector<float>({0, 1}),
         none(DataType::kFloat, Shape{0});
  const AttrMap attrs = {{"U", DataType::kFloat}, {"epsilon", 0.1f}};
  auto forward = [&](const Tensor& in) {
    return *run_kernel("FusedBatchNormV3", {in, scale, offset, none, none}, attrs);
  };
  auto base = forward(x);
  auto grad = run_kernel("FusedBatchNormGradV3", {dy, x, scale, base[3], base[4], base[5]}, attrs);
  ASSERT_TRUE(grad.ok()) << grad.status();
  for (int i = 0; i < 12; ++i) {
    double sum[2];
    for (int side = 0; side < 2; ++side) {
      Tensor moved = x.deep_copy();
      moved.flat<float>()[i] += side == 0 ? -0.01f : 0.01f;
      auto out = forward(moved);
      sum[side] = 0;
      for (int j = 0; j < 12; ++j) sum[side] += out[0].flat<float>()[j] * dy.flat<float>()[j];
    }
    EXPECT_NEAR(grad->at(0).flat<float>()[i], (sum[1] - sum[0]) / 0.02, 5e-3) << i;
  }
}

TEST(FusedBatchNorm, refuses_a_scale_of_another_length) {
  Tensor x = zeros(DataType::kFloat, Shape{1, 2, 2, 3}), three = zeros(DataType::kFloat, Shape{3});
  EXPECT_EQ(
      run_kernel("FusedBatchNorm", {x, zeros(DataType::kFloat, Shape{2}), three, three, three}).status(),
      absl::InvalidArgumentError(
          "scale must have the same number of elements as the channels of x, got 2 and 3"));
}

TEST(FusedBatchNorm, answers_an_empty_batch_with_not_a_number) {
  Tensor c = zeros(DataType::kFloat, Shape{3});
  auto out = run_kernel("FusedBatchNorm", {Tensor(DataType::kFloat, Shape{0, 2, 2, 3}), c, c, c, c});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(std::isnan(out->at(1).flat<float>()[0]));
}

TEST(Lrn, divides_by_the_neighbourhood) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 1, 3}, {1, 2, 3});
  auto out = run_kernel("LRN", {x}, {{"depth_radius", 1}, {"bias", 1.0f}, {"alpha", 1.0f}, {"beta", 1.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 1, 3}, {1.0f / 6, 2.0f / 15, 3.0f / 14})));
  EXPECT_EQ(run_kernel("LRN", {Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("in must be 4-dimensional"));
}

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

TEST(FakeQuant, keeps_zero_exact) {
  auto out = run_kernel("FakeQuantWithMinMaxArgs", {Tensor::vector<float>({0, 10, -10})},
                        {{"min", -0.1f}, {"max", 0.9f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<float>()[0], 0);
  EXPECT_NEAR(out->at(0).flat<float>()[1], 0.9f, 4e-3);
  EXPECT_NEAR(out->at(0).flat<float>()[2], -0.1f, 4e-3);
}

TEST(FakeQuant, rounds_by_the_steps_of_the_wanted_range_and_keeps_what_is_no_number) {
  // The range becomes 0 to 4 in 255 steps, and 2 lies between two of them.
  auto out = run_kernel("FakeQuantWithMinMaxArgs", {Tensor::vector<float>({2, 1, NAN})},
                        {{"min", 2.0f}, {"max", 6.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ(out->at(0).flat<float>()[0], 2.0078433f);
  EXPECT_FLOAT_EQ(out->at(0).flat<float>()[1], 1.0039216f);
  EXPECT_TRUE(std::isnan(out->at(0).flat<float>()[2]));
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

TEST(ReluGrad, multiplies_so_that_nan_stays) {
  const Tensor x = Tensor::vector<float>({-1, -1, 1, 7}), g = Tensor::vector<float>({kNan, kInf, 2, 3});
  EXPECT_TRUE(tensors_near(run_kernel("ReluGrad", {g, x})->at(0), Tensor::vector<float>({kNan, kNan, 2, 3})));
  EXPECT_TRUE(
      tensors_near(run_kernel("Relu6Grad", {g, x})->at(0), Tensor::vector<float>({kNan, kNan, 2, 0})));
}

TEST(CwiseGradients, give_nothing_for_no_gradient) {
  const Tensor y = Tensor::vector<float>({0, kInf, kNan, 2}), none = zeros(DataType::kFloat, Shape{4});
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) {
    EXPECT_TRUE(tensors_near(run_kernel(op, {y, none})->at(0), none)) << op;
  }
}

TEST(Zeta, vanishes_at_infinity) {
  const Tensor x = Tensor::vector<float>({2, kInf, kInf, 2}), q = Tensor::vector<float>({kInf, kInf, 2, 1});
  EXPECT_TRUE(
      tensors_near(run_kernel("Zeta", {x, q})->at(0), Tensor::vector<float>({0, 0, 0, 1.6449341f}), 1e-5));
  const Tensor n = Tensor::vector<float>({1, 2, 0}), at = Tensor::vector<float>({kInf, kInf, 1});
  EXPECT_TRUE(tensors_near(run_kernel("Polygamma", {n, at})->at(0),
                           Tensor::vector<float>({0, 0, -0.5772157f}), 1e-5));
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
