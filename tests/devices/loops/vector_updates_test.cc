// Steps of optimisers in every instruction set that the machine has: to the bit what their formulas give for one element.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace troupe::test {
namespace {

constexpr float kLr = 0.1f, kDecay = 0.9f, kRest1 = 0.1f, kRest2 = 0.01f, kEpsilon = 1e-3f;

/// var and up to two other slots of one element.
using Slots = std::array<float, 3>;

struct Update {
  const char* name;
  /// Over n elements, slot by slot.
  std::function<void(const FloatUpdates&, float* const* slots, const float* grad, int64_t n)> row;
  std::function<void(Slots&, float grad)> one;
};

std::vector<Update> updates_of(bool flag) {
  return {
      {"descent",
       [](const FloatUpdates& u, float* const* s, const float* g, int64_t n) { u.descent(s[0], g, kLr, n); },
       [](Slots& s, float g) { s[0] -= kLr * g; }},
      {"momentum",
       [flag](const FloatUpdates& u, float* const* s, const float* g, int64_t n) {
         u.momentum(s[0], s[1], g, kLr, kDecay, flag, n);
       },
       [flag](Slots& s, float g) {
         s[1] = s[1] * kDecay + g;
         s[0] -= flag ? g * kLr + s[1] * kDecay * kLr : s[1] * kLr;
       }},
      {"adagrad",
       [flag](const FloatUpdates& u, float* const* s, const float* g, int64_t n) {
         u.adagrad(s[0], s[1], g, kLr, flag, n);
       },
       [flag](Slots& s, float g) {
         if (flag) s[1] += g * g;
         s[0] -= g * kLr * (1 / std::sqrt(s[1]));
       }},
      {"adam",
       [flag](const FloatUpdates& u, float* const* s, const float* g, int64_t n) {
         u.adam(s[0], s[1], s[2], g, kLr, kDecay, kRest1, kRest2, kEpsilon, flag, n);
       },
       [flag](Slots& s, float g) {
         s[1] += (g - s[1]) * kRest1;
         s[2] += (g * g - s[2]) * kRest2;
         const float step = flag ? g * kRest1 + kDecay * s[1] : s[1];
         s[0] -= step * kLr / (std::sqrt(s[2]) + kEpsilon);
       }},
      {"rms_prop",
       [](const FloatUpdates& u, float* const* s, const float* g, int64_t n) {
         u.rms_prop(s[0], s[1], s[2], g, kLr, kRest2, kDecay, kEpsilon, n);
       },
       [](Slots& s, float g) {
         s[1] += (g * g - s[1]) * kRest2;
         s[2] = s[2] * kDecay + g * kLr / std::sqrt(s[1] + kEpsilon);
         s[0] -= s[2];
       }},
  };
}

void expect_update(const std::string& what, const FloatUpdates& table, const Update& update, size_t shift,
                   size_t n) {
  std::vector<float> slots[3], grad;
  for (size_t i = 0; i < kLongestRow + 4; ++i) {
    const auto x = static_cast<float>(i);
    for (size_t s = 0; s < 3; ++s) slots[s].push_back(0.3f * x + static_cast<float>(s) + 0.1f);
    grad.push_back(2 - 0.17f * x);
  }
  const std::vector<float> before[3] = {slots[0], slots[1], slots[2]};
  float* const at[] = {&slots[0][shift], &slots[1][shift], &slots[2][shift]};
  update.row(table, at, &grad[shift], static_cast<int64_t>(n));
  for (size_t i = 0; i < grad.size(); ++i) {
    Slots want = {before[0][i], before[1][i], before[2][i]};
    if (i >= shift && i < shift + n) update.one(want, grad[i]);
    for (size_t s = 0; s < 3; ++s) {
      ASSERT_EQ(slots[s][i], want[s])
          << what << " of " << n << " from " << shift << ": slot " << s << " of " << i;
    }
  }
}

TEST(VectorUpdates, are_their_formulas_to_the_bit) {
  for (Isa isa : sets()) {
    for (bool flag : {false, true}) {
      for (const Update& update : updates_of(flag)) {
        for (size_t shift = 0; shift < 3; ++shift) {
          for (size_t n = 0; n <= kLongestRow; ++n) {
            expect_update(std::string(isa_name(isa)) + " " + update.name, vector_loops(isa).updates, update,
                          shift, n);
          }
        }
      }
    }
  }
}

/// As an optimiser whose first moment is its variable, which nobody forbids.
TEST(VectorUpdates, leave_the_variable_where_two_slots_are_one) {
  for (Isa isa : sets()) {
    std::vector<float> shared(20, 1.0f), second(20, 0.5f), grad(20, 0.25f);
    vector_loops(isa).updates.momentum(shared.data(), shared.data(), grad.data(), kLr, kDecay, false, 20);
    const float accum = 1.0f * kDecay + 0.25f, var = 1.0f - accum * kLr;
    for (float v : shared) EXPECT_EQ(v, var) << isa_name(isa);
  }
}

}  // namespace
}  // namespace troupe::test
