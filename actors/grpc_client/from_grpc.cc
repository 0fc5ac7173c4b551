#include "actors/grpc_client/from_grpc.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/distributed_runtime_payloads.pb.h"

namespace troupe {
namespace {

/// What gRPC says, as UNKNOWN, of a server that went while a call was under way.
constexpr char kStreamRemoved[] = "Stream removed";

}  // namespace

absl::Status from_grpc(const ::grpc::Status& status, const std::string& target) {
  if (status.ok()) return absl::OkStatus();
  const bool gone = status.error_code() == ::grpc::StatusCode::UNAVAILABLE ||
                    (status.error_code() == ::grpc::StatusCode::UNKNOWN &&
                     status.error_message().find(kStreamRemoved) != std::string::npos);
  if (gone) return absl::UnavailableError(absl::StrCat(target, " does not answer: ", status.error_message()));
  absl::Status out(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  tensorflow::distributed_runtime::GrpcPayloadContainer details;
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const auto& [type, bytes] : details.payloads()) out.SetPayload(type, absl::Cord(bytes));
  }
  return out;
}

}  // namespace troupe
