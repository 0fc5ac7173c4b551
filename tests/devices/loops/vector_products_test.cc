// Products of small matrices in every instruction set that has them: to the bit what sums in the order of k give.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace troupe::test {
namespace {

std::vector<float> elements(int64_t n, float step) {
  std::vector<float> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = step * static_cast<float>(i % 103) - 3;
  return out;
}

/// A by rows or by columns, B and C in rows that are longer than the product needs.
class Problem {
 public:
  Problem(int64_t m, int64_t n, int64_t k)
      : m_(m), n_(n), k_(k), a_(elements(m * k, 0.37f)), b_(elements(k * ldb(), 0.11f)) {}

  void expect_right(Isa isa, bool by_rows, bool accumulate) const {
    const auto product = vector_loops(isa).products.product;
    if (product == nullptr) return;
    const int64_t a_row = by_rows ? k_ : 1, a_col = by_rows ? 1 : m_;
    std::vector<float> c(static_cast<size_t>(m_ * ldc()), kBefore), want = c;
    product(m_, n_, k_, a_.data(), a_row, a_col, b_.data(), ldb(), c.data(), ldc(), accumulate);
    for (int64_t i = 0; i < m_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        float sum = accumulate ? kBefore : 0;
        for (int64_t l = 0; l < k_; ++l)
          sum = std::fma(a_[static_cast<size_t>(i * a_row + l * a_col)],
                         b_[static_cast<size_t>(l * ldb() + j)], sum);
        want[static_cast<size_t>(i * ldc() + j)] = sum;
      }
    }
    EXPECT_EQ(c, want) << isa_name(isa) << ": [" << m_ << "," << k_ << "] by [" << k_ << "," << n_ << "], "
                       << (by_rows ? "by rows" : "by columns");
  }

 private:
  static constexpr float kBefore = 42;
  int64_t ldb() const { return n_ + 3; }
  int64_t ldc() const { return n_ + 2; }

  const int64_t m_, n_, k_;
  const std::vector<float> a_, b_;
};

void expect_right(int64_t m, int64_t n, int64_t k) {
  const Problem problem(m, n, k);
  for (Isa isa : sets()) {
    for (bool by_rows : {true, false}) problem.expect_right(isa, by_rows, (m + n) % 2 == 0);
  }
}

TEST(VectorProducts, have_every_number_of_rows_and_columns) {
  for (int64_t m = 1; m <= 26; ++m) {
    for (int64_t n = 1; n <= static_cast<int64_t>(kLongestRow); ++n) expect_right(m, n, 5);
  }
}

TEST(VectorProducts, of_few_rows_take_wide_tiles) {
  for (int64_t m = 1; m <= 4; ++m) {
    for (int64_t n : {127, 128, 129, 160, 300}) expect_right(m, n, 7);
  }
}

TEST(VectorProducts, are_sums_over_any_depth) {
  for (int64_t k : {0, 1, 2, 64, 300}) expect_right(14, 35, k);
}

}  // namespace
}  // namespace troupe::test
