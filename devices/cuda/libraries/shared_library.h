#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troupe {

/// A library that the process loaded while it ran; never unloaded, as its threads may live on. Copies are the same library.
class SharedLibrary {
 public:
  /// The first of `names` that the loader finds. Unavailable with what the loader said of each.
  static absl::StatusOr<SharedLibrary> open(const std::vector<std::string>& names);

  /// Sets *function to the symbol of that name. Unavailable "NAME has no SYMBOL".
  template <class F>
  absl::Status find(const char* symbol, F** function) const {
    absl::StatusOr<void*> found = find_symbol(symbol);
    if (!found.ok()) return found.status();
    *function = reinterpret_cast<F*>(*found);
    return absl::OkStatus();
  }
  const std::string& name() const { return name_; }

 private:
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  absl::StatusOr<void*> find_symbol(const char* symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace troupe
