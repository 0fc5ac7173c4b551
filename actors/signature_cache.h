#pragma once

#include "actors/session_core.h"

namespace troupe {

/// The compiled signatures of a session, by key of sorted names, under the bound that its options give. SESSION's own; what
/// callers read is the snapshot that it publishes into the core, by the callers' own keys.
class SignatureCache {
 public:
  explicit SignatureCache(SessionCore* core) : core_(core) {}

  /// Null when it is not there.
  std::shared_ptr<Signature> find(const std::string& sorted_key) const;
  /// Adds a signature; those used longest ago go when there are too many, but for those that callables use.
  void add(const std::string& sorted_key, std::shared_ptr<Signature> signature);
  /// From now on callers find it by this key.
  void publish(const std::string& key, const std::shared_ptr<const SignatureAlias>& alias);
  void clear() { by_sorted_key_.clear(); }

 private:
  using Map = absl::flat_hash_map<std::string, std::shared_ptr<Signature>>;
  Map::iterator oldest();
  void drop(const std::shared_ptr<Signature>& signature);

  SessionCore* const core_;
  Map by_sorted_key_;
};

}  // namespace troupe
