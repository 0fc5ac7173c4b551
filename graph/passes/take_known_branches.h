#pragma once

#include "graph/passes/replace.h"

namespace troupe {

/// Where a Switch (or _SwitchN) is told by a constant which way to go, hands its value to that side at once, and makes an Identity of
/// each Merge that waits for one side alone because the others can never come alive. Branches that nobody needs any more are left
/// for `prune`; what must survive in them (Draft::roots) stays, and stays dead. Loops run as before: their Merges wait for
/// what comes round. Nodes that `consider` says false of stay. Linear.
absl::StatusOr<PassStats> take_known_branches(const DeviceCatalog& devices, Draft* draft,
                                              const NodeFilter& consider = nullptr);

}  // namespace troupe
