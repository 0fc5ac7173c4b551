// Optimisers on GPUs do what they do on CPUs.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "graph/ops/op_registry.h"
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

/// The same call on both kinds of devices.
class CudaOptimizer : public testing::Test {
 protected:
  template <class Harness>
  static Tensor handle(Harness& device, const std::string& name, DataType dtype) {
    auto out =
        device.run("VarHandleOp", {}, {{"dtype", dtype}, {"shared_name", name}, {"shape", PartialShape()}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out->at(0);
  }
  template <class Harness>
  static void assign(Harness& device, const std::string& name, const Tensor& value) {
    const Tensor h = handle(device, name, value.dtype());
    EXPECT_EQ(device.run("AssignVariableOp", {h, value}, {{"dtype", value.dtype()}}).status(),
              absl::OkStatus());
  }
  template <class Harness>
  static Tensor read(Harness& device, const std::string& name, DataType dtype) {
    auto out = device.run("ReadVariableOp", {handle(device, name, dtype)}, {{"dtype", dtype}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(0) : Tensor();
  }
  template <class Harness>
  static std::vector<Tensor> with_handles(Harness& device, const OpDef& op, std::vector<Tensor> inputs,
                                          DataType dtype) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (op.inputs[i].type == DataType::kResource) inputs[i] = handle(device, op.inputs[i].name, dtype);
    }
    return inputs;
  }

  /// Runs the op twice on both; all slots must then be the same.
  void compare(const std::string& name, DataType dtype, AttrMap attrs, const Tensor& indices,
               double tolerance) {
    const OpDef* op = *builtin_ops().lookup(name);
    const Shape shape{5, 3};
    for (int step = 0; step < 2; ++step) {
      std::vector<Tensor> inputs;
      for (const ArgDef& arg : op->inputs) {
        if (arg.type == DataType::kResource) {
          const Tensor value = random_tensor(dtype, shape, 0.5, 2);
          if (step == 0) assign(cpu_, arg.name, value);
          if (step == 0) assign(gpu_, arg.name, value);
          inputs.emplace_back();
        } else if (arg.name == "grad" || arg.name == "delta") {
          inputs.push_back(
              random_tensor(dtype, indices.initialized() ? Shape{indices.dim(0), 3} : shape, -1, 1));
        } else if (arg.name == "indices") {
          inputs.push_back(indices);
        } else if (arg.name == "global_step") {
          inputs.push_back(Tensor::scalar<int64_t>(step + 2));
        } else if (arg.name == "lr_power") {
          inputs.push_back(step == 0 ? random_tensor(dtype, Shape(), -0.5, -0.49)
                                     : random_tensor(dtype, Shape(), -0.9, -0.6));
        } else {
          inputs.push_back(random_tensor(dtype, Shape(), 0.1, 0.9));
        }
      }
      ASSERT_EQ(cpu_.run(name, with_handles(cpu_, *op, inputs, dtype), attrs).status(), absl::OkStatus())
          << name;
      ASSERT_EQ(gpu_.run(name, with_handles(gpu_, *op, inputs, dtype), attrs).status(), absl::OkStatus())
          << name;
    }
    for (const ArgDef& arg : op->inputs) {
      if (arg.type != DataType::kResource) continue;
      EXPECT_TRUE(
          tensors_near(read(gpu_, arg.name, dtype), read(cpu_, arg.name, dtype), tolerance, tolerance))
          << name << " of " << dtype_name(dtype) << ": " << arg.name;
      // Other dtypes come next.
      ASSERT_TRUE(cpu_.run("DestroyResourceOp", {handle(cpu_, arg.name, dtype)}).ok());
      ASSERT_TRUE(gpu_.run("DestroyResourceOp", {handle(gpu_, arg.name, dtype)}).ok());
    }
  }
  void compare(const std::string& name, const std::vector<DataType>& dtypes, const char* flag = nullptr) {
    const Tensor rows = Tensor::vector<int64_t>({4, 0, 4, 2, 4});
    for (DataType dtype : dtypes) {
      // CPUs round 16-bit floats after every operation.
      const double tolerance = dtype == DataType::kHalf       ? 2e-2
                               : dtype == DataType::kBfloat16 ? 0.15
                                                              : 20 * tolerance_of(dtype);
      for (bool value : {false, true}) {
        AttrMap attrs{{"T", dtype}};
        if (flag != nullptr) attrs.set(flag, value);
        compare(name, dtype, attrs, absl::StrContains(name, "Sparse") ? rows : Tensor(), tolerance);
        if (flag == nullptr) break;
      }
    }
  }

  KernelHarness cpu_{&all_kernels()};
  CudaHarness gpu_;
};

const std::vector<DataType> kWide = {DataType::kFloat, DataType::kDouble};
const std::vector<DataType> kHalf = {DataType::kFloat, DataType::kDouble, DataType::kHalf};
const std::vector<DataType> kFloats = {DataType::kFloat, DataType::kDouble, DataType::kHalf,
                                       DataType::kBfloat16};
const std::vector<DataType> kAny = {DataType::kFloat, DataType::kDouble, DataType::kHalf,
                                    DataType::kComplex64, DataType::kComplex128};

TEST_F(CudaOptimizer, descends) {
  compare("ResourceApplyGradientDescent", kAny);
  compare("ResourceApplyProximalGradientDescent", kWide);
  compare("ResourceApplyMomentum", kAny, "use_nesterov");
  compare("ResourceApplyKerasMomentum", kAny, "use_nesterov");
  compare("ResourceApplyAddSign", kFloats);
  compare("ResourceApplyPowerSign", kFloats);
}

TEST_F(CudaOptimizer, divides_by_sums_of_squares) {
  compare("ResourceApplyAdagrad", kAny, "update_slots");
  compare("ResourceApplyAdagradV2", kAny, "update_slots");
  compare("ResourceApplyProximalAdagrad", kWide);
  compare("ResourceApplyAdagradDA", kWide);
  compare("ResourceApplyFtrl", kWide, "multiply_linear_by_lr");
  compare("ResourceApplyFtrlV2", kWide, "multiply_linear_by_lr");
}

TEST_F(CudaOptimizer, divides_by_moving_averages) {
  compare("ResourceApplyAdam", kAny, "use_nesterov");
  compare("ResourceApplyAdamWithAmsgrad", kFloats);
  compare("ResourceApplyAdaMax", kHalf);
  compare("ResourceApplyAdadelta", kWide);
  compare("ResourceApplyAdadelta", {DataType::kComplex64});
}

TEST_F(CudaOptimizer, updates_rows_that_repeat_one_after_the_other) {
  compare("ResourceSparseApplyMomentum", kAny, "use_nesterov");
  compare("ResourceSparseApplyKerasMomentum", kAny, "use_nesterov");
  compare("ResourceSparseApplyProximalGradientDescent", kWide);
  compare("ResourceSparseApplyAdagrad", kWide, "update_slots");
  compare("ResourceSparseApplyAdagradV2", kWide, "update_slots");
  compare("ResourceSparseApplyProximalAdagrad", kWide);
  compare("ResourceSparseApplyAdagradDA", kWide);
  compare("ResourceSparseApplyFtrl", kWide, "multiply_linear_by_lr");
  compare("ResourceSparseApplyFtrlV2", kWide, "multiply_linear_by_lr");
  compare("ResourceSparseApplyAdadelta", kWide);
}

TEST_F(CudaOptimizer, averages_squares) {
  // Of gradients whose mean square is greater than the square of their mean.
  for (const char* op : {"ResourceApplyRMSProp", "ResourceSparseApplyRMSProp"}) compare(op, kWide);
  const Tensor one = Tensor::vector<float>({1});
  const auto f = [](float v) { return Tensor::scalar(v); };
  for (auto* device : {&gpu_}) {
    for (const char* name : {"var", "mg", "ms", "mom"}) assign(*device, name, one);
    assign(*device, "ms", Tensor::vector<float>({4}));
  }
  for (const char* name : {"var", "mg", "ms", "mom"}) assign(cpu_, name, one);
  assign(cpu_, "ms", Tensor::vector<float>({4}));
  const OpDef* op = *builtin_ops().lookup("ResourceApplyCenteredRMSProp");
  std::vector<Tensor> inputs = {Tensor(), Tensor(), Tensor(), Tensor(), f(0.5F),
                                f(0.9F),  f(0.1F),  f(1e-3F), one};
  ASSERT_EQ(cpu_.run(op->name, with_handles(cpu_, *op, inputs, DataType::kFloat)).status(), absl::OkStatus());
  ASSERT_EQ(gpu_.run(op->name, with_handles(gpu_, *op, inputs, DataType::kFloat)).status(), absl::OkStatus());
  for (const char* name : {"var", "mg", "ms", "mom"})
    EXPECT_TRUE(tensors_near(read(gpu_, name, DataType::kFloat), read(cpu_, name, DataType::kFloat))) << name;
}

TEST_F(CudaOptimizer, passes_rows_out_of_range_over) {
  assign(gpu_, "var", Tensor::from<float>(Shape{2, 1}, {1, 1}));
  assign(gpu_, "accum", Tensor::from<float>(Shape{2, 1}, {1, 1}));
  const Tensor v = handle(gpu_, "var", DataType::kFloat);
  const Tensor a = handle(gpu_, "accum", DataType::kFloat);
  ASSERT_EQ(gpu_.run("ResourceSparseApplyMomentum",
                     {v, a, Tensor::scalar(0.5F), Tensor::from<float>(Shape{3, 1}, {1, 1, 1}),
                      Tensor::vector<int32_t>({-1, 1, 2}), Tensor::scalar(1.0F)})
                .status(),
            absl::OkStatus());
  EXPECT_TRUE(
      tensors_near(read(gpu_, "accum", DataType::kFloat), Tensor::from<float>(Shape{2, 1}, {1, 2}), 0, 0));
  EXPECT_TRUE(
      tensors_near(read(gpu_, "var", DataType::kFloat), Tensor::from<float>(Shape{2, 1}, {1, 0}), 0, 0));
}

TEST_F(CudaOptimizer, refuses_shapes_that_do_not_fit) {
  assign(gpu_, "var", Tensor::vector<float>({1, 2}));
  const Tensor v = handle(gpu_, "var", DataType::kFloat);
  EXPECT_EQ(
      gpu_.run("ResourceApplyGradientDescent", {v, Tensor::vector<float>({1}), Tensor::vector<float>({1, 2})})
          .status(),
      absl::InvalidArgumentError("alpha is not a scalar: [1]"));
  EXPECT_EQ(gpu_.run("ResourceApplyGradientDescent", {v, Tensor::scalar(1.0F), Tensor::vector<float>({1})})
                .status(),
            absl::InvalidArgumentError("var and delta do not have the same shape[2] [1]"));
}

TEST_F(CudaOptimizer, does_nothing_to_no_elements) {
  assign(gpu_, "var", Tensor(DataType::kFloat, Shape{0, 3}));
  const Tensor v = handle(gpu_, "var", DataType::kFloat);
  EXPECT_EQ(gpu_.run("ResourceApplyGradientDescent",
                     {v, Tensor::scalar(1.0F), Tensor(DataType::kFloat, Shape{0, 3})})
                .status(),
            absl::OkStatus());
}

}  // namespace
}  // namespace troupe::test
