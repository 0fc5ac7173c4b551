// fault_master CLUSTER [OPEN_PATIENCE_MS]  is task 0 of the job "worker", and does with a session over all tasks what lines on its standard input say,
// until that ends. tools/dev/fault_matrix.py drives it while it does harm to the tasks. Each answer is a line, in no order:
//   NAME CODE MILLISECONDS MESSAGE
// The commands, with the NAME of their answer:
//   open                opens the session and gives it the graph (open)
//   close               closes it (close)
//   run NAME FETCH      runs one step
//   do NAME TARGET      the same for a target
//   loop NAME FETCH     runs steps until one fails, or "calm"; says "NAME looping" once the first has ended
//   waits TASK          answers when a step waits on that task (waits)
#include <google/protobuf/text_format.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "actors/console/console.h"
#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/status.h"
#include "proto/graph.pb.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using namespace graph_text;
using std::chrono::milliseconds;

std::string task_name(int index) { return absl::StrCat("/job:worker/replica:0/task:", index); }
std::string on(int task) { return absl::StrCat("device: '", task_name(task), "' "); }

/// What task 0 draws goes to task 1, 2 and back. What is random nobody computes beforehand.
std::string round_trip(const std::string& name, int elements) {
  const std::string type = attr("T", "type: DT_FLOAT");
  const std::string shape =
      constant_attrs("DT_INT32", "dim { size: 1 }", absl::StrCat("int_val: ", elements));
  return node(name + "_shape", "Const", {}, shape + on(0)) +
         node(name + "_0", "RandomUniform", {name + "_shape"},
              attr("T", "type: DT_INT32") + attr("dtype", "type: DT_FLOAT") + on(0)) +
         node(name + "_1", "Neg", {name + "_0"}, type + on(1)) +
         node(name + "_2", "Neg", {name + "_1"}, type + on(2)) +
         node(name, "Neg", {name + "_2"}, type + on(0));
}

/// "out" waits for a queue on task 1, by way of task 2, until "push"; "quick" and "large" go through all tasks.
std::string graph_text() {
  const std::string type = attr("T", "type: DT_FLOAT"), components = "list { type: DT_FLOAT }";
  return node("q", "FIFOQueueV2", {}, attr("component_types", components) + on(1)) +
         node("wait", "QueueDequeueV2", {"q"}, attr("component_types", components) + on(1)) +
         node("through", "Neg", {"wait"}, type + on(2)) + node("out", "Neg", {"through"}, type + on(0)) +
         node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on(1)) +
         node("push", "QueueEnqueueV2", {"q", "one"}, attr("Tcomponents", components) + on(1)) +
         round_trip("quick", 1) + round_trip("large", 1 << 19);
}

/// The session and what is done with it. Each command has a thread.
class Master {
 public:
  explicit Master(ClusterNode* node) : node_(node) {}
  ~Master() {
    calm_ = true;
    (void)close();
    for (std::thread& t : threads_) t.join();
  }

  void take(const std::string& line) {
    std::istringstream words(line);
    std::string command, name, what;
    words >> command >> name >> what;
    if (command == "open") return begin("open", [this] { return open(); });
    if (command == "close") return begin("close", [this] { return close(); });
    if (command == "calm") return void(calm_ = true);
    if (command == "waits") return begin("waits", [this, task = std::stoi(name)] { return waits(task); });
    if (command == "run") return begin(name, [this, what] { return run({what}, {}); });
    if (command == "do") return begin(name, [this, what] { return run({}, {what}); });
    if (command == "loop") return begin(name, [this, name, what] { return loop(name, what); });
    say(line, absl::InvalidArgumentError("no such command"), milliseconds(0));
  }

 private:
  void begin(const std::string& name, std::function<absl::Status()> what) {
    threads_.emplace_back([this, name, what = std::move(what)] {
      const auto began = std::chrono::steady_clock::now();
      const absl::Status status = what();
      say(name, status, std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began));
    });
  }

  void say(const std::string& name, const absl::Status& status, milliseconds took) {
    const std::string message = absl::StrReplaceAll(std::string(status.message()), {{"\n", " "}});
    say_line(
        absl::StrCat(name, " ", absl::StatusCodeToString(status.code()), " ", took.count(), " ", message));
  }
  void say_line(const std::string& line) {
    std::lock_guard lock(output_);
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  absl::Status open() {
    tensorflow::GraphDef graph;
    if (!google::protobuf::TextFormat::ParseFromString(graph_text(), &graph))
      return absl::InternalError("the graph is none");
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, node_->open_session());
    TROUPE_RETURN_IF_ERROR(session->create(graph));
    std::lock_guard lock(mu_);
    session_ = std::move(session);
    return absl::OkStatus();
  }

  absl::Status close() {
    std::shared_ptr<Session> session;
    {
      std::lock_guard lock(mu_);
      session = std::exchange(session_, nullptr);
    }
    return session == nullptr ? absl::OkStatus() : session->close();
  }

  absl::StatusOr<std::shared_ptr<Session>> session() {
    std::lock_guard lock(mu_);
    if (session_ == nullptr) return absl::FailedPreconditionError("there is no session");
    return session_;
  }

  absl::Status run(const std::vector<std::string>& fetches, const std::vector<std::string>& targets) {
    TROUPE_ASSIGN_OR_RETURN(const auto s, session());
    return s->run({}, fetches, targets).status();
  }

  absl::Status loop(const std::string& name, const std::string& fetch) {
    for (bool first = true; !calm_; first = false) {
      TROUPE_RETURN_IF_ERROR(run({fetch}, {}));
      if (first) say_line(absl::StrCat(name, " looping"));
    }
    return absl::OkStatus();
  }

  absl::Status waits(int task) {
    TROUPE_ASSIGN_OR_RETURN(const auto s, session());
    for (int i = 0; i < 500; ++i) {
      TROUPE_ASSIGN_OR_RETURN(const auto steps, s->inspect());
      for (const StepReport& step : steps) {
        for (const std::string& line : step.frontier) {
          if (line.find(task_name(task)) != std::string::npos) return absl::OkStatus();
        }
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    return absl::DeadlineExceededError("no step waits there");
  }

  ClusterNode* const node_;
  std::atomic<bool> calm_{false};
  std::vector<std::thread> threads_;
  std::mutex output_;
  std::mutex mu_;
  std::shared_ptr<Session> session_;  // guarded by mu_
};

absl::Status serve(const std::string& cluster, int open_patience_ms) {
  ClusterNodeOptions options;
  TROUPE_ASSIGN_OR_RETURN(options.cluster, ClusterSpec::parse(cluster));
  options.task = {"worker", 0};
  options.open_patience = milliseconds(open_patience_ms);
  TROUPE_ASSIGN_OR_RETURN(const auto node, ClusterNode::start(RuntimeOptions(), options));
  TROUPE_ASSIGN_OR_RETURN(const auto console, Console::start(node->runtime()));
  std::printf("console: %s\nready\n", console->url().c_str());
  std::fflush(stdout);
  Master master(node.get());
  for (std::string line; std::getline(std::cin, line);) master.take(line);
  return absl::OkStatus();
}

}  // namespace
}  // namespace troupe::test

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const absl::Status status = troupe::test::serve(argv[1], argc > 2 ? std::atoi(argv[2]) : 1000);
  if (status.ok()) return 0;
  std::fprintf(stderr, "fault_master: %s\n", status.ToString().c_str());
  return 1;
}
