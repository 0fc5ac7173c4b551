#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/ir/graph.h"
#include "graph/passes/infer_shapes.h"

namespace troupe {

class GradientScope;

/// An output that a gradient rule computes with. Arithmetic on it adds nodes. A small value, as good as its scope; an
/// invalid one stands for "no gradient", or for the result of an operation that failed.
class Val {
 public:
  Val() = default;
  Val(GradientScope* scope, Endpoint e) : scope_(scope), endpoint_(e) {}
  bool valid() const { return scope_ != nullptr && endpoint_.node >= 0; }
  Endpoint endpoint() const { return endpoint_; }
  GradientScope* scope() const { return scope_; }
  /// Another output of the same node.
  Val operator[](int slot) const { return valid() ? Val(scope_, {endpoint_.node, slot}) : Val(); }
  /// Without ref; kInvalid for an invalid value.
  DataType dtype() const;

 private:
  GradientScope* scope_ = nullptr;
  Endpoint endpoint_;
};

/// What an op takes at one argument: a value, or several for an argument that is a list.
class Arg {
 public:
  Arg(Val one) : vals_{one} {}  // NOLINT: arguments read as plain values
  Arg(std::vector<Val> many) : vals_(std::move(many)), is_list_(true) {}  // NOLINT
  const std::vector<Val>& vals() const { return vals_; }
  bool is_list() const { return is_list_; }

 private:
  std::vector<Val> vals_;
  bool is_list_ = false;
};

/// Brings values from where they are made to where a gradient is computed; see LoopGradients.
class ValueImporter {
 public:
  virtual ~ValueImporter() = default;
  /// `e` as it is seen where nodes are being added now.
  virtual absl::StatusOr<Endpoint> import(Endpoint e) = 0;
};

/// Where the nodes of gradients are added: into an existing graph, under a prefix. Types follow from inputs, as with
/// GraphBuilder. The first error is kept, and operations after it do nothing. Not thread-safe.
class GradientScope {
 public:
  /// `shapes` may be null; both must outlive the scope.
  GradientScope(Graph* graph, std::string prefix, ShapeInference* shapes)
      : graph_(*graph), prefix_(std::move(prefix)), shapes_(shapes) {}
  GradientScope(const GradientScope&) = delete;
  GradientScope& operator=(const GradientScope&) = delete;

  /// A node; its first output. Its name is that of its op. Attrs that the inputs tell ("T", "N") may be left out.
  Val op(absl::string_view op, const std::vector<Arg>& inputs, AttrMap attrs = {});
  /// All outputs of such a node.
  std::vector<Val> op_outputs(absl::string_view op, const std::vector<Arg>& inputs, AttrMap attrs = {});
  /// The same with its inputs as they are, wherever they come from.
  Val raw_op(absl::string_view op, const std::vector<Endpoint>& inputs, AttrMap attrs,
             const std::vector<int>& controls = {});

  Val constant(const Tensor& value);
  /// A scalar of any numeric dtype.
  Val scalar(DataType dtype, double value);
  /// A vector of int32.
  Val ints(const std::vector<int>& values);
  Val int_scalar(int value) { return scalar(DataType::kInt32, value); }
  Val cast(Val x, DataType to);

  Val val(Endpoint e) { return Val(this, e); }
  /// What is known of the shape; of unknown rank when nothing is.
  PartialShape shape(Val x) const;
  /// The value when it is a constant; else not initialised.
  Tensor constant_value(Val x) const;
  DataType type_of(Endpoint e) const;
  /// The dtype of the variable behind a handle; kInvalid when it is not known.
  DataType handle_type(Val handle) const;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const std::string& prefix() const { return prefix_; }
  const absl::Status& status() const { return status_; }
  /// Keeps the error, if it is the first.
  Val fail(absl::Status status);
  /// What the caller knows of the shape of an output that was added.
  void hint_shape(Endpoint e, const PartialShape& shape);

  /// Nodes without inputs wait for `pivot` (-1: for nothing), and inputs go through `importer` (null: unchanged).
  void enter(ValueImporter* importer, int pivot) {
    importer_ = importer;
    pivot_ = pivot;
    scalars_.clear();
  }
  ValueImporter* importer() const { return importer_; }
  int pivot() const { return pivot_; }
  /// Owns an importer for as long as values that it brought in are used.
  void keep(std::unique_ptr<ValueImporter> importer) { kept_.push_back(std::move(importer)); }
  ValueImporter* last_kept() const { return kept_.back().get(); }
  /// The importer that was entered when a node was added; null for other nodes.
  const ValueImporter* made_in(int node) const {
    auto it = made_in_.find(node);
    return it == made_in_.end() ? nullptr : it->second;
  }

 private:
  bool infer_attrs(const OpDef& op, const std::vector<Arg>& inputs, AttrMap* attrs,
                   std::vector<Endpoint>* flat);

  Graph& graph_;
  const std::string prefix_;
  ShapeInference* const shapes_;
  absl::Status status_;
  ValueImporter* importer_ = nullptr;
  int pivot_ = -1;
  absl::flat_hash_map<std::pair<DataType, double>, Val> scalars_;
  absl::flat_hash_map<int, const ValueImporter*> made_in_;
  std::vector<std::unique_ptr<ValueImporter>> kept_;
};

/// Changes where nodes are added until it goes out of scope.
class [[nodiscard]] ScopeGuard {
 public:
  ScopeGuard(GradientScope* scope, ValueImporter* importer, int pivot)
      : scope_(*scope), importer_(scope->importer()), pivot_(scope->pivot()) {
    scope_.enter(importer, pivot);
  }
  ~ScopeGuard() { scope_.enter(importer_, pivot_); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  GradientScope& scope_;
  ValueImporter* const importer_;
  const int pivot_;
};

}  // namespace troupe
