#include "graph/gradients/rule.h"

#include "absl/strings/str_cat.h"

namespace troupe {

Rule::Rule(GradientScope* scope, int node, std::vector<Val> dy, std::vector<bool> wanted)
    : scope_(*scope), node_(node), dy_(std::move(dy)), wanted_(std::move(wanted)),
      dx_(scope->graph().node(node).num_inputs()) {}

const Node& Rule::node() const { return scope_.graph().node(node_); }

Val Rule::x(int i) const { return scope_.val(node().inputs[i < 0 ? i + num_inputs() : i]); }

Val Rule::y(int i) const { return scope_.val({node_, i < 0 ? i + num_outputs() : i}); }

Val Rule::dy(int i) {
  Val& gradient = dy_[i < 0 ? i + num_outputs() : i];
  if (!gradient.valid()) gradient = zeros_like(y(i));
  return gradient;
}

std::vector<Val> Rule::xs(int begin, int end) const {
  std::vector<Val> out;
  for (int i = begin; i < end; ++i) out.push_back(x(i));
  return out;
}

std::vector<Val> Rule::dys(int begin, int end) {
  std::vector<Val> out;
  for (int i = begin; i < end; ++i) out.push_back(dy(i));
  return out;
}

AttrMap Rule::attrs(std::initializer_list<const char*> names) const {
  AttrMap out;
  for (const char* name : names) {
    if (const AttrValue* v = node().attrs.find(name)) out.set(name, *v);
  }
  return out;
}

AttrMap Rule::attrs_for(absl::string_view op) const {
  AttrMap out;
  const OpDef* def = scope_.graph().find_op(op);
  if (def == nullptr) return out;
  for (const AttrDef& attr : def->attrs) {
    const AttrValue* v = node().attrs.find(attr.name);
    if (v != nullptr && attr.kind != "type" && attr.kind != "list(type)") out.set(attr.name, *v);
  }
  return out;
}

void Rule::refuse(absl::string_view why) const {
  scope_.fail(absl::UnimplementedError(
      absl::StrCat("Gradient of ", node().op->name, " node ", node().name, ": ", why)));
}

}  // namespace troupe
