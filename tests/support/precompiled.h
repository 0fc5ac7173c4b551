#pragma once

// What nearly every test of kernels includes, compiled once. Files still include what they use: the
// option TROUPE_PRECOMPILE=OFF builds without.
#include <gmock/gmock.h>

#include <Eigen/Core>

#include "tests/support/kernel_harness.h"
#include "tests/support/string_tensors.h"
