#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/cuda_device.h"
#include "devices/kernel_registry.h"

#include "tests/support/kernel_harness.h"

namespace troupe::test {

/// Every kernel of the CPU and of GPUs, made once.
const KernelRegistry& all_kernels();

/// Runs kernels of GPUs on an emulated one, outside any graph, as KernelHarness does on the CPU. Keeps resources between calls. Inputs
/// and outputs are in the host's memory: what a kernel takes or gives in the GPU's is copied. All of a program share one emulated GPU,
/// which is never given up, so that such a program makes no EmulatedDriver of its own.
class CudaHarness {
 public:
  CudaHarness();
  ~CudaHarness();

  /// Attrs that the inputs imply (T, N, ...) may be left out. Waits for the GPU. References (ref inputs) are not for this. Internal when an
  /// output is in other memory than the kernel's registration says, or the driver saw what must not be done.
  absl::StatusOr<std::vector<Tensor>> run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {},
                                          const std::string& node_name = "n");
  CudaDevice& device();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One GPU for all tests of a program.
absl::StatusOr<std::vector<Tensor>> run_on_gpu(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {});

/// Whether the kernels of CPU and GPU give the same for a stateless node: outputs within atol + rtol * |CPU's| (tensors_near), or an
/// error of the same code and message.
testing::AssertionResult same_as_cpu(const std::string& op, const std::vector<Tensor>& inputs, const AttrMap& attrs = {},
                                     double rtol = 1e-5, double atol = 1e-6);
/// EXPECT_SAME("Add", {a, b}); EXPECT_SAME("Cast", {x}, {{"DstT", DataType::kInt8}}, 0, 0);
#define EXPECT_SAME(...) EXPECT_TRUE(::troupe::test::same_as_cpu(__VA_ARGS__))

/// Tolerance that suits results of a dtype: some units in the last place of what it is computed in. For both rtol and atol.
double tolerance_of(DataType dtype);

/// Numbers evenly from [low, high) (integers from those within it that fit the dtype; bools from both), another sequence for every call
/// and the same in every run. Not strings, resources or variants.
Tensor random_tensor(DataType dtype, const Shape& shape, double low = -4, double high = 4);
/// As random_tensor, and some elements (a third) replaced by zeros, infinities, NaN, the greatest and least numbers.
Tensor odd_tensor(DataType dtype, const Shape& shape);

}  // namespace troupe::test
