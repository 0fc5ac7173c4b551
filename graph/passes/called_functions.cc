#include "graph/passes/called_functions.h"

#include <vector>

#include "graph/passes/function_references.h"

#include "proto/function.pb.h"

namespace troupe {
namespace {

constexpr const char* kMarks[] = {"_noinline", "_XlaMustCompile"};

}  // namespace

bool CalledFunctions::forbids_inlining(const AttrMap& attrs) {
  for (const char* mark : kMarks) {
    const AttrValue* v = attrs.find(mark);
    if (v != nullptr && v->get<bool>() != nullptr && *v->get<bool>()) return true;
  }
  return false;
}

bool CalledFunctions::is_marked(const std::string& function) {
  const pb::FunctionDef* def = library_->find(function);
  if (def == nullptr || !heed_marks_) return false;
  for (const char* mark : kMarks) {
    auto it = def->attr().find(mark);
    if (it == def->attr().end() || !it->second.b()) continue;
    called_.insert(function);
    return true;
  }
  return false;
}

void CalledFunctions::walk_from(const std::string& function) {
  struct Visit {
    std::string function;
    std::vector<std::string> references;
    size_t next = 0;
  };
  if (library_ == nullptr || !state_.try_emplace(function, State::kOpen).second) return;
  std::vector<Visit> path;
  path.push_back({function, function_references(*library_, function)});
  while (!path.empty()) {
    Visit& v = path.back();
    if (v.next == v.references.size()) {
      state_[v.function] = State::kDone;
      path.pop_back();
      continue;
    }
    std::string to = v.references[v.next++];
    auto it = state_.find(to);
    if (it != state_.end()) {
      if (it->second == State::kOpen) called_.insert(std::move(to));
      continue;
    }
    // Whoever is called anyway is planned alone: no cycle through it is inlined.
    if (is_marked(to)) continue;
    state_[to] = State::kOpen;
    path.push_back({to, function_references(*library_, to)});
  }
}

void CalledFunctions::walk_from(const FunctionRef& ref) {
  if (!is_marked(ref.name)) walk_from(ref.name);
  if (ref.attrs == nullptr) return;
  for (const auto& [name, value] : *ref.attrs) {
    if (const auto* f = value.get<FunctionRef>()) walk_from(*f);
    if (const auto* list = value.get<std::vector<FunctionRef>>()) {
      for (const FunctionRef& each : *list) walk_from(each);
    }
  }
}

void CalledFunctions::walk_from(const Graph& graph) {
  if (library_ == nullptr || library_->empty()) return;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    if (graph.ops().find(n.op->name) != n.op) walk_from(FunctionRef{n.op->name, nullptr});
    for (const auto& [name, value] : n.attrs) {
      if (const auto* f = value.get<FunctionRef>()) {
        walk_from(*f);
        if (!n.is("SymbolicGradient")) continue;
        if (std::string gradient = library_->gradient_of(f->name); !gradient.empty())
          walk_from(FunctionRef{gradient, nullptr});
      } else if (const auto* list = value.get<std::vector<FunctionRef>>()) {
        for (const FunctionRef& each : *list) walk_from(each);
      }
    }
  }
}

}  // namespace troupe
