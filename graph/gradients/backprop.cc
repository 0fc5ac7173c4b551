#include "graph/gradients/backprop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/gradients/csr.h"

namespace troupe {

std::vector<Endpoint> Backprop::inputs_of(int unit) const {
  const Graph& graph = scope_.graph();
  std::vector<Endpoint> inputs;
  if (LoopFrames::is_loop(unit)) {
    for (int enter : frames_.enters(LoopFrames::loop_frame(unit)))
      inputs.push_back(graph.node(enter).inputs[0]);
    return inputs;
  }
  const Node& node = graph.node(unit);
  if (frame_ != 0 && frames_.is_border(node)) return inputs;
  inputs.assign(node.inputs.begin(), node.inputs.end());
  return inputs;
}

/// Depth first from y, without recursion: chains are long.
absl::Status Backprop::sort_units() {
  struct Open {
    int unit;
    std::vector<Endpoint> inputs;
    size_t next = 0;
  };
  std::vector<Open> path;
  constexpr int kOpen = -1;
  auto open = [&](int unit) {
    if (!unit_index_.try_emplace(unit, kOpen).second) return;
    path.push_back({unit, inputs_of(unit)});
  };
  for (Endpoint root : y_) {
    open(frames_.unit_of(root, frame_));
    while (!path.empty()) {
      Open& top = path.back();
      if (top.next < top.inputs.size()) {
        const int unit = frames_.unit_of(top.inputs[top.next++], frame_);
        if (auto it = unit_index_.find(unit); it == unit_index_.end()) {
          open(unit);
        } else if (it->second == kOpen) {
          return absl::InvalidArgumentError(
              "Cannot compute gradients: the graph has a cycle that is no loop");
        }
        continue;
      }
      unit_index_[top.unit] = static_cast<int>(units_.size());
      units_.push_back({top.unit, false});
      path.pop_back();
    }
  }
  return absl::OkStatus();
}

bool Backprop::hands_nothing_on(int unit) const {
  if (LoopFrames::is_loop(unit)) return false;
  const Node& node = scope_.graph().node(unit);
  if (node.op == nullptr) return false;
  return registry_.find_for(scope_.graph(), node).kind == GradientRegistry::Kind::kNone;
}

absl::Status Backprop::prepare(std::span<const Endpoint> y, std::span<const Endpoint> x) {
  y_.assign(y.begin(), y.end());
  x_.assign(x.begin(), x.end());
  for (size_t i = 0; i < x_.size(); ++i) is_x_[x_[i]] = static_cast<int>(i);
  TROUPE_RETURN_IF_ERROR(sort_units());
  for (Unit& unit : units_) {
    if (hands_nothing_on(unit.id)) continue;
    const std::vector<Endpoint> inputs = inputs_of(unit.id);
    unit.active = std::any_of(inputs.begin(), inputs.end(), [&](Endpoint e) { return is_active(e); });
  }
  return absl::OkStatus();
}

bool Backprop::is_active(Endpoint e) const {
  if (is_x_.contains(e)) return true;
  auto it = unit_index_.find(frames_.unit_of(e, frame_));
  return it != unit_index_.end() && it->second >= 0 && units_[it->second].active;
}

std::vector<int> Backprop::borders() const {
  std::vector<int> found;
  for (const Unit& unit : units_) {
    if (frame_ != 0 && !LoopFrames::is_loop(unit.id) && frames_.is_border(scope_.graph().node(unit.id)))
      found.push_back(unit.id);
  }
  return found;
}

void Backprop::add_gradient(Endpoint e, Val gradient) {
  if (gradient.valid() && is_active(e)) sums_[e].push_back(gradient);
}

Val Backprop::total(Endpoint e) {
  auto it = sums_.find(e);
  if (it == sums_.end() || it->second.empty()) return Val();
  std::vector<Val>& parts = it->second;
  if (parts.size() > 1) {
    const DataType sparse = csr_type(scope_.graph().node(e.node));
    const Val sum = sparse == DataType::kInvalid ? scope_.op("AddN", {parts})
                                                 : sum_csr(scope_, scope_.val(e), sparse, parts);
    parts.assign(1, sum);
  }
  return parts[0];
}

absl::Status Backprop::run(std::span<const Val> dy, std::vector<Val>* dx) {
  for (size_t i = 0; i < y_.size(); ++i) add_gradient(y_[i], dy[i]);
  for (size_t i = units_.size(); i-- > 0;) {
    if (!units_[i].active) continue;
    const int unit = units_[i].id;
    TROUPE_RETURN_IF_ERROR(LoopFrames::is_loop(unit) ? visit_loop(unit) : visit_node(unit));
  }
  dx->clear();
  for (Endpoint e : x_) dx->push_back(total(e));
  return scope_.status();
}

bool Backprop::depends_smoothly(const Node& node) const {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Endpoint e) {
    const DataType t = scope_.type_of(e);
    const bool smooth =
        is_floating(t) || is_complex(t) || t == DataType::kVariant || t == DataType::kResource;
    return smooth && is_active(e);
  });
}

absl::Status Backprop::visit_node(int id) {
  std::vector<Val> dy;
  bool any = false;
  for (int i = 0; i < scope_.graph().node(id).num_outputs(); ++i) {
    dy.push_back(total({id, i}));
    any = any || dy.back().valid();
  }
  if (!any) return scope_.status();
  const Node& node = scope_.graph().node(id);
  if (!node.defect.ok()) return node.defect;
  const GradientRegistry::Entry entry = registry_.find_for(scope_.graph(), node);
  if (entry.kind == GradientRegistry::Kind::kNone) return absl::OkStatus();
  if (entry.kind == GradientRegistry::Kind::kUnknown) {
    if (!depends_smoothly(node)) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat("No gradient defined for op: ", node.op->name,
                                            ". Needed for node ", node.name,
                                            "; rules are added to a GradientRegistry."));
  }
  std::vector<bool> wanted;
  for (Endpoint e : node.inputs) wanted.push_back(is_active(e));
  Rule rule(&scope_, id, std::move(dy), std::move(wanted));
  entry.fn(rule);
  if (!scope_.status().ok())
    return annotate(scope_.status(), "", absl::StrCat("; gradient of node ", node.name));
  for (int i = 0; i < rule.num_inputs(); ++i) add_gradient(node.inputs[i], rule.gradients()[i]);
  return absl::OkStatus();
}

}  // namespace troupe
