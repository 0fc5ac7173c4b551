// Session's own functions: how one comes to be, by the factories of a runtime.
#include <spdlog/spdlog.h>

#include "actors/runtime_impl.h"
#include "actors/session.h"
#include "graph/status.h"

namespace troupe {

absl::StatusOr<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  return open(Runtime::process_default(), options);
}

absl::StatusOr<std::unique_ptr<Session>> Session::open(Runtime& runtime, const SessionOptions& options) {
  TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  absl::StatusOr<std::unique_ptr<Session>> session = runtime.session_factories().open(options);
  // A RUNTIME that ended meanwhile answers with no more than that.
  if (absl::IsUnavailable(session.status())) TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  return session;
}

std::unique_ptr<Session> Session::open_or_null(Runtime& runtime, const SessionOptions& options) {
  absl::StatusOr<std::unique_ptr<Session>> session = open(runtime, options);
  if (session.ok()) return *std::move(session);
  spdlog::error("session: {}", session.status().ToString());
  return nullptr;
}

absl::Status Session::reset(Runtime& runtime, const SessionOptions& options,
                            const std::vector<std::string>& containers) {
  TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  return runtime.session_factories().reset(options, containers);
}

}  // namespace troupe
