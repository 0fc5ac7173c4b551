#include "devices/cuda/best_fit_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

namespace troupe::test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

/// A driver with so much memory.
struct Driver {
  explicit Driver(size_t total_bytes) : total(total_bytes) {}
  ~Driver() { EXPECT_EQ(used, 0u); }

  BestFitPool::Source source() {
    return {[this](size_t bytes) -> void* {
              ++takes;
              if (bytes > total - used) return nullptr;
              used += bytes;
              return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
            },
            [this](void* region, size_t bytes) {
              used -= bytes;
              std::free(region);
            }};
  }

  const size_t total;
  size_t used = 0;
  int takes = 0;
};

struct Block {
  size_t bytes = 0;
  unsigned char mark = 0;
};

/// Blocks never overlap, keep what was written, and fit whenever the smallest free piece that is large enough is there.
TEST(BestFitPool, agrees_with_a_model_on_random_calls) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Driver driver(24 * kMiB);
    BestFitPool pool(driver.source(), {.limit_bytes = 16 * kMiB, .grows = seed % 2 == 0});
    std::map<char*, Block> live;
    int64_t in_use = 0;
    int64_t allocations = 0;
    for (int i = 0; i < 600; ++i) {
      if (!live.empty() && random() % 5 < 2) {
        const auto victim = std::next(live.begin(), static_cast<int64_t>(random() % live.size()));
        const auto [start, block] = *victim;
        ASSERT_EQ(std::count(start, start + block.bytes, static_cast<char>(block.mark)),
                  static_cast<int64_t>(block.bytes));
        pool.deallocate(start, random() % 1000);
        in_use -= static_cast<int64_t>(block.bytes);
        live.erase(victim);
        continue;
      }
      const size_t bytes = random() % (random() % 8 == 0 ? 2 * kMiB : 20000);
      auto* start = static_cast<char*>(pool.allocate(bytes));
      if (start == nullptr) continue;
      ASSERT_EQ(reinterpret_cast<uintptr_t>(start) % BestFitPool::kGrainBytes, 0u);
      const auto behind = live.lower_bound(start);
      ASSERT_TRUE(behind == live.end() || start + bytes <= behind->first);
      ASSERT_TRUE(behind == live.begin() ||
                  std::prev(behind)->first + std::prev(behind)->second.bytes <= start);
      const auto mark = static_cast<unsigned char>(i);
      std::memset(start, mark, bytes);
      live[start] = {bytes, mark};
      in_use += static_cast<int64_t>(bytes);
      ++allocations;
      ASSERT_TRUE(pool.owns(start));
      if (i % 50 == 0) {
        ASSERT_EQ(pool.fault(), "");
      }
    }
    EXPECT_EQ(pool.fault(), "");
    EXPECT_EQ(pool.stats().bytes_in_use, in_use);
    EXPECT_EQ(pool.stats().num_allocations, allocations);
    EXPECT_GE(pool.stats().peak_bytes_in_use, in_use);
    for (const auto& [start, block] : live) pool.deallocate(start);
    EXPECT_EQ(pool.fault(), "");
    EXPECT_EQ(pool.stats().bytes_in_use, 0);
  }
}

TEST(BestFitPool, takes_all_that_the_limit_allows_at_once) {
  Driver driver(64 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 10 * kMiB, .grows = false});
  EXPECT_EQ(driver.used, 0u);
  void* first = pool.allocate(100);
  EXPECT_EQ(driver.used, 10 * kMiB);
  EXPECT_EQ(pool.allocate(10 * kMiB), nullptr);
  void* rest = pool.allocate(10 * kMiB - 256);
  EXPECT_NE(rest, nullptr);
  EXPECT_EQ(driver.takes, 1);
  pool.deallocate(first);
  pool.deallocate(rest);
  EXPECT_NE(pool.allocate(10 * kMiB), nullptr);
}

TEST(BestFitPool, takes_less_where_there_is_less) {
  Driver driver(7 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 64 * kMiB, .grows = false});
  EXPECT_NE(pool.allocate(kMiB), nullptr);
  EXPECT_EQ(driver.used, 6 * kMiB);
  EXPECT_NE(pool.allocate(5 * kMiB), nullptr);
  // What is left of the driver's is no multiple of a large page.
  EXPECT_NE(pool.allocate(kMiB), nullptr);
  EXPECT_EQ(pool.allocate(kMiB), nullptr);
}

TEST(BestFitPool, grows_in_ever_larger_steps_up_to_its_limit) {
  Driver driver(1024 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 31 * kMiB, .grows = true});
  std::vector<size_t> used;
  while (pool.allocate(kMiB) != nullptr) {
    if (used.empty() || used.back() != driver.used) used.push_back(driver.used);
  }
  EXPECT_EQ(used, (std::vector<size_t>{2 * kMiB, 6 * kMiB, 14 * kMiB, 30 * kMiB, 31 * kMiB}));
  EXPECT_EQ(pool.stats().bytes_in_use, static_cast<int64_t>(31 * kMiB));
  EXPECT_EQ(pool.stats().bytes_limit, static_cast<int64_t>(31 * kMiB));
  EXPECT_EQ(pool.stats().bytes_kept, 0);
}

TEST(BestFitPool, gives_free_regions_back_for_a_block_that_needs_their_place) {
  Driver driver(8 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 8 * kMiB, .grows = true});
  void* small = pool.allocate(2 * kMiB);
  void* other = pool.allocate(4 * kMiB);
  ASSERT_NE(other, nullptr);
  pool.deallocate(small);
  pool.deallocate(other);
  EXPECT_NE(pool.allocate(7 * kMiB), nullptr);
  EXPECT_EQ(pool.fault(), "");
}

TEST(BestFitPool, takes_the_smallest_piece_that_is_large_enough) {
  Driver driver(8 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 8 * kMiB, .grows = false});
  void* large = pool.allocate(64 << 10);
  void* wall = pool.allocate(1);
  void* small = pool.allocate(4 << 10);
  void* wall_too = pool.allocate(1);
  pool.deallocate(large);
  pool.deallocate(small);
  EXPECT_EQ(pool.allocate(3 << 10), small);
  EXPECT_EQ(pool.allocate(32 << 10), large);
  EXPECT_NE(wall, wall_too);
}

TEST(BestFitPool, remembers_when_memory_came_back) {
  Driver driver(8 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 8 * kMiB, .grows = false});
  void* a = pool.allocate(256);
  void* b = pool.allocate(256);
  EXPECT_EQ(pool.stamp(a), 0u);
  pool.deallocate(b, 9);
  pool.deallocate(a, 5);
  void* both = pool.allocate(512);
  EXPECT_EQ(both, a);
  EXPECT_EQ(pool.stamp(both), 9u);
  EXPECT_EQ(pool.stamp(static_cast<char*>(both) + 1), UINT64_MAX);
}

TEST(BestFitPool, refuses_sizes_that_do_not_exist) {
  Driver driver(8 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 8 * kMiB, .grows = true});
  EXPECT_EQ(pool.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(pool.allocate(SIZE_MAX / 2), nullptr);
  EXPECT_NE(pool.allocate(0), nullptr);
  BestFitPool none(driver.source(), {.limit_bytes = 0, .grows = true});
  EXPECT_EQ(none.allocate(1), nullptr);
}

TEST(BestFitPool, reports_what_it_has) {
  Driver driver(8 * kMiB);
  BestFitPool pool(driver.source(), {.limit_bytes = 8 * kMiB, .grows = false});
  pool.allocate(kMiB);
  EXPECT_EQ(pool.report(),
            "Limit: 8.00MiB\nInUse: 1.00MiB in 1 blocks\nMaxInUse: 1.00MiB\nMaxAllocSize: 1.00MiB\n"
            "Free: 7.00MiB in 1 pieces, the largest of 7.00MiB\nRegion of 8.00MiB: 1.00MiB in use\n");
}

}  // namespace
}  // namespace troupe::test
