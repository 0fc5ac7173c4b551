#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "CLI/CLI.hpp"
#include "actors/node_client/cluster_calls.h"
#include "graph/status.h"
#include "tools/troupe/command_options.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/local_cluster.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
`start`: the first line is the cluster in words, as `troupe serve --cluster` and ClusterSpec take them; with --grpc the second is the door's target. Which
process is which task goes to standard error. All end with this program: upon SIGINT or SIGTERM, or when its standard input, if that is
a pipe or a terminal, ends. `show` and `remove` ask any node of any cluster; tasks come by `troupe serve --join`, and go with it, or, when it
died, by `remove`.

Examples:
  troupe cluster start 3
  troupe cluster start 2 --grpc 127.0.0.1:2222
  troupe cluster show 127.0.0.1:7001
  troupe cluster remove 127.0.0.1:7001 --job worker --task 2
  troupe cluster start 4 --job ps --config 'device_count { key: "CPU" value: 2 }'
)";

/// Between two looks whether a node has ended.
constexpr int kLookMs = 200;

/// A descriptor that becomes readable with SIGTERM or SIGINT; to be called before there are other threads.
int watch_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

/// The standard input, where somebody holds its other end: not that of a service or of a script's background, which has ended from the start. -1: none.
int held_input() {
  struct stat what {};
  if (::fstat(STDIN_FILENO, &what) != 0) return -1;
  const bool held = S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode) || ::isatty(STDIN_FILENO) != 0;
  return held ? STDIN_FILENO : -1;
}

/// Whether the standard input, from which something can be read, has ended.
bool input_ended() {
  char block[1 << 12];
  const ssize_t n = ::read(STDIN_FILENO, block, sizeof(block));
  return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

absl::Status run_until_told(LocalCluster* cluster, int signals) {
  const int input = held_input();
  for (;;) {
    pollfd events[] = {{signals, POLLIN, 0}, {input, POLLIN, 0}};
    const int ready = ::poll(events, 2, kLookMs);
    if (ready > 0 && events[0].revents != 0) return absl::OkStatus();
    if (ready > 0 && events[1].revents != 0 && input_ended()) return absl::OkStatus();
    std::fputs(cluster->output().c_str(), stderr);
    for (const std::string& line : cluster->news()) std::fprintf(stderr, "%s\n", line.c_str());
    if (!cluster->any_alive()) return absl::UnavailableError("all nodes have ended");
  }
}

absl::Status start(const LocalClusterOptions& options) {
  const int signals = watch_signals();
  if (signals < 0) return absl::ErrnoToStatus(errno, "cannot watch for signals");
  TROUPE_ASSIGN_OR_RETURN(const auto cluster, LocalCluster::start(options));
  std::printf("%s\n", cluster->spec().to_string().c_str());
  if (!cluster->target().empty()) std::printf("%s\n", cluster->target().c_str());
  std::fflush(stdout);
  for (const std::string& line : cluster->processes()) std::fprintf(stderr, "%s\n", line.c_str());
  const absl::Status end = run_until_told(cluster.get(), signals);
  ::close(signals);
  return end;
}

int end(const absl::Status& done) { return done.ok() ? 0 : fail("cluster", done); }

/// A line for each task: its name, a tab, where it listens.
absl::Status print(const absl::StatusOr<KnownCluster>& known) {
  TROUPE_RETURN_IF_ERROR(known.status());
  for (const TaskId& task : known->cluster.tasks())
    std::printf("%s\t%s\n", task.to_string().c_str(), known->cluster.address(task)->to_string().c_str());
  return absl::OkStatus();
}

struct Change {
  ClusterDoor door;
  TaskId task;
};

/// What both commands that ask a node take.
void add_door(CLI::App* command, ClusterDoor* door) {
  command->add_option("node", door->address, "Where one of its nodes listens")
      ->required()
      ->type_name("HOST:PORT");
  add_tls_options(command, &door->tls);
}

}  // namespace

void add_cluster_command(CLI::App& app, Command* chosen) {
  auto options = std::make_shared<LocalClusterOptions>();
  CLI::App* sub = app.add_subcommand("cluster", "Clusters of this machine");
  sub->require_subcommand(1);
  CLI::App* starts = sub->add_subcommand("start", "Starts the tasks of a cluster, each a process");
  starts->footer(kExamples);
  starts->add_option("nodes", options->nodes, "How many")->required()->check(CLI::Range(1, 256));
  starts->add_option("--job", options->job, "What their job is called");
  starts->add_option("--config", options->config, "ConfigProto in text format, of every node")
      ->type_name("TEXT");
  starts
      ->add_option("--grpc", options->grpc,
                   "Where the first has a door for TensorFlow's clients; port 0: a free one")
      ->type_name("HOST:PORT");
  starts->callback([options, chosen] { *chosen = [options] { return end(start(*options)); }; });

  auto door = std::make_shared<ClusterDoor>();
  CLI::App* shows =
      sub->add_subcommand("show", "Prints the tasks that a cluster has now, and where they listen");
  add_door(shows, door.get());
  shows->callback([door, chosen] { *chosen = [door] { return end(print(get_cluster(*door))); }; });

  auto change = std::make_shared<Change>();
  CLI::App* removes =
      sub->add_subcommand("remove", "Takes a task out of a cluster, which then waits for it no more");
  add_door(removes, &change->door);
  removes->add_option("--job", change->task.job, "Which one")->required();
  removes->add_option("--task", change->task.index, "Which one")->required()->check(CLI::NonNegativeNumber);
  removes->callback([change, chosen] {
    *chosen = [change] { return end(print(leave_cluster(change->door, change->task))); };
  });
}

}  // namespace troupe
