// Random ops with their state in a variable, and their kin: the numbers are TensorFlow 2.21's for the same states and seeds.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RandomState : public testing::Test {
 protected:
  Tensor state(const Tensor& value) {
    AttrMap attrs{{"dtype", value.dtype()}, {"shared_name", std::string("s")}, {"shape", PartialShape()}};
    Tensor handle = harness_.run("VarHandleOp", {}, attrs)->at(0);
    EXPECT_TRUE(harness_.run("AssignVariableOp", {handle, value}, {{"dtype", value.dtype()}}).ok());
    return handle;
  }
  Tensor state() { return state(Tensor::vector<int64_t>({3, 5, 7})); }
  Tensor words(const Tensor& handle) {
    return harness_.run("ReadVariableOp", {handle}, {{"dtype", DataType::kInt64}})->at(0);
  }
  absl::StatusOr<std::vector<Tensor>> draw(const std::string& op, const Tensor& handle, int64_t algorithm,
                                           std::vector<Tensor> rest, DataType dtype) {
    std::vector<Tensor> inputs = {handle, Tensor::scalar(algorithm)};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    return harness_.run(op, inputs, {{"dtype", dtype}});
  }

  KernelHarness harness_;
  const Tensor five_ = Tensor::vector<int64_t>({5});
};

TEST_F(RandomState, draws_go_on_where_the_last_one_ended) {
  Tensor s = state();
  auto uniform = draw("StatefulUniform", s, 1, {five_}, DataType::kFloat);
  ASSERT_TRUE(uniform.ok()) << uniform.status();
  EXPECT_TRUE(
      tensors_near(uniform->at(0),
                   Tensor::vector<float>({0.718350887298584f, 0.7213740348815918f, 0.6994768381118774f,
                                          0.2922757863998413f, 0.788880467414856f}),
                   0, 0));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(1283, 5, 7));
  auto normal = draw("StatefulStandardNormalV2", s, 3, {five_}, DataType::kFloat);
  ASSERT_TRUE(normal.ok()) << normal.status();
  EXPECT_TRUE(tensors_near(normal->at(0), Tensor::vector<float>({-1.0275446f, -1.0413007f, -1.3044237f,
                                                                 0.037522417f, 0.22062945f})));
  auto truncated = draw("StatefulTruncatedNormal", s, 1, {five_}, DataType::kFloat);
  ASSERT_TRUE(truncated.ok()) << truncated.status();
  EXPECT_TRUE(tensors_near(truncated->at(0), Tensor::vector<float>({-0.43949133f, -0.3129951f, -1.040498f,
                                                                    -1.0737945f, -1.4738021f})));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(3843, 5, 7));
}

TEST_F(RandomState, draws_doubles_from_two_words_each) {
  auto out = draw("StatefulUniform", state(), 1, {five_}, DataType::kDouble);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<double>(),
              ElementsAre(0.7468078783180081, 0.5958151673754226, 0.3110440563237651, 0.626262221688505,
                          0.6532548401294727));
}

TEST_F(RandomState, draws_integers) {
  auto full = draw("StatefulUniformFullInt", state(), 1, {five_}, DataType::kUint64);
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_THAT(full->at(0).flat<uint64_t>(),
              ElementsAre(15086027394455958252u, 8945672009088075893u, 6131766875562244617u,
                          9875819465268659499u, 6405513859144774587u));
  Tensor s = state();
  auto range =
      draw("StatefulUniformInt", s, 1,
           {Tensor::vector<int64_t>({2, 3}), Tensor::scalar(int64_t{-10}), Tensor::scalar(int64_t{90})},
           DataType::kInt64);
  ASSERT_TRUE(range.ok()) << range.status();
  EXPECT_THAT(range->at(0).flat<int64_t>(), ElementsAre(42, 83, 7, 89, 77, -2));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(1539, 5, 7));
}

TEST_F(RandomState, an_old_state_begins_with_the_algorithm) {
  Tensor s = state(Tensor::vector<int64_t>({1, 3, 5, 7}));
  auto out = harness_.run("StatefulStandardNormal", {s, five_}, {{"dtype", DataType::kFloat}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({-0.80026323f, -0.14550945f, 0.8158325f,
                                                              -0.22195163f, 0.64145797f})));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(1, 1283, 5, 7));
  s = state(Tensor::vector<int64_t>({1, 3, 5}));
  EXPECT_EQ(
      harness_.run("StatefulStandardNormal", {s, five_}, {{"dtype", DataType::kFloat}}).status(),
      absl::InvalidArgumentError("For the Philox algorithm, the size of state must be at least 4; got 3"));
}

TEST_F(RandomState, skips_and_carries) {
  Tensor s = state(Tensor::vector<int64_t>({-1, 5, 7}));
  auto read = harness_.run("RngReadAndSkip", {s, Tensor::scalar(int32_t{1}), Tensor::scalar(uint64_t{1})});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->at(0).flat<int64_t>(), ElementsAre(-1, 5, 7));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(255, 6, 7));
  s = state(Tensor::vector<int64_t>({515, 5, 7}));
  ASSERT_TRUE(harness_.run("RngSkip", {s, Tensor::scalar(int64_t{1}), Tensor::scalar(int64_t{-2})}).ok());
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(3, 5, 7));
}

TEST_F(RandomState, a_value_that_was_read_does_not_change) {
  Tensor s = state();
  Tensor before = words(s);
  ASSERT_TRUE(draw("StatefulUniform", s, 1, {five_}, DataType::kFloat).ok());
  EXPECT_THAT(before.flat<int64_t>(), ElementsAre(3, 5, 7));
}

TEST_F(RandomState, refuses_what_is_no_state) {
  auto status = [&](const Tensor& value) {
    return draw("StatefulUniform", state(value), 1, {five_}, DataType::kFloat).status();
  };
  EXPECT_EQ(
      status(Tensor::vector<int64_t>({1, 2})),
      absl::InvalidArgumentError("For the Philox algorithm, the size of state must be at least 3; got 2"));
  EXPECT_EQ(status(Tensor::from<int64_t>({1, 3}, {1, 2, 3})),
            absl::InvalidArgumentError("RNG state must have one and only one dimension, not 2"));
  KernelHarness other;
  AttrMap attrs{{"dtype", DataType::kInt32}, {"shared_name", std::string("i")}, {"shape", PartialShape()}};
  Tensor handle = other.run("VarHandleOp", {}, attrs)->at(0);
  ASSERT_TRUE(other.run("AssignVariableOp", {handle, Tensor::vector<int32_t>({1, 2, 3})}).ok());
  EXPECT_EQ(other.run("RngSkip", {handle, Tensor::scalar(int64_t{1}), Tensor::scalar(int64_t{1})}).status(),
            absl::InvalidArgumentError("dtype of RNG state variable must be int64, not int32"));
}

TEST_F(RandomState, refuses_algorithms_shapes_and_ranges) {
  Tensor s = state();
  auto status = [&](int64_t algorithm, const Tensor& shape) {
    return draw("StatefulUniform", s, algorithm, {shape}, DataType::kFloat).status();
  };
  EXPECT_EQ(status(2, five_),
            absl::UnimplementedError("Non-XLA devices don't support the ThreeFry algorithm."));
  EXPECT_EQ(status(9, five_), absl::InvalidArgumentError("Unsupported algorithm id: 9"));
  EXPECT_EQ(status(1, Tensor::vector<int64_t>({-5})),
            absl::InvalidArgumentError("Dimension -5 must be >= 0"));
  EXPECT_THAT(status(1, Tensor::scalar(int64_t{5})).message(),
              HasSubstr("shape must be a vector of {int32,int64}"));
  auto range = draw("StatefulUniformInt", s, 1,
                    {five_, Tensor::scalar(int64_t{3}), Tensor::scalar(int64_t{3})}, DataType::kInt64);
  EXPECT_EQ(range.status(), absl::InvalidArgumentError("Need minval < maxval, got 3 >= 3"));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(3, 5, 7)) << "none of them may move the state";
}

TEST_F(RandomState, numbers_nobody_knows_differ) {
  auto out = harness_.run("NonDeterministicInts", {five_}, {{"dtype", DataType::kInt64}});
  auto again = harness_.run("NonDeterministicInts", {five_}, {{"dtype", DataType::kInt64}});
  ASSERT_TRUE(out.ok() && again.ok());
  EXPECT_FALSE(tensors_near(out->at(0), again->at(0), 0, 0));
}

TEST_F(RandomState, binomial_numbers_move_the_state_by_what_they_may_need) {
  Tensor s = state();
  auto out = harness_.run("StatefulRandomBinomial",
                          {s, Tensor::scalar(int64_t{1}), Tensor::vector<int32_t>({2, 2}),
                           Tensor::vector<double>({10, 100}), Tensor::vector<double>({0.3, 0.8})},
                          {{"dtype", DataType::kInt64}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(4, 82, 2, 74));
  EXPECT_THAT(words(s).flat<int64_t>(), ElementsAre(128003, 5, 7));
}

absl::StatusOr<std::vector<Tensor>> binomial(const Tensor& shape, const Tensor& counts, const Tensor& probs,
                                             DataType dtype) {
  return run_kernel("StatelessRandomBinomial", {shape, Tensor::vector<int64_t>({1, 2}), counts, probs},
                    {{"dtype", dtype}});
}

TEST(Binomial, broadcasts_counts_and_probabilities) {
  auto out = binomial(Tensor::vector<int32_t>({3, 2}), Tensor::vector<float>({20, 200}),
                      Tensor::vector<float>({0.75f, 0.3f}), DataType::kInt32);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(14, 77, 14, 54, 11, 66));
}

TEST(Binomial, ends_for_parameters_of_no_distribution) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  auto out = binomial(Tensor::vector<int32_t>({5}), Tensor::vector<double>({10, 10, nan, inf, -3}),
                      Tensor::vector<double>({nan, 2, 0.5, 0.5, 0.5}), DataType::kFloat);
  ASSERT_TRUE(out.ok()) << out.status();
  auto values = out->at(0).flat<float>();
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]) && std::isnan(values[3]));
  EXPECT_EQ(values[1], 10);
  EXPECT_EQ(values[4], 0);
}

TEST(Binomial, refuses_shapes_that_do_not_fit) {
  const Tensor two = Tensor::vector<double>({1, 2}), three = Tensor::vector<double>({1, 2, 3});
  EXPECT_EQ(
      binomial(Tensor::vector<int32_t>({2}), three, two, DataType::kInt32).status(),
      absl::InvalidArgumentError("counts and probs must have compatible batch dimensions: [3] vs. [2]"));
  EXPECT_EQ(binomial(Tensor::vector<int32_t>({3}), two, two, DataType::kInt32).status(),
            absl::InvalidArgumentError("Shape passed in must end with broadcasted shape."));
  EXPECT_EQ(binomial(Tensor::scalar(int32_t{3}), two, two, DataType::kInt32).status(),
            absl::InvalidArgumentError("Input shape should be a vector, got shape: []"));
}

absl::StatusOr<std::vector<Tensor>> bounded(const Tensor& shape, float low, float high, const Tensor& means) {
  return run_kernel("StatelessParameterizedTruncatedNormal",
                    {shape, Tensor::vector<int64_t>({1, 2}), means, Tensor::scalar(1.0f), Tensor::scalar(low),
                     Tensor::scalar(high)});
}

TEST(BoundedNormal, samples_by_three_methods) {
  const Tensor four = Tensor::vector<int32_t>({4}), zero = Tensor::scalar(0.0f);
  auto normal = bounded(four, -2, 5, zero), uniform = bounded(four, -1, 1, zero);
  auto exponential = bounded(four, 3, std::numeric_limits<float>::infinity(), zero);
  ASSERT_TRUE(normal.ok() && uniform.ok() && exponential.ok());
  EXPECT_TRUE(tensors_near(normal->at(0),
                           Tensor::vector<float>({0.54411012f, 0.20738031f, 0.07356432f, 0.046434551f})));
  EXPECT_TRUE(tensors_near(uniform->at(0),
                           Tensor::vector<float>({0.68812084f, -0.61590934f, 0.99244642f, -0.67922521f})));
  EXPECT_TRUE(tensors_near(exponential->at(0),
                           Tensor::vector<float>({3.0513299f, 3.0011456f, 3.3942106f, 3.6768384f})));
}

TEST(BoundedNormal, puts_samples_before_parameters) {
  auto out = bounded(Tensor::vector<int32_t>({3, 2}), -1, 1, Tensor::vector<float>({0, 1}));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>({3, 2}, {0.68812084f, 0.53567272f, -0.61590934f,
                                                                    0.20988405f, 0.99244642f, 0.26950961f})));
  EXPECT_EQ(bounded(Tensor::vector<int32_t>({3}), 2, 1, Tensor::scalar(0.0f)).status(),
            absl::InvalidArgumentError("Invalid parameters"));
  EXPECT_EQ(bounded(Tensor::vector<int32_t>({3}), -1, 1, Tensor::vector<float>({0, 1})).status(),
            absl::InvalidArgumentError("Shape passed in must end with broadcasted shape."));
}

template <class T>
int32_t rounded(T v) {
  auto out = run_kernel("StochasticCastToInt",
                        {Tensor::vector<T>({v}), Tensor::vector<uint64_t>({5}),
                         Tensor::vector<uint64_t>({1, 2}), Tensor::scalar(int32_t{1})},
                        {{"Tout", DataType::kInt32}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->at(0).template flat<int32_t>()[0] : 0;
}

TEST(StochasticCast, rounds_by_the_generators_first_number) {
  std::vector<int32_t> floats, doubles;
  for (double v : {.5, -.5, 1.25, -1.25, .3, .4, .6, -.3, -.2, -.1}) {
    floats.push_back(rounded(static_cast<float>(v)));
    doubles.push_back(rounded(v));
  }
  EXPECT_THAT(floats, ElementsAre(1, -1, 2, -2, 1, 1, 1, -1, -1, 0));
  EXPECT_THAT(doubles, ElementsAre(0, 0, 1, -1, 0, 0, 1, 0, 0, 0));
}

TEST(StochasticCast, keeps_integers_and_ends) {
  EXPECT_EQ(rounded(7.0), 7);
  EXPECT_EQ(rounded(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(rounded(1e20), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(rounded(-1e20f), std::numeric_limits<int32_t>::min());
}

}  // namespace
}  // namespace troupe::test
