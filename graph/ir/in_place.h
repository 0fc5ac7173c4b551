#pragma once

#include "graph/ir/graph.h"

namespace troupe {

/// Whether an op writes to its first input's memory, a plain tensor, and hands it on. Two equal ones are not one; of a constant they write to
/// a copy, which must not be the graph's.
inline bool writes_to_input(const Node& node) {
  return node.is("InplaceUpdate") || node.is("InplaceAdd") || node.is("InplaceSub");
}

}  // namespace troupe
