#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/actors/cuda/gpu_session.h"

namespace troupe::test {

/// The same graph in two sessions of a runtime: `session` has the GPUs, `cpu` has none.
class GpuAgainstCpu : public GpuSession {
 protected:
  using GpuSession::GpuSession;

  /// The graph of `b`, as it is executed by default.
  void open_both();
  void open_both(const Graph& graph);
  /// Runs both. True when the fetches have the same types and shapes, and values no further apart than `tolerance` times 1 + their size; of
  /// types other than float and double the same bits.
  testing::AssertionResult agree(const std::vector<NamedTensor>& feeds,
                                 const std::vector<std::string>& fetches,
                                 const std::vector<std::string>& targets = {}, double tolerance = 1e-5);

  std::unique_ptr<Session> cpu;
};

/// Numbers from `least` to `most`, by a seed.
Tensor random_floats(const Shape& shape, uint32_t seed, float least = -1, float most = 1);

}  // namespace troupe::test
