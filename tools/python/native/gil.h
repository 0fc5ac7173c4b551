#pragma once

#include <cxxabi.h>

#include "tools/python/native/native.h"

namespace troupe::python {

/// Whether Python is ending, or has ended: other threads may not call it any more, and what is deleted may not wait for them.
bool python_ends() noexcept;

/// Never returns. For threads that Python ends with an unwinding of their stack, which C++ does not survive: the process goes on without them.
[[noreturn]] void park() noexcept;

/// While it lives, this thread does without the GIL.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
      park();
    }
  }
  GilRelease(const GilRelease&) = delete;

 private:
  PyThreadState* const state_;
};

/// While it lives, this thread, which may be one of the runtime's, holds the GIL; not where Python ends: then it may not be used.
class GilAcquire {
 public:
  GilAcquire();
  ~GilAcquire() {
    if (held_) PyGILState_Release(state_);
  }
  GilAcquire(const GilAcquire&) = delete;
  bool held() const { return held_; }

 private:
  const bool held_;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

/// Calls a Python function, which may be told to end in the middle. Throws what it raises. The GIL is held.
template <class... Args>
py::object call_python(PyObject* function, const Args&... args) {
  PyObject* result = nullptr;
  try {
    result = PyObject_CallFunctionObjArgs(function, args.ptr()..., nullptr);
  } catch (const abi::__forced_unwind&) {
    park();
  }
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

}  // namespace troupe::python
