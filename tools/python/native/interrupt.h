#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "actors/session.h"

namespace troupe::python {

/// While it lives, ctrl-C cancels the step that Python's main thread runs: Python itself can do nothing before the run returns. Only where
/// SIGINT is to raise KeyboardInterrupt, and on that thread; elsewhere it does nothing. Made and destroyed with the GIL held.
class Interruptible {
 public:
  Interruptible(Session& session, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;

 private:
  const bool watched_;
};

/// Raises what the signal handlers of Python raise: KeyboardInterrupt when a run ended because of one.
void raise_signals();

}  // namespace troupe::python
