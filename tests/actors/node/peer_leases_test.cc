// Which lease a connection has.
#include "actors/node/peer_leases.h"

#include <gmock/gmock.h>

namespace troupe::test {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;
using testing::SizeIs;

/// Tasks may be silent for half a second, clients for five.
class PeerLeasesTest : public testing::Test {
 protected:
  std::vector<PeerLeases::Expired> after(milliseconds time) {
    std::vector<PeerLeases::Expired> all;
    for (const LeaseTime end = now_ + time; now_ < end;) {
      now_ += milliseconds(100);
      for (const PeerLeases::Expired& e : leases_.turn(now_)) all.push_back(e);
    }
    return all;
  }

  LeaseTime now_{std::chrono::hours(1)};
  PeerLeases leases_{{milliseconds(500), milliseconds(100), milliseconds(250)},
                     {milliseconds(5000), milliseconds(100), milliseconds(2500)}};
};

TEST_F(PeerLeasesTest, is_the_short_one_until_he_says_that_he_is_a_client) {
  leases_.watch(1, now_);
  leases_.watch(2, now_);
  leases_.watch_as_client(2, now_);
  const auto silent = after(milliseconds(2000));
  ASSERT_THAT(silent, SizeIs(1));
  EXPECT_EQ(silent[0].connection, 1u);
  EXPECT_GE(silent[0].silence, milliseconds(500));
  const auto client = after(milliseconds(4000));
  ASSERT_THAT(client, SizeIs(1));
  EXPECT_EQ(client[0].connection, 2u);
}

TEST_F(PeerLeasesTest, is_renewed_by_all_that_is_heard) {
  leases_.watch(1, now_);
  leases_.watch(2, now_);
  leases_.watch_as_client(2, now_);
  for (int i = 0; i < 30; ++i) {
    EXPECT_THAT(after(milliseconds(300)), IsEmpty());
    for (uint64_t connection : {1, 2}) leases_.heard(connection, now_);
  }
}

TEST_F(PeerLeasesTest, is_over_with_the_connection) {
  leases_.watch(1, now_);
  leases_.watch(2, now_);
  leases_.watch_as_client(2, now_);
  leases_.forget(1);
  leases_.forget(2);
  EXPECT_THAT(after(milliseconds(10'000)), IsEmpty());
}

}  // namespace
}  // namespace troupe::test
