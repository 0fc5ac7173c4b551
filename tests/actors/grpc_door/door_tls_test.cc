// Who may ask a server, and how much.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/actors/grpc_door/door_fixture.h"
#include "tests/support/authority.h"

#include "actors/tls/tls_identity.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

class DoorTls : public DoorTest {
 protected:
  void serve_by_tls(GrpcServerOptions options = {}) {
    options.tls = authority_.issue({.use = "serverAuth"});
    serve(options);
  }
  /// From now on the client shows these.
  void connect_as(const TlsOptions& files) {
    const auto identity = TlsIdentity::load(files, TlsUse::kClient);
    ASSERT_TRUE(identity.ok()) << identity.status();
    connect_with({authority_pem(), identity->key, identity->certificates});
  }
  void connect_with(const ::grpc::SslCredentialsOptions& options) {
    credentials_ = ::grpc::SslCredentials(options);
    connect();
  }
  std::string authority_pem() const {
    return TlsIdentity::load(authority_.issue(), TlsUse::kBoth)->authorities;
  }
  absl::Status end_of_create() { return create_session().status(); }

  const Authority authority_;
};

TEST_F(DoorTls, a_client_with_a_certificate_runs_its_graph) {
  constant("a", Tensor::scalar<float>(3));
  serve_by_tls();
  connect_as(authority_.issue({.name = "me", .hosts = {}, .use = "clientAuth"}));
  const auto session = create_session();
  ASSERT_TRUE(session.ok()) << session.status();
  const auto fetched = run(*session, {}, {"a:0"});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ((*fetched)[0].value<float>(), 3);
}

TEST_F(DoorTls, a_client_without_a_good_certificate_is_nobody) {
  serve_by_tls();
  EXPECT_TRUE(absl::IsUnavailable(end_of_create())) << "without TLS";
  connect_with({authority_pem(), "", ""});
  EXPECT_TRUE(absl::IsUnavailable(end_of_create())) << "without a certificate";
  const Authority another("another");
  connect_as(another.issue());
  EXPECT_TRUE(absl::IsUnavailable(end_of_create())) << "of another authority";
  connect_as(authority_.issue());
  EXPECT_EQ(end_of_create(), absl::OkStatus());
}

TEST_F(DoorTls, nothing_starts_with_files_that_are_not_good) {
  GrpcServerOptions options;
  options.tls = authority_.issue();
  options.tls.key = authority_.issue().key;
  const absl::Status refused = GrpcServer::start(*runtime_, options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("TLS key " + options.tls.key + " does not fit"));
  options.tls = authority_.issue({.use = "clientAuth"});
  EXPECT_TRUE(absl::IsInvalidArgument(GrpcServer::start(*runtime_, options).status()));
  options.tls.certificate += ".gone";
  EXPECT_TRUE(absl::IsNotFound(GrpcServer::start(*runtime_, options).status()));
}

TEST_F(DoorTls, other_machines_are_served_by_tls_or_when_it_is_asked_for) {
  GrpcServerOptions options;
  options.address = "0.0.0.0:0";
  EXPECT_TRUE(absl::IsPermissionDenied(GrpcServer::start(*runtime_, options).status()));
  options.insecure = true;
  EXPECT_TRUE(GrpcServer::start(*runtime_, options).ok());
  options.insecure = false;
  options.tls = authority_.issue();
  EXPECT_TRUE(GrpcServer::start(*runtime_, options).ok());
}

TEST_F(DoorTls, a_client_has_so_many_sessions_and_others_have_theirs) {
  GrpcServerOptions options;
  options.max_sessions_per_client = 2;
  serve_by_tls(options);
  connect_as(authority_.issue({.name = "me", .hosts = {"me.example"}}));
  const auto first = create_session();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(end_of_create(), absl::OkStatus());
  const absl::Status full = end_of_create();
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("The client me.example has 2 sessions"));
  const std::shared_ptr<::grpc::ChannelCredentials> mine = credentials_;
  connect_as(authority_.issue({.name = "you", .hosts = {"you.example"}}));
  EXPECT_EQ(end_of_create(), absl::OkStatus());
  credentials_ = mine;
  connect();
  EXPECT_TRUE(absl::IsResourceExhausted(end_of_create()));
  EXPECT_EQ(close(*first), absl::OkStatus());
  EXPECT_EQ(end_of_create(), absl::OkStatus());
  // A session that does not come to be takes no place.
  EXPECT_EQ(reset(), absl::OkStatus());
  for (int i = 0; i < 3; ++i) {
    tensorflow::GraphDef broken;
    broken.add_node()->set_op("NoSuchOp");
    EXPECT_FALSE(absl::IsResourceExhausted(create_session(broken).status())) << i;
  }
  EXPECT_EQ(end_of_create(), absl::OkStatus());
}

TEST_F(DoorTls, without_tls_clients_are_not_told_apart) {
  GrpcServerOptions options;
  options.max_sessions_per_client = 1;
  serve(options);
  EXPECT_EQ(end_of_create(), absl::OkStatus());
  EXPECT_EQ(end_of_create(), absl::OkStatus());
}

TEST_F(DoorTls, a_request_has_a_size_that_the_server_says) {
  GrpcServerOptions options;
  options.max_message_bytes = 10'000;
  serve(options);
  const int x = placeholder("x");
  add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
  const auto session = create_session();
  ASSERT_TRUE(session.ok()) << session.status();
  // Equal elements would travel as one.
  const auto numbers = [](int64_t n) {
    Tensor out(DataType::kFloat, Shape{n});
    std::iota(out.flat<float>().data(), out.flat<float>().data() + n, 0.0f);
    return out;
  };
  EXPECT_TRUE(run(*session, {{"x:0", numbers(100)}}, {"twice:0"}).ok());
  const absl::Status large = run(*session, {{"x:0", numbers(10'000)}}, {"twice:0"}).status();
  EXPECT_TRUE(absl::IsResourceExhausted(large)) << large;
  for (const int64_t none : {int64_t{0}, int64_t{-1}, int64_t{1} << 31}) {
    options.max_message_bytes = none;
    EXPECT_TRUE(absl::IsInvalidArgument(GrpcServer::start(*runtime_, options).status())) << none;
  }
}

}  // namespace
}  // namespace troupe::test
