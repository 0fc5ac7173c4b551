#pragma once

namespace caf {
class actor_system_config;
}

namespace troupe {

/// Has the system's threads share their work, as "scheduler.policy" = sharing, and lets its clock sleep when an actor ends that never set
/// a timeout: CAF's is waked by each end, which costs a session or a partial run more than all else. Call before the system is made.
void use_quiet_clock(caf::actor_system_config& config);

}  // namespace troupe
