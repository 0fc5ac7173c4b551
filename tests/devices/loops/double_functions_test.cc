// Functions of doubles in every instruction set that the machine has, against the C library in long double.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/function_checks.h"

namespace troupe::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::min();
constexpr double kMost = std::numeric_limits<double>::max();

using Function = CheckedFunction<double, DoubleFunctions, long double>;

const DoubleFunctions& table_of(Isa isa) { return vector_loops(isa).double_functions; }

const Function kFunctions[] = {
    {"exp", &DoubleFunctions::exp, std::exp, 1},
    {"log", &DoubleFunctions::log, std::log, 1},
    {"sigmoid", &DoubleFunctions::sigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5},
    {"tanh", &DoubleFunctions::tanh, std::tanh, 2.5},
};

/// How far a number is from the exact result, in distances between doubles there. Of results that are infinite, NaN or too small to be normal only
/// the kind counts.
double error_of(double got, long double exact) {
  const auto rounded = static_cast<double>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  if (std::fabs(rounded) < kLeast) return std::fabs(got) <= kLeast ? 0 : kInf;
  if (std::isinf(rounded)) return got == rounded ? 0 : kInf;
  int exponent;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - 53));
}

/// Of all magnitudes and both signs, and many where the functions bend.
std::vector<double> arguments() {
  std::vector<double> out;
  constexpr uint64_t kStep = (uint64_t{1} << 63) / 60000;
  for (uint64_t bits = 1; bits < uint64_t{1} << 63; bits += kStep) {
    for (const double v : {std::bit_cast<double>(bits), -std::bit_cast<double>(bits)}) {
      if (!std::isnan(v)) out.push_back(v);
    }
  }
  for (int i = -200000; i <= 200000; ++i) out.push_back(i * 3.7e-3);
  for (int i = -100000; i <= 100000; ++i) out.push_back(i * 1.3e-5);
  return out;
}

TEST(DoubleFunctions, are_as_exact_in_every_set_as_they_say) {
  expect_exact(kFunctions, arguments(), table_of, error_of);
}

TEST(DoubleFunctions, know_infinities_not_a_number_and_the_signs_of_zero) {
  const std::vector<double> in = {0.0,    -0.0, kInf, -kInf, kNan, -kNan,     kMost,
                                  -kMost, 1,    -1,   800,   -800, kLeast / 4};
  expect_specials(kFunctions, in, table_of, error_of, [](const Function&) { return true; });
}

TEST(DoubleFunctions, give_an_element_the_same_bits_wherever_it_stands) {
  expect_same_bits_everywhere<double>(kFunctions, table_of);
}

}  // namespace
}  // namespace troupe::test
