#include "tests/actors/c_api/plugin_library.h"

#include "tests/actors/c_api/c_graph.h"

namespace c_test {

std::string plugin_file(const std::string& name) {
  return std::string(TROUPE_TEST_PLUGINS) + "/lib" + name + ".so";
}

std::string load(const std::string& file, TF_Library* (*function)(const char*, TF_Status*)) {
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
