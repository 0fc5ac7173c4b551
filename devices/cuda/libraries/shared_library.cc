#include "devices/cuda/libraries/shared_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {

absl::StatusOr<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  std::vector<std::string> errors;
  for (const std::string& name : names) {
    // Its own symbols come first for it, whatever version of it the program itself links.
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(name, handle);
    const char* error = dlerror();
    errors.emplace_back(error == nullptr ? name : error);
  }
  return absl::UnavailableError(absl::StrJoin(errors, "; "));
}

absl::StatusOr<void*> SharedLibrary::find_symbol(const char* symbol) const {
  void* found = dlsym(handle_, symbol);
  if (found == nullptr) return absl::UnavailableError(absl::StrCat(name_, " has no ", symbol));
  return found;
}

}  // namespace troupe
