#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "actors/session_factory.h"

namespace troupe {

class Session;

/// The session factories of a runtime, by name. Every runtime has DIRECT_SESSION, for the target "". What is added stays until it is
/// removed, or the runtime is gone. Thread-safe.
class SessionFactories {
 public:
  SessionFactories() = default;
  SessionFactories(const SessionFactories&) = delete;

  /// AlreadyExists when a factory has that name; InvalidArgument without a name or a factory.
  absl::Status add(std::string name, std::shared_ptr<SessionFactory> factory);
  /// Sessions that it has opened stay; calls that are at it end as they would. Nothing when there is none of that name.
  void remove(const std::string& name);
  /// The only one that accepts these options. NotFound "No session factory registered for the given session options: ...", Internal "Multiple
  /// session factories registered for the given session options: ...", with the names.
  absl::StatusOr<std::shared_ptr<SessionFactory>> find(const SessionOptions& options) const;
  /// In order.
  std::vector<std::string> names() const;

  /// A session of the factory that accepts the options. As `find`, and whatever the factory says. May wait.
  absl::StatusOr<std::unique_ptr<Session>> open(const SessionOptions& options) const;
  /// Has it reset (SessionFactory::reset). May wait.
  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) const;

 private:
  using ByName = std::map<std::string, std::shared_ptr<SessionFactory>>;
  ByName snapshot() const;

  mutable std::mutex mu_;
  ByName by_name_;  // guarded by mu_
};

}  // namespace troupe
