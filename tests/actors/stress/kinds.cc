#include "tests/actors/stress/kinds.h"

#include <utility>

namespace troupe::test {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;

template <class Set>
SessionKind kind(const char* name, Set set, std::vector<AllowedError> also = {}) {
  SessionKind k{name, {}, std::move(also)};
  k.options.device_count["CPU"] = 2;
  // So few that signatures are evicted all the time.
  k.options.max_signatures = 6;
  // Partial runs that players leave are over before the end.
  k.options.partial_run_lease = milliseconds(200);
  set(k.options);
  return k;
}

std::vector<SessionKind> make_kinds() {
  using O = SessionOptions;
  std::vector<SessionKind> kinds;
  kinds.push_back(kind("plain", [](O&) {}));
  kinds.push_back(kind("forgetful", [](O& o) { o.max_signatures = 1; }));
  kinds.push_back(kind("on callers' threads", [](O& o) { o.inter_op_threads = -1; }));
  kinds.push_back(kind("with a thread of its own", [](O& o) {
    o.use_per_session_threads = true;
    o.inter_op_threads = 1;
  }));
  kinds.push_back(kind("with two pools", [](O& o) { o.inter_op_pools = {{1, ""}, {2, "of the stage"}}; }));
  kinds.push_back(kind("with other threads", [](O& o) { o.intra_op_threads = o.io_threads = 3; }));
  kinds.push_back(kind("single-threaded", [](O& o) { o.executor_type = "SINGLE_THREADED_EXECUTOR"; },
                       {{StatusCode::kUnimplemented, "Single-threaded executor does not support"}}));
  kinds.push_back(kind("hasty", [](O& o) { o.operation_timeout = milliseconds(50); },
                       {{StatusCode::kDeadlineExceeded, "Timed out"}}));
  kinds.push_back(kind("as written", [](O& o) { o.optimize = o.inline_functions = false; }));
  kinds.push_back(
      kind("placed when run", [](O& o) { o.place_pruned_graph = o.allow_soft_placement = true; }));
  kinds.push_back(kind("static", [](O& o) { o.optimize_for_static_graph = true; },
                       {{StatusCode::kFailedPrecondition, "Extend is not allowed"}}));
  kinds.push_back(kind("measured", [](O& o) {
    o.build_cost_model = 2;
    o.timeline_step = 3;
    o.infer_shapes = true;
  }));
  kinds.push_back(kind("with short leases", [](O& o) { o.partial_run_lease = milliseconds(10); }));
  return kinds;
}

}  // namespace

const std::vector<SessionKind>& session_kinds() {
  static const auto* const kinds = new std::vector<SessionKind>(make_kinds());
  return *kinds;
}

}  // namespace troupe::test
