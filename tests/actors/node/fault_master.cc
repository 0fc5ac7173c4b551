// fault_master CLUSTER [OPEN_PATIENCE_MS [insecure]]  is task 0 of the job "worker", and does with a session over all tasks what lines on its standard
// input say, until that ends; "insecure": it may listen beyond the loopback. Clients have the lease of tasks.
// fault_master caf://HOST:PORT  is such a client of the task there, and does the same.
// tools/dev/fault_matrix.py drives them while it does harm to the cluster. Each answer is a line, in no order:
//   NAME CODE MILLISECONDS MESSAGE
// The commands, with the NAME of their answer:
//   open                opens the session and gives it the graph (open)
//   close               closes it (close)
//   run NAME FETCH      runs one step
//   do NAME TARGET      the same for a target
//   loop NAME FETCH     runs steps until one fails, or "calm"; says "NAME looping" once the first has ended
//   partial NAME FETCH  a partial run: feeds it and fetches what comes of that, says "NAME begun", and fetches this
//   call NAME FETCH     makes a callable and runs it
//   cancel              cancels what runs (cancel)
//   waits TASK          answers when a step waits on that task (waits); not of a client
#include <google/protobuf/text_format.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "actors/console/console.h"
#include "actors/node/cluster_node.h"
#include "actors/node_client/caf_sessions.h"
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

/// "out" waits for a queue on task 1, by way of task 2, until "push"; "quick", "fresh" and "large" go through all tasks; "p_2" is what comes of "p".
std::string graph_text() {
  const std::string type = attr("T", "type: DT_FLOAT"), components = "list { type: DT_FLOAT }";
  return node("q", "FIFOQueueV2", {}, attr("component_types", components) + on(1)) +
         node("wait", "QueueDequeueV2", {"q"}, attr("component_types", components) + on(1)) +
         node("through", "Neg", {"wait"}, type + on(2)) + node("out", "Neg", {"through"}, type + on(0)) +
         node("one", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 1") + on(1)) +
         node("push", "QueueEnqueueV2", {"q", "one"}, attr("Tcomponents", components) + on(1)) +
         node("p", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + on(0)) +
         node("p_1", "Neg", {"p"}, type + on(1)) + node("p_2", "Neg", {"p_1"}, type + on(0)) +
         round_trip("quick", 1) + round_trip("fresh", 1) + round_trip("large", 1 << 19);
}

/// The session and what is done with it. Each command has a thread.
class Master {
 public:
  using OpenOne = std::function<absl::StatusOr<std::unique_ptr<Session>>()>;

  explicit Master(OpenOne open_one) : open_one_(std::move(open_one)) {}
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
    if (command == "partial") return begin(name, [this, name, what] { return run_partly(name, what); });
    if (command == "call") return begin(name, [this, what] { return call(what); });
    if (command == "cancel") return begin("cancel", [this] { return cancel(); });
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
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, open_one_());
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

  absl::Status run_partly(const std::string& name, const std::string& fetch) {
    TROUPE_ASSIGN_OR_RETURN(const auto s, session());
    TROUPE_ASSIGN_OR_RETURN(const std::string handle, s->partial_run_setup({"p"}, {"p_2", fetch}));
    TROUPE_RETURN_IF_ERROR(s->partial_run(handle, {{"p", Tensor::scalar<float>(1)}}, {"p_2"}).status());
    say_line(absl::StrCat(name, " begun"));
    return s->partial_run(handle, {}, {fetch}).status();
  }

  absl::Status call(const std::string& fetch) {
    TROUPE_ASSIGN_OR_RETURN(const auto s, session());
    CallableOptions options;
    options.fetches = {fetch};
    TROUPE_ASSIGN_OR_RETURN(const CallableHandle callable, s->make_callable(options));
    Tensor fetched;
    return s->run_callable(callable, {}, {&fetched, 1});
  }

  absl::Status cancel() {
    TROUPE_ASSIGN_OR_RETURN(const auto s, session());
    return s->cancel("told to").status();
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

  const OpenOne open_one_;
  std::atomic<bool> calm_{false};
  std::vector<std::thread> threads_;
  std::mutex output_;
  std::mutex mu_;
  std::shared_ptr<Session> session_;  // guarded by mu_
};

/// Does what lines say, beside a console.
absl::Status take_lines(Runtime& runtime, Master::OpenOne open_one) {
  TROUPE_ASSIGN_OR_RETURN(const auto console, Console::start(runtime));
  std::printf("console: %s\nready\n", console->url().c_str());
  std::fflush(stdout);
  Master master(std::move(open_one));
  for (std::string line; std::getline(std::cin, line);) master.take(line);
  return absl::OkStatus();
}

absl::Status be_task(const std::string& cluster, int open_patience_ms, bool insecure) {
  ClusterNodeOptions options;
  TROUPE_ASSIGN_OR_RETURN(options.cluster, ClusterSpec::parse(cluster));
  options.task = {"worker", 0};
  options.open_patience = milliseconds(open_patience_ms);
  // Who cannot be reached is found out as soon as who is silent.
  options.connect_patience = options.lease.lease;
  options.client_lease = options.lease;
  options.insecure = insecure;
  TROUPE_ASSIGN_OR_RETURN(const auto node, ClusterNode::start(RuntimeOptions(), options));
  return take_lines(node->runtime(), [&] { return node->open_session(); });
}

absl::Status be_client(const std::string& target) {
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  CafSessionsOptions options;
  options.lease = LeaseOptions();
  options.connect_patience = options.lease.lease;
  TROUPE_RETURN_IF_ERROR(add_caf_sessions(*runtime, options));
  return take_lines(*runtime, [&] {
    SessionOptions wish;
    wish.target = target;
    return Session::open(*runtime, wish);
  });
}

}  // namespace
}  // namespace troupe::test

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string where = argv[1];
  const bool insecure = argc > 3 && std::string(argv[3]) == "insecure";
  const absl::Status status =
      absl::StartsWith(where, "caf://")
          ? troupe::test::be_client(where)
          : troupe::test::be_task(where, argc > 2 ? std::atoi(argv[2]) : 1000, insecure);
  if (status.ok()) return 0;
  std::fprintf(stderr, "fault_master: %s\n", status.ToString().c_str());
  return 1;
}
