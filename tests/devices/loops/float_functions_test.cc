// Functions of floats in every instruction set that the machine has, against the C library in double.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/devices/loops/function_checks.h"

namespace troupe::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLeast = std::numeric_limits<float>::min();
constexpr float kMost = std::numeric_limits<float>::max();

using Function = CheckedFunction<float, FloatFunctions, double>;

const FloatFunctions& table_of(Isa isa) { return vector_loops(isa).functions; }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }
double elu(double x) { return x < 0 ? std::expm1(x) : x; }
double selu(double x) {
  return 1.0507009873554804934193349852946 * (x < 0 ? 1.6732632423543772848170429916717 * std::expm1(x) : x);
}
double relu(double x) { return x < 0 ? 0 : x; }

const Function kFunctions[] = {
    {"exp", &FloatFunctions::exp, std::exp, 1},
    {"expm1", &FloatFunctions::expm1, std::expm1, 2},
    {"log", &FloatFunctions::log, std::log, 1},
    {"log1p", &FloatFunctions::log1p, std::log1p, 2},
    {"sqrt", &FloatFunctions::sqrt, std::sqrt, 0.5},
    {"rsqrt", &FloatFunctions::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {"sigmoid", &FloatFunctions::sigmoid, sigmoid, 2.5},
    {"tanh", &FloatFunctions::tanh, std::tanh, 2.5},
    {"softplus", &FloatFunctions::softplus, softplus, 2},
    {"softsign", &FloatFunctions::softsign, [](double x) { return x / (1 + std::fabs(x)); }, 1.5},
    {"elu", &FloatFunctions::elu, elu, 2},
    {"selu", &FloatFunctions::selu, selu, 3},
    {"erf", &FloatFunctions::erf, std::erf, 2},
    {"erfc", &FloatFunctions::erfc, std::erfc, 6.5},
    {"relu", &FloatFunctions::relu, relu, 0},
    {"relu6", &FloatFunctions::relu6, [](double x) { return x > 6 ? 6 : relu(x); }, 0},
    {"abs", &FloatFunctions::abs, std::fabs, 0},
    {"neg", &FloatFunctions::neg, [](double x) { return -x; }, 0},
    {"square", &FloatFunctions::square, [](double x) { return x * x; }, 0.5},
    {"floor", &FloatFunctions::floor, std::floor, 0},
    {"ceil", &FloatFunctions::ceil, std::ceil, 0},
    {"round", &FloatFunctions::round, std::nearbyint, 0},
    {"reciprocal", &FloatFunctions::reciprocal, [](double x) { return 1 / x; }, 0.5},
};

/// How far a float is from the exact result, in distances between the floats there. Of results that are infinite, NaN or too
/// small to be normal only the kind counts.
double error_of(float got, double exact) {
  const double rounded = static_cast<double>(static_cast<float>(exact));
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  if (std::fabs(rounded) < static_cast<double>(kLeast)) return std::fabs(got) <= kLeast ? 0 : kInf;
  if (std::isinf(rounded)) {
    // Where the exact result is next to the largest float, one of both.
    const bool near = !std::isinf(exact) && std::fabs(exact) < 1.000001 * static_cast<double>(kMost);
    return got == static_cast<float>(exact) || (near && std::fabs(got) == kMost) ? 0 : kInf;
  }
  if (std::isinf(got) && std::fabs(exact) > 0.9999999 * static_cast<double>(kMost)) return 0;
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 24);
}

/// Floats of all magnitudes and both signs: every `step`-th pattern of bits.
std::vector<float> of_all_magnitudes(uint32_t step) {
  std::vector<float> out;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += step) {
    const float v = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(v)) out.push_back(v);
  }
  return out;
}

/// A float of each binade and many in the ordinary ones, where functions bend.
std::vector<float> where_functions_bend() {
  std::vector<float> out;
  for (int i = -200000; i <= 200000; ++i) out.push_back(static_cast<float>(i) * 6.1e-4f);
  return out;
}

TEST(FloatFunctions, are_as_exact_in_every_set_as_they_say) {
  std::vector<float> in = of_all_magnitudes(20011);
  for (float v : where_functions_bend()) in.push_back(v);
  expect_exact(kFunctions, in, table_of, error_of);
}

TEST(FloatFunctions, round_halves_to_even) {
  const std::vector<float> in = {0.5f,  1.5f,       2.5f,    -0.5f,      -1.5f,
                                 -2.5f, 8388607.5f, 8388608, 4194303.5f, 0.49999997f};
  std::vector<float> out(in.size());
  for (Isa isa : sets()) {
    vector_loops(isa).functions.round(in.data(), out.data(), static_cast<int64_t>(in.size()));
    EXPECT_EQ(out, (std::vector<float>{0, 2, 2, -0.0f, -2, -2, 8388608, 8388608, 4194304, 0}))
        << isa_name(isa);
  }
}

TEST(FloatFunctions, sines_are_exact_up_to_their_largest_angle) {
  std::vector<float> in = {kMostAngle, -kMostAngle};
  for (int i = -400000; i <= 400000; ++i)
    in.push_back(static_cast<float>(i) * (i % 2 == 0 ? 4.9e-2f : 1.1e-5f));
  std::vector<float> out(in.size());
  for (Isa isa : sets()) {
    for (const bool is_sine : {true, false}) {
      const FloatFunctions& f = vector_loops(isa).functions;
      (is_sine ? f.sin : f.cos)(in.data(), out.data(), static_cast<int64_t>(in.size()));
      double worst = 0, worst_near = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const auto x = static_cast<double>(in[i]);
        const double exact = is_sine ? std::sin(x) : std::cos(x), error = error_of(out[i], exact);
        // Next to zeros of the function units in the last place are tiny.
        if (std::fabs(exact) > 1e-3 || std::fabs(x) < 1) {
          worst = std::max(worst, error);
        } else {
          worst_near = std::max(worst_near, std::fabs(static_cast<double>(out[i]) - exact));
        }
      }
      EXPECT_LE(worst, 2.5) << isa_name(isa);
      EXPECT_LE(worst_near, 1.2e-10) << isa_name(isa);
    }
  }
}

TEST(FloatFunctions, know_infinities_not_a_number_and_the_signs_of_zero) {
  const std::vector<float> in = {0.0f, -0.0f, kInf, -kInf, kNan, -kNan, kMost, -kMost, 1, -1, 200, -200};
  expect_specials(kFunctions, in, table_of, error_of, [](const Function& f) {
    return f.row != &FloatFunctions::relu && f.row != &FloatFunctions::relu6;
  });
}

TEST(FloatFunctions, give_an_element_the_same_bits_wherever_it_stands) {
  expect_same_bits_everywhere<float>(kFunctions, table_of);
}

TEST(Isa, is_the_one_that_is_named_where_the_machine_has_it) {
  const Isa best = sets().back();
  EXPECT_EQ(choose_isa(nullptr), best);
  EXPECT_EQ(choose_isa("sse9"), best);
  EXPECT_EQ(choose_isa("baseline"), Isa::kBaseline);
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    EXPECT_EQ(choose_isa(isa_name(isa)), has_isa(isa) ? isa : best) << isa_name(isa);
  }
}

TEST(Isa, is_one_that_the_machine_has) {
  EXPECT_TRUE(has_isa(Isa::kBaseline));
  EXPECT_TRUE(has_isa(current_isa()));
  EXPECT_EQ(&vector_loops(), &vector_loops(current_isa()));
  EXPECT_TRUE(has_isa(Isa::kAvx2) || !has_isa(Isa::kAvx512));
}

}  // namespace
}  // namespace troupe::test
