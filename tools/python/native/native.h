#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct TF_Status;

namespace troupe::python {

namespace py = pybind11;

/// Raises the Python exception of the status' code. The GIL is held.
[[noreturn]] void raise(const absl::Status& status);

inline void check(const absl::Status& status) {
  if (!status.ok()) [[unlikely]]
    raise(status);
}
template <class T>
T value_or_raise(absl::StatusOr<T> result) {
  if (!result.ok()) [[unlikely]]
    raise(result.status());
  return *std::move(result);
}

/// A status for calls of the C API, which raises what they put into it.
class ApiStatus {
 public:
  ApiStatus();
  ~ApiStatus();
  ApiStatus(const ApiStatus&) = delete;
  operator TF_Status*() const { return status_; }
  void check() const;

 private:
  TF_Status* status_;
};

// What each file adds to the module.
void define_errors(py::module_& module);
void define_arrays(py::module_& module);
void define_registry(py::module_& module);
void define_graph(py::module_& module);
void define_loop_runs(py::module_& module);
void define_session(py::module_& module);
void define_messages(py::module_& module);
void define_py_func(py::module_& module);
void define_server(py::module_& module);

}  // namespace troupe::python
