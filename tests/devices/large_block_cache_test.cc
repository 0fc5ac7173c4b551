#include "devices/memory/large_block_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <thread>

#include "devices/memory/host_allocator.h"

namespace troupe {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

std::atomic<int> taken{0}, given{0};
/// How many blocks there are.
std::atomic<int> most{1000};
void* take(size_t bytes) {
  if (taken - given >= most) return nullptr;
  ++taken;
  return std::aligned_alloc(64, bytes);
}
void give(void* block) {
  ++given;
  std::free(block);
}

class LargeBlocks : public testing::Test {
 protected:
  LargeBlocks() {
    taken = given = 0;
    most = 1000;
  }
  LargeBlockCache cache_{take, give, 0};
};

TEST_F(LargeBlocks, come_back_to_who_asks_for_their_size) {
  void* a = cache_.allocate(8 * kMiB);
  void* b = cache_.allocate(8 * kMiB);
  cache_.deallocate(a, 8 * kMiB);
  cache_.deallocate(b, 8 * kMiB);
  EXPECT_EQ(cache_.kept_bytes(), static_cast<int64_t>(16 * kMiB));
  EXPECT_EQ(cache_.allocate(8 * kMiB), b) << "the one whose pages are warm";
  EXPECT_EQ(cache_.allocate(8 * kMiB - 100), a) << "a little less is the same size";
  EXPECT_EQ(taken, 2);
  cache_.deallocate(a, 8 * kMiB - 100);
  cache_.deallocate(b, 8 * kMiB);
}

TEST_F(LargeBlocks, do_not_raise_the_peak) {
  // A step whose sizes never come again: each time the old goes before the new comes.
  for (size_t i = 0; i < 20; ++i) {
    const size_t bytes = (20 - i) * kMiB;
    void* a = cache_.allocate(bytes);
    EXPECT_LE(cache_.kept_bytes() + static_cast<int64_t>(bytes), static_cast<int64_t>(20 * kMiB));
    cache_.deallocate(a, bytes);
  }
  EXPECT_GT(given, 10);
}

TEST_F(LargeBlocks, raise_the_peak_by_what_is_spare_and_no_more) {
  LargeBlockCache cache(take, give, 3 * kMiB);
  for (size_t i = 0; i < 3; ++i) {
    // A step: four at its peak, and one of another size before and after it.
    void* a = cache.allocate(3 * kMiB);
    cache.deallocate(a, 3 * kMiB);
    void* b = cache.allocate(4 * kMiB);
    cache.deallocate(b, 4 * kMiB);
  }
  EXPECT_EQ(taken, 2) << "both are kept";
  void* c = cache.allocate(kMiB);
  EXPECT_EQ(given, 1) << "eight were one too many";
  EXPECT_EQ(cache.kept_bytes(), static_cast<int64_t>(4 * kMiB));
  cache.deallocate(c, kMiB);
}

TEST_F(LargeBlocks, that_were_kept_longest_go_first) {
  void* a = cache_.allocate(2 * kMiB);
  void* b = cache_.allocate(3 * kMiB);
  cache_.deallocate(a, 2 * kMiB);
  cache_.deallocate(b, 3 * kMiB);
  // Five were in use at once, and two more are wanted.
  void* c = cache_.allocate(kMiB);
  EXPECT_EQ(given, 1);
  EXPECT_EQ(cache_.kept_bytes(), static_cast<int64_t>(3 * kMiB));
  EXPECT_EQ(cache_.allocate(3 * kMiB), b);
  cache_.deallocate(b, 3 * kMiB);
  cache_.deallocate(c, kMiB);
}

TEST_F(LargeBlocks, are_all_given_back_when_nobody_runs_anything) {
  void* a = cache_.allocate(kMiB);
  void* b = cache_.allocate(kMiB);
  cache_.deallocate(a, kMiB);
  cache_.rest();
  EXPECT_EQ(cache_.kept_bytes(), 0);
  EXPECT_EQ(given, 1);
  cache_.deallocate(b, kMiB);
  EXPECT_EQ(given, 2) << "what a client held goes at once";
  void* c = cache_.allocate(kMiB);
  cache_.deallocate(c, kMiB);
  EXPECT_EQ(given, 2) << "somebody runs again";
}

TEST_F(LargeBlocks, that_are_not_there_are_null) {
  EXPECT_EQ(cache_.allocate(std::numeric_limits<size_t>::max() - 7), nullptr);
  void* a = cache_.allocate(2 * kMiB);
  cache_.deallocate(a, 2 * kMiB);
  most = 0;
  EXPECT_EQ(cache_.allocate(4 * kMiB), nullptr);
  EXPECT_EQ(cache_.allocate(4 * kMiB), nullptr);
  cache_.rest();
  EXPECT_EQ(taken, given);
}

TEST_F(LargeBlocks, that_are_kept_go_before_there_is_none) {
  most = 1;
  cache_.deallocate(cache_.allocate(8 * kMiB), 8 * kMiB);
  void* larger = cache_.allocate(12 * kMiB);
  EXPECT_NE(larger, nullptr);
  EXPECT_EQ(cache_.kept_bytes(), 0);
  EXPECT_EQ(cache_.allocate(8 * kMiB), nullptr);
  cache_.deallocate(larger, 12 * kMiB);
}

TEST_F(LargeBlocks, have_one_owner_at_a_time_on_many_threads) {
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      std::minstd_rand random(t + 1);
      for (int i = 0; i < 2000; ++i) {
        const size_t bytes = kMiB + random() % (3 * kMiB);
        auto* block = static_cast<unsigned*>(cache_.allocate(bytes));
        block[0] = block[bytes / sizeof(unsigned) - 1] = t;
        if (i % 100 == 0) cache_.rest();
        EXPECT_EQ(block[0], t);
        EXPECT_EQ(block[bytes / sizeof(unsigned) - 1], t);
        cache_.deallocate(block, bytes);
      }
    });
  }
  threads.clear();
  cache_.rest();
  EXPECT_EQ(taken, given);
}

TEST(HostAllocator, counts_what_it_keeps_apart_from_what_is_in_use) {
  const auto memory = make_host_allocator();
  void* a = memory->allocate(4 * kMiB);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % Allocator::kAlignmentBytes, 0u);
  memory->deallocate(a, 4 * kMiB);
  EXPECT_EQ(memory->stats().bytes_in_use, 0);
#ifndef TROUPE_SANITIZED
  EXPECT_EQ(memory->stats().bytes_kept, static_cast<int64_t>(4 * kMiB));
#endif
  memory->rest();
  EXPECT_EQ(memory->stats().bytes_kept, 0);
}

}  // namespace
}  // namespace troupe
