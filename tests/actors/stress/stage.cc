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
  const auto node = [](const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                       const std::string& more = "") {
    std::string text = "node { name: '" + name + "' op: '" + op + "'";
    for (const std::string& i : inputs) text += " input: '" + i + "'";
    return text + more + " }\n";
  };
  return x_and_call("Fib") + node("y", "Placeholder", {}, kDtype) + node("twice", "TestAdd", {"x", "x"}) +
         node("sum", "TestAdd", {"x", "y"}) + node("far", "TestAdd", {"x", "x"}, " device: '/cpu:1'") +
         node("beside", "TestAdd", {"far", "twice"}, " device: '/cpu:0'") +
         node("nap", "TestSleep", {"x"}, " attr { key: 'micros' value { i: 3000 } }") +
         node("hang", "TestHang", {"x"});
}

}  // namespace troupe::test
