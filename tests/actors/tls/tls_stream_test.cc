#include "actors/tls/tls_stream.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// Whom it trusts need not be who has signed its own certificate.
std::shared_ptr<const TlsContext> context_of(const TlsOptions& files, const Authority& trusted) {
  auto identity = TlsIdentity::load(files, TlsUse::kBoth);
  EXPECT_TRUE(identity.ok()) << identity.status();
  identity->authorities = TlsIdentity::load(trusted.issue(), TlsUse::kBoth)->authorities;
  const auto context = TlsContext::make(*identity);
  EXPECT_TRUE(context.ok()) << context.status();
  return *context;
}

/// Two ends and what each has heard, and how it ended.
struct Pair {
  std::unique_ptr<TlsStream> caller, called;
  std::string at_caller, at_called;
  absl::Status caller_end, called_end;

  /// Until nothing is under way any more; `piece` bytes at a time.
  void settle(size_t piece = SIZE_MAX) {
    for (bool moved = true; moved;) {
      moved = move(caller.get(), called.get(), &at_called, &called_end, piece);
      moved |= move(called.get(), caller.get(), &at_caller, &caller_end, piece);
    }
  }
  static bool move(TlsStream* from, TlsStream* to, std::string* said, absl::Status* end, size_t piece) {
    std::vector<char> wire;
    from->fill(&wire);
    for (size_t at = 0; at < wire.size() && end->ok(); at += std::min(piece, wire.size() - at))
      *end = to->receive({wire.data() + at, std::min(piece, wire.size() - at)}, said);
    return !wire.empty() && end->ok();
  }
};

class TlsStreamTest : public testing::Test {
 protected:
  Pair pair_of(const TlsOptions& caller, const TlsOptions& called, const std::string& host = "127.0.0.1") {
    Pair out;
    out.caller = TlsStream::calling(context_of(caller, ours_), host);
    out.called = TlsStream::accepting(context_of(called, ours_));
    return out;
  }

  const Authority ours_;
};

TEST_F(TlsStreamTest, says_what_was_said_however_the_bytes_come) {
  std::string large(3'000'017, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 >> 3);
  for (const size_t piece : {size_t{1000}, size_t{65536}, SIZE_MAX}) {
    Pair pair = pair_of(ours_.issue(), ours_.issue());
    // Before there are certificates.
    pair.caller->say("hello");
    pair.settle(piece);
    EXPECT_TRUE(pair.caller->established() && pair.called->established());
    EXPECT_EQ(pair.at_called, "hello");
    pair.called->say(large);
    pair.settle(piece);
    EXPECT_EQ(pair.at_caller, large);
    EXPECT_TRUE(pair.caller_end.ok() && pair.called_end.ok());
  }
}

TEST_F(TlsStreamTest, nothing_on_the_wire_can_be_read) {
  Pair pair = pair_of(ours_.issue(), ours_.issue());
  pair.settle();
  pair.caller->say("a secret that is told");
  std::vector<char> wire;
  pair.caller->fill(&wire);
  EXPECT_GT(wire.size(), 21u);
  EXPECT_EQ(std::string(wire.begin(), wire.end()).find("secret"), std::string::npos);
}

TEST_F(TlsStreamTest, a_caller_of_another_authority_is_refused_and_hears_it) {
  const Authority theirs("another");
  Pair pair = pair_of(theirs.issue(), ours_.issue());
  pair.caller->say("let me in");
  pair.settle();
  EXPECT_EQ(pair.called_end.code(), absl::StatusCode::kUnauthenticated) << pair.called_end;
  EXPECT_THAT(std::string(pair.called_end.message()), HasSubstr("its certificate is refused"));
  EXPECT_EQ(pair.caller_end.code(), absl::StatusCode::kUnauthenticated) << pair.caller_end;
  EXPECT_THAT(std::string(pair.caller_end.message()), HasSubstr("unknown ca"));
  EXPECT_EQ(pair.at_called, "");
}

TEST_F(TlsStreamTest, a_called_one_of_another_authority_hears_nothing) {
  const Authority theirs("another");
  Pair pair = pair_of(ours_.issue(), theirs.issue());
  pair.caller->say("for our own alone");
  pair.settle();
  EXPECT_EQ(pair.caller_end.code(), absl::StatusCode::kUnauthenticated) << pair.caller_end;
  EXPECT_FALSE(pair.called->established());
  EXPECT_EQ(pair.at_called, "");
}

TEST_F(TlsStreamTest, the_called_one_must_have_the_name_that_was_called) {
  const TlsOptions seven = ours_.issue({.hosts = {"seven.example", "10.0.0.7"}});
  for (const char* host : {"seven.example", "10.0.0.7"}) {
    Pair pair = pair_of(ours_.issue(), seven, host);
    pair.settle();
    EXPECT_TRUE(pair.caller->established()) << host << pair.caller_end;
    EXPECT_TRUE(pair.caller->check_peer_is("seven.example").ok());
    EXPECT_TRUE(absl::IsPermissionDenied(pair.caller->check_peer_is("eight.example")));
    EXPECT_TRUE(absl::IsPermissionDenied(pair.called->check_peer_is("10.0.0.7")));
    EXPECT_TRUE(pair.called->check_peer_is("127.0.0.1").ok());
  }
  for (const char* host : {"eight.example", "10.0.0.8"}) {
    Pair pair = pair_of(ours_.issue(), seven, host);
    pair.settle();
    EXPECT_THAT(std::string(pair.caller_end.message()), HasSubstr("mismatch")) << host;
  }
}

TEST_F(TlsStreamTest, who_speaks_no_tls_is_refused) {
  const auto called = TlsStream::accepting(context_of(ours_.issue(), ours_));
  std::string said;
  const absl::Status end = called->receive("GET / HTTP/1.1\r\n\r\n", &said);
  EXPECT_EQ(end.code(), absl::StatusCode::kUnauthenticated) << end;
  EXPECT_EQ(said, "");
  // What comes then changes nothing.
  EXPECT_EQ(called->receive("more", &said), end);
}

TEST_F(TlsStreamTest, a_changed_byte_ends_the_connection) {
  Pair pair = pair_of(ours_.issue(), ours_.issue());
  pair.settle();
  pair.caller->say("what nobody may change");
  std::vector<char> wire;
  pair.caller->fill(&wire);
  wire[wire.size() / 2] = static_cast<char>(wire[wire.size() / 2] ^ 1);
  EXPECT_FALSE(pair.called->receive({wire.data(), wire.size()}, &pair.at_called).ok());
  EXPECT_EQ(pair.at_called, "");
}

}  // namespace
}  // namespace troupe::test
