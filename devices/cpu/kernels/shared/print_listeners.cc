#include "devices/cpu/kernels/shared/print_listeners.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {
namespace {

struct Listeners {
  std::atomic<bool> any{false};
  std::mutex mu;
  std::vector<PrintListener> all;  // guarded by mu
};

Listeners& listeners() {
  static Listeners* shared = new Listeners;
  return *shared;
}

}  // namespace

void add_print_listener(PrintListener listener) {
  Listeners& l = listeners();
  std::lock_guard lock(l.mu);
  l.all.push_back(listener);
  l.any = true;
}

bool print_to_listeners(absl::string_view text) {
  Listeners& l = listeners();
  if (!l.any) return false;
  std::vector<PrintListener> all;
  {
    std::lock_guard lock(l.mu);
    all = l.all;
  }
  const std::string ended(text);
  for (PrintListener listener : all) listener(ended.c_str());
  return true;
}

}  // namespace troupe
