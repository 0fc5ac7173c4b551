#include <gtest/gtest.h>

#include <Eigen/Core>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

/// Small whole numbers, so that sums are exact.
template <class T>
Tensor sample(const Shape& shape, int seed) {
  Tensor t(dtype_of<T>(), shape);
  int64_t i = seed;
  for (T& v : t.flat<T>()) v = static_cast<T>(static_cast<float>((i++ * 29 + 7) % 13 - 6));
  return t;
}

/// Channels, the last dimension, before space; or back.
Tensor channels_first(const Tensor& t, bool back = false) {
  const int rank = t.rank();
  std::vector<int32_t> order = {0};
  if (!back) order.push_back(rank - 1);
  for (int i = back ? 2 : 1; i < (back ? rank : rank - 1); ++i) order.push_back(i);
  if (back) order.push_back(1);
  auto out =
      run_kernel("Transpose", {t, Tensor::from<int32_t>(Shape{rank}, order)}, {{"Tperm", DataType::kInt32}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out->at(0);
}

/// A fused convolution whose `vectors` go with the channels, of an image and a summand.
void expect_same_in_either_layout(const std::string& op, const Tensor& x, const Tensor& w,
                                  const std::vector<Tensor>& vectors, const Tensor& summand,
                                  const std::vector<std::string>& fused_ops) {
  SCOPED_TRACE(op);
  AttrMap attrs = {{"padding", "SAME"},
                   {"strides", std::vector<int64_t>(static_cast<size_t>(x.rank()), 1)},
                   {"num_args", static_cast<int64_t>(vectors.size()) + 1},
                   {"fused_ops", fused_ops}};
  std::vector<Tensor> in = {x, w};
  in.insert(in.end(), vectors.begin(), vectors.end());
  in.push_back(summand);
  if (op == "_FusedConv2D") {
    attrs.set("TArgs", std::vector<DataType>(vectors.size() + 1, x.dtype()));
    attrs.set("num_host_args", 0);
  }
  const auto last = run_kernel(op, in, attrs);
  ASSERT_TRUE(last.ok()) << last.status();
  attrs.set("data_format", x.rank() == 4 ? "NCHW" : "NCDHW");
  for (Tensor* t : {&in.front(), &in.back()}) *t = channels_first(*t);
  const auto first = run_kernel(op, in, attrs);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(tensors_near(channels_first(first->at(0), true), last->at(0)));
}

TEST(FusedConv, adds_the_same_in_either_layout) {
  const Tensor bias = sample<float>(Shape{6}, 3);
  const std::vector<std::string> ops = {"BiasAdd", "Add", "Relu"};
  expect_same_in_either_layout("_FusedConv2D", sample<float>(Shape{2, 5, 4, 3}, 1),
                               sample<float>(Shape{2, 2, 3, 6}, 2), {bias},
                               sample<float>(Shape{2, 5, 4, 6}, 4), ops);
  expect_same_in_either_layout("_FusedDepthwiseConv2dNative", sample<float>(Shape{2, 5, 4, 3}, 1),
                               sample<float>(Shape{2, 2, 3, 2}, 2), {bias},
                               sample<float>(Shape{2, 5, 4, 6}, 4), ops);
  expect_same_in_either_layout("_FusedConv3D", sample<float>(Shape{2, 3, 5, 4, 3}, 1),
                               sample<float>(Shape{2, 2, 2, 3, 6}, 2), {bias},
                               sample<float>(Shape{2, 3, 5, 4, 6}, 4), ops);
}

TEST(FusedConv, normalises_and_adds_the_same_in_either_layout) {
  const std::vector<Tensor> vectors = {sample<float>(Shape{6}, 5), sample<float>(Shape{6}, 6),
                                       sample<float>(Shape{6}, 7),
                                       Tensor::from<float>(Shape{6}, {1, 2, 3, 4, 5, 6})};
  expect_same_in_either_layout("_FusedConv2D", sample<float>(Shape{2, 5, 4, 3}, 1),
                               sample<float>(Shape{2, 2, 3, 6}, 2), vectors,
                               sample<float>(Shape{2, 5, 4, 6}, 4), {"FusedBatchNorm", "Add", "Elu"});
}

TEST(FusedConv, adds_halves_the_same_in_either_layout) {
  expect_same_in_either_layout("_FusedConv2D", sample<Eigen::half>(Shape{2, 5, 4, 3}, 1),
                               sample<Eigen::half>(Shape{2, 2, 3, 6}, 2), {sample<Eigen::half>(Shape{6}, 3)},
                               sample<Eigen::half>(Shape{2, 5, 4, 6}, 4), {"BiasAdd", "Add", "Relu"});
}

}  // namespace
}  // namespace troupe::test
