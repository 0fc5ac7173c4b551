#include "actors/c_api/border.h"
#include "actors/c_api/session_handle.h"

#include "graph/status.h"

namespace troupe::c_api {
namespace {

absl::Status reset(const TF_SessionOptions* options, const std::vector<std::string>& containers) {
  return Session::reset(process_runtime(), options == nullptr ? SessionOptions() : options->options,
                        containers);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> open_session(const TF_SessionOptions* options) {
  TROUPE_ASSIGN_OR_RETURN(
      std::shared_ptr<Session> session,
      Session::open(process_runtime(), options == nullptr ? SessionOptions() : options->options));
  return session;
}

}  // namespace troupe::c_api

namespace c_api = troupe::c_api;

extern "C" void TF_Reset(const TF_SessionOptions* opt, const char** containers, int ncontainers,
                         TF_Status* status) try {
  absl::Status result = c_api::check_array(containers, ncontainers, "containers");
  std::vector<std::string> names;
  for (int i = 0; result.ok() && i < ncontainers; ++i) {
    if (containers[i] == nullptr)
      result = absl::InvalidArgumentError("The name of a container is null");
    else
      names.emplace_back(containers[i]);
  }
  if (result.ok()) result = c_api::reset(opt, names);
  c_api::set_status(status, result);
}
TROUPE_BORDER(status)
