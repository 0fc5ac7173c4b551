#pragma once

#include <string>

#include "tensorflow/c/c_api.h"

namespace c_test {

/// Where the build has put a plug-in of plugin/.
std::string plugin_file(const std::string& name);

/// Loads a library; its ops, as a serialised OpList, or the error as "code: message".
std::string load(const std::string& file, TF_Library* (*function)(const char*, TF_Status*) = TF_LoadLibrary);

}  // namespace c_test
