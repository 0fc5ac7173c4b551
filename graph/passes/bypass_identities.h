#pragma once

#include "graph/passes/pass.h"

namespace troupe {

/// Takes out nodes that only hand on: Identities (StopGradient and PreventGradient are no more than that once gradients are made), whose
/// consumers use what they were given, and NoOps, whose waiters wait for what they waited for, where that makes no more edges. Left
/// as they are: what is fetched or must survive (Draft::roots), what reads a reference, waits for more than its value, or is on
/// another device than its input; Identities behind control flow that somebody waits for, as a control edge from a Switch, say, does not
/// tell which side was taken; and nodes that `consider` says false of. Linear.
absl::StatusOr<PassStats> bypass_identities(Draft* draft, const NodeFilter& consider = nullptr);

}  // namespace troupe
