#pragma once

// What nearly every file of the IR and of the passes includes, compiled once. Files still include what they use: the option
// TROUPE_PRECOMPILE=OFF builds without.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph.h"
#include "proto/function.pb.h"
#include "proto/graph.pb.h"
