#include "actors/tls/tls_identity.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string contents(const std::string& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// Refused in one line that names this file and says this.
void expect_refused(const TlsOptions& files, TlsUse use, const std::string& file, const std::string& phrase,
                    absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  const absl::Status refused = TlsIdentity::load(files, use).status();
  EXPECT_EQ(refused.code(), code) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr(file), HasSubstr(phrase), HasSubstr("expected"), Not(HasSubstr("\n"))));
}

TEST(TlsIdentity, is_what_the_files_hold) {
  const Authority authority;
  const TlsOptions files = authority.issue();
  const auto identity = TlsIdentity::load(files, TlsUse::kBoth);
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(identity->certificates, contents(files.certificate));
  EXPECT_EQ(identity->key, contents(files.key));
  EXPECT_EQ(identity->authorities, contents(authority.file()));
}

TEST(TlsIdentity, needs_all_three_files) {
  const Authority authority;
  TlsOptions files = authority.issue();
  files.key.clear();
  EXPECT_TRUE(files.given());
  expect_refused(files, TlsUse::kBoth, "no file with the key", "is named");
  expect_refused({}, TlsUse::kBoth, "no file with the certificate", "is named");
  files = {files.certificate, files.certificate, ""};
  expect_refused(files, TlsUse::kBoth, "no file with the authority", "is named");
}

TEST(TlsIdentity, refuses_a_file_that_is_not_there) {
  const Authority authority;
  for (std::string TlsOptions::*which :
       {&TlsOptions::certificate, &TlsOptions::key, &TlsOptions::authority}) {
    TlsOptions files = authority.issue();
    files.*which += ".gone";
    expect_refused(files, TlsUse::kBoth, files.*which, "cannot be read", absl::StatusCode::kNotFound);
  }
}

TEST(TlsIdentity, refuses_a_file_that_is_no_pem) {
  const Authority authority;
  for (std::string TlsOptions::*which :
       {&TlsOptions::certificate, &TlsOptions::key, &TlsOptions::authority}) {
    TlsOptions files = authority.issue();
    files.*which = authority.write("text.pem", "no certificate");
    expect_refused(files, TlsUse::kBoth, files.*which, "is malformed");
    // Cut off in its middle.
    const std::string whole = contents(authority.issue().certificate);
    files.*which = authority.write("half.pem", whole.substr(0, whole.size() / 2));
    expect_refused(files, TlsUse::kBoth, files.*which, "is malformed");
  }
}

TEST(TlsIdentity, refuses_the_key_of_another_certificate) {
  const Authority authority;
  TlsOptions files = authority.issue({.name = "seven"});
  files.key = authority.issue().key;
  expect_refused(files, TlsUse::kBoth, files.key,
                 "does not fit the certificate " + files.certificate + " (CN=seven)");
}

TEST(TlsIdentity, refuses_what_is_not_valid_now) {
  const Authority authority;
  TlsOptions files = authority.issue({.name = "old", .from_hours = -48, .to_hours = -1});
  expect_refused(files, TlsUse::kBoth, files.certificate, "certificate has expired (CN=old, valid from ");
  files = authority.issue({.name = "young", .from_hours = 1, .to_hours = 48});
  expect_refused(files, TlsUse::kBoth, files.certificate,
                 "certificate is not yet valid (CN=young, valid from ");
}

TEST(TlsIdentity, refuses_what_another_authority_has_signed) {
  const Authority ours, theirs("another");
  TlsOptions files = theirs.issue();
  files.authority = ours.file();
  expect_refused(files, TlsUse::kBoth, files.authority, "unable to get local issuer certificate (CN=node");
  // Nor one that says the name of ours.
  const Authority impostor;
  files = impostor.issue();
  files.authority = ours.file();
  expect_refused(files, TlsUse::kBoth, files.certificate, "is refused");
}

TEST(TlsIdentity, refuses_a_certificate_for_another_use) {
  const Authority authority;
  const TlsOptions server = authority.issue({.use = "serverAuth"});
  const TlsOptions client = authority.issue({.use = "clientAuth"});
  EXPECT_TRUE(TlsIdentity::load(server, TlsUse::kServer).ok());
  EXPECT_TRUE(TlsIdentity::load(client, TlsUse::kClient).ok());
  expect_refused(server, TlsUse::kClient, server.certificate, "unsuitable certificate purpose");
  expect_refused(client, TlsUse::kServer, client.certificate, "unsuitable certificate purpose");
  expect_refused(client, TlsUse::kBoth, client.certificate, "unsuitable certificate purpose");
}

TEST(TlsOptions, come_from_the_environment) {
  ::setenv("TROUPE_TLS_CERT", "c", 1);
  ::setenv("TROUPE_TLS_CA", "a", 1);
  ::unsetenv("TROUPE_TLS_KEY");
  const TlsOptions some = TlsOptions::of_environment();
  EXPECT_EQ(some.certificate, "c");
  EXPECT_EQ(some.key, "");
  EXPECT_EQ(some.authority, "a");
  EXPECT_TRUE(some.given());
  ::unsetenv("TROUPE_TLS_CERT");
  ::unsetenv("TROUPE_TLS_CA");
  EXPECT_FALSE(TlsOptions::of_environment().given());
}

}  // namespace
}  // namespace troupe::test
