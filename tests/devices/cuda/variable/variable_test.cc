// Variables in the memory of GPUs.
#include <cstring>
#include <memory>
#include <utility>

#include "devices/common/variable/variable.h"
#include "devices/cuda/copy_engine.h"
#include "tests/devices/cuda/kernel_fixture.h"
#include "tests/support/run_node.h"

namespace troupe::test {
namespace {

class CudaVariable : public testing::Test {
 protected:
  Tensor handle(const std::string& name, DataType dtype) {
    auto out =
        gpu_.run("VarHandleOp", {}, {{"dtype", dtype}, {"shared_name", name}, {"shape", PartialShape()}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(0) : Tensor();
  }
  Tensor variable(const std::string& name, const Tensor& value) {
    Tensor h = handle(name, value.dtype());
    EXPECT_EQ(gpu_.run("AssignVariableOp", {h, value}, {{"dtype", value.dtype()}}).status(),
              absl::OkStatus());
    return h;
  }
  Tensor read(const Tensor& handle, DataType dtype) {
    auto out = gpu_.run("ReadVariableOp", {handle}, {{"dtype", dtype}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(0) : Tensor();
  }
  /// The value as readers get it, in the GPU's memory.
  Tensor shared_value(const std::string& name) {
    auto var = gpu_.device().resources().lookup<Var>("localhost", name);
    return var.ok() ? (*var)->snapshot() : Tensor();
  }
  /// Runs a node whose first input is a reference; all its other tensors are in the GPU's memory. The outputs are as the kernel gave them.
  absl::StatusOr<std::vector<Value>> run_on_ref(const std::string& op, std::shared_ptr<RefTensor> ref,
                                                std::vector<Tensor> others, AttrMap attrs = {}) {
    std::vector<Tensor> inputs;
    if (ref != nullptr) inputs.push_back(Tensor::scalar<float>(0));
    for (const Tensor& t : others) inputs.push_back(t);
    TROUPE_ASSIGN_OR_RETURN(const KernelNode node, make_node(op, inputs, std::move(attrs), "n"));
    TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, all_kernels().create(node, &gpu_.device()));
    CancellationToken token;
    StepState step;
    step.device = &gpu_.device();
    step.cancellation = &token;
    step.step_container = "__per_step_1";
    std::vector<Value> in(inputs.size());
    std::vector<Value> out(node.output_types.size());
    const size_t first = ref != nullptr ? 1 : 0;
    if (ref != nullptr) in[0].ref = std::move(ref);
    for (size_t i = first; i < inputs.size(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(in[i].tensor, on_gpu(inputs[i]));
    }
    KernelContext context(&step, &node, in, out);
    TROUPE_RETURN_IF_ERROR(kernel->compute(context));
    TROUPE_RETURN_IF_ERROR(gpu_.device().compute().synchronize());
    return out;
  }
  absl::StatusOr<Tensor> on_gpu(const Tensor& t) {
    return gpu_.device().copies().to_device(t, gpu_.device().allocator());
  }
  /// The emulated GPU's memory is the host's.
  static Tensor seen(const Tensor& t) {
    Tensor copy(t.dtype(), t.shape());
    std::memcpy(copy.raw(), t.raw(), t.bytes());
    return copy;
  }

  CudaHarness gpu_;
};

TEST_F(CudaVariable, is_read_as_it_was_assigned) {
  for (DataType dtype : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kInt64,
                         DataType::kBool, DataType::kComplex64}) {
    const Tensor value = random_tensor(dtype, Shape{3, 5});
    EXPECT_TRUE(tensors_near(read(variable("v", value), dtype), value, 0, 0));
    ASSERT_EQ(gpu_.run("DestroyResourceOp", {handle("v", dtype)}).status(), absl::OkStatus());
  }
}

TEST_F(CudaVariable, adds_in_place_unless_somebody_reads) {
  const Tensor h = variable("v", Tensor::vector<float>({1, 2}));
  const AttrMap attrs{{"dtype", DataType::kFloat}};
  Tensor before = shared_value("v");
  ASSERT_EQ(gpu_.run("AssignAddVariableOp", {h, Tensor::vector<float>({10, 20})}, attrs).status(),
            absl::OkStatus());
  EXPECT_TRUE(tensors_near(seen(before), Tensor::vector<float>({1, 2}), 0, 0));
  EXPECT_TRUE(tensors_near(read(h, DataType::kFloat), Tensor::vector<float>({11, 22}), 0, 0));
  before = Tensor();
  const void* memory = std::as_const(*shared_value("v").buffer()).data();
  ASSERT_EQ(gpu_.run("AssignSubVariableOp", {h, Tensor::vector<float>({1, 2})}, attrs).status(),
            absl::OkStatus());
  EXPECT_EQ(shared_value("v").buffer()->data(), memory);
  EXPECT_TRUE(tensors_near(read(h, DataType::kFloat), Tensor::vector<float>({10, 20}), 0, 0));
}

TEST_F(CudaVariable, adds_numbers_of_all_types) {
  for (DataType dtype : {DataType::kHalf, DataType::kBfloat16, DataType::kDouble, DataType::kComplex128,
                         DataType::kInt8, DataType::kUint16, DataType::kInt64}) {
    const Tensor a = random_tensor(dtype, Shape{7});
    const Tensor b = random_tensor(dtype, Shape{7});
    KernelHarness cpu(&all_kernels());
    const std::string name = dtype_name(dtype);
    const AttrMap attrs{{"dtype", dtype}};
    const Tensor want_handle =
        cpu.run("VarHandleOp", {}, {{"dtype", dtype}, {"shared_name", name}, {"shape", PartialShape()}})
            ->at(0);
    ASSERT_TRUE(cpu.run("AssignVariableOp", {want_handle, a}, attrs).ok());
    const Tensor h = variable(name, a);
    for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp", "AssignSubVariableOp"}) {
      ASSERT_TRUE(cpu.run(op, {want_handle, b}, attrs).ok());
      ASSERT_EQ(gpu_.run(op, {h, b}, attrs).status(), absl::OkStatus());
      EXPECT_TRUE(tensors_near(read(h, dtype), cpu.run("ReadVariableOp", {want_handle}, attrs)->at(0), 0, 0))
          << name;
    }
  }
}

TEST_F(CudaVariable, tells_of_itself_on_the_host) {
  const Tensor h = handle("v", DataType::kFloat);
  EXPECT_FALSE(gpu_.run("VarIsInitializedOp", {h})->at(0).value<bool>());
  variable("v", Tensor(DataType::kFloat, Shape{2, 3}));
  EXPECT_TRUE(gpu_.run("VarIsInitializedOp", {h})->at(0).value<bool>());
  EXPECT_TRUE(tensors_near(gpu_.run("VariableShape", {h})->at(0), Tensor::vector<int32_t>({2, 3})));
  ASSERT_EQ(gpu_.run("DestroyResourceOp", {h}).status(), absl::OkStatus());
  EXPECT_FALSE(gpu_.run("VarIsInitializedOp", {h})->at(0).value<bool>());
}

TEST_F(CudaVariable, refuses_as_cpus_do) {
  const Tensor h = handle("v", DataType::kFloat);
  const AttrMap attrs{{"dtype", DataType::kFloat}};
  EXPECT_EQ(gpu_.run("ReadVariableOp", {h}, attrs).status().code(), absl::StatusCode::kFailedPrecondition);
  variable("v", Tensor(DataType::kFloat, Shape{2}));
  EXPECT_EQ(
      gpu_.run("AssignAddVariableOp", {h, Tensor(DataType::kFloat, Shape{3})}, attrs).status(),
      absl::InvalidArgumentError(
          "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must be equal."));
  EXPECT_EQ(gpu_.run("ReadVariableOp", {h}, {{"dtype", DataType::kInt64}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(CudaVariable, is_on_the_host_when_it_is_of_int32) {
  const KernelNode node =
      *make_node("VarHandleOp", {}, {{"dtype", DataType::kInt32}, {"shape", PartialShape()}}, "n");
  EXPECT_EQ(*all_kernels().find("VarHandleOp", "GPU", node.attrs), nullptr);
}

TEST_F(CudaVariable, is_assigned_and_added_to_by_reference) {
  auto made = run_on_ref("VariableV2", nullptr, {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialShape(std::vector<int64_t>{2})}});
  ASSERT_TRUE(made.ok()) << made.status();
  const std::shared_ptr<RefTensor> ref = made->at(0).ref;
  ASSERT_NE(ref, nullptr);
  const AttrMap dtype{{"dtype", DataType::kFloat}};
  EXPECT_FALSE(run_on_ref("IsVariableInitialized", ref, {}, dtype)->at(0).tensor.value<bool>());
  ASSERT_EQ(run_on_ref("Assign", ref, {Tensor::vector<float>({1, 2})}).status(), absl::OkStatus());
  EXPECT_TRUE(run_on_ref("IsVariableInitialized", ref, {}, dtype)->at(0).tensor.value<bool>());
  const Tensor before = ref->tensor;
  ASSERT_EQ(run_on_ref("AssignAdd", ref, {Tensor::vector<float>({3, 4})}).status(), absl::OkStatus());
  EXPECT_TRUE(tensors_near(seen(ref->tensor), Tensor::vector<float>({4, 6}), 0, 0));
  EXPECT_TRUE(tensors_near(seen(before), Tensor::vector<float>({1, 2}), 0, 0));
  EXPECT_EQ(run_on_ref("AssignSub", ref, {Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("Parameters and update must be the same size"));
}

TEST_F(CudaVariable, is_zero_and_of_a_step_when_it_is_temporary) {
  auto made = run_on_ref("TemporaryVariable", nullptr, {},
                         {{"dtype", DataType::kFloat},
                          {"shape", PartialShape(std::vector<int64_t>{2})},
                          {"var_name", std::string("t")}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(tensors_near(seen(made->at(0).ref->tensor), Tensor::vector<float>({0, 0}), 0, 0));
  auto last = run_on_ref("DestroyTemporaryVariable", made->at(0).ref, {}, {{"var_name", std::string("t")}});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE(tensors_near(seen(last->at(0).tensor), Tensor::vector<float>({0, 0}), 0, 0));
}

}  // namespace
}  // namespace troupe::test
