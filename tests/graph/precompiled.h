#pragma once

// What nearly every test of graphs includes, compiled once. Files still include what they use: the option
// TROUPE_PRECOMPILE=OFF builds without.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/graph_def.h"
#include "proto/graph.pb.h"
