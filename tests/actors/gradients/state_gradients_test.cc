#include <limits>

#include "absl/strings/str_cat.h"
#include "actors/session.h"
#include "graph/gradients/gradients.h"
#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

constexpr DataType kDouble = DataType::kDouble;

/// The gradient of `make`'s result with respect to the variable's handle, after its initializer.
absl::StatusOr<Tensor> variable_gradient(const Tensor& initial,
                                         const std::function<Out(GraphBuilder&, Out)>& make) {
  GraphBuilder b;
  const GraphBuilder::Variable v = b.variable(initial, "v");
  const Out y = make(b, v.handle);
  b.init_all("init");
  const Endpoint ys[] = {y.endpoint()}, xs[] = {v.handle.endpoint()};
  TROUPE_ASSIGN_OR_RETURN(Graph graph, b.build());
  std::vector<Endpoint> dx;
  TROUPE_RETURN_IF_ERROR(add_gradients(&graph, {}, ys, xs, {}, &dx));
  if (dx[0].node < 0) return absl::NotFoundError("no gradient");
  const std::string fetch = absl::StrCat(graph.node(dx[0].node).name, ":", dx[0].slot);
  TROUPE_ASSIGN_OR_RETURN(auto session, Session::open());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));
  TROUPE_RETURN_IF_ERROR(session->run({}, {}, {"init"}).status());
  TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> out, session->run({}, {fetch}));
  return out[0];
}

std::vector<double> numbers(const absl::StatusOr<Tensor>& t) {
  EXPECT_TRUE(t.ok()) << t.status();
  if (!t.ok()) return {};
  return {t->flat<double>().begin(), t->flat<double>().end()};
}

TEST(VariableGradients, are_those_of_the_value) {
  const auto g = variable_gradient(Tensor::vector<double>({1, 2, 3}), [](GraphBuilder& b, Out v) {
    return b.op("Square", {b.op("ReadVariableOp", {v}, {{"dtype", kDouble}})});
  });
  EXPECT_EQ(numbers(g), (std::vector<double>{2, 4, 6}));
}

TEST(VariableGradients, go_through_loops_that_read_the_variable) {
  const auto g = variable_gradient(Tensor::vector<double>({1, 2, 3}), [](GraphBuilder& b, Out v) {
    const std::vector<Out> all = b.while_loop(
        {b.constant(0), b.constant(Tensor::scalar<double>(1))},
        [&](const std::vector<Out>& in) { return b.less(in[0], b.constant(3)); },
        [&](const std::vector<Out>& in) {
          const Out now = b.op("ReadVariableOp", {v}, {{"dtype", kDouble}});
          return std::vector<Out>{b.add(in[0], b.constant(1)),
                                  b.mul(in[1], b.op("Sum", {now, b.constant(0)}))};
        });
    return all[1];
  });
  EXPECT_EQ(numbers(g), (std::vector<double>{108, 108, 108})) << "of the third power of the sum";
}

TEST(VariableGradients, go_through_the_branch_that_reads_the_variable) {
  for (bool reads : {true, false}) {
    const auto g = variable_gradient(Tensor::vector<double>({1, 2, 3}), [&](GraphBuilder& b, Out v) {
      return b.cond(
          b.constant(reads),
          [&] {
            return std::vector<Out>{b.op("Square", {b.op("ReadVariableOp", {v}, {{"dtype", kDouble}})})};
          },
          [&] {
            return std::vector<Out>{b.constant(Tensor::vector<double>({7, 8, 9}))};
          })[0];
    });
    EXPECT_EQ(numbers(g), reads ? (std::vector<double>{2, 4, 6}) : (std::vector<double>{0, 0, 0}));
  }
}

TEST(VariableGradients, of_gathered_rows_are_dense) {
  const Tensor value = Tensor::from<double>(Shape{3, 2}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  const auto rows = variable_gradient(value, [](GraphBuilder& b, Out v) {
    const Out at = b.constant(Tensor::vector<int32_t>({2, 0, 2}));
    return b.op("Square", {b.op("ResourceGather", {v, at}, {{"dtype", kDouble}})});
  });
  EXPECT_EQ(numbers(rows), (std::vector<double>{2, 4, 0, 0, 20, 24}));
  const auto elements = variable_gradient(value, [](GraphBuilder& b, Out v) {
    const Out at = b.constant(Tensor::from<int32_t>(Shape{2, 2}, {0, 1, 2, 0}));
    return b.op("Square", {b.op("ResourceGatherNd", {v, at}, {{"dtype", kDouble}})});
  });
  EXPECT_EQ(numbers(elements), (std::vector<double>{0, 4, 0, 0, 10, 0}));
}

TEST(RandomGradients, of_gamma_samples_follow_the_implicit_derivative) {
  // The sample of a seed moves with alpha; its slope cannot be had by differences across rejections, but is positive.
  GraphBuilder b;
  const Out alpha = b.placeholder(kDouble, {}, "alpha");
  const Out shape = b.constant(Tensor::vector<int32_t>({4, 2})),
            seed = b.constant(Tensor::vector<int32_t>({3, 4}));
  const Out y = b.op("StatelessRandomGammaV2", {shape, seed, alpha});
  const Endpoint ys[] = {y.endpoint()}, xs[] = {alpha.endpoint()};
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::vector<Endpoint> dx;
  ASSERT_TRUE(add_gradients(&*graph, {}, ys, xs, {}, &dx).ok());
  const std::string fetch = graph->node(dx[0].node).name;
  auto session = Session::open();
  ASSERT_TRUE(session.ok() && (*session)->create(*std::move(graph)).ok());
  auto out = (*session)->run({{"alpha", Tensor::vector<double>({1.5, 3.0})}}, {fetch});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ((*out)[0].shape(), Shape{2});
  for (double g : (*out)[0].flat<double>()) EXPECT_GT(g, 0);
}

TEST(RandomGradients, of_truncated_normals_are_those_of_tensorflow) {
  GraphBuilder b;
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Tensor> parameters{
      Tensor::vector<double>({0.1, -0.2}), Tensor::from<double>(Shape{2, 1}, {0.5, 2.0}),
      Tensor::scalar<double>(-1.0), Tensor::from<double>(Shape{2, 2}, {0.5, 1.0, inf, 2.0})};
  const std::vector<std::vector<double>> want{{6, 6},
                                              {-1.967589720308, 2.207699172585},
                                              {3.603269462752},
                                              {0.973957499134, 0.079163011759, 0, 1.053720519614}};
  std::vector<In> in{b.constant(Tensor::vector<int32_t>({3, 2, 2})),
                     b.constant(Tensor::vector<int32_t>({3, 4}))};
  std::vector<Endpoint> xs, dx;
  std::vector<NamedTensor> feeds;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = absl::StrCat("p", i);
    const Out p = b.placeholder(kDouble, {}, name);
    in.push_back(p);
    xs.push_back(p.endpoint());
    feeds.push_back({name, parameters[i]});
  }
  const Endpoint ys[] = {b.op("StatelessParameterizedTruncatedNormal", in).endpoint()};
  auto graph = b.build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_TRUE(add_gradients(&*graph, {}, ys, xs, {}, &dx).ok());
  std::vector<std::string> names;
  for (Endpoint e : dx) names.push_back(absl::StrCat(graph->node(e.node).name, ":", e.slot));
  auto session = Session::open();
  ASSERT_TRUE(session.ok() && (*session)->create(*std::move(graph)).ok());
  auto out = (*session)->run(feeds, names);
  ASSERT_TRUE(out.ok()) << out.status();
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ((*out)[i].shape(), parameters[i].shape());
    for (size_t k = 0; k < want[i].size(); ++k)
      EXPECT_NEAR((*out)[i].flat<double>()[k], want[i][k], 1e-9) << i;
  }
}

TEST(HandOnGradients, agree_with_differences) {
  for (const char* op : {"GuaranteeConst", "Copy", "DebugGradientIdentity", "DebugIdentityV2"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({3})})) << op;
  }
  EXPECT_TRUE(op_gradients_match("CheckNumericsV2", {varied({3})}, {{"message", "m"}}));
  EXPECT_TRUE(op_gradients_match("NextAfter", {varied({2, 3}), varied({3}, 5, 6)}));
}

TEST(OptionalGradients, agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2}), varied({3})}, [](GraphBuilder& b, const std::vector<Out>& in) {
    const Out optional = b.op("OptionalFromValue", {in});
    const std::vector<DataType> types{kDouble, kDouble};
    const std::vector<PartialShape> shapes{PartialShape({2}), PartialShape({3})};
    const Out back =
        b.op("OptionalGetValue", {optional}, {{"output_types", types}, {"output_shapes", shapes}});
    return std::vector<Out>{b.op("Square", {back}), b.op("Sin", {back[1]})};
  }));
}

TEST(CompositeGradients, agree_with_differences) {
  const std::vector<DataType> types{kDouble, DataType::kInt32, kDouble};
  EXPECT_TRUE(gradients_match({varied({2}), fixed_ints({5}), varied({3})}, [&](GraphBuilder& b,
                                                                               const std::vector<Out>& in) {
    const Out coded = b.op("CompositeTensorVariantFromComponents", {in}, {{"metadata", ""}});
    const Out back =
        b.op("CompositeTensorVariantToComponents", {coded}, {{"metadata", ""}, {"Tcomponents", types}});
    return std::vector<Out>{b.op("Square", {back})};
  })) << "and zeros for the component that nobody uses";
}

TEST(MapGradients, agree_with_differences) {
  EXPECT_TRUE(gradients_match({varied({2})}, [](GraphBuilder& b, const std::vector<Out>& in) {
    const Out map = b.op("TensorMapInsert", {b.op("EmptyTensorMap"), b.constant(7), in[0]});
    return std::vector<Out>{
        b.op("Square", {b.op("TensorMapLookup", {map, b.constant(7)}, {{"value_dtype", kDouble}})})};
  }));
}

TEST(ListGradients, of_concatenation_agree_with_differences) {
  const AttrMap element{{"element_dtype", kDouble}};
  EXPECT_TRUE(gradients_match({varied({5, 2})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({-1, 2}));
    const Out lengths = b.constant(Tensor::vector<int64_t>({2, 3}));
    const Out list = b.op("TensorListSplit", {in[0], shape, lengths}, element);
    const Out none = b.constant(Tensor(DataType::kInt64, Shape{0}));
    return std::vector<Out>{b.op("Square", {b.op("TensorListConcatV2", {list, shape, none}, element)})};
  })) << "split, concat";
  EXPECT_TRUE(gradients_match({varied({2, 2}), varied({1, 2})}, [&](GraphBuilder& b,
                                                                    const std::vector<Out>& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({2})), at = b.constant(Tensor::vector<int32_t>({1}));
    const Out list = b.op("TensorListFromTensor", {in[0], shape}, element);
    const Out changed = b.op("TensorListScatterIntoExistingList", {list, in[1], at}, element);
    return std::vector<Out>{b.op("TensorListStack", {changed, shape}, element)};
  })) << "scatter into";
  EXPECT_TRUE(gradients_match({varied({2, 2})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
    const Out shape = b.constant(Tensor::vector<int32_t>({2}));
    const Out list = b.op("TensorListFromTensor", {in[0], shape}, element);
    const Out more = b.op("TensorListResize", {list, b.constant(3)});
    return std::vector<Out>{b.op("TensorListStack", {more, shape}, element)};
  })) << "resize";
}

TEST(RaggedGradients, agree_with_differences) {
  const Input splits = fixed(Tensor::vector<int64_t>({0, 2, 3}));
  EXPECT_TRUE(gradients_match({varied({3}), splits}, [](GraphBuilder& b, const std::vector<Out>& in) {
    const Out sparse = b.op("RaggedTensorToSparse", {std::vector<Out>{in[1]}, in[0]});
    return std::vector<Out>{b.op("Square", {sparse[1]})};
  })) << "to sparse";
  EXPECT_TRUE(gradients_match({varied({3, 2}), varied({2}), splits}, [](GraphBuilder& b,
                                                                        const std::vector<Out>& in) {
    const Out shape = b.constant(Tensor::vector<int64_t>({2, 3, 2}));
    const std::vector<std::string> types{"ROW_SPLITS"};
    return std::vector<Out>{
        b.op("Square", {b.op("RaggedTensorToTensor", {shape, in[0], in[1], std::vector<Out>{in[2]}},
                             {{"row_partition_types", types}})})};
  })) << "to tensor";
  for (bool batched : {false, true}) {
    EXPECT_TRUE(gradients_match(
        {varied({3}), splits},
        [&](GraphBuilder& b, const std::vector<Out>& in) {
          const Out coded =
              b.op("RaggedTensorToVariant", {std::vector<Out>{in[1]}, in[0]}, {{"batched_input", batched}});
          const Out back =
              b.op("RaggedTensorFromVariant", {coded},
                   {{"input_ragged_rank", batched ? 0 : 1}, {"output_ragged_rank", 1}, {"Tvalues", kDouble}});
          return std::vector<Out>{b.op("Square", {back[1]})};
        }))
        << "to variant and back, batched: " << batched;
  }
}

TEST(PoolGradients, of_gradients_of_gradients_agree_with_differences) {
  using Ints = std::vector<int64_t>;
  const AttrMap attrs{{"ksize", Ints{1, 2, 2, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "VALID"}};
  Input image = varied({1, 4, 4, 1});
  image.checked = false;
  EXPECT_TRUE(gradients_match({image, varied({1, 4, 4, 1})}, [&](GraphBuilder& b,
                                                                 const std::vector<Out>& in) {
    return std::vector<Out>{b.op("MaxPoolGradGrad", {in[0], b.op("MaxPool", {in[0]}, attrs), in[1]}, attrs)};
  }));
  EXPECT_TRUE(
      gradients_match({image, varied({1, 2, 2, 1})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
        const Out k = b.constant(Tensor::vector<int32_t>({1, 2, 2, 1}));
        const Out y = b.op("MaxPoolV2", {in[0], k, k}, {{"padding", "VALID"}});
        return std::vector<Out>{b.op("MaxPoolGradV2", {in[0], y, in[1], k, k}, {{"padding", "VALID"}})};
      }));
}

}  // namespace
}  // namespace troupe::test
