#include "actors/node/read_aside.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "devices/blocking_pool.h"

namespace troupe::test {
namespace {

/// The thread on which a body of so many bytes is read.
std::thread::id reader_of(size_t bytes, BlockingPool& pool) {
  const auto reader = std::make_shared<std::promise<std::thread::id>>();
  read_aside(bytes, pool, [reader] { reader->set_value(std::this_thread::get_id()); });
  return reader->get_future().get();
}

TEST(ReadAside, reads_what_is_small_where_it_came) {
  BlockingPool pool;
  EXPECT_EQ(reader_of(0, pool), std::this_thread::get_id());
  EXPECT_EQ(reader_of(kReadHereBytes, pool), std::this_thread::get_id());
  EXPECT_EQ(pool.num_threads(), 0);
}

TEST(ReadAside, reads_what_is_large_elsewhere) {
  BlockingPool pool;
  EXPECT_NE(reader_of(kReadHereBytes + 1, pool), std::this_thread::get_id());
}

TEST(ReadAside, reads_where_it_came_when_there_is_no_thread) {
  BlockingPool pool;
  EXPECT_TRUE(pool.stop());
  EXPECT_EQ(reader_of(kReadHereBytes + 1, pool), std::this_thread::get_id());
}

}  // namespace
}  // namespace troupe::test
