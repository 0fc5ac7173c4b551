#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "actors/runtime.h"
#include "actors/session.h"
#include "devices/kernel_registry.h"
#include "graph/ir/graph_builder.h"
#include "tests/devices/cuda/emulated_driver.h"

namespace troupe::test {

/// Every op, and TestGpuHold (held_kernels.h); every kernel of CPUs and of GPUs, and its. Made once.
const OpRegistry& ops_of_all();
const KernelRegistry& kernels_of_all();

/// A runtime on a machine with emulated GPUs, and a session with the graph that the test builds with `b`. At the end nothing is left on the
/// GPUs, and nobody has done what a real one forgives only most of the time.
class GpuSession : public testing::Test {
 protected:
  explicit GpuSession(EmulatedDriver::Options machine = default_machine());
  ~GpuSession() override;
  /// A GPU that works by itself.
  static EmulatedDriver::Options default_machine();

  Session& open(const SessionOptions& options = {});
  /// The session is open already: it gets the graph of `b`.
  absl::StatusOr<std::vector<Tensor>> run(const std::vector<NamedTensor>& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {});
  /// A single number that is fetched; -1 after an error, which fails the test.
  float value(const std::vector<NamedTensor>& feeds, const std::string& fetch);
  /// The nodes of a run's partition graphs: "Add sum".
  std::vector<std::string> planned(const std::vector<NamedTensor>& feeds,
                                   const std::vector<std::string>& fetches);
  /// Waits until all that was enqueued is done, at most some seconds.
  bool becomes_idle();
  void close();

  std::unique_ptr<EmulatedDriver> driver;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Session> session;
  GraphBuilder b{&ops_of_all()};
  RuntimeOptions runtime_options;

 private:
  const int gpus_;
};

Tensor scalar(float value);
/// 0, 1, 2, ... of this shape, times `step`.
Tensor counted(const Shape& shape, float step = 1);

}  // namespace troupe::test
