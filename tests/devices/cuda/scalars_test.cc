// Element types of kernels against Eigen's.
#include "devices/cuda/kernels/source/scalars.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <random>

namespace troupe::launchable {
namespace {

/// Some floats of every exponent, and the odd ones.
std::vector<float> floats() {
  std::vector<float> all = {0.0F,  -0.0F, INFINITY,       -INFINITY,      65504,         65519.996F,
                            65520, 65536, 5.9604645e-08F, 2.9802322e-08F, 6.1035156e-05F};
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    const float f = bits_as<float>(static_cast<uint32_t>(random()));
    // Threads of kernels count denormal floats as zero.
    if (f == f && std::fpclassify(f) != FP_SUBNORMAL) all.push_back(f);
  }
  for (int i = 0; i < 100000; ++i)
    all.push_back(static_cast<float>(static_cast<int32_t>(random())) * 0x1p-26F);
  return all;
}

TEST(Half, has_the_bits_of_eigens) {
  for (float f : floats()) ASSERT_EQ(half_t(f).bits, Eigen::half(f).x) << f;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    half_t h;
    h.bits = static_cast<uint16_t>(bits);
    const float want = static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(h.bits));
    if (want != want) {
      ASSERT_NE(static_cast<float>(h), static_cast<float>(h));
    } else {
      ASSERT_EQ(bits_as<uint32_t>(static_cast<float>(h)), bits_as<uint32_t>(want)) << bits;
    }
  }
  EXPECT_NE(static_cast<float>(half_t(NAN)), static_cast<float>(half_t(NAN)));
}

TEST(Bfloat16, has_the_bits_of_eigens) {
  for (float f : floats()) ASSERT_EQ(bfloat16_t(f).bits, Eigen::bfloat16(f).value) << f;
  EXPECT_NE(static_cast<float>(bfloat16_t(NAN)), static_cast<float>(bfloat16_t(NAN)));
  EXPECT_EQ(static_cast<float>(bfloat16_t(1.5F)) + bfloat16_t(2), 3.5F);
}

TEST(Complex, divides_as_the_standards) {
  using C = complex_t<double>;
  EXPECT_EQ(C(3, 4) / C(1, 2), C(2.2, -0.4));
  const C large = C(1e300, 1e300) / C(2e300, 2e300);
  EXPECT_DOUBLE_EQ(large.re, 0.5);
  EXPECT_DOUBLE_EQ(large.im, 0);
  EXPECT_EQ((C(1, -1) / C(0, 0)).re, INFINITY);
  EXPECT_EQ((C(1, -1) / C(0, 0)).im, -INFINITY);
}

}  // namespace
}  // namespace troupe::launchable
