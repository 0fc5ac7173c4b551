#include "actors/session_factories.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/session.h"
#include "graph/status.h"
#include "graph/thrown.h"
#include "proto/config.pb.h"

namespace troupe {
namespace {

constexpr char kWho[] = "a session factory";

/// As TensorFlow prints them.
std::string describe(const SessionOptions& options) {
  tensorflow::ConfigProto config;
  (void)config.ParseFromString(options.config);
  return absl::StrCat("{target: \"", options.target, "\" config: ", config.ShortDebugString(), "}");
}

template <class Map>
std::string keys_of(const Map& map) {
  return absl::StrCat(
      "{",
      absl::StrJoin(map, ", ",
                    [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.first); }),
      "}");
}

}  // namespace

absl::Status SessionFactory::reset(const SessionOptions& options, const std::vector<std::string>&) {
  return absl::UnimplementedError(
      absl::StrCat("Reset() is not supported for sessions with the target \"", options.target, "\"."));
}

absl::Status SessionFactories::add(std::string name, std::shared_ptr<SessionFactory> factory) {
  if (name.empty()) return absl::InvalidArgumentError("A session factory needs a name.");
  if (factory == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("Session factory ", name, " is null."));
  std::lock_guard lock(mu_);
  const auto [at, added] = by_name_.try_emplace(std::move(name), std::move(factory));
  if (added) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("Two session factories are being registered under ", at->first, "."));
}

void SessionFactories::remove(const std::string& name) {
  ByName::node_type gone;  // freed outside the lock
  std::lock_guard lock(mu_);
  gone = by_name_.extract(name);
}

SessionFactories::ByName SessionFactories::snapshot() const {
  std::lock_guard lock(mu_);
  return by_name_;
}

absl::StatusOr<std::shared_ptr<SessionFactory>> SessionFactories::find(const SessionOptions& options) const {
  // Factories are asked outside the lock: they may look here themselves.
  const ByName all = snapshot();
  ByName accepting;
  for (const auto& [name, factory] : all) {
    bool accepts = false;
    TROUPE_RETURN_IF_ERROR(guarded(kWho, [&] {
      accepts = factory->accepts(options);
      return absl::OkStatus();
    }));
    if (accepts) accepting.emplace(name, factory);
  }
  if (accepting.size() == 1) return accepting.begin()->second;
  if (accepting.empty()) {
    return absl::NotFoundError(
        absl::StrCat("No session factory registered for the given session options: ", describe(options),
                     " Registered factories are ", keys_of(all), "."));
  }
  return absl::InternalError(absl::StrCat(
      "Multiple session factories registered for the given session options: ", describe(options),
      " Candidate factories are ", keys_of(accepting), ". Registered factories are ", keys_of(all), "."));
}

std::vector<std::string> SessionFactories::names() const {
  std::vector<std::string> names;
  for (const auto& [name, factory] : snapshot()) names.push_back(name);
  return names;
}

absl::StatusOr<std::unique_ptr<Session>> SessionFactories::open(const SessionOptions& options) const {
  TROUPE_ASSIGN_OR_RETURN(const auto factory, find(options));
  std::unique_ptr<Session> session;
  TROUPE_RETURN_IF_ERROR(guarded(kWho, [&]() -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(session, factory->new_session(options));
    return absl::OkStatus();
  }));
  if (session == nullptr) {
    return absl::InternalError(
        absl::StrCat("Failed to create session: the factory for ", describe(options), " gave none."));
  }
  return session;
}

absl::Status SessionFactories::reset(const SessionOptions& options,
                                     const std::vector<std::string>& containers) const {
  TROUPE_ASSIGN_OR_RETURN(const auto factory, find(options));
  return guarded(kWho, [&] { return factory->reset(options, containers); });
}

}  // namespace troupe
