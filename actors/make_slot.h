#pragma once

#include <memory>

#include "actors/step_slot.h"

namespace troupe {

/// Spawns the actors of a slot. They hold the slot until `stop_slot`, or until they die.
std::shared_ptr<StepSlot> make_slot(std::shared_ptr<const SignatureCode> code,
                                    std::shared_ptr<SessionCore> session, NamedPool* pool);

}  // namespace troupe
