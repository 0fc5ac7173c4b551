#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "actors/node_client/caf_sessions.h"
#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {

/// Clients of a cluster's nodes, which are no tasks of it: runtimes in this process that speak to them through sockets.
class CafClientTest : public ClusterTest {
 protected:
  struct Client {
    explicit Client(const CafSessionsOptions& options = {}) {
      EXPECT_EQ(add_caf_sessions(*runtime, options), absl::OkStatus());
    }
    std::unique_ptr<Runtime> runtime = Runtime::create();
  };

  /// "caf://127.0.0.1:7001" of a task, whether it is there or not.
  std::string target(int task) const;
  SessionOptions options_there(const std::string& config_text = "", int task = 0) const;
  /// Through task 0, with `graph`.
  std::unique_ptr<Session> open_there(Client& client, const std::string& config_text = "");
  /// Over two tasks: y = x + x on task 1, z = y * y on task 0; "wait" waits on task 1 for ever; "check" fails for what is no number; "one" is 1.
  static std::string graph();
  static std::vector<NamedTensor> x(float value) { return {{"x", Tensor::scalar<float>(value)}}; }
  /// -1 after an error.
  static float only(const absl::StatusOr<std::vector<Tensor>>& fetched);
  static std::string text_of(const absl::Status& status) { return std::string(status.message()); }

  /// Steps of all sessions on task 0.
  int64_t running_there() const;
  /// Whether so many run there soon.
  bool comes_to_run(int64_t steps) const;
  /// Begins "wait", and returns when it is there.
  std::future<absl::StatusOr<std::vector<Tensor>>> begin_waiting(Session& s) const;
  /// Unknown when it does not end within twenty seconds.
  static absl::Status end_of(std::future<absl::StatusOr<std::vector<Tensor>>>& run);
};

}  // namespace troupe::test
