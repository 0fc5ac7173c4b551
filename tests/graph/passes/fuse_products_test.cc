#include "graph/passes/fuse_products.h"

#include "tests/graph/passes/rewriting.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class FuseProducts : public Rewriting {
 protected:
  int64_t run(const std::vector<Out>& roots) { return rewrite(fuse_products, roots)["fused"]; }
  std::vector<std::string> fused_ops(Out x) const {
    return node(x).attrs.get_or("fused_ops", std::vector<std::string>());
  }
  Out conv(Out x, Out w, const std::string& op = "Conv2D") {
    return b.op(op, {x, w}, {{"strides", kStrides}, {"padding", "SAME"}}, "conv");
  }
  /// In inference mode unless told otherwise.
  Out normalised(Out x, const AttrMap& more = {}) {
    AttrMap attrs{{"is_training", false}, {"epsilon", 0.01f}};
    for (const auto& [name, value] : more) attrs.set(name, value);
    return b.op("FusedBatchNormV3", {x, input("scale"), input("offset"), input("mean"), input("variance")},
                attrs, "norm");
  }
  Out vector(const std::string& name) { return b.constant(Tensor::vector<float>({1, 2}), name); }

  const std::vector<int64_t> kStrides{1, 2, 2, 1};
};

TEST_F(FuseProducts, makes_one_node_of_product_bias_and_activation) {
  Out x = input("x"), w = input("w"), bias = input("bias");
  Out product = b.op("MatMul", {x, w}, {{"transpose_b", true}}), biased = b.bias_add(product, bias);
  Out y = b.op("Relu", {biased}, {{"_mine", int64_t{7}}}, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "_FusedMatMul(x, w, bias)");
  EXPECT_THAT(fused_ops(y), ElementsAre("BiasAdd", "Relu"));
  EXPECT_EQ(node(y).name, "y") << "as TensorFlow calls it, and errors do";
  EXPECT_TRUE(node(y).attrs.get_or("transpose_b", false));
  EXPECT_EQ(node(y).attrs.get_or<int64_t>("num_args", 0), 1);
  EXPECT_EQ(node(y).attrs.get_or<int64_t>("_mine", 0), 7);
  EXPECT_FALSE(node(y).attrs.contains("_bias_broadcasts"));
  EXPECT_THAT(node(y).input_types, testing::SizeIs(3));
  EXPECT_EQ(now(product), "gone");
  EXPECT_EQ(now(biased), "gone");
}

TEST_F(FuseProducts, knows_the_activations_that_kernels_do) {
  Out x = input("x"), w = input("w");
  std::vector<Out> all;
  for (const char* op : {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu"})
    all.push_back(b.op(op, {b.bias_add(b.matmul(x, w), vector("bias"))}));
  Out other = b.op("Softplus", {b.bias_add(b.matmul(x, w), vector("bias"), "before")});
  all.push_back(other);
  EXPECT_EQ(run(all), 7);
  for (size_t i = 0; i < 6; ++i) EXPECT_TRUE(node(all[i]).is("_FusedMatMul"));
  EXPECT_EQ(now(other), "Softplus(before)");
}

TEST_F(FuseProducts, takes_along_the_slope_of_an_activation) {
  Out y =
      b.op("LeakyRelu", {b.bias_add(b.matmul(input("x"), input("w")), vector("bias"))}, {{"alpha", 0.5f}});
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(node(y).attrs.get_or<float>("leakyrelu_alpha", 0), 0.5f);
}

TEST_F(FuseProducts, takes_a_sum_with_a_vector_for_a_bias_that_may_turn_out_otherwise) {
  Out x = input("x"), w = input("w"), constant = b.add(vector("c"), b.matmul(x, w));
  auto resource = b.variable(Tensor::vector<float>({1, 2}), "v");
  Out variable = b.add(b.matmul(x, w), b.read(resource, "read"));
  auto matrix = b.variable(Tensor::from<float>(Shape{1, 2}, {1, 2}), "m");
  Out no_vector = b.add(b.matmul(x, w, "product"), b.read(matrix, "read_matrix"));
  Out unknown = b.add(b.matmul(x, w, "another"), input("u"));
  EXPECT_EQ(run({constant, variable, no_vector, unknown}), 2);
  EXPECT_EQ(now(constant), "_FusedMatMul(x, w, c)");
  EXPECT_EQ(now(variable), "_FusedMatMul(x, w, read)");
  EXPECT_THAT(fused_ops(variable), ElementsAre("BiasAdd"));
  EXPECT_TRUE(node(variable).attrs.get_or("_bias_broadcasts", false));
  EXPECT_EQ(now(no_vector), "AddV2(product, read_matrix)");
  EXPECT_EQ(now(unknown), "AddV2(another, u)");
}

TEST_F(FuseProducts, makes_one_node_of_a_convolution_and_all_behind_it) {
  Out x = input("x"), w = input("w"), shortcut = input("shortcut");
  Out y = b.relu(b.add(shortcut, normalised(conv(x, w))), "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "_FusedConv2D(x, w, scale, offset, mean, variance, shortcut)");
  EXPECT_THAT(fused_ops(y), ElementsAre("FusedBatchNorm", "Add", "Relu"));
  EXPECT_EQ(node(y).attrs.get_or<float>("epsilon", 0), 0.01f);
  EXPECT_EQ(node(y).attrs.get_or("strides", std::vector<int64_t>()), kStrides);
  EXPECT_EQ(node(y).attrs.get_or("TArgs", std::vector<DataType>()).size(), 5u);
}

TEST_F(FuseProducts, leaves_a_normalisation_whose_moments_somebody_takes) {
  Out norm = normalised(conv(input("x"), input("w")));
  Out gradient =
      b.op("FusedBatchNormGradV3", {input("dy"), input("x2"), input("scale2"), norm[3], norm[4], norm[5]},
           {{"is_training", false}});
  EXPECT_EQ(run({b.relu(norm), gradient}), 0);
  EXPECT_EQ(now(norm), "FusedBatchNormV3(conv, scale, offset, mean, variance)");
}

TEST_F(FuseProducts, leaves_a_normalisation_whose_moments_are_fetched) {
  Out norm = normalised(conv(input("x"), input("w")));
  Out fetched = b.op("_Retval", {norm}, {{"index", int64_t{0}}}),
      mean = b.op("_Retval", {norm[1]}, {{"index", int64_t{1}}});
  EXPECT_EQ(run({fetched, mean}), 0);
}

TEST_F(FuseProducts, fuses_a_normalisation_that_is_the_last_of_its_chain) {
  Out norm = normalised(conv(input("x"), input("w")));
  Out fetched = b.op("_Retval", {norm}, {{"index", int64_t{0}}});
  EXPECT_EQ(run({fetched}), 1);
  EXPECT_EQ(now(norm), "_FusedConv2D(x, w, scale, offset, mean, variance)");
}

TEST_F(FuseProducts, fuses_convolutions_by_depth) {
  Out y = b.op("Relu6", {b.bias_add(conv(input("x"), input("w"), "DepthwiseConv2dNative"), vector("bias"))},
               {}, "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "_FusedDepthwiseConv2dNative(x, w, bias)");
  EXPECT_THAT(fused_ops(y), ElementsAre("BiasAdd", "Relu6"));
}

TEST_F(FuseProducts, leaves_by_depth_what_is_padded_explicitly) {
  Out padded = b.op("DepthwiseConv2dNative", {input("x"), input("w")},
                    {{"strides", kStrides},
                     {"padding", "EXPLICIT"},
                     {"explicit_paddings", std::vector<int64_t>{0, 0, 1, 1, 1, 1, 0, 0}}});
  EXPECT_EQ(run({b.bias_add(padded, vector("bias"))}), 0);
}

TEST_F(FuseProducts, leaves_a_normalisation_that_learns) {
  EXPECT_EQ(run({b.relu(normalised(conv(input("x"), input("w")), {{"is_training", true}}))}), 0);
}

TEST_F(FuseProducts, leaves_channels_that_come_first) {
  const AttrMap first{{"strides", kStrides}, {"padding", "SAME"}, {"data_format", "NCHW"}};
  Out product = b.op("Conv2D", {input("x"), input("w")}, first);
  Out odd = b.op("BiasAdd", {conv(input("u"), input("v")), vector("c")}, {{"data_format", "NCHW"}});
  EXPECT_EQ(run({b.op("BiasAdd", {product, vector("b")}, {{"data_format", "NCHW"}}), odd}), 0);
}

TEST_F(FuseProducts, leaves_other_types) {
  Out product = b.matmul(input("x", DataType::kDouble), input("w", DataType::kDouble));
  EXPECT_EQ(run({b.bias_add(product, input("bias", DataType::kDouble))}), 0);
}

TEST_F(FuseProducts, stops_at_what_somebody_else_uses) {
  Out product = b.matmul(input("x"), input("w"), "product"),
      biased = b.bias_add(product, vector("bias"), "biased");
  Out y = b.relu(biased, "y"), other = b.neg(biased, "other");
  EXPECT_EQ(run({y, other}), 1);
  EXPECT_THAT(fused_ops(biased), ElementsAre("BiasAdd"));
  EXPECT_EQ(now(y), "Relu(biased)");
}

TEST_F(FuseProducts, leaves_what_is_fetched_waited_for_or_must_survive) {
  auto biased = [&](const std::string& name) {
    Out product = b.matmul(input("x_" + name), input("w_" + name), name);
    return std::pair(product, b.bias_add(product, vector("b_" + name)));
  };
  auto [fetched, y1] = biased("fetched");
  auto [waited, y2] = biased("waited");
  auto [root, y3] = biased("root");
  Out retval = b.op("_Retval", {fetched}, {{"index", int64_t{0}}}), after = b.group({waited}, "after");
  EXPECT_EQ(run({y1, y2, y3, retval, after, root}), 0);
}

TEST_F(FuseProducts, leaves_what_is_on_several_devices) {
  Out product = b.matmul(input("x"), input("w")), y = b.bias_add(product, vector("bias"));
  elsewhere = {y};
  EXPECT_EQ(run({y}), 0);
}

TEST_F(FuseProducts, leaves_what_its_device_has_no_kernel_for) {
  devices.without = "_FusedMatMul";
  EXPECT_EQ(run({b.bias_add(b.matmul(input("x"), input("w")), vector("bias"))}), 0);
}

TEST_F(FuseProducts, leaves_nodes_that_it_is_not_to_consider) {
  consider = [](const Node& n) { return !n.is("BiasAdd"); };
  EXPECT_EQ(run({b.bias_add(b.matmul(input("x"), input("w")), vector("bias"))}), 0);
}

TEST_F(FuseProducts, leaves_what_reads_a_reference) {
  auto w = b.ref_variable(Tensor::from<float>(Shape{1, 1}, {1}), "w");
  EXPECT_EQ(run({b.bias_add(b.matmul(input("x"), w.handle), vector("bias"))}), 0);
}

TEST_F(FuseProducts, leaves_a_product_that_is_its_own_bias_or_summand) {
  Out product = b.matmul(input("x"), input("w")), own = b.bias_add(input("u"), product);
  Out biased = b.bias_add(b.matmul(input("p"), input("q")), vector("bias")),
      twice = b.add(biased, biased, "twice");
  EXPECT_EQ(run({own, twice}), 1);
  EXPECT_TRUE(node(own).is("BiasAdd"));
  EXPECT_TRUE(node(twice).is("AddV2"));
}

TEST_F(FuseProducts, leaves_sums_with_single_numbers) {
  Out biased = b.bias_add(b.matmul(input("x"), input("w")), vector("bias"), "biased");
  Out y = b.add(biased, b.constant(1.0f, "one"), "y");
  EXPECT_EQ(run({y}), 1);
  EXPECT_EQ(now(y), "AddV2(biased, one)");
}

TEST_F(FuseProducts, gives_a_sum_of_two_products_to_one_of_them) {
  Out left = b.bias_add(b.matmul(input("x"), input("w")), vector("b1"), "left");
  Out right = b.bias_add(b.matmul(input("u"), input("v")), vector("b2"), "right");
  Out y = b.add(left, right, "y");
  EXPECT_EQ(run({y}), 2);
  EXPECT_EQ(now(y), "_FusedMatMul(x, w, b1, right)");
  EXPECT_EQ(now(right), "_FusedMatMul(u, v, b2)");
}

TEST_F(FuseProducts, waits_for_all_that_was_waited_for) {
  Out x = input("x"), w = input("w"), bias = vector("bias");
  Out first = b.group({}, "first"), second = b.group({}, "second"), product, y;
  {
    auto waits = b.control({first});
    product = b.matmul(x, w);
  }
  {
    auto waits = b.control({first, second});
    y = b.bias_add(product, bias);
  }
  EXPECT_EQ(run({y}), 1);
  EXPECT_THAT(waits(y), UnorderedElementsAre("first", "second"));
}

}  // namespace
}  // namespace troupe
