#include "actors/grpc_door/grpc_log.h"

#include <grpc/support/log.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <mutex>

namespace troupe {

void quiet_grpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("GRPC_VERBOSITY") != nullptr) return;
    gpr_set_log_function([](gpr_log_func_args* said) { spdlog::debug("gRPC: {}", said->message); });
  });
}

}  // namespace troupe
