#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/interfaces.h"
#include "actors/turn_unit.h"

namespace troupe {

/// The PARTIAL RUNs of a session, by handle. SESSION adds and removes; clients look where to send their turns. Thread-safe.
class PartialRunTable {
 public:
  struct Entry {
    PartialRunActor actor;
    std::shared_ptr<TurnUnit> turns;
  };
  using Named = std::pair<std::string, Entry>;

  void add(const std::string& handle, Entry entry);
  /// Empty when there is none of that name: it is over, or never was.
  std::optional<Entry> find(const std::string& handle) const;
  /// What was there.
  std::optional<Entry> remove(const std::string& handle);
  std::vector<Named> all() const;

 private:
  mutable std::mutex mu_;
  absl::flat_hash_map<std::string, Entry> runs_;  // guarded by mu_
};

}  // namespace troupe
