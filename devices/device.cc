#include "devices/device.h"

namespace troupe {
namespace {

class SerialRunner final : public ParallelRunner {
 public:
  int num_threads() const override { return 1; }
  void parallel_for(int64_t total, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (total > 0) fn(0, total);
  }
};

}  // namespace

ParallelRunner* serial_runner() {
  static auto* runner = new SerialRunner;
  return runner;
}

}  // namespace troupe
