#pragma once

// What nearly every file of the devices' core and of what their kernels share includes, compiled once. Files still include
// what they use: the option TROUPE_PRECOMPILE=OFF builds without.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/kernel_registry.h"
