#include "tests/actors/c_api/wheel.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

std::string output_of(const std::string& command, int* status) {
  std::string text;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    *status = -1;
    return text;
  }
  char part[4096];
  while (size_t n = std::fread(part, 1, sizeof(part), pipe)) text.append(part, n);
  *status = pclose(pipe);
  return text;
}

std::string tensorflow_folder() {
  std::string folder;
  if (const char* named = std::getenv("TROUPE_TENSORFLOW_WHEEL")) {
    folder = named;
  } else {
    int status = 0;
    folder = output_of(
        "python3 -c \"import importlib.util as u; s = u.find_spec('tensorflow'); "
        "print(s.submodule_search_locations[0] if s else '', end='')\"",
        &status);
    if (status != 0) return "";
  }
  return std::filesystem::exists(folder + "/include/tensorflow/c/c_api.h") ? folder : "";
}
