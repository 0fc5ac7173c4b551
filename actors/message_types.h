#pragma once

namespace caf {
class actor_system_config;
}  // namespace caf

namespace troupe {

/// Gives the messages that interfaces.h names, and the errors of errors.h, their names in an actor system: what its logs and texts say.
void add_message_types(caf::actor_system_config& config);

}  // namespace troupe
