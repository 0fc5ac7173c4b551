#pragma once

#include "graph/gradients/rule.h"

namespace troupe {

/// The gradient of Einsum with one operand or two.
void einsum_rule(Rule& rule);

}  // namespace troupe
