// Einsum.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor matrix(int64_t rows, int64_t cols, std::initializer_list<float> values) {
  return Tensor::from<float>(Shape{rows, cols}, values);
}

absl::StatusOr<std::vector<Tensor>> einsum(const std::string& equation, std::vector<Tensor> inputs) {
  const auto n = static_cast<int64_t>(inputs.size());
  return run_kernel("Einsum", std::move(inputs), {{"equation", equation}, {"N", n}});
}

TEST(Einsum, contracts_permutes_and_sums) {
  Tensor a = matrix(2, 3, {0, 1, 2, 3, 4, 5}), b = matrix(3, 2, {1, 0, 0, 1, 2, 2});
  auto same = [&](const std::string& equation, std::vector<Tensor> inputs, const Tensor& want) {
    auto out = einsum(equation, std::move(inputs));
    ASSERT_TRUE(out.ok()) << equation << ": " << out.status();
    EXPECT_TRUE(tensors_near(out->at(0), want)) << equation;
  };
  same("ij,jk->ik", {a, b}, matrix(2, 2, {4, 5, 13, 14}));
  same("ij,jk->ki", {a, b}, matrix(2, 2, {4, 13, 5, 14}));
  same("ij,kj->ik", {a, a}, matrix(2, 2, {5, 14, 14, 50}));
  same("ij->ji", {a}, matrix(3, 2, {0, 3, 1, 4, 2, 5}));
  same("ij->", {a}, Tensor::scalar<float>(15));
  same("ij,ij->", {a, a}, Tensor::scalar<float>(55));
  same("ij,ij->ij", {a, a}, matrix(2, 3, {0, 1, 4, 9, 16, 25}));
  same("ij,k->ik", {a, Tensor::vector<float>({1, 2})}, matrix(2, 2, {3, 6, 12, 24}));
}

TEST(Einsum, reads_and_writes_diagonals) {
  Tensor s = matrix(2, 2, {1, 2, 3, 4});
  EXPECT_TRUE(tensors_near(einsum("ii->i", {s})->at(0), Tensor::vector<float>({1, 4})));
  EXPECT_TRUE(
      tensors_near(einsum("i->ii", {Tensor::vector<float>({1, 2})})->at(0), matrix(2, 2, {1, 0, 0, 2})));
}

TEST(Einsum, broadcasts_under_an_ellipsis) {
  Tensor a = Tensor::from<float>(Shape{2, 1, 2}, {1, 2, 3, 4}), b = matrix(2, 2, {1, 0, 1, 1});
  auto out = einsum("...ij,...jk->...ik", {a, b});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{2, 1, 2}, {3, 2, 7, 4})));
}

TEST(Einsum, refuses_what_does_not_fit) {
  Tensor a = matrix(2, 3, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(einsum("ij,jk->ik", {a, a}).status(),
            absl::InvalidArgumentError(
                "Expected dimension 3 at axis 0 of the input shaped [2,3] but got dimension 2"));
  EXPECT_EQ(einsum("i->i", {a}).status(),
            absl::InvalidArgumentError("Expected input 0 to have rank 1 but got: 2"));
  EXPECT_THAT(std::string(einsum("ij", {a}).status().message()),
              testing::StartsWith("Expecting exactly one '->' in einsum equation: ij"));
  EXPECT_EQ(einsum("i...->i", {a}).status(),
            absl::InvalidArgumentError(
                "Output contains 1 broadcasting dimension(s) but no ellipsis (...) was found in the "
                "output subscripts."));
}

}  // namespace
}  // namespace troupe::test
