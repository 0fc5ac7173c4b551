#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "actors/grpc_door/door_sessions.h"

namespace troupe {

/// Sessions that are closed and whose runs have still to end. The DOOR's own, called in its turns.
class ClosingSessions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `then` is called by `look` when nothing of these sessions runs any more, or their time is up.
  void add(std::vector<std::shared_ptr<DoorSession>> sessions, Time deadline, std::function<void()> then);
  /// Ends the SESSIONs that have come to rest, and those that do not before their deadline: the log names them.
  void look(Time now);
  bool empty() const { return groups_.empty(); }
  /// Calls what waits.
  void give_up();

 private:
  struct Group {
    std::vector<std::shared_ptr<DoorSession>> sessions;
    Time deadline;
    std::function<void()> then;
  };
  std::vector<Group> groups_;
};

}  // namespace troupe
