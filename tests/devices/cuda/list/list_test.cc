// Arrays, lists and stacks whose elements are in the memory of GPUs.
#include "graph/tensor/variant.h"
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using Tensors = std::vector<Tensor>;

Tensor number(int32_t v) { return Tensor::scalar<int32_t>(v); }
Tensor sizes(std::initializer_list<int32_t> values) { return Tensor::vector<int32_t>(values); }

/// Runs a story on both kinds of devices: what it outputs must be the same.
class CudaElements : public testing::Test {
 protected:
  template <class Story>
  void expect_same(Story story) {
    const Tensors want = story([this](const std::string& op, Tensors inputs, AttrMap attrs) {
      return run(cpu_, op, std::move(inputs), attrs);
    });
    const Tensors got = story([this](const std::string& op, Tensors inputs, AttrMap attrs) {
      return run(gpu_, op, std::move(inputs), attrs);
    });
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(tensors_near(got[i], want[i], 1e-6, 1e-6)) << i;
  }
  template <class Harness>
  static Tensors run(Harness& device, const std::string& op, Tensors inputs, const AttrMap& attrs) {
    auto out = device.run(op, std::move(inputs), attrs);
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    if (!out.ok()) return Tensors(3, number(0));
    return *std::move(out);
  }

  KernelHarness cpu_{&all_kernels()};
  CudaHarness gpu_;
};

TEST_F(CudaElements, of_lists_are_pushed_and_popped) {
  for (DataType t :
       {DataType::kFloat, DataType::kHalf, DataType::kInt32, DataType::kInt64, DataType::kBool}) {
    const Tensor a = random_tensor(t, Shape{2, 3});
    const Tensor b = random_tensor(t, Shape{2, 3});
    const AttrMap dtype{{"element_dtype", t}};
    expect_same([&](auto run) {
      Tensor list = run("EmptyTensorList", {sizes({2, 3}), number(-1)}, dtype)[0];
      list = run("TensorListPushBack", {list, a}, dtype)[0];
      list = run("TensorListPushBack", {list, b}, dtype)[0];
      const Tensor stacked = run("TensorListStack", {list, sizes({2, 3})}, dtype)[0];
      const Tensor item = run("TensorListGetItem", {list, number(0), sizes({2, 3})}, dtype)[0];
      const Tensor length = run("TensorListLength", {list}, {})[0];
      Tensors popped = run("TensorListPopBack", {list, sizes({2, 3})}, dtype);
      return Tensors{stacked, item, length, popped[1]};
    });
  }
}

TEST_F(CudaElements, of_lists_never_set_are_zeros) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const Tensor a = random_tensor(DataType::kFloat, Shape{3});
  expect_same([&](auto run) {
    Tensor list = run("TensorListReserve", {sizes({3}), number(6)}, dtype)[0];
    list = run("TensorListSetItem", {list, number(4), a}, dtype)[0];
    return Tensors{run("TensorListStack", {list, sizes({3})}, dtype)[0],
                   run("TensorListGetItem", {list, number(1), sizes({3})}, dtype)[0],
                   run("TensorListGather", {list, sizes({4, 0, 4}), sizes({3})}, dtype)[0]};
  });
}

TEST_F(CudaElements, of_lists_come_from_tensors) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{7, 2});
  expect_same([&](auto run) {
    Tensor list = run("TensorListFromTensor", {x, sizes({2})}, dtype)[0];
    Tensors out = {run("TensorListStack", {list, sizes({-1})}, dtype)[0]};
    Tensor parts = run("TensorListSplit", {x, sizes({-1, 2}), Tensor::vector<int64_t>({3, 0, 4})}, dtype)[0];
    for (Tensor& t : run("TensorListConcatV2", {parts, sizes({-1, 2}), Tensor::vector<int64_t>({})}, dtype))
      out.push_back(t);
    list = run("TensorListScatterV2", {x, sizes({6, 5, 4, 3, 2, 1, 0}), sizes({2}), number(8)}, dtype)[0];
    out.push_back(run("TensorListStack", {list, sizes({2})}, dtype)[0]);
    list = run("TensorListScatterIntoExistingList", {list, x, sizes({1, 2, 3, 4, 5, 6, 7})}, dtype)[0];
    out.push_back(run("TensorListStack", {list, sizes({2})}, dtype)[0]);
    list = run("TensorListResize", {list, number(2)}, {})[0];
    out.push_back(run("TensorListStack", {list, sizes({2})}, dtype)[0]);
    return out;
  });
}

TEST_F(CudaElements, of_lists_are_added) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{2, 3});
  const Tensor y = random_tensor(DataType::kFloat, Shape{2, 3});
  expect_same([&](auto run) {
    const Tensor a = run("TensorListFromTensor", {x, sizes({3})}, dtype)[0];
    const Tensor b = run("TensorListFromTensor", {y, sizes({3})}, dtype)[0];
    const Tensor sum = run("AddN", {a, b, a}, {})[0];
    const Tensor zero = run("ZerosLike", {sum}, {})[0];
    return Tensors{run("TensorListStack", {sum, sizes({3})}, dtype)[0],
                   run("TensorListStack", {zero, sizes({3})}, dtype)[0],
                   run("TensorListStack", {a, sizes({3})}, dtype)[0]};
  });
}

TEST_F(CudaElements, of_lists_are_lists) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const AttrMap lists{{"element_dtype", DataType::kVariant}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{2, 3});
  expect_same([&](auto run) {
    const Tensor inner = run("TensorListFromTensor", {x, sizes({3})}, dtype)[0];
    Tensor outer = run("EmptyTensorList", {sizes({}), number(-1)}, lists)[0];
    outer = run("TensorListPushBack", {outer, inner}, lists)[0];
    outer = run("TensorListPushBack", {outer, inner}, lists)[0];
    const Tensor item = run("TensorListGetItem", {outer, number(1), sizes({})}, lists)[0];
    return Tensors{run("TensorListStack", {item, sizes({3})}, dtype)[0]};
  });
}

TEST_F(CudaElements, of_lists_of_cpus_are_copied) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{6, 3});
  const Tensor list = run(cpu_, "TensorListFromTensor", {x, sizes({3})}, dtype)[0];
  EXPECT_TRUE(tensors_near(run(gpu_, "TensorListStack", {list, sizes({3})}, dtype)[0], x, 0, 0));
  EXPECT_TRUE(tensors_near(run(gpu_, "TensorListGetItem", {list, number(2), sizes({3})}, dtype)[0],
                           x.slice_rows(2, 3).reshaped(Shape{3}), 0, 0));
}

TEST_F(CudaElements, of_lists_of_gpus_are_refused_by_cpus) {
  const AttrMap dtype{{"element_dtype", DataType::kFloat}};
  const Tensor list =
      run(gpu_, "TensorListFromTensor", {random_tensor(DataType::kFloat, Shape{6, 3}), sizes({3})}, dtype)[0];
  EXPECT_EQ(cpu_.run("TensorListStack", {list, sizes({3})}, dtype).status().code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(cpu_.run("TensorListGetItem", {list, number(0), sizes({3})}, dtype).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(CudaElements, of_arrays_are_written_and_read) {
  const Tensor flow = Tensor::scalar(0.0F);
  for (DataType t : {DataType::kFloat, DataType::kInt32}) {
    const AttrMap dtype{{"dtype", t}};
    const Tensor x = random_tensor(t, Shape{6, 3});
    const Tensor y = random_tensor(t, Shape{3});
    expect_same([&](auto run) {
      AttrMap options = dtype;
      options.set("dynamic_size", true);
      options.set("clear_after_read", false);
      const Tensor array = run("TensorArrayV3", {number(0)}, options)[0];
      run("TensorArrayScatterV3", {array, sizes({5, 4, 3, 2, 1, 0}), x, flow}, {});
      run("TensorArrayWriteV3", {array, number(6), y, flow}, {});
      Tensors out = {run("TensorArrayGatherV3", {array, sizes({0, 6, 2, 1, 3, 4}), flow}, dtype)[0],
                     run("TensorArrayReadV3", {array, number(6), flow}, dtype)[0],
                     run("TensorArraySizeV3", {array, flow}, {})[0]};
      for (Tensor& joined : run("TensorArrayConcatV3", {array, flow}, dtype)) out.push_back(joined);
      run("TensorArrayCloseV3", {array}, {});
      return out;
    });
  }
}

TEST_F(CudaElements, of_gradient_arrays_add_up) {
  const Tensor flow = Tensor::scalar(0.0F);
  const AttrMap dtype{{"dtype", DataType::kFloat}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{3});
  const Tensor y = random_tensor(DataType::kFloat, Shape{3});
  expect_same([&](auto run) {
    AttrMap options = dtype;
    options.set("element_shape", PartialShape(std::vector<int64_t>{3}));
    const Tensor array = run("TensorArrayV3", {number(2)}, options)[0];
    run("TensorArrayWriteV3", {array, number(0), x, flow}, {});
    const Tensor grad = run("TensorArrayGradV3", {array, flow}, {{"source", std::string("g")}})[0];
    run("TensorArrayWriteV3", {grad, number(0), x, flow}, {});
    run("TensorArrayWriteV3", {grad, number(0), y, flow}, {});
    return Tensors{run("TensorArrayReadV3", {grad, number(0), flow}, dtype)[0],
                   run("TensorArrayReadV3", {grad, number(1), flow}, dtype)[0]};
  });
}

TEST_F(CudaElements, of_arrays_are_split) {
  const Tensor flow = Tensor::scalar(0.0F);
  const AttrMap dtype{{"dtype", DataType::kFloat}};
  const Tensor x = random_tensor(DataType::kFloat, Shape{9, 2});
  expect_same([&](auto run) {
    const Tensor array = run("TensorArrayV3", {number(6)}, dtype)[0];
    run("TensorArraySplitV3", {array, x, Tensor::vector<int64_t>({4, 0, 1, 2, 1, 1}), flow}, {});
    return run("TensorArrayConcatV3", {array, flow}, dtype);
  });
}

TEST_F(CudaElements, of_stacks_come_back) {
  for (DataType t : {DataType::kFloat, DataType::kInt32, DataType::kString}) {
    const Tensor a = t == DataType::kString ? Tensor::string_scalar("a") : random_tensor(t, Shape{2});
    expect_same([&](auto run) {
      const Tensor stack = run("StackV2", {number(-1)}, {{"elem_type", t}})[0];
      const Tensor pushed = run("StackPushV2", {stack, a}, {})[0];
      const Tensor popped = run("StackPopV2", {stack}, {{"elem_type", t}})[0];
      run("StackCloseV2", {stack}, {});
      if (t == DataType::kString) return Tensors{};
      return Tensors{pushed, popped};
    });
  }
}

}  // namespace
}  // namespace troupe::test
