// What a session says of steps that did not come to their end.
#include <gmock/gmock.h>

#include <caf/all.hpp>

#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

/// "last" is behind "hang", which is on the device that its test names.
class SessionReports : public SessionTest {
 protected:
  void build(const std::string& device) {
    const int x = placeholder("x");
    const int sum = add("sum", "TestAdd", {}, {{x, 0}, {x, 0}}, {}, "/cpu:0");
    const int hang = add("hang", "TestHang", {}, {{sum, 0}}, {}, device);
    add("last", "TestAdd", {}, {{hang, 0}, {hang, 0}}, {}, device);
    SessionOptions options;
    options.device_count["CPU"] = 2;
    open(options);
  }
  std::string missed_deadline() {
    RunOptions options;
    options.timeout = std::chrono::milliseconds(30);
    const absl::Status end = session_->run({{"x", Tensor::scalar<float>(1)}}, {"last"}, {}, options).status();
    EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded) << end;
    return std::string(end.message());
  }
};

TEST_F(SessionReports, count_the_nodes_that_ran_and_those_that_did_not) {
  build("/cpu:0");
  // Of x, sum, hang, last and what is fetched.
  EXPECT_THAT(missed_deadline(),
              ContainsRegex("\\[step [0-9]+: 3 nodes ran, 2 did not; not done: hang .TestHang.: running"));
}

TEST_F(SessionReports, name_what_was_not_done_on_each_device) {
  build("/cpu:1");
  const std::string message = missed_deadline();
  EXPECT_THAT(message, ContainsRegex("\\[step [0-9]+: [0-9]+ nodes ran, [1-9][0-9]* did not; not done: "));
  EXPECT_THAT(message, HasSubstr("hang (TestHang): running"));
}

}  // namespace
}  // namespace troupe::test
