#include "actors/console/console.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/console/console_actor.h"
#include "actors/console/console_page.h"
#include "actors/console/http_server.h"
#include "actors/environment.h"
#include "actors/runtime_impl.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

using Answer = HttpServer::Answer;

/// Replies with what `make` makes of a report, on the server's thread; 503 when there is none.
void reply_with_report(const ConsoleActor& console, Answer answer, HttpReply (*make)(const ConsoleReport&)) {
  caf::anon_send(console, TellReport{[answer = std::move(answer), make](const auto& report) {
                   answer([report, make] {
                     return report.ok() ? make(**report) : http_error(503, report.status().message());
                   });
                 }});
}

HttpReply readiness(const ConsoleReport& report) {
  if (!report.runtime.opens_sessions) return http_error(503, "the runtime is being shut down");
  return {200, "text/plain; charset=utf-8", "ready\n"};
}

HttpReply metrics(const ConsoleReport& report) {
  return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(report)};
}

HttpReply status(const ConsoleReport& report) { return {200, "application/json", report_json(report)}; }

void serve(const ConsoleActor& console, const HttpRequest& request, Answer answer) {
  const std::string& path = request.path;
  if (path == "/readyz") return reply_with_report(console, std::move(answer), readiness);
  if (path == "/metrics") return reply_with_report(console, std::move(answer), metrics);
  if (path == "/api/status") return reply_with_report(console, std::move(answer), status);
  answer([path] {
    if (path == "/") return HttpReply{200, "text/html; charset=utf-8", std::string(kConsolePage)};
    if (path == "/healthz") return HttpReply{200, "text/plain; charset=utf-8", "ok\n"};
    return http_error(404, "there are /, /metrics, /healthz, /readyz and /api/status");
  });
}

}  // namespace

struct Console::Impl {
  std::shared_ptr<StepMeter> meter;
  ConsoleActor actor;
  std::unique_ptr<HttpServer> server;
  std::string host;

  ~Impl() {
    server = nullptr;
    meter->unwatch();
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
};

Console::Console(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Console::~Console() = default;

absl::StatusOr<std::unique_ptr<Console>> Console::start(Runtime& runtime, const ConsoleOptions& options) {
  TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  auto impl = std::make_unique<Impl>();
  impl->meter = runtime.impl().meter;
  impl->meter->watch(options.slow_after);
  impl->host = options.host;
  impl->actor = spawn_console(runtime.system(), runtime_actor(runtime), impl->meter);
  TROUPE_ASSIGN_OR_RETURN(impl->server,
                          HttpServer::start(options.host, options.port,
                                            [actor = impl->actor](const HttpRequest& request, Answer answer) {
                                              serve(actor, request, std::move(answer));
                                            }));
  return std::unique_ptr<Console>(new Console(std::move(impl)));
}

std::unique_ptr<Console> Console::of_environment(Runtime& runtime) {
  std::unique_ptr<Console> console;
  const absl::Status status = guarded("the console", [&] {
    ConsoleOptions options;
    const std::optional<int> port = console_port_of_environment();
    if (!port.has_value()) return absl::OkStatus();
    options.port = *port;
    TROUPE_ASSIGN_OR_RETURN(console, start(runtime, options));
    spdlog::info("console: {}", console->url());
    return absl::OkStatus();
  });
  if (!status.ok()) spdlog::warn("console: TROUPE_CONSOLE_PORT asks for one, but {}", status.ToString());
  return console;
}

int Console::port() const { return impl_->server->port(); }

std::string Console::url() const {
  const bool v6 = absl::StrContains(impl_->host, ':');
  return absl::StrCat("http://", v6 ? "[" : "", impl_->host, v6 ? "]:" : ":", port());
}

}  // namespace troupe
