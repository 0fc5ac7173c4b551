#pragma once

#include "actors/step_slot.h"
#include "devices/memory/allocation_log.h"

namespace troupe {

/// A line in the log for each block that kernels take and give back and for each value that they put out, as TensorFlow's log memory:
/// "__LOG_MEMORY__ MemoryLogTensorOutput { step_id: 7 kernel_name: \"y\" ... }". Blocks are "raw" ones: their shapes stand with the values.
/// Null unless the environment asks for level 2 of it, as TensorFlow wants it: TF_CPP_VMODULE=log_memory=2, or
/// TF_CPP_MAX_VLOG_LEVEL=2. Reads the environment.
AllocationLog* memory_log_of_environment();

/// The line of a step that begins.
void log_memory_step(int64_t step_id, const SignatureCode& code);

}  // namespace troupe
