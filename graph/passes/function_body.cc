#include "graph/passes/function_body.h"

#include "absl/container/flat_hash_set.h"

namespace troupe {

int FunctionBody::passed_through(int i) const {
  Endpoint e = rets[i];
  for (size_t hops = 0; hops <= nodes.size() && !is_arg(e); ++hops) {
    if (nodes[e.node].op->name != "Identity" || !nodes[e.node].controls.empty()) break;
    e = nodes[e.node].inputs[0];
  }
  return is_arg(e) ? arg_of(e) : -1;
}

bool has_side_effects(const OpDef& op) {
  static const auto* kQuiet = new absl::flat_hash_set<absl::string_view>{"VarHandleOp",
                                                                         "ReadVariableOp",
                                                                         "_ReadVariablesOp",
                                                                         "VarIsInitializedOp",
                                                                         "VariableShape",
                                                                         "ResourceGather",
                                                                         "ResourceGatherNd",
                                                                         "VariableV2",
                                                                         "Variable",
                                                                         "IsVariableInitialized",
                                                                         "Placeholder",
                                                                         "HashTableV2",
                                                                         "MutableHashTableV2",
                                                                         "LookupTableFindV2",
                                                                         "LookupTableSizeV2",
                                                                         "TensorArrayReadV3",
                                                                         "TensorArraySizeV3",
                                                                         "Multinomial",
                                                                         "RandomUniform",
                                                                         "RandomUniformInt",
                                                                         "RandomStandardNormal",
                                                                         "ParameterizedTruncatedNormal",
                                                                         "TruncatedNormal",
                                                                         "RandomShuffle",
                                                                         "RandomGamma",
                                                                         "RandomPoisson",
                                                                         "RandomPoissonV2",
                                                                         "FakeParam"};
  return op.is_stateful && !kQuiet->contains(op.name);
}

FunctionRef in_random_scope(const FunctionRef& function, const AttrValue& scope) {
  auto attrs =
      function.attrs == nullptr ? std::make_shared<AttrMap>() : std::make_shared<AttrMap>(*function.attrs);
  attrs->set(kRandomScopeAttr, scope);
  return {function.name, std::move(attrs)};
}

}  // namespace troupe
