#include "tools/bench/cluster_simulation/sum_graph.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/bench/cluster_simulation/simulated_cluster.h"

namespace troupe::simulation {
namespace {

/// Sums of a thousand of them are exact.
float constant_of(int host) { return static_cast<float>(1 + host % 7); }

tensorflow::NodeDef& add_node(tensorflow::GraphDef* graph, const std::string& name, const std::string& op,
                              int host) {
  tensorflow::NodeDef& node = *graph->add_node();
  node.set_name(name);
  node.set_op(op);
  node.set_device(SimulatedCluster::task_of(host).to_string());
  (*node.mutable_attr())[op == "Placeholder" || op == "Const" ? "dtype" : "T"].set_type(tensorflow::DT_FLOAT);
  return node;
}

}  // namespace

tensorflow::GraphDef sum_graph(const std::vector<int>& hosts) {
  tensorflow::GraphDef graph;
  add_node(&graph, "x", "Placeholder", SimulatedCluster::kMaster);
  for (const int host : hosts) {
    const std::string c = absl::StrCat("c", host), product = absl::StrCat("product", host);
    auto& value = *(*add_node(&graph, c, "Const", host).mutable_attr())["value"].mutable_tensor();
    value.set_dtype(tensorflow::DT_FLOAT);
    value.mutable_tensor_shape();
    value.add_float_val(constant_of(host));
    auto& multiply = add_node(&graph, product, "Mul", host);
    multiply.add_input(std::string("x"));
    multiply.add_input(c);
    auto& add = add_node(&graph, absl::StrCat("y", host), "AddV2", host);
    add.add_input(product);
    add.add_input(c);
  }
  auto& sum = add_node(&graph, "sum", "AddN", SimulatedCluster::kMaster);
  for (const int host : hosts) sum.add_input(absl::StrCat("y", host));
  (*sum.mutable_attr())["N"].set_i(static_cast<int64_t>(hosts.size()));
  return graph;
}

Tensor feed_of(int floats, float value) {
  Tensor x(DataType::kFloat, Shape{floats});
  for (float& f : x.flat<float>()) f = value;
  return x;
}

bool is_sum(const Tensor& sum, const std::vector<int>& hosts, int floats, float value) {
  float expected = 0;
  for (const int host : hosts) expected += value * constant_of(host) + constant_of(host);
  if (sum.num_elements() != floats) return false;
  for (const float f : sum.flat<float>()) {
    if (f != expected) return false;
  }
  return true;
}

}  // namespace troupe::simulation
