#pragma once

// What nearly every file of ops and shape functions includes, compiled once. Files still include what they use: the option
// TROUPE_PRECOMPILE=OFF builds without.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/op_registry.h"
#include "graph/ops/op_registry.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
