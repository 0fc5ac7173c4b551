#pragma once

#include <mutex>

namespace troupe {

/// Where debuggers begin (tools/gdb): a list of what lives in this process and has one of these. A Runtime::Impl has, as `anchor`.
/// Threads come and go under a lock; debuggers look at a process that stands still. The only global of the runtime: nothing of ours reads it.
class DebuggerAnchor {
 public:
  /// Of the object that it is a member of.
  explicit DebuggerAnchor(const void* owner);
  ~DebuggerAnchor();
  DebuggerAnchor(const DebuggerAnchor&) = delete;

 private:
  static std::mutex mu_;
  static DebuggerAnchor* first_;  // guarded by mu_
  const void* const owner_;
  DebuggerAnchor* next_ = nullptr;  // guarded by mu_
};

}  // namespace troupe
