#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "tools/python/native/native.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "What the package troupe is made of that is not Python.";
  // The runtime's log, as TensorFlow's: what a program prints is on stdout.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("troupe"));
  troupe::python::define_errors(module);
  troupe::python::define_arrays(module);
  troupe::python::define_registry(module);
  troupe::python::define_messages(module);
  troupe::python::define_graph(module);
  troupe::python::define_loop_runs(module);
  troupe::python::define_session(module);
  troupe::python::define_py_func(module);
  troupe::python::define_server(module);
}
