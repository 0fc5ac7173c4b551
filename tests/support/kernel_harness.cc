#include "tests/support/kernel_harness.h"

#include <Eigen/Core>
#include <cmath>

#include "devices/cpu/kernels/register_kernels.h"
#include "tests/support/run_node.h"

namespace troupe::test {

KernelHarness::KernelHarness(const KernelRegistry* registry)
    : registry_(registry != nullptr ? registry : &builtin_kernels()), allocator_(plain_allocator()),
      device_({.name = "/job:localhost/replica:0/task:0/device:CPU:0",
               .type = "CPU",
               .memory_limit_bytes = 0,
               .incarnation = 1,
               .physical_description = ""},
              &allocator_, serial_runner()) {}

absl::StatusOr<std::vector<Tensor>> KernelHarness::run(const std::string& op, std::vector<Tensor> inputs,
                                                       AttrMap attrs, const std::string& node_name) {
  TROUPE_ASSIGN_OR_RETURN(const KernelNode node, make_node(op, inputs, std::move(attrs), node_name));
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, registry_->create(node, &device_));
  return run_node(&device_, kernel.get(), node, std::move(inputs));
}

absl::StatusOr<std::vector<Tensor>> run_kernel(const std::string& op, std::vector<Tensor> inputs,
                                               AttrMap attrs) {
  static auto* harness = new KernelHarness;
  return harness->run(op, std::move(inputs), std::move(attrs));
}

namespace {

template <class T>
bool near(const T& got, const T& want, double rtol, double atol) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, Eigen::half> ||
                std::is_same_v<T, Eigen::bfloat16>) {
    double g = static_cast<double>(got), w = static_cast<double>(want);
    if (std::isnan(g) || std::isnan(w)) return std::isnan(g) && std::isnan(w);
    if (std::isinf(g) || std::isinf(w)) return g == w;
    return std::abs(g - w) <= atol + rtol * std::abs(w);
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return near(got.real(), want.real(), rtol, atol) && near(got.imag(), want.imag(), rtol, atol);
  } else if constexpr (std::is_same_v<T, ResourceHandle> || std::is_same_v<T, Variant>) {
    return true;
  } else {
    return got == want;
  }
}

template <class T>
testing::AssertionResult all_near(const Tensor& got, const Tensor& want, double rtol, double atol) {
  auto g = got.flat<T>();
  auto w = want.flat<T>();
  for (size_t i = 0; i < g.size(); ++i) {
    if (!near<T>(g[i], w[i], rtol, atol)) {
      return testing::AssertionFailure()
             << "element " << i << " differs: got " << got.to_string(20) << " want " << want.to_string(20);
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace

testing::AssertionResult tensors_near(const Tensor& got, const Tensor& want, double rtol, double atol) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return testing::AssertionFailure() << "got " << got.to_string() << " want " << want.to_string();
  }
  switch (got.dtype()) {
// clang-format off
#define TROUPE_DTYPE(number, name, type, text) \
  case DataType::name: return all_near<type>(got, want, rtol, atol);
#include "graph/tensor/dtypes.def"
    // clang-format on
    default: return testing::AssertionFailure() << "uninitialised";
  }
}

}  // namespace troupe::test
