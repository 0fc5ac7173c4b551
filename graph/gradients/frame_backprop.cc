#include "graph/gradients/frame_backprop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/gradients/frame_importer.h"

namespace troupe {

absl::StatusOr<int> FrameBackprop::frame_of_all(std::span<const Endpoint> y) const {
  const int frame = y.empty() ? 0 : frames_.frame_of(y[0]);
  const auto place = [&](Endpoint e) {
    const int f = frames_.frame_of(e);
    return absl::StrCat("'", scope_.graph().node(e.node).name, "' is in ",
                        f == 0 ? std::string("no loop") : absl::StrCat("loop '", frames_.name(f), "'"));
  };
  for (Endpoint e : y) {
    if (frames_.frame_of(e) == frame) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Cannot compute gradients of outputs in different loops: ", place(y[0]), ", ", place(e)));
  }
  return frame;
}

Endpoint FrameBackprop::outside(const Entrance& entrance) const {
  return scope_.graph().node(entrance.enter).inputs[0];
}

/// Those of the stage's frame that its y depends on.
absl::StatusOr<std::vector<FrameBackprop::Entrance>> FrameBackprop::entrances_before(const Stage& stage) {
  std::vector<Entrance> entrances;
  if (stage.frame == 0) return entrances;
  Backprop probe(&scope_, &registry_, &frames_, stage.frame);
  TROUPE_RETURN_IF_ERROR(probe.prepare(stage.y, {}));
  for (int border : probe.borders()) {
    const int enter = frames_.enter_behind(border);
    // A loop variable is seen in the body at the second output of its Switch.
    const Node& node = scope_.graph().node(border);
    const int slot = node.is("Switch") || node.is("RefSwitch") ? 1 : 0;
    if (enter >= 0) entrances.push_back({enter, {border, slot}});
  }
  return entrances;
}

absl::Status FrameBackprop::find_stages(std::span<const Endpoint> y, std::span<const Endpoint> x) {
  TROUPE_ASSIGN_OR_RETURN(int frame, frame_of_all(y));
  std::vector<Endpoint> from(y.begin(), y.end());
  while (true) {
    Stage& stage = stages_.emplace_back();
    stage.frame = frame;
    stage.y = std::move(from);
    for (size_t i = 0; i < x.size(); ++i) {
      if (frames_.frame_of(x[i]) != frame) continue;
      stage.x.push_back(x[i]);
      stage.own.push_back(static_cast<int>(i));
    }
    TROUPE_ASSIGN_OR_RETURN(stage.entrances, entrances_before(stage));
    if (stage.entrances.empty()) return absl::OkStatus();
    from.clear();
    for (const Entrance& entrance : stage.entrances) from.push_back(outside(entrance));
    frame = frames_.parent(frame);
  }
}

absl::Status FrameBackprop::initial_value_error(const Entrance& entrance, const Stage& around) {
  const Endpoint initial = outside(entrance);
  int culprit = initial.node;
  for (Endpoint e : around.x) {
    Backprop only(&scope_, &registry_, &frames_, around.frame);
    TROUPE_RETURN_IF_ERROR(only.prepare({&initial, 1}, {&e, 1}));
    if (only.is_active(initial)) culprit = e.node;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Cannot compute gradient inside while loop with respect to op '", scope_.graph().node(culprit).name,
      "'. We do not support taking the gradient wrt or through the initial value of a loop variable. "
      "Gradients can be "
      "computed through loop invariants or wrt the input parameters to the loop body. The loop is '",
      frames_.name(frames_.frame_of({entrance.enter, 0})), "'."));
}

/// After the stages outside of it.
absl::Status FrameBackprop::prepare_stage(size_t i) {
  Stage& stage = stages_[i];
  for (size_t j = 0; j < stage.entrances.size(); ++j) {
    const Entrance& entrance = stage.entrances[j];
    if (!stages_[i + 1].backprop->is_active(outside(entrance))) continue;
    stage.x.push_back(entrance.inside);
    stage.handing_on.push_back(j);
  }
  stage.backprop = std::make_unique<Backprop>(&scope_, &registry_, &frames_, stage.frame);
  return stage.backprop->prepare(stage.y, stage.x);
}

void FrameBackprop::enter_body() {
  scope_.keep(std::make_unique<FrameImporter>(&scope_, &frames_, stages_[0].frame));
  scope_.enter(scope_.last_kept(), -1);
  const Endpoint y = stages_[0].y[0];
  const Val pivot = scope_.raw_op("Identity", {y}, {{"T", scope_.type_of(y)}});
  if (pivot.valid()) scope_.enter(scope_.last_kept(), pivot.endpoint().node);
}

absl::Status FrameBackprop::prepare(std::span<const Endpoint> y, std::span<const Endpoint> x) {
  num_x_ = x.size();
  TROUPE_RETURN_IF_ERROR(find_stages(y, x));
  for (size_t i = stages_.size(); i-- > 0;) TROUPE_RETURN_IF_ERROR(prepare_stage(i));
  if (stages_[0].frame != 0) enter_body();
  return scope_.status();
}

bool FrameBackprop::reaches(Endpoint e) const {
  const int frame = frames_.frame_of(e);
  return std::any_of(stages_.begin(), stages_.end(),
                     [&](const Stage& stage) { return stage.frame == frame && stage.backprop->reaches(e); });
}

absl::Status FrameBackprop::run(std::span<const Val> dy, std::vector<Val>* dx) {
  dx->assign(num_x_, Val());
  std::vector<Val> weights;
  for (Val v : dy) {
    if (v.valid() && scope_.importer() != nullptr) {
      TROUPE_ASSIGN_OR_RETURN(const Endpoint here, scope_.importer()->import(v.endpoint()));
      v = scope_.val(here);
    }
    weights.push_back(v);
  }
  for (size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    std::vector<Val> found;
    TROUPE_RETURN_IF_ERROR(stage.backprop->run(weights, &found));
    for (size_t i = 0; i < stage.own.size(); ++i) (*dx)[stage.own[i]] = found[i];
    weights.assign(stage.entrances.size(), Val());
    for (size_t i = 0; i < stage.handing_on.size(); ++i) {
      const Val gradient = found[stage.own.size() + i];
      const Entrance& entrance = stage.entrances[stage.handing_on[i]];
      if (gradient.valid() && !frames_.is_constant_enter(entrance.enter))
        return initial_value_error(entrance, stages_[s + 1]);
      weights[stage.handing_on[i]] = gradient;
    }
  }
  return scope_.status();
}

}  // namespace troupe
