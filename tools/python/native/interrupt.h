#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "actors/session.h"

namespace troupe::python {

/// While it lives, ctrl-C cancels the step that Python's main thread runs: Python itself can do nothing before the run returns. Only where
/// SIGINT is to raise KeyboardInterrupt, and on that thread; elsewhere it does nothing. Made and destroyed with the GIL held.
class Interruptible {
 public:
  /// Cancels what runs, on a thread of its own; false when there is nothing to cancel yet: it is asked again.
  using Cancel = std::function<bool()>;

  /// A run, which is found by what it fetches.
  Interruptible(Session& session, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets);
  /// A turn of a partial run, which ends with it.
  Interruptible(Session& session, const std::string& handle);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;

 private:
  /// Says what is to be done.
  void begin(Cancel cancel);

  const bool watched_;
};

/// Raises what the signal handlers of Python raise: KeyboardInterrupt when a run ended because of one.
void raise_signals();

}  // namespace troupe::python
