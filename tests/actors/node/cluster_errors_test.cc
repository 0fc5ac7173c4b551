// Errors of steps over several tasks: which of them a client hears.
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "devices/cpu/kernels/register_kernels.h"
#include "devices/kernel_registry.h"
#include "graph/ops/op_registry.h"
#include "graph/status.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace graph_text;

const OpRow kOps[] = {
    {"TestError", "x:float", "z:float", "message:string", ""},
    {"TestDelay", "x:float", "z:float", "millis:int", ""},
};

absl::Status error(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(const std::string message, c.node().attrs.get<std::string>("message"));
  return absl::InternalError(message);
}

/// Ends sooner when its step is cancelled, with the reason.
absl::Status delay(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t millis, c.node().attrs.get<int64_t>("millis"));
  for (int64_t i = 0; i < millis; ++i) {
    if (c.cancellation().cancelled()) return c.cancellation().reason();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  c.forward_input(0, 0);
  return absl::OkStatus();
}

class ClusterErrorsTest : public ClusterTest {
 protected:
  ClusterErrorsTest() : ops_(&builtin_ops()) {
    EXPECT_TRUE(ops_.add(kOps).ok());
    register_cpu_kernels(&kernels_);
    kernels_.add(KernelDef("TestError").fn(error));
    kernels_.add(KernelDef("TestDelay").fn(delay));
    runtime_options_.ops = &ops_;
    runtime_options_.kernels = &kernels_;
    runtime_options_.inter_op_threads = 2;
  }
  /// Before what the runtimes are made of.
  ~ClusterErrorsTest() override { machines_.clear(); }

  static std::string input() {
    return node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + on_task(0));
  }
  static std::string bad(const std::string& name, int task) {
    return node(name, "TestError", {"x"}, attr("message", "s: 'fantasia!'") + on_task(task));
  }
  static std::string slow(const std::string& name, const std::string& in, int millis, int task) {
    return node(name, "TestDelay", {in}, attr("millis", absl::StrCat("i: ", millis)) + on_task(task));
  }
  static std::string neg(const std::string& name, const std::string& in, int task) {
    return node(name, "Neg", {in}, attr("T", "type: DT_FLOAT") + on_task(task));
  }
  static absl::Status run(Session& s, const std::vector<std::string>& fetches) {
    return s.run({{"x", Tensor::scalar<float>(1)}}, fetches).status();
  }

  OpRegistry ops_;
  KernelRegistry kernels_;
};

/// The error of the kernel, and nothing that it led to.
void expect_root(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("fantasia!"), Not(HasSubstr("Cancelled")), Not(HasSubstr("CANCELLED")),
                    Not(HasSubstr("Aborted")), Not(HasSubstr("ABORTED"))));
}

TEST_F(ClusterErrorsTest, s263_an_error_on_one_task_does_not_wait_for_another) {
  start_all(3);
  auto s = open(input() + bad("b", 1) + slow("c", "x", 1000, 2));
  const auto began = std::chrono::steady_clock::now();
  const absl::Status status = run(*s, {"b", "c"});
  expect_root(status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("node b"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(900));
}

TEST_F(ClusterErrorsTest, s275_of_two_tasks_that_fail_one_is_heard) {
  start_all(3);
  auto s = open(input() + bad("b", 1) + bad("c", 2));
  for (int i = 0; i < 10; ++i) expect_root(run(*s, {"b", "c"}));
}

TEST_F(ClusterErrorsTest, s276_an_error_is_not_hidden_by_the_ends_that_it_brings_about) {
  start_all(2);
  // What waits for b, and c, which is told to stop, end because of it.
  auto s = open(input() + bad("b", 1) + neg("after", "b", 0) + slow("c", "x", 5000, 0));
  for (int i = 0; i < 20; ++i) expect_root(run(*s, {"after", "c"}));
}

TEST_F(ClusterErrorsTest, s277_s278_an_error_among_three_tasks_is_its_own) {
  start_all(3);
  auto s = open(input() + bad("b", 1) + neg("on0", "b", 0) + neg("on2", "b", 2) + neg("back", "on2", 1) +
                slow("c", "x", 5000, 2));
  for (int i = 0; i < 20; ++i) {
    expect_root(run(*s, {"on0", "back", "c"}));
    // The order of fetches is not the order in which tasks begin.
    expect_root(run(*s, {"c", "back", "on0"}));
  }
}

}  // namespace
}  // namespace troupe::test
