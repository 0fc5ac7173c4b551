#pragma once

#include "graph/passes/pass.h"

namespace troupe {

/// Removes every node from which no root can be reached, over data and control edges. Linear.
PassStats prune(Draft* draft);

}  // namespace troupe
