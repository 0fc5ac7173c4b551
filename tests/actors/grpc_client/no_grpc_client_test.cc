// Sessions at servers, of a build without gRPC.
#include <gtest/gtest.h>

#include "actors/grpc_client/grpc_sessions.h"
#include "actors/runtime.h"
#include "actors/session.h"

namespace troupe {
namespace {

TEST(NoGrpcClient, says_that_the_build_has_no_grpc) {
  const auto runtime = Runtime::create();
  ASSERT_EQ(add_grpc_sessions(*runtime), absl::OkStatus());
  SessionOptions options;
  options.target = "grpc://localhost:1";
  for (const absl::Status& said :
       {Session::open(*runtime, options).status(), Session::reset(*runtime, options)}) {
    EXPECT_TRUE(absl::IsUnimplemented(said)) << said;
    EXPECT_NE(said.message().find("TROUPE_WITH_GRPC"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace troupe
