#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/ir/builder_values.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Builds a graph in C++:
///
///   GraphBuilder b;
///   Out x = b.placeholder(DataType::kFloat, {-1, 784}, "x");
///   Out y = b.op("MatMul", {x, b.constant(weights)}, {{"transpose_b", true}});
///   absl::StatusOr<Graph> graph = b.build();
///
/// Attrs that inputs tell ("T", "N") are inferred; the others come from the caller or are defaults. The first error is
/// kept: operations after it do nothing, and build() returns it. Not thread-safe.
class GraphBuilder {
 public:
  explicit GraphBuilder(const OpRegistry* ops = &builtin_ops());
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  /// Ends what scope(), device() and control() began when it goes out of scope.
  class [[nodiscard]] Guard {
   public:
    explicit Guard(std::function<void()> end) : end_(std::move(end)) {}
    Guard(Guard&& o) noexcept : end_(std::exchange(o.end_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (end_) end_();
    }

   private:
    std::function<void()> end_;
  };
  /// Nodes made meanwhile are named "<name>/...".
  Guard scope(const std::string& name);
  /// Nodes made meanwhile ask for this device.
  Guard device(const std::string& name);
  /// Nodes made meanwhile wait for these.
  Guard control(const std::vector<Out>& before);

  /// A node, by the name of its op; its first output. Without a name it is called after its op.
  Out op(const std::string& op_name, const std::vector<In>& inputs = {}, AttrMap attrs = {},
         const std::string& name = "");

  Out placeholder(DataType dtype, const PartialShape& shape = {}, const std::string& name = "Placeholder");
  Out constant(const Tensor& value, const std::string& name = "Const");
  template <class T>
    requires std::is_arithmetic_v<T> Out constant(T value, const std::string& name = "Const") {
      return constant(Tensor::scalar<T>(value), name);
    }

  /// A variable with the node that gives it its first value.
  struct Variable {
    /// The reference, or the resource handle.
    Out handle;
    Out initializer;
    DataType dtype = DataType::kInvalid;
    bool is_resource = false;
  };
  /// VariableV2, read by using `handle` itself.
  Variable ref_variable(const Tensor& initial, const std::string& name = "Variable");
  /// VarHandleOp, read by read().
  Variable variable(const Tensor& initial, const std::string& name = "Variable");
  Out read(const Variable& variable, const std::string& name = "");
  Out assign(const Variable& variable, Out value, const std::string& name = "");
  Out assign_add(const Variable& variable, Out delta, const std::string& name = "");
  /// A NoOp that runs the initializers of all variables made so far.
  Out init_all(const std::string& name = "init");
  /// A NoOp that waits for these.
  Out group(const std::vector<Out>& before, const std::string& name = "group");

  Out identity(Out x, const std::string& name = "") { return op("Identity", {x}, {}, name); }
  Out add(Out x, Out y, const std::string& name = "") { return op("AddV2", {x, y}, {}, name); }
  Out sub(Out x, Out y, const std::string& name = "") { return op("Sub", {x, y}, {}, name); }
  Out mul(Out x, Out y, const std::string& name = "") { return op("Mul", {x, y}, {}, name); }
  Out div(Out x, Out y, const std::string& name = "") { return op("RealDiv", {x, y}, {}, name); }
  Out neg(Out x, const std::string& name = "") { return op("Neg", {x}, {}, name); }
  Out less(Out x, Out y, const std::string& name = "") { return op("Less", {x, y}, {}, name); }
  Out matmul(Out x, Out y, const std::string& name = "") { return op("MatMul", {x, y}, {}, name); }
  Out bias_add(Out x, Out bias, const std::string& name = "") { return op("BiasAdd", {x, bias}, {}, name); }
  Out relu(Out x, const std::string& name = "") { return op("Relu", {x}, {}, name); }
  Out softmax(Out x, const std::string& name = "") { return op("Softmax", {x}, {}, name); }
  Out reshape(Out x, const std::vector<int64_t>& shape, const std::string& name = "");
  Out cast(Out x, DataType to, const std::string& name = "") { return op("Cast", {x}, {{"DstT", to}}, name); }

  using LoopCondition = std::function<Out(const std::vector<Out>& vars)>;
  using LoopBody = std::function<std::vector<Out>(const std::vector<Out>& vars)>;
  /// A loop of Enter, Merge, Switch, NextIteration and Exit nodes around what the two functions build; the final loop
  /// variables. Outputs from outside may be used inside: they are brought in.
  std::vector<Out> while_loop(const std::vector<Out>& initial, const LoopCondition& condition,
                              const LoopBody& body, const std::string& name = "while",
                              int parallel_iterations = 10);

  using Branch = std::function<std::vector<Out>()>;
  /// A conditional of Switch and Merge nodes; both branches must return as many outputs, of the same types.
  std::vector<Out> cond(Out predicate, const Branch& if_true, const Branch& if_false,
                        const std::string& name = "cond");

  /// The dtype of an output, ref included; kInvalid after an error.
  DataType type_of(Out x) const;
  const std::string& name_of(Out x) const;
  const absl::Status& status() const { return status_; }

  /// The graph, which leaves the builder empty, or the first error.
  absl::StatusOr<Graph> build();
  /// The graph so far.
  const Graph& graph() const { return graph_; }

 private:
  struct Context;

  Out fail(absl::Status status);
  bool infer_attrs(const OpDef& op, const std::vector<In>& inputs, AttrMap* attrs, std::vector<Out>* flat);
  Out make(const OpDef* op, AttrMap attrs, const std::vector<Out>& inputs, const std::string& name,
           bool entering);
  Out capture(Out x, int context);
  std::string full_name(const std::string& name, const std::string& op_name);
  int open_context(Context context);

  Graph graph_;
  absl::Status status_;
  std::vector<std::string> scopes_;
  absl::flat_hash_set<std::string> scope_names_;
  absl::flat_hash_map<std::string, int> scope_suffix_;
  std::vector<std::string> devices_;
  std::vector<std::vector<int>> controls_;
  std::vector<Out> initializers_;
  std::vector<std::unique_ptr<Context>> contexts_;
  int context_ = 0;
  /// Per node: the context that it was made in, and that its outputs belong to.
  std::vector<int> context_of_;
};

}  // namespace troupe
