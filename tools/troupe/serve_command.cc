#include <signal.h>

#include <cstdio>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "actors/grpc_door/grpc_server.h"
#include "actors/options.h"
#include "actors/runtime.h"
#include "graph/status.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
TensorFlow's clients come in unchanged: tf.compat.v1.Session("grpc://127.0.0.1:2222"). Sessions share variables, queues and tables, unless
their ConfigProto says isolate_session_state. Only this machine reaches the server: there is no TLS.

Examples:
  troupe serve --grpc 127.0.0.1:2222
  troupe serve --grpc localhost:0 --config 'device_count { key: "CPU" value: 2 }'
)";

struct Request {
  GrpcServerOptions server;
  /// ConfigProto in text format.
  std::string config;
  double idle_hours = 24;
};

/// Waits for SIGTERM or SIGINT, which no other thread hears: to be called before there are others.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

absl::Status serve(Request request) {
  const sigset_t signals = block_signals();
  TROUPE_ASSIGN_OR_RETURN(const SessionOptions config, SessionOptions::from_config_text(request.config));
  request.server.default_config = config.config;
  request.server.session_idle_limit =
      std::chrono::milliseconds(static_cast<int64_t>(request.idle_hours * 3'600'000));
  RuntimeOptions runtime_options;
  runtime_options.inter_op_threads = config.inter_op_threads;
  const std::unique_ptr<Runtime> runtime = Runtime::create(runtime_options);
  TROUPE_ASSIGN_OR_RETURN(const auto server, GrpcServer::start(*runtime, request.server));
  std::printf("%s\n", server->target().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server->stop();
  return absl::OkStatus();
}

int run(const Request& request) {
  const absl::Status served = serve(request);
  return served.ok() ? 0 : fail("serve", served);
}

}  // namespace

void add_serve_command(CLI::App& app, Command* chosen) {
  auto request = std::make_shared<Request>();
  CLI::App* sub = app.add_subcommand("serve", "Runs the graphs of TensorFlow's clients, by gRPC");
  sub->footer(kExamples);
  sub->add_option("--grpc", request->server.address, "Where to listen; port 0: a free one, which is printed")
      ->required()
      ->type_name("HOST:PORT");
  sub->add_option("--config", request->config,
                  "ConfigProto in text format: devices, and what sessions have by default")
      ->type_name("TEXT");
  sub->add_option("--idle-hours", request->idle_hours,
                  "Close sessions that nobody has used for so long; 0: never")
      ->check(CLI::Range(0.0, 1e6));
  sub->add_option("--max-sessions", request->server.max_sessions, "Sessions at once")
      ->check(CLI::PositiveNumber);
  sub->callback([request, chosen] { *chosen = [request] { return run(*request); }; });
}

}  // namespace troupe
