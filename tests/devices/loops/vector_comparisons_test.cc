// Comparisons in every instruction set that the machine has: what the language's operators say.
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/sets.h"

namespace troupe::test {
namespace {

template <class T>
struct Comparison {
  const char* name;
  BinaryRow row;
  bool (*plain)(T, T);
};

template <class T>
std::vector<Comparison<T>> comparisons(const Comparisons& rows) {
  return {{"less", rows.less, [](T a, T b) { return a < b; }},
          {"less_equal", rows.less_equal, [](T a, T b) { return a <= b; }},
          {"equal", rows.equal, [](T a, T b) { return a == b; }},
          {"not_equal", rows.not_equal, [](T a, T b) { return a != b; }}};
}

/// Numbers of which every other is like its partner, and those that are unlike all others.
template <class T>
std::vector<T> numbers(size_t n, size_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> out(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t of = i % 2 == 0 ? i : i + seed;
    out[i] = static_cast<T>(static_cast<int64_t>(of * 7919 % 1000) - 500);
    if (of % 13 == 3) out[i] = Limits::max();
    if (of % 13 == 5) out[i] = Limits::lowest();
    if constexpr (std::is_floating_point_v<T>) {
      if (of % 11 == 2) out[i] = Limits::quiet_NaN();
      if (of % 11 == 4) out[i] = Limits::infinity();
      if (of % 11 == 6) out[i] = of % 2 == 0 ? T(0) : -T(0);
    } else if (of % 17 == 1) {
      // Alike in the lower half of their bits.
      out[i] = static_cast<T>(T(1) << (4 * sizeof(T)));
    }
  }
  return out;
}

template <class T>
void expect_rows(Isa isa, const Comparisons& rows) {
  const std::vector<T> a = numbers<T>(kLongestRow + 3, 0), b = numbers<T>(kLongestRow + 3, 1);
  for (const Comparison<T>& c : comparisons<T>(rows)) {
    for (const RowMode mode : {RowMode::kBoth, RowMode::kScalarA, RowMode::kScalarB}) {
      const size_t step_a = mode == RowMode::kScalarA ? 0 : 1, step_b = mode == RowMode::kScalarB ? 0 : 1;
      for (size_t shift = 0; shift < 3; ++shift) {
        for (size_t n = 0; n <= kLongestRow; ++n) {
          std::vector<uint8_t> out(a.size() + 1, 42);
          ASSERT_TRUE(c.row(&a[shift], &b[shift], &out[shift], static_cast<int64_t>(n), mode));
          for (size_t i = 0; i < out.size(); ++i) {
            const bool inside = i >= shift && i < shift + n;
            const int want =
                inside ? c.plain(a[shift + (i - shift) * step_a], b[shift + (i - shift) * step_b]) : 42;
            ASSERT_EQ(out[i], want) << isa_name(isa) << " " << c.name << " of " << n << " from " << shift
                                    << ", element " << i << ", " << sizeof(T) << " bytes each";
          }
        }
      }
    }
  }
}

TEST(VectorComparisons, say_what_the_operators_say) {
  for (const Isa isa : sets()) {
    const VectorLoops& loops = vector_loops(isa);
    expect_rows<float>(isa, loops.float_comparisons);
    expect_rows<double>(isa, loops.double_comparisons);
    expect_rows<int32_t>(isa, loops.int_comparisons);
    expect_rows<int64_t>(isa, loops.long_comparisons);
  }
}

}  // namespace
}  // namespace troupe::test
