#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"

namespace troupe {

class Session;

/// Opens sessions for the options that it accepts, by their target as a rule: "" is this process, "scheme://..." whatever a factory of that
/// scheme makes of it. Shared by the registry that it is in and by those who open sessions; lives at least as long as its runtime. Thread-safe.
/// What it throws becomes a status.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  /// Whether sessions with these options are this factory's. Must not wait: RUNTIME asks, too.
  virtual bool accepts(const SessionOptions& options) const = 0;
  /// Never null when it is OK. May wait, for other machines as well; not called on a thread of an actor.
  virtual absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) = 0;
  /// Drops the resources in the named containers (none: in the default one) of all sessions that this factory has opened for such options, and
  /// closes them. Unimplemented unless a factory says otherwise. May wait.
  virtual absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers);
};

}  // namespace troupe
