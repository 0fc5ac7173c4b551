// How kernels are started.
#include "devices/cuda/enqueue.h"

#include <gtest/gtest.h>

#include "devices/cuda/copy_engine.h"
#include "tests/devices/cuda/kernel_fixture.h"
#include "tests/support/run_node.h"

namespace troupe::test {
namespace {

/// A kernel that is this function.
class Calls final : public Kernel {
 public:
  explicit Calls(std::function<absl::Status(KernelContext&)> fn) : fn_(std::move(fn)) {}
  absl::Status compute(KernelContext& context) override { return fn_(context); }

 private:
  const std::function<absl::Status(KernelContext&)> fn_;
};

absl::StatusOr<std::vector<Tensor>> call(std::function<absl::Status(KernelContext&)> fn) {
  CudaHarness harness;
  const Tensor x = Tensor::vector<float>({1, 2, 3});
  TROUPE_ASSIGN_OR_RETURN(const KernelNode node, make_node("Neg", {x}, {}, "minus"));
  TROUPE_ASSIGN_OR_RETURN(Tensor on_gpu,
                          harness.device().copies().to_device(x, harness.device().allocator()));
  Calls kernel(std::move(fn));
  auto outputs = run_node(&harness.device(), &kernel, node, {std::move(on_gpu)});
  TROUPE_RETURN_IF_ERROR(harness.device().compute().synchronize());
  return outputs;
}

TEST(Enqueue, says_which_node_asked_for_a_kernel_that_is_not_there) {
  const auto outputs = call([](KernelContext& c) { return enqueue(c, "neg_f33", 3, c.input(0).raw()); });
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(outputs.status().message(),
            "No CUDA kernel 'neg_f33' for GPU 0 (Emulated GPU, 0000:0a:00.0), which minus (Neg) asked for");
}

TEST(Enqueue, refuses_arguments_that_the_kernel_has_not) {
  const auto outputs =
      call([](KernelContext& c) { return enqueue(c, "neg_f32", 3, c.input(0).raw(), int32_t{3}); });
  EXPECT_EQ(outputs.status(),
            absl::InternalError("CUDA kernel 'neg_f32' takes arguments of 8, 8, 8 bytes, not of 8, 4, "
                                "which minus (Neg) asked for"));
}

TEST(Enqueue, starts_nothing_for_no_elements) {
  const auto outputs = call([](KernelContext& c) {
    TROUPE_RETURN_IF_ERROR(enqueue(c, "no such kernel", 0));
    TROUPE_RETURN_IF_ERROR(enqueue_blocks(c, "no such kernel", 0));
    TROUPE_RETURN_IF_ERROR(enqueue_copy(c, nullptr, nullptr, 0));
    c.forward_input(0, 0);
    return absl::OkStatus();
  });
  EXPECT_EQ(outputs.status(), absl::OkStatus());
}

TEST(Enqueue, fills_copies_and_allocates_on_the_host) {
  const auto outputs = call([](KernelContext& c) -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(Tensor temp, c.allocate_temp(DataType::kFloat, Shape{3}));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(c, &temp));
    TROUPE_RETURN_IF_ERROR(enqueue_copy(c, c.input(0).raw(), temp.raw(), 2 * sizeof(float)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, allocate_host_output(c, 0, Shape{3}));
    EXPECT_TRUE(out->buffer()->allocator()->is_host());
    EXPECT_EQ(c.own_allocator, nullptr);
    CudaDevice& device = CudaDevice::of(c);
    TROUPE_RETURN_IF_ERROR(device.compute().copy_to_host(temp.raw(), out->raw(), temp.bytes()));
    return device.compute().synchronize();
  });
  ASSERT_EQ(outputs.status(), absl::OkStatus());
  EXPECT_TRUE(tensors_near(outputs->at(0), Tensor::vector<float>({1, 2, 0})));
}

TEST(Enqueue, names_kernels_by_dtype) {
  EXPECT_EQ(with_suffix("add", DataType::kBfloat16), "add_bf16");
  EXPECT_EQ(with_suffix("add", DataType::kBool), "add_b");
  EXPECT_EQ(with_suffix("move", DataType::kQint16), "move_u16");
  EXPECT_EQ(dims_of<4>(Shape{5, 6}).sizes[1], 6);
}

}  // namespace
}  // namespace troupe::test
