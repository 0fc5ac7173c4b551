// Variables, optimiser steps, called functions, TensorArrays and gradients in sessions on GPUs: with the CPU's numbers.
#include <gmock/gmock.h>

#include "graph/gradients/gradients.h"
#include "tests/actors/cuda/gpu_against_cpu.h"
#include "tests/graph/passes/function_graphs.h"

namespace troupe::test {
namespace {

using Vars = std::vector<Out>;

class GpuState : public GpuAgainstCpu {
 protected:
  /// The gradients of `y` by each of `x`, added to the graph so far.
  Graph with_gradients(Out y, const std::vector<Out>& x, std::vector<std::string>* names) {
    auto graph = b.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    const Endpoint ys[] = {y.endpoint()};
    std::vector<Endpoint> xs, dx;
    for (const Out& o : x) xs.push_back(o.endpoint());
    const absl::Status added = add_gradients(&*graph, {}, ys, xs, {}, &dx);
    EXPECT_TRUE(added.ok()) << added;
    for (const Endpoint& e : dx) names->push_back(graph->node(e.node).name + ":" + std::to_string(e.slot));
    return *std::move(graph);
  }
  bool launches_kernels() const { return driver->calls("cuLaunchKernel") > 0; }
  void train(GraphBuilder::Variable w, GraphBuilder::Variable bias,
             const std::function<void(Out, Out)>& apply);
};

TEST_F(GpuState, keep_reference_variables_between_runs) {
  const auto v = b.ref_variable(counted(Shape{3}), "v");
  b.init_all();
  b.assign(v, b.placeholder(DataType::kFloat, {3}, "x"), "set");
  b.assign_add(v, b.constant(counted(Shape{3}, 2)), "more");
  b.mul(v.handle, v.handle, "square");
  open_both();
  EXPECT_TRUE(agree({}, {}, {"init"}));
  EXPECT_TRUE(agree({}, {"v", "square"}));
  EXPECT_TRUE(agree({}, {"more"}));
  EXPECT_TRUE(agree({}, {"square"}));
  EXPECT_TRUE(agree({{"x", counted(Shape{3}, -1)}}, {"set"}));
  EXPECT_TRUE(agree({}, {"v", "square"}));
  EXPECT_TRUE(launches_kernels());
}

TEST_F(GpuState, keep_resource_variables_between_runs) {
  const auto v = b.variable(counted(Shape{3}), "v");
  b.init_all();
  b.assign(v, b.placeholder(DataType::kFloat, {3}, "x"), "set");
  b.assign_add(v, b.constant(counted(Shape{3}, 2)), "more");
  Out read = b.read(v, "read");
  b.mul(read, read, "square");
  open_both();
  EXPECT_EQ(session->run({}, {"square"}).status().code(), absl::StatusCode::kFailedPrecondition)
      << "not yet there";
  EXPECT_TRUE(agree({}, {}, {"init"}));
  EXPECT_TRUE(agree({}, {"read", "square"}));
  EXPECT_TRUE(agree({}, {}, {"more"}));
  EXPECT_TRUE(agree({}, {"square"}));
  EXPECT_TRUE(agree({{"x", counted(Shape{3}, -1)}}, {}, {"set"}));
  EXPECT_TRUE(agree({}, {"read", "square"}));
}

/// Twenty steps of a layer that learns: the same losses and weights on both.
void GpuState::train(GraphBuilder::Variable w, GraphBuilder::Variable bias,
                     const std::function<void(Out, Out)>& apply) {
  const auto value = [&](const GraphBuilder::Variable& v) {
    return v.is_resource ? b.read(v) : b.identity(v.handle);
  };
  Out x = b.placeholder(DataType::kFloat, {8, 4}, "x"), y = b.placeholder(DataType::kFloat, {8, 2}, "y");
  Out weights = b.identity(value(w), "weights"), added = b.identity(value(bias), "added");
  Out error = b.sub(b.bias_add(b.matmul(x, weights), added), y);
  Out loss = b.op("Mean", {b.op("Square", {error}), b.constant(Tensor::vector<int32_t>({0, 1}))}, {}, "loss");
  // d loss / d prediction = 2 error / 16
  Out g = b.mul(error, b.constant(0.125f));
  Out dw = b.op("MatMul", {x, g}, {{"transpose_a", true}}, "dw");
  Out db = b.op("Sum", {g, b.constant(Tensor::vector<int32_t>({0}))}, {}, "db");
  {
    auto after = b.control({loss, dw, db});
    apply(dw, db);
  }
  b.init_all();
  open_both();
  ASSERT_TRUE(agree({}, {}, {"init"}));
  for (uint32_t step = 0; step < 20; ++step) {
    const std::vector<NamedTensor> feeds{{"x", random_floats(Shape{8, 4}, step)},
                                         {"y", random_floats(Shape{8, 2}, 99)}};
    ASSERT_TRUE(agree(feeds, {"loss"}, {"train"}, 1e-4)) << "step " << step;
    ASSERT_TRUE(agree({}, {"weights", "added"}, {}, 1e-4)) << "step " << step;
  }
}

TEST_F(GpuState, descend_over_twenty_steps) {
  const auto w = b.ref_variable(random_floats(Shape{4, 2}, 1), "w"),
             bias = b.ref_variable(counted(Shape{2}), "bias");
  train(w, bias, [&](Out dw, Out db) {
    Out rate = b.constant(0.1f);
    b.group({b.op("ApplyGradientDescent", {w.handle, rate, dw}),
             b.op("ApplyGradientDescent", {bias.handle, rate, db})},
            "train");
  });
}

TEST_F(GpuState, gain_momentum_over_twenty_steps) {
  const auto zero = [](const Shape& shape) { return counted(shape, 0); };
  const auto w = b.ref_variable(random_floats(Shape{4, 2}, 1), "w"),
             bias = b.ref_variable(counted(Shape{2}), "bias");
  const auto mw = b.ref_variable(zero(Shape{4, 2}), "mw"), mb = b.ref_variable(zero(Shape{2}), "mb");
  train(w, bias, [&](Out dw, Out db) {
    Out rate = b.constant(0.05f), momentum = b.constant(0.9f);
    b.group({b.op("ApplyMomentum", {w.handle, mw.handle, rate, dw, momentum}),
             b.op("ApplyMomentum", {bias.handle, mb.handle, rate, db, momentum})},
            "train");
  });
}

TEST_F(GpuState, adapt_over_twenty_steps) {
  const auto variable = [&](const Tensor& first, const std::string& name) { return b.variable(first, name); };
  const auto w = variable(random_floats(Shape{4, 2}, 1), "w"), bias = variable(counted(Shape{2}), "bias");
  std::vector<GraphBuilder::Variable> moments;
  for (const char* name : {"wm", "wv"}) moments.push_back(variable(counted(Shape{4, 2}, 0), name));
  for (const char* name : {"bm", "bv"}) moments.push_back(variable(counted(Shape{2}, 0), name));
  train(w, bias, [&](Out dw, Out db) {
    const auto c = [&](float v) { return b.constant(v); };
    Out w_step = b.op("ResourceApplyAdam",
                      {w.handle, moments[0].handle, moments[1].handle, c(0.9f), c(0.999f), c(0.1f), c(0.9f),
                       c(0.999f), c(1e-8f), dw},
                      {}, "w_step");
    Out b_step = b.op("ResourceApplyAdam",
                      {bias.handle, moments[2].handle, moments[3].handle, c(0.9f), c(0.999f), c(0.1f),
                       c(0.9f), c(0.999f), c(1e-8f), db},
                      {}, "b_step");
    b.group({w_step, b_step}, "train");
  });
}

TEST_F(GpuState, go_through_gradients) {
  Out x = b.placeholder(DataType::kFloat, {5, 4}, "x"), w = b.placeholder(DataType::kFloat, {4, 3}, "w");
  Out y = b.op("Tanh", {b.matmul(b.op("Sigmoid", {x}), w)});
  y = b.op("Sum", {b.mul(b.softmax(y), y), b.constant(Tensor::vector<int32_t>({0, 1}))});
  std::vector<std::string> names;
  const Graph graph = with_gradients(y, {x, w}, &names);
  open_both(graph);
  for (uint32_t seed = 0; seed < 5; ++seed)
    EXPECT_TRUE(
        agree({{"x", random_floats(Shape{5, 4}, seed)}, {"w", random_floats(Shape{4, 3}, seed + 9)}}, names));
  EXPECT_TRUE(launches_kernels());
}

/// Each row of x, from a TensorArray to another in a loop: the sine, times what came out before.
TEST_F(GpuState, fill_tensor_arrays_in_loops_and_differentiate_them) {
  const AttrMap attrs{{"dtype", DataType::kFloat}};
  Out x = b.placeholder(DataType::kFloat, {4, 3}, "x");
  const Out array = b.op("TensorArrayV3", {b.constant(4)}, attrs);
  const Out range = b.constant(Tensor::vector<int32_t>({0, 1, 2, 3}));
  const Out filled = b.op("TensorArrayScatterV3", {array, range, x, array[1]});
  const Out result = b.op("TensorArrayV3", {b.constant(4)}, attrs);
  const Vars out = b.while_loop(
      {b.constant(0), result[1], b.constant(counted(Shape{3}))},
      [&](const Vars& v) { return b.less(v[0], b.constant(4)); },
      [&](const Vars& v) {
        const Out item = b.op("Sin", {b.op("TensorArrayReadV3", {array, v[0], filled}, attrs)});
        const Out product = b.mul(item, v[2]);
        return Vars{b.add(v[0], b.constant(1)), b.op("TensorArrayWriteV3", {result, v[0], product, v[1]}),
                    b.add(product, v[2])};
      });
  const Out y = b.identity(b.op("TensorArrayGatherV3", {result, range, out[1]}, attrs), "y");
  std::vector<std::string> names{"y:0"};
  const Graph graph = with_gradients(y, {x}, &names);
  open_both(graph);
  for (uint32_t seed = 0; seed < 5; ++seed)
    EXPECT_TRUE(agree({{"x", random_floats(Shape{4, 3}, seed)}}, names));
}

class GpuFunctions : public GpuAgainstCpu {
 protected:
  void open_text(const std::string& nodes) {
    Graph graph;
    const absl::Status imported = import_graph_def(with_functions(nodes), {}, &graph);
    ASSERT_TRUE(imported.ok()) << imported;
    open_both(graph);
  }
  const std::string x_ = placeholder_text("x", "DT_FLOAT");
  const std::string types_ = types_text("Tin", {"DT_FLOAT"}) + types_text("Tout", {"DT_FLOAT"});
};

TEST_F(GpuFunctions, are_called_and_used_as_ops) {
  open_text(x_ + call_text("called", "PartitionedCall", {"x"}, {{"f", "Twice"}}, types_) +
            call_text("stateful", "StatefulPartitionedCall", {"called"}, {{"f", "Twice"}}, types_) +
            "node { name: 'op' op: 'Twice' input: 'stateful' }");
  EXPECT_TRUE(agree({{"x", scalar(3)}}, {"called", "stateful", "op"}));
  EXPECT_EQ(value({{"x", scalar(3)}}, "op"), 24);
  EXPECT_GT(driver->calls("cuLaunchKernel"), 0);
}

TEST_F(GpuFunctions, are_branches_and_bodies_of_loops) {
  const std::string two = types_text("T", {"DT_FLOAT", "DT_FLOAT"});
  open_text(x_ + placeholder_text("p", "DT_BOOL") + placeholder_text("limit", "DT_FLOAT") +
            call_text("either", "If", {"p", "x"}, {{"then_branch", "Twice"}, {"else_branch", "Halve"}},
                      types_ + " attr { key: 'Tcond' value { type: DT_BOOL } }") +
            call_text("grown", "While", {"either", "limit"}, {{"cond", "Grows"}, {"body", "Double"}}, two) +
            R"(library { function {
                 signature { name: "Halve" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
                 node_def { name: "half" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
                            attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 0.5 } } } }
                 node_def { name: "product" op: "Mul" input: "x" input: "half:output:0" attr { key: "T" value { type: DT_FLOAT } } }
                 ret { key: "y" value: "product:z:0" } } })");
  for (const bool p : {true, false}) {
    const std::vector<NamedTensor> feeds{{"p", Tensor::scalar(p)}, {"x", scalar(3)}, {"limit", scalar(50)}};
    EXPECT_TRUE(agree(feeds, {"either", "grown"}));
    EXPECT_EQ(value(feeds, "grown"), 96);
  }
}

}  // namespace
}  // namespace troupe::test
