// Ops that graph rewriters put in place of others: unary ops in a row.
#include <algorithm>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"
#include "graph/ops/op_registry.h"

namespace troupe {
namespace {

constexpr const char* kComposable[] = {
    "Abs", "Acos",  "Acosh", "Asin",   "Asinh", "Atan", "Atanh",      "Ceil", "Cos",   "Cosh",  "Expm1",
    "Exp", "Floor", "Inv",   "Log",    "Log1p", "Neg",  "Reciprocal", "Rint", "Round", "Rsqrt", "Sigmoid",
    "Sin", "Sinh",  "Sqrt",  "Square", "Tan",   "Tanh", "Elu",        "Relu", "Relu6", "Selu"};
/// TensorFlow composes none of these in half precision.
constexpr const char* kNotInHalf[] = {"Acos",  "Acosh", "Asin", "Asinh", "Atan",
                                      "Atanh", "Cosh",  "Rint", "Sinh",  "Tan"};

/// Runs the kernels of the ops one after the other.
class UnaryOps final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c,
                                                        const KernelRegistry& kernels) {
    auto k = std::make_unique<UnaryOps>();
    TROUPE_ASSIGN_OR_RETURN(const auto names, c.attr<std::vector<std::string>>("op_names"));
    TROUPE_ASSIGN_OR_RETURN(const DataType type, c.attr<DataType>("T"));
    if (names.empty()) return invalid("Unary op composition must have at least one op");
    for (const std::string& name : names) {
      auto is = [&](const char* known) { return name == known; };
      const bool refused =
          type == DataType::kHalf && std::any_of(std::begin(kNotInHalf), std::end(kNotInHalf), is);
      if (refused || std::none_of(std::begin(kComposable), std::end(kComposable), is))
        return invalid("Do not have a compute function registered for op: ", name);
      Step step;
      step.node = std::make_unique<KernelNode>();
      step.node->name = c.name();
      step.node->op = builtin_ops().find(name);
      step.node->attrs.set("T", type);
      step.node->input_types = step.node->output_types = {type};
      step.node->graph_producer_version = c.node().graph_producer_version;
      TROUPE_ASSIGN_OR_RETURN(step.kernel, kernels.create(*step.node, c.device()));
      k->steps_.push_back(std::move(step));
    }
    return k;
  }

  absl::Status compute(KernelContext& context) override {
    Value value{context.take_input(0), nullptr};
    for (const Step& step : steps_) {
      Value result;
      KernelContext inner(&context.step(), step.node.get(), std::span<Value>(&value, 1),
                          std::span<Value>(&result, 1));
      TROUPE_RETURN_IF_ERROR(step.kernel->compute(inner));
      value = std::move(result);
    }
    context.set_output(0, std::move(value.tensor));
    return absl::OkStatus();
  }

 private:
  struct Step {
    std::unique_ptr<KernelNode> node;
    std::unique_ptr<Kernel> kernel;
  };
  std::vector<Step> steps_;
};

}  // namespace

void register_cwise_unary_composition(KernelRegistry* registry) {
  KernelDef def("_UnaryOpsComposition");
  def.factory = [registry](const KernelConstruction& c) { return UnaryOps::create(c, *registry); };
  registry->add(std::move(def).types("T", {DataType::kFloat, DataType::kHalf, DataType::kDouble}));
}

}  // namespace troupe
