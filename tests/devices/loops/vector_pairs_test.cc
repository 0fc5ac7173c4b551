// Operations on two elements in every instruction set that the machine has: to the bit what the plain loop gives.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/sets.h"

namespace troupe::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
struct Pair {
  const char* name;
  BinaryRow row;
  T (*plain)(T, T);
};

/// An operation of both kinds of numbers; integers wrap.
#define TROUPE_ARITHMETIC(name, operation)                                                \
  template <class T>                                                                      \
  T name(T a, T b) {                                                                      \
    if constexpr (std::is_integral_v<T>) {                                                \
      return static_cast<T>(static_cast<uint64_t>(a) operation static_cast<uint64_t>(b)); \
    } else {                                                                              \
      return a operation b;                                                               \
    }                                                                                     \
  }
TROUPE_ARITHMETIC(sum_of, +)
TROUPE_ARITHMETIC(difference_of, -)
TROUPE_ARITHMETIC(product_of, *)
#undef TROUPE_ARITHMETIC

template <class T>
T squared_difference_of(T a, T b) {
  return product_of(difference_of(a, b), difference_of(a, b));
}
template <class T>
T maximum_of(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? b : a;
}
template <class T>
T minimum_of(T a, T b) {
  return a != a ? a : b != b ? b : b < a ? b : a;
}

template <class T>
std::vector<Pair<T>> arithmetic(const IntPairs& rows) {
  return {{"add", rows.add, sum_of<T>},
          {"sub", rows.sub, difference_of<T>},
          {"mul", rows.mul, product_of<T>},
          {"maximum", rows.maximum, maximum_of<T>},
          {"minimum", rows.minimum, minimum_of<T>},
          {"squared_difference", rows.squared_difference, squared_difference_of<T>}};
}

std::vector<Pair<float>> float_pairs(const FloatPairs& rows) {
  using F = float;
  std::vector<Pair<float>> out = arithmetic<float>(rows);
  const Pair<float> others[] = {
      {"div", rows.div, [](F a, F b) { return a / b; }},
      {"mul_no_nan", rows.mul_no_nan, [](F a, F b) { return b == 0 ? 0 : a * b; }},
      {"div_no_nan", rows.div_no_nan, [](F a, F b) { return b == 0 ? 0 : a / b; }},
      {"sigmoid_grad", rows.sigmoid_grad, [](F y, F dy) { return y * (1 - y) * dy; }},
      {"tanh_grad", rows.tanh_grad, [](F y, F dy) { return dy * (1 - y * y); }},
      {"sqrt_grad", rows.sqrt_grad, [](F y, F dy) { return dy == 0 ? 0 : 0.5f * dy / y; }},
      {"rsqrt_grad", rows.rsqrt_grad, [](F y, F dy) { return dy == 0 ? 0 : -0.5f * dy * (y * y * y); }},
      {"relu_grad", rows.relu_grad, [](F g, F x) { return g * (x > 0 ? 1.0f : 0.0f); }},
      {"relu6_grad", rows.relu6_grad, [](F g, F x) { return g * (x > 0 && x < 6 ? 1.0f : 0.0f); }},
      {"elu_grad", rows.elu_grad, [](F g, F y) { return y < 0 ? (y + 1) * g : g; }},
      {"selu_grad", rows.selu_grad,
       [](F g, F y) { return y < 0 ? g * (y + 1.7580993408473768599f) : g * 1.0507009873554804935f; }},
      {"softsign_grad", rows.softsign_grad,
       [](F g, F x) { return g / ((1 + std::fabs(x)) * (1 + std::fabs(x))); }},
  };
  for (const Pair<float>& p : others) out.push_back(p);
  return out;
}

template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// One row of n elements from `shift`: into memory of its own, and over either operand.
template <class T>
void expect_row(const std::string& what, const Pair<T>& pair, const std::vector<T>& a,
                const std::vector<T>& b, size_t shift, size_t n, RowMode mode) {
  const size_t step_a = mode == RowMode::kScalarA ? 0 : 1, step_b = mode == RowMode::kScalarB ? 0 : 1;
  std::vector<T> out(a.size(), T(42)), over_a = a, over_b = b;
  const auto count = static_cast<int64_t>(n);
  EXPECT_TRUE(pair.row(&a[shift], &b[shift], &out[shift], count, mode));
  pair.row(&over_a[shift], &b[shift], &over_a[shift], count, mode);
  pair.row(&a[shift], &over_b[shift], &over_b[shift], count, mode);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool inside = i >= shift && i < shift + n;
    const T want =
        inside ? pair.plain(a[shift + (i - shift) * step_a], b[shift + (i - shift) * step_b]) : T(42);
    ASSERT_TRUE(same(out[i], want)) << what << " of " << n << " from " << shift << ", element " << i << ": "
                                    << out[i] << " and not " << want;
    ASSERT_TRUE(step_a == 0 || same(over_a[i], inside ? want : a[i])) << what << " over its first operand";
    ASSERT_TRUE(step_b == 0 || same(over_b[i], inside ? want : b[i])) << what << " over its second operand";
  }
}

template <class T>
void expect_rows(const std::string& set, const std::vector<Pair<T>>& pairs, const std::vector<T>& a,
                 const std::vector<T>& b) {
  for (const Pair<T>& pair : pairs) {
    for (RowMode mode : {RowMode::kBoth, RowMode::kScalarA, RowMode::kScalarB}) {
      for (size_t shift = 0; shift < 3; ++shift) {
        for (size_t n = 0; n <= kLongestRow; ++n)
          expect_row(set + " " + pair.name, pair, a, b, shift, n, mode);
      }
    }
  }
}

/// Each special number with each, and ordinary ones.
template <class T>
void fill_operands(std::vector<T>* a, std::vector<T>* b) {
  const T special[] = {T(0), -T(0), 1, -1, T(kInf), -T(kInf), T(kNan), T(1e38), 6, T(6.5)};
  for (T x : special) {
    for (T y : special) {
      a->push_back(x);
      b->push_back(y);
    }
  }
  for (int i = 0; i < 40; ++i) {
    a->push_back(T(0.25) * static_cast<T>(i) - 5);
    b->push_back(7 - T(0.4) * static_cast<T>(i));
  }
}

TEST(VectorPairs, give_floats_as_the_plain_loop_does) {
  std::vector<float> a, b;
  fill_operands(&a, &b);
  for (Isa isa : sets()) {
    const std::vector<Pair<float>> pairs = float_pairs(vector_loops(isa).floats);
    expect_rows(isa_name(isa), pairs, a, b);
    for (const Pair<float>& p : pairs) expect_row(isa_name(isa), p, a, b, 0, a.size(), RowMode::kBoth);
  }
}

TEST(VectorPairs, give_doubles_as_the_plain_loop_does) {
  std::vector<double> a, b;
  fill_operands(&a, &b);
  for (Isa isa : sets()) expect_rows(isa_name(isa), arithmetic<double>(vector_loops(isa).doubles), a, b);
}

TEST(VectorPairs, know_the_angles_of_all_points) {
  std::vector<float> y, x;
  fill_operands(&y, &x);
  for (int i = 0; i < 2000; ++i) {
    y.push_back(std::sin(static_cast<float>(i)) * std::pow(10.0f, static_cast<float>(i % 11 - 5)));
    x.push_back(std::cos(static_cast<float>(i) * 1.7f));
  }
  std::vector<float> out(y.size());
  for (Isa isa : sets()) {
    vector_loops(isa).floats.atan2(y.data(), x.data(), out.data(), static_cast<int64_t>(y.size()),
                                   RowMode::kBoth);
    for (size_t i = 0; i < y.size(); ++i) {
      const double exact = std::atan2(static_cast<double>(y[i]), static_cast<double>(x[i]));
      const std::string where =
          std::string(isa_name(isa)) + ": (" + std::to_string(x[i]) + ", " + std::to_string(y[i]) + ")";
      EXPECT_EQ(std::isnan(out[i]), std::isnan(exact)) << where;
      if (std::isnan(exact)) continue;
      EXPECT_NEAR(out[i], exact, 3e-7 * std::fabs(exact)) << where;
      EXPECT_EQ(std::signbit(out[i]), std::signbit(exact)) << where;
    }
  }
}

TEST(VectorPairs, wrap_integers) {
  std::vector<int32_t> a, b;
  std::vector<int64_t> c, d;
  for (uint32_t i = 0; i < 80; ++i) {
    a.push_back(static_cast<int32_t>(i * 2654435761u));
    b.push_back(static_cast<int32_t>(i * i * 40503u - 12345u));
    c.push_back(static_cast<int64_t>(i * 11400714819323198485ull));
    d.push_back(static_cast<int64_t>((i + 5) * 6364136223846793005ull));
  }
  a[3] = c[3] = -1;
  b[4] = std::numeric_limits<int32_t>::lowest();
  d[4] = std::numeric_limits<int64_t>::lowest();
  for (Isa isa : sets()) {
    expect_rows(isa_name(isa), arithmetic<int32_t>(vector_loops(isa).ints), a, b);
    expect_rows(isa_name(isa), arithmetic<int64_t>(vector_loops(isa).longs), c, d);
  }
}

TEST(VectorPairs, divide_by_one_more_than_an_exponential_in_the_gradient_of_softplus) {
  std::vector<float> g, x, out(kLongestRow);
  for (size_t i = 0; i < kLongestRow; ++i) {
    g.push_back(2);
    x.push_back(static_cast<float>(i) - 30);
  }
  for (Isa isa : sets()) {
    vector_loops(isa).floats.softplus_grad(g.data(), x.data(), out.data(), kLongestRow, RowMode::kBoth);
    for (size_t i = 0; i < out.size(); ++i) {
      const double exact = 2 / (std::exp(-static_cast<double>(x[i])) + 1);
      EXPECT_NEAR(out[i], exact, 2.5e-7 * exact) << isa_name(isa) << " at " << x[i];
    }
  }
}

}  // namespace
}  // namespace troupe::test
