// Fetches that are told as soon as each is there.
#include <gmock/gmock.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// What is heard of a streamed run.
class Heard {
 public:
  StreamedRun::Hear hear() {
    return [this](size_t index, const Tensor& value) {
      std::lock_guard lock(mu_);
      EXPECT_EQ(ends_, 0) << "the end comes last";
      values_[index] = value.value<float>();
      changed_.notify_all();
    };
  }
  RunCallback done() {
    return [this](absl::StatusOr<std::vector<Tensor>> fetches, const RunStats& stats) {
      std::lock_guard lock(mu_);
      ++ends_;
      end_ = std::move(fetches);
      step_id_ = stats.step_id;
      changed_.notify_all();
    };
  }
  std::map<size_t, float> await_values(size_t number) {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return values_.size() >= number; }));
    return values_;
  }
  absl::StatusOr<std::vector<Tensor>> await_end() {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return ends_ > 0; }));
    EXPECT_EQ(ends_, 1);
    return end_;
  }
  int64_t step_id() {
    std::lock_guard lock(mu_);
    return step_id_;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::map<size_t, float> values_;
  int ends_ = 0;
  int64_t step_id_ = 0;
  absl::StatusOr<std::vector<Tensor>> end_ = absl::UnknownError("not yet");
};

class StreamedRunTest : public SessionTest {
 protected:
  StreamedRunTest() {
    const int a = placeholder("a");
    add("soon", "TestAdd", {}, {{a, 0}, {a, 0}});
    add("late", "TestHold", {}, {{a, 0}});
    add("bad", "TestFail", {}, {{a, 0}});
    add("hang", "TestHang", {}, {{a, 0}});
    held = 0;
    let_go = false;
  }
  ~StreamedRunTest() override { let_go = true; }
  static std::vector<NamedTensor> a() { return {{"a", Tensor::scalar<float>(4)}}; }

  Heard heard_;
};

TEST_F(StreamedRunTest, tells_each_fetch_before_those_that_come_later) {
  Session& s = open();
  (void)s.run_streamed(a(), {"late:0", "soon:0"}, {}, heard_.hear(), heard_.done());
  EXPECT_EQ(heard_.await_values(1), (std::map<size_t, float>{{1, 8}})) << "while the other is held";
  let_go = true;
  const auto end = heard_.await_end();
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->at(0).value<float>(), 4);
  EXPECT_EQ(end->at(1).value<float>(), 8);
  EXPECT_EQ(heard_.await_values(2), (std::map<size_t, float>{{0, 4}, {1, 8}}));
  EXPECT_GT(heard_.step_id(), 0);
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(StreamedRunTest, tells_errors_of_kernels_and_of_the_signature) {
  Session& s = open();
  (void)s.run_streamed(a(), {"bad:0"}, {}, heard_.hear(), heard_.done());
  EXPECT_THAT(std::string(heard_.await_end().status().message()), HasSubstr("told to fail"));
  Heard nobody;
  (void)s.run_streamed(a(), {"nobody:0"}, {}, nobody.hear(), nobody.done());
  EXPECT_EQ(nobody.await_end().status().code(), absl::StatusCode::kNotFound);
  Heard twice;
  (void)s.run_streamed(a(), {"soon:0", "soon:0"}, {}, twice.hear(), twice.done());
  EXPECT_EQ(twice.await_end().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(20)).ok());
}

TEST_F(StreamedRunTest, is_cancelled_by_its_handle) {
  Session& s = open();
  const StreamedRun run = s.run_streamed(a(), {"hang:0", "soon:0"}, {}, heard_.hear(), heard_.done());
  (void)heard_.await_values(1);
  run.cancel();
  EXPECT_EQ(heard_.await_end().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(20)).ok()) << "its step ends with it";
  run.cancel();
}

TEST_F(StreamedRunTest, ends_with_its_session) {
  Session& s = open();
  (void)s.run_streamed(a(), {"hang:0", "soon:0"}, {}, heard_.hear(), heard_.done());
  (void)heard_.await_values(1);
  ASSERT_TRUE(s.close().ok());
  EXPECT_EQ(heard_.await_end().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(StreamedRunTest, runs_targets_and_needs_no_listener) {
  Session& s = open();
  (void)s.run_streamed(a(), {}, {"soon"}, nullptr, heard_.done());
  EXPECT_TRUE(heard_.await_end().ok());
  Heard other;
  (void)s.run_streamed(a(), {"soon:0"}, {}, nullptr, other.done());
  EXPECT_EQ(other.await_end()->at(0).value<float>(), 8);
}

}  // namespace
}  // namespace troupe::test
