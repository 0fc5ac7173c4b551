#pragma once

// What nearly every test of sessions includes, compiled once. Files still include what they use: the
// option TROUPE_PRECOMPILE=OFF builds without.
#include <gmock/gmock.h>

#include <caf/all.hpp>

#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"
