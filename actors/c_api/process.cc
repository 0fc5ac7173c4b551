#include "actors/c_api/handles.h"
#include "actors/console/console.h"
#include "actors/grpc_client/grpc_sessions.h"
#include "actors/node_client/caf_sessions.h"
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
  struct Watched {
    std::unique_ptr<Runtime> runtime;
    std::unique_ptr<Console> console;
  };
  // Never destroyed: a client may delete his last session in a destructor of his own that runs at exit.
  static const Watched* const process = [] {
    RuntimeOptions options;
    options.ops = &process_ops();
    options.kernels = &process_kernels();
    auto* const made = new Watched{Runtime::create(options), nullptr};
    // The first of them: nobody has their names.
    (void)add_grpc_sessions(*made->runtime, TlsOptions::of_environment());
    (void)add_caf_sessions(*made->runtime, {.tls = TlsOptions::of_environment()});
    made->console = Console::of_environment(*made->runtime);
    return made;
  }();
  return *process->runtime;
}

}  // namespace troupe::c_api
