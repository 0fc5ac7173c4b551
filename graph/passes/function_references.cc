#include "graph/passes/function_references.h"

#include "absl/container/flat_hash_set.h"

#include "proto/function.pb.h"

namespace troupe {
namespace {

void add_references(const pb::NameAttrList& function, std::vector<std::string>* out);

void add_references(const pb::AttrValue& value, std::vector<std::string>* out) {
  if (value.has_func()) add_references(value.func(), out);
  for (const auto& f : value.list().func()) add_references(f, out);
}

void add_references(const pb::NameAttrList& function, std::vector<std::string>* out) {
  out->push_back(function.name());
  for (const auto& [name, value] : function.attr()) add_references(value, out);
}

void add_references(const AttrMap& attrs, std::vector<std::string>* out) {
  auto add = [out](const FunctionRef& ref) {
    out->push_back(ref.name);
    if (ref.attrs != nullptr) add_references(*ref.attrs, out);
  };
  for (const auto& [name, value] : attrs) {
    if (const auto* f = value.get<FunctionRef>()) add(*f);
    const auto* list = value.get<std::vector<FunctionRef>>();
    if (list == nullptr) continue;
    for (const FunctionRef& f : *list) add(f);
  }
}

}  // namespace

std::vector<std::string> function_references(const FunctionLibrary& library, const std::string& function) {
  std::vector<std::string> out;
  const pb::FunctionDef* def = library.find(function);
  if (def == nullptr) return out;
  for (const pb::NodeDef& n : def->node_def()) {
    if (library.find(n.op()) != nullptr) out.push_back(n.op());
    const size_t before = out.size();
    for (const auto& [name, value] : n.attr()) add_references(value, &out);
    if (n.op() != "SymbolicGradient") continue;
    for (size_t i = before, end = out.size(); i < end; ++i) {
      std::string gradient = library.gradient_of(out[i]);
      if (!gradient.empty()) out.push_back(std::move(gradient));
    }
  }
  return out;
}

std::shared_ptr<const FunctionLibrary> reachable_functions(const Graph& graph) {
  const auto& library = graph.library();
  if (library == nullptr || library->empty()) return library;
  std::vector<std::string> found;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    if (graph.ops().find(n.op->name) != n.op) found.push_back(n.op->name);
    add_references(n.attrs, &found);
  }
  absl::flat_hash_set<std::string> reached;
  while (!found.empty()) {
    const std::string name = std::move(found.back());
    found.pop_back();
    if (library->find(name) == nullptr || !reached.insert(name).second) continue;
    for (std::string& f : function_references(*library, name)) found.push_back(std::move(f));
    if (std::string gradient = library->gradient_of(name); !gradient.empty())
      found.push_back(std::move(gradient));
  }
  if (reached.size() == library->size()) return library;
  return std::make_shared<const FunctionLibrary>(library->only(reached));
}

}  // namespace troupe
