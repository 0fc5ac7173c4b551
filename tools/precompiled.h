#pragma once

// What most files of the programs include, compiled once. Files still include what they use: the option
// TROUPE_PRECOMPILE=OFF builds without.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"
#include "proto/graph.pb.h"
