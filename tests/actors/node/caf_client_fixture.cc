#include "tests/actors/node/caf_client_fixture.h"

#include <google/protobuf/text_format.h>

#include <thread>

#include "actors/runtime_impl.h"

namespace troupe::test {

using namespace graph_text;

std::string CafClientTest::target(int task) const {
  return absl::StrCat("caf://", options_.cluster.address({"worker", task})->to_string());
}

SessionOptions CafClientTest::options_there(const std::string& config_text, int task) const {
  auto options = SessionOptions::from_config_text(config_text);
  EXPECT_TRUE(options.ok()) << options.status();
  options->target = target(task);
  return *options;
}

std::unique_ptr<Session> CafClientTest::open_there(Client& client, const std::string& config_text) {
  auto session = Session::open(*client.runtime, options_there(config_text));
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return nullptr;
  tensorflow::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(graph(), &def));
  EXPECT_EQ((*session)->create(def), absl::OkStatus());
  return *std::move(session);
}

std::string CafClientTest::graph() {
  const std::string kFloat = attr("T", "type: DT_FLOAT");
  const std::string components = attr("component_types", "list { type: DT_FLOAT }");
  return node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + on_task(0)) +
         node("y", "AddV2", {"x", "x"}, kFloat + on_task(1)) +
         node("z", "Mul", {"y", "y"}, kFloat + on_task(0)) +
         node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on_task(0)) +
         node("q", "FIFOQueueV2", {}, components + on_task(1)) +
         node("wait", "QueueDequeueV2", {"q"}, components + on_task(1)) +
         node("check", "CheckNumerics", {"x"}, kFloat + attr("message", "s: 'told to look'") + on_task(1)) +
         node("text", "Placeholder", {}, attr("dtype", "type: DT_STRING") + on_task(0)) +
         node("same", "Identity", {"text"}, attr("T", "type: DT_STRING") + on_task(1));
}

float CafClientTest::only(const absl::StatusOr<std::vector<Tensor>>& fetched) {
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  return fetched.ok() ? (*fetched)[0].value<float>() : -1;
}

int64_t CafClientTest::running_there() const {
  int64_t running = 0;
  for (const auto& core : machines_[0]->runtime->impl().known_sessions()) running += core->gate.running();
  return running;
}

bool CafClientTest::comes_to_run(int64_t steps) const {
  for (int i = 0; i < 1000 && running_there() != steps; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return running_there() == steps;
}

std::future<absl::StatusOr<std::vector<Tensor>>> CafClientTest::begin_waiting(Session& s) const {
  auto run = s.run_async({}, {"wait"});
  EXPECT_TRUE(comes_to_run(1));
  return run;
}

absl::Status CafClientTest::end_of(std::future<absl::StatusOr<std::vector<Tensor>>>& run) {
  if (run.wait_for(std::chrono::seconds(20)) != std::future_status::ready)
    return absl::UnknownError("it hangs");
  return run.get().status();
}

}  // namespace troupe::test
