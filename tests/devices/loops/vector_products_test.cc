// Products of small matrices in every instruction set that has them: to the bit what sums in the order of k give.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

namespace troupe::test {
namespace {

template <class T>
std::vector<T> elements(int64_t n, T step) {
  std::vector<T> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = step * static_cast<T>(i % 103) - 3;
  return out;
}

template <class T>
Product<T> product_of(Isa isa) {
  if constexpr (std::is_same_v<T, float>) {
    return vector_loops(isa).products.floats;
  } else {
    return vector_loops(isa).products.doubles;
  }
}

/// A by rows or by columns, B and C in rows that are longer than the product needs.
template <class T>
class Problem {
 public:
  Problem(int64_t m, int64_t n, int64_t k)
      : m_(m), n_(n), k_(k), a_(elements<T>(m * k, T(0.37))), b_(elements<T>(k * ldb(), T(0.11))) {}

  void expect_right(Isa isa, bool by_rows, bool accumulate) const {
    const Product<T> product = product_of<T>(isa);
    if (product == nullptr) return;
    const int64_t a_row = by_rows ? k_ : 1, a_col = by_rows ? 1 : m_;
    std::vector<T> c(static_cast<size_t>(m_ * ldc()), kBefore), want = c;
    product(m_, n_, k_, a_.data(), a_row, a_col, b_.data(), ldb(), c.data(), ldc(), accumulate);
    for (int64_t i = 0; i < m_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        T sum = accumulate ? kBefore : 0;
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
  static constexpr T kBefore = 42;
  int64_t ldb() const { return n_ + 3; }
  int64_t ldc() const { return n_ + 2; }

  const int64_t m_, n_, k_;
  const std::vector<T> a_, b_;
};

template <class T>
void expect_right_of(int64_t m, int64_t n, int64_t k) {
  const Problem<T> problem(m, n, k);
  for (Isa isa : sets()) {
    for (bool by_rows : {true, false}) problem.expect_right(isa, by_rows, (m + n) % 2 == 0);
  }
}

void expect_right(int64_t m, int64_t n, int64_t k) {
  expect_right_of<float>(m, n, k);
  expect_right_of<double>(m, n, k);
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
