// Conversions in every instruction set that the machine has, against Eigen's and C's.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace troupe::test {
namespace {

/// Floats of all magnitudes, among them what is between two halves or bfloat16s, and NaN.
std::vector<float> floats_to_round() {
  std::vector<float> out;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 0x1000 + 0x7ff) {
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 0x8000) {
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  return out;
}

/// Narrow numbers that a row makes of `in`, against Eigen's.
template <class Narrow>
void expect_rounded(Isa isa, UnaryRow row) {
  const std::vector<float> in = floats_to_round();
  std::vector<Narrow> out(in.size());
  row(in.data(), out.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    const Narrow want(in[i]);
    if (std::isnan(in[i])) {
      ASSERT_TRUE((Eigen::numext::isnan)(out[i])) << isa_name(isa) << " " << i;
    } else {
      ASSERT_EQ(std::bit_cast<uint16_t>(out[i]), std::bit_cast<uint16_t>(want))
          << isa_name(isa) << " of " << in[i];
    }
  }
}

/// All narrow numbers as floats, against Eigen's.
template <class Narrow>
void expect_widened(Isa isa, UnaryRow row) {
  std::vector<uint16_t> in;
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) in.push_back(static_cast<uint16_t>(bits));
  std::vector<float> out(in.size());
  row(in.data(), out.data(), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    const auto want = static_cast<float>(std::bit_cast<Narrow>(in[i]));
    ASSERT_TRUE(std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(want) ||
                (std::isnan(out[i]) && std::isnan(want)))
        << isa_name(isa) << " of " << in[i] << ": " << out[i] << " and not " << want;
  }
}

/// Rows of all lengths write as many elements as they should, and each as in a row of its own.
template <class From, class To>
void expect_ends(Isa isa, UnaryRow row) {
  std::vector<From> in(kLongestRow);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<From>(static_cast<float>(i) * 3 - 50);
  for (size_t n = 0; n < kLongestRow; ++n) {
    std::vector<To> out(kLongestRow, To(42));
    row(in.data(), out.data(), static_cast<int64_t>(n));
    for (size_t i = 0; i < out.size(); ++i) {
      To want(42);
      if (i < n) row(&in[i], &want, 1);
      ASSERT_EQ(out[i], want) << isa_name(isa) << ", element " << i << " of " << n;
    }
  }
}

TEST(VectorCasts, round_to_sixteen_bits_as_eigen_does) {
  for (Isa isa : sets()) {
    const FloatCasts& casts = vector_loops(isa).casts;
    expect_rounded<Eigen::half>(isa, casts.to_half);
    expect_rounded<Eigen::bfloat16>(isa, casts.to_bfloat16);
    expect_ends<float, Eigen::half>(isa, casts.to_half);
    expect_ends<float, Eigen::bfloat16>(isa, casts.to_bfloat16);
  }
}

TEST(VectorCasts, widen_every_number_of_sixteen_bits) {
  for (Isa isa : sets()) {
    const FloatCasts& casts = vector_loops(isa).casts;
    expect_widened<Eigen::half>(isa, casts.from_half);
    expect_widened<Eigen::bfloat16>(isa, casts.from_bfloat16);
    expect_ends<Eigen::half, float>(isa, casts.from_half);
    expect_ends<Eigen::bfloat16, float>(isa, casts.from_bfloat16);
  }
}

TEST(VectorCasts, cut_floats_to_integers_and_give_the_lowest_for_what_does_not_fit) {
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::lowest();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {1.9f,          -1.9f, 0,   2147483520.0f, -2147483648.0f,
                                 2147483648.0f, -3e9f, inf, -inf,          NAN};
  const std::vector<int32_t> want = {1,       -1,      0,       2147483520, kLowest,
                                     kLowest, kLowest, kLowest, kLowest,    kLowest};
  for (Isa isa : sets()) {
    std::vector<int32_t> out(in.size());
    vector_loops(isa).casts.to_int(in.data(), out.data(), static_cast<int64_t>(in.size()));
    EXPECT_EQ(out, want) << isa_name(isa);
    expect_ends<float, int32_t>(isa, vector_loops(isa).casts.to_int);
    expect_ends<int32_t, float>(isa, vector_loops(isa).casts.from_int);
  }
}

}  // namespace
}  // namespace troupe::test
