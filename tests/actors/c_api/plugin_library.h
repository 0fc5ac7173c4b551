#pragma once

#include <string>

#include "tensorflow/c/c_api.h"
#include "tests/actors/c_api/c_graph.h"

namespace c_test {

/// Where the build has put a plug-in of plugin/.
inline std::string plugin_file(const std::string& name) {
  return std::string(TROUPE_TEST_PLUGINS) + "/lib" + name + ".so";
}

/// Loads a library; its ops, as a serialised OpList, or the error as "code: message".
inline std::string load(const std::string& file,
                        TF_Library* (*function)(const char*, TF_Status*) = TF_LoadLibrary) {
  Status status(TF_NewStatus());
  TF_Library* library = function(file.c_str(), status.get());
  EXPECT_EQ(library == nullptr, TF_GetCode(status.get()) != TF_OK);
  if (library == nullptr) return describe(status);
  TF_Buffer ops = TF_GetOpList(library);
  std::string bytes(static_cast<const char*>(ops.data), ops.length);
  TF_DeleteLibraryHandle(library);
  return bytes;
}

}  // namespace c_test
