#include "tools/python/native/native.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "What the package troupe is made of that is not Python.";
  troupe::python::define_errors(module);
  troupe::python::define_arrays(module);
  troupe::python::define_registry(module);
  troupe::python::define_messages(module);
  troupe::python::define_graph(module);
  troupe::python::define_session(module);
}
