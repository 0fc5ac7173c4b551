// The console's page in a headless browser, beside real runs.
#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "actors/console/console.h"

#include "absl/strings/str_cat.h"
#include "tests/actors/session_fixture.h"
#include "tests/system/program.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A browser of the Chromium family: TROUPE_CHROMIUM, or one that the PATH has; "" when there is none.
std::string find_browser() {
  if (const char* given = std::getenv("TROUPE_CHROMIUM")) return given;
  return find_program({"chromium", "chromium-browser", "google-chrome"});
}

class ConsolePage : public SessionTest {
 protected:
  void SetUp() override {
    browser_ = find_browser();
    if (browser_.empty()) GTEST_SKIP() << "there is no chromium";
    const int x_node = placeholder("x");
    add("twice", "TestAdd", {}, {{x_node, 0}, {x_node, 0}});
    add("hang", "TestHang", {}, {{x_node, 0}});
    add("nap", "TestSleep", {{"micros", int64_t{150'000}}}, {{x_node, 0}});
    SessionOptions named;
    named.has_metadata = true;
    named.metadata_name = "<b>bold</b>";
    open(named);
    auto console = Console::start(*runtime_);
    ASSERT_TRUE(console.ok()) << console.status();
    console_ = *std::move(console);
  }
  void TearDown() override { console_.reset(); }

  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  /// The page's elements after it has asked for a few seconds of its own clock.
  std::string page() const {
    const ProgramResult r =
        run_program(browser_, {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               "--no-first-run", absl::StrCat("--user-data-dir=", folder_.path()),
                               "--virtual-time-budget=4000", "--dump-dom", console_->url()});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return r.out;
  }

  std::string browser_;
  TemporaryFolder folder_;
  std::unique_ptr<Console> console_;
};

TEST_F(ConsolePage, shows_sessions_running_steps_pools_devices_and_the_last_steps) {
  ASSERT_TRUE(session_->run(x(), {"nap"}).ok());
  ASSERT_TRUE(session_->run(x(), {"twice"}).ok());
  EXPECT_FALSE(session_->run(x(), {"none"}).ok());
  auto hanging = session_->run_async(x(), {"hang"});
  const std::string dom = page();
  EXPECT_THAT(dom, ContainsRegex("id=\"state\" class=\"\">up for "));
  EXPECT_THAT(dom,
              AllOf(HasSubstr("<b>4</b><span>runs</span>"), HasSubstr("<b>1</b><span>steps in flight</span>"),
                    HasSubstr("<b>1</b><span>sessions</span>"),
                    HasSubstr("<div id=\"errors\">INVALID_ARGUMENT 1</div>")));
  EXPECT_THAT(dom, HasSubstr("(TestHang) on /job:localhost")) << "the frontier of what hangs";
  EXPECT_THAT(dom, AllOf(HasSubstr("&lt;b&gt;bold"), Not(HasSubstr("<b>bold")))) << "names are no HTML";
  EXPECT_THAT(dom, AllOf(HasSubstr(">default</td>"), HasSubstr(">compile</td>"), HasSubstr(">waiting</td>")));
  EXPECT_THAT(dom, HasSubstr(">CPU:0</td>"));
  EXPECT_THAT(dom, ContainsRegex("<rect[^>]*><title>session 1, step [0-9]+: nap")) << "the timeline";
  EXPECT_THAT(dom, HasSubstr("aria-label=\"durations of steps\""));
  EXPECT_THAT(dom, ContainsRegex("id=\"slow\">.*<code>nap</code>"));
  EXPECT_EQ(*session_->cancel(), 1);
  (void)hanging.get();
}

TEST_F(ConsolePage, says_so_when_the_runtime_does_not_answer) {
  runtime_->shutdown();
  EXPECT_THAT(page(), ContainsRegex("class=\"bad\">no answer: 503 Service Unavailable"));
}

}  // namespace
}  // namespace troupe::test
