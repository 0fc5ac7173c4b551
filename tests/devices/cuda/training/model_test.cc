// A small model, trained node by node: with the same numbers on GPUs as on CPUs.
#include <cmath>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

/// A line through points, by gradient descent with Adam.
template <class Harness>
class LineModel {
 public:
  LineModel() {
    for (const char* name : {"w", "b", "w/m", "w/v", "b/m", "b/v"})
      run("AssignVariableOp", {handle(name), Tensor::scalar(0.0F)}, kFloat);
  }

  /// The mean squared error before the step.
  float step(int number, const Tensor& x, const Tensor& y) {
    const Tensor w = run("ReadVariableOp", {handle("w")}, kFloat);
    const Tensor b = run("ReadVariableOp", {handle("b")}, kFloat);
    const Tensor error = run("Sub", {run("AddV2", {run("Mul", {x, w}), b}), y});
    update(number, "w", mean(run("Mul", {error, x})));
    update(number, "b", mean(error));
    return mean(run("Mul", {error, error})).template value<float>();
  }
  float value(const std::string& name) {
    return run("ReadVariableOp", {handle(name)}, kFloat).template value<float>();
  }

 private:
  Tensor run(const std::string& op, std::vector<Tensor> inputs, const AttrMap& attrs = {}) {
    auto out = device_.run(op, std::move(inputs), attrs);
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    return !out.ok() || out->empty() ? Tensor::scalar(0.0F) : out->at(0);
  }
  Tensor handle(const std::string& name) {
    return run("VarHandleOp", {},
               {{"dtype", DataType::kFloat}, {"shared_name", name}, {"shape", PartialShape()}});
  }
  Tensor mean(const Tensor& v) {
    const Tensor segment =
        Tensor::from<int32_t>(v.shape(), std::vector<int32_t>(static_cast<size_t>(v.num_elements()), 0));
    const Tensor sum = run("UnsortedSegmentSum", {v, segment, Tensor::scalar<int32_t>(1)});
    return run("Mul", {sum.reshaped(Shape()), Tensor::scalar(1.0F / static_cast<float>(v.num_elements()))});
  }
  void update(int number, const std::string& name, const Tensor& gradient) {
    const auto f = [](double v) { return Tensor::scalar(static_cast<float>(v)); };
    run("ResourceApplyAdam",
        {handle(name), handle(name + "/m"), handle(name + "/v"), f(std::pow(0.9, number)),
         f(std::pow(0.999, number)), f(0.1), f(0.9), f(0.999), f(1e-8), gradient});
  }

  static inline const AttrMap kFloat{{"dtype", DataType::kFloat}};
  Harness device_;
};

/// Of all kernels, as CudaHarness is.
struct CpuHarness : KernelHarness {
  CpuHarness() : KernelHarness(&all_kernels()) {}
};

TEST(CudaModel, learns_as_on_cpus) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{64}, -2, 2);
  Tensor y(DataType::kFloat, Shape{64});
  for (size_t i = 0; i < 64; ++i) y.flat<float>()[i] = 3 * x.flat<float>()[i] - 1;
  LineModel<CpuHarness> cpu;
  LineModel<CudaHarness> gpu;
  float first = 0;
  float last = 0;
  for (int number = 1; number <= 120; ++number) {
    const float want = cpu.step(number, x, y);
    last = gpu.step(number, x, y);
    if (number == 1) first = last;
    EXPECT_NEAR(last, want, 1e-3F * (1 + want)) << "step " << number;
  }
  EXPECT_LT(last, first / 100);
  EXPECT_NEAR(gpu.value("w"), cpu.value("w"), 1e-3F);
  EXPECT_NEAR(gpu.value("b"), cpu.value("b"), 1e-3F);
}

}  // namespace
}  // namespace troupe::test
