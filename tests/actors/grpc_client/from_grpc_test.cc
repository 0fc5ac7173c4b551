#include "actors/grpc_client/from_grpc.h"

#include <gtest/gtest.h>

#include "absl/strings/cord.h"
#include "proto/distributed_runtime_payloads.pb.h"

namespace troupe {
namespace {

constexpr char kTarget[] = "grpc://localhost:1";

TEST(FromGrpc, keeps_code_text_and_payloads) {
  EXPECT_EQ(from_grpc(::grpc::Status::OK, kTarget), absl::OkStatus());
  tensorflow::distributed_runtime::GrpcPayloadContainer details;
  (*details.mutable_payloads())["TFWorkerPossiblyRestarted"] = "bytes";
  const absl::Status aborted =
      from_grpc({::grpc::StatusCode::ABORTED, "lost", details.SerializeAsString()}, kTarget);
  EXPECT_EQ(aborted.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(aborted.message(), "lost");
  EXPECT_EQ(aborted.GetPayload("TFWorkerPossiblyRestarted"), absl::Cord("bytes"));
}

TEST(FromGrpc, details_that_are_no_payloads_do_no_harm) {
  EXPECT_EQ(from_grpc({::grpc::StatusCode::INTERNAL, "text", "\xff\xff"}, kTarget),
            absl::InternalError("text"));
}

TEST(FromGrpc, names_the_target_where_nobody_answers) {
  const absl::Status gone = absl::UnavailableError("grpc://localhost:1 does not answer: why");
  EXPECT_EQ(from_grpc({::grpc::StatusCode::UNAVAILABLE, "why"}, kTarget), gone);
  EXPECT_EQ(from_grpc({::grpc::StatusCode::UNKNOWN, "Stream removed"}, kTarget),
            absl::UnavailableError("grpc://localhost:1 does not answer: Stream removed"));
  EXPECT_EQ(from_grpc({::grpc::StatusCode::UNKNOWN, "why"}, kTarget), absl::UnknownError("why"));
}

}  // namespace
}  // namespace troupe
