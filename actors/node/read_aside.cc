#include "actors/node/read_aside.h"

#include <utility>

#include "actors/node/step_directory.h"
#include "devices/blocking_pool.h"
#include "graph/thrown.h"

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

void hand_on_values(std::vector<absl::Cord> values, std::shared_ptr<StepDirectory> steps, BlockingPool& pool,
                    std::function<void(const absl::Status& why)> refuse) {
  const size_t last = values.back().size();
  read_aside(last, pool, [values = std::move(values), steps = std::move(steps), refuse = std::move(refuse)] {
    const absl::Status good = guarded("values that came", [&] { return steps->deliver(values); });
    if (!good.ok()) refuse(good);
  });
}

}  // namespace troupe
