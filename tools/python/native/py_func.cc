#include "actors/c_api/handles.h"
#include "devices/function_runner.h"
#include "devices/kernel_registry.h"
#include "devices/services.h"
#include "graph/thrown.h"
#include "tools/python/native/arrays.h"
#include "tools/python/native/gil.h"

namespace troupe::python {
namespace {

/// (token, arrays, dtype numbers) to a list of arrays of these dtypes, or to (code, message). Set by the package before there is a kernel, lives
/// as long as the process; guarded by the GIL.
PyObject* trampoline = nullptr;

/// Gives the inputs to the Python function of the token, and takes what it returns.
absl::Status call_function(const std::string& token, KernelContext& context) {
  const GilAcquire acquire;
  if (!acquire.held()) return absl::CancelledError("Python has ended");
  try {
    py::list inputs(context.num_inputs()), types(context.num_outputs());
    for (int i = 0; i < context.num_inputs(); ++i) inputs[i] = to_array(context.take_input(i));
    for (int i = 0; i < context.num_outputs(); ++i) types[i] = static_cast<int>(context.output_type(i));
    const py::object made = call_python(trampoline, py::str(token), inputs, types);
    if (py::isinstance<py::tuple>(made)) {
      const auto [code, message] = made.cast<std::pair<int, std::string>>();
      return {static_cast<absl::StatusCode>(code), message};
    }
    const auto outputs = made.cast<py::list>();
    for (int i = 0; i < context.num_outputs(); ++i)
      context.set_output(i, to_tensor(outputs[i], context.output_type(i)));
    return absl::OkStatus();
  } catch (py::error_already_set& e) {
    return absl::InternalError(e.what());
  }
}

/// Calls back into this process' Python, on a thread that may wait: the function may run a session of its own, and others hold the GIL for
/// as long as they like. It is not cancelled while it runs.
class PyFuncKernel final : public AsyncKernel {
 public:
  explicit PyFuncKernel(std::string token) : token_(std::move(token)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string token, c.attr<std::string>("token"));
    return std::make_unique<PyFuncKernel>(std::move(token));
  }
  void compute_async(KernelContext& context, Done done) override {
    const absl::Status begun = services_of(context.step()).blocking.run([this, &context, done] {
      return [done, status = guarded("a Python function", [&] { return call_function(token_, context); })] {
        done(status);
      };
    });
    if (!begun.ok()) done(begun);
  }

 private:
  const std::string token_;
};

}  // namespace

void define_py_func(py::module_& module) {
  module.def(
      "set_py_func",
      [](py::object function) {
        // Only now: the table of kernels is not filled for programs that run nothing.
        if (trampoline == nullptr) {
          for (const char* op : {"PyFunc", "PyFuncStateless"})
            c_api::process_kernels().add(KernelDef(op).kernel<PyFuncKernel>());
        }
        Py_XDECREF(trampoline);
        trampoline = function.release().ptr();
      },
      "What calls the functions that PyFunc names: of (token, arrays, dtype numbers); it returns a list of "
      "arrays of these dtypes, or (code, message).");
}

}  // namespace troupe::python
