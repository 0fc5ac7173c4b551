// Random blocks in every instruction set that the machine has: to the bit what the generator gives one by one.
#include "tests/devices/loops/sets.h"

#include <gtest/gtest.h>

#include <vector>

#include "devices/cpu/loops/philox.h"

namespace troupe::test {
namespace {

TEST(VectorPhilox, gives_the_generators_blocks_in_their_order) {
  for (Isa isa : sets()) {
    for (const uint64_t low : {uint64_t{0}, uint64_t{5}, uint64_t{0xfffffffa}, uint64_t{0xfffffffffffff000},
                               uint64_t{0xfffffffffffffffa}}) {
      for (int64_t blocks = 0; blocks <= static_cast<int64_t>(kLongestRow); ++blocks) {
        SCOPED_TRACE(testing::Message() << isa_name(isa) << ", " << blocks << " blocks from " << low);
        // The upper half of one runs over into its own upper word.
        const uint64_t key = 0x123456789abcdef0,
                       high = low % 2 == 0 ? 0xfedcba98ffffffff : 0xfedcba9876543210;
        const auto size = static_cast<size_t>(4 * blocks);
        std::vector<uint32_t> bits(size + 1, 42);
        std::vector<float> floats(size + 1, 42.0f);
        vector_loops(isa).randoms.bits(key, low, high, blocks, bits.data());
        vector_loops(isa).randoms.floats(key, low, high, blocks, floats.data());
        Philox one(key, low, high);
        for (size_t i = 0; i < size; i += 4) {
          const Philox::Block block = one();
          for (size_t k = 0; k < 4; ++k) {
            ASSERT_EQ(bits[i + k], block[k]) << i + k;
            ASSERT_EQ(floats[i + k], uniform_float(block[k])) << i + k;
          }
        }
        EXPECT_EQ(bits[size], 42u) << "written beyond the end";
        EXPECT_EQ(floats[size], 42.0f) << "written beyond the end";
      }
    }
  }
}

}  // namespace
}  // namespace troupe::test
