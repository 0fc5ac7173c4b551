#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "graph/ops/op_registry.h"

namespace troupe {

class FunctionLibrary;

/// Output `slot` of node `node`.
struct Endpoint {
  int node = -1;
  int slot = 0;
  friend bool operator==(Endpoint, Endpoint) = default;
  template <class H>
  friend H AbslHashValue(H h, Endpoint e) {
    return H::combine(std::move(h), e.node, e.slot);
  }
};

/// A node as passes see it. Edges are kept at the consumer only: `inputs` by slot, then control inputs without
/// order or duplicates; who needs consumers builds a ConsumerIndex. Removed nodes keep their id with `op` null
/// until Graph::compact.
struct Node {
  int id = -1;
  std::string name;
  /// Of the registry, or the signature of a function of the library.
  const OpDef* op = nullptr;
  AttrMap attrs;
  std::string requested_device;
  /// Index into the DeviceCatalog that placed the graph; -1: not placed.
  int device = -1;
  absl::InlinedVector<Endpoint, 2> inputs;
  absl::InlinedVector<int, 1> control_inputs;
  absl::InlinedVector<DataType, 2> input_types;
  absl::InlinedVector<DataType, 2> output_types;
  /// Why this node cannot run, when import found something wrong that TensorFlow reports only once the node is needed
  /// (a malformed attr, a missing input, an op that is gone). Plans that keep the node fail with it; no pass or
  /// kernel may look at such a node's attrs and inputs, which can be fewer than its op says. See check_runnable.
  absl::Status defect;

  bool removed() const { return op == nullptr; }
  bool is(absl::string_view op_name) const { return op != nullptr && op->name == op_name; }
  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
};

/// Producer and consumer versions of a GraphDef.
struct GraphVersions {
  int producer = 0;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
};

/// Nodes with dense ids, in order of creation. Not thread-safe; passes change it in place. Ops must outlive it
/// (function signatures are kept alive by `library`).
class Graph {
 public:
  explicit Graph(const OpRegistry* ops = &builtin_ops()) : ops_(ops) {}

  /// Adds a node whose attrs are complete and whose inputs exist, and types it. AlreadyExists when the name is
  /// taken; InvalidArgument for missing attrs or a wrong number of inputs.
  absl::StatusOr<Node*> add_node(std::string name, const OpDef* op, AttrMap attrs);
  /// The same with the op looked up by name, in the registry, then in the library; `inputs` and `control_inputs` checked for existence.
  absl::StatusOr<Node*> add_node(std::string name, absl::string_view op, AttrMap attrs,
                                 std::vector<Endpoint> inputs, std::vector<int> control_inputs = {},
                                 std::string device = "");
  void remove_node(int id);
  /// Drops removed nodes and renumbers; returns old id -> new id (-1 for removed).
  std::vector<int> compact();
  void rename_node(int id, std::string name);
  /// Makes room for that many more nodes.
  void reserve(int nodes);
  /// Forgets the nodes from `num_ids` on, which no earlier node may refer to.
  void truncate(int num_ids);
  /// `prefix` itself, or prefix_1, prefix_2, ... : a name that no node has.
  std::string unique_name(absl::string_view prefix);

  /// Upper bound of ids, removed nodes included.
  int num_ids() const { return static_cast<int>(nodes_.size()); }
  /// Nodes that are not removed.
  int num_nodes() const { return live_; }
  Node& node(int id) { return *nodes_[id]; }
  const Node& node(int id) const { return *nodes_[id]; }
  const Node* find(absl::string_view name) const;
  Node* find(absl::string_view name);
  /// The dtype that output `e` has, ref included.
  DataType type_of(Endpoint e) const { return node(e.node).output_types[e.slot]; }
  /// Nothing when it waits for `from` already. Linear in the control inputs of the node: for many, add_control_inputs.
  void add_control_input(int id, int from);
  /// All of `from`, each once. Linear.
  void add_control_inputs(int id, std::span<const int> from);
  /// The defect of the first node that has one.
  absl::Status check_runnable() const;

  /// A copy that shares nothing mutable.
  Graph clone() const;

  const OpRegistry& ops() const { return *ops_; }
  /// Never null after import; may be shared between graphs.
  const std::shared_ptr<const FunctionLibrary>& library() const { return library_; }
  void set_library(std::shared_ptr<const FunctionLibrary> library) { library_ = std::move(library); }
  /// Registry first, then the functions of the library; null when unknown.
  const OpDef* find_op(absl::string_view name) const;
  const GraphVersions& versions() const { return versions_; }
  GraphVersions& versions() { return versions_; }

  /// Pins an object (a replaced library, say) for as long as this graph and its clones.
  void keep_alive(std::shared_ptr<const void> object) { pinned_.push_back(std::move(object)); }

 private:
  const OpRegistry* ops_;
  std::shared_ptr<const FunctionLibrary> library_;
  std::vector<std::shared_ptr<const void>> pinned_;
  GraphVersions versions_;
  std::vector<std::unique_ptr<Node>> nodes_;
  absl::flat_hash_map<absl::string_view, int> by_name_;  // keys point into the nodes
  absl::flat_hash_map<std::string, int> unique_suffix_;
  int live_ = 0;
};

/// Consumers of every node as flat arrays, for passes that walk forwards. A snapshot: made from one state of a graph.
class ConsumerIndex {
 public:
  struct Use {
    int node;
    /// Input slot of `node`, or -1 for a control edge.
    int slot;
    /// Output slot of the producer; -1 for a control edge.
    int src_slot;
  };
  explicit ConsumerIndex(const Graph& graph);
  std::span<const Use> of(int node) const {
    return {uses_.data() + begin_[node], static_cast<size_t>(begin_[node + 1] - begin_[node])};
  }

 private:
  std::vector<int> begin_;
  std::vector<Use> uses_;
};

}  // namespace troupe
