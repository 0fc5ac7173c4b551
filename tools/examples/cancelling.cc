// Three ways to end a run that does not end by itself: all of a session's, from any thread; one, by whoever began it; and by the time
// that it has.
#include <cstdio>
#include <future>
#include <thread>

#include "actors/runtime.h"
#include "actors/session.h"
#include "graph/ir/graph_builder.h"
#include "graph/status.h"

namespace {

using troupe::Out;

/// while (true) {}
absl::StatusOr<troupe::Graph> endless() {
  troupe::GraphBuilder g;
  const auto same = [](const std::vector<Out>& vars) { return vars; };
  const auto end = g.while_loop(
      {g.constant(true)}, [](const std::vector<Out>& vars) { return vars[0]; }, same);
  g.identity(end[0], "never");
  return g.build();
}

absl::Status show() {
  const auto runtime = troupe::Runtime::create();
  TROUPE_ASSIGN_OR_RETURN(const auto session, troupe::Session::open(*runtime));
  TROUPE_ASSIGN_OR_RETURN(troupe::Graph graph, endless());
  TROUPE_RETURN_IF_ERROR(session->create(std::move(graph)));

  auto step = std::async(std::launch::async, [&] { return session->run({}, {"never"}).status(); });
  while (session->cancel("the user pressed a key").value_or(0) == 0) std::this_thread::yield();
  std::printf("%s\n", step.get().ToString().c_str());

  std::promise<absl::Status> ended;
  const auto tell = [&](const auto& fetches, const troupe::RunStats&) { ended.set_value(fetches.status()); };
  troupe::AsyncRun run = session->run_async({}, {"never"}, {}, {}, tell);
  const bool cancelled = run.cancel("not wanted any more");
  std::printf("%s\n", ended.get_future().get().ToString().c_str());

  troupe::RunOptions patience;
  patience.timeout = std::chrono::milliseconds(20);
  const absl::Status late = session->run({}, {"never"}, {}, patience).status();
  std::printf("%s\n", late.ToString().c_str());
  return cancelled ? absl::OkStatus() : absl::InternalError("there was nothing to cancel");
}

}  // namespace

int main() {
  const absl::Status end = show();
  if (!end.ok()) std::fprintf(stderr, "%s\n", end.ToString().c_str());
  return end.ok() ? 0 : 1;
}

// Prints:
// CANCELLED: Run call was cancelled: the user pressed a key...
// CANCELLED: Run call was cancelled: not wanted any more...
// DEADLINE_EXCEEDED: ...
