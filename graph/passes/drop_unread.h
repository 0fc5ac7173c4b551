#pragma once

#include "graph/passes/pass.h"

namespace troupe {

/// Makes NoOps of nodes whose results nobody reads, though somebody waits for them: gradients that were made beside those that are wanted, as a rule. They
/// wait for what they read before, so that who waits for them begins when he did, and is dead when he was. Left as they are: what must survive
/// (Draft::roots), what has a state, writes to its input, calls functions or is there to check something, ends and Placeholders, what reads from control flow, as a control
/// edge from a Switch does not tell which side was taken, and nodes that `consider` says false of. An error of theirs is gone with them, as
/// in TensorFlow. Linear.
absl::StatusOr<PassStats> drop_unread(Draft* draft, const NodeFilter& consider = nullptr);

}  // namespace troupe
