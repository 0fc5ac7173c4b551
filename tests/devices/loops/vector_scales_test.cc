// Channels shifted and scaled in every instruction set that the machine has: to the bit what the plain loop gives.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <vector>

namespace troupe::test {
namespace {

struct Channels {
  std::vector<float> mean, factor, offset;

  explicit Channels(size_t n) {
    for (size_t c = 0; c < n; ++c) {
      mean.push_back(0.3f * static_cast<float>(c));
      factor.push_back(1.7f - 0.1f * static_cast<float>(c));
      offset.push_back(static_cast<float>(c % 5) - 2);
    }
  }
  float of(float x, size_t c) const { return (x - mean[c]) * factor[c] + offset[c]; }
};

std::vector<float> elements(size_t n) {
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = 0.37f * static_cast<float>(i % 101) - 9;
  return out;
}

TEST(VectorScales, take_each_rows_elements_by_channel) {
  constexpr size_t kRows = 3;
  for (Isa isa : sets()) {
    for (size_t channels = 1; channels <= kLongestRow; ++channels) {
      const Channels by(channels);
      const std::vector<float> in = elements(kRows * channels);
      std::vector<float> out(in.size() + 1, 42.0f), place = in, want(in.size());
      for (size_t i = 0; i < in.size(); ++i) want[i] = by.of(in[i], i % channels);
      auto scale = [&](const float* from, float* to) {
        vector_loops(isa).scales.rows(from, by.mean.data(), by.factor.data(), by.offset.data(), to, kRows,
                                      static_cast<int64_t>(channels));
      };
      scale(in.data(), out.data());
      scale(place.data(), place.data());
      EXPECT_EQ(out.back(), 42) << "behind the rows, " << isa_name(isa) << ", " << channels << " channels";
      out.pop_back();
      EXPECT_EQ(out, want) << isa_name(isa) << ", " << channels << " channels";
      EXPECT_EQ(place, want) << isa_name(isa) << ", in place";
    }
  }
}

TEST(VectorScales, take_a_plane_of_one_channel) {
  const Channels by(1);
  for (Isa isa : sets()) {
    for (size_t n = 0; n <= kLongestRow; ++n) {
      const std::vector<float> in = elements(n);
      std::vector<float> out(n), want(n);
      for (size_t i = 0; i < n; ++i) want[i] = by.of(in[i], 0);
      vector_loops(isa).scales.channel(in.data(), by.mean[0], by.factor[0], by.offset[0], out.data(),
                                       static_cast<int64_t>(n));
      EXPECT_EQ(out, want) << isa_name(isa) << " " << n;
    }
  }
}

}  // namespace
}  // namespace troupe::test
