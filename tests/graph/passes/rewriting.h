#pragma once

#include <gmock/gmock.h>

#include "graph/ir/graph_builder.h"
#include "graph/passes/replace.h"

namespace troupe {

/// Two CPUs with kernels for all ops but those of `without`.
class TestDevices final : public DeviceCatalog {
 public:
  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override { return 0; }
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap&, const std::string&) const override {
    return Support{op.name != without, 0};
  }
  std::string kernels_of(const std::string&) const override { return ""; }

  std::string without;

 private:
  std::vector<Entry> entries_{{"/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 7},
                              {"/job:localhost/replica:0/task:0/device:CPU:1", "CPU", 8}};
};

/// A graph, one pass over it, and what has become of its nodes. Nodes are on the first CPU, but for those of `elsewhere`.
class Rewriting : public testing::Test {
 protected:
  using Pass = absl::StatusOr<PassStats> (*)(const DeviceCatalog&, Draft*, const NodeFilter&);

  PassStats rewrite(Pass pass, const std::vector<Out>& roots) {
    auto graph = b.build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    draft.graph = *std::move(graph);
    for (int i = 0; i < draft.graph.num_ids(); ++i) draft.graph.node(i).device = 0;
    for (Out there : elsewhere) draft.graph.node(there.node()).device = 1;
    for (Out root : roots) draft.roots.push_back(root.node());
    auto stats = pass(devices, &draft, consider);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return *stats;
  }
  const Node& node(Out x) const { return draft.graph.node(x.node()); }
  /// "Mul(x, c)": a node's op and the names of what it takes; "gone" for one that was taken out.
  std::string now(Out x) const {
    const Node& n = node(x);
    if (n.removed()) return "gone";
    std::string text = n.op->name + "(";
    for (size_t i = 0; i < n.inputs.size(); ++i)
      text += (i > 0 ? ", " : "") + draft.graph.node(n.inputs[i].node).name;
    return text + ")";
  }
  std::vector<std::string> waits(Out x) const {
    std::vector<std::string> names;
    for (int c : node(x).control_inputs) names.push_back(draft.graph.node(c).name);
    return names;
  }
  Out input(const std::string& name, DataType type = DataType::kFloat) {
    return b.placeholder(type, {}, name);
  }

  GraphBuilder b;
  TestDevices devices;
  Draft draft;
  NodeFilter consider;
  std::vector<Out> elsewhere;
};

}  // namespace troupe
