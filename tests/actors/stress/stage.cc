#include "tests/actors/stress/stage.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/actors/called_functions.h"

namespace troupe::test {

Stage::Stage(Runtime& runtime, tensorflow::GraphDef graph, size_t size)
    : runtime_(runtime), graph_(std::move(graph)) {
  for (size_t i = 0; i < size; ++i) sessions_.push_back(make());
}

std::shared_ptr<SharedSession> Stage::make() const {
  SessionOptions options;
  options.device_count["CPU"] = 2;
  // So few that signatures are evicted all the time.
  options.max_signatures = 6;
  auto session = Session::open(runtime_, options);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) std::abort();
  EXPECT_TRUE((*session)->create(graph_).ok());
  return std::make_shared<SharedSession>(*std::move(session));
}

std::shared_ptr<SharedSession> Stage::any(unsigned random) const {
  std::lock_guard lock(mu_);
  return sessions_[random % sessions_.size()];
}

void Stage::renew(unsigned random) {
  std::shared_ptr<SharedSession> fresh = make();
  std::lock_guard lock(mu_);
  sessions_[random % sessions_.size()].swap(fresh);
}

void Stage::clear() {
  std::vector<std::shared_ptr<SharedSession>> gone;
  std::lock_guard lock(mu_);
  gone.swap(sessions_);
}

std::vector<std::shared_ptr<SharedSession>> Stage::all() const {
  std::lock_guard lock(mu_);
  return sessions_;
}

std::string stage_nodes() {
  return x_and_call("Fib") + placeholder_text("y", "DT_FLOAT") +
         call_text("twice", "TestAdd", {"x", "x"}, {}) + call_text("sum", "TestAdd", {"x", "y"}, {}) +
         call_text("far", "TestAdd", {"x", "x"}, {}, " device: '/cpu:1'") +
         call_text("beside", "TestAdd", {"far", "twice"}, {}, " device: '/cpu:0'") +
         call_text("nap", "TestSleep", {"x"}, {}, " attr { key: 'micros' value { i: 3000 } }") +
         call_text("hang", "TestHang", {"x"}, {});
}

}  // namespace troupe::test
