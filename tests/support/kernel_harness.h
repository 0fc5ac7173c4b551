#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/kernel_registry.h"
#include "devices/memory/failing_allocator.h"
#include "graph/ops/op_registry.h"

namespace troupe::test {

/// Runs one kernel outside any graph:
///   auto out = run_kernel("Add", {a, b}, {{"T", DataType::kFloat}});
///   EXPECT_EQ(out->at(0).value<float>(), 3);
/// Attrs that the inputs imply (T, N, ...) may be left out. Keeps resources between calls of one harness.
class KernelHarness {
 public:
  explicit KernelHarness(const KernelRegistry* registry = nullptr);

  absl::StatusOr<std::vector<Tensor>> run(const std::string& op, std::vector<Tensor> inputs,
                                          AttrMap attrs = {}, const std::string& node_name = "n");
  Device& device() { return device_; }
  FailingAllocator& allocator() { return allocator_; }

 private:
  const KernelRegistry* registry_;
  FailingAllocator allocator_;
  Device device_;
};

absl::StatusOr<std::vector<Tensor>> run_kernel(const std::string& op, std::vector<Tensor> inputs,
                                               AttrMap attrs = {});

/// Elementwise comparison; floats within atol + rtol * |want|, NaN equals NaN.
testing::AssertionResult tensors_near(const Tensor& got, const Tensor& want, double rtol = 1e-5,
                                      double atol = 1e-6);

}  // namespace troupe::test
