#include "actors/c_api/handles.h"
#include "actors/console/console.h"
#include "actors/runtime.h"

#include "devices/cpu/kernels/register_kernels.h"
#include "devices/kernel_registry.h"

namespace troupe::c_api {

OpRegistry& process_ops() {
  static OpRegistry* ops = new OpRegistry(&builtin_ops());
  return *ops;
}

KernelRegistry& process_kernels() {
  static KernelRegistry* kernels = [] {
    auto* all = new KernelRegistry;
    register_cpu_kernels(all);
    return all;
  }();
  return *kernels;
}

Runtime& process_runtime() {
  // Never destroyed, nor is its console: a client may delete his last session in a destructor of his own that runs at exit.
  static Runtime* runtime = [] {
    RuntimeOptions options;
    options.ops = &process_ops();
    options.kernels = &process_kernels();
    Runtime* made = Runtime::create(options).release();
    (void)Console::of_environment(*made).release();
    return made;
  }();
  return *runtime;
}

}  // namespace troupe::c_api
