#pragma once

// What nearly every file of gradients includes, compiled once. Files still include what they use: the
// option TROUPE_PRECOMPILE=OFF builds without.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/gradient_scope.h"
