#include "actors/c_api/handles.h"
#include "actors/c_api/include/tensorflow/c/c_api.h"
#include "tools/python/native/native.h"

namespace troupe::python {
namespace {

/// Makes an exception of (code, message); set by the package, lives as long as the process.
PyObject* make_error = nullptr;

}  // namespace

void raise(const absl::Status& status) {
  if (make_error == nullptr) throw std::runtime_error(std::string(status.message()));
  py::object error = py::reinterpret_borrow<py::object>(make_error)(static_cast<int>(status.code()),
                                                                    std::string(status.message()));
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

ApiStatus::ApiStatus() : status_(TF_NewStatus()) {}
ApiStatus::~ApiStatus() { TF_DeleteStatus(status_); }
void ApiStatus::check() const { python::check(status_->status); }

void define_errors(py::module_& module) {
  module.def(
      "set_error_factory",
      [](py::object factory) {
        Py_XDECREF(make_error);
        make_error = factory.release().ptr();
      },
      "How a status becomes an exception: a function of its code and message.");
}

}  // namespace troupe::python
