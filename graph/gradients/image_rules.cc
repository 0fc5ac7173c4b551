#include "graph/gradients/gradient_registry.h"

namespace troupe {

std::span<const RuleRow> image_rules() { return {}; }

}  // namespace troupe
