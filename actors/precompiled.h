#pragma once

// What nearly every file of the actors and of the C API includes, compiled once. Files still include what they use: the
// option TROUPE_PRECOMPILE=OFF builds without.
#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/kernel_registry.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/graph.h"
#include "proto/graph.pb.h"
