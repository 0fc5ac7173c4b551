#include "actors/grpc_door/closing_sessions.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "actors/session_core.h"

namespace troupe {

void ClosingSessions::add(std::vector<std::shared_ptr<DoorSession>> sessions, Time deadline,
                          std::function<void()> then) {
  groups_.push_back({std::move(sessions), deadline, std::move(then)});
}

void ClosingSessions::look(Time now) {
  std::vector<Group> over;
  for (Group& group : groups_) {
    std::erase_if(group.sessions, [&](const std::shared_ptr<DoorSession>& session) {
      const int64_t running = session->core->gate.running();
      if (running > 0 && now < group.deadline) return false;
      if (running > 0)
        spdlog::error("door: session {} is closed, but {} steps of it still run", session->handle, running);
      caf::anon_send_exit(session->actor, caf::exit_reason::user_shutdown);
      return true;
    });
    if (group.sessions.empty()) over.push_back(std::move(group));
  }
  std::erase_if(groups_, [](const Group& g) { return g.sessions.empty(); });
  for (const Group& group : over) group.then();
}

void ClosingSessions::give_up() {
  for (const Group& group : std::exchange(groups_, {})) {
    for (const auto& session : group.sessions)
      caf::anon_send_exit(session->actor, caf::exit_reason::user_shutdown);
    group.then();
  }
}

}  // namespace troupe
