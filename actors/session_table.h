#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/session_core.h"

namespace troupe {

/// The sessions of a runtime that are not gone, and the names that clients gave them. To add one, to take one out and to find a name costs
/// the same however many there are, and no call now and then takes longer than others. Thread-safe.
class SessionTable {
 public:
  /// The names that it asks for are its own from now on. Once for each core.
  void add(const std::shared_ptr<SessionCore>& core);
  /// Of a core that is about to go, whether it was added or not: nothing of it stays.
  void remove(SessionCore& core);
  /// Closed ones, too, in the order in which they came.
  std::vector<std::shared_ptr<SessionCore>> all() const;
  /// The open session that has the handle, or name and version, that these options ask for; null when there is none, or they ask for none.
  std::shared_ptr<SessionCore> find_handle(const SessionOptions& options) const;
  std::shared_ptr<SessionCore> find_metadata(const SessionOptions& options) const;

 private:
  using Places = SessionCore::Places;
  using Names = std::map<std::string, Places::iterator>;
  std::shared_ptr<SessionCore> find_open(const std::string& name) const;

  mutable std::mutex mu_;
  // Guarded by mu_.
  Places all_;
  /// A name stays its last bearer's until that one goes, closed or not.
  Names by_name_;
};

}  // namespace troupe
