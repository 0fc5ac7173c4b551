#include "actors/grpc_door/grpc_server.h"

#include <gmock/gmock.h>

#include "actors/runtime.h"

namespace troupe::test {
namespace {

TEST(NoGrpc, says_that_this_build_has_no_server) {
  const auto runtime = Runtime::create();
  const auto server = GrpcServer::start(*runtime);
  EXPECT_TRUE(absl::IsUnimplemented(server.status()));
  EXPECT_THAT(std::string(server.status().message()), testing::HasSubstr("built without gRPC"));
  GTEST_SKIP() << "this build has no gRPC: its server is not tested";
}

}  // namespace
}  // namespace troupe::test
