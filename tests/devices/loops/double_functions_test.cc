// Functions of doubles in every instruction set that the machine has, against the C library in long double.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/sets.h"

namespace troupe::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::min();
constexpr double kMost = std::numeric_limits<double>::max();

struct Function {
  const char* name;
  DoubleMap DoubleFunctions::*row;
  long double (*exact)(long double);
  /// Largest error, in distances between doubles around the exact result.
  double ulp;
};

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
  const std::vector<double> in = arguments();
  std::vector<double> out(in.size());
  for (Isa isa : sets()) {
    for (const Function& f : kFunctions) {
      (vector_loops(isa).double_functions.*f.row)(in.data(), out.data(), static_cast<int64_t>(in.size()));
      double worst = 0, at = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const double error = error_of(out[i], f.exact(in[i]));
        if (error > worst) {
          worst = error;
          at = in[i];
        }
      }
      EXPECT_LE(worst, f.ulp) << isa_name(isa) << " " << f.name << "(" << at << ")";
    }
  }
}

TEST(DoubleFunctions, know_infinities_not_a_number_and_the_signs_of_zero) {
  const std::vector<double> in = {0.0,    -0.0, kInf, -kInf, kNan, -kNan,     kMost,
                                  -kMost, 1,    -1,   800,   -800, kLeast / 4};
  for (Isa isa : sets()) {
    for (const Function& f : kFunctions) {
      std::vector<double> out(in.size());
      (vector_loops(isa).double_functions.*f.row)(in.data(), out.data(), static_cast<int64_t>(in.size()));
      for (size_t i = 0; i < in.size(); ++i) {
        const long double exact = f.exact(in[i]);
        EXPECT_LE(error_of(out[i], exact), f.ulp) << isa_name(isa) << " " << f.name << "(" << in[i] << ")";
        if (exact == 0) {
          EXPECT_EQ(std::signbit(out[i]), std::signbit(exact))
              << isa_name(isa) << " " << f.name << "(" << in[i] << ")";
        }
      }
    }
  }
}

TEST(DoubleFunctions, give_an_element_the_same_bits_wherever_it_stands) {
  std::vector<double> in(kLongestRow + 4);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 0.37 * static_cast<double>(i) - 11;
  for (Isa isa : sets()) {
    for (const Function& f : kFunctions) {
      const DoubleMap row = vector_loops(isa).double_functions.*f.row;
      std::vector<double> alone(in.size());
      for (size_t i = 0; i < in.size(); ++i) row(&in[i], &alone[i], 1);
      for (size_t shift = 0; shift < 4; ++shift) {
        for (size_t n = 0; n <= kLongestRow; ++n) {
          std::vector<double> out(in.size() + 8, 42.0), place = in;
          row(in.data() + shift, out.data() + shift, static_cast<int64_t>(n));
          row(place.data() + shift, place.data() + shift, static_cast<int64_t>(n));
          for (size_t i = 0; i < out.size(); ++i) {
            const bool inside = i >= shift && i < shift + n;
            ASSERT_EQ(std::bit_cast<uint64_t>(out[i]), std::bit_cast<uint64_t>(inside ? alone[i] : 42.0))
                << isa_name(isa) << " " << f.name << ", element " << i << " of " << n << " from " << shift;
            if (i >= in.size()) continue;
            ASSERT_EQ(std::bit_cast<uint64_t>(place[i]), std::bit_cast<uint64_t>(inside ? alone[i] : in[i]))
                << isa_name(isa) << " " << f.name << " in place";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace troupe::test
