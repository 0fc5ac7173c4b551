// Products with what is done to their results, against the kernels of the single operations.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::HasSubstr;

absl::string_view bytes_of(const Tensor& t) { return {static_cast<const char*>(t.raw()), t.bytes()}; }

using Names = std::vector<std::string>;

Tensor sample(const Shape& shape, int seed) {
  Tensor t(DataType::kFloat, shape);
  int64_t i = seed;
  for (float& v : t.flat<float>()) v = static_cast<float>((i++ * 29 + 7) % 13 - 6) / 4;
  return t;
}

Tensor one(const std::string& op, const std::vector<Tensor>& inputs, const AttrMap& attrs = {}) {
  auto out = run_kernel(op, inputs, attrs);
  EXPECT_TRUE(out.ok()) << op << ": " << out.status();
  return out.ok() ? out->at(0) : Tensor();
}

void expect_same(const absl::StatusOr<std::vector<Tensor>>& got, const Tensor& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->at(0).shape(), want.shape());
  EXPECT_TRUE(bytes_of(got->at(0)) == bytes_of(want)) << "to the bit";
}

AttrMap fused(const Names& ops, int num_args, AttrMap more = {}) {
  more.set("fused_ops", ops);
  more.set("num_args", static_cast<int64_t>(num_args));
  return more;
}

class FusedProducts : public testing::Test {
 protected:
  absl::StatusOr<std::vector<Tensor>> matmul(const Names& ops, const std::vector<Tensor>& args,
                                             AttrMap more = {}) {
    std::vector<Tensor> inputs{a, w};
    inputs.insert(inputs.end(), args.begin(), args.end());
    return run_kernel("_FusedMatMul", inputs, fused(ops, static_cast<int>(args.size()), std::move(more)));
  }
  const Tensor a = sample(Shape{70, 33}, 1), w = sample(Shape{33, 90}, 2), bias = sample(Shape{90}, 3);
  const Tensor product = one("MatMul", {a, w});
};

TEST_F(FusedProducts, have_the_bits_of_the_single_operations) {
  const Tensor biased = one("BiasAdd", {product, bias});
  expect_same(matmul({"BiasAdd"}, {bias}), biased);
  for (const char* op : {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"}) {
    SCOPED_TRACE(op);
    expect_same(matmul({"BiasAdd", op}, {bias}), one(op, {biased}));
  }
  expect_same(matmul({"BiasAdd", "LeakyRelu"}, {bias}, {{"leakyrelu_alpha", 0.3f}}),
              one("LeakyRelu", {biased}, {{"alpha", 0.3f}}));
  const Tensor other = sample(Shape{70, 90}, 4);
  expect_same(matmul({"BiasAdd", "Add", "Relu"}, {bias, other}),
              one("Relu", {one("AddV2", {biased, other})}));
}

TEST_F(FusedProducts, add_a_bias_of_any_shape_that_a_sum_would_take) {
  const AttrMap any{{"_bias_broadcasts", true}};
  for (const Shape& shape : {Shape{90}, Shape{}, Shape{1}, Shape{70, 1}, Shape{70, 90}, Shape{3, 1, 90}}) {
    SCOPED_TRACE(shape.to_string());
    const Tensor b = sample(shape, 5);
    expect_same(matmul({"BiasAdd", "Relu"}, {b}, any), one("Relu", {one("AddV2", {product, b})}));
  }
  const auto wrong = matmul({"BiasAdd"}, {sample(Shape{7}, 5)}, any);
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("Incompatible shapes: [70,90] vs. [7]"));
}

TEST_F(FusedProducts, add_a_summand_of_another_shape) {
  const Tensor column = sample(Shape{70, 1}, 6), biased = one("BiasAdd", {product, bias});
  expect_same(matmul({"BiasAdd", "Add", "Tanh"}, {bias, column}),
              one("Tanh", {one("AddV2", {biased, column})}));
  const auto wrong = matmul({"BiasAdd", "Add"}, {bias, sample(Shape{71, 90}, 6)});
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("Incompatible shapes: [70,90] vs. [71,90]"));
}

TEST_F(FusedProducts, refuse_a_bias_as_bias_add_does) {
  EXPECT_THAT(
      std::string(matmul({"BiasAdd"}, {sample(Shape{7}, 5)}).status().message()),
      HasSubstr("Must provide as many biases as the last dimension of the input tensor: [7] vs. [70,90]"));
  EXPECT_THAT(std::string(matmul({"BiasAdd"}, {sample(Shape{1, 90}, 5)}).status().message()),
              HasSubstr("Biases must be 1D: [1,90]"));
  EXPECT_THAT(std::string(matmul({"BiasAdd", "Relu"}, {}).status().message()),
              HasSubstr("Fused op expects 1 extra arguments, got 0"));
  EXPECT_EQ(matmul({"BiasAdd", "Relu", "Relu"}, {bias}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(FusedProducts, of_nothing_are_nothing) {
  const Tensor none(DataType::kFloat, Shape{0, 33});
  auto out = run_kernel("_FusedMatMul", {none, w, bias}, fused({"BiasAdd", "Relu"}, 1));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{0, 90}));
}

class FusedConvolutions : public testing::Test {
 protected:
  static AttrMap window(AttrMap more = {}) {
    more.set("strides", std::vector<int64_t>{1, 1, 1, 1});
    more.set("padding", "SAME");
    return more;
  }
  static AttrMap fused_window(const Names& ops, int num_args, bool types) {
    AttrMap attrs = window(fused(ops, num_args, {{"epsilon", 0.01f}}));
    if (types) attrs.set("TArgs", std::vector<DataType>(static_cast<size_t>(num_args), DataType::kFloat));
    return attrs;
  }
  const Tensor x = sample(Shape{2, 9, 9, 20}, 1);
};

TEST_F(FusedConvolutions, have_the_bits_of_the_single_operations) {
  const Tensor w = sample(Shape{3, 3, 20, 24}, 2), bias = sample(Shape{24}, 3);
  const Tensor product = one("Conv2D", {x, w}, window());
  expect_same(run_kernel("_FusedConv2D", {x, w, bias}, fused_window({"BiasAdd", "Relu"}, 1, true)),
              one("Relu", {one("BiasAdd", {product, bias})}));
  Tensor variance = sample(Shape{24}, 6);
  for (float& v : variance.flat<float>()) v = v * v + 0.5f;
  const Tensor scale = sample(Shape{24}, 4), offset = sample(Shape{24}, 5), mean = sample(Shape{24}, 7);
  const Tensor normal = one("FusedBatchNormV3", {product, scale, offset, mean, variance},
                            {{"is_training", false}, {"epsilon", 0.01f}});
  const Tensor shortcut = sample(Shape{2, 9, 9, 24}, 8);
  expect_same(run_kernel("_FusedConv2D", {x, w, scale, offset, mean, variance, shortcut},
                         fused_window({"FusedBatchNorm", "Add", "Relu6"}, 5, true)),
              one("Relu6", {one("AddV2", {normal, shortcut})}));
  const Tensor channel = sample(Shape{2, 1, 1, 24}, 9);
  expect_same(run_kernel("_FusedConv2D", {x, w, scale, offset, mean, variance, channel},
                         fused_window({"FusedBatchNorm", "Add", "Relu6"}, 5, true)),
              one("Relu6", {one("AddV2", {normal, channel})}));
}

TEST_F(FusedConvolutions, by_depth_have_the_bits_of_the_single_operations) {
  const Tensor w = sample(Shape{3, 3, 20, 2}, 2), bias = sample(Shape{40}, 3);
  const Tensor product = one("DepthwiseConv2dNative", {x, w}, window());
  expect_same(
      run_kernel("_FusedDepthwiseConv2dNative", {x, w, bias}, fused_window({"BiasAdd", "Relu6"}, 1, false)),
      one("Relu6", {one("BiasAdd", {product, bias})}));
}

TEST_F(FusedConvolutions, refuse_a_normalisation_as_fused_batch_norm_does) {
  const Tensor w = sample(Shape{3, 3, 20, 24}, 2), good = sample(Shape{24}, 3), bad = sample(Shape{23}, 3);
  const AttrMap attrs = fused_window({"FusedBatchNorm"}, 4, true);
  EXPECT_THAT(
      std::string(run_kernel("_FusedConv2D", {x, w, bad, good, good, good}, attrs).status().message()),
      HasSubstr("scale must have the same number of elements as the channels of x, got 23 and 24"));
  EXPECT_THAT(
      std::string(run_kernel("_FusedConv2D", {x, w, good, good, bad, good}, attrs).status().message()),
      HasSubstr("When is_training=false, mean must have the same number of elements"));
}

}  // namespace
}  // namespace troupe::test
