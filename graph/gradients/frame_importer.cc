#include "graph/gradients/frame_importer.h"

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<Endpoint> FrameImporter::import(Endpoint e) {
  if (scope_.made_in(e.node) == this) return e;
  return bring(e, frame_);
}

absl::StatusOr<Endpoint> FrameImporter::bring(Endpoint e, int into) {
  const int from = frames_.frame_of(e);
  if (from == into) return e;
  if (into == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot compute gradients: '", scope_.graph().node(e.node).name, "' is in loop '",
                     frames_.name(from), "', which is not around loop '", frames_.name(frame_), "'"));
  }
  if (auto it = brought_.find({e, into}); it != brought_.end()) return it->second;
  TROUPE_ASSIGN_OR_RETURN(const Endpoint outside, bring(e, frames_.parent(into)));
  Endpoint inside{constant_enter(outside, into), 0};
  if (inside.node < 0) {
    inside = scope_
                 .raw_op("Enter", {outside},
                         {{"T", scope_.type_of(outside)},
                          {"frame_name", frames_.name(into)},
                          {"is_constant", true},
                          {"parallel_iterations", frames_.parallel_iterations(into)}})
                 .endpoint();
    TROUPE_RETURN_IF_ERROR(scope_.status());
  }
  brought_[{e, into}] = inside;
  return inside;
}

int FrameImporter::constant_enter(Endpoint e, int frame) const {
  for (int enter : frames_.enters(frame)) {
    if (scope_.graph().node(enter).inputs[0] == e && frames_.is_constant_enter(enter)) return enter;
  }
  return -1;
}

}  // namespace troupe
