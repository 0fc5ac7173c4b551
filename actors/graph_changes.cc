#include "actors/graph_changes.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/session_core.h"
#include "graph/status.h"

namespace troupe {
namespace {

absl::StatusOr<GraphChange> labour_of(const SessionCore& core, const SessionGraph::Labour& labour) {
  if (core.closing.cancelled()) return core.closing.reason();
  try {
    return labour();
  } catch (const std::exception& e) {
    return absl::ResourceExhaustedError(absl::StrCat("the graph could not be made: ", e.what()));
  }
}

void keep(GraphChanges::Promise& promise, const absl::Status& status) {
  if (status.ok()) {
    promise.deliver(Done{});
  } else {
    promise.deliver(to_error(status));
  }
}

}  // namespace

void GraphChanges::add(Kind what, Promise promise) {
  changes_.push_back({std::move(what), std::move(promise)});
  if (!changing_) begin_next();
}

absl::StatusOr<SessionGraph::Labour> GraphChanges::labour_of_first() const {
  TROUPE_RETURN_IF_ERROR(core_->check_not_finalized());
  const Kind& what = changes_.front().what;
  if (const auto* create = std::get_if<CreateGraph>(&what)) return graph_.begin(*core_, *create);
  return graph_.begin(*core_, std::get<ExtendGraph>(what));
}

absl::Status GraphChanges::finalize() {
  if (core_->finalized) return absl::FailedPreconditionError("Session already finalized.");
  if (graph_.get() == nullptr) return absl::FailedPreconditionError("Session not yet created.");
  core_->finalized = true;
  clear();
  return absl::OkStatus();
}

/// The first change that takes long.
void GraphChanges::begin_next() {
  while (!changes_.empty() && !changing_) {
    if (std::holds_alternative<FinalizeRequest>(changes_.front().what)) {
      keep(changes_.front().promise, finalize());
      changes_.pop_front();
      continue;
    }
    auto labour = labour_of_first();
    if (!labour.ok()) {
      keep(changes_.front().promise, labour.status());
      changes_.pop_front();
      continue;
    }
    // What the client lent is his again as soon as the labour is done.
    changes_.front().what = CreateGraph{};
    changing_ = true;
    core_->compilers->run([core = core_, labour = *std::move(labour), to = SessionActor(session_)]() mutable {
      auto result = std::make_shared<absl::StatusOr<GraphChange>>(labour_of(*core, labour));
      labour = nullptr;
      caf::anon_send(to, GraphChanged{std::move(result)});
    });
  }
}

void GraphChanges::finish(const GraphChanged& m) {
  changing_ = false;
  const absl::Status status = m.result->status();
  if (status.ok()) {
    core_->free_later(graph_.finish(std::move(**m.result)));
    core_->has_graph = true;
  }
  if (!changes_.empty()) {
    Promise promise = std::move(changes_.front().promise);
    changes_.pop_front();
    keep(promise, status);
  }
  run_waiting();
  begin_next();
}

void GraphChanges::when_unchanging(std::function<void()> f) {
  if (!changing_ || core_->closed()) return f();
  waiting_.push_back(std::move(f));
}

void GraphChanges::run_waiting() {
  for (auto& f : std::exchange(waiting_, {})) f();
}

void GraphChanges::shut(const absl::Status& why) {
  for (Change& c : std::exchange(changes_, {})) keep(c.promise, why);
  run_waiting();
}

void GraphChanges::clear() {
  GraphChange last = graph_.finish({});
  if (last.graph != nullptr) core_->free_later(std::move(last));
}

}  // namespace troupe
