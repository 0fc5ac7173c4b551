#include "actors/node/read_aside.h"

#include "devices/blocking_pool.h"

namespace troupe {

void read_aside(size_t bytes, BlockingPool& pool, const std::function<void()>& read) {
  if (bytes > kReadHereBytes) {
    const auto job = [read]() -> BlockingPool::Answer {
      read();
      return nullptr;
    };
    if (pool.run(job).ok()) return;
  }
  read();
}

}  // namespace troupe
