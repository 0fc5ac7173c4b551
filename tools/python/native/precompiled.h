#pragma once

// What nearly every file of the module includes, compiled once. Files still include what they use: the option
// TROUPE_PRECOMPILE=OFF builds without.
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "actors/c_api/handles.h"
#include "tools/python/native/arrays.h"
#include "tools/python/native/gil.h"
#include "tools/python/native/native.h"
