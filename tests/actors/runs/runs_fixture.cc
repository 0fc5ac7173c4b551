#include "tests/actors/runs/runs_fixture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe::test {
namespace {

const OpRow kOps[] = {
    {"TestThread", "x:float", "z:float", "i:int", ""},
    {"TestDepth", "x:float", "z:float", "i:int", ""},
};

/// What TestThread and TestDepth record. Reset by the fixture.
std::mutex threads_mu;
std::vector<std::thread::id> threads;  // guarded by threads_mu
std::atomic<uintptr_t> lowest, highest;

}  // namespace

RunsTest::RunsTest() {
  take_threads();
  lowest = UINTPTR_MAX;
  highest = 0;
  EXPECT_TRUE(ops_->add(kOps).ok());
  kernels_->add(KernelDef("TestThread").fn(record_thread));
  kernels_->add(KernelDef("TestDepth").fn(record_depth));
}

absl::Status RunsTest::record_thread(KernelContext& c) {
  {
    std::lock_guard lock(threads_mu);
    threads.push_back(std::this_thread::get_id());
  }
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  c.forward_input(0, 0);
  return absl::OkStatus();
}

absl::Status RunsTest::record_depth(KernelContext& c) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  lowest = std::min(lowest.load(), here);
  highest = std::max(highest.load(), here);
  c.forward_input(0, 0);
  return absl::OkStatus();
}

std::vector<std::thread::id> RunsTest::take_threads() {
  std::lock_guard lock(threads_mu);
  return std::exchange(threads, {});
}

ptrdiff_t RunsTest::stack_spread() { return static_cast<ptrdiff_t>(highest.load() - lowest.load()); }

void RunsTest::add_network(std::array<float, 4> a) {
  const char *first = "/cpu:0", *second = "/cpu:1";
  auto value = [&](const char* name, Tensor t, const char* device) {
    return add(name, "Const", {{"dtype", DataType::kFloat}, {"value", std::move(t)}}, {}, {}, device);
  };
  const AttrMap t{{"T", DataType::kFloat}};
  const int left = value("a", Tensor::from<float>(Shape{2, 2}, a), first);
  const int x = value("x", column(1, 1), second);
  const int y = add("y", "MatMul", t, {{left, 0}, {x, 0}}, {}, first);
  const int negated = add("y_neg", "Neg", t, {{y, 0}}, {}, second);
  add("z", "Identity", t, {{negated, 0}}, {}, second);
}

Session& RunsTest::open_on_two(SessionOptions options) {
  options.device_count["CPU"] = 2;
  return open(std::move(options));
}

SessionOptions RunsTest::from_text(const std::string& text) {
  auto options = SessionOptions::from_config_text(text);
  EXPECT_TRUE(options.ok()) << options.status();
  return *options;
}

std::vector<std::string> RunsTest::add_threads(int n, Endpoint x) {
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) {
    names.push_back(absl::StrCat("t", i));
    add(names.back(), "TestThread", {{"i", i}}, {x});
  }
  return names;
}

}  // namespace troupe::test
