// Servers and sessions of the C API by TLS: the environment names the files.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "tensorflow/c/c_api_experimental.h"
#include "tests/actors/c_api/c_graph.h"
#include "tests/support/authority.h"

using namespace c_test;

namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Server = std::unique_ptr<TF_Server, Deleter<TF_DeleteServer>>;

Server make_server(const std::string& address, TF_Status* s) {
  const std::string text =
      "protocol: 'grpc' job_name: 'w' cluster { job { name: 'w' tasks { key: 0 value: '" + address +
      "' } } }";
  const BufferPtr def(TFE_GetServerDef(text.c_str(), s));
  EXPECT_EQ(TF_GetCode(s), TF_OK) << TF_Message(s);
  return Server(TF_NewServer(def->data, def->length, s));
}

void set_environment(const troupe::TlsOptions& tls) {
  ::setenv("TROUPE_TLS_CERT", tls.certificate.c_str(), 1);
  ::setenv("TROUPE_TLS_KEY", tls.key.c_str(), 1);
  ::setenv("TROUPE_TLS_CA", tls.authority.c_str(), 1);
}

// One test: the process reads the files of its sessions once, when it opens the first.
TEST(CTls, servers_and_sessions_have_the_files_that_the_environment_names) {
  const troupe::test::Authority authority;
  const Status s(TF_NewStatus());
  const Server plain = make_server("localhost:0", s.get());
  if (TF_GetCode(s.get()) == TF_UNIMPLEMENTED) GTEST_SKIP() << TF_Message(s.get());
  make_server("0.0.0.0:0", s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_PERMISSION_DENIED) << TF_Message(s.get());

  set_environment(authority.issue({.from_hours = -2, .to_hours = -1}));
  make_server("localhost:0", s.get());
  EXPECT_EQ(TF_GetCode(s.get()), TF_INVALID_ARGUMENT);
  EXPECT_THAT(TF_Message(s.get()), HasSubstr("certificate has expired"));

  set_environment(authority.issue());
  EXPECT_NE(make_server("0.0.0.0:0", s.get()), nullptr) << TF_Message(s.get());
  const Server server = make_server("localhost:0", s.get());
  ASSERT_NE(server, nullptr) << TF_Message(s.get());
  TF_ServerStart(server.get(), s.get());
  AddThree g;
  const OptionsPtr options(TF_NewSessionOptions());
  TF_SetTarget(options.get(), TF_ServerTarget(server.get()));
  TF_Session* const session = TF_NewSession(g.graph.get(), options.get(), s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  const TensorPtr fed = float_scalar(1);
  TF_Tensor* const values[] = {fed.get()};
  TF_Tensor* fetched = nullptr;
  TF_SessionRun(session, nullptr, &g.x, values, 1, &g.y, &fetched, 1, nullptr, 0, nullptr, s.get());
  ASSERT_EQ(TF_GetCode(s.get()), TF_OK) << TF_Message(s.get());
  const TensorPtr owned(fetched);
  EXPECT_EQ(floats(fetched).at(0), 4);
  TF_DeleteSession(session, s.get());

  // A server without TLS is not talked to.
  TF_SetTarget(options.get(), TF_ServerTarget(plain.get()));
  TF_Session* const refused = TF_NewSession(g.graph.get(), options.get(), s.get());
  if (TF_GetCode(s.get()) == TF_OK) {
    const TensorPtr again = float_scalar(1);
    TF_Tensor* const more[] = {again.get()};
    TF_SessionRun(refused, nullptr, &g.x, more, 1, &g.y, &fetched, 1, nullptr, 0, nullptr, s.get());
  }
  EXPECT_EQ(TF_GetCode(s.get()), TF_UNAVAILABLE) << TF_Message(s.get());
  EXPECT_THAT(TF_Message(s.get()), StartsWith(TF_ServerTarget(plain.get())));
  const Status own(TF_NewStatus());
  if (refused != nullptr) TF_DeleteSession(refused, own.get());
}

}  // namespace
