#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "actors/cluster/cluster_file.h"
#include "actors/node/cluster_node.h"
#include "actors/node_client/cluster_calls.h"
#include "actors/options.h"
#include "actors/runtime.h"
#include "actors/task_server/task_server.h"
#include "graph/status.h"
#include "tools/troupe/command_options.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/start_console.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
TensorFlow's clients come in unchanged: tf.compat.v1.Session("grpc://127.0.0.1:2222"). Sessions share variables, queues and tables, unless
their ConfigProto says isolate_session_state. With --cluster it is a task of a cluster, and sessions that come in, or that the application
of a node opens (actors/node), have the devices of all its tasks; so have those of other programs, which come to a task's own port:
`troupe run --server caf://HOST:PORT`. Without TLS it listens for this machine alone. With TLS whoever connects, clients and other tasks, has
to have a certificate of the authority, and that of a task has the task's host among its names. With --join it asks a node of a cluster to be taken
in, and leaves the cluster when it ends; sessions that open from then on have its devices, or do without it. The environment may name the files:
TROUPE_TLS_CERT, TROUPE_TLS_KEY, TROUPE_TLS_CA.

Examples:
  troupe serve --grpc 127.0.0.1:2222 --console 8080
  troupe serve --cluster 'worker=127.0.0.1:7001,127.0.0.1:7002' --job worker --task 1
  troupe serve --cluster 'worker=127.0.0.1:7001,127.0.0.1:7002' --job worker --task 0 --grpc 127.0.0.1:2222
  troupe serve --cluster 'worker=127.0.0.1:2222,127.0.0.1:2223' --job worker --task 0 --grpc 127.0.0.1:2222   # one port for both
  troupe serve --join 127.0.0.1:7001 --listen 127.0.0.1:7003 --job worker --task 2
  troupe serve --grpc 0.0.0.0:2222 --tls-cert node.pem --tls-key node.key --tls-ca ca.pem
  troupe serve --grpc localhost:0 --config 'device_count { key: "CPU" value: 2 }'
)";

/// This process's in a cluster.
struct Place {
  /// It has asked to be taken in, and was.
  std::atomic<bool> joined = false;
  /// Another has it now, or none.
  std::atomic<bool> lost = false;
};

struct Request {
  GrpcServerOptions server;
  /// ConfigProto in text format.
  std::string config;
  double idle_hours = 24;
  double max_message_mb = 2048;
  /// How long a task that is told to end waits for the sessions that it has.
  int drain_seconds = 0;
  /// In words, or the name of a file.
  std::string cluster;
  /// Or a node of a cluster that is there, and where this one listens then.
  std::string join;
  std::string listen;
  bool replace = false;
  std::shared_ptr<Place> place = std::make_shared<Place>();
  TaskId task{"worker", 0};
  /// "PORT" or "HOST:PORT"; "" for none.
  std::string console;
};

bool joins(const Request& request) { return !request.join.empty(); }

/// Whether it is a task among others.
bool of_cluster(const Request& request) { return !request.cluster.empty() || joins(request); }

/// Of a cluster whose tasks are known from the start, or of one that is there already: this task is one of it then.
absl::Status find_cluster(const Request& request, ClusterNodeOptions* out) {
  if (joins(request)) {
    TROUPE_ASSIGN_OR_RETURN(KnownCluster known, join_cluster({request.join, request.server.tls}, request.task,
                                                             request.listen, request.replace));
    request.place->joined = true;
    out->cluster = std::move(known.cluster);
    out->changes = std::move(known.changes);
    return absl::OkStatus();
  }
  const bool words = request.cluster.find('=') != std::string::npos;
  TROUPE_ASSIGN_OR_RETURN(out->cluster,
                          words ? ClusterSpec::parse(request.cluster) : read_cluster_file(request.cluster));
  return absl::OkStatus();
}

absl::StatusOr<ClusterNodeOptions> node_options(const Request& request) {
  ClusterNodeOptions out;
  TROUPE_RETURN_IF_ERROR(find_cluster(request, &out));
  out.task = request.task;
  out.expelled = [place = request.place](const absl::Status& why) {
    std::fprintf(stderr, "troupe serve: %s\n", std::string(why.message()).c_str());
    place->lost = true;
    ::kill(::getpid(), SIGTERM);
  };
  out.tls = request.server.tls;
  out.insecure = request.server.insecure;
  return out;
}

/// Waits for SIGTERM or SIGINT, which no other thread hears: to be called before there are others.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// The window that is asked for; null where none is. It goes before its runtime.
absl::StatusOr<std::unique_ptr<Console>> open_console(Runtime& runtime, const Request& request) {
  if (request.console.empty()) return nullptr;
  return start_console(runtime, request.console);
}

/// Whether TensorFlow's clients are to come to the task's own port.
bool shares_port(const Request& request, const ClusterNodeOptions& node) {
  const auto asked = TaskAddress::parse(request.server.address);
  const auto own = node.cluster.address(node.task);
  return asked.ok() && own.ok() && *asked == *own;
}

void wait_for_end(const sigset_t& signals) {
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
}

/// Until nobody has a session there any more, the time is over, or a second signal comes.
void drain(ClusterNode& node, const sigset_t& signals, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (node.drain(std::chrono::milliseconds(100)).ok()) return;
    const timespec at_once{};
    if (sigtimedwait(&signals, nullptr, &at_once) > 0) return;
  }
}

/// Ends a task in order: FailedPrecondition, which has been said, when the cluster has no place for it.
absl::Status end(ClusterNode& node, const Request& request, const sigset_t& signals) {
  if (request.place->lost) return absl::FailedPreconditionError("the cluster goes on without it");
  drain(node, signals, std::chrono::seconds(request.drain_seconds));
  return joins(request) ? node.leave() : absl::OkStatus();
}

/// At one port, which is the server's and the task's.
absl::Status serve_at_one_port(const Request& request, TaskServerOptions options, const sigset_t& signals) {
  TROUPE_ASSIGN_OR_RETURN(const auto server, TaskServer::start(options));
  TROUPE_ASSIGN_OR_RETURN(const auto console, open_console(server->node().runtime(), request));
  if (of_cluster(request))
    std::printf("%s listens on port %d\n", request.task.to_string().c_str(), server->port());
  std::printf("%s\n", server->target().c_str());
  wait_for_end(signals);
  return end(server->node(), request, signals);
}

/// By TLS: a server of one task.
absl::Status serve_alone(const Request& request, const TaskServerOptions& options, const sigset_t& signals) {
  const std::unique_ptr<Runtime> runtime = Runtime::create(options.runtime);
  TROUPE_ASSIGN_OR_RETURN(const auto console, open_console(*runtime, request));
  TROUPE_ASSIGN_OR_RETURN(const auto server, GrpcServer::start(*runtime, options.server));
  std::printf("%s\n", server->target().c_str());
  wait_for_end(signals);
  server->stop();
  return absl::OkStatus();
}

/// A task of a cluster, with a server at another port if one is asked for.
absl::Status serve_task(const Request& request, TaskServerOptions options, const sigset_t& signals) {
  TROUPE_ASSIGN_OR_RETURN(const auto node, ClusterNode::start(options.runtime, options.node));
  std::printf("%s listens on port %d\n", request.task.to_string().c_str(), node->port());
  TROUPE_ASSIGN_OR_RETURN(const auto console, open_console(node->runtime(), request));
  std::unique_ptr<GrpcServer> server;
  if (!options.server.address.empty()) {
    options.server.job = request.task.job;
    options.server.task_index = request.task.index;
    options.server.target = node->target();
    TROUPE_ASSIGN_OR_RETURN(server, GrpcServer::start(node->runtime(), options.server));
    std::printf("%s\n", server->target().c_str());
  }
  wait_for_end(signals);
  const absl::Status ended = end(*node, request, signals);
  if (server != nullptr) server->stop();
  return ended;
}

/// A cluster of the server alone, of TensorFlow's name.
absl::StatusOr<ClusterNodeOptions> only_task(const Request& request) {
  ClusterNodeOptions out;
  out.task = {"localhost", 0};
  TROUPE_RETURN_IF_ERROR(out.cluster.add(out.task, request.server.address));
  out.insecure = request.server.insecure;
  return out;
}

absl::Status serve(const Request& request) {
  const sigset_t signals = block_signals();
  TROUPE_ASSIGN_OR_RETURN(const SessionOptions config, SessionOptions::from_config_text(request.config));
  TaskServerOptions options;
  options.server = request.server;
  options.server.default_config = config.config;
  options.server.session_idle_limit =
      std::chrono::milliseconds(static_cast<int64_t>(request.idle_hours * 3'600'000));
  options.server.max_message_bytes =
      std::min<int64_t>(static_cast<int64_t>(request.max_message_mb * (1 << 20)), INT32_MAX);
  options.runtime.inter_op_threads = config.inter_op_threads;
  if (!of_cluster(request)) {
    if (request.server.tls.given()) return serve_alone(request, options, signals);
    TROUPE_ASSIGN_OR_RETURN(options.node, only_task(request));
    options.node.take_devices(config);
    return serve_at_one_port(request, std::move(options), signals);
  }
  TROUPE_ASSIGN_OR_RETURN(options.node, node_options(request));
  options.node.take_devices(config);
  options.may_grow = true;
  if (shares_port(request, options.node)) return serve_at_one_port(request, std::move(options), signals);
  return serve_task(request, std::move(options), signals);
}

int run(const Request& request) {
  const absl::Status served = serve(request);
  // A task that the cluster was told of, and that is not there, is nobody to wait for.
  if (!served.ok() && request.place->joined && !request.place->lost)
    (void)leave_cluster({request.join, request.server.tls}, request.task);
  return served.ok() ? 0 : fail("serve", served);
}

}  // namespace

void add_serve_command(CLI::App& app, Command* chosen) {
  auto request = std::make_shared<Request>();
  CLI::App* sub = app.add_subcommand(
      "serve", "Runs the graphs of TensorFlow's clients, by gRPC, and is a task of a cluster");
  sub->footer(kExamples);
  CLI::Option_group* what = sub->add_option_group("What to be");
  what->require_option(1, 2);
  request->server.address.clear();
  what->add_option("--grpc", request->server.address, "Where to listen; port 0: a free one, which is printed")
      ->type_name("HOST:PORT");
  auto* cluster = what->add_option("--cluster", request->cluster,
                                   "A task of this cluster: JOB=HOST:PORT,...;JOB=... or a file with it")
                      ->type_name("WORDS|FILE");
  auto* join =
      what->add_option("--join", request->join,
                       "A new task of the cluster of which a node listens there, until this program ends")
          ->type_name("HOST:PORT")
          ->excludes(cluster);
  auto* listen = sub->add_option("--listen", request->listen, "Where the new task listens")
                     ->type_name("HOST:PORT")
                     ->needs(join);
  join->needs(listen);
  sub->add_flag("--replace", request->replace, "Though another process serves it, which ends")->needs(join);
  sub->add_option("--job", request->task.job, "Which one");
  sub->add_option("--task", request->task.index, "Which one")->check(CLI::NonNegativeNumber);
  sub->add_option("--drain-seconds", request->drain_seconds,
                  "Upon a signal take no new sessions, and end when those that are there have ended; a "
                  "second signal ends at once")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--config", request->config,
                  "ConfigProto in text format: devices, and what sessions have by default")
      ->type_name("TEXT");
  sub->add_option("--idle-hours", request->idle_hours,
                  "Close sessions that nobody has used for so long; 0: never")
      ->check(CLI::Range(0.0, 1e6));
  sub->add_option("--console", request->console, "Show the runs at this port while they go on, by HTTP")
      ->type_name("[HOST:]PORT");
  add_tls_options(sub, &request->server.tls);
  sub->add_flag("--insecure", request->server.insecure,
                "Listen for other machines without TLS: whoever reaches the port runs any graph");
  sub->add_option("--max-sessions", request->server.max_sessions, "Sessions at once")
      ->check(CLI::PositiveNumber);
  sub->add_option("--max-client-sessions", request->server.max_sessions_per_client,
                  "Those of one client, by the names of his certificate")
      ->check(CLI::PositiveNumber);
  sub->add_option("--max-message-mb", request->max_message_mb, "What a client may ask at once, in MiB")
      ->check(CLI::Range(0.001, 2048.0));
  sub->callback([sub, request, chosen] {
    for (const char* of_task : {"--job", "--task", "--drain-seconds"}) {
      if (sub->count(of_task) > 0 && !of_cluster(*request))
        throw CLI::RequiresError(of_task, "--cluster or --join");
    }
    *chosen = [request] { return run(*request); };
  });
}

}  // namespace troupe
