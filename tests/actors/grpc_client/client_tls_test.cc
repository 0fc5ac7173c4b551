// Sessions at a server by TLS.
#include <gmock/gmock.h>

#include "actors/grpc_client/grpc_sessions.h"
#include "actors/session_factories.h"
#include "tests/actors/grpc_client/client_fixture.h"
#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ClientTls : public GrpcClientTest {
 protected:
  void serve_as(const TlsOptions& tls) {
    GrpcServerOptions options;
    options.tls = tls;
    serve(options);
  }
  /// The client's runtime is another, which has these.
  void be(const TlsOptions& tls) {
    client_runtime_ = Runtime::create();
    ASSERT_EQ(add_grpc_sessions(*client_runtime_, tls), absl::OkStatus());
  }
  absl::Status end_of_create() {
    const auto session = Session::open(*client_runtime_, options_there());
    return session.ok() ? (*session)->create(graph_def()) : session.status();
  }
  /// Unavailable, which names the target.
  void expect_nobody_there() {
    const absl::Status nobody = end_of_create();
    EXPECT_TRUE(absl::IsUnavailable(nobody)) << nobody;
    EXPECT_THAT(std::string(nobody.message()), HasSubstr(server_->target() + " does not answer"));
  }

  const Authority authority_;
};

TEST_F(ClientTls, runs_its_graph_at_a_server_that_has_its_name) {
  serve_as(authority_.issue());
  be(authority_.issue({.hosts = {}, .use = "clientAuth"}));
  const auto session = open_with_graph();
  EXPECT_THAT(numbers(session->run(x(1), {"four:0"})), ElementsAre(4));
  EXPECT_EQ(session->close(), absl::OkStatus());
}

TEST_F(ClientTls, tells_nothing_to_a_server_that_is_another) {
  const Authority another("another");
  TlsOptions theirs = another.issue();
  serve_as(theirs);
  be(authority_.issue());
  expect_nobody_there();
  // Nor to one of the same authority on another machine.
  serve_as(authority_.issue({.hosts = {"other.example"}}));
  expect_nobody_there();
}

TEST_F(ClientTls, and_a_server_must_both_have_it) {
  serve_as(authority_.issue());
  expect_nobody_there();
  serve();
  be(authority_.issue());
  expect_nobody_there();
}

TEST_F(ClientTls, says_what_is_wrong_with_its_files) {
  serve_as(authority_.issue());
  TlsOptions files = authority_.issue({.from_hours = -2, .to_hours = -1});
  be(files);
  for (const absl::Status& refused :
       {end_of_create(), client_runtime_->session_factories().reset(options_there(), {})}) {
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr(files.certificate), HasSubstr("certificate has expired")));
  }
}

}  // namespace
}  // namespace troupe::test
