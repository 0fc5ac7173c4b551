#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::FloatEq;

AttrMap sampler(int64_t count, bool unique, int64_t range) {
  AttrMap attrs;
  attrs.set("num_true", int64_t{1});
  attrs.set("num_sampled", count);
  attrs.set("unique", unique);
  attrs.set("range_max", range);
  attrs.set("seed", int64_t{5});
  attrs.set("seed2", int64_t{6});
  return attrs;
}
const Tensor& true_classes() {
  static const Tensor classes = Tensor::from<int64_t>({2, 1}, {1, 3});
  return classes;
}

// Values of TensorFlow 2.21.
TEST(CandidateSampling, draws_by_given_weights) {
  AttrMap attrs = sampler(4, true, 6);
  attrs.set("unigrams", std::vector<float>{1, 2, 3, 4, 5, 6});
  attrs.set("distortion", 0.75f);
  const auto out = run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(5, 4, 3, 2));
  EXPECT_THAT(out->at(1).flat<float>(), ElementsAre(FloatEq(0.65793788f), FloatEq(0.84818971f)));
}

TEST(CandidateSampling, never_draws_reserved_classes) {
  AttrMap attrs = sampler(6, false, 7);
  attrs.set("unigrams", std::vector<float>{1, 2, 3, 4, 5, 6});
  attrs.set("num_reserved_ids", int64_t{1});
  const auto out = run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(4, 4, 6, 4, 5, 6));
  attrs.set("unique", true);
  attrs.set("num_sampled", int64_t{7});
  EXPECT_FALSE(run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs).ok())
      << "six classes have a weight";
}

TEST(CandidateSampling, draws_learned_classes_alike_at_first) {
  const auto out = run_kernel("LearnedUnigramCandidateSampler", {true_classes()}, sampler(5, true, 9));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(0, 4, 1, 2, 5));
  EXPECT_NEAR(out->at(1).flat<float>()[0], 0.5615376f, 1e-6);
}

TEST(CandidateSampling, refuses_weights_that_do_not_fit) {
  AttrMap attrs = sampler(2, true, 5);
  EXPECT_FALSE(run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs).ok());
  attrs.set("unigrams", std::vector<float>{1, 2});
  EXPECT_FALSE(run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs).ok());
  attrs.set("unigrams", std::vector<float>{0, 0, 0, 0, 0});
  EXPECT_FALSE(run_kernel("FixedUnigramCandidateSampler", {true_classes()}, attrs).ok());
}

}  // namespace
}  // namespace troupe::test
