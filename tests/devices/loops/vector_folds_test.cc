// Rows folded in every instruction set that the machine has.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace troupe::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> numbers(size_t n) {
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = std::sin(static_cast<float>(i) * 1.7f) * 5;
  return out;
}
int64_t size_of(const std::vector<float>& v) { return static_cast<int64_t>(v.size()); }

TEST(VectorFolds, add_in_the_same_order_in_every_set) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{33}, kLongestRow, size_t{100001}}) {
    const std::vector<float> in = numbers(n);
    const double exact = std::accumulate(in.begin(), in.end(), 0.0);
    const float baseline = vector_loops(Isa::kBaseline).folds.sum(in.data(), size_of(in));
    EXPECT_NEAR(baseline, exact, 1e-6 * static_cast<double>(n)) << n;
    for (Isa isa : sets())
      EXPECT_EQ(vector_loops(isa).folds.sum(in.data(), size_of(in)), baseline) << isa_name(isa);
  }
}

TEST(VectorFolds, sum_every_element_once) {
  for (Isa isa : sets()) {
    for (size_t n = 0; n <= 3 * kLongestRow; ++n) {
      std::vector<float> in(n + 2);
      for (size_t i = 0; i < n; ++i) in[i + 1] = static_cast<float>(i + 1);
      in.front() = in.back() = kNan;
      EXPECT_EQ(vector_loops(isa).folds.sum(&in[1], static_cast<int64_t>(n)),
                static_cast<float>(n * (n + 1) / 2))
          << isa_name(isa) << " " << n;
    }
  }
}

TEST(VectorFolds, find_the_maximum_wherever_it_stands) {
  for (Isa isa : sets()) {
    const FloatFolds& folds = vector_loops(isa).folds;
    EXPECT_EQ(folds.maximum(nullptr, 0), -kInf);
    for (size_t n = 1; n <= kLongestRow; ++n) {
      for (size_t at = 0; at < n; ++at) {
        std::vector<float> in(n, -7.0f);
        in[at] = -3;
        EXPECT_EQ(folds.maximum(in.data(), size_of(in)), -3) << isa_name(isa) << " " << at << " of " << n;
        in[at] = kNan;
        in[(at * 5 + 1) % n] = n > 1 && (at * 5 + 1) % n != at ? kInf : kNan;
        EXPECT_TRUE(std::isnan(folds.maximum(in.data(), size_of(in))))
            << isa_name(isa) << " " << at << " of " << n;
      }
    }
  }
}

TEST(VectorFolds, sum_exponentials_and_keep_them) {
  for (Isa isa : sets()) {
    const VectorLoops& loops = vector_loops(isa);
    for (size_t n = 0; n <= kLongestRow; ++n) {
      const std::vector<float> in = numbers(n);
      std::vector<float> shifted = in, out(n + 1, 42.0f), place = in;
      for (float& v : shifted) v -= 2.5f;
      loops.functions.exp(shifted.data(), shifted.data(), size_of(in));
      const float sum = loops.folds.sum(shifted.data(), size_of(in));
      EXPECT_EQ(loops.folds.exp_shifted(in.data(), 2.5f, out.data(), size_of(in)), sum)
          << isa_name(isa) << " " << n;
      EXPECT_EQ(loops.folds.exp_shifted(place.data(), 2.5f, place.data(), size_of(in)), sum)
          << isa_name(isa) << " " << n;
      EXPECT_EQ(loops.folds.exp_sum(in.data(), 2.5f, size_of(in)), sum) << isa_name(isa) << " " << n;
      EXPECT_EQ(place, shifted) << isa_name(isa);
      EXPECT_EQ(out.back(), 42) << "behind the row, " << isa_name(isa) << " " << n;
      out.pop_back();
      EXPECT_EQ(out, shifted) << isa_name(isa);
    }
  }
}

}  // namespace
}  // namespace troupe::test
